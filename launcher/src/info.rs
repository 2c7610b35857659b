//! `phalanx info`: shows what a session started here would use.

use crate::error::{LauncherError, Need};
use phalanx::config::{Transport, mpi_gpus, mpi_library, variables_in_effect};
use phalanx::environment::Group;
use phalanx::prices::{Measured, Outcome, Price, measure};
use phalanx::{Config, InstructionLevel, ProcessFacts, Session};
use std::fmt::Write as _;
use std::io::Write as _;
use std::num::NonZero;

/// Measures what messages cost, prints the prices and writes the price table. Collective over the
/// processes that are started like this one.
pub fn print_prices() -> Result<(), LauncherError> {
    let measured = measure(&Config::to_measure()?).map_err(Box::new)?;
    write(&prices(&measured))?;
    measured.file.transpose().map(drop).map_err(LauncherError::Table)
}

/// Prints the page. A wrong variable is an error, as it is for a session.
///
/// With several processes, the first prints its page, and the results of all after they have met.
/// Collective over them.
pub fn print() -> Result<(), LauncherError> {
    let config = Config::from_env()?;
    let (rank, size) = (config.rank(), config.size());
    let own = page(&config);
    if rank == 0 {
        write(&own)?;
    }
    if size == 1 {
        return Ok(());
    }
    match phalanx::init(config) {
        Ok(session) => {
            if rank == 0 {
                write(&meeting(&session))?;
            }
            Ok(session.finish().map_err(Box::new)?)
        }
        Err(error) => {
            // The page of this process may show the cause.
            if rank != 0 {
                write(&own)?;
            }
            Err(Box::new(error).into())
        }
    }
}

fn write(text: &str) -> Result<(), LauncherError> {
    let mut output = std::io::stdout();
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    written.map_err(|source| LauncherError::Preparation { need: Need::Output, source })
}

/// The page of processes that have met.
fn meeting(session: &Session) -> String {
    let processes = session.processes();
    let mut text = format!("\nThe processes. Facts collected when all {} met.\n", processes.len());
    let (transport, reason) = session.transport();
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    let _ = writeln!(text, "  messages    {transport}{reason}");
    let _ = writeln!(text, "  BLAS        {}", session.blas());
    if let Some(path) = session.gpu_path() {
        let _ = writeln!(text, "  GPUs        {path}");
    }
    // Neighbours on a host share one line.
    let mut first = 0;
    for alike in processes.chunk_by(PartialEq::eq) {
        let last = first + alike.len() - 1;
        let (ranks, each) = if first == last {
            (format!("rank {first}"), "")
        } else {
            (format!("ranks {first} to {last}"), " each")
        };
        let ProcessFacts { host, devices } = &alike[0];
        let plural = if *devices == 1 { "" } else { "s" };
        let _ = writeln!(text, "  {ranks:<11} on {host} with {devices} device{plural}{each}");
        first = last + 1;
    }
    text
}

/// The measured prices, which process 0 knows.
fn prices(measured: &Measured) -> String {
    let mut page = String::new();
    let planes = measured.planes.iter().map(|(plane, outcome)| (*plane, outcome));
    let work = measured.work.iter().map(|(name, outcome)| (name.as_str(), outcome));
    if measured.file.is_some() || !measured.planes.is_empty() {
        price_table(&mut page, ("messages", 11, "GB/s"), planes);
    }
    if !measured.work.is_empty() {
        page.push('\n');
        price_table(&mut page, ("work", 24, "G/s"), work);
    }
    if let Some(Ok(file)) = &measured.file {
        let _ = writeln!(page, "written to {}", file.display());
    }
    page
}

/// A table of prices: its head, the width of names, and the unit of rates.
fn price_table<'a>(
    page: &mut String,
    (head, width, unit): (&str, usize, &str),
    rows: impl Iterator<Item = (&'a str, &'a Outcome)>,
) {
    let _ = writeln!(page, "{head:<width$}{:>15}{:>18}", "short", "long");
    for (name, outcome) in rows {
        let _ = match outcome {
            Ok(Price { latency, rate }) => {
                let (micros, giga) = (latency * 1e6, rate / 1e9);
                writeln!(page, "{name:<width$}{micros:>12.2} µs{giga:>13.2} {unit}")
            }
            Err(reason) => writeln!(page, "{name:<width$}not measured: {reason}"),
        };
    }
}

