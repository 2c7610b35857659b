//! Programs in the plain style of NumPy on the CPU, each compared with NumPy on the same data.
//!
//! `cargo xtask bench cpu [--only NAME] [--peers numpy|none] [--json FILE]` prints one row per
//! case. Phalanx and NumPy run one after the other, after a warm-up; a time is the median of at
//! least five runs. The checksum of the whole result is compared with NumPy's, and the command
//! fails if they differ. Absolute times on one CPU do not predict those on another; report `ratio`,
//! NumPy's time divided by ours.
//!
//! *Limit* is the time to copy the bytes that must move (each input read once, each result written
//! once, for each step) at the bandwidth measured at the start. For a matrix product it is NumPy's
//! time, because NumPy calls the vendor's library. *Ranks* is the number of devices of the mesh,
//! which are all in this process and on the same threads.

mod cases;
mod inputs;
mod measure;
mod peer;
mod programs;
mod report;

use cases::{CASES, Case, Program};
use inputs::Precision;
use measure::Measured;
use peer::Peer;
use report::{Row, Rows};
use std::process::ExitCode;

/// The options of the command line.
struct Options {
    only: Option<String>,
    peer: Option<Peer>,
    json: Option<String>,
}

fn main() -> ExitCode {
    let outcome = options().and_then(|options| run(&options));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, String> {
    let mut options = Options { only: None, peer: None, json: None };
    let (mut peers, mut python) = (String::from("numpy"), None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        // Cargo passes `--bench` to benchmarks.
        if word == "--bench" {
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{word} has no value"))?;
        match word.as_str() {
            "--only" => options.only = Some(value),
            "--peers" => peers = value,
            "--python" => python = Some(value),
            "--json" => options.json = Some(value),
            _ => return Err(format!("{word} is no option")),
        }
    }
    options.peer = match peers.as_str() {
        "numpy" => Some(Peer::numpy(python)),
        "none" => None,
        _ => return Err(format!("no peer {peers}; there is numpy, or none")),
    };
    Ok(options)
}

fn run(options: &Options) -> Result<(), String> {
    let bandwidth = measure::copy_bandwidth();
    let mut rows = Rows::new(bandwidth);
    let mut differences = Vec::new();
    for (case, precision) in wanted(options.only.as_deref()) {
        let title = case.title(precision);
        let peer = options.peer.as_ref().map(|peer| peer.run(case, precision)).transpose()?;
        let mut alone = None;
        for &ranks in case.ranks {
            let own = measure::run(case, precision, ranks)?;
            if let Some(peer) = peer.as_ref().filter(|peer| !own.agrees(peer, case, precision)) {
                let (found, expected) = (own.checksum, peer.checksum);
                differences.push(format!("{title} on {ranks}: checksum {found}, NumPy {expected}"));
            }
            rows.add(Row::new(case, precision, ranks, &own, peer.as_ref(), bandwidth));
            match &alone {
                None => alone = Some(own.ms),
                Some(one) => rows.price_of_mesh(&title, ranks, own.ms / one),
            }
            if case.program == Program::Tiny {
                rows.price_of_operation(&title, own.ms);
            }
        }
    }
    if rows.is_empty() {
        return Err(format!("no case {}", options.only.as_deref().unwrap_or_default()));
    }
    if let Some(file) = &options.json {
        rows.write(file)?;
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n")) }
}

/// The cases whose title equals `--only` or begins with its words.
fn wanted(only: Option<&str>) -> impl Iterator<Item = (&'static Case, Precision)> {
    let all = CASES.iter().flat_map(|case| case.precisions.iter().map(move |of| (case, *of)));
    all.filter(move |(case, precision)| {
        let title = case.title(*precision);
        only.is_none_or(|only| title == only || title.starts_with(&format!("{only} ")))
    })
}

impl Measured {
    /// Whether the results have the same checksum up to rounding.
    fn agrees(&self, peer: &Measured, case: &Case, precision: Precision) -> bool {
        let most = case.tolerance(precision) * peer.magnitude;
        (self.checksum - peer.checksum).abs() <= most
    }
}
