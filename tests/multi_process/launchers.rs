//! Worlds of processes that other launchers start, with no variable of ours.

use crate::absence;
use crate::faults::left::{Before, leaves_nothing};
use crate::programs::ENDS_LATER;
use crate::ssh;
use crate::world::{Ended, PROGRAM, World};
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

trials![
    other_launchers_give_what_phalanx_run_gives,
    ranks_of_two_hosts_give_what_one_host_gives,
    every_way_brings_processes_together,
    one_process_of_a_launcher_is_alone,
    no_rank_survives_the_death_of_another,
    a_rank_that_does_not_come_is_an_error,
    a_file_brings_processes_together,
    srun_is_known_by_its_variables,
    files_of_the_past_do_not_disturb,
    information_is_of_one_process_and_of_what_all_found,
    the_price_table_is_measured_and_that_of_the_first_counts,
    messages_have_a_price_between_processes_with_other_devices,
];

/// How long the processes of a launcher may outlive a failure: a promise to users.
const PROMISE: Duration = Duration::from_secs(10);
/// The delay of the start and of a busy machine.
const BUSY: Duration = Duration::from_secs(10);

/// How long a world of a launcher may take, in seconds; one that takes longer hangs.
const LIMIT: u64 = 60;

/// A launcher of processes that is installed here.
#[derive(Clone)]
pub struct Launcher {
    name: &'static str,
    /// Where it is.
    pub path: PathBuf,
    options: &'static [&'static str],
    /// With which it leaves the others alone when a process dies.
    tolerance: &'static str,
    /// The variable with the number of a process.
    rank: &'static str,
}

impl Launcher {
    /// The library of its kind: beside it, or the system's.
    fn library(&self) -> PathBuf {
        let names: &[&str] = match self.name {
            "MPICH" => &["libmpich.so.12", "libmpi.so.12"],
            _ => &["libmpi.so.40"],
        };
        let folder = self.path.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        let beside = names.iter().map(|name| folder.join("lib").join(name));
        beside.into_iter().find(|path| path.is_file()).unwrap_or_else(|| names[0].into())
    }
}

/// The launchers; a line names each that is missing.
pub fn launchers() -> Vec<Launcher> {
    [open_mpi(), mpich()].into_iter().flatten().collect()
}

/// That of Open MPI.
pub fn open_mpi() -> Option<Launcher> {
    let programs = ["mpirun.openmpi", "mpirun"];
    let path = programs.iter().find_map(|program| in_path(program, "Open MPI"));
    if path.is_none() {
        absence::lacks("openmpi", "mpirun of Open MPI");
    }
    Some(Launcher {
        name: "Open MPI",
        path: path?,
        options: &["--oversubscribe"],
        tolerance: "--enable-recovery",
        rank: "OMPI_COMM_WORLD_RANK",
    })
}

/// That of MPICH.
pub fn mpich() -> Option<Launcher> {
    let path = in_path("mpiexec.hydra", "HYDRA");
    if path.is_none() {
        absence::lacks("mpich", "mpiexec of MPICH");
    }
    Some(Launcher {
        name: "MPICH",
        path: path?,
        options: &[],
        tolerance: "-disable-auto-cleanup",
        rank: "PMI_RANK",
    })
}

/// A program of PATH whose version has this word.
fn in_path(program: &str, word: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let path = std::env::split_paths(&folders).map(|folder| folder.join(program));
    let path = path.into_iter().find(|path| path.is_file())?;
    let version = Command::new(&path).arg("--version").stdin(Stdio::null()).output().ok()?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    version.contains(word).then_some(path)
}

/// A command without any variable of ours.
fn plain(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"PHALANX_") {
            command.env_remove(name);
        }
    }
    command.env("PHALANX_DEVICES", "cpu").env("PHALANX_THREADS", "1").stdin(Stdio::null());
    command
}

fn own() -> PathBuf {
    std::env::current_exe().expect("a program has a path")
}

