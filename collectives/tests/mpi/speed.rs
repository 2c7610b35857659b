//! Times of collectives by MPI, for `benches/collectives_mpi.py`. `COLLECTIVES_BYTES` is the length
//! of the longest data; without it the data is short.

use crate::fixture::{library, mpi, on_gpus, slice};
use phalanx_collectives::{CollectiveError, Communicator};
use phalanx_device::Slice;
use phalanx_ops::{DType, Monoid};
use std::time::Instant;

type Call = fn(&dyn Communicator, &Slice, &Slice) -> Result<(), CollectiveError>;

/// The calls of `benches/mpi_loops.c`, by the same names.
const CALLS: [(&str, Call); 8] = [
    ("ping_pong", |member, whole, other| {
        if member.rank() == 0 {
            member.send(whole, 1)?.wait()?;
            member.recv(other, 1)?.wait()?;
        } else if member.rank() == 1 {
            member.recv(other, 0)?.wait()?;
            member.send(whole, 0)?.wait()?;
        }
        Ok(())
    }),
    ("barrier", |member, _, _| member.barrier()),
    ("gather", |member, whole, other| {
        let part = other.slice(0, whole.len / member.size());
        Ok(member.gather(&part, Some(whole), 0)?.wait()?)
    }),
    ("all_reduce_i64", |member, whole, _| {
        Ok(member.all_reduce(whole, DType::I64, Monoid::Add)?.wait()?)
    }),
    ("all_reduce", |member, whole, _| {
        Ok(member.all_reduce(whole, DType::F32, Monoid::Add)?.wait()?)
    }),
    ("all_gather", |member, whole, other| {
        let part = other.slice(0, whole.len / member.size());
        Ok(member.all_gather(&part, whole)?.wait()?)
    }),
    ("all_to_all", |member, whole, other| Ok(member.all_to_all(whole, other)?.wait()?)),
    ("broadcast", |member, whole, _| Ok(member.broadcast(whole, 0)?.wait()?)),
];

#[test]
fn many_collectives_in_a_row_end() {
    let longest = std::env::var("COLLECTIVES_BYTES").ok().and_then(|bytes| bytes.parse().ok());
    // Few repetitions if no program reads the times.
    let most = if longest.is_some() { 10_000 } else { 400 };
    let longest: usize = longest.unwrap_or(1 << 10);
    // One member in each process, like the plain loops. `COLLECTIVES_GPUS` measures GPU data, with
    // one GPU for each process.
    let members = library().map_or(4, |mpi| mpi.size());
    let on_gpus = std::env::var_os("COLLECTIVES_GPUS").and_then(|_| on_gpus().first().copied());
    let fixture = on_gpus.map_or_else(|| mpi(members), |((_, plane), members)| plane(members));
    fixture.run(|member| {
        let (all, others) = (slice(&vec![0; longest]), slice(&vec![0; longest]));
        let mut len = 1 << 10;
        while len <= longest {
            let repeat = ((1 << 28) / len).clamp(20, most);
            let (whole, other) = (all.slice(0, len), others.slice(0, len));
            for (name, call) in CALLS {
                for _ in 0..5 {
                    call(member, &whole, &other).unwrap();
                }
                member.barrier().unwrap();
                let begun = Instant::now();
                for _ in 0..repeat {
                    call(member, &whole, &other).unwrap();
                }
                let micros = begun.elapsed().as_secs_f64() * 1e6 / repeat as f64;
                if member.rank() == 0 {
                    println!("time {name} {len} {} {micros:.2} ours", member.size());
                }
                member.barrier().unwrap();
            }
            len *= 8;
        }
    });
    fixture.shutdown();
}
