//! The loop of dtypes that a call of a ufunc runs: NumPy's `dtype`, `signature` and `casting`.

use super::call::UfuncOptions;
use super::methods::Ufunc;
use crate::array::Argument;
use phalanx_graph::{Error, call_site};
use phalanx_ops::error::{CastPlace, OpError};
use phalanx_ops::{Arg, Casting, DType, Op, Signature, can_cast};
use smallvec::SmallVec;

/// The dtypes that a call requests: one, or `None`, for each operand and each result.
pub(crate) struct Asked {
    inputs: SmallVec<[Option<DType>; 2]>,
    outputs: SmallVec<[Option<DType>; 2]>,
}

/// The dtypes that a call requests for the operands, and then for one result.
type Wanted = SmallVec<[Option<DType>; 3]>;

impl Asked {
    /// The dtypes that `dtype` or `signature` requests of a ufunc with `nin` operands and `nout`
    /// results; `None` if the call has neither.
    pub(crate) fn of(
        ufunc: &'static str,
        [nin, nout]: [usize; 2],
        dtype: Option<DType>,
        signature: Option<&[Option<DType>]>,
    ) -> Result<Option<Asked>, OpError> {
        match (dtype, signature) {
            (None, None) => Ok(None),
            (Some(dtype), None) => Ok(Some(Asked {
                inputs: SmallVec::from_elem(None, nin),
                outputs: SmallVec::from_elem(Some(dtype), nout),
            })),
            (Some(_), Some(_)) => {
                let problem = "'signature' and 'dtype' cannot be given together";
                Err(OpError::Arguments { operation: ufunc, problem })
            }
            (None, Some(dtypes)) if dtypes.len() == nin + nout => Ok(Some(Asked {
                inputs: SmallVec::from_slice(&dtypes[..nin]),
                outputs: SmallVec::from_slice(&dtypes[nin..]),
            })),
            (None, Some(dtypes)) => Err(OpError::Argument {
                operation: ufunc,
                argument: "the number of dtypes in the signature",
                value: format!("{} instead of {}", dtypes.len(), nin + nout),
            }),
        }
    }

    fn of_result(&self, place: usize) -> Wanted {
        self.inputs.iter().copied().chain([self.outputs[place]]).collect()
    }

    /// The request for each operation of a ufunc. Both operations of a ufunc with two results cast
    /// the operands to the same dtypes: those of the first result whose dtype is requested.
    fn of_each(&self, ufunc: Ufunc, kinds: &[Arg]) -> Result<SmallVec<[Wanted; 2]>, OpError> {
        let Some(second) = ufunc.second else {
            return Ok(SmallVec::from_iter([self.of_result(0)]));
        };
        let no_loop = || OpError::NoLoop { ufunc: ufunc.name };
        let leading = usize::from(self.outputs[0].is_none() && self.outputs[1].is_some());
        let (leader, other) = if leading == 0 { (ufunc.op, second) } else { (second, ufunc.op) };
        let of = |op: Op, asked: &[Option<DType>]| {
            op.resolve_by(kinds, asked, Casting::Unsafe).map_err(|_| no_loop())
        };
        let led = of(leader, &self.of_result(leading))?;
        // If the call requests one dtype for all results, the operands may be cast to it in any
        // way. Otherwise they must cast safely.
        let is_one = self.outputs[0].is_some() && self.outputs[0] == self.outputs[1];
        let mut places = kinds.iter().zip(&self.inputs).zip(led.inputs());
        let fits = places.all(|((kind, asked), &to)| match *kind {
            Arg::Strong(from) => asked.is_some() || can_cast(from, to, Casting::Safe),
            Arg::Weak(_) => true,
        });
        if !is_one && !fits {
            return Err(no_loop());
        }
        let inputs = led.inputs().iter().copied().map(Some);
        let with = |output| inputs.clone().chain([output]).collect::<Wanted>();
        let beside = of(other, &with(self.outputs[1 - leading]))?;
        let mut both = SmallVec::from_iter([with(Some(led.output)), with(Some(beside.output))]);
        if leading == 1 {
            both.swap(0, 1);
        }
        Ok(both)
    }

    /// The dtype in which a product of matrices or vectors runs. Its loops have the same dtype for
    /// operands and result.
    pub(crate) fn of_product(
        &self,
        ufunc: &'static str,
        operands: [DType; 2],
    ) -> Result<Option<DType>, OpError> {
        let mut all = self.inputs.iter().chain(&self.outputs).flatten();
        let Some(&dtype) = all.next() else { return Ok(None) };
        let mut places = operands.iter().zip(&self.inputs);
        let fits = self.outputs[0].is_some()
            || places.all(|(&from, asked)| asked.is_some() || can_cast(from, dtype, Casting::Safe));
        if fits && all.all(|other| *other == dtype) {
            Ok(Some(dtype))
        } else {
            Err(OpError::NoLoop { ufunc })
        }
    }
}

impl Ufunc {
    /// The loop of each operation of the ufunc for these operands, with the casts that `casting`
    /// allows.
    pub(super) fn loops(
        self,
        operands: &[Argument],
        options: &UfuncOptions,
    ) -> Result<SmallVec<[Signature; 2]>, OpError> {
        let kinds: SmallVec<[Arg; 2]> = operands.iter().map(Argument::kind).collect();
        let (dtype, signature) = (options.dtype, options.signature.as_deref());
        let asked = Asked::of(self.name, [self.nin(), self.nout()], dtype, signature)?;
        self.check_inputs(&kinds, asked.as_ref(), options.casting)?;
        let Some(asked) = asked else {
            return self.ops().map(|op| op.resolve(&kinds)).collect();
        };
        let each = asked.of_each(self, &kinds)?;
        let resolve = |(op, wanted): (Op, &Wanted)| op.resolve_by(&kinds, wanted, options.casting);
        self.ops().zip(&each).map(resolve).collect()
    }

    /// Refuses operands if `casting` does not allow their cast to the loop's dtypes.
    fn check_inputs(
        self,
        kinds: &[Arg],
        asked: Option<&Asked>,
        casting: Casting,
    ) -> Result<(), OpError> {
        let signature = match asked {
            Some(asked) => self.op.resolve_by(kinds, &asked.of_result(0), Casting::Unsafe),
            None => self.op.resolve(kinds),
        };
        // Operands for which no loop exists are refused when the loop is chosen.
        let Ok(signature) = signature else { return Ok(()) };
        for (place, (kind, &to)) in kinds.iter().zip(signature.inputs()).enumerate() {
            let Arg::Strong(from) = *kind else { continue };
            // NumPy's logical functions take elements of every dtype without a cast.
            if to == DType::Bool && self.op.is_logical() {
                continue;
            }
            if !can_cast(from, to, casting) {
                let place = match kinds.len() {
                    1 => CastPlace::OnlyInput,
                    _ => CastPlace::Input(place),
                };
                return Err(OpError::UfuncCast { ufunc: self.name, place, from, to, casting });
            }
        }
        Ok(())
    }

    /// The dtype of each result of a call, without making it: NumPy's `resolve_dtypes`.
    ///
    /// Collectivity  Local.
    /// Errors        Those of [`Ufunc::call`] that do not depend on shapes.
    #[track_caller]
    pub fn result_dtypes(
        self,
        operands: &[Argument],
        options: &UfuncOptions,
    ) -> Result<Vec<DType>, Error> {
        let site = call_site();
        self.check_operands(operands, site)?;
        let loops = self.loops(operands, options).map_err(|error| Error::op(error, site))?;
        Ok(loops.iter().map(|signature| signature.output).collect())
    }
}
