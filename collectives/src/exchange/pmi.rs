//! PMI-1 over a socket: the launchers of MPICH, Intel MPI and MVAPICH, SLURM's `--mpi=pmi2`, Flux.
//!
//! The protocol consists of lines of words `name=value`. The first word is `cmd=`, and each line is
//! answered by one line. The launcher closes the socket when a process reports that it finalizes,
//! and treats a socket that closes earlier as a failed process. An MPI library in the process uses
//! the same socket. Therefore the last user sends the goodbye, when the process ends.

use super::way::{Exchange, ExchangeError, within};
use std::io::{Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::time::Duration;

const WAY: &str = "PMI";
/// A write to a closed socket must be an error, not a signal; elsewhere the runtime ensures that.
#[cfg(target_os = "linux")]
const FLAGS: libc::c_int = libc::MSG_NOSIGNAL;
#[cfg(not(target_os = "linux"))]
const FLAGS: libc::c_int = 0;
/// The limit of a line's length.
const LONGEST_LINE: usize = 1 << 16;

/// The launcher's answers to the first exchange.
struct Known {
    names: String,
    longest_value: usize,
    /// The number of exchanges so far: each key is used once.
    count: usize,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
/// The socket and the process that sends the goodbye on it.
static SOCKET: AtomicI32 = AtomicI32::new(-1);
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// The exchange by PMI-1.
#[derive(Debug)]
pub struct Pmi {
    socket: RawFd,
}

impl Pmi {
    /// Whether this process has communicated with the launcher.
    pub fn has_spoken() -> bool {
        SOCKET.load(Ordering::Relaxed) >= 0
    }

    /// The exchange over a socket that the launcher has left open; `PMI_FD` has the number.
    pub fn new(socket: RawFd) -> Result<Pmi, ExchangeError> {
        // SAFETY: asks about a number, open or not.
        if unsafe { libc::fcntl(socket, libc::F_GETFD) } == -1 {
            let reason = format!("PMI_FD is {socket}, which is not open");
            return Err(ExchangeError::new(WAY, reason));
        }
        Ok(Pmi { socket })
    }
}

impl Exchange for Pmi {
    fn name(&self) -> &'static str {
        WAY
    }

    fn broadcast(&mut self, own: Option<&str>, timeout: Duration) -> Result<String, ExchangeError> {
        let (socket, own) = (self.socket, own.map(str::to_owned));
        within(WAY, timeout, move || {
            let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the socket is open (`new`), and is never closed here: `ManuallyDrop`.
            let stream = unsafe { UnixStream::from_raw_fd(socket) };
            converse(&mut *ManuallyDrop::new(stream), &mut known, own.as_deref(), || {
                say_goodbye_in_the_end(socket);
            })
        })
    }
}

/// Passes the text of rank 0 to all. Calls `begun` once the launcher knows this process.
fn converse(
    stream: &mut (impl Read + Write),
    known: &mut Option<Known>,
    own: Option<&str>,
    begun: impl FnOnce(),
) -> Result<String, ExchangeError> {
    if known.is_none() {
        ask(stream, "cmd=init pmi_version=1 pmi_subversion=1", "response_to_init")?;
        begun();
        let limits = ask(stream, "cmd=get_maxes", "maxes")?;
        let longest = word(&limits, "vallen_max").and_then(|text| text.parse().ok());
        let names = ask(stream, "cmd=get_my_kvsname", "my_kvsname")?;
        let names = word(&names, "kvsname").ok_or_else(|| garbled(&names))?.to_owned();
        *known = Some(Known { names, longest_value: longest.unwrap_or(256), count: 0 });
    }
    let known = known.as_mut().expect("bug: it was made above");
    let (names, count) = (known.names.clone(), known.count);
    known.count += 1;
    if let Some(own) = own {
        let value = spelled(own);
        if value.len() >= known.longest_value {
            let longest = known.longest_value;
            let reason = format!("a text has {} bytes instead of less than {longest}", value.len());
            return Err(ExchangeError::new(WAY, reason));
        }
        let line = format!("cmd=put kvsname={names} key=phalanx-{count} value={value}");
        ask(stream, &line, "put_result")?;
    }
    ask(stream, "cmd=barrier_in", "barrier_out")?;
    if let Some(own) = own {
        return Ok(own.to_owned());
    }
    let line = format!("cmd=get kvsname={names} key=phalanx-{count}");
    let answer = ask(stream, &line, "get_result")?;
    word(&answer, "value").and_then(read).ok_or_else(|| garbled(&answer))
}

/// Sends a line and returns the answer, which must belong to that command and report no error.
fn ask(
    stream: &mut (impl Read + Write),
    line: &str,
    command: &str,
) -> Result<String, ExchangeError> {
    let lost = |error: std::io::Error| ExchangeError::new(WAY, error.to_string());
    stream.write_all(format!("{line}\n").as_bytes()).map_err(lost)?;
    // Read single bytes, so that no byte is taken that an MPI library waits for.
    let (mut answer, mut byte) = (Vec::new(), [0]);
    loop {
        stream.read_exact(&mut byte).map_err(lost)?;
        match byte[0] {
            b'\n' => break,
            _ if answer.len() >= LONGEST_LINE => return Err(garbled("a line without an end")),
            byte => answer.push(byte),
        }
    }
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let failed = word(&answer, "rc").is_some_and(|status| status != "0");
    if word(&answer, "cmd") != Some(command) || failed {
        return Err(garbled(&answer));
    }
    Ok(answer)
}

fn garbled(answer: &str) -> ExchangeError {
    ExchangeError::new(WAY, format!("the launcher answered `{answer}`"))
}

/// The value of a named word in a line.
fn word<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

/// Encodes a text without blanks and line ends: its bytes in hexadecimal.
fn spelled(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn read(spelled: &str) -> Option<String> {
    let digits = spelled.as_bytes();
    let pairs = digits.chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    });
    String::from_utf8(pairs.collect::<Option<Vec<u8>>>()?).ok()
}

