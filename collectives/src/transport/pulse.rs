//! Signs of life: every process regularly reports to all others that it lives and what it does. The
//! network thread sends the reports, so they continue whatever the program computes.
//!
//! A silent rank (a stopped process, a hanging host) is named on standard error after a few
//! seconds, and ends the world after a time that the user chooses. A rank that is merely slow is
//! never taken for silent. A process counts only time in which it ran itself: one that was stopped
//! for an hour finds no rank silent when it continues.
//!
//! The same loop ensures that no rank outlives the world: see `Inside`.

use super::doing::{Doing, Doings};
use super::fabric::Fabric;
use super::frame::Control;
use super::link::Link;
use crate::CollectiveError;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::{MissedTickBehavior, interval, sleep};

/// The shortest and the longest pause between two signs of life.
const BEATS: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];
/// The addition to the pause for each process, which limits the traffic of large worlds.
const BEAT_OF_PROCESS: Duration = Duration::from_millis(5);
/// How long a report of a new ticketed step waits for further ones.
const REST: Duration = Duration::from_millis(5);
/// The time after which a wait for a rank is reported, and the interval of later reports.
const WAITED: [Duration; 2] = [Duration::from_secs(30), Duration::from_secs(60)];
/// The silence after which a rank is named.
const NAMED: Duration = Duration::from_secs(5);
/// The interval between two checks for silent ranks.
const LOOK: Duration = Duration::from_millis(250);
/// The most time that counts between two checks.
const MOST: Duration = Duration::from_secs(1);
/// How long a program may continue without the error of its ended world, or stay inside of a call
/// after the end. Less than the 10 s in which all ranks are promised to end, because a failure is
/// noticed with a delay.
const LAST_RESORT: Duration = Duration::from_secs(8);

/// Sends signs of life to all others until the task is dropped or the world has ended.
pub(crate) async fn beat(fabric: Arc<Fabric>, stall: Option<Duration>) {
    let processes = u32::try_from(fabric.links().count()).unwrap_or(u32::MAX);
    let pause = BEAT_OF_PROCESS.saturating_mul(processes).clamp(BEATS[0], BEATS[1]);
    let pause = stall.map_or(pause, |stall| pause.min(stall / 8));
    let mut beats = interval(pause);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !fabric.failure.is_set() {
        tokio::select! {
            _ = beats.tick() => {}
            // A report about the death of this rank should name its latest ticketed step.
            () = fabric.doings.change() => sleep(REST).await,
        }
        let own: Doing = fabric.doings.own();
        let frame = Control::Beat(own).frame();
        for link in fabric.links().filter(|link| !link.has_left()) {
            link.post_if_idle(&frame);
        }
    }
}

struct Watched {
    link: Arc<Link>,
    /// The link's count of arrivals at the last check.
    arrivals: u64,
    silence: Duration,
    is_named: bool,
}

/// Names silent ranks, and ends the world when one has been silent for `stall`. After the world has
/// ended, it ensures that this process ends. Runs until the task is dropped.
pub(crate) async fn listen(fabric: Arc<Fabric>, stall: Option<Duration>) {
    let watched = |link: &Arc<Link>| Watched {
        link: link.clone(),
        arrivals: 0,
        silence: Duration::ZERO,
        is_named: false,
    };
    let mut ranks: Vec<Watched> = fabric.links().map(watched).collect();
    let named = stall.map_or(NAMED, |stall| NAMED.min(stall / 2));
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut last, mut waited) = (Instant::now(), Waited::default());
    while !fabric.failure.is_set() {
        looks.tick().await;
        let passed = last.elapsed().min(MOST);
        last = Instant::now();
        waited.look(&fabric.doings, passed).into_iter().for_each(report);
        ranks.retain(|rank| !rank.link.has_left());
        for rank in &mut ranks {
            rank.look(&fabric, passed, named, stall);
            if let Some(stall) = stall.filter(|stall| rank.silence >= *stall) {
                let (number, seconds) = (rank.link.peer, stall.as_secs_f64().to_string());
                let doing = fabric.doings.of(number);
                fabric.fail(CollectiveError::RankSilent { rank: number, seconds, doing });
                break;
            }
        }
    }
    drop(ranks);
    end_at_last(&fabric).await;
}

/// How long the oldest wait of this process has lasted.
#[derive(Debug, Default)]
struct Waited {
    wait: u64,
    time: Duration,
    reports: u32,
}

