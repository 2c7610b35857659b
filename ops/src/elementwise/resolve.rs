//! The choice of a loop, as in NumPy 2: the dtypes to which operands are cast, and the dtype of the
//! result.
//!
//! A Python number first takes the dtype to which all operands promote. The first loop of the row
//! to whose inputs the operands can be cast safely is chosen. Four rules of NumPy are exceptions:
//! `divide` and `float_power` compute integers at least as f64; the logical operations cast
//! operands of different dtypes to bool; arithmetic that has no meaning on bools refuses them,
//! although they could be cast; and `ldexp` does not promote its operands to each other.
//!
//! Choices are looked up: each operation computes a table for all kinds of operands once.

use super::table::Op;
use crate::cast::{Casting, can_cast};
use crate::dtype::{DType, Kind};
use crate::error::OpError;
use crate::promote::{default_dtype, promote, promote_weak};
use crate::scalar::Weak;
use num_complex::Complex64;
use std::sync::OnceLock;

/// An operand, as the choice of a loop sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Arg {
    /// An array, or a scalar with a dtype of its own.
    Strong(DType),
    /// A Python number.
    Weak(Weak),
}

/// The dtypes of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    inputs: [DType; 2],
    arity: u8,
    /// The dtype of the result.
    pub output: DType,
    /// The answer for every element of a comparison with an integer that no 64-bit dtype holds.
    /// Casting the operands to `inputs` gives the same answer, except for elements that round to
    /// the integer as f64.
    pub constant: Option<bool>,
}

impl Signature {
    /// The dtype that each operand is cast to.
    pub fn inputs(&self) -> &[DType] {
        &self.inputs[..usize::from(self.arity)]
    }
}

/// Operand kinds: the dtypes, then weak integer, float and complex.
const KINDS: usize = DType::ALL.len() + 3;
const NO_LOOP: u8 = u8::MAX;

struct Choices {
    loops: Vec<Signature>,
    /// For each operand kind (pair of kinds), the position of the loop, or `NO_LOOP`.
    table: Vec<u8>,
}

static CHOICES: [OnceLock<Choices>; Op::ALL.len()] = [const { OnceLock::new() }; Op::ALL.len()];

impl Op {
    /// The loop that NumPy would run for these operands.
    ///
    /// Errors: `OpError::Argument` for a wrong number of operands, `OpError::Dtype` if no loop
    /// accepts them, and `OpError::OutOfRange` if a Python integer does not fit its integer dtype
    /// (a comparison with an integer array returns an answer instead).
    pub fn resolve(self, args: &[Arg]) -> Result<Signature, OpError> {
        let choices = CHOICES[self as usize].get_or_init(|| choices(self));
        let position = match *args {
            [a] if self.arity() == 1 => position(a),
            [a, b] if self.arity() == 2 => position(a) * KINDS + position(b),
            _ => {
                return Err(OpError::Argument {
                    operation: self.name(),
                    argument: "the number of operands",
                    value: args.len().to_string(),
                });
            }
        };
        match choices.table[position] {
            NO_LOOP => Err(no_loop(self, args)),
            chosen => check_integers(self, args, choices.loops[usize::from(chosen)]),
        }
    }

