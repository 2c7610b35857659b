//! Which vector instructions the processor has.

/// Instruction sets for which the executor's own loops are compiled. Results are the same with
/// each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InstructionSet {
    /// 512-bit registers.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 256-bit registers.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// What the target always has.
    Baseline,
}

impl InstructionSet {
    /// The best that this processor has.
    pub fn detected() -> InstructionSet {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") {
            return InstructionSet::Avx512;
        } else if is_x86_feature_detected!("avx2") {
            return InstructionSet::Avx2;
        }
        InstructionSet::Baseline
    }
}
