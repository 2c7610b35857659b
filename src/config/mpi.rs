//! The MPI library that would be used, and what it does with GPU memory.

use phalanx_collectives::mpi::{Library, MpiOptions};

/// The MPI library that would be used, its version and path, or why there is none. Does not
/// initialise it. Local.
pub fn mpi_library(options: &MpiOptions) -> String {
    let library = Library::open(options);
    library.map_or_else(|error| error.to_string(), |library| library.describe())
}

/// How GPU data would travel by MPI, and why. This applies if `PHALANX_TRANSPORT` is `mpi`, or if
/// processes that use MPI have no common NCCL. Does not initialise the library. Local.
pub fn mpi_gpus(options: &MpiOptions) -> String {
    let library = Library::open(options);
    library.map_or_else(|_| String::from("not at all: there is no MPI"), |it| it.describe_gpus())
}

/// Whether Open MPI was configured without CUDA. Its query does not report this setting, and it
/// would dereference addresses of GPU memory on the host.
pub(super) fn is_without_cuda(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    let is_off = |name| {
        let value = variable(name).unwrap_or_default().to_lowercase();
        ["0", "false", "no", "f", "n", "disabled"].contains(&value.as_str())
    };
    ["OMPI_MCA_opal_cuda_support", "OMPI_MCA_mpi_cuda_support"].into_iter().any(is_off)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_mpi_that_is_set_to_do_without_cuda_is_noticed() {
        let set = |name: &'static str, value: &'static str| {
            is_without_cuda(&move |asked| (asked == name).then(|| String::from(value)))
        };
        assert!(set("OMPI_MCA_opal_cuda_support", "0"));
        assert!(set("OMPI_MCA_mpi_cuda_support", "False"));
        assert!(!set("OMPI_MCA_opal_cuda_support", "1"));
        assert!(!set("OMPI_MCA_mpi_show_handle_leaks", "0"));
    }
}
