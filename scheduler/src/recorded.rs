//! The record of a window, to find where ranks diverged.

use crate::explain::operation_name;
use crate::identity::code;
use phalanx_collectives::{Recorded, RecordedOperation};
use phalanx_graph::{Graph, NodeOp, Site, Source};
use phalanx_ops::{DType, Scalar, Shape};
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// The operations of a window without their values.
#[derive(Debug)]
pub(crate) struct RecordedWindow(Box<[Operation]>);

#[derive(Debug)]
struct Operation {
    digest: u64,
    name: &'static str,
    dtype: DType,
    shape: Shape,
    scalars: SmallVec<[Scalar; 2]>,
    site: Site,
}

impl RecordedWindow {
    /// The record of a closed window.
    pub fn of(graph: &Graph) -> RecordedWindow {
        let operation = |node: &phalanx_graph::NodeData| {
            // This hash is the same in every process of one build.
            let mut hasher = FxHasher::default();
            (code(&node.op), node.dtype, &node.shape).hash(&mut hasher);
            match &node.op {
                NodeOp::Reduce { axes, .. } => axes.hash(&mut hasher),
                NodeOp::Structured(op) => op.hash(&mut hasher),
                NodeOp::Update(map) => map.hash(&mut hasher),
                NodeOp::Reshard(sharding) => sharding.hash(&mut hasher),
                _ => {}
            }
            let mut scalars = SmallVec::new();
            for input in &node.inputs {
                match input.source {
                    Source::Scalar(scalar) => {
                        let scalar = graph.scalars[scalar.index()];
                        scalar.hash(&mut hasher);
                        scalars.push(scalar);
                    }
                    Source::Leaf(leaf) => {
                        let leaf = &graph.leaves[leaf.index()];
                        (leaf.shape(), leaf.dtype()).hash(&mut hasher);
                    }
                    Source::Node(_) => {}
                }
                (input.source, &input.map).hash(&mut hasher);
            }
            Operation {
                digest: hasher.finish(),
                name: operation_name(&node.op),
                dtype: node.dtype,
                shape: node.shape.clone(),
                scalars,
                site: node.site,
            }
        };
        RecordedWindow(graph.nodes.iter().map(operation).collect())
    }
}

impl Recorded for RecordedWindow {
    fn operations(&self) -> Vec<RecordedOperation> {
        let recorded = |operation: &Operation| {
            let Operation { digest, name, dtype, shape, scalars, site } = operation;
            let mut text = String::from(*name);
            for (place, scalar) in scalars.iter().enumerate() {
                text += if place == 0 { " with " } else { ", " };
                text += &scalar.to_string();
            }
            text += &format!(" -> {}{:?}", dtype.name(), shape.as_slice());
            RecordedOperation { digest: *digest, text, site: site.to_string() }
        };
        self.0.iter().map(recorded).collect()
    }
}
