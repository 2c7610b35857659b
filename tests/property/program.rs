//! Programs: short lists of instructions over arrays with one-letter names, and their text.

use crate::reference::Value;
use phalanx::{DType, Index, Op};
use std::fmt;

/// The name of an array of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name(pub usize);

/// An argument of an operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Operand {
    /// An array.
    Array(Name),
    /// A number, which takes its dtype from the other operand.
    Number(Value),
}

/// A reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    Sum,
    Prod,
    Min,
    Max,
    Any,
    All,
    ArgMin,
    ArgMax,
    CountNonzero,
    Mean,
    Var,
    Std,
}

impl Reduction {
    /// Every reduction.
    pub const ALL: [Reduction; 12] = [
        Reduction::Sum,
        Reduction::Prod,
        Reduction::Min,
        Reduction::Max,
        Reduction::Any,
        Reduction::All,
        Reduction::ArgMin,
        Reduction::ArgMax,
        Reduction::CountNonzero,
        Reduction::Mean,
        Reduction::Var,
        Reduction::Std,
    ];

    fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Prod => "prod",
            Reduction::Min => "min",
            Reduction::Max => "max",
            Reduction::Any => "any",
            Reduction::All => "all",
            Reduction::ArgMin => "argmin",
            Reduction::ArgMax => "argmax",
            Reduction::CountNonzero => "count_nonzero",
            Reduction::Mean => "mean",
            Reduction::Var => "var",
            Reduction::Std => "std",
        }
    }
}

/// The split of an axis: its mesh axes, and the sizes of the blocks (`None`: even blocks).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocks {
    pub mesh_axes: Vec<u8>,
    pub sizes: Option<Vec<usize>>,
}

/// An instruction. `to` is the name of the result; an earlier array of that name is dropped.
#[derive(Clone, PartialEq, Debug)]
pub enum Instruction {
    Full {
        to: Name,
        shape: Vec<usize>,
        value: Value,
        dtype: DType,
    },
    Arange {
        to: Name,
        start: i64,
        stop: i64,
        step: i64,
    },
    FromSlice {
        to: Name,
        shape: Vec<usize>,
        values: Vec<Value>,
        dtype: DType,
    },
    /// The sum of a number for each axis times the index along it, modulo 11.
    FromFunction {
        to: Name,
        shape: Vec<usize>,
        factors: Vec<i64>,
    },
    Slice {
        to: Name,
        of: Name,
        items: Vec<Index>,
    },
    At {
        to: Name,
        of: Name,
        index: Vec<i64>,
    },
    Transpose {
        to: Name,
        of: Name,
        axes: Vec<usize>,
    },
    Reshape {
        to: Name,
        of: Name,
        shape: Vec<usize>,
    },
    BroadcastTo {
        to: Name,
        of: Name,
        shape: Vec<usize>,
    },
    Alias {
        to: Name,
        of: Name,
    },
    Copy {
        to: Name,
        of: Name,
    },
    Cast {
        to: Name,
        of: Name,
        dtype: DType,
    },
    Unary {
        to: Name,
        op: Op,
        of: Name,
    },
    Binary {
        to: Name,
        op: Op,
        left: Operand,
        right: Operand,
    },
    Select {
        to: Name,
        mask: Name,
        on_true: Operand,
        on_false: Operand,
    },
    Reduce {
        to: Name,
        reduction: Reduction,
        of: Name,
        axes: Option<Vec<i64>>,
        keepdims: bool,
    },
    Matmul {
        to: Name,
        left: Name,
        right: Name,
    },
    Compress {
        to: Name,
        of: Name,
        mask: Name,
    },
    /// The counts of a histogram with equal bins.
    Histogram {
        to: Name,
        of: Name,
        bins: usize,
        range: (f64, f64),
    },
    Percentile {
        to: Name,
        of: Name,
        q: Vec<f64>,
    },
    /// Sorts along an axis, or all elements in C order without an axis.
    Sort {
        to: Name,
        of: Name,
        axis: Option<i64>,
    },
    ArgSort {
        to: Name,
        of: Name,
        axis: Option<i64>,
    },
    Cumsum {
        to: Name,
        of: Name,
        axis: Option<i64>,
    },
    Take {
        to: Name,
        of: Name,
        axis: usize,
        positions: Vec<i64>,
    },
    Concatenate {
        to: Name,
        left: Name,
        right: Name,
        axis: usize,
    },
    /// `of[positions] = value`
    AssignAt {
        of: Name,
        positions: Vec<i64>,
        value: Operand,
    },
    /// An array from a part of every device, with these sizes along an axis.
    FromLocal {
        to: Name,
        of: Name,
        axis: usize,
        sizes: Vec<usize>,
    },
    Reshard {
        to: Name,
        of: Name,
        axes: Vec<Option<Blocks>>,
    },
    Assign {
        of: Name,
        value: Operand,
    },
    InPlace {
        op: Op,
        of: Name,
        value: Operand,
    },
    AssignWhere {
        of: Name,
        mask: Name,
        value: Operand,
    },
    /// Reads and compares the elements.
    Read {
        of: Name,
    },
    /// Compares every device's shard.
    Shards {
        of: Name,
    },
    /// Requests the plan and the sharding, which must not change anything.
    Explain {
        of: Name,
    },
    Evaluate {
        of: Name,
    },
    Flush,
    Drop {
        of: Name,
    },
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(b'a' + self.0 as u8))
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Array(name) => name.fmt(f),
            Operand::Number(value) => value.fmt(f),
        }
    }
}

impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mesh{:?}", self.mesh_axes)?;
        match &self.sizes {
            None => Ok(()),
            Some(sizes) => write!(f, "/{sizes:?}"),
        }
    }
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

fn text(axis: Option<i64>) -> String {
    axis.map_or(String::from("None"), |axis| axis.to_string())
}

fn index(items: &[Index]) -> String {
    let item = |item: &Index| match item {
        Index::At(at) => at.to_string(),
        Index::NewAxis => String::from("None"),
        Index::Ellipsis => String::from("..."),
        Index::Range { start, stop, step } => {
            let bound =
                |bound: &Option<i64>| bound.map_or(String::new(), |bound| bound.to_string());
            let step = if *step == 1 { String::new() } else { format!(":{step}") };
            format!("{}:{}{step}", bound(start), bound(stop))
        }
    };
    if items.is_empty() {
        return String::from("()");
    }
    items.iter().map(item).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Instruction::*;
        match self {
            Full { to, shape, value, dtype } => {
                write!(f, "{to} = full({shape:?}, {value}, {})", dtype.name())
            }
            Arange { to, start, stop, step } => write!(f, "{to} = arange({start}, {stop}, {step})"),
            FromSlice { to, shape, values, dtype } => {
                write!(f, "{to} = array([{}], {}).reshape({shape:?})", list(values), dtype.name())
            }
            FromFunction { to, shape, factors } => {
                write!(f, "{to} = fromfunction(lambda i: dot({factors:?}, i) % 11, {shape:?})")
            }
            Slice { to, of, items } => write!(f, "{to} = {of}[{}]", index(items)),
            At { to, of, index } => write!(f, "{to} = {of}.at({index:?})"),
            Transpose { to, of, axes } => write!(f, "{to} = {of}.transpose({axes:?})"),
            Reshape { to, of, shape } => write!(f, "{to} = {of}.reshape({shape:?})"),
            BroadcastTo { to, of, shape } => write!(f, "{to} = broadcast_to({of}, {shape:?})"),
            Alias { to, of } => write!(f, "{to} = {of}"),
            Copy { to, of } => write!(f, "{to} = {of}.copy()"),
            Cast { to, of, dtype } => write!(f, "{to} = {of}.astype({})", dtype.name()),
            Unary { to, op, of } => write!(f, "{to} = {}({of})", op.name()),
            Binary { to, op, left, right } => write!(f, "{to} = {}({left}, {right})", op.name()),
            Select { to, mask, on_true, on_false } => {
                write!(f, "{to} = where({mask}, {on_true}, {on_false})")
            }
            Reduce { to, reduction, of, axes, keepdims } => {
                let axes = axes.as_ref().map_or(String::from("None"), |axes| format!("{axes:?}"));
                let keepdims = if *keepdims { ", keepdims" } else { "" };
                write!(f, "{to} = {of}.{}({axes}{keepdims})", reduction.name())
            }
            Matmul { to, left, right } => write!(f, "{to} = {left} @ {right}"),
            Compress { to, of, mask } => write!(f, "{to} = {of}[{mask}]"),
            Histogram { to, of, bins, range } => {
                write!(f, "{to} = histogram({of}, {bins}, {range:?})[0]")
            }
            Percentile { to, of, q } => write!(f, "{to} = percentile({of}, {q:?})"),
            Sort { to, of, axis } => write!(f, "{to} = sort({of}, {})", text(*axis)),
            ArgSort { to, of, axis } => write!(f, "{to} = argsort({of}, {})", text(*axis)),
            Cumsum { to, of, axis } => write!(f, "{to} = cumsum({of}, {})", text(*axis)),
            Take { to, of, axis, positions } => {
                write!(f, "{to} = take({of}, {positions:?}, {axis})")
            }
            Concatenate { to, left, right, axis } => {
                write!(f, "{to} = concatenate([{left}, {right}], {axis})")
            }
            AssignAt { of, positions, value } => write!(f, "{of}[{positions:?}] = {value}"),
            FromLocal { to, of, axis, sizes } => {
                write!(f, "{to} = from_local(split({of}, {sizes:?}, {axis}), {axis})")
            }
            Reshard { to, of, axes } => {
                let axis =
                    |axis: &Option<Blocks>| axis.as_ref().map_or("-".into(), Blocks::to_string);
                let axes: Vec<String> = axes.iter().map(axis).collect();
                write!(f, "{to} = {of}.with_sharding([{}])", axes.join(", "))
            }
            Assign { of, value } => write!(f, "{of}[...] = {value}"),
            InPlace { op, of, value } => write!(f, "{}({of}, {value}, out={of})", op.name()),
            AssignWhere { of, mask, value } => write!(f, "{of}[{mask}] = {value}"),
            Read { of } => write!(f, "read({of})"),
            Shards { of } => write!(f, "shards({of})"),
            Explain { of } => write!(f, "explain({of})"),
            Evaluate { of } => write!(f, "{of}.evaluate()"),
            Flush => write!(f, "flush()"),
            Drop { of } => write!(f, "del {of}"),
        }
    }
}
