//! Checkpoints: the state of a program in one file, from which the program continues when it is
//! restarted.

use super::load::agreed;
use super::{IoError, Npz, leftovers, npz_names, savez};
use crate::array::Array;
use crate::recording::{current_mesh, mesh_of_arrays};
use phalanx_graph::{Error, HostArray, call_site, within};
use std::path::Path;

/// The name of the array with the number of the step.
const STEP: &str = "step";

/// The saved state of a program.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The number of the step, as the program passed it.
    pub step: u64,
    /// The arrays with their names, in the order in which they were saved.
    pub arrays: Vec<(String, Array)>,
}

impl Checkpoint {
    /// The array with a name. Local.
    pub fn get(&self, name: &str) -> Option<&Array> {
        self.arrays.iter().find(|(own, _)| own == name).map(|(_, array)| array)
    }
}

/// Saves the state of a program: the number of a step, and the arrays of one mesh by their names.
/// No array may be named `step`. The file is a `.npz` file that replaces the previous one when it
/// is complete. A complete file therefore exists whenever the program is killed. Collective over
/// the mesh; the processes write as in [`savez`].
///
/// Errors: as for [`savez`]; `PX062` if the ranks pass different steps.
#[track_caller]
pub fn checkpoint(
    path: impl AsRef<Path>,
    step: u64,
    arrays: &[(&str, &Array)],
) -> Result<(), Error> {
    let site = call_site();
    let mesh = mesh_of_arrays(arrays.iter().map(|(_, array)| *array), site)?;
    let number = HostArray::from_slice(&[step], &[]);
    let number = mesh.enter(|| Array::from_host_at(&number, site));
    let named: Vec<(&str, &Array)> =
        std::iter::once((STEP, &number)).chain(arrays.iter().copied()).collect();
    within(site, || savez(path, &named))
}

/// The state that [`checkpoint`] saved last, on the current mesh, whatever the mesh at the time of
/// saving. `None` if the file does not exist, as on the first start of a program. Collective over
/// the mesh. Every rank must find the file under the same path; rank 0 decides whether it exists.
///
/// Errors: `IoError` if `checkpoint` has not written the file; else as for [`load`](super::load()).
#[track_caller]
pub fn restore(path: impl AsRef<Path>) -> Result<Option<Checkpoint>, Error> {
    let (path, site) = (path.as_ref(), call_site());
    let mesh = current_mesh(site)?;
    let engine = mesh.engine();
    engine.declare(path.as_os_str().as_encoded_bytes(), site);
    let found = || -> Result<Vec<String>, IoError> {
        // A restarted program calls this first, so unfinished files of a killed process are removed
        // here.
        path.parent().into_iter().for_each(leftovers::sweep);
        let is_missing = path
            .symlink_metadata()
            .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        if is_missing { Ok(Vec::new()) } else { npz_names(path) }
    };
    let own = if engine.process().0 == 0 { found() } else { Ok(Vec::new()) };
    let own = agreed(&mesh, own, site)?;
    // Names cannot contain the byte that separates them.
    let names = own.join("\0").into_bytes();
    let names = engine.exchange(names, site)?.swap_remove(0);
    if names.is_empty() {
        return Ok(None);
    }
    let names = String::from_utf8_lossy(&names).into_owned();
    let npz = within(site, || Npz::open(path))?;
    let load = |name: &str| within(site, || npz.load(name));
    let step = load(STEP)?;
    let step = within(site, || step.item::<u64>())?;
    let names = names.split('\0').filter(|name| *name != STEP);
    let arrays = names.map(|name| Ok((name.to_owned(), load(name)?)));
    Ok(Some(Checkpoint { step, arrays: arrays.collect::<Result<_, Error>>()? }))
}
