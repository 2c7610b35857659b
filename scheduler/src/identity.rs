//! The identity of a window: its *pattern*, which determines its skeleton, and its *numbers*, which
//! with the pattern determine its instance. Windows of equal identity differ only in the values of
//! their scalars, their data and their call sites, so tickets compare identities.
//!
//! A pattern holds everything except numbers: operations, dtypes, sources of operands, and the axes
//! that their maps follow. It records which extents and starts are equal, which are 0 or 1, which
//! blocks are alike, and which reductions have long loops. The values of scalars are in neither
//! part: they are arguments.

use crate::fuse::folds_many;
use phalanx_distributed::{Placement, Schedule};
use phalanx_graph::{Graph, Input, NodeOp, Source};
use phalanx_ops::{AffineMap, Bounds, Sharding};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// The identity of a window.
#[derive(Hash, Default, Debug)]
pub(crate) struct Identity {
    /// The pattern.
    pub pattern: Vec<u64>,
    /// The numbers that the pattern leaves open, each once, in the order of their first use in it.
    pub numbers: Numbers,
}

/// The numbers of a window.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Numbers {
    extents: Vec<usize>,
    starts: Vec<i64>,
    bounds: Vec<Bounds>,
}

impl Identity {
    /// A hash that equal patterns share.
    pub fn pattern_hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.pattern.iter().for_each(|&word| hasher.write_u64(word));
        hasher.finish()
    }
}

/// Computes identities, one after the other.
#[derive(Default)]
pub(crate) struct Identifier {
    identity: Identity,
    extents: FxHashMap<usize, u64>,
    starts: FxHashMap<i64, u64>,
}

/// Extents below this are part of the pattern, as is a start of 0.
const PLAIN: usize = 2;

impl Identifier {
    /// The identity of a window whose leaves have these shardings.
    pub fn window(&mut self, graph: &Graph, leaves: &[Sharding]) -> &Identity {
        tracing::trace!(target: "phalanx::path", file = file!());
        self.identity.pattern.clear();
        let Numbers { extents, starts, bounds } = &mut self.identity.numbers;
        extents.clear();
        starts.clear();
        bounds.clear();
        self.extents.clear();
        self.starts.clear();
        self.word(graph.nodes.len() as u64 | (graph.leaves.len() as u64) << 32);
        for (leaf, sharding) in graph.leaves.iter().zip(leaves) {
            self.word((leaf.shape().len() as u64) << 8 | leaf.dtype() as u64);
            self.shape(leaf.shape());
            self.sharding(sharding);
        }
        for some in graph.scalars.chunks(7) {
            self.word(some.iter().fold(1, |word, scalar| word << 8 | scalar.dtype() as u64));
        }
        for (position, node) in graph.numbered() {
            let counts = (node.inputs.len() as u64) << 8 | node.shape.len() as u64;
            let (code, argument) = code(&node.op);
            self.word(u64::from(code) << 56 | argument << 32 | (node.dtype as u64) << 16 | counts);
            match &node.op {
                NodeOp::Reduce { axes, .. } => {
                    axes.iter().for_each(|&axis| self.word(u64::from(axis)));
                    // No reduction surrounds one whose result has no axes.
                    let is_long = !node.shape.is_empty() && folds_many(graph, position);
                    self.word(u64::MAX - u64::from(is_long));
                }
                NodeOp::Special(function) => {
                    function.hash(&mut Words(&mut self.identity.pattern));
                    self.word(u64::MAX);
                }
                NodeOp::Structured(op) => {
                    op.hash(&mut Words(&mut self.identity.pattern));
                    self.word(u64::MAX);
                }
                NodeOp::Update(map) => self.map(map),
                NodeOp::Reshard(target) => self.sharding(target),
                _ => {}
            }
            self.shape(&node.shape);
            node.inputs.iter().for_each(|input| self.input(input));
        }
        &self.identity
    }

