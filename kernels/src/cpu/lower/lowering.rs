//! Lowering: from the kernel IR to executor steps over registers.
//!
//! Half-precision operations that have no half-precision loop are computed in f32 and rounded after
//! each operation.

use super::fused::{arithmetic, fuse_pairs};
use super::guards::choose_by_guards;
use super::phases::{Analysis, analyse};
use super::products::sum_products;
use super::registers;
use super::rows::find_rows;
use super::sums::fuse_sums;
use super::unread::{count_indices, remove_unread};
use crate::cpu::folds::{identity, is_ordered};
use crate::cpu::loops;
use crate::cpu::program::{
    Accumulate, Apply, Code, ConstantSource, FoldSize, Home, LaneChoice, Load, LoopStep, Phase,
    Program, Register, RegisterId, Step, Store, TableUse, Width,
};
use crate::error::KernelError;
use crate::ir::{AccessId, AxisId, Expr, Fold, GuardId, Kernel, Stmt, ValueId};
use phalanx_ops::{DType, Op};
use smallvec::SmallVec;

/// Bytes of a uniform slot.
const SLOT: usize = 16;

/// Lowers a verified kernel for one choice of SIMD lanes.
pub(in crate::cpu) fn lower(kernel: &Kernel, lanes: LaneChoice) -> Result<Program, KernelError> {
    let analysis = analyse(kernel, lanes);
    let mut lowering = Lowering {
        kernel,
        values: vec![None; kernel.values.len()],
        blocks: vec![None; kernel.values.len()],
        widened: Vec::new(),
        registers: Vec::new(),
        slots: 0,
        loops: 0,
        fold_sizes: Vec::new(),
        tables: Vec::new(),
        phase: 0,
        depth: 0,
        analysis: &analysis,
    };
    let (constants, constant_fills) = lowering.constants();
    let mut phases = Vec::new();
    for number in 0..analysis.phases.len() {
        phases.push(lowering.phase(number)?);
    }
    let mut indexed = vec![false; kernel.axes];
    for value in &kernel.values {
        if let Expr::Index(axis) = value.expr {
            indexed[axis.index()] = true;
        }
    }
    let Lowering { registers, slots, loops, fold_sizes, tables, .. } = lowering;
    let mut program = Program {
        lanes,
        registers,
        bytes_per_lane: 0,
        busy_bytes_per_lane: 0,
        slots,
        constants,
        constant_fills,
        phases,
        loops,
        fold_sizes,
        indexed,
        tables,
    };
    remove_unread(&mut program.phases);
    sum_products(&mut program.phases);
    fuse_sums(&mut program.phases);
    fuse_pairs(&mut program.phases);
    count_indices(&mut program.phases);
    choose_by_guards(&mut program.phases);
    find_rows(&mut program.phases);
    registers::mark_hazards(&mut program);
    registers::allocate(&mut program);
    Ok(program)
}

pub(super) struct Lowering<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) analysis: &'k Analysis<'k>,
    /// The register of each value at its own width.
    pub(super) values: Vec<Option<RegisterId>>,
    /// The lane block register of each uniform value that the executor steps of the current phase
    /// use as a lane block.
    blocks: Vec<Option<RegisterId>>,
    /// f32 copies of half-precision values that are in scope.
    widened: Vec<(ValueId, Width, RegisterId)>,
    pub(super) registers: Vec<Register>,
    slots: usize,
    loops: usize,
    pub(super) fold_sizes: Vec<FoldSize>,
    tables: Vec<TableUse>,
    phase: usize,
    /// How many sequential loops enclose the current statement.
    depth: usize,
}

impl<'k> Lowering<'k> {
    pub(super) fn register(&mut self, width: Width, size: usize) -> RegisterId {
        let home = match width {
            Width::Uniform => {
                let slot = self.slots;
                self.slots += size.div_ceil(SLOT);
                Home::Slot(slot)
            }
            Width::Block => Home::Open,
        };
        self.registers.push(Register { width, size, home });
        self.registers.len() - 1
    }

