//! Meshes, shardings, and the shards of this process.

use crate::calls::arguments::wrong_type;
use crate::convert::host_buffer::ShardBuffer;
use crate::convert::{to_local_shard, to_numpy, to_numpy_view};
use crate::interpreter::blocks::Blocks;
use crate::interpreter::errors::{for_type_error, raised, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::device_shard::DeviceShard;
use crate::objects::ndarray::Ndarray;
use crate::session;
use crate::session::gpus::GPUS;
use phalanx::{Array, Drawing, HostArray, LocalShard, NamedSharding, NamedSplit, SplitAlong};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::ops::Range;

/// The world's devices as a named grid.
#[pyclass(module = "phalanx", frozen, eq)]
#[derive(PartialEq)]
pub struct Mesh {
    /// The grid.
    pub mesh: phalanx::Mesh,
}

#[pymethods]
impl Mesh {
    /// The names of the grid's axes.
    #[getter]
    fn axis_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, (0..self.mesh.ndim()).map(|axis| self.mesh.name(axis)))
    }

    /// The extent of each axis, by its name.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let shape = PyDict::new(py);
        for axis in 0..self.mesh.ndim() {
            shape.set_item(self.mesh.name(axis), self.mesh.extent(axis))?;
        }
        Ok(shape)
    }

    /// The number of devices of the world.
    #[getter]
    fn devices(&self) -> usize {
        self.mesh.devices()
    }

    /// Pickles the grid only; the devices are those of the session that unpickles it.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let axis = |axis| (self.mesh.name(axis).to_owned(), self.mesh.extent(axis));
        let axes: Vec<_> = (0..self.mesh.ndim()).map(axis).collect();
        let make = py.import("phalanx._phalanx")?.getattr("_mesh_of")?;
        (make, (axes,)).into_pyobject(py)
    }

    fn __repr__(&self) -> String {
        self.mesh.to_string()
    }
}

/// How an array is split: for each axis of the array the mesh axis that splits it, or None.
#[pyclass(module = "phalanx", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct Sharding {
    named: NamedSharding,
}

/// The contents of a picture, for Python.
type Drawn = (String, Vec<(usize, usize)>, Vec<(usize, usize)>, Vec<Vec<Vec<usize>>>, usize);

#[pymethods]
impl Sharding {
    /// ``Sharding("device", None)``: the first axis is split evenly, the second is not split.
    ///
    /// The arguments give, for each axis of the array, a mesh axis, several in a tuple, or None.
    /// ``blocks`` gives the extents of the blocks of axes that are not split evenly, such as
    /// ``{0: [3, 0, 5]}``.
    #[new]
    #[pyo3(signature = (*axes, blocks=None))]
    fn new(axes: &Bound<'_, PyTuple>, blocks: Option<&Bound<'_, PyDict>>) -> PyResult<Sharding> {
        let mut made = Vec::new();
        for (place, axis) in axes.iter().enumerate() {
            let mesh_axes = if axis.is_none() {
                Vec::new()
            } else if axis.is_instance_of::<PyString>() {
                vec![axis.extract()?]
            } else {
                axis.extract().map_err(|_| {
                    type_error(
                        Mistake::Type,
                        "Sharding takes names of mesh axes, tuples of such names, and None",
                    )
                })?
            };
            let own = blocks.map(|blocks| blocks.get_item(place)).transpose()?.flatten();
            let extents =
                |_| type_error(Mistake::Type, "blocks maps axes to the extents of their blocks");
            let blocks = own.map(|sizes| sizes.extract().map_err(extents)).transpose()?;
            made.push(NamedSplit { mesh_axes, blocks });
        }
        Ok(Sharding { named: NamedSharding { axes: made } })
    }

    /// Whether every device holds the whole array.
    #[getter]
    fn is_replicated(&self) -> bool {
        self.named.is_replicated()
    }

