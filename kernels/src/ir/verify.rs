//! The rules of the kernel IR, and their check.
//!
//! 1. *Numbers.* Every axis, parameter, access, scalar, guard and value that is named exists. The
//!    axes of an access and of a guard are ascending. Every access is used.
//! 2. *Axes.* The first `grid` axes belong to the grid. Each of the others belongs to exactly one
//!    loop; a loop has at least one.
//! 3. *Scopes.* An access, an index or a guard uses only axes of the grid and of enclosing loops. A
//!    value is visible from its definition to the end of the body that defines it; the results of a
//!    fold are defined after the loop.
//! 4. *Order.* Every value is defined exactly once, and has a larger number than the values it is
//!    computed from.
//! 5. *Roles.* `In` is only loaded, `Out` only stored, `InOut` both, `Table` only accumulated into.
//! 6. *Dtypes.* A loaded, stored or accumulated value has its parameter's dtype. A scalar and a
//!    constant have their own. An index is `i64`, `inside` is `bool`. The dtypes of an operation's
//!    operands and result are exactly those of one of its loops; those of a special function, which
//!    has as many operands as arguments, are all `f32` or all `f64`. The condition of a select is
//!    `bool`, its branches have the result's dtype.
//! 7. *Folds.* The monoid accepts the dtype and is not `moments`; the result has the dtype of the
//!    combined value. `argmin` and `argmax` carry an index, others do not; the index and its
//!    result are `i64`. Results of folds, and only they, are computed as `Folded`.
//! 8. *Tables.* The monoid is not compound and accepts the dtype; the position is `i64`, and so is
//!    the length.

use super::{AccessId, AxisId, Expr, Fold, GuardId, Kernel, Role, ScalarId, Stmt, ValueId};
use phalanx_ops::{DType, Monoid};

/// The rule that a kernel breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// Rule 1.
    #[error("{what} {id} does not exist")]
    Missing {
        /// The kind of item that is named.
        what: &'static str,
        /// Its number.
        id: usize,
    },
    /// Rule 1.
    #[error("the axes of {what} {id} are not ascending")]
    AxesNotAscending {
        /// An access or a guard.
        what: &'static str,
        /// Its number.
        id: usize,
    },
    /// Rule 1.
    #[error("access {access} is not used")]
    UnusedAccess {
        /// The access.
        access: AccessId,
    },
    /// Rule 2.
    #[error("axis {axis} belongs to {loops} loops instead of one")]
    LoopAxis {
        /// The axis.
        axis: AxisId,
        /// How many loops have it; grid axes count as one.
        loops: usize,
    },
    /// Rule 2.
    #[error("a loop has no axis")]
    LoopWithoutAxis,
    /// Rule 3.
    #[error("axis {axis} is used outside of its loop")]
    AxisOutOfScope {
        /// The axis.
        axis: AxisId,
    },
    /// Rule 3.
    #[error("v{value} is used where it is not visible")]
    ValueOutOfScope {
        /// The value.
        value: ValueId,
    },
    /// Rule 4.
    #[error("v{value} is computed from v{operand}, which does not come before it")]
    ValueOrder {
        /// The value.
        value: ValueId,
        /// Its operand.
        operand: ValueId,
    },
    /// Rule 4.
    #[error("v{value} is defined {times} times instead of once")]
    Definitions {
        /// The value.
        value: ValueId,
        /// How often it is defined.
        times: usize,
    },
    /// Rule 5.
    #[error("access {access} cannot be {action}: its parameter is `{role}`")]
    Role {
        /// The access.
        access: AccessId,
        /// The parameter's role.
        role: Role,
        /// The use that the role does not allow.
        action: &'static str,
    },
    /// Rules 6 to 8.
    #[error("v{value} is {found} where {expected} is needed")]
    DType {
        /// The value.
        value: ValueId,
        /// The dtype that it should have.
        expected: DType,
        /// The dtype that it has.
        found: DType,
    },
    /// Rule 6.
    #[error("v{value}: no loop of {operation} takes {inputs:?} to {output}")]
    Signature {
        /// The value.
        value: ValueId,
        /// The name of the operation.
        operation: &'static str,
        /// The dtypes of its operands.
        inputs: Vec<DType>,
        /// The dtype of the value.
        output: DType,
    },
    /// Rule 8.
    #[error("scalar {scalar} is {found} where the length of a table is needed")]
    Length {
        /// The scalar.
        scalar: ScalarId,
        /// Its dtype.
        found: DType,
    },
    /// Rules 7 and 8.
    #[error("{monoid} cannot combine {dtype} here")]
    Monoid {
        /// The monoid.
        monoid: Monoid,
        /// The dtype of the value to combine.
        dtype: DType,
    },
    /// Rule 7.
    #[error("a fold by {monoid} has an index or parts of another monoid")]
    FoldParts {
        /// The monoid.
        monoid: Monoid,
    },
    /// Rule 7.
    #[error("v{value} is the result of a fold and of something else")]
    Folded {
        /// The value.
        value: ValueId,
    },
}

