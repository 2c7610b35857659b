//! The reference: evaluates a kernel one point after the other, and a fold by its definition.

use phalanx_kernels::cpu::loops;
use phalanx_kernels::ir::{AccessId, AxisId, Expr, Fold, GuardId, Kernel, Launch, Stmt, ValueId};
use phalanx_ops::{Binned, DType, Kind, Monoid, Scalar, Weak};

/// Runs a launch.
///
/// # Safety
/// As for `Compiled::run`.
pub unsafe fn evaluate(kernel: &Kernel, launch: &Launch) {
    let mut evaluator = Evaluator {
        kernel,
        launch,
        position: vec![0; kernel.axes],
        values: vec![Scalar::new(false); kernel.values.len()],
    };
    let grid: Vec<AxisId> = kernel.grid_axes().collect();
    for point in points(launch, &grid) {
        evaluator.position[..kernel.grid].copy_from_slice(&point);
        // SAFETY: the caller's promise.
        unsafe { evaluator.body(&kernel.body) };
    }
}

/// All positions along the axes, the last axis fastest.
fn points(launch: &Launch, axes: &[AxisId]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &axis in axes {
        all = all
            .iter()
            .flat_map(|point: &Vec<usize>| {
                (0..launch.extents[axis.index()]).map(move |at| [point.as_slice(), &[at]].concat())
            })
            .collect();
    }
    all
}

struct Evaluator<'a> {
    kernel: &'a Kernel,
    launch: &'a Launch,
    position: Vec<usize>,
    values: Vec<Scalar>,
}

