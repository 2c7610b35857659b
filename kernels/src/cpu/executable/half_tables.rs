//! Tables of half precision. A launch accumulates into f32 copies of them and rounds the copies
//! once at its end.

use super::lowered::Lowered;
use crate::cpu::loops;
use crate::cpu::lower::widen;
use crate::error::KernelError;
use crate::ir::{
    AccessArgument, AccessId, Expr, Kernel, Launch, Role, ScalarId, Stmt, Value, ValueId,
};
use phalanx_ops::{DType, Weak};

/// A kernel with f32 in place of half precision in its tables.
#[derive(Debug)]
pub(in crate::cpu) struct Wide {
    /// The kernel with half precision.
    kernel: Kernel,
    /// The kernel with f32.
    lowered: Lowered,
    tables: Vec<HalfTable>,
}

#[derive(Clone, Copy, Debug)]
struct HalfTable {
    access: AccessId,
    length: ScalarId,
    dtype: DType,
}

/// The f32 copy of a table, or of all tables of an access if points have separate tables.
struct Copy {
    elements: Vec<f32>,
    length: usize,
    /// The byte strides of the access in the copy.
    strides: Vec<isize>,
    /// The address of the launch's table for each table of the copy.
    sources: Vec<*mut u8>,
    dtype: DType,
}

impl Wide {
    /// The wide form of a verified kernel; `None` if it has no table of half precision.
    pub fn new(kernel: &Kernel) -> Result<Option<Wide>, KernelError> {
        let mut wide = kernel.clone();
        let mut tables = Vec::new();
        widen_body(kernel, &mut wide.values, &mut wide.body, &mut tables);
        if tables.is_empty() {
            return Ok(None);
        }
        for param in wide.params.iter_mut().filter(|param| matches!(param.role, Role::Table)) {
            param.dtype = widen(param.dtype);
        }
        Ok(Some(Wide { kernel: kernel.clone(), lowered: Lowered::new(&wide)?, tables }))
    }

    /// The kernel with tables of half precision.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Calls `run` with the wide kernel and a launch on wide tables, then rounds these into the
    /// tables of `launch`.
    ///
    /// # Safety
    /// As for `Compiled::run`; when `run` returns, the launch that it was given is done.
    pub unsafe fn run(&self, launch: &Launch, run: impl FnOnce(&Lowered, &Launch)) {
        let mut wide = launch.clone();
        let mut copies: Vec<(AccessId, Copy)> = Vec::new();
        for table in &self.tables {
            let argument = &launch.accesses[table.access.index()];
            let same = |(other, copy): &&(AccessId, Copy)| {
                let other = &launch.accesses[other.index()];
                other.pointer == argument.pointer
                    && other.strides == argument.strides
                    && copy.length == length(launch, table)
            };
            let (pointer, strides) = match copies.iter().find(same) {
                Some((other, copy)) => (wide.accesses[other.index()].pointer, copy.strides.clone()),
                None => {
                    // SAFETY: the caller's promise.
                    let mut copy = unsafe { Copy::new(&self.kernel, launch, table) };
                    let place = (copy.elements.as_mut_ptr().cast(), copy.strides.clone());
                    copies.push((table.access, copy));
                    place
                }
            };
            wide.accesses[table.access.index()] = AccessArgument { pointer, strides };
        }
        run(&self.lowered, &wide);
        for (_, copy) in &copies {
            // SAFETY: the caller's promise.
            unsafe { copy.round() };
        }
    }
}

/// Adds casts to f32 for values accumulated into tables of half precision, and lists these tables
/// in `tables`.
fn widen_body(
    kernel: &Kernel,
    values: &mut Vec<Value>,
    body: &mut Vec<Stmt>,
    tables: &mut Vec<HalfTable>,
) {
    let mut at = 0;
    while at < body.len() {
        match &mut body[at] {
            Stmt::Loop { body, .. } => widen_body(kernel, values, body, tables),
            Stmt::Accumulate { access, length, value, .. } => {
                let dtype = kernel[*value].dtype;
                if widen(dtype) != dtype {
                    tables.push(HalfTable { access: *access, length: *length, dtype });
                    values.push(Value { dtype: widen(dtype), expr: Expr::Cast(*value) });
                    let widened = ValueId::new(values.len() - 1);
                    *value = widened;
                    body.insert(at, Stmt::Let(widened));
                    at += 1;
                }
            }
            Stmt::Let(_) | Stmt::Store { .. } => {}
        }
        at += 1;
    }
}

fn length(launch: &Launch, table: &HalfTable) -> usize {
    match launch.scalars[table.length.index()].to_weak() {
        Weak::Int(length) => usize::try_from(length).unwrap_or(0),
        other => panic!("bug: the length of a table is {other:?}"),
    }
}

impl Copy {
    /// # Safety
    /// The tables of the launch are readable.
    unsafe fn new(kernel: &Kernel, launch: &Launch, table: &HalfTable) -> Copy {
        let length = length(launch, table);
        let argument = &launch.accesses[table.access.index()];
        let axes = &kernel[table.access].axes;
        let mut sources = vec![argument.pointer];
        let mut strides = vec![0; axes.len()];
        for (at, (&axis, &stride)) in axes.iter().zip(&argument.strides).enumerate().rev() {
            if stride == 0 {
                continue;
            }
            strides[at] = (sources.len() * length * size_of::<f32>()) as isize;
            let inner = std::mem::take(&mut sources);
            for position in 0..launch.extents[axis.index()] as isize {
                let shift = |source: &*mut u8| source.wrapping_offset(position * stride);
                sources.extend(inner.iter().map(shift));
            }
        }
        let mut elements = vec![0f32; sources.len() * length];
        let code = loops::cast(table.dtype, DType::F32);
        for (at, source) in sources.iter().enumerate() {
            let target = elements[at * length..].as_mut_ptr().cast();
            // SAFETY: the caller's promise; the copy has `length` elements for each table.
            unsafe { code(&[source.cast_const()], target, length) };
        }
        Copy { elements, length, strides, sources, dtype: table.dtype }
    }

    /// Rounds the copy into the launch's tables.
    ///
    /// # Safety
    /// The tables of the launch are writable, and no other code uses the copy any more.
    unsafe fn round(&self) {
        let code = loops::cast(DType::F32, self.dtype);
        for (at, &target) in self.sources.iter().enumerate() {
            let source = self.elements[at * self.length..].as_ptr().cast();
            // SAFETY: the caller's promise; both have `length` elements.
            unsafe { code(&[source], target, self.length) };
        }
    }
}
