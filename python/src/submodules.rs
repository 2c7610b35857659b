//! The native parts of `phalanx.linalg`, `phalanx.fft`, `phalanx.random` and `phalanx.scipy`.

use crate::function::{Function, Row};
use crate::functions::{
    fft, graphs, linalg, neighbourhoods, random, signal, solvers, spatial, special,
};
use crate::objects::sparse_matrix::SparseMatrix;
use crate::random_source::{LegacySource, RandomSource, Stream, share, shared_source};
use pyo3::prelude::*;

/// Adds them to the module and to `sys.modules`.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let matrices = submodule(module, "linalg", "phalanx.linalg.", &[linalg::FUNCTIONS])?;
    linalg::add(&matrices)?;
    submodule(module, "fft", "phalanx.fft.", &[fft::FUNCTIONS])?;
    let drawn = submodule(
        module,
        "random",
        "phalanx.random.",
        &[random::FUNCTIONS, random::PLAIN_FUNCTIONS, random::LEGACY_FUNCTIONS, random::ALONE],
    )?;
    drawn.add_class::<RandomSource>()?;
    drawn.add_class::<LegacySource>()?;
    drawn.setattr("_Stream", py.get_type::<Stream>())?;
    drawn.setattr("_shared", wrap_pyfunction!(shared_source, &drawn)?)?;
    drawn.setattr("_share", wrap_pyfunction!(share, &drawn)?)?;
    let of_class = |class: &Bound<'_, pyo3::types::PyType>, tables: &[&'static [Row]]| {
        for row in tables.iter().copied().flatten() {
            class.setattr(row.name(), Bound::new(py, Function::new(row, "phalanx.random."))?)?;
        }
        PyResult::Ok(())
    };
    of_class(
        &py.get_type::<RandomSource>(),
        &[random::METHODS, random::PLAIN_METHODS, random::GENERATOR_METHODS],
    )?;
    of_class(
        &py.get_type::<LegacySource>(),
        &[
            random::TYPED_METHODS,
            random::PLAIN_METHODS,
            random::LEGACY_METHODS,
            random::RANDOM_STATE_METHODS,
        ],
    )?;
    let images = submodule(module, "ndimage", "phalanx.scipy.ndimage.", &[])?;
    neighbourhoods::add(&images)?;
    let filters = submodule(module, "signal", "phalanx.scipy.signal.", &[])?;
    signal::add(&filters)?;
    let functions = submodule(module, "special", "phalanx.scipy.special.", &[])?;
    special::add(&functions)?;
    let points = submodule(module, "spatial", "phalanx.scipy.spatial.", &[])?;
    spatial::add(&points)?;
    let sparse = submodule(module, "sparse", "phalanx.scipy.sparse.linalg.", &[])?;
    solvers::add(&sparse)?;
    graphs::add(&sparse)?;
    sparse.add_class::<SparseMatrix>()
}

fn submodule<'py>(
    module: &Bound<'py, PyModule>,
    name: &str,
    home: &'static str,
    tables: &[&'static [Row]],
) -> PyResult<Bound<'py, PyModule>> {
    let py = module.py();
    let path = format!("phalanx._phalanx.{name}");
    let made = PyModule::new(py, &path)?;
    for row in tables.iter().copied().flatten() {
        made.add(row.name(), Bound::new(py, Function::new(row, home))?)?;
    }
    // Not by `add`: `import *` must bring the modules written in Python into `phalanx`, and not
    // these.
    module.setattr(name, &made)?;
    py.import("sys")?.getattr("modules")?.set_item(path, &made)?;
    Ok(made)
}
