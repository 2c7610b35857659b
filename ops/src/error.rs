//! Static errors: errors in arguments, which a call returns immediately.

use crate::cast::Casting;
use crate::dtype::DType;
use crate::shape::Shape;
use std::fmt;

/// An error in the arguments of an operation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OpError {
    /// Shapes that do not broadcast together.
    #[error("operands could not be broadcast together with shapes {left:?} and {right:?}")]
    Broadcast {
        /// One shape.
        left: Shape,
        /// The other shape.
        right: Shape,
    },
    /// A value whose shape does not broadcast to the part of an array it is written to.
    #[error("could not broadcast a value of shape {value:?} into shape {target:?}")]
    BroadcastInto {
        /// The value's shape.
        value: Shape,
        /// The shape of that part.
        target: Shape,
    },
    /// An axis that the array does not have.
    #[error("axis {axis} is out of bounds for an array of dimension {ndim}")]
    Axis {
        /// The axis argument.
        axis: i64,
        /// The number of axes.
        ndim: usize,
    },
    /// An axis named twice.
    #[error("axis {axis} is given twice")]
    DuplicateAxis {
        /// The axis.
        axis: usize,
    },
    /// A permutation that does not name every axis once.
    #[error("axes {axes:?} are not a permutation of the {ndim} axes of the array")]
    Permutation {
        /// The argument.
        axes: Vec<i64>,
        /// The number of axes.
        ndim: usize,
    },
    /// A reshape that changes the number of elements.
    #[error("cannot reshape an array of shape {from:?} into shape {to:?}")]
    Reshape {
        /// The array's shape.
        from: Shape,
        /// The requested shape.
        to: Vec<i64>,
    },
    /// An integer index beyond its axis.
    #[error("index {index} is out of bounds for axis {axis} with size {extent}")]
    Index {
        /// The index.
        index: i64,
        /// The axis.
        axis: usize,
        /// The axis's extent.
        extent: usize,
    },
    /// More indices than axes.
    #[error("too many indices: the array is {ndim}-dimensional, but {given} were indexed")]
    TooManyIndices {
        /// The number of axes.
        ndim: usize,
        /// The number of indexed axes.
        given: usize,
    },
    /// More than one ellipsis in an index.
    #[error("an index can only have a single ellipsis")]
    Ellipses,
    /// A slice whose step is zero.
    #[error("slice step cannot be zero")]
    ZeroStep,
    /// A dtype that an operation has no loop for.
    #[error("{operation} is not supported for {}", list(dtypes))]
    Dtype {
        /// The operation.
        operation: &'static str,
        /// The input dtypes.
        dtypes: Vec<DType>,
    },
    /// A cast that the casting rule forbids.
    #[error("cannot cast {from} to {to} with casting rule '{}'", casting.name())]
    Cast {
        /// The dtype of the value.
        from: DType,
        /// The wanted dtype.
        to: DType,
        /// The rule.
        casting: Casting,
    },
    /// Dtypes that a call of a ufunc asks for and no loop has.
    #[error("No loop matching the specified signature and casting was found for ufunc {ufunc}")]
    NoLoop {
        /// The ufunc.
        ufunc: &'static str,
    },
    /// A cast of a ufunc's operand or result that the rule of the call forbids.
    #[error(
        "Cannot cast ufunc '{ufunc}' {place} from {from} to {to} with casting rule '{}'",
        casting.name()
    )]
    UfuncCast {
        /// The ufunc.
        ufunc: &'static str,
        /// The operand or result.
        place: CastPlace,
        /// The dtype of the value.
        from: DType,
        /// The wanted dtype.
        to: DType,
        /// The rule.
        casting: Casting,
    },
    /// A mask that is not bool.
    #[error("{argument} must be an array of bool, not of {dtype}")]
    Mask {
        /// The argument, and which of several.
        argument: String,
        /// The mask's dtype.
        dtype: DType,
    },
    /// A number that does not fit the dtype it must take.
    #[error("the number {value} is out of bounds for {dtype}")]
    OutOfRange {
        /// The number.
        value: String,
        /// The dtype.
        dtype: DType,
    },
    /// A reduction of no elements by an operation without an identity.
    #[error("zero-size array to reduction operation {operation} which has no identity")]
    EmptyReduction {
        /// The operation.
        operation: &'static str,
    },
    /// Operands of a product whose inner sizes differ.
    #[error("{operation}: inner sizes differ in shapes {left:?} and {right:?}")]
    ContractedSizes {
        /// The operation.
        operation: &'static str,
        /// The left shape.
        left: Shape,
        /// The right shape.
        right: Shape,
    },
    /// An operand with a number of axes that the operation does not accept.
    #[error("{operation} takes {expected} axes, but the array has {ndim}")]
    Ndim {
        /// The operation.
        operation: &'static str,
        /// The expected number.
        expected: &'static str,
        /// The array's number.
        ndim: usize,
    },
    /// An argument whose value is not allowed.
    #[error("{operation}: {argument} = {value} is not allowed")]
    Argument {
        /// The operation.
        operation: &'static str,
        /// The argument's name.
        argument: &'static str,
        /// Its value.
        value: String,
    },
    /// A number of parts, or a step, that is zero.
    #[error("{operation}: {argument} must not be zero")]
    Zero {
        /// The operation.
        operation: &'static str,
        /// The argument's name.
        argument: &'static str,
    },
    /// Arguments that exclude each other, or too few or too many arguments.
    #[error("{operation}: {problem}")]
    Arguments {
        /// The operation.
        operation: &'static str,
        /// The description of the problem.
        problem: &'static str,
    },
    /// The text of a kernel of the user's own that is not understood, or not allowed.
    #[error("kernel '{kernel}', line {line}: {problem}: '{text}'")]
    KernelText {
        /// The kernel's name.
        kernel: String,
        /// The line of the text, from 1.
        line: u32,
        /// That line.
        text: String,
        /// The description of the problem.
        problem: String,
    },
    /// Arguments that do not fit the parameters of a kernel of the user's own.
    #[error("kernel '{kernel}': {problem}")]
    KernelArguments {
        /// The kernel's name.
        kernel: String,
        /// The description of the problem.
        problem: String,
    },
    /// A launch of a kernel of the user's own that the device cannot do.
    #[error("kernel '{kernel}': {problem}")]
    KernelLaunch {
        /// The kernel's name.
        kernel: String,
        /// The description of the problem.
        problem: String,
    },
    /// Arrays of different meshes in one operation, or a generator used on another mesh.
    #[error("arrays or generators of two meshes, {left} and {right}, cannot be mixed")]
    Meshes {
        /// One mesh.
        left: String,
        /// The other mesh.
        right: String,
    },
    /// A shape that needs more bytes than an array may have.
    #[error("an array of shape {shape:?} is too large")]
    TooLarge {
        /// The shape.
        shape: Vec<usize>,
    },
    /// A shape of more axes than an array may have.
    #[error("the maximum supported dimension is {}, found {ndim}", crate::shape::MAX_NDIM)]
    TooManyAxes {
        /// The number of axes.
        ndim: usize,
    },
    /// Host data whose length is not that of the shape.
    #[error("{given} elements do not fill an array of shape {shape:?}")]
    DataLength {
        /// The number of elements given.
        given: usize,
        /// The shape.
        shape: Vec<usize>,
    },
    /// A view of the bytes as another dtype that NumPy refuses.
    #[error("an array of {from} of shape {shape:?} cannot be viewed as {to}: {reason}")]
    Reinterpret {
        /// The dtype of the array.
        from: DType,
        /// The wanted dtype.
        to: DType,
        /// The array's shape.
        shape: Shape,
        /// The description of the problem.
        reason: &'static str,
    },
    /// An operand that is not a matrix or a stack of matrices.
    #[error("{operation} takes arrays with {expected} axes, but the array has {ndim}")]
    Matrix {
        /// The operation.
        operation: &'static str,
        /// The expected number of axes.
        expected: &'static str,
        /// The array's number.
        ndim: usize,
    },
    /// Matrices whose last two extents differ although they must be equal.
    #[error("{operation}: the last two extents of shape {shape:?} must be equal")]
    NotSquare {
        /// The operation.
        operation: &'static str,
        /// The array's shape.
        shape: Shape,
    },
    /// Matrices for which an operation of linear algebra is not defined.
    #[error("{operation}: {problem}")]
    Matrices {
        /// The operation.
        operation: &'static str,
        /// The description of the problem.
        problem: &'static str,
    },
    /// Positions whose dtype is not an integer.
    #[error("arrays used as indices must be of integer or bool dtype, not {}", list(dtypes))]
    Indices {
        /// The dtypes.
        dtypes: Vec<DType>,
    },
    /// Positions of several axes whose shapes do not broadcast together.
    #[error("index arrays could not be broadcast together with shapes {shapes:?}")]
    IndexShapes {
        /// The shapes.
        shapes: Vec<Shape>,
    },
    /// A mask whose shape is not that of the axes it indexes.
    #[error("a mask of shape {mask:?} does not fit the indexed axes, of extents {extents:?}")]
    MaskShape {
        /// The mask's shape.
        mask: Shape,
        /// The extents of the axes.
        extents: Shape,
    },
    /// Weights that do not fit the observations.
    #[error("{operation}: {argument} of shape {shape:?} do not fit {observations} observations")]
    Weights {
        /// The operation.
        operation: &'static str,
        /// The argument.
        argument: &'static str,
        /// The shape of the weights.
        shape: Shape,
        /// The number of observations.
        observations: usize,
    },
    /// A value with axes for one element.
    #[error("setting an array element with a sequence.")]
    Sequence {
        /// Whether NumPy raises `TypeError`, as for a complex element, and not `ValueError`.
        is_type: bool,
    },
    /// Shards that are not all that the process has of their array.
    #[error(
        "the shards do not fit together: {given} of the {devices} that this process has of an array"
    )]
    Shards {
        /// The number of given shards.
        given: usize,
        /// The number of devices of this process that have a shard.
        devices: usize,
    },
    /// A sharding that does not fit an array or the mesh.
    #[error("the sharding {sharding} does not fit an array of shape {shape:?}: {reason}")]
    Sharding {
        /// The sharding.
        sharding: String,
        /// The array's shape.
        shape: Shape,
        /// The description of the problem.
        reason: &'static str,
    },
}