impl Launcher {
    /// As many processes of a command.
    fn command(&self, processes: usize) -> Command {
        let mut command = plain(&self.path);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.args(self.options).args(["-n", &processes.to_string()]);
        command
    }

    /// A shell for each process, in which `$rank` is its number and `$program` this program.
    fn script(&self, processes: usize, script: &str) -> Output {
        let mut command = self.command(processes);
        let script = format!("rank=${}; {script}", self.rank);
        command.args(["sh", "-c", &script]).env("program", own());
        command.output().expect("the launcher starts")
    }

    /// Checks how the processes of a world by MPI end, and that other processes are not affected by
    /// the end of one of them.
    pub fn ended(
        &self,
        size: usize,
        words: &[OsString],
        variables: &[(&str, OsString)],
    ) -> Vec<Ended> {
        leaves_nothing(self.name, || self.ended_once(size, words, variables))
    }

    /// As `ended`, with the shared memory that is left.
    fn ended_once(
        &self,
        size: usize,
        words: &[OsString],
        variables: &[(&str, OsString)],
    ) -> (Vec<Ended>, Vec<PathBuf>) {
        let folder = tempfile::tempdir().expect("a temporary folder is made");
        // The launcher of MPICH sends `USR1` if a process has ended without finalising
        // MPI, and a program that waits for the others must not die of it.
        let script = format!(
            "trap '' USR1; export at=$folder/${}; exec timeout {LIMIT} sh -c \
             '\"$@\" > $at.output 2> $at.errors; echo $? > $at.part; mv $at.part $at.status' \
             sh \"$@\"",
            self.rank
        );
        let mut command = plain(&self.path);
        command.env_remove("PHALANX_DEVICES").envs(variables.iter().cloned());
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.args(self.options).args([self.tolerance, "-n", &size.to_string()]);
        command.args(["sh", "-c", &script, "sh"]).args(words).env("folder", folder.path());
        command.env("PHALANX_TRANSPORT", "mpi").env("PHALANX_MPI_LIBRARY", self.library());
        let (begun, before) = (Instant::now(), Before::now());
        let told = command.output().expect("the launcher starts");
        let read = |rank: usize, what: &str| {
            let text = std::fs::read(folder.path().join(format!("{rank}.{what}")));
            text.map(|text| String::from_utf8_lossy(&text).into_owned()).ok()
        };
        let ended = |rank| {
            let code = loop {
                if let Some(code) = read(rank, "status") {
                    break code.trim().parse::<i32>().expect("a status is a number");
                }
                let so_far = ["output", "errors"].map(|what| read(rank, what));
                let is_late = begun.elapsed() > Duration::from_secs(LIMIT);
                assert!(!is_late, "rank {rank} hangs: {so_far:#?}; {}: {told:?}", self.name);
                std::thread::sleep(Duration::from_millis(2));
            };
            let [output, errors] = ["output", "errors"]
                .map(|what| read(rank, what).expect("a process that has ended"));
            // As the system reports it for a process that has ended by itself.
            let status = ExitStatus::from_raw(code << 8);
            let output = output.lines().map(str::to_owned).collect();
            Ended { status, output, errors, after: begun.elapsed() }
        };
        let ended = (0..size).map(ended).collect();
        // The job's processes know its folder, and no process has listened for the launcher.
        let left = before.left(self.name, &folder.path().to_string_lossy(), "127.0.0.1:9");
        (ended, left)
    }
}

/// The lines that start with a word, in alphabetical order: processes write in any order.
fn lines(output: &Output, beginning: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let found = text.lines().filter_map(|line| Some(line[line.find(beginning)?..].to_owned()));
    let mut found: Vec<String> = found.collect();
    found.sort();
    found
}

/// The results of a program in processes of `phalanx run` with these options.
fn bits_of_run(options: &[&str], path: Option<OsString>, words: &[&str]) -> Vec<String> {
    let mut run = plain(Path::new(env!("CARGO_BIN_EXE_phalanx")));
    run.arg("run").args(options).arg(own()).arg(PROGRAM).args(words);
    if let Some(path) = path {
        run.env("PATH", path);
    }
    let ended = run.output().expect("phalanx starts");
    assert!(ended.status.success(), "{options:?}: {ended:?}");
    lines(&ended, "bits ")
}

