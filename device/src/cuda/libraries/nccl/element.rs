//! Elements that NCCL combines, and how.

use cudarc::nccl::sys::{ncclDataType_t, ncclRedOp_t};

/// Elements that NCCL combines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names of dtypes")]
pub enum NcclElement {
    I8,
    U8,
    I32,
    U32,
    I64,
    U64,
    F16,
    BF16,
    F32,
    F64,
}

impl NcclElement {
    /// The bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            NcclElement::I8 | NcclElement::U8 => 1,
            NcclElement::F16 | NcclElement::BF16 => 2,
            NcclElement::I32 | NcclElement::U32 | NcclElement::F32 => 4,
            NcclElement::I64 | NcclElement::U64 | NcclElement::F64 => 8,
        }
    }

    pub(super) const fn of(self) -> ncclDataType_t {
        match self {
            NcclElement::I8 => ncclDataType_t::ncclInt8,
            NcclElement::U8 => ncclDataType_t::ncclUint8,
            NcclElement::I32 => ncclDataType_t::ncclInt32,
            NcclElement::U32 => ncclDataType_t::ncclUint32,
            NcclElement::I64 => ncclDataType_t::ncclInt64,
            NcclElement::U64 => ncclDataType_t::ncclUint64,
            NcclElement::F16 => ncclDataType_t::ncclFloat16,
            NcclElement::BF16 => ncclDataType_t::ncclBfloat16,
            NcclElement::F32 => ncclDataType_t::ncclFloat32,
            NcclElement::F64 => ncclDataType_t::ncclFloat64,
        }
    }
}

/// How NCCL combines elements. `Min` and `Max` of floats differ from NumPy's if one is NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NcclReduction {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

impl NcclReduction {
    pub(super) const fn of(self) -> ncclRedOp_t {
        match self {
            NcclReduction::Sum => ncclRedOp_t::ncclSum,
            NcclReduction::Product => ncclRedOp_t::ncclProd,
            NcclReduction::Min => ncclRedOp_t::ncclMin,
            NcclReduction::Max => ncclRedOp_t::ncclMax,
        }
    }
}
