//! Random kernels with random arguments.

use super::case::{Case, Generator};
use crate::due::is_due;
use phalanx_kernels::ir::{
    Access, AccessId, AxisId, Expr, Fold, GuardId, Kernel, Param, ParamId, Role, ScalarId, Stmt,
    Value, ValueId,
};
use phalanx_ops::{DType, Monoid, Op, Scalar, Special};

const DTYPES: &[DType] = &[
    DType::F64,
    DType::F64,
    DType::F32,
    DType::I64,
    DType::I32,
    DType::U8,
    DType::Bool,
    DType::F16,
    DType::BF16,
    DType::C64,
    DType::C128,
];

const UNARY: &[Op] =
    &[Op::Negative, Op::Absolute, Op::Square, Op::Isnan, Op::LogicalNot, Op::Conjugate];
const BINARY: &[Op] = &[
    Op::Add,
    Op::Subtract,
    Op::Multiply,
    Op::Maximum,
    Op::Minimum,
    Op::Less,
    Op::Equal,
    Op::BitwiseXor,
];
/// Special functions and their numbers of operands.
const SPECIAL: &[(&str, usize)] = &[("erf", 1), ("j0", 1), ("xlog1py", 2), ("betainc", 3)];
const MONOIDS: &[Monoid] = &[
    Monoid::Add,
    Monoid::Add,
    Monoid::Multiply,
    Monoid::Min,
    Monoid::Max,
    Monoid::Any,
    Monoid::All,
    Monoid::ArgMin,
    Monoid::ArgMax,
    Monoid::BitXor,
    Monoid::Binned,
];

/// A verified kernel without arguments.
pub fn random_kernel(seed: u64) -> Kernel {
    Builder::new(seed).build().0
}

struct Builder {
    generator: Generator,
    kernel: Kernel,
    /// The values that can be used.
    visible: Vec<ValueId>,
    /// The axes in scope.
    axes: Vec<AxisId>,
}

impl Builder {
    fn new(seed: u64) -> Builder {
        let generator = Generator(seed.wrapping_mul(0x1234_5678_9ABC_DEF1));
        Builder { generator, kernel: Kernel::default(), visible: Vec::new(), axes: Vec::new() }
    }

    fn build(mut self) -> (Kernel, Generator) {
        let grid = self.generator.below(4);
        self.kernel.grid = grid;
        self.kernel.axes = grid;
        self.axes = self.kernel.grid_axes().collect();
        let mut body = self.body(0);
        self.store(&mut body);
        self.kernel.body = body;
        (self.kernel, self.generator)
    }

    fn body(&mut self, depth: usize) -> Vec<Stmt> {
        let mut body = Vec::new();
        self.load(&mut body);
        for _ in 0..self.generator.below(7) + 1 {
            match self.generator.below(12) {
                0 | 1 => self.load(&mut body),
                2 if depth < 2 && self.kernel.axes < 5 => self.inner_loop(depth, &mut body),
                3 if depth < 1 && self.kernel.axes < 5 => self.inner_loop(depth, &mut body),
                4 if self.generator.below(2) == 0 => self.store(&mut body),
                5 => self.source(&mut body),
                6 if self.generator.below(2) == 0 => self.special(&mut body),
                6 => self.select(&mut body),
                7 => {
                    let dtype = self.generator.pick(DTYPES);
                    let input = self.generator.pick(&self.visible);
                    self.define(&mut body, dtype, Expr::Cast(input));
                }
                _ => self.operation(&mut body),
            }
        }
        body
    }

    fn define(&mut self, body: &mut Vec<Stmt>, dtype: DType, expr: Expr) -> ValueId {
        self.kernel.values.push(Value { dtype, expr });
        let id = ValueId::new(self.kernel.values.len() - 1);
        body.push(Stmt::Let(id));
        self.visible.push(id);
        id
    }

    /// An access to a new parameter by some or all of the axes in scope.
    fn access(&mut self, dtype: DType, role: Role, all: bool) -> AccessId {
        self.kernel.params.push(Param { dtype, role });
        let mut axes = Vec::new();
        let mut sorted = self.axes.clone();
        sorted.sort_unstable();
        for axis in sorted {
            if all || self.generator.below(4) > 0 {
                axes.push(axis);
            }
        }
        let param = ParamId::new(self.kernel.params.len() - 1);
        self.kernel.accesses.push(Access { param, axes });
        AccessId::new(self.kernel.accesses.len() - 1)
    }