fn ranks_of_two_hosts_give_what_one_host_gives() {
    let words = ["generated", "5", "96", "32", "1024", "keep"];
    let expected = bits_of_run(&["-n", "2"], None, &words);
    assert!(!expected.is_empty());
    // Beside this host under its name, another that is this one in truth; and rank 0 on one, which
    // is called by the address on which ranks of several hosts are reached, if there is a network.
    let own = phalanx::default_address().filter(|address| address.is_ipv4());
    let beside_rank_0 =
        own.map(|address| (address.to_string(), format!("{address}:1,localhost:1")));
    let beside_this =
        (String::from("127.0.0.2"), format!("{}:1,127.0.0.2:1", phalanx::host_name()));
    for (other, hosts) in [beside_this].into_iter().chain(beside_rank_0) {
        let (folder, path) = ssh::stand_in();
        assert_eq!(bits_of_run(&["--hosts", &hosts], Some(path), &words), expected, "{hosts}");
        assert_eq!(ssh::hosts(&folder), [other], "{hosts}");
    }
}

fn other_launchers_give_what_phalanx_run_gives() {
    let words = ["generated", "5", "96", "32", "1024", "keep"];
    let expected = bits_of_run(&["-n", "4"], None, &words);
    assert!(!expected.is_empty());
    for launcher in launchers() {
        let theirs = launcher.command(4).arg(own()).arg(PROGRAM).args(words).output();
        let theirs = theirs.expect("the launcher starts");
        assert!(theirs.status.success(), "{}: {theirs:?}", launcher.name);
        assert_eq!(lines(&theirs, "bits "), expected, "{}", launcher.name);
    }
}

fn every_way_brings_processes_together() {
    let words = ["generated", "5", "96", "32", "1024", "keep"];
    for launcher in launchers() {
        let own_way = if launcher.name == "MPICH" { "pmi" } else { "pmix" };
        let library = launcher.library();
        let bits = ["auto", own_way, "mpi"].map(|way| {
            let mut command = launcher.command(3);
            command.env("PHALANX_RENDEZVOUS", way).env("PHALANX_MPI_LIBRARY", &library);
            let ended = command.arg(own()).arg(PROGRAM).args(words).output();
            let ended = ended.expect("the launcher starts");
            assert!(ended.status.success(), "{} by {way}: {ended:?}", launcher.name);
            lines(&ended, "bits ")
        });
        assert!(!bits[0].is_empty() && bits.iter().all(|one| *one == bits[0]), "{bits:?}");
    }
}

fn one_process_of_a_launcher_is_alone() {
    for launcher in launchers() {
        let ended = launcher.command(1).arg(own()).args([PROGRAM, "alone"]).output();
        let ended = ended.expect("the launcher starts");
        assert!(ended.status.success(), "{}: {ended:?}", launcher.name);
        let here = World::of(1, "alone", &[]).run();
        let expected = here[0].output.first().expect("the program writes a line");
        assert_eq!(lines(&ended, expected).len(), 1, "{}: {ended:?}", launcher.name);
    }
}

/// Whether a process exists and has not ended.
fn is_alive(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| !"ZX".contains(state))
}

