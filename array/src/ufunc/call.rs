//! Calls of ufuncs with NumPy's options.

use super::methods::{Ufunc, rows_for};
use crate::array::Argument;
use crate::array::Array;
use crate::floating::check_elementwise;
use crate::manipulation::{MemoryOrder, common_shape};
use crate::math::select;
use crate::recording::by_loop;
use phalanx_graph::{Error, Site, call_site, in_place_of, within};
use phalanx_ops::error::{CastPlace, OpError};
use phalanx_ops::{Casting, DType, Op, can_cast};
use smallvec::SmallVec;

/// The options of a call of a ufunc. The defaults are NumPy's.
#[derive(Clone, Debug)]
pub struct UfuncOptions {
    /// The dtype of the results. It selects the loop.
    pub dtype: Option<DType>,
    /// The dtypes of the loop: one for each operand and then one for each result; `None` accepts
    /// any. It excludes `dtype`.
    pub signature: Option<Vec<Option<DType>>>,
    /// The casts that are allowed, of operands to the loop and of results to `out`.
    pub casting: Casting,
    /// The memory order of a new result. `A` is `F` if all operands are in Fortran order; `K` is as
    /// near as possible to the order of the operands.
    pub order: MemoryOrder,
    /// NumPy's `where`: bools that broadcast to the results and select the elements to compute.
    /// Other elements keep the value of `out`, and are zero in a new result.
    pub mask: Option<Array>,
    /// For each result, the array that is written and returned; `None` for a new array.
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
    /// Errors        `OpError::Dtype` and `OpError::NoLoop` if no loop takes the dtypes,
    ///               `OpError::UfuncCast` if `casting` forbids a cast, `OpError::Broadcast`,
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
        tracing::trace!(target: "phalanx::path", file = file!());
        let site = call_site();
        let outs = self.outs(options, site)?;
        let results = self.compute(operands, options, site)?;
        let targets = outs.iter().copied().chain(std::iter::repeat(None));
        // A refused call writes and reports nothing.
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

    /// [`Ufunc::outer`] with the options of a call, also for an operation with two results. As in
    /// NumPy, numbers are arrays of their default dtypes. Errors: also those of [`Ufunc::call`].
    #[track_caller]
    pub fn outer_with(
        self,
        operands: &[Argument],
        options: &UfuncOptions,
    ) -> Result<Vec<Array>, Error> {
        let site = call_site();
        let [a, b] = operands else {
            return Err(self.refuse("outer", "it does not have two operands", site));
        };
        in_place_of(site, || {
            let [a, b] = [a, b].map(|operand| operand.clone().into_array());
            self.call(&[rows_for(&a, &b, site)?.into(), b.into()], options)
        })
    }

    /// The results of the loop, before `order`, `mask` and `out` are applied.
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

    /// Refuses a wrong number of operands, and operands that carry an error.
    pub(super) fn check_operands(self, operands: &[Argument], site: Site) -> Result<(), Error> {
        if operands.len() != self.nin() {
            let value = format!("{} instead of {}", operands.len(), self.nin());
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
        let value = format!("{} instead of at most {}", options.out.len(), self.nout());
        let argument = "the number of outputs";
        Err(Error::op(OpError::Argument { operation: self.name, argument, value }, site))
    }

    /// The result of an operation that is computed otherwise, with `order`, `mask` and `out`
    /// applied.
    pub(crate) fn finished(
        name: &'static str,
        result: Array,
        operands: &[Argument],
        options: &UfuncOptions,
        site: Site,
    ) -> Result<Array, Error> {
        let ufunc = Ufunc { name, op: Op::Positive, second: None };
        match ufunc.outs(options, site)?.first().copied().flatten() {
            None => ufunc.made(result, operands, options, site),
            Some(out) => {
                ufunc.check_out((0, &result), out, options, site)?;
                ufunc.written(result, out, options, site)
            }
        }
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
            // NumPy leaves these elements uninitialised; here they are zero.
            Some(mask) => within(site, || {
                let zero = crate::creation::zeros_like(&result, None);
                select(mask, result, zero)
            }),
            None => result,
        };
        within(site, || masked.ok()?.ordered_as(options.order, &arrays))
    }

    /// Refuses an output to which the result cannot be written.
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
        let mask = options.mask.as_ref().map(|mask| Ok(mask.ok()?.shape())).transpose()?;
        let shapes = std::iter::once(result.shape()).chain(mask);
        let value = common_shape(shapes, site)?;
        let mut extents = value.iter().rev().zip(out.shape().iter().rev());
        // An assignment drops leading axes of extent 1; the output of a ufunc must have all axes.
        if value.len() > out.ndim() || !extents.all(|(&own, &there)| own == there || own == 1) {
            return Err(Error::op(
                OpError::BroadcastInto { value, target: out.shape().into() },
                site,
            ));
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
        match &options.mask {
            Some(mask) => {
                let new = || within(site, || select(mask, &result, out).into_result());
                out.rewrite(new, site)?;
            }
            None => out.assign_at(&result, Casting::Unsafe, site)?,
        }
        Ok(out.clone())
    }
}