    /// For each axis of the array the names of the mesh axes that split it.
    #[getter]
    fn axes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let axes: Vec<_> = self
            .named
            .axes
            .iter()
            .map(|axis| PyTuple::new(py, &axis.mesh_axes))
            .collect::<PyResult<_>>()?;
        PyTuple::new(py, axes)
    }

    /// The extents of the blocks of each axis; None for an axis that is split evenly or not at all.
    #[getter]
    fn blocks(&self) -> Vec<Option<Vec<usize>>> {
        self.named.axes.iter().map(|axis| axis.blocks.clone()).collect()
    }

    /// The arguments that make an equal sharding.
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let (blocks, keywords) = (PyDict::new(py), PyDict::new(py));
        for (place, axis) in self.named.axes.iter().enumerate() {
            if let Some(extents) = &axis.blocks {
                blocks.set_item(place, extents)?;
            }
        }
        keywords.set_item("blocks", blocks)?;
        let names = self.named.axes.iter().map(|axis| match axis.mesh_axes.as_slice() {
            [] => Ok(py.None().into_bound(py)),
            [one] => Ok(PyString::new(py, one).into_any()),
            several => PyTuple::new(py, several).map(Bound::into_any),
        });
        Ok((PyTuple::new(py, names.collect::<PyResult<Vec<_>>>()?)?, keywords))
    }

    fn __repr__(&self) -> String {
        let axes: Vec<String> = self
            .named
            .axes
            .iter()
            .map(|axis| match axis.mesh_axes.as_slice() {
                [] => String::from("None"),
                [one] => format!("'{one}'"),
                several => format!("({})", several.join(", ")),
            })
            .collect();
        let uneven: Vec<String> = self
            .named
            .axes
            .iter()
            .enumerate()
            .filter_map(|(place, axis)| Some(format!("{place}: {:?}", axis.blocks.as_ref()?)))
            .collect();
        if uneven.is_empty() {
            format!("Sharding({})", axes.join(", "))
        } else {
            format!("Sharding({}, blocks={{{}}})", axes.join(", "), uneven.join(", "))
        }
    }
}

/// The part of an array on a device of this process.
#[pyclass(module = "phalanx", frozen)]
pub struct Shard {
    /// The number of the device in this process.
    #[pyo3(get)]
    device: usize,
    /// The index of the shard's first element in the array.
    #[pyo3(get)]
    start: Py<PyTuple>,
    /// The elements: a NumPy array, or on a GPU an object that other libraries read in place.
    #[pyo3(get)]
    data: Py<PyAny>,
    /// How the array is split.
    split: SplitAlong,
    /// The number of devices of this process that hold a part of the array.
    devices: usize,
}

#[pymethods]
impl Shard {
    /// The slices that select the shard from the array: ``x[shard.index]``.
    #[getter]
    fn index<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let start: Vec<usize> = self.start.extract(py)?;
        let shape: Vec<usize> = self.data.bind(py).getattr("shape")?.extract()?;
        let slice = py.import("builtins")?.getattr("slice")?;
        let slices = start.iter().zip(&shape).map(|(at, extent)| slice.call1((*at, at + extent)));
        PyTuple::new(py, slices.collect::<PyResult<Vec<_>>>()?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (start, shape) = (self.start.bind(py).repr()?, self.data.bind(py).getattr("shape")?);
        Ok(format!("Shard(device={}, start={start}, shape={})", self.device, shape.repr()?))
    }
}

#[pymethods]
impl Ndarray {
    /// How the array is split.
    #[getter]
    fn sharding(&self, py: Python<'_>) -> PyResult<Sharding> {
        let named = at_line(py, || self.array.named_sharding());
        named.map(|named| Sharding { named }).map_err(|error| raised(py, &error))
    }

    /// The array with another sharding: a given one, an even split along one axis, or a copy of the
    /// whole on every device (None).
    ///
    /// Parameters
    /// ----------
    /// sharding : Sharding, int or None
    ///     The new sharding or the axis to split; None for a copy of the whole on every device.
    ///
    /// Returns
    /// -------
    /// ndarray
    ///     An array of the same shape and dtype.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     PX021: the sharding does not fit the array or the mesh.
    /// AxisError
    ///     PX003: there is no such axis.
    ///
    /// Notes
    /// -----
    /// Local: recorded. The blocks move (all-to-all, or gathers for None) when a value is observed.
    fn with_sharding(&self, sharding: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = sharding.py();
        let split = if sharding.is_none() {
            at_line(py, || self.array.split_over_devices(None))
        } else if let Ok(sharding) = sharding.cast::<Sharding>() {
            at_line(py, || self.array.with_named_sharding(&sharding.get().named))
        } else {
            let axis: i64 = sharding.extract().map_err(|error| {
                for_type_error(py, error, || {
                    type_error(Mistake::Type, "with_sharding takes a Sharding, an axis or None")
                })
            })?;
            at_line(py, || self.array.split_over_devices(axis))
        };
        Ndarray::wrap(py, split)
    }

