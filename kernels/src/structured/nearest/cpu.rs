//! The nearest elements along lines, by lower envelopes of parabolas (Felzenszwalb and
//! Huttenlocher, Distance Transforms of Sampled Functions, Theory of Computing 8, 2012).

use crate::structured::Block;
use crate::structured::lines::{Lines, Places, each};
use phalanx_ops::structured::Nearest;

/// Computes the block `to` of the result from the block of the costs.
pub fn run(op: &Nearest, operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    if to.is_empty() {
        return;
    }
    let lines = Lines::of(to.shape, op.axis);
    // SAFETY: nothing writes the operand meanwhile (condition 2 of `Buffer`).
    let costs = unsafe { operands[0].elements::<f64>() };
    let out = Places::<i64>::of(to);
    let spacing = f64::from_bits(op.spacing);
    let square = spacing * spacing;
    each(pool, lines.outer * lines.inner, 16, |part| {
        let mut line = vec![0.0; lines.extent];
        let mut envelope = Envelope::with_room(lines.extent);
        for number in part {
            let (outer, inner) = (number / lines.inner, number % lines.inner);
            for (row, cost) in line.iter_mut().enumerate() {
                *cost = costs[lines.at(outer, row, inner)];
            }
            envelope.fill(&line, square);
            let mut parabola = 0;
            for row in 0..lines.extent {
                while parabola + 1 < envelope.places.len()
                    && envelope.starts[parabola + 1] < row as f64
                {
                    parabola += 1;
                }
                let found = envelope.places.get(parabola).map_or(-1, |&place| place as i64);
                // SAFETY: the line is of this thread alone and in the block (conditions 1 and 2 of
                // `Places`).
                unsafe { out.at(lines.at(outer, row, inner)).write(found) };
            }
        }
    });
}

/// The lower envelope of the parabolas of a line.
struct Envelope {
    /// The places of its parabolas, in order.
    places: Vec<usize>,
    /// Where each of them is the lowest from.
    starts: Vec<f64>,
}

impl Envelope {
    fn with_room(extent: usize) -> Envelope {
        Envelope { places: Vec::with_capacity(extent), starts: Vec::with_capacity(extent) }
    }

    fn fill(&mut self, line: &[f64], square: f64) {
        self.places.clear();
        self.starts.clear();
        for (place, &cost) in line.iter().enumerate() {
            if cost.is_nan() || cost == f64::INFINITY {
                continue;
            }
            // The place at which the parabola of `place` gets below that of `before`.
            let meets = |before: usize| {
                let apart = (place - before) as f64;
                (cost - line[before]) / (2.0 * square * apart) + (place + before) as f64 / 2.0
            };
            let mut start = f64::NEG_INFINITY;
            while let (Some(&before), Some(&from)) = (self.places.last(), self.starts.last()) {
                start = meets(before);
                if start > from {
                    break;
                }
                self.places.pop();
                self.starts.pop();
                start = f64::NEG_INFINITY;
            }
            self.places.push(place);
            self.starts.push(start);
        }
    }
}
