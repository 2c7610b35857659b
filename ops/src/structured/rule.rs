//! Rules: how the splits of operands follow from the split of the result.

use smallvec::SmallVec;

/// The split that an axis of an operand must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follow {
    /// The split of this axis of the result.
    Result(u8),
    /// None: every device needs the whole axis.
    Whole,
    /// Any: each device uses its own block.
    Own,
}

/// The split of each axis of each operand. Axes of the result that no axis follows are not split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// For each operand, for each of its axes.
    pub operands: SmallVec<[SmallVec<[Follow; 4]>; 3]>,
}

impl Rule {
    /// The first `like` operands have the axes of the result and need `axis` whole; of the other
    /// operands every device needs all.
    pub(super) fn along(axis: u8, shapes: &[&[usize]], like: usize) -> Rule {
        let follow = |operand: usize, own: usize| match own {
            _ if operand >= like || own == usize::from(axis) => Follow::Whole,
            _ => Follow::Result(own as u8),
        };
        Rule {
            operands: shapes
                .iter()
                .enumerate()
                .map(|(operand, shape)| (0..shape.len()).map(|own| follow(operand, own)).collect())
                .collect(),
        }
    }

    /// All operands have the axes of the result.
    pub(super) fn alike(shapes: &[&[usize]]) -> Rule {
        let follow = |shape: &&[usize]| (0..shape.len() as u8).map(Follow::Result).collect();
        Rule { operands: shapes.iter().map(follow).collect() }
    }

    /// Whether an axis of the result may be split.
    pub fn may_split(&self, axis: usize) -> bool {
        self.operands.iter().flatten().any(|&follow| follow == Follow::Result(axis as u8))
    }
}
