//! The classes of random generators: `Generator`, and `RandomState` of older programs.

use crate::calls::arguments::Arguments;
use crate::convert::dtypes::numpy;
use crate::interpreter::errors::{is_of, raised, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use crate::session;
use phalanx::random::{
    Generator, State, Stream as Known, fresh_seed, seed_of_bytes, seed_of_words, seeded, streamed,
};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A stream of random bits, from which bit generators and generators draw. Two generators that
/// share a stream draw from it in turn.
#[pyclass(name = "_Stream", module = "phalanx.random", frozen)]
pub struct Stream {
    generator: Arc<Generator>,
    /// The seed that was given, or the one that was agreed on.
    #[pyo3(get)]
    seed: Py<PyAny>,
}

#[pymethods]
impl Stream {
    /// A stream of a seed; without one, of a seed that all ranks agree on (Collective).
    #[new]
    #[pyo3(signature = (seed=None))]
    fn new(py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Stream> {
        session::ensure(py)?;
        let seed = match seed.filter(|seed| !seed.is_none()) {
            Some(seed) => seed.clone().unbind(),
            None => {
                let fresh = at_line(py, fresh_seed).map_err(|error| raised(py, &error))?;
                fresh.into_pyobject(py)?.into_any().unbind()
            }
        };
        let number = number_of(seed.bind(py))?;
        let generator = at_line(py, || seeded(number)).map_err(|error| raised(py, &error))?;
        Ok(Stream { generator: Arc::new(generator), seed })
    }

    /// The key that is made of the seed, and the number of counters that have been used.
    #[getter]
    fn state(&self) -> (u64, u64) {
        let State { key, next } = self.generator.state();
        (key, next)
    }

    /// Continues from another state.
    fn set_state(&self, key: u64, next: u64) {
        self.generator.set_state(State { key, next });
    }

    /// The stream of a named bit generator, of the words that are made of a seed.
    #[staticmethod]
    fn of_words(
        py: Python<'_>,
        name: &str,
        words: Vec<u64>,
        seed: &Bound<'_, PyAny>,
    ) -> PyResult<Stream> {
        session::ensure(py)?;
        let stream = Known::from_seed_words(name, &words)
            .unwrap_or_else(|| unreachable!("bug: {} words of {name}", words.len()));
        let generator = at_line(py, || streamed(stream)).map_err(|error| raised(py, &error))?;
        Ok(Stream { generator: Arc::new(generator), seed: seed.clone().unbind() })
    }

    /// The name of the stream's class of bit generators.
    #[getter]
    fn kind(&self) -> &'static str {
        self.generator.stream().name()
    }

    /// The words of the state; none for `Philox4x3210`, whose state is a key and a counter.
    #[getter]
    fn words(&self) -> Vec<u128> {
        self.generator.stream().state_words()
    }

    /// Continues from other words.
    fn set_words(&self, words: Vec<u128>) -> PyResult<()> {
        let own = self.generator.stream();
        let stream = own
            .with_state_words(&words)
            .ok_or_else(|| value_error(Mistake::Value, "the state belongs to another generator"))?;
        // The state of this generator is its key and counter.
        if own != Known::Philox4x32 {
            self.generator.set_stream(stream);
        }
        Ok(())
    }

    /// The next words of 64 bits each, as an array of a shape.
    fn raw(&self, py: Python<'_>, shape: Vec<i64>) -> PyResult<Py<PyAny>> {
        Ndarray::result(py, at_line(py, || self.generator.bits(shape.as_slice())))
    }
}

/// The generator of the module's own functions, as an object.
#[pyfunction(name = "_shared")]
pub fn shared_source(py: Python<'_>) -> PyResult<LegacySource> {
    let seed = py.None();
    Ok(LegacySource { stream: Py::new(py, Stream { generator: shared(py)?, seed })? })
}

/// Makes the functions of the module draw from another source. Without one, their next call makes a
/// generator with a new seed.
#[pyfunction(name = "_share")]
#[pyo3(signature = (source))]
pub fn share(py: Python<'_>, source: Option<&Bound<'_, LegacySource>>) -> PyResult<()> {
    session::ensure(py)?;
    let generators = &mut generators().1;
    generators.retain(|known| !known.mesh().is_current());
    if let Some(source) = source {
        generators.push(Arc::clone(&source.get().stream.get().generator));
    }
    Ok(())
}

/// NumPy's `Generator`. Its numbers depend on the seed and on the earlier draws, and are the same
/// on any number of devices. They differ from NumPy's, except for the numbers of `random` by
/// `PCG64`, `PCG64DXSM` and `Philox`.
#[pyclass(name = "Generator", module = "phalanx.random", frozen)]
pub struct RandomSource {
    stream: Py<Stream>,
    /// Made at the first use, unless the generator was made of it.
    bit_generator: PyOnceLock<Py<PyAny>>,
}

/// NumPy's `RandomState`: a generator with the functions of older programs.
#[pyclass(name = "RandomState", module = "phalanx.random", frozen)]
pub struct LegacySource {
    stream: Py<Stream>,
}

/// The stream of a bit generator, if an object is one.
fn stream_of(object: &Bound<'_, PyAny>) -> Option<Py<Stream>> {
    let stream = object.getattr("_stream").ok()?;
    stream.cast::<Stream>().ok().map(|stream| stream.clone().unbind())
}

#[pymethods]
impl RandomSource {
    /// A generator of a bit generator such as `Philox(seed)`, or of a seed.
    #[new]
    fn new(py: Python<'_>, bit_generator: &Bound<'_, PyAny>) -> PyResult<RandomSource> {
        RandomSource::of(py, Some(bit_generator))
    }

    /// The bit generator, with the seed and the state.
    #[getter]
    fn bit_generator(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let made = self.bit_generator.get_or_try_init(py, || {
            let of = py.import("phalanx.random")?.getattr("_bit_generator_of")?;
            of.call1((&self.stream,)).map(Bound::unbind)
        });
        made.map(|made| made.clone_ref(py))
    }

    /// Pickles the state, too, so that a copy draws the same numbers.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Py<PyAny>,))> {
        let class = slf.get_type().into_any();
        Ok((class, (slf.get().bit_generator(slf.py())?,)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let name = self.bit_generator(py)?.bind(py).get_type().name()?.to_string();
        Ok(format!("Generator({name})"))
    }
}

impl RandomSource {
    /// A generator of a bit generator or of a seed; without either, of a seed that all ranks agree
    /// on (Collective).
    fn of(py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<RandomSource> {
        let bit_generator = PyOnceLock::new();
        let stream = match seed.and_then(|seed| Some((seed, stream_of(seed)?))) {
            Some((object, stream)) => {
                let _ = bit_generator.set(py, object.clone().unbind());
                stream
            }
            None => Py::new(py, Stream::new(py, seed)?)?,
        };
        Ok(RandomSource { stream, bit_generator })
    }

    /// The generator of a seed, as an object.
    pub fn of_seed(py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, RandomSource::of(py, seed)?)?.into_any())
    }

    /// Generators of seeds that are children of this generator's seed.
    pub fn spawned<'py>(slf: &Bound<'py, PyAny>, count: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let children = slf.getattr("bit_generator")?.call_method1("spawn", (count,))?;
        let class = slf.get_type();
        children.try_iter()?.map(|child| class.call1((child?,))).collect()
    }
}

