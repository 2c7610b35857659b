//! Lowering of folds: over the points of sequential loops, and over SIMD lanes.

use super::lowering::{Lowering, cast, widen};
use crate::cpu::folds::{
    Combine, LeafLoop, best, identity, is_ordered, leaf, narrow_rows, narrow_sum, product_sum,
    rows, scaled_rows,
};
use crate::cpu::program::{
    BlockFold, FoldSize, Home, LaneFold, MemoryFold, MemoryForm, Phase, Register, RegisterId, Step,
    Width,
};
use crate::error::KernelError;
use crate::ir::{Expr, Fold};
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
        if fold.monoid != Monoid::Add || !is_here || !is_block {
            return None;
        }
        let dtype = self.kernel[narrow].dtype;
        let leaf = narrow_sum(dtype, wide)?;
        Some((self.operand(narrow, Width::Block), dtype.size(), Some(leaf)))
    }

    /// How a fold takes its values from memory, if a loop does nothing else.
    fn memory_fold(&self, fold: &Fold, wide: DType) -> MemoryFold {
        let value = &self.kernel[fold.value];
        if let Expr::Cast(narrow) = value.expr
            && fold.monoid == Monoid::Add
        {
            let dtype = self.kernel[narrow].dtype;
            return MemoryFold {
                form: MemoryForm::Casts,
                size: dtype.size(),
                rows: narrow_rows(dtype, wide),
                leaf: narrow_sum(dtype, wide),
                best: None,
            };
        }
        let size = wide.size();
        if matches!(value.expr, Expr::Op { op: Op::Multiply | Op::Square, .. }) {
            let is_sum = fold.monoid == Monoid::Add && value.dtype == wide;
            let (rows, leaf) =
                if is_sum { (scaled_rows(wide), product_sum(wide)) } else { (None, None) };
            return MemoryFold { form: MemoryForm::Products, size, rows, leaf, best: None };
        }
        let is_plain = value.dtype == wide;
        MemoryFold {
            form: MemoryForm::Elements,
            size,
            rows: rows(fold.monoid, wide).filter(|_| is_plain),
            leaf: leaf(fold.monoid, wide).filter(|_| is_plain),
            best: best(fold.monoid, wide).filter(|_| is_plain),
        }
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
        let index = fold.index.map(|index| self.operand(index, width));
        let output = self.fold_register(width, wide.size());
        let index_output = fold.index_result.map(|_| self.fold_register(width, 8));
        self.values[fold.result.index()] = Some(if wide == dtype {
            output
        } else {
            self.apply(cast(wide, dtype), &[output], width, dtype.size(), after)
        });
        if let Some(result) = fold.index_result {
            self.values[result.index()] = index_output;
        }
        let ordered = is_ordered(fold.monoid, wide);
        self.fold_sizes.push(FoldSize {
            width,
            size: wide.size(),
            ordered,
            index: index.is_some(),
            natural,
        });
        Ok(BlockFold {
            number: self.fold_sizes.len() - 1,
            code,
            value,
            index,
            output,
            index_output,
            width,
            size: wide.size(),
            ordered,
            memory: self.memory_fold(fold, wide),
            loaded: body
                .iter()
                .any(|step| matches!(step, Step::Load(load) if load.output == value))
                && !body.iter().any(Step::has_store),
            identity: identity(fold.monoid, wide),
        })
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
        let output = self.register(Width::Uniform, wide.size());
        let index_output = fold.index_result.map(|_| self.register(Width::Uniform, 8));
        self.values[fold.result.index()] = Some(if wide == dtype {
            output
        } else {
            let code = cast(wide, dtype);
            self.apply(code, &[output], Width::Uniform, dtype.size(), &mut phase.epilogue)
        });
        if let Some(result) = fold.index_result {
            self.values[result.index()] = index_output;
        }
        let narrow = self.narrow_operand(fold, wide, value, phase);
        let own = (value, wide.size(), leaf(fold.monoid, wide));
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
            size: wide.size(),
            ordered: is_ordered(fold.monoid, wide),
            identity: identity(fold.monoid, wide),
        });
        Ok(())
    }
}

/// The code of a fold and the dtype in which it accumulates.
fn combination(monoid: Monoid, dtype: DType) -> Result<(Combine, DType), KernelError> {
    let wide = widen(dtype);
    let code = Combine::of(monoid, wide);
    code.map(|code| (code, wide)).ok_or(KernelError::UnsupportedCombination { monoid, dtype })
}