fn no_rank_survives_the_death_of_another() {
    for launcher in launchers() {
        // Rank 1 ends once all have met and exchanged their numbers.
        for (program, number) in [
            ("go_on split 1 KILL", 9),
            ("go_on replicated 1 ABRT", 6),
            ("end_on_one exit split", 3),
        ] {
            let begun = Instant::now();
            let ended = launcher.script(
                3,
                &format!(
                    "echo process $$; export {ENDS_LATER}=1; exec $program {PROGRAM} {program}"
                ),
            );
            let took = begun.elapsed();
            let code = ended.status.code().expect("the launcher ends by itself");
            if launcher.name == "MPICH" {
                // It combines the bits of all exit codes.
                assert_eq!(code & number, number, "{}: {ended:?}", launcher.name);
            } else {
                // The exit code of the first that ends: the library reports an abort before it
                // dies.
                let is_first = code == if number == 3 { number } else { 128 + number };
                let is_after_others = number == 6 && code == 1;
                assert!(is_first || is_after_others, "{}: {ended:?}", launcher.name);
            }
            assert!(took < PROMISE + BUSY, "{}: {took:?}", launcher.name);
            let processes = lines(&ended, "process ");
            assert_eq!(processes.len(), 3, "{ended:?}");
            for process in processes {
                let number = process.trim_start_matches("process ");
                let until = begun + PROMISE + BUSY;
                while is_alive(number) {
                    assert!(Instant::now() < until, "{process} is still there");
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
        }
    }
}

fn a_rank_that_does_not_come_is_an_error() {
    for launcher in launchers() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let over = folder.path().join("over");
        // Rank 1 stays until rank 0 has ended: a launcher may wait for it.
        let ended = launcher.script(
            2,
            &format!(
                "if [ $rank = 1 ]; then \
                 turn=0; until [ -e '{over}' ] || [ $turn = 400 ]; do \
                 turn=$((turn + 1)); sleep 0.1; done; exit; fi; \
                 PHALANX_TIMEOUT=1 $program {PROGRAM} nothing; \
                 code=$?; touch '{over}'; exit $code",
                over = over.display()
            ),
        );
        let errors = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success(), "{}: {ended:?}", launcher.name);
        assert!(errors.contains("error[PX099]: process 0: by PMI"), "{}: {errors}", launcher.name);
        assert!(errors.contains("not all processes arrived at the meeting within 1 s"), "{errors}");
    }
}

/// Three processes that know their number and a file.
fn with_file(file: &Path) -> Vec<Output> {
    let start = |rank: usize| {
        let mut command = plain(&own());
        command.args([PROGRAM, "generated", "5", "96", "32", "1024", "keep"]);
        command.env("PHALANX_RANK", rank.to_string()).env("PHALANX_SIZE", "3");
        command.env("PHALANX_RENDEZVOUS", format!("file:{}", file.display()));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process starts")
    };
    // The first starts last, so that the others have to wait.
    let mut started: Vec<_> = [2, 1].into_iter().map(start).collect();
    std::thread::sleep(Duration::from_millis(200));
    started.push(start(0));
    let ended = started.into_iter().map(|process| process.wait_with_output());
    ended.collect::<Result<_, _>>().expect("a process is ours to wait for")
}

fn a_file_brings_processes_together() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("below/meeting");
    let ended = with_file(&file);
    for one in &ended {
        assert!(one.status.success() && one.stderr.is_empty(), "{one:?}");
        assert_eq!(lines(one, "bits "), lines(&ended[0], "bits "));
    }
    let left = std::fs::read_dir(folder.path().join("below")).expect("the folder was made");
    assert_eq!(left.count(), 0, "the secret goes when all have met");
}

/// As `srun -n 4` starts them on one host without PMIx: an MPI library that is installed cannot
/// start there, and Open MPI would end the processes.
fn srun_is_known_by_its_variables() {
    let words = ["generated", "5", "96", "32", "1024", "keep"];
    let expected = bits_of_run(&["-n", "4"], None, &words);
    assert!(!expected.is_empty());
    let has_open_mpi = cfg!(target_os = "linux") && open_mpi().is_some();
    let home = tempfile::tempdir().expect("a folder can be made");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/launchers/slurm_one_host.env");
    let recorded = std::fs::read_to_string(file).expect("the file is there");
    let variables: Vec<(&str, &str)> =
        recorded.lines().filter_map(|line| line.split_once('=')).collect();
    let started = [3, 1, 0, 2].map(|rank: usize| {
        let mut command = plain(&own());
        command.arg(PROGRAM).args(words).env("HOME", home.path()).env("PHALANX_LOG", "info");
        command.envs(variables.iter().copied());
        for name in ["SLURM_PROCID", "SLURM_LOCALID"] {
            command.env(name, rank.to_string());
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process starts")
    });
    let mut bits = Vec::new();
    for process in started {
        let ended = process.wait_with_output().expect("a process is ours to wait for");
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && told.contains("transport=\"tcp\""), "{ended:?}");
        let has_reason = told.contains("srun --mpi=pmix");
        assert!(has_reason || !has_open_mpi, "the reason and what to do: {told}");
        bits.extend(lines(&ended, "bits "));
    }
    bits.sort();
    assert_eq!(bits, expected);
}

