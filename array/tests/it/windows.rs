//! Tests of the conditions that close windows.

use phalanx_array::{Array, arange, flush};
use phalanx_graph::{
    Cause, Engine, Entered, Error, Evaluated, Evaluation, Graph, HostArray, Limits, LocalShard,
    MeshHandle, NodeData, NodeId, NodeOp, Site,
};
use phalanx_ops::{AffineMap, DType, Mesh, Op, Sharding};
use std::any::Any;
use std::cell::RefCell;
use std::sync::{Arc, Mutex};

/// A value of zeros.
#[derive(Debug)]
struct Zeros(Sharding);

impl Evaluated for Zeros {
    fn sharding(&self) -> &Sharding {
        &self.0
    }
    fn wait(&self) -> Result<(), Error> {
        Ok(())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Records the length of each window, its cause, and the node that was observed; and its first
/// operation.
struct Notes {
    mesh: Mesh,
    processes: usize,
    limits: Limits,
    windows: Mutex<Vec<(usize, Cause, Option<usize>)>>,
    starts: Mutex<Vec<NodeOp>>,
}

impl Engine for Notes {
    fn evaluate(&self, graph: &Graph, cause: Cause, _: Site) -> Evaluation {
        self.windows.lock().unwrap().push((
            graph.nodes.len(),
            cause,
            graph.observed().map(NodeId::index),
        ));
        self.starts.lock().unwrap().push(graph.nodes[0].op.clone());
        for node in &graph.nodes {
            node.node.finish(Ok(Arc::new(Zeros(Sharding::replicated(node.shape.len())))));
        }
        Evaluation::from(Ok(()))
    }
    fn read(
        &self,
        _: &Arc<dyn Evaluated>,
        _: &[usize],
        map: &AffineMap,
    ) -> Result<Option<HostArray>, Error> {
        let bytes = vec![0; phalanx_ops::shape::size(&map.shape) * 8];
        Ok(Some(HostArray { dtype: DType::I64, shape: map.shape.to_vec(), bytes }))
    }
    fn explain(&self, _: &Graph) -> Result<String, Error> {
        Ok(String::new())
    }
    fn shardings(&self, graph: &Graph) -> Result<Vec<Sharding>, Error> {
        Ok(graph.nodes.iter().map(|node| Sharding::replicated(node.shape.len())).collect())
    }
    fn upload(&self, data: &HostArray, _: Site) -> Result<Arc<dyn Evaluated>, Error> {
        Ok(Arc::new(Zeros(Sharding::replicated(data.shape.len()))))
    }
    fn from_local(
        &self,
        shards: Vec<LocalShard>,
        _: i64,
        site: Site,
    ) -> Result<(Vec<usize>, Arc<dyn Evaluated>), Error> {
        Ok((shards[0].shape.clone(), self.share(&shards[0], site)?.0))
    }
    fn local_shards(&self, _: &Arc<dyn Evaluated>) -> Result<Vec<(Vec<usize>, HostArray)>, Error> {
        Ok(Vec::new())
    }
    fn extents(&self, _: &Arc<dyn Evaluated>) -> Vec<usize> {
        vec![0]
    }
    fn agree(&self, _: Result<(), String>, _: Site) -> Result<(), Error> {
        Ok(())
    }
    fn mesh(&self) -> &Mesh {
        &self.mesh
    }
    fn limits(&self) -> Limits {
        self.limits
    }
    fn process(&self) -> (usize, usize) {
        (0, self.processes)
    }
}

impl Notes {
    fn new(processes: usize) -> Arc<Notes> {
        Notes::with_limits(processes, Limits { hard: 6, ..Limits::default() })
    }

    fn with_limits(processes: usize, limits: Limits) -> Arc<Notes> {
        let (windows, starts) = (Mutex::default(), Mutex::default());
        Arc::new(Notes { mesh: Mesh::line(1), processes, limits, windows, starts })
    }
}

#[test]
fn meshes_are_left_in_any_order_and_by_threads_that_end() {
    let [outer, inner] = [(); 2].map(|()| MeshHandle::new(Notes::new(1)));
    let is_current = |mesh: &MeshHandle| MeshHandle::current().is_some_and(|it| it.same(mesh));
    let [first, second] = [&outer, &inner].map(MeshHandle::entered);
    assert!(is_current(&inner));
    drop(first);
    assert!(is_current(&inner));
    drop(second);
    assert!(!is_current(&inner) && !is_current(&outer));
    thread_local!(static KEPT: RefCell<Option<Entered>> = const { RefCell::new(None) });
    let ended = std::thread::spawn(move || {
        // Thread-local values may be dropped in either order.
        KEPT.with_borrow(|_| ());
        KEPT.set(Some(outer.entered()));
    });
    ended.join().unwrap();
}

#[test]
fn with_several_processes_one_thread_records() {
    for processes in [1, 2] {
        let mesh = MeshHandle::new(Notes::new(processes));
        let own = mesh.enter(|| arange(0, 4, 1));
        own.ok().unwrap();
        let other = || {
            let results = mesh.enter(|| [(&own + 1).ok().map(drop), flush(), own.evaluate()]);
            results.map(|result| result.err().map(|error| error.code()))
        };
        let found = std::thread::scope(|scope| scope.spawn(other).join().unwrap());
        let expected = if processes == 1 { None } else { Some("PX036") };
        assert_eq!(found[..2], [expected; 2]);
        (&own + 2).evaluate().unwrap();
    }
}

/// The notes of a program that computes a value from four integers, where windows of 12 operations
/// are long.
fn notes_of(program: impl FnOnce(Array) -> Array) -> Arc<Notes> {
    let limits = Limits { soft: 12, at_once: 0, ..Limits::default() };
    let notes = Notes::with_limits(1, limits);
    MeshHandle::new(notes.clone()).enter(|| program(arange(0, 4, 1)).evaluate().unwrap());
    notes
}

/// Long windows start with the first operation of a loop, whatever came before the loop, so no
/// iteration is computed in two windows.
#[test]
fn windows_of_a_loop_start_where_its_iterations_do() {
    for before in 0..6 {
        let notes = notes_of(|mut value| {
            for _ in 0..before {
                value = value.absolute();
            }
            for _ in 0..20 {
                let (more, less) = (&value * 3, &value - 1);
                value = more.minimum(&less).maximum(-5).bitwise_xor(&less);
            }
            value
        });
        let starts = notes.starts.lock().unwrap();
        let is_first = |op: &NodeOp| matches!(op, NodeOp::Elementwise(Op::Multiply));
        assert!(starts.len() > 5 && starts[1..].iter().all(is_first), "{before}: {starts:?}");
        let windows = notes.windows.lock().unwrap();
        let inner = &windows[1..windows.len() - 1];
        assert!(inner.iter().all(|(length, ..)| *length == 15), "{before}: {windows:?}");
    }
}

/// Loops of one to three operations are shorter than the places by which windows close.
#[test]
fn windows_of_short_loops_close() {
    for length in 1..4 {
        let notes = notes_of(|mut value| {
            for _ in 0..60 {
                value = &value * 3;
                if length > 1 {
                    value = &value - 1;
                }
                if length > 2 {
                    value = value.maximum(-5);
                }
            }
            value
        });
        let windows = notes.windows.lock().unwrap();
        let longest = windows.iter().map(|(length, ..)| *length).max();
        assert!(longest <= Some(12 + length), "{length}: {windows:?}");
    }
}

#[test]
fn a_window_reports_which_node_closed_it() {
    let notes = Notes::new(1);
    MeshHandle::new(notes.clone()).enter(|| {
        let closed = || std::mem::take(&mut *notes.windows.lock().unwrap());
        let a = arange(0, 4, 1);
        let (b, c) = (&a + 1, &a + 2);
        b.evaluate().unwrap();
        assert_eq!(closed(), [(3, Cause::Observation, Some(1))]);
        // A computed value closes no window, and is not computed again.
        c.evaluate().unwrap();
        let d = &b + 1;
        flush().unwrap();
        assert_eq!(closed(), [(1, Cause::Observation, None)]);
        let view = (&d + 3).slice([phalanx_ops::Index::At(-1)]);
        assert_eq!(view.to_vec::<i64>().unwrap(), [0]);
        assert_eq!(closed(), [(1, Cause::Observation, Some(0))]);
        let mask = a.greater(2);
        a.compress(&mask).ok().unwrap();
        assert_eq!(closed(), [(2, Cause::Data, Some(1))]);
        // Nothing is known of the exponents, so the condition is the observed node.
        let base = a.power(&d - 100);
        base.ok().unwrap();
        assert_eq!(closed(), [(4, Cause::Data, Some(2))]);
        let mut long = a.copy();
        for _ in 0..6 {
            long = &long + 1;
        }
        assert_eq!(closed(), [(6, Cause::Limit, None)]);
    });
}

/// Evaluates only the observed node; all other nodes with handles stay pending.
struct OneByOne(Arc<Notes>);

impl Engine for OneByOne {
    fn evaluate(&self, graph: &Graph, cause: Cause, site: Site) -> Evaluation {
        let Some(observed) = graph.observed() else { return self.0.evaluate(graph, cause, site) };
        let part = graph.part(&[observed]);
        assert_eq!(part.positions.last(), Some(&observed));
        self.0.windows.lock().unwrap().push((
            part.graph.nodes.len(),
            cause,
            Some(observed.index()),
        ));
        let sharding = Sharding::replicated(1);
        graph[observed].node.finish(Ok(Arc::new(Zeros(sharding))));
        let is_open = |data: &NodeData| data.node.is_live() && data.node.result().is_none();
        let nodes = graph.numbered().filter(|(_, data)| is_open(data));
        let open: Vec<NodeId> = nodes.map(|(node, _)| node).collect();
        Evaluation { pending: graph.part(&open).graph, outcome: Ok(()) }
    }
    fn read(
        &self,
        value: &Arc<dyn Evaluated>,
        shape: &[usize],
        map: &AffineMap,
    ) -> Result<Option<HostArray>, Error> {
        self.0.read(value, shape, map)
    }
    fn explain(&self, graph: &Graph) -> Result<String, Error> {
        self.0.explain(graph)
    }
    fn shardings(&self, graph: &Graph) -> Result<Vec<Sharding>, Error> {
        self.0.shardings(graph)
    }
    fn upload(&self, data: &HostArray, site: Site) -> Result<Arc<dyn Evaluated>, Error> {
        self.0.upload(data, site)
    }
    fn from_local(
        &self,
        shards: Vec<LocalShard>,
        axis: i64,
        site: Site,
    ) -> Result<(Vec<usize>, Arc<dyn Evaluated>), Error> {
        self.0.from_local(shards, axis, site)
    }
    fn local_shards(
        &self,
        value: &Arc<dyn Evaluated>,
    ) -> Result<Vec<(Vec<usize>, HostArray)>, Error> {
        self.0.local_shards(value)
    }
    fn extents(&self, value: &Arc<dyn Evaluated>) -> Vec<usize> {
        self.0.extents(value)
    }
    fn agree(&self, outcome: Result<(), String>, site: Site) -> Result<(), Error> {
        self.0.agree(outcome, site)
    }
    fn mesh(&self) -> &Mesh {
        self.0.mesh()
    }
    fn limits(&self) -> Limits {
        Limits::default()
    }
    fn process(&self) -> (usize, usize) {
        (0, 1)
    }
}

#[test]
fn pending_operations_are_evaluated_with_the_next_ones() {
    let notes = Notes::new(1);
    let mesh = MeshHandle::new(Arc::new(OneByOne(notes.clone())));
    mesh.clone().enter(|| {
        let closed = || std::mem::take(&mut *notes.windows.lock().unwrap());
        let a = arange(0, 4, 1);
        let (b, c) = (&a + 1, &a * 2);
        let dropped = &c * 5;
        let d = &b + &c;
        drop((c, dropped));
        b.evaluate().unwrap();
        assert_eq!(closed(), [(2, Cause::Observation, Some(1))]);
        // `a`, the product, and `d`, which uses the product. `b` is a leaf.
        assert_eq!(mesh.pending(), 3);
        let e = &d + &b;
        drop(a);
        e.evaluate().unwrap();
        assert_eq!(closed(), [(4, Cause::Observation, Some(3))]);
        assert_eq!(mesh.pending(), 3);
        let f = &e + &d;
        flush().unwrap();
        assert_eq!(closed(), [(4, Cause::Observation, None)]);
        assert_eq!(f.to_vec::<i64>().unwrap(), [0; 4]);
    });
}
