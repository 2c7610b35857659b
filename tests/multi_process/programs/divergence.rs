//! Programs in which a rank acts differently from the others.

use super::turns::Turns;
use super::{Outcome, SPLIT_FROM, moment};
use phalanx::Session;
use phalanx::host_kernels::host_kernel;
use phalanx::launches::{LaunchArgument, LaunchSize};
use phalanx::prelude::*;
use std::time::Duration;

fn wait(milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

/// `if rank == 0 { println!("{a}") }`
pub fn print_on_one(kind: &str) -> Outcome {
    let array = match kind {
        "split" => arange(0, SPLIT_FROM, 1),
        _ => arange(0, 100, 1).sum(()),
    };
    if ["evaluated", "split"].contains(&kind) {
        array.evaluate()?;
    }
    // The rank that is second has the second ticket.
    let is_late = (phalanx::rank() == 0) == (kind == "late");
    if is_late {
        wait(300);
    }
    moment("differs");
    if phalanx::rank() == 0 {
        println!("value {array}");
    }
    Ok(())
}

/// Rank 1 observes another value than the others.
pub fn observe_differently(work: &str) -> Outcome {
    let length = if work == "split" { SPLIT_FROM } else { 10 };
    let array = arange(0, length, 1);
    if phalanx::rank() == 1 {
        wait(200);
        moment("differs");
        println!("largest {}", array.max(()).item::<i64>()?);
    } else {
        moment("differs");
        println!("sum {}", array.sum(()).item::<i64>()?);
    }
    Ok(())
}

/// Every rank adds another number, and all sum the values that no rank has requested.
pub fn add_differently() -> Outcome {
    let array = arange(0, SPLIT_FROM, 1) + phalanx::rank() as i64;
    moment("differs");
    println!("sum {}", array.sum(()).item::<i64>()?);
    Ok(())
}

/// Rank 1 differs from the others: another operation, one of another shape or dtype, or another
/// kernel of the program's own.
pub fn work_differently(kind: &str) -> Outcome {
    let is_other = phalanx::rank() == 1;
    let length = if is_other && kind == "shape" { SPLIT_FROM + 1 } else { SPLIT_FROM };
    let dtype = if is_other && kind == "dtype" { DType::F32 } else { DType::F64 };
    let array = arange(0, length, 1).astype(dtype);
    if kind == "kernel" {
        let name = if is_other { "subtract" } else { "add" };
        let size = LaunchSize { blocks: [1; 3], threads: [1; 3], shared: 0 };
        host_kernel(name, |_| ()).launch(size, &[LaunchArgument::Array(array.clone())])?;
    }
    let total = if is_other && kind == "operation" { array.max(()) } else { array.sum(()) };
    moment("differs");
    println!("total {total}");
    Ok(())
}

/// Rank 1 observes another value of a window that is the same on all ranks: `b`, a `view` of it,
/// or `all`; or, in another line, `a` as well.
pub fn observe_one_of_two(work: &str, kind: &str) -> Outcome {
    let start = arange(0, if work == "split" { SPLIT_FROM } else { 10 }, 1);
    let (a, b) = (&start + 1, &start * 2);
    if phalanx::rank() == 1 {
        match kind {
            "a" => a.evaluate()?,
            "b" => b.evaluate()?,
            "view" => drop(b.slice(s![1..]).to_host()?),
            _ => phalanx::flush()?,
        }
    } else {
        a.evaluate()?;
    }
    println!("sum {}", (a + b).sum(()).item::<i64>()?);
    Ok(())
}

/// Rank 1 defers errors, the others wait at the call to see whether there is one.
pub fn defer_on_one() -> Outcome {
    let base = arange(0, SPLIT_FROM, 1);
    // Nothing is known of these before they are computed.
    let exponents = from_slice(&[2.0; SPLIT_FROM], [SPLIT_FROM]).astype(DType::I64);
    let power = || base.power(&exponents);
    let powers = if phalanx::rank() == 1 { phalanx::deferred_errors(power) } else { power() };
    powers.evaluate()?;
    Ok(())
}

/// Rank 0 agrees on an outcome, the others observe a value.
pub fn agree_on_one() -> Outcome {
    if phalanx::rank() == 0 {
        moment("differs");
        phalanx::agree(Ok(()))?;
    } else {
        wait(200);
        moment("differs");
        println!("sum {}", arange(0, SPLIT_FROM, 1).sum(()).item::<i64>()?);
    }
    Ok(())
}

/// Every rank gives the same data, or rank 1 other data: all of it or one element, which are used
/// in operations, only read, or not used at all.
pub fn give_data(kind: &str) -> Outcome {
    let is_other = phalanx::rank() == 1 && kind != "same";
    let length = if matches!(kind, "split" | "one") { 300_000 } else { 10 };
    let mut numbers: Vec<i64> = (0..length).collect();
    match kind {
        "one" if is_other => numbers[0] = 1,
        _ if is_other => numbers.iter_mut().for_each(|number| *number += 1),
        _ => {}
    }
    let before = from_slice(&[1, 2, 3, 4], [2, 2]);
    let given = from_slice(&numbers[..], [numbers.len()]);
    moment("differs");
    match kind {
        "unused" => {}
        "read" => println!("first {}", given.to_vec::<i64>()?[0]),
        _ => {
            println!("sum {}", (before.max(()) + given.sum(())).item::<i64>()?);
            // Known by now.
            println!("sum {}", (before.max(()) + given.sum(())).item::<i64>()?);
        }
    }
    Ok(())
}

/// Rank 0 prints a value that the others evaluate.
pub fn print_or_evaluate() -> Outcome {
    let array = arange(0, 10, 1);
    moment("differs");
    if phalanx::rank() == 0 {
        println!("value {array}");
    } else {
        array.evaluate()?;
    }
    println!("sum {}", array.sum(()).item::<i64>()?);
    Ok(())
}

/// Rank 1 dies while the others are idle; these then end without a check of the outcome.
pub fn die_unnoticed(session: Session) -> Outcome {
    phalanx::agree(Ok(()))?;
    if phalanx::rank() == 1 {
        std::process::exit(3);
    }
    wait(5000);
    drop(session);
    Ok(())
}

/// Rank 1 leaves a loop one iteration before the others.
pub fn leave_loop_early(work: &str) -> Outcome {
    let turns = Turns::new(work);
    let count = if phalanx::rank() == 1 { 9 } else { 10 };
    for turn in 0..count {
        if turn == 9 {
            moment("differs");
        }
        turns.turn()?;
    }
    if count == 9 {
        wait(200);
        moment("differs");
    }
    println!("sum {}", turns.sum()?);
    Ok(())
}

/// Rank 1 ends in the middle of a loop.
pub fn end_on_one(ending: &str, work: &str) -> Outcome {
    let turns = Turns::new(work);
    for turn in 0..400 {
        if turn == 20 && phalanx::rank() == 1 {
            match ending {
                "exit" => std::process::exit(3),
                "panic" => panic!("as the test asks"),
                _ => return Err("a failure of this rank alone".into()),
            }
        }
        turns.turn()?;
        wait(2);
    }
    Ok(())
}
