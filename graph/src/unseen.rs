//! Errors that arrays carry and the program has not seen: the end of the session reports them.
//!
//! The array of a failed operation carries the error, so that programs need not unwrap each
//! operation. Without this report, a program that never observes such an array would not receive
//! its error.

use crate::error::Error;
use crate::window::MeshHandle;
use phalanx_waiting::lock;
use std::sync::Mutex;

/// The number of errors that are kept for a mesh; further ones are only counted.
const KEPT: usize = 8;

/// The errors that arrays of a mesh carry.
struct Carried {
    mesh: u64,
    errors: Vec<Error>,
    more: usize,
}

static CARRIED: Mutex<Vec<Carried>> = Mutex::new(Vec::new());

/// Records that an array carries an error that the program has not seen there.
pub fn note_unseen(error: &Error) {
    error.is_carried();
    // Without a session, no report would follow.
    let Some(mesh) = MeshHandle::current() else { return };
    let mut carried = lock(&CARRIED);
    let known = carried.iter().position(|carried| carried.mesh == mesh.number());
    let place = known.unwrap_or_else(|| {
        carried.push(Carried { mesh: mesh.number(), errors: Vec::new(), more: 0 });
        carried.len() - 1
    });
    let Carried { errors, more, .. } = &mut carried[place];
    errors.retain(|known| !known.is_seen() && !known.same(error));
    if errors.len() < KEPT { errors.push(error.clone()) } else { *more += 1 }
}

impl MeshHandle {
    /// The errors that arrays of the mesh carry and the program has not seen, oldest first, and the
    /// number of further ones. Clears the record. Local.
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