impl Evaluator<'_> {
    unsafe fn body(&mut self, body: &[Stmt]) {
        for statement in body {
            // SAFETY: the caller's promise.
            unsafe { self.statement(statement) };
        }
    }

    unsafe fn statement(&mut self, statement: &Stmt) {
        match statement {
            // SAFETY: the caller's promise.
            Stmt::Let(value) => self.values[value.index()] = unsafe { self.compute(*value) },
            Stmt::Loop { axes, body, folds } => {
                let mut items: Vec<Vec<(Scalar, i64)>> = vec![Vec::new(); folds.len()];
                for point in points(self.launch, axes) {
                    for (&axis, at) in axes.iter().zip(point) {
                        self.position[axis.index()] = at;
                    }
                    // SAFETY: the caller's promise.
                    unsafe { self.body(body) };
                    for (fold, items) in folds.iter().zip(&mut items) {
                        let index =
                            fold.index.map_or(0, |index| integer(self.values[index.index()]));
                        items.push((self.values[fold.value.index()], index));
                    }
                }
                for (fold, items) in folds.iter().zip(items) {
                    self.fold(fold, &items);
                }
            }
            Stmt::Store { access, value } => {
                let target = self.address(*access);
                let bytes = self.values[value.index()];
                // SAFETY: the caller's promise.
                unsafe { target.copy_from(bytes.bytes().as_ptr(), bytes.bytes().len()) };
            }
            Stmt::Accumulate { access, length, position, value, monoid } => {
                let at = integer(self.values[position.index()]);
                if at < 0 || at >= integer(self.launch.scalars[length.index()]) {
                    return;
                }
                let value = self.values[value.index()];
                let size = value.dtype().size();
                // SAFETY: the caller's promise; the position was checked.
                unsafe {
                    let target = self.address(*access).add(at as usize * size);
                    let old = read(target, value.dtype());
                    let new = combine(*monoid, (old, 0), (value, 0)).0;
                    target.copy_from(new.bytes().as_ptr(), size);
                }
            }
        }
    }

    fn fold(&mut self, fold: &Fold, items: &[(Scalar, i64)]) {
        if fold.monoid == Monoid::Binned {
            let mut sum = Binned::default();
            items.iter().for_each(|(number, _)| sum.add(number.to_weak().to_complex().re));
            self.values[fold.result.index()] = Scalar::new(sum.value());
            for (result, part) in fold.parts.iter().zip(sum.parts()) {
                self.values[result.index()] = Scalar::new(part);
            }
            return;
        }
        let dtype = self.kernel[fold.result].dtype;
        let wide = widen(dtype);
        let items: Vec<(Scalar, i64)> =
            items.iter().map(|&(value, index)| (convert(value, wide), index)).collect();
        let leaves: Vec<(Scalar, i64)> =
            items.chunks(256).map(|leaf| fold_leaf(fold.monoid, leaf)).collect();
        let (value, index) = match leaves.is_empty() {
            true => (empty(fold.monoid, wide), i64::MAX),
            false => fold_leaves(fold.monoid, &leaves),
        };
        self.values[fold.result.index()] = convert(value, dtype);
        for result in &fold.parts {
            self.values[result.index()] = Scalar::new(index);
        }
    }

    unsafe fn compute(&self, value: ValueId) -> Scalar {
        let data = &self.kernel[value];
        match &data.expr {
            Expr::Load { access, guard } => {
                if guard.is_some_and(|guard| !self.inside(guard)) {
                    return Scalar::from_weak(data.dtype, Weak::Int(0));
                }
                // SAFETY: the caller's promise.
                unsafe { read(self.address(*access), data.dtype) }
            }
            Expr::Scalar(scalar) => self.launch.scalars[scalar.index()],
            Expr::Constant(scalar) => *scalar,
            Expr::Index(axis) => Scalar::new(self.index(*axis)),
            Expr::Inside(guard) => Scalar::new(self.inside(*guard)),
            Expr::Op { op, inputs } => {
                let inputs: Vec<Scalar> =
                    inputs.iter().map(|input| self.values[input.index()]).collect();
                let dtypes: Vec<DType> = inputs.iter().map(Scalar::dtype).collect();
                if let Some(code) = loops::elementwise(*op, &dtypes) {
                    return apply(code, &inputs, data.dtype);
                }
                let inputs: Vec<Scalar> =
                    inputs.iter().map(|&input| convert(input, widen(input.dtype()))).collect();
                let dtypes: Vec<DType> = inputs.iter().map(Scalar::dtype).collect();
                let code = loops::elementwise(*op, &dtypes).expect("the operation has a loop");
                convert(apply(code, &inputs, widen(data.dtype)), data.dtype)
            }
            Expr::Special { function, inputs } => {
                let inputs: Vec<Scalar> =
                    inputs.iter().map(|input| self.values[input.index()]).collect();
                let inputs: Vec<f64> =
                    inputs.iter().map(|input| input.cast(DType::F64).to_element()).collect();
                let known = phalanx_special::find(function.name).expect("a function");
                Scalar::from_weak(data.dtype, Weak::Float(known.call(&inputs)))
            }
            Expr::Select { condition, on_true, on_false } => {
                let chosen = match self.values[condition.index()].to_weak() {
                    Weak::Bool(true) => on_true,
                    _ => on_false,
                };
                self.values[chosen.index()]
            }
            Expr::Cast(input) => convert(self.values[input.index()], data.dtype),
            Expr::Folded => panic!("a fold's result is not computed by a let"),
        }
    }

    fn index(&self, axis: AxisId) -> i64 {
        self.launch.origins[axis.index()] + self.position[axis.index()] as i64
    }

    fn inside(&self, guard: GuardId) -> bool {
        let axes = &self.kernel[guard];
        let bounds = &self.launch.guards[guard.index()].bounds;
        axes.iter()
            .zip(bounds)
            .all(|(&axis, &(start, end))| (start..end).contains(&self.index(axis)))
    }

    fn address(&self, access: AccessId) -> *mut u8 {
        let argument = &self.launch.accesses[access.index()];
        let axes = &self.kernel[access].axes;
        let offset: isize = axes
            .iter()
            .zip(&argument.strides)
            .map(|(axis, stride)| self.position[axis.index()] as isize * stride)
            .sum();
        argument.pointer.wrapping_offset(offset)
    }
}

unsafe fn read(source: *const u8, dtype: DType) -> Scalar {
    // SAFETY: the caller's promise.
    Scalar::from_bytes(dtype, unsafe { std::slice::from_raw_parts(source, dtype.size()) })
}

fn integer(scalar: Scalar) -> i64 {
    match scalar.to_weak() {
        Weak::Int(value) => value as i64,
        other => panic!("{other:?} is not an integer"),
    }
}

fn widen(dtype: DType) -> DType {
    if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype }
}

/// One element in aligned memory.
#[repr(C, align(16))]
struct Element([u8; 16]);

impl Element {
    fn new(scalar: Scalar) -> Element {
        let mut bytes = [0; 16];
        bytes[..scalar.bytes().len()].copy_from_slice(scalar.bytes());
        Element(bytes)
    }
}