#[pymethods]
impl LegacySource {
    #[new]
    #[pyo3(signature = (seed=None))]
    fn new(py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<LegacySource> {
        let stream = match seed.and_then(stream_of) {
            Some(stream) => stream,
            None => Py::new(py, Stream::new(py, seed)?)?,
        };
        Ok(LegacySource { stream })
    }

    /// Pickles the state, too, so that a copy draws the same numbers.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Py<PyAny>,))> {
        let class = slf.get_type().into_any();
        Ok((class, (slf.get()._bit_generator(slf.py())?,)))
    }

    /// The bit generator.
    #[getter]
    fn _bit_generator(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let of = py.import("phalanx.random")?.getattr("_bit_generator_of")?;
        Ok(of.call1((&self.stream,))?.unbind())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let name = self._bit_generator(py)?.bind(py).get_type().name()?.to_string();
        Ok(format!("RandomState({name})"))
    }
}

/// The number of a session, and the generators of the module's own functions, one for each mesh of
/// that session. Draws of one process for itself do not change the draws of all together.
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
    let generator = new_generator(py, seed)?;
    let generators = &mut generators().1;
    generators.retain(|known| !known.mesh().is_current());
    generators.push(generator);
    Ok(())
}

/// Gives a generator the state of another seed.
pub fn reseed_one(
    py: Python<'_>,
    generator: &Generator,
    seed: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let other = new_generator(py, seed)?;
    generator.set_stream(other.stream());
    generator.set_state(other.state());
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
    let generator = new_generator(py, None)?;
    let generators = &mut generators().1;
    // Another thread may have added a generator meanwhile.
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
    let stream = match (object.cast::<RandomSource>(), object.cast::<LegacySource>()) {
        (Ok(source), _) => &source.get().stream,
        (_, Ok(source)) => &source.get().stream,
        _ => return Err(a.wrong("self", "a Generator")),
    };
    Ok(Arc::clone(&stream.get().generator))
}