    /// The identity of the window last identified.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The pattern of the placements of the window last identified.
    pub fn placements(&mut self, placements: &[Placement]) -> Vec<u64> {
        let (words, bounds) = (self.identity.pattern.len(), self.identity.numbers.bounds.len());
        for placement in placements {
            self.sharding(&placement.space);
            self.sharding(&placement.output);
            let (kind, argument) = match &placement.schedule {
                Schedule::Rule => (0, 0),
                Schedule::Partial(partial) => {
                    let axes = partial.mesh_axes.iter();
                    let first = 1 + partial.monoid as u64;
                    (1, axes.fold(first, |word, &axis| word << 8 | u64::from(axis)))
                }
                Schedule::Panels(count) => (2, *count as u64),
                Schedule::Grid(count) => (5, *count as u64),
                Schedule::Blocks => (3, 0),
                Schedule::Together(axes) => {
                    (4, axes.iter().fold(1, |word, &axis| word << 8 | u64::from(axis)))
                }
            };
            self.word(argument << 8 | kind);
        }
        self.identity.numbers.bounds.truncate(bounds);
        self.identity.pattern.split_off(words)
    }

    fn word(&mut self, word: u64) {
        self.identity.pattern.push(word);
    }

    fn extent(&mut self, extent: usize) -> u64 {
        if extent < PLAIN {
            return extent as u64;
        }
        let known = &mut self.identity.numbers.extents;
        *self.extents.entry(extent).or_insert_with(|| {
            known.push(extent);
            (known.len() + PLAIN) as u64
        })
    }

    fn start(&mut self, start: i64) -> u64 {
        if start == 0 {
            return 0;
        }
        let known = &mut self.identity.numbers.starts;
        *self.starts.entry(start).or_insert_with(|| {
            known.push(start);
            known.len() as u64
        })
    }

    fn shape(&mut self, shape: &[usize]) {
        for pair in shape.chunks(2) {
            let second = pair.get(1).map_or(0, |&extent| self.extent(extent));
            let first = self.extent(pair[0]);
            self.word(first << 32 | second);
        }
    }

    fn map(&mut self, map: &AffineMap) {
        self.word((map.shape.len() as u64) << 32 | map.axes.len() as u64);
        self.shape(&map.shape);
        for axis in &map.axes {
            let start = self.start(axis.start);
            let follows = axis.axis.map_or(u64::from(u8::MAX), u64::from);
            self.word(start << 8 | follows);
            self.word(axis.step as u64);
        }
    }

    fn input(&mut self, input: &Input) {
        let (kind, number) = match input.source {
            Source::Node(node) => (0, node.index()),
            Source::Leaf(leaf) => (1, leaf.index()),
            Source::Scalar(scalar) => (2, scalar.index()),
        };
        self.word((number as u64) << 8 | kind << 1 | u64::from(input.map.is_some()));
        if let Some(map) = &input.map {
            self.map(map);
        }
    }

    fn sharding(&mut self, sharding: &Sharding) {
        let mut word = sharding.axes.len() as u64;
        for split in &sharding.axes {
            let Some(split) = split else {
                word <<= 1;
                continue;
            };
            let known = &mut self.identity.numbers.bounds;
            let place = known.iter().position(|bounds| *bounds == split.bounds);
            let place = place.unwrap_or_else(|| {
                known.push(split.bounds.clone());
                known.len() - 1
            });
            let axes = split.mesh_axes.iter().fold(1, |word, &axis| word << 8 | u64::from(axis));
            self.word(word << 1 | 1);
            self.word(place as u64);
            self.word(axes);
            word = 0;
        }
        self.word(word);
        debug_assert!(sharding.partial.is_none());
    }
}

/// A hasher that records all its input as words.
struct Words<'a>(&'a mut Vec<u64>);

impl Hasher for Words<'_> {
    fn write(&mut self, bytes: &[u8]) {
        for bytes in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            self.0.push(u64::from_ne_bytes(word));
        }
    }

    fn finish(&self) -> u64 {
        unreachable!("bug: words are not hashed here")
    }
}

/// The number of an operation, and the number of its argument.
pub(crate) fn code(op: &NodeOp) -> (u8, u64) {
    match op {
        NodeOp::Fill => (0, 0),
        NodeOp::Index(axis) => (1, u64::from(*axis)),
        NodeOp::Elementwise(op) => (2, *op as u64),
        NodeOp::Select => (3, 0),
        NodeOp::Cast => (4, 0),
        NodeOp::Reduce { monoid, .. } => (5, *monoid as u64),
        NodeOp::Update(_) => (6, 0),
        NodeOp::Reshape => (7, 0),
        NodeOp::Accumulate { monoid } => (8, *monoid as u64),
        NodeOp::Structured(_) => (9, 0),
        NodeOp::Compress => (10, 0),
        NodeOp::Reshard(_) => (11, 0),
        NodeOp::Special(_) => (12, 0),
    }
}