fn apply(code: loops::Loop, inputs: &[Scalar], dtype: DType) -> Scalar {
    let elements: Vec<Element> = inputs.iter().map(|&input| Element::new(input)).collect();
    let pointers: Vec<*const u8> = elements.iter().map(|element| element.0.as_ptr()).collect();
    let mut output = Element([0; 16]);
    // SAFETY: one aligned element each.
    unsafe { code(&pointers, output.0.as_mut_ptr(), 1) };
    Scalar::from_bytes(dtype, &output.0)
}

fn convert(scalar: Scalar, dtype: DType) -> Scalar {
    match scalar.dtype() == dtype {
        true => scalar,
        false => apply(loops::cast(scalar.dtype(), dtype), &[scalar], dtype),
    }
}

fn combine(monoid: Monoid, left: (Scalar, i64), right: (Scalar, i64)) -> (Scalar, i64) {
    let dtype = left.0.dtype();
    if let Some(code) = loops::combine(monoid, dtype) {
        return (apply(code, &[left.0, right.0], dtype), 0);
    }
    let code = loops::arg_combine(monoid, dtype).expect("the monoid combines the dtype");
    let (mut value, mut index) = (Element::new(left.0), left.1);
    // SAFETY: one aligned element each.
    unsafe {
        code(Element::new(right.0).0.as_ptr(), &right.1, value.0.as_mut_ptr(), &mut index, 1)
    };
    (Scalar::from_bytes(dtype, &value.0), index)
}

fn empty(monoid: Monoid, dtype: DType) -> Scalar {
    let identity = match monoid {
        Monoid::Multiply => Weak::Int(1),
        Monoid::All => Weak::Bool(true),
        Monoid::BitAnd if dtype == DType::Bool => Weak::Bool(true),
        Monoid::BitAnd => Weak::Int(-1),
        Monoid::LogAddExp => Weak::Float(f64::NEG_INFINITY),
        Monoid::Min | Monoid::ArgMin => return extreme(dtype, true),
        Monoid::Max | Monoid::ArgMax => return extreme(dtype, false),
        _ => Weak::Int(0),
    };
    Scalar::from_weak(dtype, identity)
}

/// The largest or the smallest element of a dtype.
fn extreme(dtype: DType, largest: bool) -> Scalar {
    let infinity = if largest { f64::INFINITY } else { f64::NEG_INFINITY };
    let bits = 8 * dtype.size() as u32;
    let weak = match dtype.kind() {
        Kind::Bool => Weak::Bool(largest),
        Kind::Unsigned => Weak::Int(if largest { (1 << bits) - 1 } else { 0 }),
        Kind::Signed if largest => Weak::Int((1 << (bits - 1)) - 1),
        Kind::Signed => Weak::Int(-(1 << (bits - 1))),
        Kind::Float => Weak::Float(infinity),
        Kind::Complex => Weak::Complex(num_complex::Complex64::new(infinity, infinity)),
    };
    Scalar::from_weak(dtype, weak)
}

/// Lane `k % 32` combines in order; lanes are combined by halving.
fn fold_leaf(monoid: Monoid, items: &[(Scalar, i64)]) -> (Scalar, i64) {
    let mut lanes: Vec<Option<(Scalar, i64)>> = vec![None; 32];
    let join = |left: Option<(Scalar, i64)>, right: (Scalar, i64)| match left {
        Some(left) => combine(monoid, left, right),
        None => right,
    };
    for (at, &item) in items.iter().enumerate() {
        lanes[at % 32] = Some(join(lanes[at % 32], item));
    }
    for half in [16, 8, 4, 2, 1] {
        for lane in 0..half {
            if let Some(right) = lanes[lane + half] {
                lanes[lane] = Some(join(lanes[lane], right));
            }
        }
        lanes.truncate(half);
    }
    lanes[0].expect("a leaf has points")
}

/// The left subtree is the largest power of two below the number of leaves.
fn fold_leaves(monoid: Monoid, leaves: &[(Scalar, i64)]) -> (Scalar, i64) {
    if leaves.len() == 1 {
        return leaves[0];
    }
    let half = leaves.len().next_power_of_two() / 2;
    let (left, right) = leaves.split_at(half);
    combine(monoid, fold_leaves(monoid, left), fold_leaves(monoid, right))
}
