//! The text of a kernel.
//!
//! ```text
//! kernel(a: f64 in, b: f64 in, c: f64 out; s0: f64; g0[i1]) {
//!   for i0 grid {
//!     v0: f64 = s0
//!     for i1 loop {
//!       v1: f64 = load a.0[i0, i1]
//!       v2: f64 = load b.1[i1] if g0
//!       v3: f64 = multiply(v1, v2)
//!       fold v4: f64 = add(v3)
//!     }
//!     v5: f64 = multiply(v4, v0)
//!     store c.2[i0] = v5
//!   }
//! }
//! ```
//!
//! The number after a parameter's name is the access: its position in the launch's list of
//! accesses. Extents, strides, bounds and the values of scalars do not appear, since they are
//! arguments of a launch. Parameters have no names; the text calls them `a`, `b`, `c` and so on.

use super::{AccessId, AxisId, Expr, Fold, Kernel, ParamId, Role, Stmt, ValueId};
use phalanx_ops::{DType, Scalar, Weak};
use std::fmt::{self, Display, Formatter};

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "kernel(")?;
        for (id, param) in self.params.iter().enumerate() {
            let comma = if id > 0 { ", " } else { "" };
            write!(f, "{comma}{}: {} {}", param_name(ParamId::new(id)), param.dtype, param.role)?;
        }
        for (id, dtype) in self.scalars.iter().enumerate() {
            write!(f, "{}s{id}: {dtype}", if id > 0 { ", " } else { "; " })?;
        }
        for (id, axes) in self.guards.iter().enumerate() {
            write!(f, "{}g{id}[{}]", if id > 0 { ", " } else { "; " }, list('i', axes))?;
        }
        writeln!(f, ") {{")?;
        let axes: Vec<AxisId> = self.grid_axes().collect();
        let space = if axes.is_empty() { "" } else { " " };
        writeln!(f, "  for {}{space}grid {{", list('i', &axes))?;
        self.write_body(f, &self.body, 4)?;
        writeln!(f, "  }}")?;
        writeln!(f, "}}")
    }
}

impl Kernel {
    fn write_body(&self, f: &mut Formatter<'_>, body: &[Stmt], indent: usize) -> fmt::Result {
        for statement in body {
            write!(f, "{:indent$}", "")?;
            match statement {
                Stmt::Let(value) => self.write_value(f, *value)?,
                Stmt::Loop { axes, body, folds } => {
                    writeln!(f, "for {} loop {{", list('i', axes))?;
                    self.write_body(f, body, indent + 2)?;
                    for fold in folds {
                        write!(f, "{:1$}", "", indent + 2)?;
                        self.write_fold(f, fold)?;
                    }
                    writeln!(f, "{:indent$}}}", "")?;
                }
                Stmt::Store { access, value } => {
                    writeln!(f, "store {} = v{value}", self.access_text(*access))?;
                }
                Stmt::Accumulate { access, length, position, value, monoid } => {
                    let access = self.access_text(*access);
                    writeln!(
                        f,
                        "accumulate {access} at v{position} below s{length} = {monoid}(v{value})"
                    )?;
                }
            }
        }
        Ok(())
    }

    fn write_value(&self, f: &mut Formatter<'_>, value: ValueId) -> fmt::Result {
        let Some(data) = self.values.get(value.index()) else {
            return writeln!(f, "v{value} = ?");
        };
        write!(f, "v{value}: {} = ", data.dtype)?;
        match &data.expr {
            Expr::Load { access, guard: None } => writeln!(f, "load {}", self.access_text(*access)),
            Expr::Load { access, guard: Some(guard) } => {
                writeln!(f, "load {} if g{guard}", self.access_text(*access))
            }
            Expr::Scalar(scalar) => writeln!(f, "s{scalar}"),
            Expr::Constant(scalar) => writeln!(f, "constant {}", constant_text(scalar)),
            Expr::Index(axis) => writeln!(f, "index i{axis}"),
            Expr::Inside(guard) => writeln!(f, "inside g{guard}"),
            Expr::Op { op, inputs } => writeln!(f, "{op}({})", list('v', inputs)),
            Expr::Special { function, inputs } => {
                writeln!(f, "special {function}({})", list('v', inputs))
            }
            Expr::Select { condition, on_true, on_false } => {
                writeln!(f, "select(v{condition}, v{on_true}, v{on_false})")
            }
            Expr::Cast(input) => writeln!(f, "cast(v{input})"),
            Expr::Folded => writeln!(f, "folded"),
        }
    }

