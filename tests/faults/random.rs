//! Random faults at random moments: every living rank ends in time with an error, and nothing of
//! the job is left behind.

use super::damage::header;
use crate::wire::Wire;
use crate::world::{Running, World, free_address};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

trials![random_faults_end_every_rank_and_leave_nothing];

/// How long the others may take after a fault, however busy the machine is: what is promised are
/// 5 s, and 2 s of silence or 5 s of start-up beside.
const LIMIT: Duration = Duration::from_secs(30);

/// Random numbers of a seed (splitmix64).
pub struct Draw(u64);

impl Draw {
    /// Those of a seed.
    pub fn new(seed: u64) -> Draw {
        Draw(seed)
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    /// One of several.
    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// What happens to a rank, or on its way to rank 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Signal(&'static str),
    Stopped,
    Closed,
    Truncated,
    Huge,
    Garbled,
    Ends(&'static str),
}

const FAULTS: [Fault; 12] = [
    Fault::Signal("KILL"),
    Fault::Signal("TERM"),
    Fault::Signal("QUIT"),
    Fault::Signal("ABRT"),
    Fault::Stopped,
    Fault::Stopped,
    Fault::Closed,
    Fault::Truncated,
    Fault::Huge,
    Fault::Garbled,
    Fault::Ends("exit"),
    Fault::Ends("panic"),
];

fn random_faults_end_every_rank_and_leave_nothing() {
    let is_full = std::env::var_os("PHALANX_TEST_FULL").is_some_and(|value| value == "1");
    let seeds = match std::env::var("PHALANX_TEST_SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => seed..seed + 1,
        None => 0..if is_full { 200 } else { 20 },
    };
    for seed in seeds {
        one(seed);
    }
}

/// One run with one fault.
fn one(seed: u64) {
    let mut draw = Draw::new(seed);
    let size = draw.of(&[2, 3, 4]);
    let (work, devices) = (draw.of(&["split", "replicated"]), draw.of(&["cpu:1", "cpu:2"]));
    let fault = FAULTS[((seed + draw.below(2) * 6) % 12) as usize];
    // What goes over the wire is between ranks 1 and 0; the program itself ends on rank 1.
    let victim = match fault {
        Fault::Signal(_) | Fault::Stopped => draw.below(size as u64) as usize,
        _ => 1,
    };
    let moment = draw.below(4);
    let told = format!(
        "seed {seed}: {fault:?} of rank {victim} of {size} with {devices}, {work}, {moment}"
    );
    println!("{told}");
    let address = free_address();
    let wire = Wire::to(address.clone(), None);
    let words: Vec<&str> = match fault {
        Fault::Ends(ending) => vec![ending, work],
        _ => vec![work],
    };
    let program = if matches!(fault, Fault::Ends(_)) { "end_on_one" } else { "go_on" };
    let world = World::of(size, program, &words)
        .set("PHALANX_ADDRESS", address.clone())
        .set_on(1, "PHALANX_ADDRESS", wire.address.clone())
        .set("PHALANX_DEVICES", devices)
        .set("PHALANX_STALL", "2")
        .set("PHALANX_TIMEOUT", "5");
    let token = world.token_path();
    let mut running = world.start();
    strike(&mut running, fault, victim, &wire, (moment, draw.below(60)));
    let struck = Instant::now();
    let others: Vec<usize> = (0..size).filter(|&rank| rank != victim).collect();
    others.iter().for_each(|&rank| running.wait_for_end(rank));
    assert!(struck.elapsed() < LIMIT, "{told}: the others ended after {:?}", struck.elapsed());
    if fault == Fault::Stopped {
        running.signal(victim, "CONT");
    }
    let ended = running.end();
    for rank in others {
        assert_eq!(ended[rank].status.code(), Some(1), "{told}: {ended:#?}");
        assert!(ended[rank].errors.contains("error[PX"), "{told}: {ended:#?}");
        assert!(!ended[rank].errors.contains("bug:"), "{told}: {ended:#?}");
    }
    assert!(!ended[victim].status.success(), "{told}: {ended:#?}");
    assert_nothing_left(&told, &token, &address);
}

/// Makes the fault happen: at some moment of the start-up, or of the work.
fn strike(
    running: &mut Running,
    fault: Fault,
    victim: usize,
    wire: &Wire,
    (moment, pause): (u64, u64),
) {
    let goes_by_wire = !matches!(fault, Fault::Signal(_) | Fault::Stopped);
    if (moment > 0 || goes_by_wire) && !matches!(fault, Fault::Ends(_)) {
        for rank in [victim, 0] {
            running.wait_for(rank, &format!("turn {}", moment * 20));
        }
    }
    std::thread::sleep(Duration::from_millis(pause));
    match fault {
        Fault::Signal(name) => running.signal(victim, name),
        Fault::Stopped => running.signal(victim, "STOP"),
        Fault::Closed => wire.close(),
        Fault::Truncated => {
            wire.inject(&header(0, 1, 0, 0, 512)[..17]);
            wire.close();
        }
        Fault::Huge => wire.inject(&header(3, 1, 0, 1 << 63, 0)),
        Fault::Garbled => wire.inject(&[pause as u8 | 64; 80]),
        Fault::Ends(_) => {}
    }
}

/// No process of the job runs, nobody listens where its ranks met, and it has left no shared
/// memory.
pub fn assert_nothing_left(told: &str, token: &str, address: &str) {
    let own = std::process::id().to_string();
    let is_of_job = |path: &PathBuf| {
        // Those of other users, and those that have ended meanwhile, are not of this job.
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        environment.windows(token.len()).any(|part| part == token.as_bytes())
    };
    let find = || -> Vec<PathBuf> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let others = entries.filter(|entry| entry.file_name().to_str() != Some(&own));
        others.map(|entry| entry.path()).filter(is_of_job).collect()
    };
    // A launcher may not wait for those that it has killed.
    let deadline = Instant::now() + Duration::from_secs(10);
    while !find().is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    let left = find();
    assert!(left.is_empty(), "{told}: processes are left: {left:?}");
    assert!(TcpStream::connect(address).is_err(), "{told}: somebody listens at {address}");
    let shared = std::fs::read_dir("/dev/shm").into_iter().flatten().flatten();
    let is_ours = |name: &String| name.contains("phalanx");
    let names = shared.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let left: Vec<String> = names.filter(is_ours).collect();
    assert!(left.is_empty(), "{told}: shared memory is left: {left:?}");
}