fn new_generator(py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<Generator>> {
    Ok(Stream::new(py, seed)?.generator)
}

/// The state of a generator in NumPy's form: a tuple, or a dictionary.
pub fn state_of(py: Python<'_>, generator: &Generator, is_legacy: bool) -> PyResult<Py<PyAny>> {
    if generator.stream() != Known::Philox4x32 {
        let text = "this generator has no own state: use the state of its bit generator";
        return Err(value_error(Mistake::Value, text));
    }
    let State { key, next } = generator.state();
    if is_legacy {
        let key = numpy(py)?.getattr("array")?.call1(([key], "uint64"))?;
        return Ok(("Philox", key, next, 0, 0.0).into_pyobject(py)?.into_any().unbind());
    }
    let (whole, state) = (PyDict::new(py), PyDict::new(py));
    state.set_item("counter", next)?;
    state.set_item("key", key)?;
    whole.set_item("bit_generator", "Philox")?;
    whole.set_item("state", state)?;
    Ok(whole.into_any().unbind())
}

/// Sets a state that `state_of` returned.
pub fn take_state(generator: &Generator, given: &Bound<'_, PyAny>) -> PyResult<()> {
    let read = || -> PyResult<State> {
        if let Ok(given) = given.cast::<PyDict>() {
            let state = given.as_any().get_item("state")?;
            let (key, next) = (state.get_item("key")?, state.get_item("counter")?);
            return Ok(State { key: key.extract()?, next: next.extract()? });
        }
        let key = given.get_item(1)?.get_item(0)?.extract()?;
        Ok(State { key, next: given.get_item(2)?.extract()? })
    };
    let name = given.get_item("bit_generator").or_else(|_| given.get_item(0));
    if !name.is_ok_and(|name| name.eq("Philox").unwrap_or(false)) {
        return Err(value_error(
            Mistake::Value,
            "set state can only be used with the state of a Philox generator of this package",
        ));
    }
    let wrong = |_| value_error(Mistake::Value, "state is not a legal Philox state");
    if generator.stream() != Known::Philox4x32 {
        generator.set_stream(Known::Philox4x32);
    }
    generator.set_state(read().map_err(wrong)?);
    Ok(())
}

/// The number of a seed, which is an integer of any size, or several integers.
fn number_of(seed: &Bound<'_, PyAny>) -> PyResult<u64> {
    // A `SeedSequence` computes its own number. A bit generator stands for its seed.
    let seed = match stream_of(seed) {
        Some(stream) => stream.get().seed.bind(seed.py()).clone(),
        None => seed.clone(),
    };
    let seed = if seed.hasattr("spawn_key")? && !seed.hasattr("_number")? {
        // NumPy's own `SeedSequence`, whose words are those of ours.
        let keywords = PyDict::new(seed.py());
        for name in ["spawn_key", "pool_size"] {
            keywords.set_item(name, seed.getattr(name)?)?;
        }
        let class = seed.py().import("phalanx.random")?.getattr("SeedSequence")?;
        class.call((seed.getattr("entropy")?,), Some(&keywords))?
    } else {
        seed
    };
    let seed = if seed.hasattr("_number")? { seed.call_method0("_number")? } else { seed };
    let seed = &seed;
    if let Some(number) = word_of(seed)? {
        return Ok(number);
    }
    let refused = || {
        type_error(
            Mistake::Type,
            "a seed must be None, an integer that is not negative, or a sequence of such integers",
        )
    };
    let items = seed.try_iter().map_err(|_| refused())?;
    let words = items.map(|item| word_of(&item?)?.ok_or_else(refused));
    Ok(seed_of_words(words.collect::<PyResult<Vec<_>>>()?))
}

/// The word of one integer; `None` for any other object.
fn word_of(seed: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    let negative = || value_error(Mistake::Value, "expected non-negative integer");
    match seed.extract::<i64>() {
        Ok(number) => return u64::try_from(number).map(Some).map_err(|_| negative()),
        Err(error) if is_of::<PyTypeError>(seed.py(), &error) => {}
        Err(error) if is_of::<PyOverflowError>(seed.py(), &error) => {}
        Err(error) => return Err(error),
    }
    if !seed.is_instance_of::<PyInt>() {
        return Ok(None);
    }
    let bits: usize = seed.call_method0("bit_length")?.extract()?;
    let bytes = seed.call_method1("to_bytes", (bits.div_ceil(8), "little"));
    let bytes: Vec<u8> = bytes.map_err(|_| negative())?.extract()?;
    Ok(Some(seed_of_bytes(&bytes)))
}
