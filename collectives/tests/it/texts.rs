//! The kernels of the plane for GPUs compile, where NVRTC is installed.

use crate::fixture::options;
use phalanx_collectives::cuda_sources;
use phalanx_device::cuda::Compiler;

#[test]
fn what_the_library_does_not_combine_has_a_kernel_that_compiles() {
    let sources = cuda_sources();
    assert!(sources.iter().any(|(name, _)| name == "moments_f64"), "{:?}", sources[0].0);
    let compiler = match Compiler::new(80, &options()) {
        Ok(compiler) => compiler.quickly(),
        Err(error) => return println!("no kernel is compiled for GPUs: {error}"),
    };
    for (name, source) in sources {
        if let Err(error) = compiler.compile(&name, &source) {
            panic!("{name}: {error}");
        }
    }
}
