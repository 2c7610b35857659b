//! The kernels of the user's own that a device has run lately, for the error of a fault: the device
//! reports a fault at a later call, whatever caused it.

use cudarc::driver::sys::CUresult;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

/// The most kernels that an error names.
const MOST: usize = 4;

/// Where a kernel was launched last.
pub type LaunchedAt = Arc<dyn Display + Send + Sync>;

/// The kernels that ran last, the newest at the end.
#[derive(Default)]
pub(super) struct Suspects(Mutex<Vec<(String, LaunchedAt)>>);

impl Suspects {
    /// Notes a launch.
    pub(super) fn note(&self, kernel: &str, at: LaunchedAt) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((name, call)) = known.last_mut()
            && name == kernel
        {
            *call = at;
            return;
        }
        known.retain(|(name, _)| name != kernel);
        if known.len() == MOST {
            known.remove(0);
        }
        known.push((String::from(kernel), at));
    }

    /// The addition to the text of an error, if it is a fault that a kernel may have caused.
    pub(super) fn text(&self, result: CUresult) -> String {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_empty() || !is_fault(result) {
            return String::new();
        }
        let named = known.iter().rev().map(|(name, at)| format!("'{name}', last launched at {at}"));
        let all = named.collect::<Vec<_>>().join("; ");
        format!("; kernels of the program's own that ran before, the last one first: {all}")
    }
}

/// Whether an error is a fault of a kernel.
fn is_fault(result: CUresult) -> bool {
    matches!(
        result,
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
            | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUresult::CUDA_ERROR_INVALID_PC
            | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUresult::CUDA_ERROR_LAUNCH_FAILED
            | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
            | CUresult::CUDA_ERROR_ASSERT
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_the_last_kernels() {
        let (suspects, fault) = (Suspects::default(), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(suspects.text(fault), "");
        for (at, kernel) in ["a", "b", "c", "d", "e", "c", "c"].into_iter().enumerate() {
            suspects.note(kernel, Arc::new(format!("line {at}")));
        }
        assert_eq!(suspects.text(CUresult::CUDA_ERROR_INVALID_VALUE), "");
        let text = suspects.text(fault);
        assert!(
            text.ends_with(
                "first: 'c', last launched at line 6; 'e', last launched at line 4; 'd', last \
                 launched at line 3; 'b', last launched at line 1"
            ),
            "{text}"
        );
    }
}
