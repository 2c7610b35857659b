//! Constants, host data and functions of the index.

use crate::array::Array;
use crate::manipulation::refused;
use crate::recording::current_mesh;
use phalanx_graph::{
    Cause, Error, Evaluated, HostArray, Interval, LocalShard, MeshHandle, Node, NodeOp, Operand,
    ShardMemory, Site, call_site, outside, within,
};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::{check, saturating};
use phalanx_ops::{DType, Element, Scalar, Shape, Weak};
use std::sync::Arc;

/// A shape argument: an array, tuple, slice or vector of extents, or one extent.
///
/// An integer literal without another type is an `i32`, and products of `i32` may overflow. Use a
/// typed extent: `let n: usize = 70_000; zeros([n * n], …)`.
#[derive(Clone, Debug)]
pub struct ShapeArgument(pub(crate) Vec<i64>);

impl<const N: usize> From<[usize; N]> for ShapeArgument {
    fn from(shape: [usize; N]) -> ShapeArgument {
        ShapeArgument(shape.iter().map(|&extent| saturating(extent)).collect())
    }
}
impl<const N: usize> From<[i64; N]> for ShapeArgument {
    fn from(shape: [i64; N]) -> ShapeArgument {
        ShapeArgument(shape.to_vec())
    }
}
impl<const N: usize> From<[i32; N]> for ShapeArgument {
    fn from(shape: [i32; N]) -> ShapeArgument {
        ShapeArgument(shape.iter().map(|&extent| extent.into()).collect())
    }
}
impl From<&[usize]> for ShapeArgument {
    fn from(shape: &[usize]) -> ShapeArgument {
        ShapeArgument(shape.iter().map(|&extent| saturating(extent)).collect())
    }
}
impl From<Vec<usize>> for ShapeArgument {
    fn from(shape: Vec<usize>) -> ShapeArgument {
        shape.as_slice().into()
    }
}
impl From<&[i64]> for ShapeArgument {
    fn from(shape: &[i64]) -> ShapeArgument {
        ShapeArgument(shape.to_vec())
    }
}
impl From<usize> for ShapeArgument {
    fn from(extent: usize) -> ShapeArgument {
        ShapeArgument(vec![saturating(extent)])
    }
}
macro_rules! shapes_of_tuples {
    ($(($($extent:ident)+))*) => {$(
        #[allow(non_snake_case, reason = "each value has the name of its type")]
        impl<$($extent: Extent),+> From<($($extent,)+)> for ShapeArgument {
            fn from(($($extent,)+): ($($extent,)+)) -> ShapeArgument {
                ShapeArgument(vec![$($extent.extent()),+])
            }
        }
    )*};
}
shapes_of_tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }

/// An integer that may be an extent in a tuple.
pub trait Extent {
    /// The extent. An integer that is too large becomes `i64::MAX`, which no array has.
    fn extent(self) -> i64;
}

macro_rules! extents {
    ($($integer:ty)*) => {$(
        impl Extent for $integer {
            fn extent(self) -> i64 {
                i64::try_from(self).unwrap_or(i64::MAX)
            }
        }
    )*};
}
extents! { usize u64 u32 i64 i32 }

impl From<()> for ShapeArgument {
    fn from((): ()) -> ShapeArgument {
        ShapeArgument(Vec::new())
    }
}

impl ShapeArgument {
    /// The shape, if an array of it with elements of `item` bytes is allowed.
    pub(crate) fn resolve(&self, item: usize, site: Site) -> Result<Shape, Error> {
        if let Some(negative) = self.0.iter().find(|&&extent| extent < 0) {
            return Err(refused("shape", "extent", negative.to_string(), site));
        }
        let shape: Shape = self.0.iter().map(|&extent| extent as usize).collect();
        check(&shape, item).map_err(|error| Error::op(error, site))?;
        Ok(shape)
    }
}

/// The number of bytes of an index.
pub(super) const INDEX_BYTES: usize = DType::I64.size();

fn fill(shape: &ShapeArgument, value: Weak, dtype: DType, site: Site) -> Array {
    Array::catch((|| {
        let shape = shape.resolve(dtype.size(), site)?;
        let mesh = current_mesh(site)?;
        let value = Scalar::filled(dtype, value).map_err(|error| Error::op(error, site))?;
        let node = mesh.record(NodeOp::Fill, &[Operand::Scalar(value)], shape, dtype, site)?;
        Ok(Array::from_node(mesh, node))
    })())
}

/// An array of zeros. Local (records a node).
#[track_caller]
pub fn zeros(shape: impl Into<ShapeArgument>, dtype: DType) -> Array {
    fill(&shape.into(), Weak::Int(0), dtype, call_site())
}

/// An array of ones. Local (records a node).
#[track_caller]
pub fn ones(shape: impl Into<ShapeArgument>, dtype: DType) -> Array {
    fill(&shape.into(), Weak::Int(1), dtype, call_site())
}

