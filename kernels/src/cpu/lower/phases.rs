//! Phases and widths: which SIMD lanes each part of a kernel runs with, and which values differ
//! between SIMD lanes.

use crate::cpu::program::{LaneChoice, Width};
use crate::ir::{AxisId, Expr, Fold, Kernel, Stmt, ValueId};
use smallvec::SmallVec;

/// A phase of the body.
#[derive(Debug)]
pub(super) struct PhasePlan<'k> {
    /// The axes of the SIMD lanes; `None` for a uniform phase.
    pub lanes: Option<Vec<AxisId>>,
    pub body: &'k [Stmt],
    /// The folds over the SIMD lanes.
    pub folds: &'k [Fold],
}

/// The analysis of a kernel for one choice of SIMD lanes; the input of lowering.
#[derive(Debug)]
pub(super) struct Analysis<'k> {
    pub phases: Vec<PhasePlan<'k>>,
    pub width: Vec<Width>,
    /// The phase in which each value is computed.
    pub defined: Vec<Option<usize>>,
    /// The phases in which lane block steps use a uniform value.
    pub block_uses: Vec<SmallVec<[usize; 2]>>,
}

pub(super) fn analyse(kernel: &Kernel, lanes: LaneChoice) -> Analysis<'_> {
    let phases = match lanes {
        LaneChoice::Grid => vec![PhasePlan {
            lanes: Some(kernel.grid_axes().collect()),
            body: &kernel.body,
            folds: &[],
        }],
        LaneChoice::Loops => loop_phases(&kernel.body),
    };
    let count = kernel.values.len();
    let mut analysis = Analysis {
        phases: Vec::new(),
        width: vec![Width::Uniform; count],
        defined: vec![None; count],
        block_uses: vec![SmallVec::new(); count],
    };
    for (number, phase) in phases.iter().enumerate() {
        let mut walk =
            Walk { kernel, analysis: &mut analysis, phase: number, lanes: phase.lanes.as_deref() };
        walk.body(phase.body);
        for fold in phase.folds {
            for value in [Some(fold.value), fold.index].into_iter().flatten() {
                walk.use_block(value);
            }
            for result in fold.results() {
                walk.define(result, Width::Uniform);
            }
        }
    }
    analysis.phases = phases;
    analysis
}

/// One lane phase for each top-level loop, one uniform phase for each run of other statements.
fn loop_phases(body: &[Stmt]) -> Vec<PhasePlan<'_>> {
    let mut phases = Vec::new();
    let mut start = 0;
    for (at, statement) in body.iter().enumerate() {
        let Stmt::Loop { axes, body: inner, folds } = statement else {
            continue;
        };
        if at > start {
            phases.push(PhasePlan { lanes: None, body: &body[start..at], folds: &[] });
        }
        phases.push(PhasePlan { lanes: Some(axes.clone()), body: inner, folds });
        start = at + 1;
    }
    if start < body.len() {
        phases.push(PhasePlan { lanes: None, body: &body[start..], folds: &[] });
    }
    phases
}

struct Walk<'a, 'k> {
    kernel: &'k Kernel,
    analysis: &'a mut Analysis<'k>,
    phase: usize,
    lanes: Option<&'a [AxisId]>,
}

impl Walk<'_, '_> {
    fn define(&mut self, value: ValueId, width: Width) {
        self.analysis.width[value.index()] = width;
        self.analysis.defined[value.index()] = Some(self.phase);
    }

    fn is_block(&self, value: ValueId) -> bool {
        self.analysis.width[value.index()] == Width::Block
    }

    fn use_block(&mut self, value: ValueId) {
        let uses = &mut self.analysis.block_uses[value.index()];
        if self.analysis.width[value.index()] == Width::Uniform && !uses.contains(&self.phase) {
            uses.push(self.phase);
        }
    }

    fn has_lane(&self, axes: &[AxisId]) -> bool {
        self.lanes.is_some_and(|lanes| axes.iter().any(|axis| lanes.contains(axis)))
    }

    fn body(&mut self, body: &[Stmt]) {
        for statement in body {
            match statement {
                Stmt::Let(value) => self.compute(*value),
                Stmt::Loop { body, folds, .. } => {
                    self.body(body);
                    folds.iter().for_each(|fold| self.fold(fold));
                }
                Stmt::Store { value, .. } => self.effect(&[*value]),
                Stmt::Accumulate { position, value, .. } => self.effect(&[*position, *value]),
            }
        }
    }

    /// Notes the values of a store or accumulation: a lane phase runs it for each SIMD lane.
    fn effect(&mut self, values: &[ValueId]) {
        if self.lanes.is_some() {
            values.iter().for_each(|&value| self.use_block(value));
        }
    }

    fn fold(&mut self, fold: &Fold) {
        let inputs: SmallVec<[ValueId; 2]> =
            [Some(fold.value), fold.index].into_iter().flatten().collect();
        let width = self.joined(&inputs);
        for result in fold.results() {
            self.define(result, width);
        }
    }

    /// Lane block if any input is a block; then all inputs are needed as blocks.
    fn joined(&mut self, inputs: &[ValueId]) -> Width {
        if !inputs.iter().any(|&input| self.is_block(input)) {
            return Width::Uniform;
        }
        inputs.iter().for_each(|&input| self.use_block(input));
        Width::Block
    }

    fn compute(&mut self, value: ValueId) {
        let kernel = self.kernel;
        let width_of = |block: bool| if block { Width::Block } else { Width::Uniform };
        let width = match &kernel[value].expr {
            Expr::Load { access, guard } => {
                let guarded = guard.is_some_and(|guard| self.has_lane(&kernel[guard]));
                width_of(guarded || self.has_lane(&kernel[*access].axes))
            }
            Expr::Scalar(_) | Expr::Constant(_) | Expr::Folded => Width::Uniform,
            Expr::Index(axis) => width_of(self.has_lane(&[*axis])),
            Expr::Inside(guard) => width_of(self.has_lane(&kernel[*guard])),
            Expr::Op { inputs, .. } | Expr::Special { inputs, .. } => self.joined(inputs),
            Expr::Select { condition, on_true, on_false } => {
                self.joined(&[*condition, *on_true, *on_false])
            }
            Expr::Cast(input) => self.joined(&[*input]),
        };
        self.define(value, width);
    }
}
