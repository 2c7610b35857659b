//! Keys, and what sorts them in registers.

#[cfg(target_arch = "x86_64")]
use super::avx512;
use super::registers::Registers;
#[cfg(target_arch = "x86_64")]
use phalanx_device::instructions::Level;

/// A key that can be sorted in registers, if the processor has them.
pub(in crate::structured) trait Key: Copy + Ord + Send + Sync {
    /// The sort of this key in registers; `None` if there is none.
    fn in_registers() -> Option<Registers<Self>>;
}

macro_rules! keys {
    ($($key:ty: $registers:expr),*) => {$(
        impl Key for $key {
            fn in_registers() -> Option<Registers<$key>> {
                $registers
            }
        }
    )*};
}
keys!(u8: None, u16: None, u32: avx512_or_none(), u64: avx512_or_none(), u128: None,
    (u128, u64): None);

#[cfg(target_arch = "x86_64")]
fn avx512_or_none<K: avx512::Word>() -> Option<Registers<K>> {
    (Level::current() == Level::Avx512).then(avx512::registers::<K>)
}
#[cfg(not(target_arch = "x86_64"))]
fn avx512_or_none<K>() -> Option<Registers<K>> {
    None
}