/// Checks the rules of the IR.
///
/// Errors: `VerifyError`, the first rule found broken.
pub fn verify(kernel: &Kernel) -> Result<(), VerifyError> {
    let mut verifier = Verifier {
        kernel,
        axes: (0..kernel.axes).map(|axis| axis < kernel.grid).collect(),
        loops: (0..kernel.axes).map(|axis| usize::from(axis < kernel.grid)).collect(),
        visible: vec![false; kernel.values.len()],
        defined: vec![0; kernel.values.len()],
        used: vec![false; kernel.accesses.len()],
    };
    verifier.declarations()?;
    verifier.body(&kernel.body)?;
    verifier.completeness()
}

struct Verifier<'k> {
    kernel: &'k Kernel,
    /// Which axes are in scope.
    axes: Vec<bool>,
    /// How many loops have each axis.
    loops: Vec<usize>,
    visible: Vec<bool>,
    defined: Vec<usize>,
    used: Vec<bool>,
}

type Verified = Result<(), VerifyError>;

fn exists(what: &'static str, id: usize, count: usize) -> Verified {
    if id < count { Ok(()) } else { Err(VerifyError::Missing { what, id }) }
}

impl Verifier<'_> {
    fn declarations(&self) -> Verified {
        let kernel = self.kernel;
        if kernel.grid > kernel.axes {
            return Err(VerifyError::Missing { what: "axis", id: kernel.grid - 1 });
        }
        let ascending = |what: &'static str, id: usize, axes: &[AxisId]| {
            for &axis in axes {
                exists("axis", axis.index(), kernel.axes)?;
            }
            if axes.windows(2).all(|pair| pair[0] < pair[1]) {
                Ok(())
            } else {
                Err(VerifyError::AxesNotAscending { what, id })
            }
        };
        for (id, access) in kernel.accesses.iter().enumerate() {
            exists("parameter", access.param.index(), kernel.params.len())?;
            ascending("access", id, &access.axes)?;
        }
        for (id, axes) in kernel.guards.iter().enumerate() {
            ascending("guard", id, axes)?;
        }
        Ok(())
    }

    fn completeness(&self) -> Verified {
        if let Some(access) = self.used.iter().position(|used| !used) {
            return Err(VerifyError::UnusedAccess { access: AccessId::new(access) });
        }
        if let Some(axis) = self.loops.iter().position(|&loops| loops != 1) {
            let loops = self.loops[axis];
            return Err(VerifyError::LoopAxis { axis: AxisId::new(axis), loops });
        }
        match self.defined.iter().position(|&times| times != 1) {
            Some(value) => {
                let times = self.defined[value];
                Err(VerifyError::Definitions { value: ValueId::new(value), times })
            }
            None => Ok(()),
        }
    }

    fn body(&mut self, body: &[Stmt]) -> Verified {
        let mut definitions = Vec::new();
        for statement in body {
            self.statement(statement, &mut definitions)?;
        }
        for value in definitions {
            self.visible[value.index()] = false;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Stmt, definitions: &mut Vec<ValueId>) -> Verified {
        match statement {
            Stmt::Let(value) => {
                exists("value", value.index(), self.kernel.values.len())?;
                self.expression(*value)?;
                self.define(*value, definitions)
            }
            Stmt::Loop { axes, body, folds } => {
                self.inner_loop(axes, body, folds)?;
                for fold in folds {
                    for result in fold.results() {
                        self.define(result, definitions)?;
                    }
                }
                Ok(())
            }
            Stmt::Store { access, value } => {
                let dtype = self.access(*access, &[Role::Out, Role::InOut], "stored to")?;
                self.operand(*value, dtype)
            }
            Stmt::Accumulate { access, length, position, value, monoid } => {
                let dtype = self.access(*access, &[Role::Table], "accumulated into")?;
                self.operand(*value, dtype)?;
                self.operand(*position, DType::I64)?;
                exists("scalar", length.index(), self.kernel.scalars.len())?;
                let found = self.kernel[*length];
                if found != DType::I64 {
                    return Err(VerifyError::Length { scalar: *length, found });
                }
                if monoid.is_compound() || !monoid.accepts(dtype) {
                    Err(VerifyError::Monoid { monoid: *monoid, dtype })
                } else {
                    Ok(())
                }
            }
        }
    }

    fn define(&mut self, value: ValueId, definitions: &mut Vec<ValueId>) -> Verified {
        let times = &mut self.defined[value.index()];
        *times += 1;
        if *times > 1 {
            return Err(VerifyError::Definitions { value, times: *times });
        }
        self.visible[value.index()] = true;
        definitions.push(value);
        Ok(())
    }

    fn inner_loop(&mut self, axes: &[AxisId], body: &[Stmt], folds: &[Fold]) -> Verified {
        if axes.is_empty() {
            return Err(VerifyError::LoopWithoutAxis);
        }
        for &axis in axes {
            exists("axis", axis.index(), self.kernel.axes)?;
            let loops = &mut self.loops[axis.index()];
            *loops += 1;
            if *loops > 1 {
                return Err(VerifyError::LoopAxis { axis, loops: *loops });
            }
            self.axes[axis.index()] = true;
        }
        let mut definitions = Vec::new();
        for statement in body {
            self.statement(statement, &mut definitions)?;
        }
        for fold in folds {
            self.fold(fold)?;
        }
        for value in definitions {
            self.visible[value.index()] = false;
        }
        for &axis in axes {
            self.axes[axis.index()] = false;
        }
        Ok(())
    }

    fn fold(&self, fold: &Fold) -> Verified {
        let kernel = self.kernel;
        for value in [Some(fold.value), fold.index].into_iter().flatten().chain(fold.results()) {
            exists("value", value.index(), kernel.values.len())?;
        }
        let dtype = kernel[fold.value].dtype;
        self.operand(fold.value, dtype)?;
        if fold.monoid == Monoid::Moments || !fold.monoid.accepts(dtype) {
            return Err(VerifyError::Monoid { monoid: fold.monoid, dtype });
        }
        let indexed = matches!(fold.monoid, Monoid::ArgMin | Monoid::ArgMax);
        let has_parts = match fold.monoid {
            Monoid::Binned => [0, 4].contains(&fold.parts.len()),
            _ => fold.parts.len() == usize::from(indexed),
        };
        if fold.index.is_some() != indexed || !has_parts {
            return Err(VerifyError::FoldParts { monoid: fold.monoid });
        }
        if let Some(index) = fold.index {
            self.operand(index, DType::I64)?;
        }
        for result in fold.results() {
            let expected = if result == fold.result { dtype } else { DType::I64 };
            let data = &kernel[result];
            if data.expr != Expr::Folded {
                return Err(VerifyError::Folded { value: result });
            }
            if data.dtype != expected {
                return Err(VerifyError::DType { value: result, expected, found: data.dtype });
            }
            for operand in [Some(fold.value), fold.index].into_iter().flatten() {
                if operand >= result {
                    return Err(VerifyError::ValueOrder { value: result, operand });
                }
            }
        }
        Ok(())
    }

    fn expression(&mut self, value: ValueId) -> Verified {
        let kernel = self.kernel;
        let found = kernel[value].dtype;
        let is = |expected: DType| {
            if found == expected {
                Ok(())
            } else {
                Err(VerifyError::DType { value, expected, found })
            }
        };
        match &kernel[value].expr {
            Expr::Load { access, guard } => {
                let dtype = self.access(*access, &[Role::In, Role::InOut], "loaded")?;
                if let Some(guard) = guard {
                    self.guard(*guard)?;
                }
                is(dtype)
            }
            Expr::Scalar(scalar) => {
                exists("scalar", scalar.index(), kernel.scalars.len())?;
                is(kernel[*scalar])
            }
            Expr::Constant(scalar) => is(scalar.dtype()),
            Expr::Index(axis) => {
                self.axis(*axis)?;
                is(DType::I64)
            }
            Expr::Inside(guard) => {
                self.guard(*guard)?;
                is(DType::Bool)
            }
            Expr::Op { op, inputs } => {
                let dtypes = self.dtypes(inputs, value)?;
                let mut loops = op.signatures().iter();
                if loops.any(|row| row.inputs() == dtypes.as_slice() && row.output == found) {
                    return Ok(());
                }
                let operation = op.name();
                Err(VerifyError::Signature { value, operation, inputs: dtypes, output: found })
            }
            Expr::Special { function, inputs } => {
                let dtypes = self.dtypes(inputs, value)?;
                let arity = phalanx_special::find(function.name).map(|known| known.arity);
                if matches!(found, DType::F32 | DType::F64)
                    && arity == Some(inputs.len())
                    && dtypes.iter().all(|&dtype| dtype == found)
                {
                    return Ok(());
                }
                let operation = function.name;
                Err(VerifyError::Signature { value, operation, inputs: dtypes, output: found })
            }
            Expr::Select { condition, on_true, on_false } => {
                for (operand, dtype) in
                    [(condition, DType::Bool), (on_true, found), (on_false, found)]
                {
                    self.before(*operand, value)?;
                    self.operand(*operand, dtype)?;
                }
                Ok(())
            }
            Expr::Cast(input) => self.before(*input, value).map(|_| ()),
            Expr::Folded => Err(VerifyError::Folded { value }),
        }
    }

    /// The dtypes of operands, which must come before `value` and be visible.
    fn dtypes(&self, inputs: &[ValueId], value: ValueId) -> Result<Vec<DType>, VerifyError> {
        inputs.iter().map(|&input| self.before(input, value)).collect()
    }

    /// The dtype of an operand, which must come before `value` and be visible.
    fn before(&self, operand: ValueId, value: ValueId) -> Result<DType, VerifyError> {
        exists("value", operand.index(), self.kernel.values.len())?;
        if operand >= value {
            return Err(VerifyError::ValueOrder { value, operand });
        }
        let dtype = self.kernel[operand].dtype;
        self.operand(operand, dtype).map(|()| dtype)
    }

    fn operand(&self, value: ValueId, expected: DType) -> Verified {
        exists("value", value.index(), self.kernel.values.len())?;
        if !self.visible[value.index()] {
            return Err(VerifyError::ValueOutOfScope { value });
        }
        let found = self.kernel[value].dtype;
        if found == expected { Ok(()) } else { Err(VerifyError::DType { value, expected, found }) }
    }

    fn axis(&self, axis: AxisId) -> Verified {
        exists("axis", axis.index(), self.kernel.axes)?;
        if self.axes[axis.index()] { Ok(()) } else { Err(VerifyError::AxisOutOfScope { axis }) }
    }

    fn guard(&self, guard: GuardId) -> Verified {
        exists("guard", guard.index(), self.kernel.guards.len())?;
        self.kernel[guard].iter().try_for_each(|&axis| self.axis(axis))
    }

    /// The dtype of an access that is used for `action`.
    fn access(
        &mut self,
        access: AccessId,
        roles: &[Role],
        action: &'static str,
    ) -> Result<DType, VerifyError> {
        exists("access", access.index(), self.kernel.accesses.len())?;
        self.used[access.index()] = true;
        let data = &self.kernel[access];
        data.axes.iter().try_for_each(|&axis| self.axis(axis))?;
        let param = &self.kernel[data.param];
        if roles.contains(&param.role) {
            Ok(param.dtype)
        } else {
            Err(VerifyError::Role { access, role: param.role, action })
        }
    }
}
