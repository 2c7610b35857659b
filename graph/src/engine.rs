//! The trait [`Engine`], through which a mesh evaluates its windows. The scheduler implements it,
//! so that this crate does not depend on the scheduler.

use crate::error::{Error, Site};
use crate::graph::Graph;
use crate::host::{HostArray, LocalShard};
use crate::node::{Evaluated, Node, Operand};
use crate::operation::NodeOp;
use phalanx_ops::{AffineMap, Bytes, DType, IndexBox, Mesh, Monoid, Op, Scalar, Sharding};
use std::any::Any;
use std::sync::Arc;

/// The reason for closing a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A value is observed.
    Observation,
    /// A value is printed. The call site is that of the operation that made the value, because
    /// formatting has no call site.
    Print,
    /// The shape of a result, or whether an operation fails, depends on data.
    Data,
    /// The window has reached one of its [`Limits`].
    Limit,
    /// A run of small operations, which run at once as soon as their operands are computed.
    Small,
    /// The program ends.
    Exit,
}

impl Cause {
    /// Whether the program observes a value, so that deferred errors are raised.
    pub const fn is_observation(self) -> bool {
        match self {
            Cause::Observation | Cause::Print | Cause::Exit => true,
            Cause::Data | Cause::Limit | Cause::Small => false,
        }
    }
}

/// The limits of a window, and the size of plans that the caller runs. All ranks use the same
/// limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// A window with this many nodes closes where the program repeats: see `window/repeats.rs`.
    pub soft: usize,
    /// A window with this many nodes closes at once.
    pub hard: usize,
    /// A window closes at once if the results of its reductions, products and selections have this
    /// size in total, or four times this size for each GPU.
    pub bytes: Bytes,
    /// A window that closes for its length is run by the caller if there is one device and its
    /// values are smaller than this. Such a plan ends before another thread would wake.
    pub small: Bytes,
    /// An operation runs when it is recorded, without a plan, if it has at most this many elements,
    /// its operands are computed, and the process is alone with one CPU device. More than 1,024
    /// counts as 1,024.
    pub at_once: usize,
    /// Whether operations are recorded so that their bits do not depend on how arrays are split,
    /// where no scope says otherwise.
    pub reproducible: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        let (bytes, small) = (Bytes(4 << 30), Bytes(64 << 10));
        Limits { soft: 256, hard: 4096, bytes, small, at_once: 1024, reproducible: false }
    }
}

/// The memory of a shard, in C order, for reading by other code. While this is held, the memory is
/// neither freed nor written: a later write of the array uses other memory.
#[derive(Clone)]
pub struct ShardMemory {
    /// The index at which the shard starts in the array.
    pub start: Vec<usize>,
    /// The shard's extents.
    pub shape: Vec<usize>,
    /// The address of its first element, in the memory of this process or of the device.
    pub address: usize,
    /// The name of the device whose memory it is, such as `cuda:0`.
    pub device: String,
    /// Whether the host can read the address.
    pub is_on_host: bool,
    /// Keeps the memory alive.
    pub owner: Arc<dyn Any + Send + Sync>,
}

/// The outcome of closing a window.
#[derive(Debug)]
pub struct Evaluation {
    /// The nodes for which there was too little memory for now. They are evaluated again with the
    /// next window. They are the same on all ranks.
    pub pending: Graph,
    /// The error that closing the window returns.
    pub outcome: Result<(), Error>,
}

impl From<Result<(), Error>> for Evaluation {
    /// Nothing is pending.
    fn from(outcome: Result<(), Error>) -> Evaluation {
        Evaluation { pending: Graph::default(), outcome }
    }
}

/// The result of an operation that ran when it was recorded.
#[derive(Debug)]
pub enum AtOnce {
    /// A value.
    Value(Arc<dyn Evaluated>),
    /// The element of a value without axes.
    Element(Scalar),
}

