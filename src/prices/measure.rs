//! Measures all planes that processes started like this one have, and the work of their devices,
//! and writes the price table.

use super::planes::{of_cpus, of_gpus, of_processes, on_loopback};
use super::work::{Outcome, of_work};
use crate::config::{Config, Devices, Transport};
use crate::startup::{InitError, InitFailure, open_gpus};
use phalanx_array::io::{IoError, write_atomically};
use phalanx_collectives::{
    CollectiveError, LOCAL_GPUS_PRICE, MPI_PRICE, NCCL_PRICE, Price, Prices, host_name,
};
use phalanx_graph::call_site;
use phalanx_scheduler::RunError;
use std::io::Write;
use std::path::PathBuf;

/// The result of `phalanx info --measure` on process 0; empty on the others.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Each plane, and its price or why it has none.
    pub planes: Vec<(&'static str, Outcome)>,
    /// Each kind of work on each kind of device, and its price or why it has none.
    pub work: Vec<(String, Outcome)>,
    /// On process 0: the path of the written table, or why it was not written. `None` if there is
    /// neither a cache folder nor a file that a variable names.
    pub file: Option<Result<PathBuf, IoError>>,
}

/// Measures the planes that processes started like this one have and the work of their devices,
/// and writes the table.
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
        note(LOCAL_GPUS_PRICE, of_gpus(&devices));
    }
    let has_gpu = !devices.is_empty();
    // A world with one device for each process. Messages travel between the first and the last.
    let all = config;
    let config = Config { devices: Devices::Cpu(1), prices: None, ..config.clone() };
    let mut hosts = vec![host_name()];
    if config.size() == 1 {
        note("tcp", on_loopback());
    } else {
        let found = of_processes(&config, Transport::Tcp, devices.first())?;
        note("tcp", found.on_hosts);
        found.on_gpus.into_iter().for_each(|price| note(NCCL_PRICE, price));
        hosts.extend(found.hosts);
        if config.is_launched_by_mpi(config.rank(), config.size()) {
            let found = of_processes(&config, Transport::Mpi, devices.first())?;
            note("mpi", found.on_hosts);
            found.on_gpus.into_iter().for_each(|price| note(MPI_PRICE, price));
        }
    }
    if config.rank() != 0 {
        return Ok(Measured { planes: Vec::new(), work: Vec::new(), file: None });
    }
    drop(devices);
    // The other processes have ended, or wait.
    let mut work = of_work(all, false);
    if has_gpu {
        work.extend(of_work(all, true));
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
    for (name, outcome) in &work {
        if let Ok(price) = outcome {
            prices.set(name, *price);
        }
    }
    let file = config.prices_file.map(|file| {
        // If this fails, the write fails too and returns the error.
        let _ = file.parent().map(std::fs::create_dir_all);
        write_atomically(&file, |writer| write!(writer, "{prices}")).map(|()| file)
    });
    Ok(Measured { planes, work, file })
}
