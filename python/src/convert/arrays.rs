//! Conversion of Python objects to arrays.

use super::dtypes::{from_python, numpy, to_python};
use super::foreign::foreign;
use super::host::fetch;
use super::host_buffer::SharedMemory;
use super::numbers::{element, weak};
use crate::interpreter::errors::{as_numpy_raises, raised, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::{DEEPEST, Ndarray};
use crate::session;
use crate::session::errstate;
use crate::session::gpus::GPUS;
use phalanx::{Argument, Array, DType, HostArray, LocalShard, Scalar, ShardBytes, room_on_host};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyList, PySequence, PyString, PyTuple, PyType};
use smallvec::SmallVec;
use std::sync::Arc;

/// An operand: an array, a Python number, or an object that converts to an array. `None` for any
/// other object, so that Python calls the other operand's method.
pub fn operand(object: &Bound<'_, PyAny>, is_reflected: bool) -> PyResult<Option<Argument>> {
    if let Ok(array) = object.cast_exact::<Ndarray>() {
        return Ok(Some(Argument::Array(array.get().array.clone())));
    }
    if let Some(weak) = weak(object)? {
        return Ok(Some(Argument::Weak(weak)));
    }
    if object.is_none() || object.is_instance_of::<PyString>() {
        return Ok(None);
    }
    if let Some(element) = element(object)? {
        return Ok(Some(Argument::Scalar(element)));
    }
    // NumPy's protocol by which a class, such as those of sparse matrices, computes itself.
    if object.getattr_opt("__array_ufunc__")?.is_some_and(|method| method.is_none()) {
        return Ok(None);
    }
    // To NumPy, an object of a subclass of int is an element of an array and no Python number.
    let is_number = object.is_instance_of::<PyInt>() || object.is_instance_of::<PyFloat>();
    if is_number || object.hasattr("dtype")? || is_exporter(object)? || is_sequence(object) {
        return argument(object).map(Some);
    }
    // The operator of an object on the left has already had its turn.
    if is_converting(object)? && (is_reflected || !goes_first(object)?) {
        return argument(object).map(Some);
    }
    Ok(None)
}

/// Whether an object's `__array_priority__` is above that of arrays, so that NumPy calls its
/// operators.
fn goes_first(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(priority) = object.getattr_opt("__array_priority__")? else { return Ok(false) };
    Ok(priority.extract::<f64>().is_ok_and(|priority| priority > 0.0))
}

/// Whether an object is a sequence of Python that can stand for an array, such as a list, a range
/// or a deque. Texts and bytes are no such sequences.
pub fn is_sequence(object: &Bound<'_, PyAny>) -> bool {
    let is_text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
    !is_text && object.cast::<PySequence>().is_ok()
}

