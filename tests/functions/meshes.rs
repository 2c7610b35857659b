//! Programs on meshes of several sizes, with all arrays split.

use phalanx::prelude::*;
use phalanx::{Limits, Mesh, MeshHandle, Policy, Session};

/// The number by which tests choose the part of their cases that is due; none if all are.
pub fn turn() -> Option<usize> {
    std::env::var("PHALANX_TEST_TURN").ok().and_then(|turn| turn.parse().ok())
}

/// Meshes of one axis and of two.
pub const MESHES: [&[usize]; 6] = [&[1], &[2], &[3], &[4], &[8], &[2, 2]];

/// Runs a program on meshes of these extents: on all of at most three, else on those of one and of
/// three devices and on one of the others, which the commit decides.
pub fn on_meshes(meshes: &[&[usize]], limits: Limits, program: impl Fn(&MeshHandle)) {
    let (fixed, others): (Vec<&[usize]>, Vec<&[usize]>) =
        meshes.iter().partition(|extents| matches!(extents, [1] | [3]));
    let others = match turn() {
        Some(turn) if meshes.len() > 3 => vec![others[turn % others.len()]],
        _ => others,
    };
    for extents in fixed.into_iter().chain(others) {
        let axes: Vec<(&str, usize)> =
            ["row", "column"].into_iter().zip(extents.iter().copied()).collect();
        let (mesh, policy) = (Mesh::new(&axes), Policy { split_from: 1 });
        let config = Config::for_tests(mesh.devices()).threads(1);
        let session = Session::with_options(config, Some(mesh), policy, limits).unwrap();
        session.handle().enter(|| program(session.handle()));
        session.finish().unwrap();
    }
}