/// Evaluates windows of one mesh.
pub trait Engine: Send + Sync {
    /// Plans and starts a window. Before this returns, every node that the program can observe has
    /// its result or its error, except for pending nodes. Results may still be computed after the
    /// return. Collective over the mesh.
    ///
    /// If there is too little memory for the whole window, the nodes that fit are computed. A value
    /// that was observed, or that can never fit, gets the error; other values stay pending.
    fn evaluate(&self, graph: &Graph, cause: Cause, site: Site) -> Evaluation;

    /// The plan of a window as text. Local: nothing is run, and ranks do not communicate.
    fn explain(&self, graph: &Graph) -> Result<String, Error>;

    /// The shardings that the nodes of a window will get. Local.
    fn shardings(&self, graph: &Graph) -> Result<Vec<Sharding>, Error>;

    /// A value from data that is equal on all ranks; each process keeps its own blocks.
    fn upload(&self, data: &HostArray, site: Site) -> Result<Arc<dyn Evaluated>, Error>;

    /// Like `upload`, but the elements stay in the caller's memory if each local block is
    /// contiguous there. The flag is true if they do. The default copies: an engine without devices
    /// has no use for their memory.
    fn share(&self, data: &LocalShard, site: Site) -> Result<(Arc<dyn Evaluated>, bool), Error> {
        let LocalShard { dtype, shape, bytes } = data;
        let bytes = bytes.on_host().map_or_else(|| vec![0; bytes.len()], <[u8]>::to_vec);
        let data = HostArray { dtype: *dtype, shape: shape.clone(), bytes };
        Ok((self.upload(&data, site)?, false))
    }

    /// Whether the devices of the mesh are GPUs. Local.
    fn has_gpus(&self) -> bool {
        false
    }

    /// The elements of a view of a value, if this process holds them all. Local; waits for the
    /// value.
    fn read(
        &self,
        value: &Arc<dyn Evaluated>,
        shape: &[usize],
        map: &AffineMap,
    ) -> Result<Option<HostArray>, Error>;

    /// The element of a computed value at this index, if it can be read at once: by a process that
    /// is alone, from the memory of a CPU, without a wait. Local.
    fn element(&self, value: &Arc<dyn Evaluated>, index: &[i64]) -> Option<Scalar> {
        let _ = (value, index);
        None
    }

    /// Writes an element of a computed value in place, if [`Engine::element`] would read it and
    /// nothing else uses the memory. Returns whether it did. The caller ensures that nothing else
    /// uses the value. Local.
    fn set_element(&self, value: &Arc<dyn Evaluated>, index: &[i64], element: Scalar) -> bool {
        let _ = (value, index, element);
        false
    }

    /// The value of an operation that is recorded now, if it is small enough to run at once
    /// ([`Limits::at_once`]) and its operands are computed. `None` if a plan has to compute it.
    /// Local.
    fn at_once(
        &self,
        op: &NodeOp,
        operands: &[Operand],
        shape: &[usize],
        dtype: DType,
    ) -> Option<AtOnce> {
        let _ = (op, operands, shape, dtype);
        None
    }

    /// Writes an operand of the view's shape into a view of a computed value (`None` is all of it)
    /// in place, if [`Engine::at_once`] would run such an operation and nothing else uses the
    /// memory. With an operation, writes its results on the elements of the view and the operand,
    /// whose dtypes its loop has; the results have the value's dtype. Returns whether it did. The
    /// caller ensures that nothing else uses the node. Local.
    fn store_at_once(
        &self,
        node: &Node,
        map: Option<&AffineMap>,
        op: Option<Op>,
        operand: &Operand,
    ) -> bool {
        let _ = (node, map, op, operand);
        false
    }

    /// All results, of dtype `dtype`, of an elementwise operation on operands of shape `shape`,
    /// combined to one element, as [`Engine::at_once`] computes. `None` if a plan has to compute
    /// it. Local.
    fn folded_at_once(
        &self,
        op: Op,
        operands: &[Operand],
        shape: &[usize],
        dtype: DType,
        monoid: Monoid,
    ) -> Option<Scalar> {
        let _ = (op, operands, shape, dtype, monoid);
        None
    }

