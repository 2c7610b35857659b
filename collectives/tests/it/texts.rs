//! The kernels of the plane for GPUs compile, if NVRTC is installed.

use crate::fixture::options;
use phalanx_collectives::cuda_sources;
use phalanx_device::cuda::Compiler;

#[test]
fn combinations_beyond_the_library_have_kernels_that_compile() {
    let sources = cuda_sources();
    assert!(sources.iter().any(|(name, _)| name == "moments_f64"), "{:?}", sources[0].0);
    for (capability, share) in [(80, 1), (90, 4), (100, 4)] {
        let compiler = match Compiler::new(capability, &options()) {
            Ok(compiler) => compiler.quickly(),
            Err(error) => return println!("no kernel is compiled for GPUs: {error}"),
        };
        // A sample is enough to find features that an architecture lacks.
        for (name, source) in sources.iter().step_by(share) {
            if let Err(error) = compiler.compile(name, source) {
                panic!("{name} for sm_{capability}: {error}");
            }
        }
    }
}