    fn write_fold(&self, f: &mut Formatter<'_>, fold: &Fold) -> fmt::Result {
        let typed = |value: ValueId| match self.values.get(value.index()) {
            Some(data) => format!("v{value}: {}", data.dtype),
            None => format!("v{value}: ?"),
        };
        write!(f, "fold {}", typed(fold.result))?;
        for &part in &fold.parts {
            write!(f, ", {}", typed(part))?;
        }
        write!(f, " = {}(v{}", fold.monoid, fold.value)?;
        if let Some(index) = fold.index {
            write!(f, ", v{index}")?;
        }
        writeln!(f, ")")
    }

    fn access_text(&self, access: AccessId) -> String {
        match self.accesses.get(access.index()) {
            Some(data) => format!("{}.{access}[{}]", param_name(data.param), list('i', &data.axes)),
            None => format!("?.{access}[]"),
        }
    }
}

impl Display for Role {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Role {
    const ALL: [Role; 4] = [Role::In, Role::Out, Role::InOut, Role::Table];

    /// The word of the kernel text.
    pub const fn name(self) -> &'static str {
        match self {
            Role::In => "in",
            Role::Out => "out",
            Role::InOut => "inout",
            Role::Table => "table",
        }
    }

    /// The role of the given word.
    pub fn from_name(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// `a` to `z`, then `aa`, `ab` and so on: letters only, so that no name looks like a value's.
fn param_name(param: ParamId) -> String {
    let letter = char::from(b'a' + (param.index() % 26) as u8);
    match param.index() / 26 {
        0 => letter.to_string(),
        more => param_name(ParamId::new(more - 1)) + &letter.to_string(),
    }
}

fn list(prefix: char, ids: &[impl Display]) -> String {
    let names: Vec<String> = ids.iter().map(|id| format!("{prefix}{id}")).collect();
    names.join(", ")
}

/// The number as text, or its bytes where that text does not parse to the same bits.
fn constant_text(scalar: &Scalar) -> String {
    let text = scalar.to_string();
    if parse_constant(scalar.dtype(), &text) == Some(*scalar) {
        return text;
    }
    let digits: String = scalar.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("bytes {digits}")
}

/// Reads what `constant_text` writes.
pub(super) fn parse_constant(dtype: DType, text: &str) -> Option<Scalar> {
    if let Some(digits) = text.strip_prefix("bytes ") {
        let digits = digits.trim();
        if digits.len() != 2 * dtype.size() || !digits.is_ascii() {
            return None;
        }
        let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok();
        let bytes: Option<Vec<u8>> = (0..dtype.size()).map(byte).collect();
        return Some(Scalar::from_bytes(dtype, &bytes?));
    }
    let weak = match dtype {
        DType::Bool => Weak::Bool(text.parse().ok()?),
        dtype if dtype.is_integer() => Weak::Int(text.parse().ok()?),
        dtype if dtype.is_complex() => {
            let inner = text.strip_prefix('(')?.strip_suffix("j)")?;
            // The imaginary part begins at the last sign that is not an exponent's.
            let split = inner
                .char_indices()
                .filter(|&(at, char)| {
                    at > 0 && matches!(char, '+' | '-') && !inner[..at].ends_with('e')
                })
                .map(|(at, _)| at)
                .next_back()?;
            let (re, im) = inner.split_at(split);
            Weak::from(num_complex::Complex64::new(re.parse().ok()?, im.parse().ok()?))
        }
        DType::F32 => return text.parse().ok().map(Scalar::new::<f32>),
        _ => Weak::Float(text.parse().ok()?),
    };
    Some(Scalar::from_weak(dtype, weak))
}
