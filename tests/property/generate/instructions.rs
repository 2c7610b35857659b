//! Random instructions, one at a time.

use super::choices::LARGEST;
use super::writer::Writer;
use crate::program::{Blocks, Instruction, Name, Operand, Reduction};
use crate::random::Random;
use phalanx::{DType, Index, Op};

const DTYPES: [DType; 3] = [DType::Bool, DType::I64, DType::F64];
const UNARY: [Op; 8] = [
    Op::Negative,
    Op::Absolute,
    Op::Square,
    Op::Sqrt,
    Op::Floor,
    Op::Isnan,
    Op::LogicalNot,
    Op::Invert,
];
pub(super) const ARITHMETIC: [Op; 8] = [
    Op::Add,
    Op::Add,
    Op::Subtract,
    Op::Multiply,
    Op::Minimum,
    Op::Maximum,
    Op::Divide,
    Op::Remainder,
];
const COMPARISONS: [Op; 6] =
    [Op::Equal, Op::NotEqual, Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual];
const LOGIC: [Op; 7] = [
    Op::LogicalAnd,
    Op::LogicalOr,
    Op::LogicalXor,
    Op::BitwiseAnd,
    Op::BitwiseOr,
    Op::BitwiseXor,
    Op::FloorDivide,
];
pub(super) const IN_PLACE: [Op; 8] = [
    Op::Add,
    Op::Add,
    Op::Subtract,
    Op::Multiply,
    Op::Divide,
    Op::Remainder,
    Op::BitwiseAnd,
    Op::BitwiseXor,
];

