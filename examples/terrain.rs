//! Terrain analysis of a height model: what `phalanx demo` runs.
//!
//! From a grid of heights the program derives slope, aspect, curvature and a hillshade, computes
//! the histogram, percentiles and means of tiles, and smooths the grid by diffusion. All of it is
//! written as in NumPy, on whole arrays. No line depends on the number of devices or processes.
//! Only rank 0 prints and writes by itself. Every rank makes each call that reads a value
//! (`evaluate`, `item`, `to_vec`, `savez`).
//!
//! Run it with `cargo run --release --example terrain`; `docs/terrain.md` describes its output.

#[path = "terrain/arguments.rs"]
mod arguments;
#[path = "terrain/error.rs"]
mod error;
#[path = "terrain/input.rs"]
mod input;
#[path = "terrain/output.rs"]
mod output;
#[path = "terrain/progress.rs"]
mod progress;
#[path = "terrain/relief.rs"]
mod relief;
#[path = "terrain/report.rs"]
mod report;
#[path = "terrain/results.rs"]
mod results;

use phalanx::prelude::*;
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use arguments::{Arguments, Request};
use output::Folder;
use report::{Circumstances, Times};
use results::{Measurements, Results};

pub use error::{describe, exit_code};

/// The entry point of the example; the launcher calls `run` itself.
#[allow(dead_code, reason = "not called where the launcher includes this file")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", describe(error.as_ref()));
            ExitCode::from(exit_code(error.as_ref()))
        }
    }
}

/// Runs the program with the given arguments, those after the program's name.
///
/// Collectivity  Collective: every process of the world calls it with the same arguments.
pub fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let mut config = Config::from_env()?;
    let arguments = match Arguments::parse(arguments)? {
        Request::Run(arguments) => arguments,
        Request::Help(text) => {
            return if config.rank() == 0 { Ok(output::print(&text)?) } else { Ok(()) };
        }
    };
    if let Some(devices) = arguments.devices {
        config = config.devices(devices);
    }
    let data = config.data.clone();
    let session = phalanx::init(config)?;
    let leader = phalanx::rank() == 0;

    // The folder is checked first, so that a run does not fail after its work.
    agree(if leader { Folder::check(&arguments.output) } else { Ok(()) })?;
    let input = input::load(&arguments, &data)?;

    let start = Instant::now();
    let relief = relief::relief(&input.height, input.cell);
    let measurements = Measurements::record(&input.height, &relief);
    measurements.evaluate()?;
    let derived = start.elapsed();

    let start = Instant::now();
    let (smoothed, plan) = smooth(&input.height, &arguments, leader)?;
    let times = Times { derived, smoothed: start.elapsed() };

    let results = Results::collect(&input, &arguments, relief, measurements, smoothed)?;
    let files = output::Files::new(&arguments.output);
    let image = results.hillshade.to_vec::<u8>()?;
    let _folder = agree(if leader { Folder::make(&arguments.output).map(Some) } else { Ok(None) })?;
    phalanx::io::savez(&files.arrays, &results.named())?;
    let mesh = session.mesh().to_string();
    let circumstances =
        Circumstances { source: &input.source, mesh: &mesh, times: &times, files: &files };
    let text = report::report(&results.document, &circumstances);
    agree(if leader {
        output::write_image(&files.hillshade, &image, results.hillshade.shape())
            .and_then(|()| output::write_text(&files.report, &text))
    } else {
        Ok(())
    })?;

    agree(if leader { tell(&arguments, &results, plan.as_deref(), &text) } else { Ok(()) })?;
    session.finish()?;
    Ok(())
}

/// Prints the output that the arguments request.
fn tell(
    arguments: &Arguments,
    results: &Results,
    plan: Option<&str>,
    report: &str,
) -> Result<(), Box<dyn Error>> {
    if arguments.json {
        output::print(&results.document.json(plan)?)?;
        return Ok(());
    }
    if let Some(plan) = plan {
        output::print(&format!("The plan of one diffusion step:\n\n{}\n\n", plan.trim_end()))?;
    }
    if !arguments.quiet {
        output::print(report)?;
    }
    Ok(())
}

/// The heights after `--steps` steps of diffusion, and with `--explain` the plan of one step.
///
/// The border keeps its height. A step adds `flow` times the discrete Laplacian, which is stable up
/// to a flow of a quarter.
fn smooth(
    height: &Array,
    arguments: &Arguments,
    leader: bool,
) -> Result<(Array, Option<String>), phalanx::Error> {
    // A larger number plans more steps ahead of the work; a smaller one updates the bar more often.
    const STEPS_PER_UPDATE: usize = 10;

    let smoothed = height.copy();
    smoothed.evaluate()?;
    let mut plan = None;
    let mut progress = progress::Progress::new(arguments.steps, leader && !arguments.quiet);
    for step in 1..=arguments.steps {
        relief::diffuse(&smoothed, 0.2);
        if step == 1 && arguments.explain {
            plan = Some(smoothed.explain()?);
        }
        if step % STEPS_PER_UPDATE == 0 || step == arguments.steps {
            smoothed.evaluate()?;
            progress.reached(step);
        }
    }
    Ok((smoothed, plan))
}

/// Shares the `outcome` of each rank: an error of any rank is an error of all ranks.
///
/// The rank that failed keeps its error; the others get one that repeats its message.
///
/// Collectivity  Collective.
fn agree<T, E: Into<Box<dyn Error>>>(outcome: Result<T, E>) -> Result<T, Box<dyn Error>> {
    let outcome = outcome.map_err(Into::into);
    let agreed = phalanx::agree(match &outcome {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    });
    let value = outcome?;
    agreed?;
    Ok(value)
}
