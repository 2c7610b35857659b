//! Worlds of processes that other launchers start, with no variable of ours.

use crate::world::{PROGRAM, World};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

trials![
    other_launchers_give_what_phalanx_run_gives,
    every_way_brings_processes_together,
    one_process_of_a_launcher_is_alone,
    no_rank_survives_the_death_of_another,
    a_rank_that_does_not_come_is_an_error,
    a_file_brings_processes_together,
    files_of_the_past_do_not_disturb,
    the_price_table_is_measured_and_that_of_the_first_counts,
];

/// How long the processes of a launcher may outlive a failure: a promise to users.
const PROMISE: Duration = Duration::from_secs(10);

/// A launcher of processes that is installed here.
struct Launcher {
    name: &'static str,
    path: PathBuf,
    options: &'static [&'static str],
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

/// The launchers; each that is not here is told in a line.
fn launchers() -> Vec<Launcher> {
    let known = [
        ("Open MPI", &["mpirun.openmpi", "mpirun"][..], &["--oversubscribe"][..]),
        ("MPICH", &["mpiexec.hydra"], &[]),
    ];
    let mut found = Vec::new();
    for (name, programs, options) in known {
        let rank = if name == "MPICH" { "PMI_RANK" } else { "OMPI_COMM_WORLD_RANK" };
        match programs.iter().find_map(|program| in_path(program, name)) {
            Some(path) => found.push(Launcher { name, path, options, rank }),
            None => println!("skipped: the launcher of {name} is not installed"),
        }
    }
    found
}

/// A program of PATH that says that it is of this kind.
fn in_path(program: &str, name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let path = std::env::split_paths(&folders).map(|folder| folder.join(program));
    let path = path.into_iter().find(|path| path.is_file())?;
    let version = Command::new(&path).arg("--version").stdin(Stdio::null()).output().ok()?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let word = if name == "MPICH" { "HYDRA" } else { "Open MPI" };
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
}

/// The lines that begin with a word, in alphabetical order: processes write in any order.
fn lines(output: &Output, beginning: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let found = text.lines().filter_map(|line| Some(line[line.find(beginning)?..].to_owned()));
    let mut found: Vec<String> = found.collect();
    found.sort();
    found
}

fn other_launchers_give_what_phalanx_run_gives() {
    let words = ["generated", "5", "96", "32", "1024", "keep"];
    let mut ours = plain(Path::new(env!("CARGO_BIN_EXE_phalanx")));
    ours.args(["run", "-n", "4"]).arg(own()).arg(PROGRAM).args(words);
    let ours = ours.output().expect("phalanx starts");
    assert!(ours.status.success(), "{ours:?}");
    let expected = lines(&ours, "bits ");
    assert!(!expected.is_empty(), "{ours:?}");
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

/// Whether a process is there that has not ended.
fn is_alive(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| !"ZX".contains(state))
}

fn no_rank_survives_the_death_of_another() {
    for launcher in launchers() {
        for (signal, work) in [("KILL", "split"), ("ABRT", "replicated")] {
            let begun = Instant::now();
            let ended = launcher.script(
                3,
                &format!(
                    "echo process $$; if [ $rank = 1 ]; then (sleep 1; kill -{signal} $$) & fi; \
                     exec $program {PROGRAM} go_on {work}"
                ),
            );
            let took = begun.elapsed();
            assert!(!ended.status.success(), "{} and {signal}: {ended:?}", launcher.name);
            assert!(took < PROMISE + Duration::from_secs(1), "{}: {took:?}", launcher.name);
            let processes = lines(&ended, "process ");
            assert_eq!(processes.len(), 3, "{ended:?}");
            for process in processes {
                let number = process.trim_start_matches("process ");
                let until = begun + PROMISE + Duration::from_secs(1);
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
        let ended = launcher.script(
            2,
            &format!(
                "[ $rank = 1 ] && exec sleep 20; PHALANX_TIMEOUT=1 exec $program {PROGRAM} nothing"
            ),
        );
        let errors = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success(), "{}: {ended:?}", launcher.name);
        assert!(errors.contains("error[PX099]: process 0: by PMI"), "{}: {errors}", launcher.name);
        assert!(errors.contains("not all processes came to the meeting within 1 s"), "{errors}");
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
    // The first comes last, so that the others have to wait.
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

fn files_of_the_past_do_not_disturb() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("meeting");
    // Of a world that was killed: nobody listens there any more.
    let past = "phalanx meeting 1\n3 processes 0\nat\n127.0.0.1:9\n00112233445566778899aabb";
    std::fs::write(&file, past).expect("the file is ours");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).expect("the file is ours");
    for one in with_file(&file) {
        assert!(one.status.success() && one.stderr.is_empty(), "{one:?}");
    }
    assert!(!file.exists());
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
        std::fs::write(&file, "phalanx prices 1\ntcp 1 9e9\nmpi 2 1e9\n").expect("it is ours");
        // The others know of another file, which does not count.
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
