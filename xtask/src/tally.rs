//! The numbers of passed and failed tests, as the lines of test programs report them.

use crate::failure::Failure;
use crate::process::Program;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The variable that names the things that the machine must have.
pub const REQUIRE: &str = "PHALANX_TEST_REQUIRE";

/// Things that tests may lack: they are skipped, unless `PHALANX_TEST_REQUIRE` names the thing.
const LACKS: [&str; 8] =
    ["openmpi", "mpich", "mpi4py", "mpicc", "namespaces", "valgrind", "gpu", "gpus"];

/// The numbers of tests passed and failed, and the reasons of skipped tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Passed.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
    /// The things that the machine lacks.
    lacking: BTreeSet<String>,
    /// The things that it must have.
    required: Vec<String>,
}

impl Tally {
    /// A tally of these numbers.
    #[cfg(test)]
    pub fn of(passed: usize, failed: usize) -> Tally {
        Tally { passed, failed, ..Tally::default() }
    }

    /// A tally that counts the lack of a required thing as a failure. The names are separated by
    /// commas.
    pub fn requiring(names: &str) -> Result<Tally, Failure> {
        let names = names.split(',').filter(|name| !name.is_empty());
        let required: Vec<String> = names.map(str::to_owned).collect();
        match required.iter().find(|name| !LACKS.contains(&name.as_str())) {
            None => Ok(Tally { required, ..Tally::default() }),
            Some(name) => Err(Failure::Requirement { name: name.clone(), known: LACKS.join(", ") }),
        }
    }

    /// The required things, in the form that tests read.
    pub fn required(&self) -> String {
        self.required.join(",")
    }

    /// Prints the lacks for which tests were skipped, and `N passed, N failed` last.
    ///
    /// Errors: `Failure::Tests` if a test failed.
    pub fn finish(&self) -> Result<(), Failure> {
        for lack in &self.lacking {
            println!("skipped: {lack}");
        }
        println!("{} passed, {} failed", self.passed, self.failed);
        match self.failed {
            0 => Ok(()),
            count => Err(Failure::Tests { count }),
        }
    }

    /// Adds one test.
    pub fn count(&mut self, passed: bool) {
        self.passed += usize::from(passed);
        self.failed += usize::from(!passed);
    }

    /// Notes that tests are skipped because this machine has no `what`. It is a failure if `name`
    /// is required.
    pub fn lacks(&mut self, name: &str, what: &str) {
        println!("skipped: no {what} here");
        self.lacking.insert(format!("no {what} here"));
        if self.required.iter().any(|one| one == name) {
            println!("FAILED: {REQUIRE} has {name}");
            self.failed += 1;
        }
    }

    /// The lack that a line reports, if any: a line of `tests/absence.rs`, or of pytest.
    fn lack(line: &str) -> Option<String> {
        let told = line.split_once("skipped: ").map(|(_, reason)| reason);
        let reason = told.or_else(|| {
            let (_, place_and_reason) = line.strip_prefix("SKIPPED [")?.split_once("] ")?;
            place_and_reason.split_once(": ").map(|(_, reason)| reason)
        })?;
        if let Some(rest) = reason.strip_prefix("could not import '") {
            return rest.split_once(['\'', '.']).map(|(library, _)| format!("no {library} here"));
        }
        (reason.starts_with("no ") && reason.ends_with(" here")).then(|| reason.to_owned())
    }

    /// The numbers of a test program's summary, if the line is one.
    pub fn of_summary(line: &str) -> Option<Tally> {
        let (_, counts) = line.trim().strip_prefix("test result: ")?.split_once(". ")?;
        let mut tally = Tally::default();
        for count in counts.split("; ") {
            match count.split_once(' ') {
                Some((number, "passed")) => tally.passed += number.parse().unwrap_or(0),
                Some((number, "failed")) => tally.failed += number.parse().unwrap_or(0),
                _ => {}
            }
        }
        Some(tally)
    }

    /// Runs a program and adds the numbers that `summary` finds in its lines.
    pub fn watch(
        &mut self,
        program: Program,
        summary: impl Fn(&str) -> Option<Tally>,
    ) -> Result<(), Failure> {
        let (command, mut own) = (program.line(), Tally::default());
        let ended_well = program.watch(|line| own.see(line, &summary))?;
        self.add_program(command, ended_well, own)
    }

