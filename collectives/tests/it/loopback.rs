//! Messages over TCP on loopback: checks that they arrive, and prints times for
//! `benches/loopback.py`. With `LOOPBACK_RANK` and `LOOPBACK_ADDRESS` this process is one of two.
//! Without them both ranks are threads of it, and there are few messages.

use crate::fixture::{Fixture, bytes, slice, tcp};
use phalanx_collectives::{Communicator, Rendezvous};
use std::time::{Duration, Instant};

/// The lengths of the timed messages, and the total bytes of each length.
const LENGTHS: [usize; 4] = [8, 1 << 20, 4 << 20, 64 << 20];
const TOTAL: usize = 4 << 30;

/// This process's rank of two, if it has one, and their world.
fn process() -> Option<Fixture> {
    let rank = std::env::var("LOOPBACK_RANK").ok()?.parse().expect("a rank");
    let address = std::env::var("LOOPBACK_ADDRESS").expect("an address");
    let timeout = Duration::from_secs(20);
    let meeting =
        Rendezvous { token: b"a secret".to_vec(), timeout, ..Rendezvous::new(rank, 2, address) };
    Some(Fixture::of(vec![meeting.join().expect("a world")]))
}

/// Microseconds per message: of many in a row from rank 0 to rank 1, or of round trips.
fn measure(member: &dyn Communicator, len: usize, messages: usize, there_and_back: bool) -> f64 {
    let data = slice(&vec![member.rank() as u8; len]);
    let send = |to| member.send(&data, to).unwrap().wait().unwrap();
    let receive = |from| member.recv(&data, from).unwrap().wait().unwrap();
    let run = |messages: usize| {
        member.barrier().unwrap();
        let begun = Instant::now();
        for _ in 0..messages {
            match member.rank() {
                0 => send(1),
                _ => receive(0),
            }
            match member.rank() {
                _ if !there_and_back => {}
                0 => receive(1),
                _ => send(0),
            }
        }
        // The last one has arrived.
        member.barrier().unwrap();
        begun.elapsed().as_secs_f64() * 1e6 / messages as f64
    };
    run(2);
    let micros = run(messages);
    assert!(bytes(&data).iter().all(|byte| *byte == 0), "rank 0's bytes have arrived");
    if there_and_back { micros / 2.0 } else { micros }
}

#[test]
fn messages_over_loopback_arrive() {
    let process = process();
    let is_timed = process.is_some();
    let fixture = process.unwrap_or_else(|| tcp(2));
    fixture.run(|member| {
        for len in LENGTHS.iter().filter(|len| is_timed || **len <= 1 << 20) {
            let messages = if is_timed { (TOTAL / len).min(5000) } else { 3 };
            for (name, there_and_back) in [("stream", false), ("ping_pong", true)] {
                let micros = measure(member, *len, messages, there_and_back);
                if member.rank() == 0 {
                    println!("time {name} {len} {micros:.2}");
                }
            }
        }
    });
    fixture.shutdown();
}
