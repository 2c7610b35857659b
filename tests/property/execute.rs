//! Instructions carried out by Phalanx.

use crate::program::{Instruction, Name, Operand, Reduction};
use crate::reference::Value;
use phalanx::{
    Argument, Array, Axes, Bounds, DType, HostArray, Index, Op, Sharding, Split, from_function,
    from_slice, full, keepdims, matmul, select,
};

/// The arrays of a program after the instructions carried out so far.
#[derive(Default)]
pub struct Arrays {
    arrays: Vec<Option<Array>>,
}

impl Arrays {
    /// The array of a name; the reference has checked that it exists.
    pub fn get(&self, name: Name) -> &Array {
        self.find(name).unwrap_or_else(|| panic!("bug: the reference has an array {name}"))
    }

    /// The array of a name, if it exists.
    pub fn find(&self, name: Name) -> Option<&Array> {
        self.arrays.get(name.0)?.as_ref()
    }

    /// Makes numbers of an array that are rounded when they are added, if it has floats.
    pub fn make_fractions(&mut self, name: Name) {
        let array = self.get(name);
        if array.dtype().is_inexact() {
            self.arrays[name.0] = Some((array * 0.1).sin());
        }
    }

    fn argument(&self, operand: Operand) -> Argument {
        match operand {
            Operand::Array(name) => self.get(name).into(),
            Operand::Number(Value::Bool(value)) => value.into(),
            Operand::Number(Value::Int(value)) => value.into(),
            Operand::Number(Value::Float(value)) => value.into(),
        }
    }

    /// Carries out an instruction that the reference has carried out; observing ones do nothing.
    pub fn step(&mut self, instruction: &Instruction) -> Result<(), phalanx::Error> {
        use Instruction::*;
        let (to, array) = match instruction {
            Full { to, shape, value, dtype } => {
                let shape = shape.as_slice();
                let array = match *value {
                    Value::Bool(value) => full(shape, value, *dtype),
                    Value::Int(value) => full(shape, value, *dtype),
                    Value::Float(value) => full(shape, value, *dtype),
                };
                (to, array)
            }
            Arange { to, start, stop, step } => (to, phalanx::arange(*start, *stop, *step)),
            FromSlice { to, shape, values, dtype } => (to, upload(shape, values, *dtype)),
            FromFunction { to, shape, factors } => {
                let zero = full((), 0, DType::I64);
                let sum = |indices: &[Array]| {
                    let terms = indices.iter().zip(factors).map(|(index, &factor)| index * factor);
                    terms.fold(zero, |sum, term| sum + term) % 11
                };
                (to, from_function(shape.as_slice(), sum))
            }
            Slice { to, of, items } => (to, self.get(*of).slice(items)),
            At { to, of, index } => (to, self.get(*of).at(index)),
            Transpose { to, of, axes } => {
                let axes: Vec<i64> = axes.iter().map(|&axis| axis as i64).collect();
                (to, self.get(*of).transpose(axes))
            }
            Reshape { to, of, shape } => (to, self.get(*of).reshape(shape.as_slice())),
            BroadcastTo { to, of, shape } => (to, self.get(*of).broadcast_to(shape.as_slice())),
            Alias { to, of } => (to, self.get(*of).clone()),
            Copy { to, of } => (to, self.get(*of).copy()),
            Cast { to, of, dtype } => (to, self.get(*of).astype(*dtype)),
            Unary { to, op, of } => (to, Array::apply(*op, &[self.get(*of).into()])),
            Binary { to, op, left, right } => {
                (to, Array::apply(*op, &[self.argument(*left), self.argument(*right)]))
            }
            Select { to, mask, on_true, on_false } => {
                let (on_true, on_false) = (self.argument(*on_true), self.argument(*on_false));
                (to, select(self.get(*mask), on_true, on_false))
            }
            Reduce { to, reduction, of, axes, keepdims: kept } => {
                let axes: Axes = axes.as_ref().map_or(().into(), |axes| axes.as_slice().into());
                let axes = if *kept { keepdims(axes) } else { axes };
                (to, reduce(self.get(*of), *reduction, axes))
            }
            Matmul { to, left, right } => (to, matmul(self.get(*left), self.get(*right))),
            Compress { to, of, mask } => (to, self.get(*of).compress(self.get(*mask))),
            Histogram { to, of, bins, range } => {
                (to, phalanx::histogram(self.get(*of), *bins, Some(*range)).0)
            }
            Percentile { to, of, q } => (to, phalanx::percentile(self.get(*of), q)),
            Sort { to, of, axis } => (to, phalanx::sort(self.get(*of), *axis)),
            ArgSort { to, of, axis } => (to, phalanx::argsort(self.get(*of), *axis)),
            Cumsum { to, of, axis } => (to, phalanx::cumsum(self.get(*of), *axis)),
            Take { to, of, axis, positions } => {
                let positions = from_slice(positions, [positions.len()]);
                (to, self.get(*of).take(&positions, *axis as i64))
            }
            Concatenate { to, left, right, axis } => {
                let parts = [self.get(*left), self.get(*right)];
                (to, phalanx::concatenate(&parts, *axis as i64))
            }
            AssignAt { of, positions, value } => {
                let positions = from_slice(positions, [positions.len()]);
                let (of, value) = (self.get(*of), self.argument(*value));
                return of.try_assign_index(phalanx::ix![&positions], value);
            }
            FromLocal { to, of, axis, sizes } => {
                let (of, mut start) = (self.get(*of), 0);
                let mut shards = Vec::new();
                for &size in sizes {
                    let whole = Index::Range { start: None, stop: None, step: 1 };
                    let mut items = vec![whole; of.ndim()];
                    let stop = Some((start + size) as i64);
                    items[*axis] = Index::Range { start: Some(start as i64), stop, step: 1 };
                    shards.push(of.slice(items).to_host()?);
                    start += size;
                }
                (to, Array::from_local(shards, *axis as i64))
            }
            Reshard { to, of, axes } => {
                let of = self.get(*of);
                let handle = of.mesh()?;
                let mesh = handle.mesh();
                let mut sharding = Sharding::replicated(of.ndim());
                for (axis, blocks) in axes.iter().enumerate() {
                    let Some(blocks) = blocks else { continue };
                    let parts = blocks.mesh_axes.iter().map(|&axis| mesh.extent(axis as usize));
                    let bounds = match &blocks.sizes {
                        Some(sizes) => Bounds::explicit(sizes),
                        None => Bounds::even(of.shape()[axis], parts.product()),
                    };
                    let mesh_axes = blocks.mesh_axes.iter().copied().collect();
                    sharding.axes[axis] = Some(Split { mesh_axes, bounds });
                }
                (to, of.with_sharding(sharding))
            }
            Assign { of, value } => return self.get(*of).try_assign(self.argument(*value)),
            InPlace { op, of, value } => {
                let of = self.get(*of);
                let value = self.argument(*value);
                in_place(*op, of, value);
                return of.ok().map(|_| ());
            }
            AssignWhere { of, mask, value } => {
                let of = self.get(*of);
                of.assign_where(self.get(*mask), self.argument(*value));
                return of.ok().map(|_| ());
            }
            Evaluate { of } => return self.get(*of).evaluate(),
            Flush => return phalanx::flush(),
            Drop { of } => {
                self.arrays[of.0] = None;
                return Ok(());
            }
            Read { .. } | Shards { .. } | Explain { .. } => return Ok(()),
        };
        array.ok()?;
        if self.arrays.len() <= to.0 {
            self.arrays.resize(to.0 + 1, None);
        }
        self.arrays[to.0] = Some(array);
        Ok(())
    }
}

