//! Programs that save and load together.

use super::Outcome;
use phalanx::io::{load, load_npz, read_npz_member, save, savez, write_npy, write_npz};
use phalanx::prelude::*;
use phalanx::{Bounds, Session, Sharding, Split, array_equal};
use std::error::Error;
use std::fs;
use std::path::Path;

/// Arrays split unevenly over at least three devices, and arrays that are not split.
fn arrays(devices: usize) -> Vec<(&'static str, Array)> {
    let rows = arange(0, 1001 * 7, 1).reshape([1001, 7]);
    let explicit = |shape: [usize; 2], axis: usize, sizes: &[usize]| {
        let mut sharding = Sharding::replicated(2);
        let mut sizes = sizes.to_vec();
        sizes.resize(devices, 0);
        let bounds = Bounds::explicit(&sizes);
        sharding.axes[axis] = Some(Split { mesh_axes: [0].into_iter().collect(), bounds });
        arange(0, (shape[0] * shape[1]) as i64, 1).reshape(shape).with_sharding(sharding)
    };
    vec![
        ("rows", rows.astype(DType::F64)),
        ("columns", arange(0, 5 * 5003, 1).reshape([5, 5003]).astype(DType::F32)),
        ("middle", arange(0, 3 * 50 * 11, 1).reshape([3, 50, 11]).astype(DType::I16)),
        ("turned", rows.t()),
        ("view", rows.slice(s![3..900, 2..5])),
        ("truth", arange(0, 5000, 1).greater(1234)),
        ("complex", phalanx::complex(rows.astype(DType::F64), &rows * 0.5)),
        ("with_none", explicit([40, 30], 0, &[0, 33, 7])),
        ("with_none_between", explicit([40, 30], 1, &[29, 0, 1])),
        ("small", arange(0, 12, 1).reshape([3, 4])),
        ("number", arange(0, 5000, 1).sum(())),
        ("empty", zeros([0, 3], DType::F32)),
        ("empty_columns", zeros([3000, 0], DType::F32)),
    ]
}

fn is_same(a: &Array, b: &Array) -> Result<bool, Box<dyn Error>> {
    Ok(a.dtype() == b.dtype()
        && a.shape() == b.shape()
        && array_equal(a, b, false).item::<bool>()?)
}

/// Saves all kinds of arrays and loads them again; rank 0 compares the files with those that one
/// process writes.
fn round(session: &Session, folder: &str) -> Outcome {
    let folder = Path::new(folder);
    let arrays = arrays(session.mesh().devices());
    let mut hosts = Vec::new();
    for (name, array) in &arrays {
        let path = folder.join(format!("{name}.npy"));
        save(&path, array)?;
        let back = load(&path)?;
        println!("loaded {name} {}", is_same(&back, array)?);
        hosts.push(array.to_host()?);
        if phalanx::rank() == 0 {
            let alone = folder.join("alone.npy");
            write_npy(&alone, &hosts[hosts.len() - 1])?;
            println!("written {name} {}", fs::read(&path)? == fs::read(&alone)?);
            fs::remove_file(alone)?;
        }
    }
    let path = folder.join("all.npz");
    let named: Vec<(&str, &Array)> = arrays.iter().map(|(name, array)| (*name, array)).collect();
    savez(&path, &named)?;
    for (name, array) in &arrays {
        println!("member {name} {}", is_same(&load_npz(&path, name)?, array)?);
    }
    if phalanx::rank() == 0 {
        let alone = folder.join("alone.npz");
        let named: Vec<(&str, &HostArray)> =
            arrays.iter().zip(&hosts).map(|((name, _), host)| (*name, host)).collect();
        write_npz(&alone, &named)?;
        println!("written archive {}", fs::read(&path)? == fs::read(&alone)?);
        fs::remove_file(alone)?;
    }
    Ok(())
}

/// Loads one array and compares it with that of `arange` in this shape.
fn load_arange(path: &str, shape: &str) -> Outcome {
    let shape: Vec<usize> = shape.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let before = bytes_read();
    let array = match path.ends_with(".npz") {
        true => load_npz(path, "a")?,
        false => load(path)?,
    };
    if let (Some(before), Some(after)) = (before, bytes_read()) {
        println!("bytes {}", after - before);
    }
    let size = shape.iter().product::<usize>() as i64;
    let expected = arange(0, size, 1).reshape(shape).astype(array.dtype());
    println!("sharding {}", array.sharding()?);
    println!("same {}", is_same(&array, &expected)?);
    Ok(())
}

/// Bytes that this process has read, if the system reports them.
fn bytes_read() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/io").ok()?;
    text.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok())
}

/// Loads a compressed array, which only rank 0 reads.
fn load_packed(session: &Session, path: &str, name: &str) -> Outcome {
    let array = load_npz(path, name)?;
    let host = read_npz_member(Path::new(path), name)?;
    println!("same {}", array.to_host()? == host);
    println!("sharding {}", array.sharding()?);
    println!("devices {}", session.mesh().devices());
    Ok(())
}

/// Saves an array of so many mebibytes in two ways; each rank reports the outcome.
fn save_much(folder: &str, mebibytes: &str) -> Outcome {
    let array = arange(0, mebibytes.parse::<i64>()? << 17, 1);
    let folder = Path::new(folder);
    for outcome in
        [save(folder.join("a.npy"), &array), savez(folder.join("a.npz"), &[("a", &array)])]
    {
        match outcome {
            Ok(()) => println!("outcome well"),
            Err(error) => println!("outcome {}", error.to_string().replace('\n', " ")),
        }
    }
    println!("sum {}", arange(0, 10, 1).sum(()).item::<i64>()?);
    Ok(())
}

/// Saves an array to a path that is no regular file.
fn save_to(path: &str) -> Outcome {
    match save(path, &arange(0, 5000, 1)) {
        Ok(()) => println!("outcome well"),
        Err(error) => println!("outcome {}", error.to_string().replace('\n', " ")),
    }
    Ok(())
}

/// Prints arrays too large to be shown whole, and reports the bytes that the printing moves.
fn print_large() -> Outcome {
    let matrix = arange(0, 1 << 20, 1).reshape([1 << 10, 1 << 10]);
    matrix.evaluate()?;
    println!("text {}", matrix.to_string().replace('\n', "|"));
    println!("pending {}", (&matrix.t() + 1).to_string().replace('\n', "|"));
    let long = arange(0, 1 << 20, 1);
    println!("long {long}");
    Ok(())
}

/// Runs the program of this kind.
pub fn run(session: &Session, words: &[&str]) -> Outcome {
    match words {
        ["round", folder] => round(session, folder),
        ["load", path, shape] => load_arange(path, shape),
        ["packed", path, name] => load_packed(session, path, name),
        ["save", folder, mebibytes] => save_much(folder, mebibytes),
        ["save_to", path] => save_to(path),
        ["print"] => print_large(),
        _ => panic!("no program of files {words:?}"),
    }
}
