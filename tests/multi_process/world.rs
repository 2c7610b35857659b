//! Worlds of processes started by hand, their output, and how they ended.

use crate::launchers::Launcher;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

/// The word after which this test program is one of its own test programs.
pub const PROGRAM: &str = "--program";

/// Sizes of worlds and the devices of each of their processes.
pub const SHAPES: [(usize, &str); 4] = [(2, "cpu:1"), (2, "cpu:2"), (3, "cpu:1"), (3, "cpu:2")];

/// How long a world may take, however busy the machine is; a world that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// A world that is to be started.
pub struct World {
    size: usize,
    command: Vec<OsString>,
    /// Words before the command of a rank.
    before: BTreeMap<usize, Vec<String>>,
    /// Other words behind the program for a rank.
    others: BTreeMap<usize, Vec<OsString>>,
    variables: Vec<(Option<usize>, &'static str, OsString)>,
    folders: BTreeMap<usize, OsString>,
    absent: Vec<usize>,
    token: NamedTempFile,
    /// The launcher of the ranks, if it is not this program.
    launcher: Option<Launcher>,
}

/// A world that runs.
pub struct Running {
    ranks: Vec<Option<Rank>>,
    lines: Receiver<(usize, String)>,
    seen: Vec<Vec<String>>,
    started: Instant,
    /// The secret's file is removed with it.
    world: World,
}

struct Rank {
    process: Child,
    readers: Vec<JoinHandle<()>>,
    errors: Receiver<String>,
}

/// How a rank ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// The lines it wrote to standard output.
    pub output: Vec<String>,
    /// Its standard error.
    pub errors: String,
    /// When it had ended, measured from the start of the world.
    pub after: Duration,
}

impl World {
    /// `size` ranks of one of the test programs.
    pub fn of(size: usize, program: &str, arguments: &[&str]) -> World {
        let own = std::env::current_exe().expect("a program has a path");
        let words = [PROGRAM, program].into_iter().chain(arguments.iter().copied());
        World::of_command(
            size,
            std::iter::once(own.into()).chain(words.map(OsString::from)).collect(),
        )
    }

    /// `size` ranks of `phalanx` with these arguments.
    pub fn of_phalanx(size: usize, arguments: &[&str]) -> World {
        let program = OsString::from(env!("CARGO_BIN_EXE_phalanx"));
        World::of_command(
            size,
            std::iter::once(program).chain(arguments.iter().map(OsString::from)).collect(),
        )
    }

    fn of_command(size: usize, command: Vec<OsString>) -> World {
        let token = token("a secret of this test");
        let mut world = World {
            size,
            command,
            before: BTreeMap::new(),
            others: BTreeMap::new(),
            variables: Vec::new(),
            folders: BTreeMap::new(),
            absent: Vec::new(),
            token,
            launcher: None,
        };
        world.variables.push((None, "PHALANX_THREADS", "1".into()));
        world.variables.push((None, "PHALANX_SIZE", size.to_string().into()));
        if size > 1 {
            world.variables.push((None, "PHALANX_ADDRESS", free_address().into()));
            world.variables.push((None, "PHALANX_TOKEN_FILE", world.token.path().into()));
        }
        world
    }

    /// Lets a launcher of MPI start the ranks; their messages then travel by MPI. It gives them
    /// their numbers.
    pub fn by(mut self, launcher: &Launcher) -> World {
        self.variables.retain(|(_, name, _)| *name == "PHALANX_THREADS");
        self.launcher = Some(launcher.clone());
        self
    }

    /// Sets a variable of all ranks.
    pub fn set(mut self, name: &'static str, value: impl Into<OsString>) -> World {
        self.variables.push((None, name, value.into()));
        self
    }

    /// Sets a variable of one rank.
    pub fn set_on(mut self, rank: usize, name: &'static str, value: impl Into<OsString>) -> World {
        self.variables.push((Some(rank), name, value.into()));
        self
    }

    /// Leaves a rank out.
    pub fn without(mut self, rank: usize) -> World {
        self.absent.push(rank);
        self
    }

    /// Starts a rank in another folder.
    pub fn folder_of(mut self, rank: usize, folder: impl Into<OsString>) -> World {
        self.folders.insert(rank, folder.into());
        self
    }

    /// Puts words before the command of a rank.
    pub fn before(mut self, rank: usize, words: &[&str]) -> World {
        self.before.insert(rank, words.iter().map(|word| String::from(*word)).collect());
        self
    }

    /// Gives a rank of a test program other arguments.
    pub fn arguments_of(mut self, rank: usize, words: &[&str]) -> World {
        self.others.insert(rank, [PROGRAM].iter().chain(words).map(OsString::from).collect());
        self
    }

