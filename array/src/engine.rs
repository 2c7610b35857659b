//! What `array` asks of whoever evaluates: a trait, so that arrows point one way.

use crate::error::{Error, Site};
use crate::graph::{Evaluated, Graph};
use crate::host::{HostArray, LocalShard};
use phalanx_ops::{AffineMap, DType, IndexBox, Mesh, Sharding};
use std::any::Any;
use std::sync::Arc;

/// Why a window is closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A value is observed.
    Observation,
    /// A value is printed; the call site is that of the operation that made it, for formatting does
    /// not know its own.
    Print,
    /// The shape of a result, or whether an operation fails, depends on data.
    Data,
    /// The window is long enough.
    Limit,
    /// The program ends.
    Exit,
}

impl Cause {
    /// Whether the program sees a value, so that it is told of errors put off until then.
    pub(crate) const fn is_observation(self) -> bool {
        match self {
            Cause::Observation | Cause::Print | Cause::Exit => true,
            Cause::Data | Cause::Limit => false,
        }
    }
}

/// The limits of a window and the sizes at which arrays are split, agreed by all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// A window this long closes at its anchor.
    pub soft: usize,
    /// A window this long closes at once.
    pub hard: usize,
    /// A window whose reductions, products and selections have this many bytes closes at once.
    pub bytes: u64,
    /// A plan on one device with fewer bytes than this is run by the caller: it is over before
    /// another thread is awake.
    pub small: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { soft: 256, hard: 4096, bytes: 4 << 30, small: 64 << 10 }
    }
}

/// The memory of a shard, in C order, for others to read. As long as this is held the memory is
/// neither freed nor written: the array that it was taken from is written elsewhere.
#[derive(Clone)]
pub struct ShardMemory {
    /// The index at which the shard starts in the array.
    pub start: Vec<usize>,
    /// The shard's extents.
    pub shape: Vec<usize>,
    /// Where its first element lies: in the memory of this process, or of the device.
    pub address: usize,
    /// The name of the device that has it, such as `cuda:0`.
    pub device: String,
    /// Whether the host can read it there.
    pub is_on_host: bool,
    /// What keeps it.
    pub owner: Arc<dyn Any + Send + Sync>,
}

/// What came of a window.
#[derive(Debug)]
pub struct Evaluation {
    /// What there was too little memory for just now: it is evaluated again with what is recorded
    /// next. The same on all ranks.
    pub pending: Graph,
    /// The error that the closing of the window has.
    pub outcome: Result<(), Error>,
}

impl From<Result<(), Error>> for Evaluation {
    /// Nothing is pending.
    fn from(outcome: Result<(), Error>) -> Evaluation {
        Evaluation { pending: Graph::default(), outcome }
    }
}

/// Evaluates windows of one mesh.
pub trait Engine: Send + Sync {
    /// Plans and starts a window. Every node that the program can observe gets its result (or the
    /// error) before this returns, but those that are still pending; results may still be computed
    /// while the caller goes on. Collective over the mesh.
    ///
    /// Where there is too little memory for all, what there is room for is computed. A value that
    /// was observed, or that can never be made, gets the error; others stay pending.
    fn evaluate(&self, graph: &Graph, cause: Cause, site: Site) -> Evaluation;

    /// The plan of a window as text. Local: nothing is run or agreed.
    fn explain(&self, graph: &Graph) -> Result<String, Error>;

    /// The shardings that the nodes of a window will have. Local.
    fn shardings(&self, graph: &Graph) -> Result<Vec<Sharding>, Error>;

    /// A value from data that every rank declares to be equal; each process keeps its own blocks.
    fn upload(&self, data: &HostArray, site: Site) -> Result<Arc<dyn Evaluated>, Error>;

    /// As `upload`, of elements that stay where they are if each local block lies there in one
    /// piece, and whether they do. An engine without devices knows nothing of their memory.
    fn share(&self, data: &LocalShard, site: Site) -> Result<(Arc<dyn Evaluated>, bool), Error> {
        let LocalShard { dtype, shape, bytes } = data;
        let bytes = bytes.on_host().map_or_else(|| vec![0; bytes.len()], <[u8]>::to_vec);
        let data = HostArray { dtype: *dtype, shape: shape.clone(), bytes };
        Ok((self.upload(&data, site)?, false))
    }

    /// The elements of a view of a value, if this process holds them all. Local; waits for the
    /// value.
    fn read(
        &self,
        value: &Arc<dyn Evaluated>,
        shape: &[usize],
        map: &AffineMap,
    ) -> Result<Option<HostArray>, Error>;

    /// One global array of what every process holds: its shards, one for each local device, are
    /// joined along `axis`. Returns its shape too. Collective over the mesh.
    #[allow(clippy::wrong_self_convention, reason = "the name is that of the public function")]
    fn from_local(
        &self,
        shards: Vec<LocalShard>,
        axis: i64,
        site: Site,
    ) -> Result<(Vec<usize>, Arc<dyn Evaluated>), Error>;

    /// This process's shards of a value, in device order, each with the index at which it starts.
    /// Local.
    fn local_shards(
        &self,
        value: &Arc<dyn Evaluated>,
    ) -> Result<Vec<(Vec<usize>, HostArray)>, Error>;

    /// The memory of this process's shards of a value, in device order, where it lies or,
    /// `on_host`, where the host can read it; nothing where shards have no memory. Local; waits for
    /// the value.
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

    /// Makes every rank's outcome of a local action known to all ranks: an error of one is an error
    /// of all. Collective.
    fn agree(&self, outcome: Result<(), String>, site: Site) -> Result<(), Error>;

    /// How a new array of this shape is split, and the block of each local device. Local. An engine
    /// that says nothing else keeps every array whole on one device.
    fn placement(&self, shape: &[usize]) -> (Sharding, Vec<IndexBox>) {
        let whole = shape.iter().map(|&extent| 0..extent).collect();
        (Sharding::replicated(shape.len()), vec![whole])
    }

    /// A value placed as `placement` says, from the bytes of the blocks of this process, in C
    /// order. Local; the other processes make theirs from their blocks.
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

    /// Remembers bytes that every rank declares to be equal on all ranks; the next step that all
    /// take together compares them. Local.
    fn declare(&self, data: &[u8], site: Site) {
        let _ = (data, site);
    }

    /// Notes that the program reads a value at this call site. A read need not be a step of the
    /// ranks; messages to other ranks about this one then name the site of its last read. Local.
    fn observes(&self, site: Site) {
        let _ = site;
    }

    /// What every rank says, by rank. Collective.
    fn exchange(&self, own: Vec<u8>, _site: Site) -> Result<Vec<Vec<u8>>, Error> {
        Ok(vec![own])
    }

    /// The mesh.
    fn mesh(&self) -> &Mesh;

    /// The limits of windows.
    fn limits(&self) -> Limits;

    /// Waits until another window can be started without waiting. The caller holds nothing that
    /// others need. Local.
    ///
    /// Errors: the user gives up the wait.
    fn make_room(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Waits until all windows that were started have been handed to their devices, which may still
    /// be at work. Local.
    ///
    /// Errors: that of a window; the user gives up the wait.
    fn hand_over(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Waits for all windows that were started. Local.
    ///
    /// Errors: that of a window; the user gives up the wait.
    fn settle(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Waits for a value on behalf of the program, which is given the error. Local.
    fn wait(&self, value: &Arc<dyn Evaluated>) -> Result<(), Error> {
        value.wait()
    }

    /// This process and the number of processes.
    fn process(&self) -> (usize, usize);
}