    fn guard(&mut self) -> GuardId {
        let mut axes = self.axes.clone();
        axes.sort_unstable();
        axes.retain(|_| self.generator.below(2) == 0);
        self.kernel.guards.push(axes);
        GuardId::new(self.kernel.guards.len() - 1)
    }

    fn load(&mut self, body: &mut Vec<Stmt>) {
        let dtype = self.generator.pick(DTYPES);
        let access = self.access(dtype, Role::In, false);
        let guard = if self.generator.below(3) == 0 { Some(self.guard()) } else { None };
        self.define(body, dtype, Expr::Load { access, guard });
    }

    fn source(&mut self, body: &mut Vec<Stmt>) {
        let dtype = self.generator.pick(DTYPES);
        match self.generator.below(4) {
            0 => {
                self.kernel.scalars.push(dtype);
                let scalar = ScalarId::new(self.kernel.scalars.len() - 1);
                self.define(body, dtype, Expr::Scalar(scalar));
            }
            1 => {
                let constant = self.generator.scalar(dtype);
                self.define(body, dtype, Expr::Constant(constant));
            }
            2 if !self.axes.is_empty() => {
                let axis = self.generator.pick(&self.axes);
                self.define(body, DType::I64, Expr::Index(axis));
            }
            _ => {
                let guard = self.guard();
                self.define(body, DType::Bool, Expr::Inside(guard));
            }
        }
    }

    fn dtype(&self, value: ValueId) -> DType {
        self.kernel[value].dtype
    }

    fn convert(&mut self, body: &mut Vec<Stmt>, value: ValueId, dtype: DType) -> ValueId {
        match self.dtype(value) == dtype {
            true => value,
            false => self.define(body, dtype, Expr::Cast(value)),
        }
    }

    /// A visible value, often the last one.
    fn value(&mut self) -> ValueId {
        match self.generator.below(2) {
            0 => *self.visible.last().expect("a body loads first"),
            _ => self.generator.pick(&self.visible),
        }
    }

    fn operation(&mut self, body: &mut Vec<Stmt>) {
        let first = self.value();
        let unary = self.generator.below(3) == 0;
        let op = self.generator.pick(if unary { UNARY } else { BINARY });
        let mut inputs = vec![first];
        if !unary {
            let second = self.generator.pick(&self.visible);
            let dtype = self.dtype(first);
            inputs.push(self.convert(body, second, dtype));
        }
        let dtypes: Vec<DType> = inputs.iter().map(|&input| self.dtype(input)).collect();
        let signature = op.signatures().iter().find(|signature| signature.inputs() == dtypes);
        if let Some(signature) = signature {
            if !unary && self.generator.below(2) == 0 {
                inputs.reverse();
            }
            self.define(body, signature.output, Expr::Op { op, inputs });
        }
    }

    fn special(&mut self, body: &mut Vec<Stmt>) {
        let (name, arity) = self.generator.pick(SPECIAL);
        let dtype = self.generator.pick(&[DType::F32, DType::F64]);
        let mut inputs = Vec::new();
        for _ in 0..arity {
            let value = self.value();
            inputs.push(self.convert(body, value, dtype));
        }
        self.define(body, dtype, Expr::Special { function: Special { name }, inputs });
    }

    fn select(&mut self, body: &mut Vec<Stmt>) {
        let condition = self.generator.pick(&self.visible);
        let condition = self.convert(body, condition, DType::Bool);
        let on_true = self.generator.pick(&self.visible);
        let on_false = self.generator.pick(&self.visible);
        let dtype = self.dtype(on_true);
        let on_false = self.convert(body, on_false, dtype);
        self.define(body, dtype, Expr::Select { condition, on_true, on_false });
    }

    fn store(&mut self, body: &mut Vec<Stmt>) {
        let value = *self.visible.last().expect("a body loads first");
        let dtype = self.dtype(value);
        let access = self.access(dtype, Role::Out, true);
        body.push(Stmt::Store { access, value });
    }

