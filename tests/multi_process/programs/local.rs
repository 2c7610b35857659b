//! Programs in which one rank acts alone, and the effect on all.

use super::{Outcome, SPLIT_FROM, planned_collectives};
use phalanx::prelude::*;
use phalanx::{Index, Session};

fn reversed() -> Index {
    Index::Range { start: None, stop: None, step: -1 }
}

/// Reads evaluated replicated values on rank 0 alone.
pub fn read_on_one() -> Outcome {
    let elements = arange(0, 10, 1);
    let number = elements.sum(());
    elements.evaluate()?;
    number.evaluate()?;
    if phalanx::rank() == 0 {
        println!("number {}", number.item::<i64>()?);
        println!("as float {:?}", number.item::<f64>()?);
        println!("elements {elements}");
        println!(
            "view {}",
            elements.slice(s![2..]).slice(s![reversed()]).slice(s![1..]).slice(s![every(2)])
        );
        let reshaped = elements.reshape([5, 2]).t();
        println!("reshaped {}", reshaped.to_string().replace("\n", ""));
        println!("as bytes {:?}", elements.slice(s![..3]).to_vec::<u8>()?);
        println!("debug {elements:?}");
    }
    // Printed by all, shown by one.
    phalanx::print(&arange(0, SPLIT_FROM, 1).slice(s![..3]))?;
    println!("sum {}", arange(0, SPLIT_FROM, 1).sum(()).item::<i64>()?);
    Ok(())
}

/// Every so many elements.
fn every(step: i64) -> Index {
    Index::Range { start: None, stop: None, step }
}

/// Computes one expression between two lines on standard error.
pub fn expression() -> Outcome {
    let (a, b) = (arange(0, SPLIT_FROM, 1) * 0.5, arange(0, SPLIT_FROM, 1) * 2.0);
    a.evaluate()?;
    b.evaluate()?;
    eprintln!("begin");
    let sum = (a.sin() + b).sum(()).item::<f64>()?;
    eprintln!("end");
    println!("sum {sum}");
    Ok(())
}

/// Shows plan and sharding of pending values on rank 0 alone.
pub fn explain_on_one() -> Outcome {
    let array = arange(0, SPLIT_FROM, 1).astype(DType::F64);
    let sum = (&array * 2.0).sum(());
    if phalanx::rank() == 0 {
        println!("{}", sum.explain()?);
        println!("sharding {}", array.sharding()?);
        println!("sharding {}", array.slice(s![1..]).sharding()?);
    }
    println!("sum {}", sum.item::<f64>()?);
    if phalanx::rank() == 0 {
        println!("sharding {}", array.sharding()?);
        println!("{}", array.explain()?);
    }
    println!("sum {}", array.sum(()).item::<f64>()?);
    Ok(())
}

/// Rank 1 works on the mesh of its own devices, then all work together.
pub fn work_alone(session: &Session) -> Outcome {
    if phalanx::rank() == 1 {
        let own = session.local()?;
        let sum = own.enter(|| arange(0, 1000, 1).sum(()));
        println!("own {}", sum.item::<i64>()?);
        println!("local {}", own.enter(|| arange(0, SPLIT_FROM, 1).max(()).item::<i64>())?);
        // The mesh of the array determines the writing rank, outside of the scope too.
        let path = std::env::temp_dir().join(format!("phalanx-own-{}.npy", std::process::id()));
        phalanx::io::save(&path, &sum)?;
        println!("saved {:?}", phalanx::io::read_npy(&path)?.bytes);
        std::fs::remove_file(&path)?;
    }
    println!("sum {}", arange(0, 10, 1).sum(()).item::<i64>()?);
    Ok(())
}

/// Joins the parts of the processes: device `d` of the world gives `d + 1` times its number.
pub fn join(session: &Session, kind: &str) -> Outcome {
    let here = session.local()?.mesh().devices();
    // Rank 1 of the test has two devices, the others one.
    let first = if phalanx::rank() == 2 { 3 } else { phalanx::rank() };
    let shard =
        |device: usize| HostArray::from_slice(&vec![device as i64; device + 1], &[device + 1]);
    let shards: Vec<HostArray> = (first..first + here).map(shard).collect();
    let axis = i64::from(kind == "other_axis" && phalanx::rank() == 0);
    let joined = Array::from_local(shards, axis);
    println!("joined {}", joined.copy());
    joined.ok()?;
    Ok(())
}

/// An action fails on rank 1.
pub fn agree() -> Outcome {
    let own = if phalanx::rank() == 1 {
        Err(String::from("the disk of this rank is full"))
    } else {
        Ok(())
    };
    match phalanx::agree(own) {
        Ok(()) => println!("agreed on nothing"),
        Err(error) => println!("agreed {error}"),
    }
    Ok(())
}

/// A program for a world of one process; prints its collectives and its sockets.
pub fn alone() -> Outcome {
    let array = from_function([64, 64], |at| (&at[0] - &at[1]).astype(DType::F64)) * 0.5;
    array.evaluate()?;
    let inner = array.slice(s![1..-1, ..]);
    inner.add_assign(&((array.slice(s![2.., ..]) - array.slice(s![..-2, ..])) * 0.25));
    let sum = array.slice(s![.., ..1]).mean(()) * 0.0 + 3.5;
    let mean = array.mean(0);
    for line in planned_collectives(&mean)? {
        println!("collective {line}");
    }
    println!("sum {}", sum.item::<f64>()?);
    phalanx::agree(Ok(()))?;
    for entry in std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten() {
        // The descriptor of the listing itself is closed already.
        if let Ok(target) = std::fs::read_link(entry.path())
            && target.to_string_lossy().starts_with("socket:")
        {
            println!("socket {}", target.display());
        }
    }
    Ok(())
}