impl Writer<'_> {
    pub(super) fn instruction(&mut self) -> Option<Instruction> {
        if self.reference.names().len() < 2 {
            return Some(self.creation());
        }
        match self.random.below(100) {
            0..8 => Some(self.creation()),
            8..26 => self.view(),
            26..30 => self.copy(),
            30..52 => self.elementwise(),
            52..62 => self.reduction(),
            62..66 => self.selection(),
            66..72 => self.order(),
            72..74 => self.statistics(),
            74..77 => self.resharding(),
            77..91 => self.write(),
            _ => self.observation(),
        }
    }

    fn creation(&mut self) -> Instruction {
        let (to, shape) = (self.name(), self.shape());
        match self.random.below(6) {
            0 => {
                let dtype = self.random.pick(&DTYPES);
                Instruction::Full { to, shape, value: self.value(dtype), dtype }
            }
            1 => {
                let step = self.random.pick(&[1, 1, 2, 3, -1, -2]);
                let start = self.random.between(-5, 5);
                let count = self.extent() as i64;
                Instruction::Arange { to, start, stop: start + step * count, step }
            }
            2 => {
                let factors = shape.iter().map(|_| self.random.between(-3, 7)).collect();
                Instruction::FromFunction { to, shape, factors }
            }
            _ => {
                let dtype = self.random.pick(&[DType::Bool, DType::I64, DType::F64, DType::F64]);
                let size = shape.iter().product();
                let values = (0..size).map(|_| self.value(dtype)).collect();
                Instruction::FromSlice { to, shape, values, dtype }
            }
        }
    }

    fn index_item(&mut self, extent: usize) -> Index {
        let reach = extent as i64;
        let bound = |random: &mut Random| match random.below(10) {
            0..5 => None,
            5..9 => Some(random.between(-reach, reach)),
            _ => Some(random.between(-reach - 3, reach + 3)),
        };
        if self.random.chance(15) && extent > 0 {
            return Index::At(self.random.between(-reach, reach - 1));
        }
        if self.random.chance(8) && extent > 0 {
            let start = self.random.between(0, reach - 1);
            return Index::Range { start: Some(start), stop: Some(start + 1), step: 1 };
        }
        let (start, stop) = (bound(&mut self.random), bound(&mut self.random));
        Index::Range { start, stop, step: self.random.pick(&[1, 1, 1, 1, 2, 3, -1, -1, -2]) }
    }

    pub(super) fn slice_of(&mut self, to: Name, of: Name) -> Instruction {
        let shape = self.shape_of(of);
        let named = self.random.below(shape.len() + 1);
        let mut items: Vec<Index> =
            shape[..named].iter().map(|&extent| self.index_item(extent)).collect();
        if shape.len() + 1 < 4 && self.random.chance(15) {
            items.insert(self.random.below(items.len() + 1), Index::NewAxis);
        }
        if named < shape.len() && self.random.chance(20) {
            items.push(Index::Ellipsis);
        }
        Instruction::Slice { to, of, items }
    }

    fn view(&mut self) -> Option<Instruction> {
        let (to, of) = (self.name(), self.array()?);
        let shape = self.shape_of(of);
        Some(match self.random.below(10) {
            0..5 => self.slice_of(to, of),
            5 | 6 => Instruction::Transpose { to, of, axes: self.random.permutation(shape.len()) },
            7 | 8 => Instruction::Reshape { to, of, shape: self.factored(shape.iter().product()) },
            _ => {
                let mut shape = shape;
                for extent in &mut shape {
                    if *extent == 1 && self.random.chance(70) {
                        *extent = self.extent();
                    }
                }
                if shape.len() < 3 && self.random.chance(50) {
                    shape.insert(0, self.extent());
                }
                if shape.iter().map(|&extent| extent.max(1)).product::<usize>() > LARGEST {
                    return None;
                }
                Instruction::BroadcastTo { to, of, shape }
            }
        })
    }

    /// A shape of this many elements.
    fn factored(&mut self, size: usize) -> Vec<usize> {
        let mut shape = Vec::new();
        let mut rest = size;
        for _ in 0..self.random.below(3) {
            let divisors: Vec<usize> =
                (1..=rest.max(1)).filter(|&by| rest.is_multiple_of(by)).collect();
            let extent = self.random.pick(&divisors);
            shape.push(extent);
            rest /= extent;
        }
        shape.insert(self.random.below(shape.len() + 1), rest);
        shape
    }

    fn copy(&mut self) -> Option<Instruction> {
        let (to, of) = (self.name(), self.array()?);
        Some(match self.random.below(4) {
            0 => Instruction::Alias { to, of },
            1 => Instruction::Copy { to, of },
            2 => Instruction::Cast { to, of, dtype: self.random.pick(&DTYPES) },
            _ => self.element_of(to, of)?,
        })
    }

    pub(super) fn element_of(&mut self, to: Name, of: Name) -> Option<Instruction> {
        let shape = self.shape_of(of);
        if shape.contains(&0) {
            return None;
        }
        let index = shape
            .iter()
            .map(|&extent| self.random.between(-(extent as i64), extent as i64 - 1))
            .collect();
        Some(Instruction::At { to, of, index })
    }

    fn elementwise(&mut self) -> Option<Instruction> {
        let to = self.name();
        let left = self.array()?;
        if self.random.chance(20) {
            return Some(Instruction::Unary { to, op: self.random.pick(&UNARY), of: left });
        }
        let op = match self.random.below(10) {
            0..6 => self.random.pick(&ARITHMETIC),
            6..8 => self.random.pick(&COMPARISONS),
            _ => self.random.pick(&LOGIC),
        };
        let (left, right) = (Operand::Array(left), self.operand()?);
        Some(if self.random.chance(50) {
            Instruction::Binary { to, op, left, right }
        } else {
            Instruction::Binary { to, op, left: right, right: left }
        })
        .filter(|_| matches!(left, Operand::Array(_)) || matches!(right, Operand::Array(_)))
    }

    fn reduction(&mut self) -> Option<Instruction> {
        let (to, of) = (self.name(), self.array()?);
        if self.random.chance(15) {
            let of = self.array_where(|array| array.shape().len() == 2)?;
            let inner = self.shape_of(of)[1];
            let right = self.array_where(|a| a.shape().len() == 2 && a.shape()[0] == inner)?;
            return Some(Instruction::Matmul { to, left: of, right });
        }
        Some(self.reduction_of(to, of))
    }

    pub(super) fn reduction_of(&mut self, to: Name, of: Name) -> Instruction {
        let ndim = self.shape_of(of).len();
        let axes = if self.random.chance(40) {
            None
        } else {
            let mut axes = self.random.permutation(ndim);
            axes.truncate(self.random.below(ndim + 1));
            let sign = |axis: usize, random: &mut Random| {
                if random.chance(30) { axis as i64 - ndim as i64 } else { axis as i64 }
            };
            Some(axes.into_iter().map(|axis| sign(axis, &mut self.random)).collect())
        };
        let reduction = self.random.pick(&Reduction::ALL);
        Instruction::Reduce { to, reduction, of, axes, keepdims: self.random.chance(40) }
    }

    fn selection(&mut self) -> Option<Instruction> {
        let (to, of) = (self.name(), self.array()?);
        let shape = self.shape_of(of);
        if self.random.chance(50) {
            let mask = self.array_where(|a| a.dtype() == DType::Bool && a.shape() == shape)?;
            return Some(Instruction::Compress { to, of, mask });
        }
        let mask = self.array_where(|a| a.broadcast_to(&shape).is_some())?;
        let (on_true, on_false) = (Operand::Array(of), self.operand_within(&shape)?);
        Some(if self.random.chance(50) {
            Instruction::Select { to, mask, on_true, on_false }
        } else {
            Instruction::Select { to, mask, on_true: on_false, on_false: on_true }
        })
    }

    /// Sorting, running sums, positions and joins.
    fn order(&mut self) -> Option<Instruction> {
        let (to, of) = (self.name(), self.array()?);
        let shape = self.shape_of(of);
        let ndim = shape.len() as i64;
        let axis =
            (ndim > 0 && self.random.chance(80)).then(|| self.random.between(-ndim, ndim - 1));
        Some(match self.random.below(7) {
            0 => Instruction::Sort { to, of, axis },
            1 => Instruction::ArgSort { to, of, axis },
            2 => Instruction::Cumsum { to, of, axis },
            3 | 4 => {
                let axis = axis?.rem_euclid(ndim) as usize;
                Instruction::Take { to, of, axis, positions: self.positions(shape[axis]) }
            }
            5 => {
                let right = self.array_where(|array| array.shape().len() == shape.len())?;
                let axis = axis?.rem_euclid(ndim) as usize;
                Instruction::Concatenate { to, left: of, right, axis }
            }
            _ => {
                let positions = self.positions(*shape.first()?);
                let mut written = shape.clone();
                written[0] = positions.len();
                Instruction::AssignAt { of, positions, value: self.operand_within(&written)? }
            }
        })
    }

    /// Some positions of an axis, in any order.
    fn positions(&mut self, extent: usize) -> Vec<i64> {
        let reach = extent as i64;
        let count = if extent == 0 { 0 } else { self.random.below(6) };
        (0..count).map(|_| self.random.between(-reach, reach - 1)).collect()
    }

    fn statistics(&mut self) -> Option<Instruction> {
        let (to, of) = (self.name(), self.array()?);
        Some(if self.random.chance(70) {
            // Edges that are exact, so that elements fall into bins exactly.
            let range = self.random.pick(&[(-8.0, 8.0), (0.0, 4.0), (-2.0, 30.0)]);
            Instruction::Histogram { to, of, bins: self.random.pick(&[1, 2, 8, 16]), range }
        } else {
            let count = self.random.between(1, 4);
            let q = (0..count).map(|_| self.random.between(0, 20) as f64 * 5.0).collect();
            Instruction::Percentile { to, of, q }
        })
    }

    /// The sizes of `parts` blocks of an axis, some of them empty.
    fn sizes(&mut self, extent: usize, parts: usize) -> Vec<usize> {
        let mut cuts: Vec<usize> = (1..parts).map(|_| self.random.below(extent + 1)).collect();
        cuts.sort_unstable();
        cuts.push(extent);
        let before = [0].into_iter().chain(cuts.iter().copied());
        cuts.iter().zip(before).map(|(cut, last)| cut - last).collect()
    }

    fn resharding(&mut self) -> Option<Instruction> {
        let (to, of) = (self.name(), self.array()?);
        let shape = self.shape_of(of);
        if !shape.is_empty() && self.random.chance(20) {
            let axis = self.random.below(shape.len());
            let sizes = self.sizes(shape[axis], self.mesh.iter().product());
            return Some(Instruction::FromLocal { to, of, axis, sizes });
        }
        let mut axes: Vec<Option<Blocks>> = vec![None; shape.len()];
        for mesh_axis in self.random.permutation(self.mesh.len()) {
            if shape.is_empty() || self.random.chance(20) {
                continue;
            }
            let axis = self.random.below(shape.len());
            let blocks = axes[axis].get_or_insert(Blocks { mesh_axes: Vec::new(), sizes: None });
            blocks.mesh_axes.push(mesh_axis as u8);
        }
        for (blocks, &extent) in axes.iter_mut().zip(&shape) {
            if let Some(blocks) = blocks
                && self.random.chance(60)
            {
                let extents = blocks.mesh_axes.iter().map(|&axis| self.mesh[axis as usize]);
                blocks.sizes = Some(self.sizes(extent, extents.product()));
            }
        }
        Some(Instruction::Reshard { to, of, axes })
    }

    fn write(&mut self) -> Option<Instruction> {
        let of = self.array()?;
        let shape = self.shape_of(of);
        let value = self.operand_within(&shape)?;
        Some(match self.random.below(10) {
            0..4 => Instruction::Assign { of, value },
            4..8 => Instruction::InPlace { op: self.random.pick(&IN_PLACE), of, value },
            _ => {
                let mask = self.array_where(|a| a.broadcast_to(&shape).is_some())?;
                Instruction::AssignWhere { of, mask, value }
            }
        })
    }

    fn observation(&mut self) -> Option<Instruction> {
        let of = self.array()?;
        Some(match self.random.below(10) {
            0..3 => Instruction::Read { of },
            3 => Instruction::Shards { of },
            4 => Instruction::Explain { of },
            5 => Instruction::Evaluate { of },
            6 => Instruction::Flush,
            _ => Instruction::Drop { of },
        })
    }
}