    /// The loop that NumPy runs when the ufunc arguments `dtype` or `signature` request dtypes.
    /// `asked` has a dtype, or `None`, for each operand and then for the result.
    ///
    /// The loop that would run without a request is chosen if it matches. Otherwise, if all
    /// requests are one dtype and include the result, the loop from and to this dtype is chosen.
    /// Otherwise it is the first matching loop to whose inputs the other operands can be cast
    /// safely. `casting` must allow the casts to requested dtypes. A Python number is cast to the
    /// requested dtype, except that a complex number is never cast to a real one.
    ///
    /// Errors: `OpError::Argument` for a wrong number of dtypes, `OpError::Dtype` if no loop
    /// matches, `OpError::Cast` for an operand that may not be cast to the loop's dtype, and
    /// `OpError::OutOfRange` for a Python integer that does not fit it.
    pub fn resolve_by(
        self,
        args: &[Arg],
        asked: &[Option<DType>],
        casting: Casting,
    ) -> Result<Signature, OpError> {
        let Some((output, inputs)) = asked.split_last().filter(|_| asked.len() == args.len() + 1)
        else {
            let (argument, value) = ("the number of dtypes", asked.len().to_string());
            return Err(OpError::Argument { operation: self.name(), argument, value });
        };
        if asked.iter().all(Option::is_none) {
            return self.resolve(args);
        }
        let is_asked = |signature: &&Signature| {
            let mut pairs = inputs.iter().zip(signature.inputs());
            signature.inputs().len() == args.len()
                && output.is_none_or(|dtype| dtype == signature.output)
                && pairs.all(|(asked, &input)| asked.is_none_or(|dtype| dtype == input))
        };
        if inputs.iter().all(Option::is_none)
            && let Ok(own) = self.resolve(args)
            && is_asked(&&own)
            && own.constant.is_none()
        {
            return Ok(own);
        }
        let check = |signature: &Signature, others: Casting| {
            let mut operands = args.iter().zip(inputs).zip(signature.inputs());
            operands.try_for_each(|((&arg, asked), &to)| {
                // The logical operations accept elements of every dtype.
                let is_truth = self.is_logical() && to == DType::Bool;
                let casting = if asked.is_some() { casting } else { others };
                match arg {
                    Arg::Strong(from) if is_truth || can_cast(from, to, casting) => Ok(()),
                    Arg::Strong(from) => Err(OpError::Cast { from, to, casting }),
                    Arg::Weak(weak) if asked.is_some() => {
                        weak.held_by(to)?;
                        if weak.kind() == Kind::Complex && !to.is_complex() {
                            Err(OpError::cast(default_dtype(weak), to))
                        } else {
                            Ok(())
                        }
                    }
                    Arg::Weak(weak) => {
                        weak.held_by(to)?;
                        if casting != Casting::Unsafe && !is_as_narrow(weak, to) {
                            Err(OpError::Cast { from: default_dtype(weak), to, casting })
                        } else {
                            Ok(())
                        }
                    }
                }
            })
        };
        let mut found = self.signatures().iter().filter(is_asked);
        if let Some(dtype) = *output
            && inputs.iter().all(|input| input.is_none_or(|input| input == dtype))
            && let Some(even) =
                found.clone().find(|one| one.inputs().iter().all(|&input| input == dtype))
        {
            return check(even, casting).map(|()| *even);
        }
        if inputs.iter().all(Option::is_some)
            && let Some(signature) = found.clone().next()
        {
            return check(signature, casting).map(|()| *signature);
        }
        let found = found.find(|signature| check(signature, Casting::Safe).is_ok());
        let dtypes = || asked.iter().flatten().copied().collect();
        found.copied().ok_or_else(|| OpError::Dtype { operation: self.name(), dtypes: dtypes() })
    }

    /// Every loop of the operation, in the order in which they are tried.
    pub fn signatures(self) -> &'static [Signature] {
        &CHOICES[self as usize].get_or_init(|| choices(self)).loops
    }
}

fn position(arg: Arg) -> usize {
    match arg {
        Arg::Strong(dtype) => dtype as usize,
        Arg::Weak(Weak::Bool(_)) => DType::Bool as usize,
        Arg::Weak(Weak::Int(_) | Weak::Large(_)) => DType::ALL.len(),
        Arg::Weak(Weak::Float(_)) => DType::ALL.len() + 1,
        Arg::Weak(Weak::Complex(_)) => DType::ALL.len() + 2,
    }
}

fn no_loop(op: Op, args: &[Arg]) -> OpError {
    let operands = args.iter().map(|&arg| match arg {
        Arg::Strong(dtype) => dtype,
        Arg::Weak(weak) => default_dtype(weak),
    });
    OpError::Dtype { operation: op.name(), dtypes: operands.collect() }
}

fn check_integers(op: Op, args: &[Arg], signature: Signature) -> Result<Signature, OpError> {
    for (operand, &arg) in args.iter().enumerate() {
        let Arg::Weak(weak) = arg else {
            continue;
        };
        let dtype = signature.inputs[operand];
        // As NumPy, which makes an array of the number before it takes the truth values.
        let is_truth = op.is_logical() && dtype == DType::Bool;
        let Err(outside) = weak.held_by(if is_truth { DType::I64 } else { dtype }) else {
            continue;
        };
        if op.is_comparison()
            && dtype.is_integer()
            && let Some(&Arg::Strong(other)) = args.get(1 - operand)
            && other != DType::Bool
        {
            return Ok(wide_comparison(op, other, weak, operand));
        }
        return Err(outside);
    }
    Ok(signature)
}

/// Whether a dtype can represent numbers of this kind.
fn is_as_narrow(weak: Weak, dtype: DType) -> bool {
    weak.kind() <= dtype.kind() || dtype.is_integer() && weak.kind() == Kind::Signed
}

/// The loop that compares an integer array with an integer that its dtype does not hold.
fn wide_comparison(op: Op, array: DType, number: Weak, operand: usize) -> Signature {
    let holds = |dtype: &DType| number.held_by(*dtype).is_ok();
    let wide = [DType::I64, DType::U64].into_iter().find(holds).unwrap_or(DType::F64);
    let array = match (wide, array.kind()) {
        (DType::F64, _) => DType::F64,
        (_, Kind::Unsigned) => DType::U64,
        _ => DType::I64,
    };
    let constant = (wide == DType::F64).then(|| {
        // A positive literal is larger than all elements, a negative one smaller; `ascending` means
        // left < right.
        let ascending = (number.to_complex().re > 0.0) == (operand == 1);
        match op {
            Op::NotEqual => true,
            Op::Less | Op::LessEqual => ascending,
            Op::Greater | Op::GreaterEqual => !ascending,
            _ => false,
        }
    });
    let inputs = if operand == 1 { [array, wide] } else { [wide, array] };
    Signature { inputs, arity: 2, output: DType::Bool, constant }
}

