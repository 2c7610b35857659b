//! Arrays to and from what programs have otherwise: vectors, the arrays of the crate `ndarray`,
//! text.

mod printing;
mod translations;
mod vectors;
#[cfg(feature = "ndarray")]
mod with_ndarray;

use phalanx::{Config, Mesh, Policy, Session};

/// Runs `body` on so many devices, over which even small arrays are split.
fn on(devices: usize, body: impl FnOnce()) {
    let config = Config::default().devices(devices);
    let policy = Policy { split_from: 16 };
    let session = Session::with_options(
        config,
        Some(Mesh::line(devices)),
        policy,
        phalanx::Limits::default(),
    )
    .expect("a session starts");
    // Not the default mesh, which other tests begin and end meanwhile.
    session.handle().enter(body);
    session.finish().expect("the session ends well");
}