    /// The shards on the devices of this process. Collective if the array is pending or a view.
    ///
    /// Returns
    /// -------
    /// list of Shard
    ///     One shard for each device of this process, in order.
    ///
    /// Raises
    /// ------
    /// Exception
    ///     A recorded operation has failed; the error names the line that recorded it.
    fn local_shards(&self, py: Python<'_>) -> PyResult<Vec<Shard>> {
        if !GPUS.is_empty() {
            return self._shard_views(py);
        }
        let shards = at_line(py, || self.array.local_shards());
        let shards = shards.map_err(|error| raised(py, &error))?;
        let split = at_line(py, || self.array.split_along());
        let split = split.map_err(|error| raised(py, &error))?;
        let devices = shards.len();
        let shard = |(device, (start, data)): (usize, (Vec<usize>, HostArray))| {
            let start = PyTuple::new(py, start)?.unbind();
            Ok(Shard { device, start, data: to_numpy(py, data)?.unbind(), split, devices })
        };
        shards.into_iter().enumerate().map(shard).collect()
    }

    /// The extents of the blocks of an axis, by device, if the first device has the last elements;
    /// None if it has the first ones.
    fn _descending_blocks(&self, py: Python<'_>, axis: usize) -> PyResult<Option<Vec<usize>>> {
        let sharding = at_line(py, || self.array.sharding());
        let sharding = sharding.map_err(|error| raised(py, &error))?;
        let split = sharding.axes.get(axis).and_then(Option::as_ref);
        let bounds = split.map(|split| &split.bounds).filter(|bounds| !bounds.is_ascending());
        let Some(bounds) = bounds else { return Ok(None) };
        Ok(Some((0..bounds.parts()).map(|part| bounds.block(part).len()).collect()))
    }

    /// As ``local_shards``, without a copy: read-only NumPy arrays, or objects on GPUs. Later
    /// changes of this array do not change them. The elements of a view are copied.
    fn _shard_views(&self, py: Python<'_>) -> PyResult<Vec<Shard>> {
        let memory = at_line(py, || self.array.device_memory());
        let memory = memory.map_err(|error| raised(py, &error))?;
        let dtype = self.array.dtype();
        let split = at_line(py, || self.array.split_along());
        let split = split.map_err(|error| raised(py, &error))?;
        let devices = memory.len();
        let view = |(device, memory): (usize, phalanx::ShardMemory)| {
            let (start, shape) = (memory.start.clone(), memory.shape.clone());
            if !memory.is_on_host {
                let data = DeviceShard::new(device, memory, dtype, true)?;
                let data = Py::new(py, data)?.into_any();
                let start = PyTuple::new(py, start)?.unbind();
                return Ok(Shard { device, start, data, split, devices });
            }
            let buffer = ShardBuffer::new(memory, dtype);
            let data = to_numpy_view(py, buffer, dtype, &shape)?.unbind();
            let start = PyTuple::new(py, start)?.unbind();
            Ok(Shard { device, start, data, split, devices })
        };
        memory.into_iter().enumerate().map(view).collect()
    }

    /// A drawing of the parts and the devices that hold them.
    ///
    /// Returns
    /// -------
    /// str
    ///
    /// Raises
    /// ------
    /// None
    ///     Nothing is raised.
    ///
    /// Notes
    /// -----
    /// Local.
    fn picture(&self, py: Python<'_>) -> PyResult<String> {
        at_line(py, || self.array.picture()).map_err(|error| raised(py, &error))
    }

    /// The contents of a picture: the text; the ranges of rows and of columns of the blocks; for
    /// each block the devices that hold it; and the number of devices.
    fn _drawing(&self, py: Python<'_>) -> PyResult<Drawn> {
        let drawing = at_line(py, || self.array.drawing()).map_err(|error| raised(py, &error))?;
        let ends = |ranges: &[Range<usize>]| ranges.iter().map(|at| (at.start, at.end)).collect();
        let text = drawing.to_string();
        let Drawing { rows, columns, holders, devices, .. } = drawing;
        Ok((text, ends(&rows), ends(&columns), holders, devices))
    }
}