    /// The path of the file with the secret, which only these ranks receive.
    pub fn token_path(&self) -> String {
        self.token.path().to_string_lossy().into_owned()
    }

    /// Starts the ranks.
    pub fn start(self) -> Running {
        assert!(self.launcher.is_none(), "what a launcher starts runs to its end");
        let (sender, lines) = channel();
        let (started, seen) = (Instant::now(), vec![Vec::new(); self.size]);
        let mut running = Running { ranks: Vec::new(), lines, seen, started, world: self };
        for rank in 0..running.seen.len() {
            let world = &running.world;
            let is_there = !world.absent.contains(&rank);
            let process = is_there.then(|| world.start_rank(rank, &sender));
            running.ranks.push(process);
        }
        running
    }

    /// Runs the world to its end.
    pub fn run(self) -> Vec<Ended> {
        let Some(launcher) = &self.launcher else { return self.start().end() };
        let of_all = |(only, name, value): &(Option<usize>, &'static str, OsString)| {
            assert!(only.is_none(), "a launcher gives all ranks the same variables");
            (*name, value.clone())
        };
        let variables: Vec<_> = self.variables.iter().map(of_all).collect();
        launcher.ended(self.size, &self.command, &variables)
    }

    fn start_rank(&self, rank: usize, lines: &Sender<(usize, String)>) -> Rank {
        let before = self.before.get(&rank).into_iter().flatten().map(OsString::from);
        let words = self.others.get(&rank).map_or(&self.command[1..], |words| words);
        let words: Vec<OsString> =
            before.chain([self.command[0].clone()]).chain(words.iter().cloned()).collect();
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"PHALANX_") {
                command.env_remove(name);
            }
        }
        command.env("PHALANX_RANK", rank.to_string());
        for (only, name, value) in &self.variables {
            if only.is_none_or(|only| only == rank) {
                command.env(name, value);
            }
        }
        if let Some(folder) = self.folders.get(&rank) {
            command.current_dir(folder);
        }
        let mut process = command.spawn().expect("a rank starts");
        let output = BufReader::new(process.stdout.take().expect("standard output is a pipe"));
        let mut errors = process.stderr.take().expect("standard error is a pipe");
        let (lines, (sender, receiver)) = (lines.clone(), channel());
        let readers = vec![
            std::thread::spawn(move || {
                for line in output.split(b'\n').map_while(Result::ok) {
                    // There is no receiver only once the test has failed.
                    let _ = lines.send((rank, String::from_utf8_lossy(&line).into_owned()));
                }
            }),
            std::thread::spawn(move || {
                let mut text = Vec::new();
                // Text read before an error of the pipe is still shown.
                let _ = errors.read_to_end(&mut text);
                let _ = sender.send(String::from_utf8_lossy(&text).into_owned());
            }),
        ];
        Rank { process, readers, errors: receiver }
    }
}

impl Running {
    /// Waits until a rank has written a line that starts with `beginning`.
    pub fn wait_for(&mut self, rank: usize, beginning: &str) {
        while !self.seen[rank].iter().any(|line| line.starts_with(beginning)) {
            match self.lines.recv_timeout(LIMIT) {
                Ok((rank, line)) => self.seen[rank].push(line),
                Err(_) => {
                    self.stop();
                    let errors: Vec<String> =
                        self.ranks.iter_mut().flatten().map(Rank::errors).collect();
                    panic!(
                        "rank {rank} did not write {beginning}; output {:?}; errors {errors:#?}",
                        self.seen
                    );
                }
            }
        }
    }

    /// Kills a rank with a signal that it cannot catch.
    pub fn kill(&mut self, rank: usize) {
        let rank = self.ranks[rank].as_mut().expect("the rank was started");
        rank.process.kill().expect("the rank is ours to kill");
    }

    /// Sends a signal, such as `STOP`, to a rank.
    pub fn signal(&mut self, rank: usize, name: &str) {
        let rank = self.ranks[rank].as_ref().expect("the rank was started");
        let mut kill = Command::new("kill");
        let status = kill.args([format!("-{name}"), rank.process.id().to_string()]).status();
        assert!(status.is_ok_and(|status| status.success()), "the rank is ours to signal");
    }

