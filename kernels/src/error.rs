//! Errors of kernels.

use crate::ir::{ParseError, VerifyError};
use phalanx_ops::{DType, Monoid, Op};

/// Why a kernel cannot be read or compiled.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum KernelError {
    /// The text is not a kernel.
    #[error("the kernel text cannot be read: {0}")]
    Parse(#[from] ParseError),
    /// The kernel breaks a rule of the IR.
    #[error("the kernel is not valid: {0}")]
    Verify(#[from] VerifyError),
    /// No loop exists for an operation on these dtypes.
    #[error("no CPU loop computes {} of {inputs:?}", op.name())]
    UnsupportedOperation {
        /// The operation.
        op: Op,
        /// The dtypes of its operands.
        inputs: Vec<DType>,
    },
    /// No loop combines elements of this dtype.
    #[error("no CPU loop combines {dtype} by {monoid}")]
    UnsupportedCombination {
        /// How the elements are combined.
        monoid: Monoid,
        /// Their dtype.
        dtype: DType,
    },
}

impl KernelError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            KernelError::Parse(_) => "PX040",
            KernelError::Verify(_) => "PX041",
            KernelError::UnsupportedOperation { .. } => "PX042",
            KernelError::UnsupportedCombination { .. } => "PX043",
        }
    }

    /// Advice for the user.
    pub const fn hint(&self) -> &'static str {
        match self {
            KernelError::Parse(_) => {
                "compare the line with the form described in `phalanx_kernels::ir`"
            }
            KernelError::Verify(_) => {
                "a planner made this kernel: please report it with the kernel's text"
            }
            KernelError::UnsupportedOperation { .. } => {
                "cast the operands to a dtype that has the operation"
            }
            KernelError::UnsupportedCombination { .. } => {
                "cast the operand to a dtype that the reduction accepts"
            }
        }
    }
}