/// An array with unspecified elements. They are zeros, so that programs are reproducible. Local
/// (records a node).
#[track_caller]
pub fn empty(shape: impl Into<ShapeArgument>, dtype: DType) -> Array {
    fill(&shape.into(), Weak::Int(0), dtype, call_site())
}

/// An array whose every element is `value`. Local (records a node). Errors: `OpError::OutOfRange`
/// for an integer that does not fit an integer dtype.
#[track_caller]
pub fn full(shape: impl Into<ShapeArgument>, value: impl Into<Weak>, dtype: DType) -> Array {
    fill(&shape.into(), value.into(), dtype, call_site())
}

/// The index along `axis`, of dtype `i64`, as an array of shape `shape`.
pub(crate) fn index_of(
    shape: &Shape,
    axis: usize,
    mesh: &MeshHandle,
    site: Site,
) -> Result<Array, Error> {
    let node = mesh.record(NodeOp::Index(axis as u8), &[], shape.clone(), DType::I64, site)?;
    Ok(Array::from_node(mesh.clone(), node))
}

/// An array whose elements are an expression of their indices. `expression` receives one `i64`
/// array of indices for each axis.
///
/// Shape: `shape`. Dtype: that of the expression, which is broadcast to `shape`. Local (records
/// nodes); no index array is ever stored.
#[track_caller]
pub fn from_function(
    shape: impl Into<ShapeArgument>,
    expression: impl FnOnce(&[Array]) -> Array,
) -> Array {
    let site = call_site();
    let shape = shape.into();
    Array::catch((|| {
        let shape = shape.resolve(INDEX_BYTES, site)?;
        let mesh = current_mesh(site)?;
        let indices: Vec<Array> = (0..shape.len())
            .map(|axis| index_of(&shape, axis, &mesh, site))
            .collect::<Result<_, _>>()?;
        let result = mesh.enter(|| outside(|| expression(&indices)));
        result.ok()?;
        Ok(if result.shape() == shape.as_slice() {
            result
        } else {
            within(site, || result.broadcast_to(shape.as_slice()).copy())
        })
    })())
}

impl Array {
    /// An array that holds a copy of host data. Pass equal data on all ranks.
    ///
    /// Local. Errors: `OpError::DataLength`, and `Failure` if there is not enough memory.
    #[track_caller]
    pub fn from_host(data: &HostArray) -> Array {
        Array::from_host_at(data, call_site())
    }

    pub(crate) fn from_host_at(data: &HostArray, site: Site) -> Array {
        Array::catch((|| {
            let mesh = current_mesh(site)?;
            data.check().map_err(|error| Error::op(error, site))?;
            let value = mesh.engine().upload(data, site)?;
            let node = Node::evaluated(data.shape.as_slice().into(), data.dtype, value, site);
            node.learn(Interval::of_host(data.dtype, &data.bytes));
            Ok(Array::from_node(mesh, node))
        })())
    }

    /// One global array of the shards of all processes, joined along `axis`. Each process passes
    /// one shard for each of its devices. A single shard is split evenly over the devices of its
    /// process.
    ///
    /// Collective over the mesh (exchanges the extents). Errors: a `Failure` on all ranks if the
    /// shards of any rank do not fit. The rank with the faulty shard reports `OpError::Axis` for a
    /// shard without the axis and `OpError::DataLength` for bytes that do not fill the shape.
    #[track_caller]
    pub fn from_local(shards: Vec<HostArray>, axis: i64) -> Array {
        Array::from_local_shards(shards.into_iter().map(LocalShard::from).collect(), axis)
    }

    /// An array that shares the memory of `data` if the devices can use it there, and whether it
    /// does. Pass equal data on all ranks. Do not write shared memory while the array is in use.
    /// Memory that is not shared is copied.
    ///
    /// Local. Errors: those of `from_slice`.
    #[track_caller]
    pub fn from_shared(data: &LocalShard) -> (Array, bool) {
        let site = call_site();
        let mut is_shared = false;
        let array = Array::catch((|| {
            data.check().map_err(|error| Error::op(error, site))?;
            let mesh = current_mesh(site)?;
            let (value, shares) = mesh.engine().share(data, site)?;
            is_shared = shares;
            let node = Node::evaluated(data.shape.as_slice().into(), data.dtype, value, site);
            if let Some(bytes) = data.bytes.on_host().filter(|_| !shares) {
                node.learn(Interval::of_host(data.dtype, bytes));
            }
            Ok(Array::from_node(mesh, node))
        })());
        (array, is_shared)
    }