impl Waited {
    /// Adds time to the wait. Returns a report if one is due.
    fn look(&mut self, doings: &Doings, passed: Duration) -> Option<String> {
        let (wait, text) = doings.waits()?;
        if wait != self.wait {
            *self = Waited { wait, ..Waited::default() };
        }
        self.time += passed;
        let due = self.time >= WAITED[0] + WAITED[1] * self.reports;
        due.then(|| {
            self.reports += 1;
            text(self.time.as_secs())
        })
    }
}

impl Watched {
    fn look(
        &mut self,
        fabric: &Fabric,
        passed: Duration,
        named: Duration,
        stall: Option<Duration>,
    ) {
        let (arrivals, rank) = (self.link.arrivals(), self.link.peer);
        if arrivals == self.arrivals {
            self.silence += passed;
        } else {
            let silence = std::mem::take(&mut self.silence).as_secs();
            self.arrivals = arrivals;
            if std::mem::take(&mut self.is_named) {
                report(format!("phalanx: rank {rank} responds again, after {silence} s"));
            }
        }
        if self.silence >= named && !self.is_named {
            self.is_named = true;
            let (silence, doing) = (self.silence.as_secs(), fabric.doings.of(rank));
            let what = match stall {
                Some(stall) => {
                    let seconds = stall.as_secs_f64();
                    format!("; after {seconds} s (PHALANX_STALL) the run is ended")
                }
                None => String::new(),
            };
            report(format!("phalanx: rank {rank} has been silent for {silence} s, {doing}{what}"));
        }
    }
}

/// Writes a line to standard error on a thread of its own, because the write may wait.
fn report(line: String) {
    let write = move || {
        // If standard error accepts nothing, there is nothing to do.
        let _ = writeln!(std::io::stderr(), "{line}");
    };
    let _ = std::thread::Builder::new().name(String::from("phalanx-report")).spawn(write);
}

/// Ends this process if its program does not receive the error of the failed world, or stays inside
/// of a call.
async fn end_at_last(fabric: &Fabric) {
    let Some(failure) = fabric.failure.get().filter(|error| *error != CollectiveError::Closed)
    else {
        return;
    };
    let mut stay = fabric.inside.stay();
    let (mut stayed, mut last) = (Duration::ZERO, Instant::now());
    loop {
        tokio::time::sleep(LOOK).await;
        // A process that was stopped meanwhile could not receive the error.
        stayed += last.elapsed().min(MOST);
        last = Instant::now();
        let now = fabric.inside.stay();
        if now.is_none() || now != stay {
            (stay, stayed) = (now, Duration::ZERO);
        } else if stayed >= LAST_RESORT {
            let (code, hint, seconds) = (failure.code(), failure.hint(), LAST_RESORT.as_secs());
            let why = if fabric.inside.has_calls() {
                "has been stuck"
            } else {
                "has not received this error"
            };
            report(format!(
                "error[{code}]: {failure}\n  hint    {hint}\n\
                 phalanx: rank {} {why} for {seconds} s and is ended",
                fabric.rank
            ));
            // Gives the line time to be written. No destructor may run: it would wait for the stuck
            // call.
            std::thread::sleep(LOOK);
            // SAFETY: ends the process at once and runs nothing of it.
            unsafe { libc::_exit(1) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ticket, TicketKind};

    #[test]
    fn a_long_wait_is_reported_with_both_places_and_then_once_a_minute() {
        let doings = Doings::new(0, 3);
        let ticket = |number, site: &str| Ticket {
            number,
            kind: TicketKind::Close,
            digest: 0,
            cause: String::from("observes a value"),
            site: String::from(site),
            data: Vec::new(),
        };
        doings.at(0, &ticket(5, "heat.py:5"));
        doings.at(1, &ticket(4, "heat.py:4"));
        doings.at(2, &ticket(2, "heat.py:2"));
        let (mut waited, second) = (Waited::default(), Duration::from_secs(1));
        let mut reports = |count: usize| -> Vec<String> {
            (0..count).filter_map(|_| waited.look(&doings, second)).collect()
        };
        assert!(reports(100).is_empty());
        let short = doings.waits.begin(Some(1));
        assert!(reports(29).is_empty());
        let long = doings.waits.begin(None);
        drop(short);
        assert!(reports(29).is_empty());
        let expected = "phalanx: rank 0 has waited 30 s at step 5 (observes a value at heat.py:5) \
                    for rank 2, last reported at step 2 (observes a value at heat.py:2)";
        assert_eq!(reports(1), [expected]);
        assert_eq!((reports(59).len(), reports(1).len(), reports(60).len()), (0, 1, 1));
        drop(long);
        let _known = doings.waits.begin(Some(1));
        let found = reports(30);
        assert!(
            found[0]
                .ends_with("for rank 1, last reported at step 4 (observes a value at heat.py:4)")
        );
    }
}
