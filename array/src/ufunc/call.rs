//! A call of a ufunc with NumPy's options.

use super::methods::Ufunc;
use crate::array::Array;
use crate::elementwise::by_loop;
use crate::error::{Error, Site, call_site, within};
use crate::floating::check_elementwise;
use crate::manipulation::MemoryOrder;
use crate::math::select;
use crate::operand::Argument;
use phalanx_ops::error::{CastPlace, OpError};
use phalanx_ops::{Casting, DType, Op, can_cast};
use smallvec::SmallVec;

/// What a call of a ufunc may be given beside its operands. The defaults are NumPy's.
#[derive(Clone, Debug)]
pub struct UfuncOptions {
    /// The dtype of the results, which chooses the loop.
    pub dtype: Option<DType>,
    /// The dtypes of the loop: for each operand and then for each result one, or `None` where any
    /// will do. Not beside `dtype`.
    pub signature: Option<Vec<Option<DType>>>,
    /// Which casts of operands to the loop, and of results to `out`, are allowed.
    pub casting: Casting,
    /// The order of axes in memory of a result that is made. `A` is `F` where all operands are in
    /// it; `K` is as near as possible to that of the operands.
    pub order: MemoryOrder,
    /// NumPy's `where`: the elements to compute, bools that are broadcast to the results. The
    /// others keep what `out` holds, and are zero in a result that is made.
    pub mask: Option<Array>,
    /// For each result the array that is written and returned, or `None` for one that is made.
    pub out: Vec<Option<Array>>,
}

impl Default for UfuncOptions {
    fn default() -> UfuncOptions {
        UfuncOptions {
            dtype: None,
            signature: None,
            casting: Casting::SameKind,
            order: MemoryOrder::K,
            mask: None,
            out: Vec::new(),
        }
    }
}

impl Ufunc {
    /// The results of the operation on these operands, in order: NumPy's call of a ufunc.
    ///
    /// Shapes        Operands, the mask and outputs broadcast together; an output is never
    ///               stretched.
    /// Dtype         That of the loop, see [`UfuncOptions`]; an output keeps its own.
    /// Collectivity  Local (records nodes).
    /// Errors        `OpError::Dtype` and `OpError::NoLoop` where no loop takes the dtypes,
    ///               `OpError::UfuncCast` where `casting` forbids a cast, `OpError::Broadcast`,
    ///               `OpError::BroadcastInto` for an output of another shape, `OpError::Arguments`
    ///               and `OpError::Argument` for options that do not fit the ufunc.
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// use phalanx::{Array, Error, Ufunc, UfuncOptions};
    /// # fn example(x: &Array, y: &Array, total: &Array) -> Result<(), Error> {
    /// let add = Ufunc::from_name("add").unwrap();
    /// // np.add(x, y, out=total, where=x > 0)
    /// let options = UfuncOptions {
    ///     out: vec![Some(total.clone())],
    ///     mask: Some(x.greater(0)),
    ///     ..UfuncOptions::default()
    /// };
    /// add.call(&[x.into(), y.into()], &options)?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn call(self, operands: &[Argument], options: &UfuncOptions) -> Result<Vec<Array>, Error> {
        let site = call_site();
        let outs = self.outs(options, site)?;
        let results = self.compute(operands, options, site)?;
        let targets = outs.iter().copied().chain(std::iter::repeat(None));
        // Nothing is written, and nothing reported, of a call that is refused.
        for (place, (result, out)) in results.iter().zip(targets.clone()).enumerate() {
            if let Some(out) = out {
                self.check_out((place, result), out, options, site)?;
            }
        }
        {
            let pairs: SmallVec<[(Op, &Array); 2]> = self.ops().zip(&results).collect();
            check_elementwise(self.name, operands, &pairs, options.mask.as_ref(), site);
        }
        let store = |(result, out)| match out {
            None => self.made(result, operands, options, site),
            Some(out) => self.written(result, out, options, site),
        };
        results.into_iter().zip(targets).map(store).collect()
    }

    /// The results of the loop, without what the options say of memory.
    fn compute(
        self,
        operands: &[Argument],
        options: &UfuncOptions,
        site: Site,
    ) -> Result<Vec<Array>, Error> {
        self.check_operands(operands, site)?;
        let loops = self.loops(operands, options).map_err(|error| Error::op(error, site))?;
        let run = |(op, signature)| by_loop(op, operands, signature, site);
        self.ops().zip(loops).map(run).collect()
    }

    /// Refuses another number of operands, and operands that carry an error.
    pub(super) fn check_operands(self, operands: &[Argument], site: Site) -> Result<(), Error> {
        if operands.len() != self.nin() {
            let value = format!("{}, where it takes {}", operands.len(), self.nin());
            let argument = "the number of operands";
            return Err(Error::op(
                OpError::Argument { operation: self.name, argument, value },
                site,
            ));
        }
        for operand in operands {
            if let Argument::Array(array) = operand {
                array.ok()?;
            }
        }
        Ok(())
    }

    fn outs(self, options: &UfuncOptions, site: Site) -> Result<Vec<Option<&Array>>, Error> {
        if options.out.len() <= self.nout() {
            return Ok(options.out.iter().map(Option::as_ref).collect());
        }
        let value = format!("{}, where it has {}", options.out.len(), self.nout());
        let argument = "the number of outputs";
        Err(Error::op(OpError::Argument { operation: self.name, argument, value }, site))
    }

    fn made(
        self,
        result: Array,
        operands: &[Argument],
        options: &UfuncOptions,
        site: Site,
    ) -> Result<Array, Error> {
        let arrays: Vec<&Array> = operands.iter().filter_map(Argument::as_array).collect();
        let masked = match &options.mask {
            // NumPy leaves what the memory happens to hold.
            Some(mask) => within(site, || {
                let zero = crate::creation::zeros_like(&result, None);
                select(mask, result, zero)
            }),
            None => result,
        };
        within(site, || masked.ok()?.ordered_as(options.order, &arrays))
    }

    /// Refuses an output that the result cannot be written to.
    fn check_out(
        self,
        (place, result): (usize, &Array),
        out: &Array,
        options: &UfuncOptions,
        site: Site,
    ) -> Result<(), Error> {
        let (from, to, casting) = (result.dtype(), out.ok()?.dtype(), options.casting);
        if !can_cast(from, to, casting) {
            let place =
                if self.nout() == 1 { CastPlace::OnlyOutput } else { CastPlace::Output(place) };
            let ufunc = self.name;
            return Err(Error::op(OpError::UfuncCast { ufunc, place, from, to, casting }, site));
        }
        out.check_writable(site)?;
        let mut extents = result.shape().iter().rev().zip(out.shape().iter().rev());
        // An assignment drops leading axes of extent 1; the output of a ufunc has them all.
        if result.ndim() > out.ndim() || !extents.all(|(&own, &there)| own == there || own == 1) {
            let (value, target) = (result.shape().into(), out.shape().into());
            return Err(Error::op(OpError::BroadcastInto { value, target }, site));
        }
        Ok(())
    }

    fn written(
        self,
        result: Array,
        out: &Array,
        options: &UfuncOptions,
        site: Site,
    ) -> Result<Array, Error> {
        let result = match &options.mask {
            Some(mask) => within(site, || select(mask, result, out).ok().cloned())?,
            None => result,
        };
        out.assign_at(&result, Casting::Unsafe, site)?;
        Ok(out.clone())
    }
}