fn files_of_the_past_do_not_disturb() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("meeting");
    // Of a world that was killed: no process listens there any more.
    let past = "phalanx meeting 1\n3 processes 0\nat\n127.0.0.1:9\n00112233445566778899aabb";
    std::fs::write(&file, past).expect("the file is ours");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).expect("the file is ours");
    for one in with_file(&file) {
        assert!(one.status.success() && one.stderr.is_empty(), "{one:?}");
    }
    assert!(!file.exists());
}

fn information_is_of_one_process_and_of_what_all_found() {
    for launcher in launchers() {
        let mut command = launcher.command(2);
        command.env("PHALANX_MPI_LIBRARY", launcher.library());
        let ended = command.args([env!("CARGO_BIN_EXE_phalanx"), "info"]).output();
        let ended = ended.expect("it starts");
        assert!(ended.status.success(), "{}: {ended:?}", launcher.name);
        let told = String::from_utf8_lossy(&ended.stdout);
        for once in ["\nprocess       rank 0 of 2\n", "when all 2 met", "\n  messages    mpi\n"] {
            assert_eq!(told.matches(once).count(), 1, "{}: {once} in\n{told}", launcher.name);
        }
    }
}

fn the_price_table_is_measured_and_that_of_the_first_counts() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("below/prices");
    let measure = |mut command: Command| {
        let command = command.arg(env!("CARGO_BIN_EXE_phalanx")).args(["info", "--measure"]);
        let ended = command.env("PHALANX_PRICES", &file).output().expect("it starts");
        assert!(ended.status.success(), "{ended:?}");
        std::fs::read_to_string(&file).expect("it was written")
    };
    assert!(measure(plain(Path::new("env"))).contains("\ntcp "));
    for launcher in launchers() {
        let table = measure(launcher.command(2));
        assert!(["local ", "tcp "].iter().all(|plane| table.contains(plane)), "{table}");
        std::fs::write(&file, "phalanx prices 2\ntcp 1 9e9\nmpi 2 1e9\n").expect("it is ours");
        // The others have another file, which is ignored.
        let ended = launcher.script(
            2,
            &format!(
                "[ $rank = 0 ] && export PHALANX_PRICES={}; PHALANX_LOG=info exec $program \
                 {PROGRAM} alone",
                file.display()
            ),
        );
        assert!(ended.status.success(), "{}: {ended:?}", launcher.name);
        let told = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(told.matches("TCP is faster in the price table").count(), 2, "{told}");
    }
}

fn messages_have_a_price_between_processes_with_other_devices() {
    let phalanx = env!("CARGO_BIN_EXE_phalanx");
    for launcher in launchers() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = folder.path().join("prices");
        let ended = launcher.script(
            2,
            &format!(
                "[ $rank = 1 ] && export PHALANX_DEVICES=null-cuda; PHALANX_PRICES={} \
                 PHALANX_MPI_LIBRARY={} exec {phalanx} info --measure",
                file.display(),
                launcher.library().display()
            ),
        );
        assert!(ended.status.success(), "{}: {ended:?}", launcher.name);
        let table = std::fs::read_to_string(file).expect("it was written");
        assert!(["\ntcp ", "\nmpi "].iter().all(|plane| table.contains(plane)), "{table}");
    }
}