/// The operands of a function of several.
pub fn operands(objects: &[Bound<'_, PyAny>]) -> PyResult<SmallVec<[Argument; 2]>> {
    objects.iter().map(argument).collect()
}

/// An argument of a function: as an operand, but an object that does not convert is an error.
pub fn argument(object: &Bound<'_, PyAny>) -> PyResult<Argument> {
    if let Ok(array) = object.cast::<Ndarray>() {
        return Ok(Argument::Array(array.get().array.clone()));
    }
    if let Some(weak) = weak(object)? {
        return Ok(Argument::Weak(weak));
    }
    if let Some(element) = element(object)? {
        return Ok(Argument::Scalar(element));
    }
    if !is_array_of_numpy(object)? {
        if let Some(array) = stacked(object, None)? {
            return Ok(Argument::Array(array));
        }
        if let Some((array, _)) = on_gpu(object, false)? {
            return Ok(Argument::Array(array));
        }
        if let Some(answer) = answer(object, None)? {
            return argument(&answer);
        }
    }
    let host = to_host_array(object, None)?;
    if host.shape.is_empty() {
        return Ok(Argument::Scalar(Scalar::from_bytes(host.dtype, &host.bytes)));
    }
    upload(object.py(), &host).map(Argument::Array)
}

/// An array of any object that NumPy's `asarray` takes, of a dtype if one is given.
pub fn array(object: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Array> {
    let py = object.py();
    if let Ok(array) = object.cast::<Ndarray>() {
        let array: &Array = &array.get().array;
        return Ok(match dtype {
            Some(dtype) if dtype != array.dtype() => {
                let cast = at_line(py, || array.astype(dtype));
                cast.into_result().map_err(|error| raised(py, &error))?
            }
            _ => array.clone(),
        });
    }
    if let Some(host) = plain_numbers(object, dtype) {
        return upload(py, &host);
    }
    if !is_array_of_numpy(object)? {
        if let Some(made) = stacked(object, dtype)? {
            return Ok(made);
        }
        if let Some((made, _)) = on_gpu(object, false)? {
            return Ok(match dtype {
                Some(dtype) if dtype != made.dtype() => at_line(py, || made.astype(dtype)),
                _ => made,
            });
        }
        if let Some(answer) = answer(object, dtype)? {
            return array(&answer, dtype);
        }
    }
    let elements = elements(object, dtype)?;
    if elements.are_read_in_place() {
        let shard = elements.lent();
        session::ensure(py)?;
        let made = at_line(py, || Array::from_shared(&shard).0);
        made.ok().map_err(|error| raised(py, &error))?;
        return Ok(made);
    }
    upload(py, &elements.copied(py)?)
}

/// An array of another library's elements on a GPU of the session, and whether it reads them in
/// place, which needs elements that last. `None` for any other object.
pub fn on_gpu(object: &Bound<'_, PyAny>, is_lasting: bool) -> PyResult<Option<(Array, bool)>> {
    let Some(shard) = foreign(object, is_lasting)? else { return Ok(None) };
    let py = object.py();
    session::ensure(py)?;
    let (array, is_shared) = at_line(py, || Array::from_shared(&shard));
    array.ok().map_err(|error| raised(py, &error))?;
    Ok(Some((array, is_shared)))
}

/// The elements of a list of Python's own floats, or of its integers, whose dtype is not another
/// one; `None` for any other object, which NumPy reads.
fn plain_numbers(object: &Bound<'_, PyAny>, dtype: Option<DType>) -> Option<HostArray> {
    let list = object.cast_exact::<PyList>().ok()?;
    let is_for = |own| dtype.is_none_or(|dtype| dtype == own);
    let shape = vec![list.len()];
    let first = list.get_item(0).ok()?;
    let (dtype, bytes) = if first.is_exact_instance_of::<PyFloat>() && is_for(DType::F64) {
        let mut bytes = Vec::with_capacity(list.len() * size_of::<f64>());
        for item in list.iter() {
            bytes.extend(item.cast_exact::<PyFloat>().ok()?.value().to_ne_bytes());
        }
        (DType::F64, bytes)
    } else if first.is_exact_instance_of::<PyInt>() && is_for(DType::I64) {
        let mut bytes = Vec::with_capacity(list.len() * size_of::<i64>());
        for item in list.iter() {
            let number: i64 = item.cast_exact::<PyInt>().ok()?.extract().ok()?;
            bytes.extend(number.to_ne_bytes());
        }
        (DType::I64, bytes)
    } else {
        return None;
    };
    Some(HostArray { dtype, shape, bytes })
}

/// The array of a list that contains arrays; `None` for any other object.
fn stacked(object: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Option<Array>> {
    if !object.is_instance_of::<PyList>() && !object.is_instance_of::<PyTuple>() {
        return Ok(None);
    }
    if !holds_arrays(object, DEEPEST)? {
        return Ok(None);
    }
    let items: Vec<Array> =
        object.try_iter()?.map(|item| array(&item?, dtype)).collect::<PyResult<_>>()?;
    let py = object.py();
    let made = at_line(py, || phalanx::array_of_list(&items));
    made.ok().map_err(|error| raised(py, &error))?;
    Ok(Some(made))
}

fn holds_arrays(object: &Bound<'_, PyAny>, deepest: usize) -> PyResult<bool> {
    if deepest == 0 {
        return Err(value_error(
            Mistake::Elements,
            format!("lists are nested deeper than {DEEPEST} times"),
        ));
    }
    // Most items have the class of the item before them, so a class is looked at once.
    let mut plain = None;
    for item in object.try_iter()? {
        let item = item?;
        if item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() {
            if holds_arrays(&item, deepest - 1)? {
                return Ok(true);
            }
            continue;
        }
        let class = item.get_type();
        if plain.as_ref().is_some_and(|plain| class.is(plain)) {
            continue;
        }
        if item.is_instance_of::<Ndarray>() || is_converting(&item)? {
            return Ok(true);
        }
        plain = Some(class);
    }
    Ok(false)
}

/// Whether NumPy converts an object by its method `__array__`. It tries interfaces to memory first.
pub fn is_converting(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    // What programs convert most often has no such method; a search for a missing name is slow.
    let is_plain = object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyList>()
        || object.is_exact_instance_of::<PyTuple>();
    if is_plain {
        return Ok(false);
    }
    let (py, class) = (object.py(), object.get_type());
    Ok(class.getattr_opt(intern!(py, "__array_interface__"))?.is_none()
        && class.getattr_opt(intern!(py, "__array__"))?.is_some())
}

/// The array, of ours or of NumPy's, that an object's `__array__` returns. The method gets the
/// dtype that is asked for, as from NumPy, and may return another one. `None` for an object that
/// NumPy converts in another way. NumPy itself refuses arrays of ours.
fn answer<'py>(
    object: &Bound<'py, PyAny>,
    dtype: Option<DType>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !is_converting(object)? || PyUntypedBuffer::get(object).is_ok() {
        return Ok(None);
    }
    let py = object.py();
    let name = intern!(py, "__array__");
    let answer = match dtype {
        Some(dtype) => object.call_method1(name, (to_python(py, dtype)?,)),
        None => object.call_method0(name),
    };
    let answer = answer.map_err(|error| as_numpy_raises(py, Mistake::Elements, error))?;
    let is_array = answer.is_instance_of::<Ndarray>()
        || answer.is_instance(&numpy(py)?.getattr("ndarray")?)?;
    if !is_array {
        return Err(value_error(
            Mistake::Elements,
            "object __array__ method not producing an array",
        ));
    }
    Ok(Some(answer))
}

fn is_exporter(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("__array_interface__")? || object.hasattr("__dlpack__")?)
}

/// An object as NumPy reads it, in C order and native byte order.
struct Elements<'py> {
    dtype: DType,
    shape: Vec<usize>,
    /// NumPy's buffer of the elements, which is not copied if it already has this form.
    buffer: PyUntypedBuffer,
    /// The owner of the elements.
    owner: Bound<'py, PyAny>,
}

