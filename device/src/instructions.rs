//! The vector instructions that the project's own loops on CPUs use.
//!
//! Results are the same at each level: levels differ only in how many elements an instruction
//! processes, and none contracts products with sums by itself.

use std::sync::atomic::{AtomicU8, Ordering};

/// Instruction sets for which the project's own loops are compiled, from the least to the best.
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
                    // Every such processor has these two. Sorting in registers uses them.
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }

    /// The best level that this processor has.
    pub fn best() -> Level {
        let best = Level::ALL.into_iter().rfind(|level| level.is_available());
        best.unwrap_or(Level::Baseline)
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
    // If another thread has set a level meanwhile, that level stays.
    let best = Level::best() as u8;
    let _ = CURRENT.compare_exchange(0, best, Ordering::Relaxed, Ordering::Relaxed);
    Level::current()
}

/// Makes the loops of this process use an instruction set from now on, or the best one for `None`.
/// Returns false, and changes nothing, if the processor lacks it. Local.
pub fn use_level(level: Option<Level>) -> bool {
    let level = level.unwrap_or_else(Level::best);
    let is_available = level.is_available();
    if is_available {
        CURRENT.store(level as u8, Ordering::Relaxed);
    }
    is_available
}

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
        assert!(Level::best().is_available());
    }
}
