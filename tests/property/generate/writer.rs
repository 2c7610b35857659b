//! The writing of a random case.

use crate::case::Case;
use crate::program::Instruction;
use crate::random::Random;
use crate::reference::Reference;

/// The random case of a seed on a mesh.
pub fn case(seed: u64, mesh: &[usize]) -> Case {
    let mut random = Random::new(seed);
    let length = random.between(6, 36) as usize;
    let mut case = Case {
        seed,
        mesh: mesh.to_vec(),
        threads: random.pick(&[1, 2, 3]),
        split_from: random.pick(&[1, 1, 4, 8]),
        soft: random.pick(&[4, 16, 256]),
        hard: random.pick(&[7, 4096, 4096]),
        small: if seed.is_multiple_of(2) { 0 } else { 64 << 10 },
        rounds: random.pick(&[1, 1, 2]),
        stretches: (seed % 3) as usize,
        program: Vec::new(),
    };
    let largest = random.pick(&[9, 9, 9, 40, 300]);
    let mut writer = Writer {
        palette: (0..3).map(|_| frequent(&mut random, largest)).collect(),
        reference: Reference::new(mesh),
        program: Vec::new(),
        mesh,
        random,
    };
    for _ in 0..length {
        writer.extend();
    }
    case.program = writer.program;
    case
}

/// An extent that many axes of a program have.
fn frequent(random: &mut Random, largest: i64) -> usize {
    match random.below(6) {
        0 => 1,
        1 => 2,
        _ => random.between(2, largest) as usize,
    }
}

/// A program being written.
pub(super) struct Writer<'a> {
    pub(super) random: Random,
    /// The extents of most axes, so that shapes of arrays match.
    pub(super) palette: Vec<usize>,
    pub(super) reference: Reference,
    pub(super) program: Vec<Instruction>,
    pub(super) mesh: &'a [usize],
}

impl Writer<'_> {
    /// Adds an instruction, or some that belong together.
    fn extend(&mut self) {
        let before = self.program.len();
        for _ in 0..40 {
            if self.random.chance(4) {
                self.repeat();
            } else if self.random.chance(12) {
                self.overlap();
            } else if self.random.chance(5) {
                self.neighbours();
            } else if self.random.chance(8) {
                self.uses_of_a_reduction();
            } else if let Some(instruction) = self.instruction() {
                self.push(instruction);
            }
            if self.program.len() > before {
                return;
            }
        }
    }

    pub(super) fn push(&mut self, instruction: Instruction) -> bool {
        let applies = self.reference.step(&instruction).is_some();
        if applies {
            self.program.push(instruction);
        }
        applies
    }
}