fn choices(op: Op) -> Choices {
    let loops: Vec<_> =
        op.row().loops.iter().flat_map(|group| group.split(' ')).map(parse_loop).collect();
    let kinds = || {
        let strong = DType::ALL.iter().map(|&dtype| Arg::Strong(dtype));
        let weak = [Weak::Int(0), Weak::Float(0.0), Weak::Complex(Complex64::ZERO)];
        strong.chain(weak.map(Arg::Weak))
    };
    let choose = |args: &[Arg]| match choose(op, &loops, args) {
        Some(chosen) => u8::try_from(chosen).expect("bug: a row has fewer than 255 loops"),
        None => NO_LOOP,
    };
    let table = if op.arity() == 1 {
        kinds().map(|a| choose(&[a])).collect()
    } else {
        kinds().flat_map(|a| kinds().map(move |b| [a, b])).map(|args| choose(&args)).collect()
    };
    Choices { loops, table }
}

fn parse_loop(text: &str) -> Signature {
    let (inputs, output) = text.split_once("->").expect("bug: a loop has an arrow");
    let dtype = |char| DType::from_char(char).expect("bug: a loop names dtypes");
    let mut signature = Signature {
        inputs: [DType::Bool; 2],
        arity: inputs.len() as u8,
        output: output.chars().next().map(dtype).expect("bug: a loop has an output"),
        constant: None,
    };
    for (slot, char) in signature.inputs.iter_mut().zip(inputs.chars()) {
        *slot = dtype(char);
    }
    signature
}

fn choose(op: Op, loops: &[Signature], args: &[Arg]) -> Option<usize> {
    let find = |wanted: &[DType]| {
        loops.iter().position(|signature| {
            let mut pairs = wanted.iter().zip(signature.inputs());
            pairs.all(|(&from, &to)| can_cast(from, to, Casting::Safe))
        })
    };
    let wanted = wanted_dtypes(args);
    let all = |test: fn(DType) -> bool| wanted.iter().all(|&dtype| test(dtype));
    match op {
        Op::Divide if all(|dtype| !dtype.is_inexact()) => find(&[DType::F64; 2]),
        // A Python number beside an array has no dtype here, so the dtypes differ.
        Op::LogicalAnd | Op::LogicalOr | Op::LogicalXor
            if wanted[0] != wanted[1] || is_weak(args[0]) != is_weak(args[1]) =>
        {
            find(&[DType::Bool; 2])
        }
        Op::Subtract | Op::Gcd | Op::Lcm | Op::Negative | Op::Positive | Op::Sign
            if all(|dtype| dtype == DType::Bool) =>
        {
            None
        }
        Op::Ldexp => find_ldexp(loops, args),
        _ => find(&wanted),
    }
}

fn is_weak(arg: Arg) -> bool {
    matches!(arg, Arg::Weak(_))
}

/// The dtypes of the operands after Python numbers have taken theirs.
fn wanted_dtypes(args: &[Arg]) -> Vec<DType> {
    let strong = args.iter().find_map(|&arg| match arg {
        Arg::Strong(dtype) => Some(dtype),
        Arg::Weak(_) => None,
    });
    let dtype = |&arg: &Arg| match (arg, strong) {
        (Arg::Strong(dtype), _) => dtype,
        (Arg::Weak(weak), Some(strong)) => promote_weak(strong, weak),
        (Arg::Weak(weak), None) => default_dtype(weak),
    };
    args.iter().map(dtype).collect()
}

/// `ldexp` tests each operand against its loops separately. A Python number fits any dtype of its
/// kind or above. If its kind is above those of all arrays, it has its default dtype.
fn find_ldexp(loops: &[Signature], args: &[Arg]) -> Option<usize> {
    let gives_way = |weak| {
        args.iter().any(|&arg| match arg {
            Arg::Strong(dtype) => promote_weak(dtype, weak) == dtype,
            Arg::Weak(_) => false,
        })
    };
    let fits = |arg: Arg, to: DType| match arg {
        Arg::Strong(dtype) => can_cast(dtype, to, Casting::Safe),
        Arg::Weak(weak) if !gives_way(weak) => can_cast(default_dtype(weak), to, Casting::Safe),
        Arg::Weak(weak) => promote(to, promote_weak(to, weak)) == to && to != DType::Bool,
    };
    loops
        .iter()
        .position(|signature| args.iter().zip(signature.inputs()).all(|(&arg, &to)| fits(arg, to)))
}

#[cfg(test)]
mod tests;
