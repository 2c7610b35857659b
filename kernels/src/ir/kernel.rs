//! The data of a kernel.

use phalanx_ops::{DType, Monoid, Op, Scalar, Special, id_type};
use std::ops::Index;

id_type! {
    /// An axis: grid axes first, then loop axes in order of their loops.
    pub struct AxisId;

    /// A value of the kernel.
    pub struct ValueId;

    /// A buffer parameter.
    pub struct ParamId;

    /// An access to a buffer parameter.
    pub struct AccessId;

    /// A run-time scalar argument.
    pub struct ScalarId;

    /// A guard: a box of axis indices given at launch.
    pub struct GuardId;
}

/// A fused kernel. Equality and hash are structural, so equal kernels are compiled once.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Kernel {
    /// How many of the axes are grid axes.
    pub grid: usize,
    /// How many axes there are.
    pub axes: usize,
    /// Buffers.
    pub params: Vec<Param>,
    /// Dtypes of the run-time scalars.
    pub scalars: Vec<DType>,
    /// The axes that each guard bounds.
    pub guards: Vec<Vec<AxisId>>,
    /// Accesses to the buffers.
    pub accesses: Vec<Access>,
    /// Values; each comes after the values that it uses.
    pub values: Vec<Value>,
    /// The statements that run for each grid point.
    pub body: Vec<Stmt>,
}

impl Kernel {
    /// The ids of the grid axes.
    #[inline]
    pub fn grid_axes(&self) -> impl DoubleEndedIterator<Item = AxisId> + Clone + use<> {
        (0..self.grid).map(AxisId::new)
    }

    /// The ids of the accesses.
    #[inline]
    pub fn access_ids(&self) -> impl DoubleEndedIterator<Item = AccessId> + Clone + use<> {
        (0..self.accesses.len()).map(AccessId::new)
    }
}

/// Makes the entries of a kernel's lists reachable by their ids.
macro_rules! entries {
    ($($id:ident of $list:ident: $entry:ty,)*) => {$(
        impl Index<$id> for Kernel {
            type Output = $entry;

            #[inline]
            fn index(&self, id: $id) -> &$entry {
                &self.$list[id.index()]
            }
        }
    )*};
}

entries! {
    ParamId of params: Param,
    ScalarId of scalars: DType,
    GuardId of guards: Vec<AxisId>,
    AccessId of accesses: Access,
    ValueId of values: Value,
}

/// A buffer parameter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Param {
    /// The dtype of its elements.
    pub dtype: DType,
    /// How the kernel uses it.
    pub role: Role,
}

/// How a kernel uses a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Only loads.
    In,
    /// Only stores.
    Out,
    /// Loads and stores; a point loads only elements that it alone stores, before it stores them,
    /// or elements that no point stores.
    InOut,
    /// Accumulated into.
    Table,
}

/// How a buffer is addressed: a start and a byte stride for each of the named axes, both given at
/// launch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// The buffer.
    pub param: ParamId,
    /// The axes on which the address depends, ascending.
    pub axes: Vec<AxisId>,
}

/// A value: its dtype and its computation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    /// The dtype.
    pub dtype: DType,
    /// The computation.
    pub expr: Expr,
}

/// The computation of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// An element of a buffer; outside the guard, zero, and nothing is read.
    Load {
        /// The access to load through.
        access: AccessId,
        /// The box of indices inside which the element exists.
        guard: Option<GuardId>,
    },
    /// A run-time scalar.
    Scalar(ScalarId),
    /// A constant of the program text (never a user's number, which is a run-time scalar).
    Constant(Scalar),
    /// The global index along an axis (`i64`).
    Index(AxisId),
    /// Whether the point is inside the guard (`bool`).
    Inside(GuardId),
    /// An elementwise operation; the inputs have exactly the dtypes of one of its signatures.
    Op {
        /// The operation.
        op: Op,
        /// Its operands.
        inputs: Vec<ValueId>,
    },
    /// A special function; the inputs have this value's dtype.
    Special {
        /// The function.
        function: Special,
        /// Its operands.
        inputs: Vec<ValueId>,
    },
    /// `condition ? on_true : on_false`.
    Select {
        /// A `bool` value.
        condition: ValueId,
        /// The value where it is true.
        on_true: ValueId,
        /// The value where it is false.
        on_false: ValueId,
    },
    /// The input converted to this value's dtype.
    Cast(ValueId),
    /// The result of a fold; the loop statement that holds the fold defines it.
    Folded,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Stmt {
    /// Computes a value.
    Let(ValueId),
    /// Visits all points of `axes`, the last axis fastest.
    Loop {
        /// The axes.
        axes: Vec<AxisId>,
        /// The statements that run for each point.
        body: Vec<Stmt>,
        /// The combinations over the points.
        folds: Vec<Fold>,
    },
    /// Writes a value.
    Store {
        /// The access to store through.
        access: AccessId,
        /// The value to write.
        value: ValueId,
    },
    /// Combines a value into `table[position]`.
    Accumulate {
        /// The table's access; its address is that of element 0.
        access: AccessId,
        /// The number of elements of the table.
        length: ScalarId,
        /// An `i64` value.
        position: ValueId,
        /// The value to combine.
        value: ValueId,
        /// The combination; not a compound monoid.
        monoid: Monoid,
    },
}

/// One combination over the points of a loop.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fold {
    /// The combination; not `Moments`, which is lowered to two loops.
    pub monoid: Monoid,
    /// The body value that is combined.
    pub value: ValueId,
    /// The `i64` body value that `ArgMin`/`ArgMax` carry along; `None` for the other monoids.
    pub index: Option<ValueId>,
    /// The combined value. A loop without points gives the identity: the largest element for min
    /// and argmin, the smallest for max and argmax.
    pub result: ValueId,
    /// The other results, which are `i64`: of `ArgMin`/`ArgMax` the index of the combined value; of
    /// `Binned` the window and the three sums, or none.
    pub parts: Vec<ValueId>,
}

impl Fold {
    /// All results.
    pub fn results(&self) -> impl Iterator<Item = ValueId> {
        std::iter::once(self.result).chain(self.parts.iter().copied())
    }
}
