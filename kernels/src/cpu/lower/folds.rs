//! Lowering of folds: over the points of sequential loops, and over SIMD lanes.

use super::lowering::{Lowering, cast, widen};
use crate::cpu::folds::{
    Combine, LeafLoop, RowsLoop, best, binned, gap_rows, gap_sum, identity, is_ordered, leaf,
    narrow_rows, narrow_sum, product_sum, row_tree, rows, scaled_rows,
};
use crate::cpu::program::{
    BlockFold, Code, FoldSize, Home, LaneFold, MemoryFold, MemoryForm, Phase, Register, RegisterId,
    Step, Width,
};
use crate::error::KernelError;
use crate::ir::{Expr, Fold, ValueId};
use phalanx_ops::{DType, Monoid, Op};

impl Lowering<'_> {
    /// The integers that a sum may read before they are cast to 64 bits: their register, size and
    /// leaf loop.
    fn narrow_operand(
        &self,
        fold: &Fold,
        wide: DType,
        value: RegisterId,
        phase: &Phase,
    ) -> Option<(RegisterId, usize, Option<LeafLoop>)> {
        let Expr::Cast(narrow) = self.kernel[fold.value].expr else { return None };
        let is_here = phase.steps.iter().any(|step| step.output() == Some(value));
        let is_block = self.analysis.width[narrow.index()] == Width::Block;
        if !is_here || !is_block {
            return None;
        }
        let dtype = self.kernel[narrow].dtype;
        let leaf = narrow_leaf(fold.monoid, dtype, wide)?;
        Some((self.operand(narrow, Width::Block), dtype.size(), Some(leaf)))
    }

    /// How a fold takes its values from memory, if a loop does nothing else.
    fn memory_fold(&self, fold: &Fold, wide: DType) -> MemoryFold {
        let value = &self.kernel[fold.value];
        if let Expr::Cast(narrow) = value.expr
            && matches!(fold.monoid, Monoid::Add | Monoid::Binned)
        {
            let dtype = self.kernel[narrow].dtype;
            let is_sum = fold.monoid == Monoid::Add;
            return MemoryFold {
                form: MemoryForm::Casts,
                size: dtype.size(),
                rows: if is_sum { narrow_rows(dtype, wide) } else { rows_of(fold.monoid, dtype) },
                tree: None,
                leaf: narrow_leaf(fold.monoid, dtype, wide),
                best: None,
            };
        }
        let size = wide.size();
        if let Expr::Op { op: Op::Multiply | Op::Square, inputs, .. } = &value.expr {
            let is_sum = fold.monoid == Monoid::Add && value.dtype == wide;
            let is_gap = is_sum && self.is_gap(inputs);
            let form = if is_gap { MemoryForm::Gaps } else { MemoryForm::Products };
            let (loops, leaf) = match fold.monoid {
                Monoid::Binned => (None, Some(binned::PRODUCTS)),
                _ if is_gap => (gap_rows(wide), gap_sum(wide)),
                _ if is_sum => (scaled_rows(wide), product_sum(wide)),
                _ => (None, None),
            };
            let [rows, tree] = loops.map_or([None; 2], |loops| loops.map(Some));
            return MemoryFold { form, size, rows, tree, leaf, best: None };
        }
        let is_plain = value.dtype == wide;
        MemoryFold {
            form: MemoryForm::Elements,
            size,
            rows: rows_of(fold.monoid, wide).filter(|_| is_plain),
            tree: row_tree(fold.monoid, wide).filter(|_| is_plain),
            leaf: leaf_of(fold.monoid, wide).filter(|_| is_plain),
            best: best(fold.monoid, wide).filter(|_| is_plain),
        }
    }

    /// Whether the product of values is the square of a difference.
    fn is_gap(&self, factors: &[ValueId]) -> bool {
        let is_same = factors.iter().all(|&factor| factor == factors[0]);
        is_same && matches!(self.kernel[factors[0]].expr, Expr::Op { op: Op::Subtract, .. })
    }

    pub(super) fn block_fold(
        &mut self,
        fold: &Fold,
        natural: bool,
        body: &mut Vec<Step>,
        after: &mut Vec<Step>,
    ) -> Result<BlockFold, KernelError> {
        let dtype = self.kernel[fold.value].dtype;
        let width = self.analysis.width[fold.result.index()];
        let (code, wide) = combination(fold.monoid, dtype)?;
        let value = if wide == dtype {
            self.operand(fold.value, width)
        } else {
            self.widened(fold.value, width, body)
        };
        let size = accumulator(fold.monoid, wide);
        // A sum of bins is combined with sums of one number.
        let combined = match fold.monoid {
            Monoid::Binned => {
                self.apply(Code::Elementwise(binned::LIFT), &[value], width, size, body)
            }
            _ => value,
        };
        let index = fold.index.map(|index| self.operand(index, width));
        let output = self.fold_register(width, size);
        let index_output = fold.index.map(|_| self.fold_register(width, 8));
        self.results(fold, (output, index_output), (width, wide), after);
        let ordered = is_ordered(fold.monoid, wide);
        self.fold_sizes.push(FoldSize { width, size, ordered, index: index.is_some(), natural });
        Ok(BlockFold {
            number: self.fold_sizes.len() - 1,
            code,
            value: combined,
            plain: value,
            index,
            output,
            index_output,
            width,
            size,
            ordered,
            memory: self.memory_fold(fold, wide),
            loaded: body
                .iter()
                .any(|step| matches!(step, Step::Load(load) if load.output == value))
                && !body.iter().any(Step::has_store),
            identity: identity(fold.monoid, wide),
        })
    }

    /// Defines the results of a fold by its accumulator and index.
    fn results(
        &mut self,
        fold: &Fold,
        (output, index): (RegisterId, Option<RegisterId>),
        (width, wide): (Width, DType),
        after: &mut Vec<Step>,
    ) {
        let dtype = self.kernel[fold.value].dtype;
        if fold.monoid == Monoid::Binned {
            for (&part, code) in fold.parts.iter().zip(binned::PARTS) {
                let code = Code::Elementwise(code);
                self.values[part.index()] = Some(self.apply(code, &[output], width, 8, after));
            }
        } else if let Some(&part) = fold.parts.first() {
            self.values[part.index()] = index;
        }
        let code = match fold.monoid {
            Monoid::Binned => Some(Code::Elementwise(binned::VALUE)),
            _ => (wide != dtype).then(|| cast(wide, dtype)),
        };
        let result = match code {
            Some(code) => self.apply(code, &[output], width, dtype.size(), after),
            None => output,
        };
        self.values[fold.result.index()] = Some(result);
    }

    fn fold_register(&mut self, width: Width, size: usize) -> RegisterId {
        self.registers.push(Register { width, size, home: Home::Fold });
        self.registers.len() - 1
    }

    pub(super) fn lane_fold(&mut self, fold: &Fold, phase: &mut Phase) -> Result<(), KernelError> {
        let dtype = self.kernel[fold.value].dtype;
        let (code, wide) = combination(fold.monoid, dtype)?;
        let value = if wide == dtype {
            self.operand(fold.value, Width::Block)
        } else {
            self.widened(fold.value, Width::Block, &mut phase.steps)
        };
        let index = fold.index.map(|index| self.operand(index, Width::Block));
        let size = accumulator(fold.monoid, wide);
        let output = self.register(Width::Uniform, size);
        let index_output = fold.index.map(|_| self.register(Width::Uniform, 8));
        let outputs = (output, index_output);
        self.results(fold, outputs, (Width::Uniform, wide), &mut phase.epilogue);
        let narrow = self.narrow_operand(fold, wide, value, phase);
        let own = (value, wide.size(), leaf_of(fold.monoid, wide));
        let (value, value_size, leaf) = narrow.unwrap_or(own);
        phase.folds.push(LaneFold {
            monoid: fold.monoid,
            code,
            leaf,
            best: best(fold.monoid, wide),
            value,
            factor: None,
            value_size,
            index,
            counted: None,
            output,
            index_output,
            size,
            ordered: is_ordered(fold.monoid, wide),
            identity: identity(fold.monoid, wide),
        });
        Ok(())
    }
}

