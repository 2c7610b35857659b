//! Launches on buffers: the checked way into the executor.

use super::compile::{Compiled, Form};
use super::executable::{BufferLaunch, recent};

/// Runs a kernel on buffers; returns when it is done.
///
/// Panics (`bug:`) if an access reaches outside of its buffer. The plan promises that no other code
/// uses the buffers in conflict and that points do not depend on each other's stores (condition 2
/// of `Buffer`).
pub fn launch(compiled: &Compiled, arguments: &BufferLaunch<'_>, pool: Option<&rayon::ThreadPool>) {
    tracing::trace!(target: "phalanx::path", file = file!());
    // Numbers and dtypes come from the kernel itself (condition 1 of `Compiled::run`); addresses
    // are checked, tables by their length argument in the kernel (2); independence of points and
    // exclusive use are the plan's promise (3, 4).
    match &compiled.form {
        Form::Direct(lowered) => recent::run_on_buffers(lowered, arguments, pool),
        // SAFETY: as stated above.
        Form::Wide(_) => unsafe { compiled.run(&arguments.checked(compiled.kernel()), pool) },
    }
}