fn page(config: &Config) -> String {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let memory_limit = match config.memory_limit {
        Some(limit) => format!("{limit} a device"),
        None => "none".to_owned(),
    };
    let mut page = format!("phalanx {}\n\n", env!("CARGO_PKG_VERSION"));
    let facts = [
        ("devices", config.devices.to_string()),
        ("process", format!("rank {} of {}", config.rank(), config.size())),
        ("cores", cores.to_string()),
        ("threads", config.threads.to_string()),
        ("instructions", instructions(config)),
        ("memory limit", memory_limit),
    ];
    for (name, fact) in facts {
        let _ = writeln!(page, "{name:<14}{fact}");
    }
    let _ = writeln!(page, "{:<14}{}", "transport", transport(config));
    let file = config.prices_file.as_ref().map_or_else(String::new, |it| it.display().to_string());
    let prices = match &config.prices {
        Some(_) => file,
        None => format!("none: `phalanx info --measure` writes {file}"),
    };
    let _ = writeln!(page, "{:<14}{prices}", "prices");
    let _ = writeln!(page, "{:<14}{}", "MPI", mpi_library(&config.mpi));
    let _ = writeln!(page, "{:<14}{}", "GPUs by MPI", mpi_gpus(&config.mpi));
    let detected = phalanx::blas(config).into_iter().chain(phalanx::start_up(config));
    for (name, line) in detected.chain(phalanx::gpus(&config.cuda)) {
        let _ = writeln!(page, "{name:<14}{line}");
    }
    for group in Group::ALL {
        let _ = writeln!(page, "\n{}. {}", group.title(), group.about());
        for (variable, value) in variables_in_effect() {
            if variable.group != group {
                continue;
            }
            let value = match value {
                Some(value) => format!("= {}", value.display()),
                None => format!("({})", variable.default),
            };
            let _ = writeln!(page, "  {:<25} {value}", variable.name);
            let _ = writeln!(page, "      {}", variable.doc);
            let _ = writeln!(page, "      takes {}", variable.allowed);
        }
    }
    page
}

/// The carrier of messages between processes that are started like this one.
fn transport(config: &Config) -> &'static str {
    match config.transport {
        _ if config.size() == 1 => "none: one process",
        Transport::Tcp => "tcp: PHALANX_TRANSPORT",
        Transport::Mpi => "mpi: PHALANX_TRANSPORT",
        Transport::Auto if config.is_launched_by_mpi(config.rank(), config.size()) => {
            "mpi if all processes can use its library, else tcp"
        }
        Transport::Auto => "tcp: no MPI launcher started this process",
    }
}

/// The architecture with its extensions, and what the project's own loops use of them.
fn instructions(config: &Config) -> String {
    let level = config.instructions.unwrap_or_else(InstructionLevel::best);
    format!("{}; loops use {}", instruction_set(), level.name())
}

/// The architecture and its extensions on this machine that matter to numerical loops.
fn instruction_set() -> String {
    let mut extensions: Vec<&str> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        let present = [
            ("sse4.2", std::is_x86_feature_detected!("sse4.2")),
            ("avx", std::is_x86_feature_detected!("avx")),
            ("avx2", std::is_x86_feature_detected!("avx2")),
            ("fma", std::is_x86_feature_detected!("fma")),
            ("avx512f", std::is_x86_feature_detected!("avx512f")),
            ("avx512dq", std::is_x86_feature_detected!("avx512dq")),
        ];
        extensions.extend(present.iter().filter(|one| one.1).map(|one| one.0));
    }
    #[cfg(target_arch = "aarch64")]
    {
        let present = [
            ("neon", std::arch::is_aarch64_feature_detected!("neon")),
            ("sve", std::arch::is_aarch64_feature_detected!("sve")),
        ];
        extensions.extend(present.iter().filter(|one| one.1).map(|one| one.0));
    }
    if extensions.is_empty() {
        std::env::consts::ARCH.to_owned()
    } else {
        format!("{} ({})", std::env::consts::ARCH, extensions.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx::environment::VARIABLES;

    #[test]
    fn the_page_lists_every_variable() {
        let page = page(&Config::default().devices(3).memory_limit(1 << 20));
        for variable in VARIABLES {
            assert!(page.contains(variable.name), "{}", variable.name);
        }
        assert!(page.contains("devices       cpu:3"));
        assert!(page.contains("memory limit  1048576 bytes a device"));
        assert!(page.contains("NVRTC"));
        assert!(page.contains("\nGPUs by MPI   "), "{page}");
    }
}