/// The leaf loop of a monoid and a dtype, if there is one.
fn leaf_of(monoid: Monoid, dtype: DType) -> Option<LeafLoop> {
    if monoid == Monoid::Binned { binned::leaf(dtype) } else { leaf(monoid, dtype) }
}

/// The loop of rows of a monoid and a dtype, if there is one.
fn rows_of(monoid: Monoid, dtype: DType) -> Option<RowsLoop> {
    if monoid == Monoid::Binned { binned::rows(dtype) } else { rows(monoid, dtype) }
}

/// The leaf loop of a sum that reads its numbers before they are cast.
fn narrow_leaf(monoid: Monoid, narrow: DType, wide: DType) -> Option<LeafLoop> {
    match monoid {
        Monoid::Add => narrow_sum(narrow, wide),
        Monoid::Binned if narrow == DType::F32 => binned::leaf(narrow),
        _ => None,
    }
}

/// Bytes of an accumulator.
fn accumulator(monoid: Monoid, wide: DType) -> usize {
    if monoid == Monoid::Binned { binned::ITEM } else { wide.size() }
}

/// The code of a fold and the dtype in which it accumulates.
fn combination(monoid: Monoid, dtype: DType) -> Result<(Combine, DType), KernelError> {
    let wide = widen(dtype);
    let code = Combine::of(monoid, wide);
    code.map(|code| (code, wide)).ok_or(KernelError::UnsupportedCombination { monoid, dtype })
}
