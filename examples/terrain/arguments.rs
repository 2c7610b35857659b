//! The command line of the terrain program.

use clap::Parser;
use clap::error::ErrorKind;
use std::path::PathBuf;

/// Slope, aspect, curvature, hillshade, statistics and smoothing of a grid of heights
#[derive(Clone, Debug, Parser)]
#[command(name = "phalanx demo")]
pub struct Arguments {
    /// A .npy, .npz (its array `elevation`, else its first) or .png file, the first row in the
    /// north [default: the height model that `phalanx demo --fetch` of the Python package, or
    /// `cargo xtask setup` in a checkout, fetches]
    pub input: Option<PathBuf>,
    /// Width and height of a cell, in the unit of the heights [default: 1,1, or what an .npz file
    /// says by `dx`, `dy` and `ymin` in degrees, heights in metres]
    #[arg(long, value_name = "X,Y", value_parser = cell)]
    pub cell: Option<Cell>,
    /// Repeat the input so many times along both axes
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive)]
    pub scale: usize,
    /// Steps of diffusion
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub steps: usize,
    /// The folder for the results
    #[arg(long, value_name = "DIR", default_value = "phalanx-demo")]
    pub output: PathBuf,
    /// Devices of each process: cpu or cpu:N [default: PHALANX_DEVICES]
    #[arg(long, value_name = "DEVICES", value_parser = devices)]
    pub devices: Option<usize>,
    /// Print the plan of one diffusion step
    #[arg(long)]
    pub explain: bool,
    /// Print the numbers as one JSON document instead of the report
    #[arg(long)]
    pub json: bool,
    /// Print neither report nor progress
    #[arg(long)]
    pub quiet: bool,
}

/// The size of a cell, in the unit of the heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// From west to east.
    pub x: f64,
    /// From north to south.
    pub y: f64,
}

/// The request of a command line.
pub enum Request {
    /// Run the program.
    Run(Arguments),
    /// Print a text and end.
    Help(String),
}

impl Arguments {
    /// Parses the words after the program's name.
    pub fn parse(words: &[String]) -> Result<Request, clap::Error> {
        let program = std::iter::once("phalanx demo");
        let words = program.chain(words.iter().map(String::as_str));
        match Arguments::try_parse_from(words) {
            Ok(arguments) => Ok(Request::Run(arguments)),
            Err(error) if error.kind() == ErrorKind::DisplayHelp => {
                Ok(Request::Help(error.to_string()))
            }
            Err(error) => Err(error),
        }
    }
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err("a whole number from 1 is needed".to_owned()),
    }
}

fn devices(text: &str) -> Result<usize, String> {
    let number = if text == "cpu" { Some("1") } else { text.strip_prefix("cpu:") };
    number.and_then(|number| positive(number).ok()).ok_or_else(|| "cpu or cpu:N is needed".into())
}

fn cell(text: &str) -> Result<Cell, String> {
    let length = |text: &str| {
        let length = text.trim().parse::<f64>().ok();
        length.filter(|length| length.is_finite() && *length > 0.0)
    };
    let lengths = match text.split_once(',') {
        Some((x, y)) => length(x).zip(length(y)),
        None => length(text).map(|side| (side, side)),
    };
    let (x, y) = lengths.ok_or("two positive numbers are needed, such as 30,30")?;
    Ok(Cell { x, y })
}