    fn constants(&mut self) -> (Vec<(RegisterId, ConstantSource)>, Vec<Step>) {
        let mut constants = Vec::new();
        let mut fills = Vec::new();
        let kernel = self.kernel;
        for (position, data) in kernel.values.iter().enumerate() {
            let source = match data.expr {
                Expr::Scalar(scalar) => ConstantSource::Argument(scalar),
                Expr::Constant(scalar) => ConstantSource::Text(scalar),
                _ => continue,
            };
            let register = self.register(Width::Uniform, data.dtype.size());
            constants.push((register, source));
            self.values[position] = Some(register);
            if !self.analysis.block_uses[position].is_empty() {
                fills.push(self.fill(ValueId::new(position)));
            }
        }
        (constants, fills)
    }

    fn is_constant(&self, value: ValueId) -> bool {
        matches!(self.kernel[value].expr, Expr::Scalar(_) | Expr::Constant(_))
    }

    /// The executor step that fills the lane block register of a uniform value.
    fn fill(&mut self, value: ValueId) -> Step {
        let size = self.kernel[value].dtype.size();
        let input =
            self.values[value.index()].expect("bug: a value is filled before it is computed");
        let output = self.register(Width::Block, size);
        self.blocks[value.index()] = Some(output);
        Step::Apply(Apply {
            code: Code::Fill(loops::fill(size)),
            inputs: SmallVec::from_slice(&[input]),
            output,
            width: Width::Block,
            destination: None,
            arithmetic: None,
            guard: None,
        })
    }

    fn phase(&mut self, number: usize) -> Result<Phase, KernelError> {
        self.phase = number;
        let plan = &self.analysis.phases[number];
        let mut phase = Phase { lanes: plan.lanes.clone(), ..Phase::default() };
        for value in (0..self.kernel.values.len()).map(ValueId::new) {
            let before = self.analysis.defined[value.index()].is_some_and(|at| at < number);
            if before
                && !self.is_constant(value)
                && self.analysis.block_uses[value.index()].contains(&number)
            {
                let fill = self.fill(value);
                phase.prologue.push(fill);
            }
        }
        self.body(plan.body, &mut phase.steps)?;
        for fold in plan.folds {
            self.lane_fold(fold, &mut phase)?;
        }
        self.widened.clear();
        for value in (0..self.blocks.len()).map(ValueId::new) {
            if !self.is_constant(value) {
                self.blocks[value.index()] = None;
            }
        }
        collect_uses(&phase.steps, &mut phase.accesses, &mut phase.guards, &self.tables);
        phase.ordered = phase.folds.iter().any(|fold| fold.ordered)
            || self.tables.iter().any(|table| table.phase == number);
        Ok(phase)
    }

    fn body(&mut self, body: &'k [Stmt], steps: &mut Vec<Step>) -> Result<(), KernelError> {
        for statement in body {
            match statement {
                Stmt::Let(value) => self.compute(*value, steps)?,
                Stmt::Loop { axes, body, folds } => {
                    self.sequential_loop(axes, body, folds, steps)?
                }
                Stmt::Store { access, value } => {
                    let width = self.lane_width();
                    steps.push(Step::Store(Store {
                        access: *access,
                        input: self.operand(*value, width),
                        width,
                        size: self.kernel[*value].dtype.size(),
                    }));
                }
                Stmt::Accumulate { access, length, position, value, monoid } => {
                    let width = self.lane_width();
                    let dtype = self.kernel[*value].dtype;
                    let combine = loops::combine(*monoid, dtype)
                        .ok_or(KernelError::UnsupportedCombination { monoid: *monoid, dtype })?;
                    steps.push(Step::Accumulate(Accumulate {
                        table: self.tables.len(),
                        position: self.operand(*position, width),
                        value: self.operand(*value, width),
                        width,
                    }));
                    self.tables.push(TableUse {
                        access: *access,
                        length: *length,
                        size: dtype.size(),
                        dtype,
                        monoid: *monoid,
                        combine,
                        identity: identity(*monoid, dtype),
                        ordered: is_ordered(*monoid, dtype),
                        phase: self.phase,
                        in_loop: self.depth > 0,
                        looped: self.depth > 0 || self.lanes_are_loop(),
                    });
                }
            }
        }
        Ok(())
    }

