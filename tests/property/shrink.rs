//! Smaller cases that still fail.

use crate::case::Case;
use crate::program::Instruction;

/// Failing cases are reported after this many attempts to make them smaller.
const ATTEMPTS: usize = 600;

/// The smallest case found that fails, with its fault.
pub fn shrink(case: &Case, fault: String) -> (Case, String) {
    let mut smallest = Smallest { case: case.clone(), fault, attempts: 0 };
    if smallest.fault == "hangs" {
        return (smallest.case, smallest.fault);
    }
    loop {
        let before = smallest.case.program.len();
        smallest.drop_instructions();
        smallest.simplify_data();
        smallest.simplify_session();
        if smallest.case.program.len() == before || smallest.attempts >= ATTEMPTS {
            return (smallest.case, smallest.fault);
        }
    }
}

struct Smallest {
    case: Case,
    fault: String,
    attempts: usize,
}

impl Smallest {
    /// Keeps a candidate that fails.
    fn consider(&mut self, candidate: Case) -> bool {
        if self.attempts >= ATTEMPTS {
            return false;
        }
        self.attempts += 1;
        match candidate.run() {
            Ok(()) => false,
            Err(fault) => {
                self.case = candidate;
                self.fault = fault;
                true
            }
        }
    }

    /// Drops runs of instructions, long ones first. Instructions that no longer apply are skipped
    /// when a program runs, so any may be dropped.
    fn drop_instructions(&mut self) {
        let mut length = self.case.program.len().div_ceil(2);
        while length > 0 {
            let mut at = self.case.program.len().saturating_sub(length);
            loop {
                let mut candidate = self.case.clone();
                let end = (at + length).min(candidate.program.len());
                candidate.program.drain(at..end);
                self.consider(candidate);
                if at == 0 {
                    break;
                }
                at = at.saturating_sub(length).min(self.case.program.len());
            }
            length /= 2;
        }
    }

    /// Replaces lists of numbers by an expression.
    fn simplify_data(&mut self) {
        for at in 0..self.case.program.len() {
            let Instruction::FromSlice { to, shape, .. } = &self.case.program[at] else { continue };
            let (to, shape) = (*to, shape.clone());
            let factors = (1..=shape.len() as i64).rev().collect();
            let mut candidate = self.case.clone();
            candidate.program[at] = Instruction::FromFunction { to, shape, factors };
            self.consider(candidate);
        }
    }

    fn simplify_session(&mut self) {
        let simpler: [fn(&mut Case); 9] = [
            |case| case.rounds = 1,
            |case| case.stretches = case.stretches.saturating_sub(1),
            |case| case.threads = 1,
            |case| case.soft = 256,
            |case| case.hard = 4096,
            |case| case.split_from = 1,
            |case| case.mesh = vec![1],
            |case| case.mesh = vec![2],
            |case| case.mesh = vec![case.mesh.iter().product()],
        ];
        for simplify in simpler {
            let mut candidate = self.case.clone();
            simplify(&mut candidate);
            if candidate.mesh.len() < self.case.mesh.len()
                || candidate.mesh.iter().product::<usize>() < self.case.mesh.iter().product()
                || candidate.to_string() != self.case.to_string()
                    && candidate.mesh == self.case.mesh
            {
                self.consider(candidate);
            }
        }
    }
}