/// One array of the parts of all processes, joined along an axis.
///
/// A process gives one part, which is split over its devices, or a list of parts, one for each
/// device. A part is a NumPy array, an object of any library that exports its elements, such as a
/// PyTorch tensor, or an array of this process. The whole result of ``x.local_shards()`` or
/// ``x.local_view()`` is accepted, too: it makes an array that is split as ``x`` is, whatever
/// ``axis`` is. Parts in C order are not copied: do not write them while the array is in use.
/// Collective.
///
/// Parameters
/// ----------
/// part : array_like or list of array_like
///     The part or parts of this process.
/// axis : int, default: 0
///     The axis along which the parts are joined.
///
/// Returns
/// -------
/// ndarray
///     An array of the parts' dtype. The shape is that of the parts, with the extents along the
///     axis added up.
///
/// Raises
/// ------
/// ValueError
///     PX031: the parts do not fit together. PX159: shards of this process are missing.
#[pyfunction]
#[pyo3(signature = (part, axis=JoinedAxis(None)), text_signature = "(part, axis=0)")]
pub fn from_local(
    py: Python<'_>,
    part: &Bound<'_, PyAny>,
    axis: JoinedAxis<'_>,
) -> PyResult<Py<PyAny>> {
    session::ensure(py)?;
    // The result of `local_view` stands for a list of shards.
    let shards = if part.hasattr("_shards_of_view")? {
        Some(part.getattr("_shards_of_view")?)
    } else {
        None
    };
    let part = shards.as_ref().unwrap_or(part);
    let is_list = part.is_instance_of::<PyList>() || part.is_instance_of::<PyTuple>();
    let parts: PyResult<Vec<Bound<'_, PyAny>>> =
        if is_list { part.try_iter()?.collect() } else { Ok(vec![part.clone()]) };
    let parts = parts?;
    let shards = parts.iter().map(|part| {
        part.cast::<Shard>().ok().map(|shard| (shard.get().split, shard.get().devices))
    });
    let split = at_line(py, || SplitAlong::of_shards(shards));
    let split = split.map_err(|error| raised(py, &error));
    if let Ok(Some(SplitAlong::Nothing)) = split {
        axis.integer()?;
        return from_shared(py, &data_of(&parts[0])).map(|(array, _)| array);
    }
    let is_whole = |part: &Bound<'_, PyAny>| {
        part.cast::<Shard>().is_ok_and(|shard| shard.get().split == SplitAlong::Nothing)
    };
    // Shards of an array that every device holds whole: each process makes the new array by itself
    // and no other process waits, so the error is raised here alone.
    if parts.iter().all(is_whole)
        && let Err(error) = split
    {
        return Err(error);
    }
    let shards = split.and_then(|split| {
        let shards: PyResult<Vec<LocalShard>> =
            parts.iter().map(|part| to_local_shard(&data_of(part))).collect();
        let axis = match split {
            Some(SplitAlong::One(place)) => axis.integer().map(|_| place as i64)?,
            _ => axis.integer()?,
        };
        Ok((shards?, axis))
    });
    // The other ranks wait for the parts of this one, so a wrong part here must be an error there,
    // too.
    match shards {
        Ok((shards, axis)) => {
            let joined = at_line(py, || Array::from_local_shards(shards, axis));
            Ndarray::wrap(py, joined)
        }
        Err(error) => {
            let _refused = at_line(py, || Array::from_local(vec![], 0));
            Err(error)
        }
    }
}

/// The argument `axis` of `from_local`, before its type is checked; 0 if it is not given.
pub struct JoinedAxis<'py>(Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for JoinedAxis<'py> {
    type Error = std::convert::Infallible;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> Result<JoinedAxis<'py>, Self::Error> {
        Ok(JoinedAxis(Some(object.to_owned())))
    }
}

impl JoinedAxis<'_> {
    fn integer(&self) -> PyResult<i64> {
        let Some(object) = &self.0 else { return Ok(0) };
        object.extract().map_err(|error| {
            for_type_error(object.py(), error, || {
                wrong_type("from_local(): axis", "an integer", object)
            })
        })
    }
}

/// The elements of a part, which may be a shard.
fn data_of<'py>(part: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    match part.cast::<Shard>() {
        Ok(shard) => shard.get().data.bind(part.py()).clone(),
        Err(_) => part.clone(),
    }
}