    fn lanes_are_loop(&self) -> bool {
        let axes = self.analysis.phases[self.phase].lanes.as_deref();
        axes.is_some_and(|axes| axes.iter().any(|axis| axis.index() >= self.kernel.grid))
    }

    /// The width of stores and accumulations in the current phase.
    fn lane_width(&self) -> Width {
        match self.analysis.phases[self.phase].lanes {
            Some(_) => Width::Block,
            None => Width::Uniform,
        }
    }

    pub(super) fn operand(&self, value: ValueId, width: Width) -> RegisterId {
        let register = match (width, self.analysis.width[value.index()]) {
            (Width::Block, Width::Uniform) => self.blocks[value.index()],
            _ => self.values[value.index()],
        };
        register.unwrap_or_else(|| panic!("bug: value {value} is used before it is computed"))
    }

    fn compute(&mut self, value: ValueId, steps: &mut Vec<Step>) -> Result<(), KernelError> {
        let kernel = self.kernel;
        let data = &kernel[value];
        let width = self.analysis.width[value.index()];
        let size = data.dtype.size();
        let output = match &data.expr {
            Expr::Scalar(_) | Expr::Constant(_) => return Ok(()),
            Expr::Folded => panic!("bug: value {value} of a fold is defined by a let"),
            Expr::Load { access, guard } => {
                let output = self.register(width, size);
                let (access, guard) = (*access, *guard);
                let (late, is_selected) = (false, false);
                let load = Load { access, guard, output, width, size, late, is_selected };
                steps.push(Step::Load(load));
                output
            }
            Expr::Index(axis) => {
                let output = self.register(width, size);
                steps.push(Step::Index { axis: *axis, output, width });
                output
            }
            Expr::Inside(guard) => {
                let output = self.register(width, size);
                let guard = *guard;
                steps.push(Step::Inside { guard, output, width, is_selected: false });
                output
            }
            Expr::Op { op, inputs } => self.operation(*op, inputs, data.dtype, width, steps)?,
            Expr::Special { function, inputs } => {
                let code = Code::Special(loops::special(*function, data.dtype));
                let inputs: SmallVec<[RegisterId; 4]> =
                    inputs.iter().map(|&input| self.operand(input, width)).collect();
                self.apply(code, &inputs, width, size, steps)
            }
            Expr::Select { condition, on_true, on_false } => {
                let inputs =
                    [*condition, *on_true, *on_false].map(|input| self.operand(input, width));
                self.apply(Code::Select(loops::select(size)), &inputs, width, size, steps)
            }
            Expr::Cast(input) => {
                let from = kernel[*input].dtype;
                let register = self.operand(*input, width);
                if from == data.dtype {
                    register
                } else {
                    self.apply(cast(from, data.dtype), &[register], width, size, steps)
                }
            }
        };
        self.values[value.index()] = Some(output);
        if width == Width::Uniform && self.analysis.block_uses[value.index()].contains(&self.phase)
        {
            let fill = self.fill(value);
            steps.push(fill);
        }
        Ok(())
    }

    pub(super) fn apply(
        &mut self,
        code: Code,
        inputs: &[RegisterId],
        width: Width,
        size: usize,
        steps: &mut Vec<Step>,
    ) -> RegisterId {
        let output = self.register(width, size);
        let inputs = SmallVec::from_slice(inputs);
        steps.push(Step::Apply(Apply {
            code,
            inputs,
            output,
            width,
            destination: None,
            arithmetic: None,
            guard: None,
        }));
        output
    }

    fn operation(
        &mut self,
        op: Op,
        inputs: &[ValueId],
        dtype: DType,
        width: Width,
        steps: &mut Vec<Step>,
    ) -> Result<RegisterId, KernelError> {
        let kernel = self.kernel;
        let dtypes: SmallVec<[DType; 4]> =
            inputs.iter().map(|&input| kernel[input].dtype).collect();
        if let Some(code) = loops::elementwise(op, &dtypes) {
            let operands: SmallVec<[RegisterId; 4]> =
                inputs.iter().map(|&input| self.operand(input, width)).collect();
            let code = Code::Elementwise(code);
            let result = self.apply(code, &operands, width, dtype.size(), steps);
            if let Some(Step::Apply(apply)) = steps.last_mut() {
                apply.arithmetic = arithmetic(op, dtype);
            }
            return Ok(result);
        }
        let wide: SmallVec<[DType; 4]> = dtypes.iter().map(|&dtype| widen(dtype)).collect();
        let code = loops::elementwise(op, &wide)
            .filter(|_| wide != dtypes)
            .ok_or_else(|| KernelError::UnsupportedOperation { op, inputs: dtypes.to_vec() })?;
        let operands: SmallVec<[RegisterId; 4]> =
            inputs.iter().map(|&input| self.widened(input, width, steps)).collect();
        let result =
            self.apply(Code::Elementwise(code), &operands, width, widen(dtype).size(), steps);
        if widen(dtype) == dtype {
            return Ok(result);
        }
        Ok(self.apply(cast(DType::F32, dtype), &[result], width, dtype.size(), steps))
    }

