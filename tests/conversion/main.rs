//! Conversions of arrays to and from vectors, arrays of the crate `ndarray`, and text.

mod printing;
mod translations;
mod vectors;
#[cfg(feature = "ndarray")]
mod with_ndarray;

use phalanx::{Config, Mesh, Policy, Session};

/// Runs `body` on `devices` devices; small arrays are split as well.
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
    // Not on the default mesh: other tests start and end it at the same time.
    session.handle().enter(body);
    session.finish().expect("the session ends well");
}