/// The elements of an object as NumPy reads it, as a copy.
pub fn to_host_array(object: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<HostArray> {
    elements(object, dtype)?.copied(object.py())
}

/// The number of bytes from which one more copy on the way to a GPU takes long.
const LARGE: usize = 1 << 20;

impl Elements<'_> {
    /// Whether an array copies the elements from their place: large ones that are sent to a GPU.
    fn are_read_in_place(&self) -> bool {
        self.buffer.len_bytes() >= LARGE && !GPUS.is_empty()
    }

    fn copied(self, py: Python<'_>) -> PyResult<HostArray> {
        let Elements { dtype, shape, buffer, .. } = self;
        let length = buffer.len_bytes();
        room_on_host(length, None).map_err(|error| raised(py, &error))?;
        let start = buffer.buf_ptr().cast::<u8>();
        let bytes = match length {
            0 => Vec::new(),
            // SAFETY: the buffer is C-contiguous, as requested from NumPy, `len_bytes` long, and
            // held until the copy is made. The interpreter is attached, so no Python code writes
            // meanwhile.
            _ => unsafe { std::slice::from_raw_parts(start, length) }.to_vec(),
        };
        Ok(HostArray { dtype, shape, bytes })
    }

    fn lent(self) -> LocalShard {
        let Elements { dtype, shape, buffer, owner } = self;
        let bytes = match buffer.len_bytes() {
            0 => ShardBytes::Own(Vec::new()),
            length => {
                let memory = SharedMemory::new(buffer.buf_ptr() as usize, length, owner.unbind());
                ShardBytes::Shared(Arc::new(memory))
            }
        };
        LocalShard { dtype, shape, bytes }
    }
}

/// The elements of an object in place: on a GPU of the session, or as NumPy reads the object. The
/// elements of an array of ours are fetched.
pub fn to_local_shard(object: &Bound<'_, PyAny>) -> PyResult<LocalShard> {
    if let Ok(array) = object.cast::<Ndarray>() {
        return fetch(object.py(), &array.get().array).map(LocalShard::from);
    }
    if let Some(shard) = foreign(object, true)? {
        return Ok(shard);
    }
    Ok(elements(object, None)?.lent())
}

/// A cast by NumPy to a dtype; its errors are reported by the modes of the thread.
fn cast<'py>(
    py: Python<'py>,
    to: DType,
    cast: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    match to {
        // These hold all numbers.
        DType::F64 | DType::C128 | DType::Bool => cast(),
        _ => errstate::in_numpy(py, cast),
    }
}

/// Whether an object is an array of NumPy's own class.
fn is_array_of_numpy(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    Ok(object.get_type().is(CLASS.import(object.py(), "numpy", "ndarray")?))
}