fn upload(shape: &[usize], values: &[Value], dtype: DType) -> Array {
    match dtype {
        DType::Bool => {
            from_slice(&values.iter().map(|value| value.truth()).collect::<Vec<bool>>(), shape)
        }
        DType::I64 => {
            from_slice(&values.iter().map(|value| value.int()).collect::<Vec<i64>>(), shape)
        }
        _ => from_slice(&values.iter().map(|value| value.float()).collect::<Vec<f64>>(), shape),
    }
}

fn reduce(of: &Array, reduction: Reduction, axes: Axes) -> Array {
    match reduction {
        Reduction::Sum => of.sum(axes),
        Reduction::Prod => of.prod(axes),
        Reduction::Min => of.min(axes),
        Reduction::Max => of.max(axes),
        Reduction::Any => of.any(axes),
        Reduction::All => of.all(axes),
        Reduction::ArgMin => of.argmin(axes),
        Reduction::ArgMax => of.argmax(axes),
        Reduction::CountNonzero => of.count_nonzero(axes),
        Reduction::Mean => of.mean(axes),
        Reduction::Var => of.var(axes, 0.0),
        Reduction::Std => of.std(axes, 0.0),
    }
}

fn in_place(op: Op, of: &Array, value: Argument) {
    match op {
        Op::Add => of.add_assign(value),
        Op::Subtract => of.subtract_assign(value),
        Op::Multiply => of.multiply_assign(value),
        Op::Divide => of.divide_assign(value),
        Op::Remainder => of.remainder_assign(value),
        Op::BitwiseAnd => of.bitwise_and_assign(value),
        Op::BitwiseOr => of.bitwise_or_assign(value),
        Op::BitwiseXor => of.bitwise_xor_assign(value),
        other => panic!("bug: programs do not use {} in place", other.name()),
    }
}

/// The elements of host data in C order.
pub fn elements(host: &HostArray) -> Vec<Value> {
    let chunk = |bytes: &[u8]| match host.dtype {
        DType::Bool => Value::Bool(bytes[0] != 0),
        DType::I64 => Value::Int(i64::from_ne_bytes(bytes.try_into().unwrap_or_default())),
        _ => Value::Float(f64::from_ne_bytes(bytes.try_into().unwrap_or_default())),
    };
    host.bytes.chunks_exact(host.dtype.size()).map(chunk).collect()
}