    /// Waits until a rank has ended.
    pub fn wait_for_end(&mut self, rank: usize) {
        while self.is_running(rank) {
            if self.started.elapsed() > LIMIT {
                self.stop();
                let errors: Vec<String> =
                    self.ranks.iter_mut().flatten().map(Rank::errors).collect();
                panic!("rank {rank} hangs; output {:?}; errors {errors:#?}", self.seen);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Whether a rank has not ended.
    pub fn is_running(&mut self, rank: usize) -> bool {
        let rank = self.ranks[rank].as_mut().expect("the rank was started");
        rank.process.try_wait().expect("a rank is ours to wait for").is_none()
    }

    /// Since the start of the world.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Waits for all ranks that were started; returns their output by rank.
    pub fn end(mut self) -> Vec<Ended> {
        let mut statuses: Vec<Option<(ExitStatus, Duration)>> = vec![None; self.ranks.len()];
        loop {
            let mut is_running = false;
            for (rank, status) in self.ranks.iter_mut().zip(&mut statuses) {
                let Some(rank) = rank else { continue };
                if status.is_none() {
                    let now = rank.process.try_wait().expect("a rank is ours to wait for");
                    *status = now.map(|status| (status, self.started.elapsed()));
                    is_running |= status.is_none();
                }
            }
            self.seen_so_far();
            if !is_running {
                break;
            }
            if self.started.elapsed() > LIMIT {
                self.stop();
                let errors: Vec<String> =
                    self.ranks.iter_mut().flatten().map(Rank::errors).collect();
                panic!("the world hangs; {statuses:?}; output {:?}; errors {errors:#?}", self.seen);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let errors: Vec<Option<String>> =
            self.ranks.iter_mut().map(|rank| rank.as_mut().map(Rank::errors)).collect();
        self.seen_so_far();
        let parts = statuses.into_iter().zip(errors).zip(std::mem::take(&mut self.seen));
        parts
            .filter_map(|((status, errors), output)| {
                let (status, after) = status?;
                Some(Ended { status, output, errors: errors?, after })
            })
            .collect()
    }

    fn seen_so_far(&mut self) {
        while let Ok((rank, line)) = self.lines.try_recv() {
            self.seen[rank].push(line);
        }
    }

    fn stop(&mut self) {
        for rank in self.ranks.iter_mut().flatten() {
            // It fails only for a rank that has ended.
            let _ = rank.process.kill();
            let _ = rank.process.wait();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Rank {
    /// Its standard error, after all of standard output is read.
    fn errors(&mut self) -> String {
        self.readers.drain(..).for_each(|reader| reader.join().expect("a reader does not panic"));
        self.errors.recv().unwrap_or_default()
    }
}

impl Ended {
    /// The rest of the first line of standard output that starts with `name` and a space.
    pub fn value(&self, name: &str) -> &str {
        let found = self.output.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        found.unwrap_or_else(|| panic!("no line {name} in {self:#?}"))
    }

    /// The rests of all such lines.
    pub fn values(&self, name: &str) -> Vec<&str> {
        self.output.iter().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).collect()
    }

    /// The first line of the error that it wrote, if the error has this code and the rank ended
    /// with status 1.
    pub fn error(&self, code: &str) -> &str {
        let beginning = format!("error[{code}]: ");
        let line = self.errors.lines().find_map(|line| line.strip_prefix(&beginning));
        let line = line.unwrap_or_else(|| panic!("no {beginning} in {self:#?}"));
        assert_eq!(self.status.code(), Some(1), "{self:#?}");
        assert_eq!(self.status.signal(), None);
        line
    }

    /// Checks that it ended with success and wrote no error.
    pub fn assert_well(&self) {
        assert!(self.status.success() && self.errors.is_empty(), "{self:#?}");
    }
}

/// Checks that something takes no longer than was promised, once more if it did: the machine may
/// have been busy with something else.
pub fn assert_soon(told: &str, limit: Duration, mut took: impl FnMut() -> Duration) {
    let first = took();
    if first > limit {
        println!("{told}: {first:?} in place of {limit:?}; once more");
        let second = took();
        assert!(second <= limit, "{told}: {first:?}, then {second:?}, in place of {limit:?}");
    }
}

/// The number of the only line of a program that contains this text.
pub fn line_of(source: &str, text: &str) -> usize {
    let mut found = source.match_indices(text);
    let (Some((at, _)), None) = (found.next(), found.next()) else {
        panic!("not one line of the program contains {text}");
    };
    source[..at].matches('\n').count() + 1
}

/// A file with a secret that its owner alone can read.
pub fn token(secret: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file is made");
    write!(file, "{secret}, thirty-two bytes or more").expect("the secret is written");
    file
}

/// A loopback port on which no process listens, and that no socket gets by chance before a rank:
/// systems give those from 32768 on.
pub fn free_address() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Other tests of this machine start at other ports.
    let first = std::process::id().wrapping_mul(97);
    let ports = std::iter::repeat_with(|| {
        let number = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        20_000 + (number % 12_000) as u16
    });
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let port = ports.take(12_000).find(is_free).expect("there are free ports");
    format!("127.0.0.1:{port}")
}
