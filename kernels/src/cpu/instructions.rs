//! Levels of vector instructions: a macro compiles each of the executor's own loops for each level.
//!
//! Results are the same at each level: levels differ only in how many elements an instruction
//! processes, and none contracts products with sums by itself.

use std::sync::atomic::{AtomicU8, Ordering};

/// Instruction sets for which the executor's own loops are compiled, from the least to the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Level {
    /// The instructions that the target always has.
    Baseline = 1,
    /// 256-bit registers, and fused multiply-add.
    Avx2 = 2,
    /// 512-bit registers.
    Avx512 = 3,
}

impl Level {
    /// All of them.
    pub const ALL: [Level; 3] = [Level::Baseline, Level::Avx2, Level::Avx512];

    /// The name: `baseline`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Baseline => "baseline",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// The level with the given name.
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }

    /// Whether this processor has the instructions.
    pub fn is_available(self) -> bool {
        match self {
            Level::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }

    /// The level that loops use.
    #[inline]
    pub fn current() -> Level {
        match CURRENT.load(Ordering::Relaxed) {
            1 => Level::Baseline,
            2 => Level::Avx2,
            3 => Level::Avx512,
            _ => choose(),
        }
    }
}

/// The level in use; 0 before the first loop runs. Never one that the processor lacks.
static CURRENT: AtomicU8 = AtomicU8::new(0);

#[cold]
fn choose() -> Level {
    let best = Level::ALL.into_iter().rfind(|level| level.is_available());
    let best = best.unwrap_or(Level::Baseline);
    // If another thread has forced a level meanwhile, that level stays.
    let _ = CURRENT.compare_exchange(0, best as u8, Ordering::Relaxed, Ordering::Relaxed);
    Level::current()
}

/// Makes the loops of this process use an instruction set from now on; for tests of the promise
/// that results do not depend on it. Returns false, and changes nothing, if the processor lacks it.
#[doc(hidden)]
pub fn force_instructions(level: Level) -> bool {
    let is_available = level.is_available();
    if is_available {
        CURRENT.store(level as u8, Ordering::Relaxed);
    }
    is_available
}

/// Defines a function whose body is compiled for every instruction set; each call takes the level
/// in use. Generic parameters are given twice, with and without their bounds.
macro_rules! for_each_level {
    (
        $(#[$attribute:meta])*
        fn $name:ident[$($bounded:tt)*][$($plain:tt)*]($($argument:ident: $type:ty),* $(,)?)
            $body:block
    ) => {
        $(#[$attribute])*
        fn $name<$($bounded)*>($($argument: $type),*) {
            #[inline(always)]
            fn body<$($bounded)*>($($argument: $type),*) $body

            // Not inlined: the compiler knows that slices are disjoint if they are arguments.
            #[inline(never)]
            fn baseline<$($bounded)*>($($argument: $type),*) {
                body::<$($plain)*>($($argument),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            #[target_feature(enable = "avx2,fma")]
            fn avx2<$($bounded)*>($($argument: $type),*) {
                body::<$($plain)*>($($argument),*);
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(never)]
            #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
            fn avx512<$($bounded)*>($($argument: $type),*) {
                body::<$($plain)*>($($argument),*);
            }

            match $crate::cpu::instructions::Level::current() {
                // SAFETY: the level in use is one that the processor has.
                #[cfg(target_arch = "x86_64")]
                $crate::cpu::instructions::Level::Avx512 => unsafe {
                    avx512::<$($plain)*>($($argument),*)
                },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::cpu::instructions::Level::Avx2 => unsafe {
                    avx2::<$($plain)*>($($argument),*)
                },
                _ => baseline::<$($plain)*>($($argument),*),
            }
        }
    };
}

pub(super) use for_each_level;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_found_by_their_names() {
        for level in Level::ALL {
            assert_eq!(Level::from_name(level.name()), Some(level));
        }
        assert_eq!(Level::from_name("sse"), None);
        assert!(Level::current().is_available());
    }
}
