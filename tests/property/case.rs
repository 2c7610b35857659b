//! Cases: a program with the session it runs in, run on Phalanx and compared with the reference.

use crate::compare;
use crate::execute::Arrays;
use crate::program::{Instruction, Name};
use crate::reference::Reference;
use crate::stretch::stretched;
use phalanx::{Bytes, Config, Limits, Mesh, Policy, Session};
use std::fmt;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// A case that takes longer than this hangs: programs take milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program and the session it runs in.
#[derive(Clone)]
pub struct Case {
    /// The seed it was made from.
    pub seed: u64,
    /// The extents of the mesh.
    pub mesh: Vec<usize>,
    pub threads: usize,
    /// Arrays of at least this many elements are split.
    pub split_from: usize,
    /// The limits of windows.
    pub soft: usize,
    pub hard: usize,
    pub small: usize,
    /// The number of rounds of the program in the session; later rounds find plans in caches.
    pub rounds: usize,
    /// The number of further rounds on arrays that are longer each time.
    pub stretches: usize,
    pub program: Vec<Instruction>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "# seed {}, mesh {:?}, threads {}, split from {}, limits {}, {} and {}, \
             rounds {}, stretches {}",
            self.seed,
            self.mesh,
            self.threads,
            self.split_from,
            self.soft,
            self.hard,
            self.small,
            self.rounds,
            self.stretches
        )?;
        self.program.iter().try_for_each(|instruction| writeln!(f, "{instruction}"))
    }
}

impl Case {
    /// Runs the case. Errors: a text with the difference from the reference, the error, the panic
    /// or the hang.
    pub fn run(&self) -> Result<(), String> {
        let (sender, receiver) = mpsc::channel();
        let case = self.clone();
        let worker = thread::spawn(move || {
            let outcome = case.run_here();
            // The receiver no longer exists if the case has already been reported as hanging.
            let _ = sender.send(outcome);
        });
        match receiver.recv_timeout(PATIENCE) {
            Ok(outcome) => outcome,
            Err(mpsc::RecvTimeoutError::Timeout) => Err(String::from("hangs")),
            Err(mpsc::RecvTimeoutError::Disconnected) => match worker.join() {
                Ok(()) => Err(String::from("ends without an outcome")),
                Err(payload) => Err(format!("panics: {}", message(payload.as_ref()))),
            },
        }
    }

    /// The case without the instructions that name the mesh's axes or the blocks of its devices.
    pub fn without_shardings(mut self) -> Case {
        use Instruction::{FromLocal, Reshard};
        let names_mesh = |one: &Instruction| matches!(one, Reshard { .. } | FromLocal { .. });
        self.program.retain(|instruction| !names_mesh(instruction));
        self
    }

    /// The bits of all arrays at the end of the program, with their names, in reproducible mode or
    /// not. Floats are made fractions first, so that sums are rounded; the program ends where an
    /// instruction does not fit them, and an array that has an error has its text. Errors: those of
    /// the session.
    pub fn bits(&self, reproducible: bool) -> Result<Vec<(String, Vec<u8>)>, String> {
        let session = self.session(reproducible)?;
        let found = session.handle().enter(|| {
            let mut reference = Reference::new(&self.mesh);
            let mut arrays = Arrays::default();
            for instruction in &self.program {
                if reference.step(instruction).is_none() {
                    continue;
                }
                if arrays.step(instruction).is_err() {
                    break;
                }
                if let Instruction::Full { to, .. } | Instruction::FromSlice { to, .. } =
                    instruction
                {
                    arrays.make_fractions(*to);
                }
            }
            let bits = |name: Name| {
                let host = arrays.find(name)?.to_host();
                let bits = host.map_or_else(|error| error.code().into(), |host| host.bytes);
                Some((name.to_string(), bits))
            };
            reference.names().into_iter().filter_map(bits).collect()
        });
        session.finish().map_err(|error| error.to_string())?;
        Ok(found)
    }

    fn session(&self, reproducible: bool) -> Result<Session, String> {
        let names = ["row", "column", "layer"];
        let axes: Vec<(&str, usize)> = names.into_iter().zip(self.mesh.iter().copied()).collect();
        let mesh = Mesh::new(&axes);
        Session::with_options(
            Config::for_tests(mesh.devices()).threads(self.threads),
            Some(mesh),
            Policy { split_from: self.split_from },
            Limits {
                soft: self.soft,
                hard: self.hard,
                small: Bytes(self.small),
                // On one device: no operation, few, or most run when they are recorded.
                at_once: [0, 8, 1024][(self.seed % 3) as usize],
                reproducible,
                ..Limits::default()
            },
        )
        .map_err(|error| error.to_string())
    }

    fn run_here(&self) -> Result<(), String> {
        let session = self.session(false)?;
        for _ in 0..self.rounds {
            session.handle().enter(|| self.round(&self.program))?;
        }
        for by in 1..=self.stretches {
            let program = stretched(&self.program, by);
            let round = session.handle().enter(|| self.round(&program));
            round.map_err(|fault| format!("stretched by {by}, {fault}"))?;
        }
        session.finish().map_err(|error| error.to_string())
    }

    fn round(&self, program: &[Instruction]) -> Result<(), String> {
        let mut reference = Reference::new(&self.mesh);
        let mut arrays = Arrays::default();
        for instruction in program {
            if reference.step(instruction).is_none() {
                continue;
            }
            let at = |fault: String| format!("at `{instruction}`: {fault}");
            arrays.step(instruction).map_err(|error| at(error.to_string()))?;
            compare::forms(&reference, &arrays).map_err(at)?;
            compare::observed(instruction, &reference, &arrays).map_err(at)?;
        }
        for name in reference.names() {
            let of = name;
            let last = Instruction::Read { of };
            compare::observed(&last, &reference, &arrays)
                .map_err(|fault| format!("at the end, `{name}`: {fault}"))?;
        }
        Ok(())
    }
}

fn message(payload: &(dyn std::any::Any + Send)) -> &str {
    payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}