    /// As `from_local`, for shards whose memory may have other owners.
    #[track_caller]
    pub fn from_local_shards(shards: Vec<LocalShard>, axis: i64) -> Array {
        let site = call_site();
        Array::catch((|| {
            let mesh = current_mesh(site)?;
            let dtype = shards.first().map(|shard| shard.dtype);
            if let Some(error) = shards.iter().find_map(|shard| shard.check().err()) {
                // The other ranks wait for this rank's shards. The call without shards fails on all
                // ranks.
                let _refused = mesh.together(site)?.from_local(Vec::new(), axis, site);
                return Err(Error::op(error, site));
            }
            let (shape, value) = mesh.together(site)?.from_local(shards, axis, site)?;
            let dtype = dtype.unwrap_or_else(|| unreachable!("bug: an array without shards"));
            Ok(Array::from_node(mesh, Node::evaluated(shape.as_slice().into(), dtype, value, site)))
        })())
    }

    /// The shards of this process, in the order of its devices, each with its start index in the
    /// array.
    ///
    /// Collective over the mesh if the array is pending or a view, else Local.
    #[track_caller]
    pub fn local_shards(&self) -> Result<Vec<(Vec<usize>, HostArray)>, Error> {
        let site = call_site();
        self.of_whole(site, |mesh, value| mesh.engine().local_shards(value))
    }

    /// The memory of the shards of this process, in the order of its devices. The memory is copied
    /// only if the array is a view or the host cannot read it. It keeps its contents as long as the
    /// caller holds it, whatever happens to the array.
    ///
    /// Collective over the mesh if the array is pending or a view, else Local.
    #[track_caller]
    pub fn shard_memory(&self) -> Result<Vec<ShardMemory>, Error> {
        let site = call_site();
        self.of_whole(site, |mesh, value| mesh.engine().shard_memory(value, true))
    }

    /// As [`Array::shard_memory`], in the memory of the devices. On a GPU the work on the array has
    /// been enqueued when this returns, and may still run.
    #[track_caller]
    pub fn device_memory(&self) -> Result<Vec<ShardMemory>, Error> {
        let site = call_site();
        self.of_whole(site, |mesh, value| mesh.engine().shard_memory(value, false))
    }

    /// Calls `ask` with the value of the array, or of a copy if the array is a view.
    fn of_whole<T>(
        &self,
        site: Site,
        ask: impl FnOnce(&MeshHandle, &Arc<dyn Evaluated>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let whole = if self.base_view()?.is_whole() { self.clone() } else { self.copy_at(site) };
        whole.evaluate_at(site)?;
        let mesh = whole.mesh()?;
        match whole.operand(site)? {
            Operand::Value { node, .. } => match node.result() {
                Some(Ok(value)) => ask(&mesh, value),
                Some(Err(error)) => Err(error.clone()),
                None => unreachable!("bug: evaluated above"),
            },
            Operand::Scalar(_) => unreachable!("bug: an array is a value"),
        }
    }
}

/// An array of `shape` that holds a copy of `data`. Pass equal data on all ranks.
///
/// Local. Errors: `OpError::DataLength` if the lengths differ.
#[track_caller]
pub fn from_slice<T: Element>(data: &[T], shape: impl Into<ShapeArgument>) -> Array {
    let site = call_site();
    let shape = match shape.into().resolve(T::DTYPE.size(), site) {
        Ok(shape) => shape,
        Err(error) => return Array::broken(error),
    };
    if phalanx_ops::shape::size(&shape) != data.len() {
        let error = OpError::DataLength { given: data.len(), shape: shape.to_vec() };
        return Array::broken(Error::op(error, site));
    }
    Array::from_host_at(&HostArray::from_slice(data, &shape), site)
}

/// Closes the current mesh's window. Collective over the mesh.
///
/// Errors: those deferred by [`deferred_errors`](crate::deferred_errors), and `Failure`s of memory
/// and communication.
#[track_caller]
pub fn flush() -> Result<(), Error> {
    let site = call_site();
    let mesh = current_mesh(site)?;
    mesh.raise_known(true)?;
    mesh.close(Cause::Observation, site)?;
    mesh.raise_known(true)?;
    crate::floating::observed(&mesh, true)
}

/// As [`flush`], and waits until all recorded work has run. Collective over the mesh.
///
/// Errors: as for `flush`, and the errors of work that was started before.
#[track_caller]
pub fn synchronize() -> Result<(), Error> {
    let site = call_site();
    let mesh = current_mesh(site)?;
    within(site, flush)?;
    mesh.engine().settle()
}

/// As [`flush`], and waits until all recorded work has been enqueued on the devices. A GPU may
/// still run it: a stream that waits for the GPU's streams also waits for this work. Collective
/// over the mesh.
///
/// Errors: as for `flush`, and the errors of work that was started before.
#[track_caller]
pub fn hand_over() -> Result<(), Error> {
    let site = call_site();
    let mesh = current_mesh(site)?;
    within(site, flush)?;
    mesh.engine().hand_over()
}