    /// The value in f32 if it is half precision, else the value itself.
    pub(super) fn widened(
        &mut self,
        value: ValueId,
        width: Width,
        steps: &mut Vec<Step>,
    ) -> RegisterId {
        let dtype = self.kernel[value].dtype;
        let register = self.operand(value, width);
        if widen(dtype) == dtype {
            return register;
        }
        let known = self.widened.iter().find(|(known, at, _)| (*known, *at) == (value, width));
        if let Some(&(_, _, register)) = known {
            return register;
        }
        let code = cast(dtype, DType::F32);
        let register = self.apply(code, &[register], width, DType::F32.size(), steps);
        self.widened.push((value, width, register));
        register
    }

    fn sequential_loop(
        &mut self,
        axes: &[AxisId],
        body: &'k [Stmt],
        folds: &[Fold],
        steps: &mut Vec<Step>,
    ) -> Result<(), KernelError> {
        let scope = self.widened.len();
        let number = self.loops;
        self.loops += 1;
        self.depth += 1;
        let tables = self.tables.len();
        let mut inner = Vec::new();
        self.body(body, &mut inner)?;
        let natural = self.tables.len() > tables;
        let mut block_folds = Vec::new();
        let mut after = Vec::new();
        for fold in folds {
            block_folds.push(self.block_fold(fold, natural, &mut inner, &mut after)?);
        }
        self.depth -= 1;
        self.widened.truncate(scope);
        let mut accesses = Vec::new();
        collect_uses(&inner, &mut accesses, &mut Vec::new(), &self.tables);
        accesses.retain(|&access| self.kernel[access].axes.iter().any(|axis| axes.contains(axis)));
        steps.push(Step::Loop(Box::new(LoopStep {
            number,
            axes: axes.to_vec(),
            ordered: block_folds.iter().any(|fold| fold.ordered),
            natural,
            rows: None,
            lines: Vec::new(),
            steps: inner,
            folds: block_folds,
            accesses,
        })));
        steps.append(&mut after);
        for fold in folds {
            for result in fold.results() {
                let uniform = self.analysis.width[result.index()] == Width::Uniform;
                if uniform && self.analysis.block_uses[result.index()].contains(&self.phase) {
                    let fill = self.fill(result);
                    steps.push(fill);
                }
            }
        }
        Ok(())
    }
}

pub(super) fn cast(from: DType, to: DType) -> Code {
    Code::Elementwise(loops::cast(from, to))
}

/// f32 for half precision; any other dtype itself.
pub(in crate::cpu) fn widen(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    }
}

/// The accesses and guards that the executor steps use, each once, ascending.
fn collect_uses(
    steps: &[Step],
    accesses: &mut Vec<AccessId>,
    guards: &mut Vec<GuardId>,
    tables: &[TableUse],
) {
    for step in steps {
        match step {
            Step::Load(load) => {
                accesses.push(load.access);
                guards.extend(load.guard);
            }
            Step::Inside { guard, .. } => guards.push(*guard),
            Step::Store(store) => accesses.push(store.access),
            Step::Accumulate(accumulate) => accesses.push(tables[accumulate.table].access),
            Step::Loop(inner) => collect_uses(&inner.steps, accesses, guards, tables),
            Step::Apply(_) | Step::Index { .. } => {}
        }
    }
    accesses.sort_unstable();
    accesses.dedup();
    guards.sort_unstable();
    guards.dedup();
}
