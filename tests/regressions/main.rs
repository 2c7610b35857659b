//! Former defects: each has a test named after it, with the cause in a line.

mod arrays;
mod draws;
mod front;
mod front_rules;
mod lending;
mod lenses;
mod mistakes;
mod panics;
mod pictures;
mod planning;
mod positions;
mod powers;
mod shardings;
mod small;
mod ufuncs;
mod warnings;

use phalanx::{Config, Limits, Mesh, Policy, Session};

/// Runs a program on a mesh, with all arrays split.
fn on(mesh: &[usize], limits: Limits, program: impl FnOnce()) {
    let names = ["row", "column"];
    let axes: Vec<(&str, usize)> = names.into_iter().zip(mesh.iter().copied()).collect();
    let mesh = Mesh::new(&axes);
    let config = Config::for_tests(mesh.devices()).threads(2);
    let session =
        Session::with_options(config, Some(mesh), Policy { split_from: 1 }, limits).unwrap();
    session.handle().enter(program);
    session.finish().unwrap();
}

/// Runs a program on lines of 1 to 4 devices.
fn on_lines(program: impl Fn()) {
    on_lines_with(Limits::default(), program);
}

fn on_lines_with(limits: Limits, program: impl Fn()) {
    for devices in [1, 2, 3, 4] {
        on(&[devices], limits, &program);
    }
}

/// Limits with which plans compute all operations, also small ones on one device.
fn by_plans() -> Limits {
    Limits { at_once: 0, ..Limits::default() }
}