/// The elements of an array of NumPy in C order, of a dtype if one is given, without calls of
/// Python, which take most of the time of a small array. `None` for all other objects.
fn elements_of_numpy<'py>(
    object: &Bound<'py, PyAny>,
    dtype: Option<DType>,
) -> PyResult<Option<Elements<'py>>> {
    if !is_array_of_numpy(object)? {
        return Ok(None);
    }
    // Elements of some dtypes have no buffer, such as dates.
    let Ok(buffer) = PyUntypedBuffer::get(object) else { return Ok(None) };
    let own = match (buffer.format().to_bytes(), buffer.item_size()) {
        (b"?", 1) => DType::Bool,
        (b"b", 1) => DType::I8,
        (b"h", 2) => DType::I16,
        (b"i" | b"l" | b"q", 4) => DType::I32,
        (b"l" | b"q", 8) => DType::I64,
        (b"B", 1) => DType::U8,
        (b"H", 2) => DType::U16,
        (b"I" | b"L" | b"Q", 4) => DType::U32,
        (b"L" | b"Q", 8) => DType::U64,
        (b"e", 2) => DType::F16,
        (b"f", 4) => DType::F32,
        (b"d", 8) => DType::F64,
        (b"Zf", 8) => DType::C64,
        (b"Zd", 16) => DType::C128,
        _ => return Ok(None),
    };
    if !buffer.is_c_contiguous() || dtype.is_some_and(|dtype| dtype != own) {
        return Ok(None);
    }
    // Without axes the buffer has no address of extents.
    let shape = if buffer.dimensions() == 0 { Vec::new() } else { buffer.shape().to_vec() };
    Ok(Some(Elements { dtype: own, shape, buffer, owner: object.clone() }))
}

fn elements<'py>(object: &Bound<'py, PyAny>, dtype: Option<DType>) -> PyResult<Elements<'py>> {
    if let Some(elements) = elements_of_numpy(object, dtype)? {
        return Ok(elements);
    }
    let py = object.py();
    let numpy = numpy(py)?;
    // `asarray` does not read an object that exports by DLPack only.
    let is_foreign = object.hasattr("__dlpack__")? && !object.hasattr("__array__")?;
    let read = if is_foreign { "from_dlpack" } else { "asarray" };
    let coded = |error| as_numpy_raises(py, Mistake::Elements, error);
    let has_dtype = is_foreign || object.hasattr("dtype")?;
    // An object without a dtype is converted to the dtype that is asked for, as far as NumPy
    // allows.
    let converted = match dtype.filter(|_| !has_dtype) {
        Some(dtype) => {
            let target = to_python(py, dtype)?;
            cast(py, dtype, || numpy.getattr("asarray")?.call1((object, target)))
        }
        None => numpy.getattr(read)?.call1((object,)),
    };
    let converted = converted.map_err(coded)?;
    let found = converted.getattr("dtype")?;
    let kind: char = found.getattr("kind")?.extract()?;
    if matches!(kind, 'O' | 'U' | 'S' | 'M' | 'm') {
        let name = found.str()?;
        return Err(type_error(
            Mistake::Elements,
            format!(
                "arrays hold numbers and truth values; {} gives an array of {name}",
                object.get_type().name()?
            ),
        ));
    }
    let own = from_python(&found)?;
    let wanted = dtype.unwrap_or(own);
    let given = if own == wanted {
        converted
    } else {
        let target = to_python(py, wanted)?;
        cast(py, wanted, || converted.call_method1("astype", (target,))).map_err(coded)?
    };
    let shape: Vec<usize> = given.getattr("shape")?.extract()?;
    let native = numpy.getattr("ascontiguousarray")?.call1((&given, to_python(py, wanted)?))?;
    let plain = match wanted {
        // The buffer protocol has no letter for bfloat16.
        DType::BF16 => native.call_method1("view", ("uint16",))?,
        _ => native,
    };
    let buffer = PyUntypedBuffer::get(&plain)?;
    Ok(Elements { dtype: wanted, shape, buffer, owner: plain })
}

/// A global array of host data.
pub fn upload(py: Python<'_>, host: &HostArray) -> PyResult<Array> {
    session::ensure(py)?;
    let array = at_line(py, || Array::from_host(host));
    array.ok().map_err(|error| raised(py, &error))?;
    Ok(array)
}

/// An operand that has to be an array: numbers become arrays without axes.
pub fn as_array(py: Python<'_>, operand: Argument) -> PyResult<Array> {
    session::ensure(py)?;
    let array = at_line(py, || operand.into_array());
    array.ok().map_err(|error| raised(py, &error))?;
    Ok(array)
}
