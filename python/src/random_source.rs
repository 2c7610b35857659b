//! Sources of random numbers as objects: `Generator`, and `RandomState` of older programs.

use crate::arguments::Arguments;
use crate::errors::{raised, type_error, value_error};
use crate::session;
use crate::site::at_line;
use phalanx::random::{Generator, fresh_seed, seeded};
use pyo3::prelude::*;
use pyo3::types::PyInt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// NumPy's `Generator`. Its numbers are a function of the seed and of what was drawn before, the
/// same on any number of devices; they are not those of NumPy.
#[pyclass(name = "Generator", module = "phalanx.random", frozen)]
pub struct RandomSource {
    generator: Arc<Generator>,
}

/// NumPy's `RandomState`: a generator with the functions of older programs.
#[pyclass(name = "RandomState", module = "phalanx.random", frozen)]
pub struct LegacySource {
    generator: Arc<Generator>,
}

#[pymethods]
impl RandomSource {
    /// A generator of a bit generator such as `Philox(seed)`, or of a seed.
    #[new]
    fn new(py: Python<'_>, bit_generator: &Bound<'_, PyAny>) -> PyResult<RandomSource> {
        Ok(RandomSource { generator: begun(py, Some(bit_generator))? })
    }

    fn __repr__(&self) -> &'static str {
        "Generator(Philox)"
    }
}

impl RandomSource {
    /// A generator of a seed, or of one that all ranks agree on. Collective without a seed.
    pub fn of_seed(py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, RandomSource { generator: begun(py, seed)? })?.into_any())
    }
}

#[pymethods]
impl LegacySource {
    #[new]
    #[pyo3(signature = (seed=None))]
    fn new(py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<LegacySource> {
        Ok(LegacySource { generator: begun(py, seed)? })
    }

    fn __repr__(&self) -> &'static str {
        "RandomState(Philox)"
    }
}

/// The generators of the module's own functions, one for each mesh of the session of this number:
/// what a process draws for itself changes nothing of what all draw together.
static SHARED: Mutex<(usize, Vec<Arc<Generator>>)> = Mutex::new((0, Vec::new()));

fn generators() -> MutexGuard<'static, (usize, Vec<Arc<Generator>>)> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if shared.0 != session::number() {
        *shared = (session::number(), Vec::new());
    }
    shared
}

/// Gives the module's own functions another seed on the current mesh.
pub fn reseed(py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let generator = begun(py, seed)?;
    let generators = &mut generators().1;
    generators.retain(|known| !known.mesh().is_current());
    generators.push(generator);
    Ok(())
}

fn shared(py: Python<'_>) -> PyResult<Arc<Generator>> {
    session::ensure(py)?;
    let of_this_mesh = |generators: &[Arc<Generator>]| {
        generators.iter().find(|known| known.mesh().is_current()).cloned()
    };
    if let Some(known) = of_this_mesh(&generators().1) {
        return Ok(known);
    }
    let generator = begun(py, None)?;
    let generators = &mut generators().1;
    // Another thread may have been faster.
    Ok(of_this_mesh(generators).unwrap_or_else(|| {
        generators.push(Arc::clone(&generator));
        generator
    }))
}

/// The generator that a call draws from: that of `self`, or that of the module.
pub fn source(a: &Arguments<'_, '_>) -> PyResult<Arc<Generator>> {
    if !a.takes("self") {
        return shared(a.py());
    }
    let object = a.object("self")?;
    if let Ok(source) = object.cast::<RandomSource>() {
        return Ok(Arc::clone(&source.get().generator));
    }
    match object.cast::<LegacySource>() {
        Ok(source) => Ok(Arc::clone(&source.get().generator)),
        Err(_) => Err(a.wrong("self", "a Generator")),
    }
}

fn begun(py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<Generator>> {
    session::ensure(py)?;
    let mut seed = seed.cloned();
    // Bit generators and seed sequences have a seed, or none.
    for name in ["_seed", "entropy"] {
        seed = seed.map(|seed| seed.getattr(name).unwrap_or(seed));
    }
    let number = seed.filter(|seed| !seed.is_none());
    let number = number.as_ref().map(number_of).transpose()?;
    let made = match number {
        Some(number) => at_line(py, || seeded(number)),
        None => at_line(py, || fresh_seed().and_then(seeded)),
    };
    made.map(Arc::new).map_err(|error| raised(py, &error))
}

/// The number of a seed: an integer of any size, or several.
fn number_of(seed: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Some(number) = word_of(seed)? {
        return Ok(number);
    }
    let refused =
        || type_error("a seed is None, an integer that is not negative, or a sequence of them");
    let items = seed.try_iter().map_err(|_| refused())?;
    let words = items.map(|item| word_of(&item?)?.ok_or_else(refused));
    Ok(folded(words.collect::<PyResult<Vec<_>>>()?.into_iter()))
}

/// The word of one integer; `None` of what is none.
fn word_of(seed: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    let negative = || value_error("expected non-negative integer");
    if let Ok(number) = seed.extract::<i64>() {
        return u64::try_from(number).map(Some).map_err(|_| negative());
    }
    if !seed.is_instance_of::<PyInt>() {
        return Ok(None);
    }
    let bits: usize = seed.call_method0("bit_length")?.extract()?;
    let bytes = seed.call_method1("to_bytes", (bits.div_ceil(8), "little"));
    let bytes: Vec<u8> = bytes.map_err(|_| negative())?.extract()?;
    Ok(Some(folded(bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    }))))
}

/// One word of several, which depends on each and on their order.
fn folded(words: impl Iterator<Item = u64>) -> u64 {
    words.fold(0, |all: u64, word| {
        (all.rotate_left(25) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
    })
}