/// The operand or result of a ufunc that a cast is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CastPlace {
    /// The operand of a ufunc of one.
    OnlyInput,
    /// The operand of this number, from 0.
    Input(usize),
    /// The result of a ufunc of one.
    OnlyOutput,
    /// The result of this number, from 0.
    Output(usize),
}

impl fmt::Display for CastPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CastPlace::OnlyInput => f.write_str("input"),
            CastPlace::Input(place) => write!(f, "input {place}"),
            CastPlace::OnlyOutput => f.write_str("output"),
            CastPlace::Output(place) => write!(f, "output {place}"),
        }
    }
}

impl OpError {
    /// A cast that the casting rule `same_kind` forbids.
    pub const fn cast(from: DType, to: DType) -> OpError {
        OpError::Cast { from, to, casting: Casting::SameKind }
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            OpError::Broadcast { .. } => "PX001",
            OpError::BroadcastInto { .. } => "PX002",
            OpError::Axis { .. } => "PX003",
            OpError::DuplicateAxis { .. } => "PX004",
            OpError::Permutation { .. } => "PX005",
            OpError::Reshape { .. } => "PX006",
            OpError::Index { .. } => "PX007",
            OpError::TooManyIndices { .. } => "PX008",
            OpError::Ellipses => "PX009",
            OpError::ZeroStep => "PX010",
            OpError::Dtype { .. } | OpError::NoLoop { .. } => "PX011",
            OpError::Cast { .. } | OpError::UfuncCast { .. } | OpError::Mask { .. } => "PX012",
            OpError::OutOfRange { .. } => "PX013",
            OpError::ContractedSizes { .. } => "PX014",
            OpError::Ndim { .. } => "PX015",
            OpError::EmptyReduction { .. } => "PX016",
            OpError::Argument { .. } => "PX017",
            OpError::Arguments { .. } => "PX133",
            OpError::KernelText { .. } => "PX138",
            OpError::KernelArguments { .. } => "PX139",
            OpError::KernelLaunch { .. } => "PX180",
            OpError::Zero { .. } => "PX126",
            OpError::Meshes { .. } => "PX018",
            OpError::TooLarge { .. } => "PX019",
            OpError::DataLength { .. } => "PX020",
            OpError::Sharding { .. } => "PX021",
            OpError::TooManyAxes { .. } => "PX023",
            OpError::Reinterpret { .. } => "PX024",
            OpError::Matrix { .. } => "PX124",
            OpError::NotSquare { .. } => "PX125",
            OpError::Matrices { .. } => "PX134",
            OpError::Indices { .. } => "PX025",
            OpError::IndexShapes { .. } => "PX026",
            OpError::MaskShape { .. } => "PX027",
            OpError::Weights { .. } => "PX137",
            OpError::Sequence { .. } => "PX158",
            OpError::Shards { .. } => "PX159",
        }
    }

    /// The name of the exception class that NumPy raises.
    pub fn numpy_class(&self) -> &'static str {
        match self {
            OpError::Broadcast { .. }
            | OpError::BroadcastInto { .. }
            | OpError::DuplicateAxis { .. }
            | OpError::Reshape { .. }
            | OpError::ZeroStep
            | OpError::EmptyReduction { .. }
            | OpError::ContractedSizes { .. }
            | OpError::Ndim { .. }
            | OpError::Argument { .. }
            | OpError::KernelText { .. }
            | OpError::KernelLaunch { .. }
            | OpError::Meshes { .. }
            | OpError::TooLarge { .. }
            | OpError::TooManyAxes { .. }
            | OpError::DataLength { .. }
            | OpError::Reinterpret { .. }
            | OpError::Sequence { is_type: false }
            | OpError::Shards { .. }
            | OpError::Sharding { .. } => "ValueError",
            OpError::Axis { .. } => "AxisError",
            OpError::Permutation { axes, ndim } => {
                // The count is right, but an axis does not exist.
                let reach = *ndim as i64;
                let is_beyond = axes.iter().any(|axis| !(-reach..reach).contains(axis));
                if axes.len() == *ndim && is_beyond { "AxisError" } else { "ValueError" }
            }
            OpError::Index { .. } | OpError::TooManyIndices { .. } | OpError::Ellipses => {
                "IndexError"
            }
            OpError::Indices { .. } | OpError::IndexShapes { .. } | OpError::MaskShape { .. } => {
                "IndexError"
            }
            OpError::Matrix { .. } | OpError::NotSquare { .. } | OpError::Matrices { .. } => {
                "LinAlgError"
            }
            OpError::Dtype { .. }
            | OpError::NoLoop { .. }
            | OpError::Cast { .. }
            | OpError::UfuncCast { .. }
            | OpError::Mask { .. }
            | OpError::Sequence { is_type: true }
            | OpError::KernelArguments { .. }
            | OpError::Arguments { .. } => "TypeError",
            OpError::OutOfRange { value, .. } if value == "NaN" => "ValueError",
            OpError::OutOfRange { .. } => "OverflowError",
            OpError::Zero { .. } => "ZeroDivisionError",
            OpError::Weights { .. } => "RuntimeError",
        }
    }

    /// The advice for the user.
    pub const fn hint(&self) -> &'static str {
        match self {
            OpError::Broadcast { .. } => {
                "extents must be equal or 1, aligned at the last axis; see reshape and expand_dims"
            }
            OpError::BroadcastInto { .. } => {
                "the value's extents must equal those of the target, or be 1"
            }
            OpError::Axis { .. } => "axes run from 0, or from -1 backwards",
            OpError::DuplicateAxis { .. } => "name each axis once",
            OpError::Permutation { .. } => "name each axis exactly once",
            OpError::Reshape { .. } => {
                "the number of elements must stay the same; at most one extent may be -1"
            }
            OpError::Index { .. } => "indices run from 0, or from -1 backwards",
            OpError::TooManyIndices { .. } => "give at most one index for each axis",
            OpError::Ellipses => "use `..` for the other axes",
            OpError::ZeroStep => "use a step of at least 1 or at most -1",
            OpError::Dtype { .. } => "convert with astype first",
            OpError::NoLoop { .. } => "leave out dtype or signature, or name the dtypes of a loop",
            OpError::Cast { .. } => "convert the value with astype first if the loss is intended",
            OpError::UfuncCast { .. } => "convert with astype first, or name a wider casting rule",
            OpError::Mask { .. } => "compare the elements, as in `x != 0`, or convert with astype",
            OpError::OutOfRange { .. } => "convert the array to a wider dtype first",
            OpError::ContractedSizes { .. } => {
                "the last extent of the left operand must equal the second last of the right one"
            }
            OpError::Ndim { .. } => "reshape the array first",
            OpError::EmptyReduction { .. } => "check the size before reducing",
            OpError::Sequence { .. } => "write one number, or write into a slice of the array",
            OpError::Shards { .. } => "give all of x.local_shards(), or the data of some",
            OpError::Arguments { .. } => {
                "see the function's documentation for the allowed combinations"
            }
            OpError::Argument { .. } => "see the function's documentation for the allowed values",
            OpError::KernelText { .. } => "see docs/kernels.md for what a text may contain",
            OpError::KernelArguments { .. } => {
                "a kernel takes its inputs, and then its outputs if they are to be written"
            }
            OpError::KernelLaunch { .. } => "see docs/kernels.md for the arguments of launches",
            OpError::Meshes { .. } => {
                "make both on one mesh: each belongs to the mesh that was current when it was made"
            }
            OpError::TooLarge { .. } => "check the extents",
            OpError::TooManyAxes { .. } => "join axes with reshape, or drop those of extent 1",
            OpError::Reinterpret { .. } => {
                "copy() makes the last axis contiguous; astype converts the values instead"
            }
            OpError::Matrix { .. } => "the last two axes hold the matrices; see expand_dims",
            OpError::NotSquare { .. } => "see lstsq and pinv for other matrices",
            OpError::Matrices { .. } => "check the extents of the matrices",
            OpError::Zero { .. } => "give a number that is not zero",
            OpError::Indices { .. } => "convert the positions with astype first",
            OpError::IndexShapes { .. } => "see ix_ for all combinations of positions",
            OpError::MaskShape { .. } => "give the mask the extents of the axes that it indexes",
            OpError::Weights { .. } => "give a vector with one weight for each observation",
            OpError::DataLength { .. } => {
                "the product of the extents must equal the number of elements"
            }
            OpError::Sharding { .. } => {
                "name each mesh axis at most once, for an axis that the array has"
            }
        }
    }
}

/// Dtypes as text, such as `f64, i32`.
fn list(dtypes: &[DType]) -> String {
    dtypes.iter().map(DType::to_string).collect::<Vec<_>>().join(", ")
}
