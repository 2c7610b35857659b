//! The contents of the native module.

use crate::calls::overrides;
use crate::distribution;
use crate::function::Function;
use crate::functions::grids::Grids;
use crate::functions::{FUNCTIONS, METHODS, METHODS_ALONE};
use crate::gpu;
use crate::interpreter::errors;
use crate::interpreter::site::set_own_folder;
use crate::interpreter::waiting;
use crate::methods::iteration::FlatIteration;
use crate::methods::{self, construct};
use crate::objects::ndarray::Ndarray;
use crate::program;
use crate::series;
use crate::session::agreement::agreed_call;
use crate::session::{self, errstate, notices};
use crate::ufunc::Ufunc;
use pyo3::panic::PanicException;
use pyo3::prelude::*;

/// The native part of `phalanx`.
#[pymodule(gil_used = true)]
fn _phalanx(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    waiting::attend();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    // `phalanx/_panics.py` makes it a RuntimeError.
    module.add("_panic", py.get_type::<PanicException>())?;
    module.add_class::<Ndarray>()?;
    module.add_class::<crate::functions::Archive>()?;
    module.add_class::<FlatIteration>()?;
    module.add_class::<Ufunc>()?;
    module.add_class::<Function>()?;
    module.add_class::<crate::user_kernels::Elementwise>()?;
    module.add_class::<crate::user_kernels::Reduction>()?;
    module.add_class::<crate::user_kernels::OwnUfunc>()?;
    module.add_class::<crate::raw_kernels::RawModule>()?;
    module.add_class::<crate::raw_kernels::RawKernel>()?;
    let class = py.get_type::<Ndarray>();
    for ufunc in Ufunc::all() {
        let names = ufunc.names();
        let ufunc = Bound::new(py, ufunc)?;
        for name in names {
            module.add(name, &ufunc)?;
        }
    }
    for row in FUNCTIONS.iter().copied().flatten() {
        let function = Bound::new(py, Function::new(row, "phalanx."))?;
        if METHODS.contains(&row.name()) {
            class.setattr(row.name(), &function)?;
        }
        module.add(row.name(), function)?;
    }
    for row in METHODS_ALONE.iter().copied().flatten() {
        class.setattr(row.name(), Bound::new(py, Function::new(row, "ndarray."))?)?;
    }
    module.add_class::<construct::Memory>()?;
    construct::add(module)?;
    module.add("mgrid", Grids { sparse: false })?;
    module.add("ogrid", Grids { sparse: true })?;
    crate::submodules::add(module)?;
    gpu::add(module)?;
    session::memory::add(module)?;
    session::captures::add(module)?;
    session::handles::add(module)?;
    module.add_function(wrap_pyfunction!(session::functions::init, module)?)?;
    module.add_function(wrap_pyfunction!(session::functions::shutdown, module)?)?;
    module.add_function(wrap_pyfunction!(session::functions::falls_back, module)?)?;
    module.add_function(wrap_pyfunction!(session::functions::data_folder, module)?)?;
    module.add_function(wrap_pyfunction!(session::functions::rank, module)?)?;
    module.add_function(wrap_pyfunction!(crate::checkpoints::checkpoint, module)?)?;
    module.add_function(wrap_pyfunction!(crate::checkpoints::restore, module)?)?;
    module.add_function(wrap_pyfunction!(distribution::mesh, module)?)?;
    module.add_function(wrap_pyfunction!(distribution::from_local, module)?)?;
    module.add_function(wrap_pyfunction!(distribution::from_shared, module)?)?;
    module.add_class::<distribution::Mesh>()?;
    module.add_function(wrap_pyfunction!(distribution::mesh_of, module)?)?;
    notices::listen();
    module.add_class::<errstate::ErrState>()?;
    module.add_class::<errstate::DeferredErrors>()?;
    module.add_class::<errstate::Reproducible>()?;
    module.add_function(wrap_pyfunction!(errstate::geterr, module)?)?;
    module.add_function(wrap_pyfunction!(errstate::checks_matrices, module)?)?;
    module.add_function(wrap_pyfunction!(errstate::seterr, module)?)?;
    module.add_function(wrap_pyfunction!(errstate::geterrcall, module)?)?;
    module.add_function(wrap_pyfunction!(errstate::seterrcall, module)?)?;
    module.add_class::<distribution::Sharding>()?;
    module.add_class::<distribution::Local>()?;
    module.add("_beside", py.get_type::<distribution::Beside>())?;
    module.add("_world", py.get_type::<distribution::World>())?;
    module.add_function(wrap_pyfunction!(distribution::agree, module)?)?;
    module.add_class::<distribution::Shard>()?;
    module.add_function(wrap_pyfunction!(session::functions::flush, module)?)?;
    module.add_function(wrap_pyfunction!(agreed_call, module)?)?;
    module.add_function(wrap_pyfunction!(session::functions::synchronize, module)?)?;
    module.add_function(wrap_pyfunction!(session::functions::hand_over, module)?)?;
    module.add_function(wrap_pyfunction!(session::functions::device_memory, module)?)?;
    module.add_function(wrap_pyfunction!(session::functions::reset_peak, module)?)?;
    module.add_function(wrap_pyfunction!(session::functions::meeting, module)?)?;
    module.add_function(wrap_pyfunction!(session::functions::check_world, module)?)?;
    module.add_function(wrap_pyfunction!(session::functions::fail, module)?)?;
    module.add_function(wrap_pyfunction!(waiting::uninterrupted, module)?)?;
    module.add_function(wrap_pyfunction!(errors::refusal, module)?)?;
    module.add_function(wrap_pyfunction!(series::value, module)?)?;
    module.add_function(wrap_pyfunction!(series::vander, module)?)?;
    module.add_function(wrap_pyfunction!(series::derivative, module)?)?;
    module.add_function(wrap_pyfunction!(series::integral, module)?)?;
    module.add_function(wrap_pyfunction!(series::fit, module)?)?;
    module.add_function(wrap_pyfunction!(program::main, module)?)?;
    module.add_function(wrap_pyfunction!(set_folder, module)?)?;
    module.add_function(wrap_pyfunction!(methods::element, module)?)?;
    module.add_function(wrap_pyfunction!(overrides::override_ufuncs, module)?)?;
    Ok(())
}

/// Sets the folder of the module's own files, whose lines are not reported as the user's.
#[pyfunction(name = "_set_folder")]
fn set_folder(folder: String) {
    set_own_folder(folder);
}
