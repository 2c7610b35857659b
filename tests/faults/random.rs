//! Random faults at random moments: every living rank ends in time with an error, and nothing of
//! the job is left behind.

use super::damage::header;
use super::left::{Before, leaves_nothing};
use crate::wire::Wire;
use crate::world::{Running, World, assert_soon, free_address};
use std::path::PathBuf;
use std::time::{Duration, Instant};

trials![random_faults_end_every_rank_and_leave_nothing];

/// How long the others may take after a fault: a promise to users.
const PROMISE: Duration = Duration::from_secs(5);
/// How long a rank may be silent here (a running rank may be for a while on a busy machine), and
/// how long a start-up with a fault may take, in seconds.
const STALL: u64 = 6;
const TIMEOUT: u64 = 5;

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

/// The fault of a rank, or of its connection to rank 0.
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
    // Unlike `QUIT`, no process ignores it because a shell has started the tests in the background.
    Fault::Signal("USR1"),
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

impl Fault {
    /// The codes that the others may report. `moment` 0 is that of the start-up, in which ranks
    /// may not have met.
    fn codes(self, moment: u64) -> &'static [&'static str] {
        match self {
            Fault::Signal(_) if moment == 0 => &["PX060", "PX066", "PX067"],
            Fault::Stopped if moment == 0 => &["PX168", "PX060", "PX066", "PX067"],
            Fault::Stopped => &["PX168"],
            Fault::Signal(_) | Fault::Closed | Fault::Truncated | Fault::Ends("exit") => &["PX060"],
            Fault::Huge | Fault::Garbled => &["PX077"],
            Fault::Ends(_) => &["PX063"],
        }
    }

    /// Whether the ranks may not have met at this moment.
    fn hits_start_up(self, moment: u64) -> bool {
        moment == 0 && matches!(self, Fault::Signal(_) | Fault::Stopped)
    }

    /// How soon the others end.
    fn limit(self, moment: u64) -> Duration {
        let patience = if self == Fault::Stopped { STALL } else { 0 };
        // A program that ends by itself has not started yet.
        let is_early = moment == 0 || matches!(self, Fault::Ends(_));
        let meeting = if is_early { TIMEOUT } else { 0 };
        PROMISE + Duration::from_secs(patience + meeting)
    }
}

/// One run with one fault.
fn one(seed: u64) {
    let mut draw = Draw::new(seed);
    let size = draw.of(&[2, 3, 4]);
    let (work, devices) = (draw.of(&["split", "replicated"]), draw.of(&["cpu:1", "cpu:2"]));
    let fault = FAULTS[((seed + draw.below(2) * 6) % 12) as usize];
    // Faults of the connection are between ranks 1 and 0; the program itself ends on rank 1.
    let victim = match fault {
        Fault::Signal(_) | Fault::Stopped => draw.below(size as u64) as usize,
        _ => 1,
    };
    let moment = draw.below(4);
    let told = format!(
        "seed {seed}: {fault:?} of rank {victim} of {size} with {devices}, {work}, {moment}"
    );
    println!("{told}");
    let pause = draw.below(60);
    assert_soon(&told, fault.limit(moment), || {
        leaves_nothing(&told, || {
            world(&told, (size, work, devices), fault, victim, (moment, pause))
        })
    });
}

/// Runs a world to its end; returns how long the others took after the fault, and the shared memory
/// that is left.
fn world(
    told: &str,
    (size, work, devices): (usize, &str, &str),
    fault: Fault,
    victim: usize,
    (moment, pause): (u64, u64),
) -> (Duration, Vec<PathBuf>) {
    let (before, address) = (Before::now(), free_address());
    let wire = Wire::to(address.clone());
    let words: Vec<&str> = match fault {
        Fault::Ends(ending) => vec![ending, work],
        _ => vec![work],
    };
    let program = if matches!(fault, Fault::Ends(_)) { "end_on_one" } else { "go_on" };
    let mut world = World::of(size, program, &words)
        .set("PHALANX_ADDRESS", address.clone())
        .set_on(1, "PHALANX_ADDRESS", wire.address.clone())
        .set("PHALANX_DEVICES", devices)
        .set("PHALANX_STALL", STALL.to_string());
    if fault.hits_start_up(moment) {
        world = world.set("PHALANX_TIMEOUT", TIMEOUT.to_string());
    }
    let token = world.token_path();
    let mut running = world.start();
    strike(&mut running, fault, victim, &wire, (moment, pause));
    let struck = Instant::now();
    let others: Vec<usize> = (0..size).filter(|&rank| rank != victim).collect();
    others.iter().for_each(|&rank| running.wait_for_end(rank));
    let took = struck.elapsed();
    if fault == Fault::Stopped {
        running.signal(victim, "CONT");
    }
    let ended = running.end();
    for rank in others {
        assert_eq!(ended[rank].status.code(), Some(1), "{told}: {ended:#?}");
        let has = |code: &&str| ended[rank].errors.contains(&format!("error[{code}]: "));
        assert!(fault.codes(moment).iter().any(has), "{told}: {ended:#?}");
        assert!(!ended[rank].errors.contains("bug:"), "{told}: {ended:#?}");
        // Two that lose each other have no witness.
        if !goes_by_wire(fault) {
            let lines = ended[rank].errors.lines();
            let mut blames =
                lines.filter(|it| it.contains("[PX060]: ") || it.contains("[PX168]: "));
            let is_right = blames.all(|line| line.contains(&format!("]: rank {victim} ")));
            assert!(is_right, "{told}: {ended:#?}");
        }
    }
    assert!(!ended[victim].status.success(), "{told}: {ended:#?}");
    (took, before.left(told, &token, &address))
}

/// Whether it happens to the connection of ranks 1 and 0, and to neither of them.
fn goes_by_wire(fault: Fault) -> bool {
    matches!(fault, Fault::Closed | Fault::Truncated | Fault::Huge | Fault::Garbled)
}

/// Makes the fault happen: at some moment of the start-up, or of the work.
fn strike(
    running: &mut Running,
    fault: Fault,
    victim: usize,
    wire: &Wire,
    (moment, pause): (u64, u64),
) {
    if (moment > 0 || goes_by_wire(fault)) && !matches!(fault, Fault::Ends(_)) {
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