    fn inner_loop(&mut self, depth: usize, body: &mut Vec<Stmt>) {
        let count = self.generator.below(2) + 1;
        let axes: Vec<AxisId> =
            (self.kernel.axes..self.kernel.axes + count).map(AxisId::new).collect();
        self.kernel.axes += count;
        self.axes.extend(&axes);
        let visible = self.visible.len();
        let mut inner = self.body(depth + 1);
        let mut folds = Vec::new();
        let mut pending = Vec::new();
        for _ in 0..self.generator.below(3) {
            let monoid = self.generator.pick(MONOIDS);
            let value = self.generator.pick(&self.visible);
            let dtype = self.dtype(value);
            if monoid.accepts(dtype) {
                pending.push((monoid, value, dtype));
            }
        }
        let axis = self.generator.pick(&axes);
        let has_index = |monoid| matches!(monoid, Monoid::ArgMin | Monoid::ArgMax);
        let indexed = pending.iter().any(|&(monoid, ..)| has_index(monoid));
        let index = indexed.then(|| self.define(&mut inner, DType::I64, Expr::Index(axis)));
        self.visible.truncate(visible);
        self.axes.truncate(self.axes.len() - count);
        for (monoid, value, dtype) in pending {
            let result = self.folded(dtype);
            let index = index.filter(|_| has_index(monoid));
            let count = match monoid {
                Monoid::Binned => self.generator.pick(&[0, 4]),
                _ => usize::from(index.is_some()),
            };
            let parts = (0..count).map(|_| self.folded(DType::I64)).collect();
            folds.push(Fold { monoid, value, index, result, parts });
        }
        body.push(Stmt::Loop { axes, body: inner, folds });
    }

    fn folded(&mut self, dtype: DType) -> ValueId {
        self.kernel.values.push(Value { dtype, expr: Expr::Folded });
        let id = ValueId::new(self.kernel.values.len() - 1);
        self.visible.push(id);
        id
    }
}

/// A random kernel with random extents, strides, guards and contents.
fn random_case(seed: u64) -> Case {
    let (kernel, mut generator) = Builder::new(seed).build();
    let budget: usize = if kernel.axes <= 2 { 3000 } else { 1500 };
    let mut rest = budget;
    let extents: Vec<usize> = (0..kernel.axes)
        .map(|_| {
            let choices = [1, 2, 3, 5, 8, 17, 33, 70, 300, 700];
            let fitting: Vec<usize> =
                choices.into_iter().filter(|&extent| extent <= rest).collect();
            let extent = if generator.below(40) == 0 { 0 } else { generator.pick(&fitting) };
            rest /= extent.max(1);
            extent
        })
        .collect();
    let mut case = Case::of(kernel.clone(), &extents);
    case.origins = extents.iter().map(|_| generator.below(20) as i64 - 5).collect();
    for (id, access) in kernel.accesses.iter().enumerate() {
        let dense = kernel[access.param].role == Role::Out;
        let mut order: Vec<usize> = (0..access.axes.len()).collect();
        if generator.below(2) == 0 {
            for at in (1..order.len()).rev() {
                order.swap(at, generator.below(at + 1));
            }
        }
        let mut strides = vec![0isize; order.len()];
        let (mut step, mut start) = (1, 0);
        for &at in order.iter().rev() {
            let extent = extents[access.axes[at].index()].max(1);
            let gap = if generator.below(4) == 0 { 2 } else { 1 };
            strides[at] = match generator.below(if dense { 6 } else { 8 }) {
                0 => -((step * gap) as isize),
                7 => 0,
                _ => (step * gap) as isize,
            };
            if strides[at] < 0 {
                start += (extent - 1) * step * gap;
            }
            step *= extent * gap;
        }
        case = case.access(id, start as isize, &strides);
        case = case.random(access.param.index(), step.max(1));
    }
    for dtype in &kernel.scalars {
        let scalar: Scalar = generator.scalar(*dtype);
        case = case.scalar(scalar);
    }
    for axes in &kernel.guards {
        let bounds: Vec<(i64, i64)> = axes
            .iter()
            .map(|axis| {
                let (origin, extent) = (case.origins[axis.index()], extents[axis.index()] as i64);
                match generator.below(4) {
                    0 => (origin - 3, origin + extent),
                    1 => (origin + extent / 3, origin + extent + 9),
                    2 => (origin + 1, origin + extent - 1),
                    _ => (i64::MIN, i64::MAX),
                }
            })
            .collect();
        case = case.guard(&bounds);
    }
    case
}

#[test]
fn random_kernels_run_alike_in_every_way() {
    for seed in (0..300).filter(|&seed| is_due(seed as usize)) {
        random_case(seed).check();
    }
}