/// Registers the goodbye, which reports to the launcher at exit that the process has not failed.
fn say_goodbye_in_the_end(socket: RawFd) {
    SOCKET.store(socket, Ordering::Relaxed);
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    // SAFETY: the function is an `extern "C" fn` without arguments that never unwinds.
    unsafe {
        libc::atexit(goodbye);
    }
}

extern "C" fn goodbye() {
    // Forks of this process must not send it.
    if PROCESS.load(Ordering::Relaxed) != std::process::id() {
        return;
    }
    let line = b"cmd=finalize\n";
    let socket = SOCKET.load(Ordering::Relaxed);
    // SAFETY: at most `line.len()` bytes are read. If the launcher has closed the socket, because
    // an MPI library has sent the goodbye, the call gives an error and no signal.
    let sent = unsafe { libc::send(socket, line.as_ptr().cast(), line.len(), FLAGS) };
    let mut answer = [0u8; 64];
    if sent == line.len() as isize {
        // The process must not end before the launcher has read the line.
        // SAFETY: at most as many bytes are written as there are.
        let _ = unsafe { libc::recv(socket, answer.as_mut_ptr().cast(), answer.len(), 0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};

    /// A simulated launcher with one process for each socket. It answers like Hydra.
    fn launch(sockets: Vec<UnixStream>) -> std::thread::JoinHandle<Vec<String>> {
        std::thread::spawn(move || {
            let (mut kept, mut received) = (Vec::<(String, String)>::new(), Vec::new());
            let mut readers: Vec<_> = sockets.iter().map(BufReader::new).collect();
            // Serves each process up to its barrier, then each after it.
            for part in 0..2 {
                for (socket, reader) in sockets.iter().zip(&mut readers) {
                    loop {
                        let mut line = String::new();
                        if reader.read_line(&mut line).unwrap_or(0) == 0 {
                            break;
                        }
                        let line = line.trim_end();
                        received.push(line.to_owned());
                        let answer = match word(line, "cmd").unwrap() {
                            "init" => "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
                            "get_maxes" => "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=99",
                            "get_my_kvsname" => "cmd=my_kvsname kvsname=kvs_1",
                            "put" => {
                                let (key, value) = (word(line, "key"), word(line, "value"));
                                kept.push((key.unwrap().into(), value.unwrap().into()));
                                "cmd=put_result rc=0 msg=success"
                            }
                            "barrier_in" => break,
                            "get" => {
                                let key = word(line, "key").unwrap();
                                let found = kept.iter().find(|pair| pair.0 == key).unwrap();
                                let answer = format!("cmd=get_result rc=0 value={}\n", found.1);
                                (&mut &*socket).write_all(answer.as_bytes()).unwrap();
                                continue;
                            }
                            other => panic!("{other}"),
                        };
                        (&mut &*socket).write_all(format!("{answer}\n").as_bytes()).unwrap();
                    }
                }
                if part == 0 {
                    for mut socket in &sockets {
                        socket.write_all(b"cmd=barrier_out\n").unwrap();
                    }
                }
            }
            received
        })
    }

    #[test]
    fn the_text_of_rank_0_arrives_on_all() {
        let (ours, theirs): (Vec<_>, Vec<_>) = (0..3).map(|_| UnixStream::pair().unwrap()).unzip();
        let launcher = launch(theirs);
        let processes = ours.into_iter().enumerate().map(|(rank, mut socket)| {
            std::thread::spawn(move || {
                let own = (rank == 0).then_some("at\nhost 1:2");
                converse(&mut socket, &mut None, own, || {})
            })
        });
        let processes: Vec<_> = processes.collect();
        for process in processes {
            assert_eq!(process.join().unwrap().as_deref(), Ok("at\nhost 1:2"));
        }
        assert!(launcher.join().unwrap().iter().any(|line| line.starts_with("cmd=put kvsname=")));
    }

    #[test]
    fn a_text_that_is_too_long_is_an_error() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let launcher = launch(vec![theirs]);
        let error = converse(&mut ours, &mut None, Some(&"x".repeat(50)), || {}).unwrap_err();
        assert!(error.reason.contains("100 bytes instead of less than 99"), "{error}");
        drop(ours);
        launcher.join().unwrap_or_default();
    }

    #[test]
    fn answers_of_another_kind_are_errors() {
        let (mut ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(b"cmd=response_to_init rc=-1\n").unwrap();
        let error = converse(&mut ours, &mut None, None, || {}).unwrap_err();
        assert!(error.reason.contains("rc=-1"), "{error}");
        assert_eq!(read(&spelled("a b\nc=ä")).as_deref(), Some("a b\nc=ä"));
        assert_eq!((read("6"), read("6x")), (None, None));
        assert!(Pmi::new(9999).is_err());
    }
}
