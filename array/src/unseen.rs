//! Errors that arrays carry and nobody has looked at: the end of the session tells of them.
//!
//! An operation that fails gives an array that carries the error, so that no operation has to be
//! unwrapped. A program that never observes such an array would otherwise never learn of it.

use crate::error::Error;
use crate::window::MeshHandle;
use phalanx_ops::waiting::lock;
use std::sync::Mutex;

/// Errors that are kept of a mesh; of more there is only the number.
const KEPT: usize = 8;

/// What arrays of a mesh carry.
struct Carried {
    mesh: u64,
    errors: Vec<Error>,
    more: usize,
}

static CARRIED: Mutex<Vec<Carried>> = Mutex::new(Vec::new());

/// Notes that an array carries an error, which somebody may look at later.
pub(crate) fn note(error: &Error) {
    error.is_carried();
    // Without a session there is no end that could tell of it.
    let Some(mesh) = MeshHandle::current() else { return };
    let mut carried = lock(&CARRIED);
    let known = carried.iter().position(|carried| carried.mesh == mesh.number());
    let place = known.unwrap_or_else(|| {
        carried.push(Carried { mesh: mesh.number(), errors: Vec::new(), more: 0 });
        carried.len() - 1
    });
    let Carried { errors, more, .. } = &mut carried[place];
    errors.retain(|known| !known.is_seen() && !known.same(error));
    match errors.len() < KEPT {
        true => errors.push(error.clone()),
        false => *more += 1,
    }
}

impl MeshHandle {
    /// The errors that arrays of the mesh carry and nobody has looked at, oldest first, and how
    /// many more there were than are kept. They are not told of again. Local.
    pub fn unseen_errors(&self) -> (Vec<Error>, usize) {
        let mut all = lock(&CARRIED);
        let Some(place) = all.iter().position(|carried| carried.mesh == self.number()) else {
            return (Vec::new(), 0);
        };
        let Carried { mut errors, more, .. } = all.swap_remove(place);
        errors.retain(|error| !error.is_seen());
        (errors, more)
    }
}
