//! Programs on meshes of several sizes, with all arrays split.

use phalanx::prelude::*;
use phalanx::{Limits, Mesh, MeshHandle, Policy, Session};

/// Meshes of one axis and of two.
pub const MESHES: [&[usize]; 6] = [&[1], &[2], &[3], &[4], &[8], &[2, 2]];

/// Runs a program on meshes of these extents.
pub fn on_meshes(meshes: &[&[usize]], limits: Limits, program: impl Fn(&MeshHandle)) {
    for extents in meshes {
        let axes: Vec<(&str, usize)> =
            ["row", "column"].into_iter().zip(extents.iter().copied()).collect();
        let (mesh, policy) = (Mesh::new(&axes), Policy { split_from: 1 });
        let config = Config::for_tests(mesh.devices()).threads(1);
        let session = Session::with_options(config, Some(mesh), policy, limits).unwrap();
        session.handle().enter(|| program(session.handle()));
        session.finish().unwrap();
    }
}