/// An array of the elements of a NumPy array, which must be equal on all processes, and whether the
/// elements are shared without a copy.
#[pyfunction(name = "_from_shared")]
pub fn from_shared(py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<(Py<PyAny>, bool)> {
    session::ensure(py)?;
    let data = to_local_shard(array)?;
    let (made, is_shared) = at_line(py, || Array::from_shared(&data));
    Ok((Ndarray::wrap(py, made)?, is_shared))
}

/// The mesh of all devices.
///
/// Returns
/// -------
/// Mesh
///
/// Raises
/// ------
/// None
///     Nothing is raised.
///
/// Notes
/// -----
/// Local.
#[pyfunction]
pub fn mesh(py: Python<'_>) -> PyResult<Mesh> {
    session::ensure(py)?;
    let handle = phalanx::MeshHandle::current();
    let handle = handle
        .ok_or_else(|| value_error(Mistake::State, "no session has started: call phalanx.init"))?;
    Ok(Mesh { mesh: handle.mesh().clone() })
}

/// The mesh of axes and their extents.
#[pyfunction(name = "_mesh_of")]
pub fn mesh_of(axes: Vec<(String, usize)>) -> Mesh {
    let axes: Vec<(&str, usize)> = axes.iter().map(|(name, extent)| (&**name, *extent)).collect();
    Mesh { mesh: phalanx::Mesh::new(&axes) }
}

/// A block whose arrays are this process's own: ``with phalanx.local():``.
///
/// The arrays reside on the devices of this process only, and may differ between processes. They
/// cannot be mixed with arrays of other meshes: use ``x.get()`` or ``phalanx.from_local`` to move
/// between meshes.
#[pyclass(name = "local", module = "phalanx", frozen)]
pub struct Local {
    blocks: Blocks,
}

#[pymethods]
impl Local {
    #[new]
    fn new() -> Local {
        Local { blocks: Blocks::default() }
    }

    fn __enter__(&self, py: Python<'_>) -> PyResult<()> {
        self.blocks.enter(session::local_mesh(py)?.entered());
        Ok(())
    }

    #[pyo3(signature = (*_arguments))]
    fn __exit__(&self, _arguments: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.blocks.leave::<phalanx::Entered>("local")?;
        Ok(false)
    }
}

/// A block whose arrays are the world's, inside of a block of this process's own arrays.
#[pyclass(name = "_world", module = "phalanx", frozen)]
pub struct World {
    blocks: Blocks,
}

#[pymethods]
impl World {
    #[new]
    fn new() -> World {
        World { blocks: Blocks::default() }
    }

    fn __enter__(&self, py: Python<'_>) -> PyResult<()> {
        self.blocks.enter(session::world_mesh(py)?.entered());
        Ok(())
    }

    #[pyo3(signature = (*_arguments))]
    fn __exit__(&self, _arguments: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.blocks.leave::<phalanx::Entered>("_world")?;
        Ok(false)
    }
}

/// A block whose arrays are on the mesh of the first array among objects, if there is one.
#[pyclass(name = "_beside", module = "phalanx", frozen)]
pub struct Beside {
    objects: Py<PyAny>,
    blocks: Blocks,
}

#[pymethods]
impl Beside {
    #[new]
    fn new(objects: Py<PyAny>) -> Beside {
        Beside { objects, blocks: Blocks::default() }
    }

    fn __enter__(&self, py: Python<'_>) {
        self.blocks.enter(call_mesh::of_objects([self.objects.bind(py)]));
    }

    #[pyo3(signature = (*_arguments))]
    fn __exit__(&self, _arguments: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.blocks.leave::<Option<phalanx::Entered>>("_beside")?;
        Ok(false)
    }
}

/// Shares the outcome of work that each process does by itself: if any process passes an error, all
/// processes raise an error. Collective.
///
/// Parameters
/// ----------
/// error : Exception, optional
///     The error of this process; None if it has none.
///
/// Returns
/// -------
/// None
///
/// Raises
/// ------
/// RuntimeError
///     PX032: a process has passed an error; the text names the process and its message.
#[pyfunction]
#[pyo3(signature = (error=None))]
pub fn agree(py: Python<'_>, error: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    session::ensure(py)?;
    let outcome = match error {
        None => Ok(()),
        Some(error) => Err(error.str()?.to_string()),
    };
    let world = session::world_mesh(py)?;
    let agreed = at_line(py, || world.enter(|| phalanx::agree(outcome)));
    agreed.map_err(|error| raised(py, &error))
}