    /// Runs programs and adds the numbers that `summary` finds in their lines. The output of a
    /// program is printed when it ends. As many programs compute at a time as there are cores;
    /// beside them runs one of the programs that mostly wait, for messages and time limits.
    pub fn watch_together(
        &mut self,
        computing: Vec<Program>,
        waiting: Vec<Program>,
        summary: impl Fn(&str) -> Option<Tally> + Sync,
    ) -> Result<(), Failure> {
        let queues = [computing, waiting].map(|programs| Mutex::new(programs.into_iter()));
        let next_of =
            |queue: usize| queues[queue].lock().unwrap_or_else(PoisonError::into_inner).next();
        let run = |program: Program| -> Result<_, Failure> {
            let (command, counts_lacks) = (program.line(), program.counts_lacks());
            let (text, ended_well) = program.collect()?;
            let mut own = Tally::default();
            text.lines().for_each(|line| own.see(line, &summary));
            if !counts_lacks {
                own.lacking.clear();
            }
            print!("{text}");
            Ok((command, ended_well, own))
        };
        let compute = || {
            let next = || next_of(0).or_else(|| next_of(1));
            std::iter::from_fn(next).map(run).collect::<Vec<_>>()
        };
        let wait = || std::iter::from_fn(|| next_of(1)).map(run).collect::<Vec<_>>();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let mut started = vec![scope.spawn(wait)];
            started.extend((0..threads).map(|_| scope.spawn(compute)));
            started.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
        });
        for outcome in outcomes {
            let (command, ended_well, own) = outcome?;
            self.add_program(command, ended_well, own)?;
        }
        Ok(())
    }

    /// Adds the lack and the numbers of a line.
    fn see(&mut self, line: &str, summary: impl Fn(&str) -> Option<Tally>) {
        self.lacking.extend(Tally::lack(line));
        self.add(summary(line).unwrap_or_default());
    }

    /// Adds the numbers and lacks of another tally.
    pub fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.lacking.extend(other.lacking);
    }

    fn add_program(
        &mut self,
        command: String,
        ended_well: bool,
        own: Tally,
    ) -> Result<(), Failure> {
        let has_failed = own.failed > 0;
        self.add(own);
        // A program that crashes writes no summary, and neither does a compiler.
        if !ended_well && !has_failed {
            let ending = "a failure that no test reported".to_owned();
            return Err(Failure::Program { command, ending });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read() {
        let tally = Tally::of_summary(
            "test result: FAILED. 22 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; \
             finished in 6.02s",
        );
        assert_eq!(tally, Some(Tally::of(22, 2)));
        assert_eq!(Tally::of_summary("test reductions::sum ... ok"), None);
    }

    #[test]
    fn lacks_are_reported_and_a_required_one_is_a_failure() {
        let lack = |line| Tally::lack(line).unwrap();
        assert_eq!(lack("test a::b ... skipped: no GPU here"), "no GPU here");
        let of_pytest = "SKIPPED [2] tests/python/test_mpi.py:52: no mpirun here";
        assert_eq!(lack(of_pytest), "no mpirun here");
        let of_library =
            "SKIPPED [1] tests/python/test_a.py:5: could not import 'torch': No module";
        assert_eq!(lack(of_library), "no torch here");
        // This skip is not due to a lack of the machine.
        let by_design = "SKIPPED [1] tests/python/test_a.py:5: one device has all shards";
        assert_eq!(Tally::lack(by_design), None);
        assert_eq!(Tally::lack("3 passed, 1 skipped in 0.12s"), None);

        let mut tally = Tally { required: vec![String::from("mpich")], ..Tally::default() };
        tally.lacks("openmpi", "mpirun");
        assert_eq!(tally.failed, 0);
        tally.lacks("mpich", "mpiexec of MPICH");
        assert_eq!(tally.failed, 1);
        assert_eq!(tally.lacking.len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn summaries_are_added_and_a_crash_without_one_is_a_failure() {
        let run = |tally: &mut Tally, script: &str| {
            tally.watch(Program::new("sh").arguments(["-c", script]), Tally::of_summary)
        };
        let mut tally = Tally::default();
        run(&mut tally, "echo 'test result: FAILED. 2 passed; 1 failed'; exit 1").unwrap();
        run(&mut tally, "echo 'test result: ok. 3 passed; 0 failed'").unwrap();
        assert_eq!(tally, Tally::of(5, 1));
        let crash = run(&mut tally, "exit 1").unwrap_err().to_string();
        assert!(crash.ends_with("a failure that no test reported"), "{crash}");
        let shell = |script: &str| Program::new("sh").arguments(["-c", script]);
        let together = |tally: &mut Tally, scripts: [&str; 3]| {
            let [first, others @ ..] = scripts.map(shell);
            tally.watch_together(others.into(), vec![first], Tally::of_summary)
        };
        let [ok, failed] =
            ["test result: ok. 4 passed; 0 failed", "test result: no. 0 passed; 2 failed"]
                .map(|line| format!("echo '{line}'"));
        let failed = format!("{failed}; exit 1");
        together(&mut tally, [&ok, &failed, &ok]).unwrap();
        assert_eq!((tally.passed, tally.failed), (13, 3));
        let crash = together(&mut tally, [&ok, "exit 3", &ok]).unwrap_err().to_string();
        assert!(crash.contains("exit 3"), "{crash}");
    }
}
