//! Measures all planes that processes started like this one have, and writes the price table.

use super::planes::{of_cpus, of_gpus, of_processes, on_loopback};
use crate::config::{Config, Devices, Transport};
use crate::startup::{InitError, InitFailure, open_gpus};
use phalanx_array::io::{IoError, write_atomically};
use phalanx_collectives::{CollectiveError, Price, Prices, host_name};
use phalanx_graph::call_site;
use phalanx_scheduler::RunError;
use std::io::Write;
use std::path::PathBuf;

/// The result of measuring a plane: its price, or why it has none.
pub type Outcome = Result<Price, String>;

/// The result of `phalanx info --measure` on process 0; empty on the others.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Each plane, and its price or why it has none.
    pub planes: Vec<(&'static str, Outcome)>,
    /// On process 0: the path of the written table, or why it was not written. `None` if there is
    /// neither a cache folder nor a file that a variable names.
    pub file: Option<Result<PathBuf, IoError>>,
}

/// Measures the planes that processes started like this one have, and writes the table.
///
/// Collective over the processes of the launcher. Errors: those of the processes' meeting, and
/// `PX051` of GPUs. A plane that cannot be used is not an error.
#[track_caller]
pub fn measure(config: &Config) -> Result<Measured, InitError> {
    let site = call_site();
    measured(config).map_err(|failure| InitError::new(failure, site))
}

fn measured(config: &Config) -> Result<Measured, InitFailure> {
    let mut planes: Vec<(&'static str, Outcome)> = Vec::new();
    let mut note = |plane, outcome: Result<Option<Price>, CollectiveError>| match outcome {
        Ok(Some(price)) => planes.push((plane, Ok(price))),
        // Process 0 has the price.
        Ok(None) => {}
        Err(error) => planes.push((plane, Err(error.to_string()))),
    };
    note("local", of_cpus());
    let devices = open_gpus(config).map_err(RunError::from)?;
    if devices.len() > 1 {
        note("local-gpus", of_gpus(&devices));
    }
    // A world with one device for each process. Messages travel between the first and the last.
    let config = Config { devices: Devices::Cpu(1), prices: None, ..config.clone() };
    let mut hosts = vec![host_name()];
    if config.size() == 1 {
        note("tcp", on_loopback());
    } else {
        let found = of_processes(&config, Transport::Tcp, devices.first())?;
        note("tcp", found.on_hosts);
        found.on_gpus.into_iter().for_each(|price| note("nccl-gpus", price));
        hosts.extend(found.hosts);
        if config.is_launched_by_mpi(config.rank(), config.size()) {
            let found = of_processes(&config, Transport::Mpi, devices.first())?;
            note("mpi", found.on_hosts);
            found.on_gpus.into_iter().for_each(|price| note("mpi-gpus", price));
        }
    }
    if config.rank() != 0 {
        return Ok(Measured { planes: Vec::new(), file: None });
    }
    // Keep the results of an earlier run on the same hosts, which may have had more processes.
    let known = config.prices_file.as_deref().map(std::fs::read_to_string);
    let known = known.and_then(|text| text.ok()?.parse::<Prices>().ok());
    let known = known.filter(|known| known.are_of(hosts.iter().map(String::as_str)));
    let mut prices = known.unwrap_or_default();
    prices.set_hosts(hosts);
    for (plane, outcome) in &planes {
        if let Ok(price) = outcome {
            prices.set(plane, *price);
        }
    }
    let file = config.prices_file.map(|file| {
        // If this fails, the write fails too and returns the error.
        let _ = file.parent().map(std::fs::create_dir_all);
        write_atomically(&file, |writer| write!(writer, "{prices}")).map(|()| file)
    });
    Ok(Measured { planes, file })
}