    /// The result of an elementwise operation, by the loop with these operands, if the devices
    /// compute it with the same bits. `None` if a plan has to compute it. Local.
    fn computed(&self, op: Op, operands: &[Scalar], result: DType) -> Option<Scalar> {
        let _ = (op, operands, result);
        None
    }

    /// A global array of the data of all processes: their shards, one for each local device, are
    /// joined along `axis`. The result includes the shape. Collective over the mesh.
    #[allow(clippy::wrong_self_convention, reason = "the name is that of the public function")]
    fn from_local(
        &self,
        shards: Vec<LocalShard>,
        axis: i64,
        site: Site,
    ) -> Result<(Vec<usize>, Arc<dyn Evaluated>), Error>;

    /// This process's shards of a value, in device order, each with its start index in the array.
    /// Local.
    fn local_shards(
        &self,
        value: &Arc<dyn Evaluated>,
    ) -> Result<Vec<(Vec<usize>, HostArray)>, Error>;

    /// The memory of this process's shards of a value, in device order: in its device or, with
    /// `on_host`, where the host can read it. Empty if shards have no memory. Local; waits for the
    /// value.
    fn shard_memory(
        &self,
        value: &Arc<dyn Evaluated>,
        on_host: bool,
    ) -> Result<Vec<ShardMemory>, Error> {
        let _ = (value, on_host);
        Ok(Vec::new())
    }

    /// The extents of a value whose shape was unknown when it was recorded.
    fn extents(&self, value: &Arc<dyn Evaluated>) -> Vec<usize>;

    /// Shares the outcome of a local action among all ranks: an error on one rank is an error on
    /// all. Collective.
    fn agree(&self, outcome: Result<(), String>, site: Site) -> Result<(), Error>;

    /// The sharding of a new array of this shape, and the block of each local device. Local. By
    /// default, every array is whole on one device.
    fn placement(&self, shape: &[usize]) -> (Sharding, Vec<IndexBox>) {
        let whole = shape.iter().map(|&extent| 0..extent).collect();
        (Sharding::replicated(shape.len()), vec![whole])
    }

    /// A value with the sharding of `placement`, from the bytes of the blocks of this process, in C
    /// order. Local; the other processes make the value from their own blocks.
    #[allow(clippy::wrong_self_convention, reason = "as `from_local`")]
    fn from_blocks(
        &self,
        dtype: DType,
        shape: &[usize],
        blocks: Vec<Vec<u8>>,
        site: Site,
    ) -> Result<Arc<dyn Evaluated>, Error> {
        let bytes = blocks.into_iter().next().unwrap_or_default();
        self.upload(&HostArray { dtype, shape: shape.to_vec(), bytes }, site)
    }

    /// Records data that must be equal on all ranks. Ranks compare it at the next Collective call.
    /// Local.
    fn declare(&self, data: &[u8], site: Site) {
        let _ = (data, site);
    }

    /// Records that the program reads a value at this call site. A read may post no ticket, so
    /// messages to other ranks about this rank name the site of its last read. Local.
    fn observes(&self, site: Site) {
        let _ = site;
    }

    /// The messages of all ranks, by rank. Collective.
    fn exchange(&self, own: Vec<u8>, _site: Site) -> Result<Vec<Vec<u8>>, Error> {
        Ok(vec![own])
    }

    /// The mesh.
    fn mesh(&self) -> &Mesh;

    /// The limits of windows.
    fn limits(&self) -> Limits;

    /// Waits until another window can be started without waiting. The caller must hold no lock that
    /// other threads need. Local.
    ///
    /// Errors: the user interrupts the wait.
    fn make_room(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Waits until all started windows have been handed to their devices, which may still compute.
    /// Local.
    ///
    /// Errors: that of a window; the user interrupts the wait.
    fn hand_over(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Waits until all started windows have been computed. Local.
    ///
    /// Errors: that of a window; the user interrupts the wait.
    fn settle(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Waits for a value that the program observes. The error is returned to the program. Local.
    fn wait(&self, value: &Arc<dyn Evaluated>) -> Result<(), Error> {
        value.wait()
    }

    /// The number of this process, and the number of processes.
    fn process(&self) -> (usize, usize);
}
