//! The report: one page of text.

use super::output::Files;
use super::results::{Document, Slope, Smoothed, Steep, Summit, Tiles};
use std::fmt::Write;
use std::time::Duration;

/// The times of the parts.
pub struct Times {
    /// All parts except the smoothing.
    pub derived: Duration,
    /// The smoothing.
    pub smoothed: Duration,
}

/// The content of a report besides the numbers.
pub struct Circumstances<'a> {
    /// The path of the input.
    pub source: &'a str,
    /// The devices.
    pub mesh: &'a str,
    /// The times of the parts.
    pub times: &'a Times,
    /// The files of the results.
    pub files: &'a Files,
}

/// The report of the numbers.
pub fn report(document: &Document, circumstances: &Circumstances<'_>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_report(&mut text, document, circumstances);
    text
}

fn write_report(
    text: &mut String,
    document: &Document,
    circumstances: &Circumstances<'_>,
) -> std::fmt::Result {
    let Circumstances { source, mesh, times, files } = circumstances;
    let Document { shape, cell, height, histogram, .. } = document;
    writeln!(text, "TERRAIN\n")?;
    writeln!(text, "input        {source}")?;
    let (rows, columns) = (shape[0], shape[1]);
    writeln!(text, "grid         {rows} x {columns} cells of {:.2} x {:.2}", cell[0], cell[1])?;
    writeln!(text, "devices      {mesh}, {} process(es)\n", phalanx::size())?;

    let Summit { row, column } = document.summit;
    writeln!(text, "height       {:.1} to {:.1}", height.minimum, height.maximum)?;
    writeln!(text, "summit       row {row}, column {column}")?;
    let deviation = height.standard_deviation;
    writeln!(text, "mean         {:.2}, standard deviation {deviation:.2}", height.mean)?;
    let percentiles = height.percentiles.iter();
    let percentiles = percentiles.map(|[rank, value]| format!("{rank}% {value:.1}"));
    writeln!(text, "percentiles  {}\n", percentiles.collect::<Vec<_>>().join("   "))?;

    writeln!(text, "cells by height")?;
    let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1);
    for (count, edges) in histogram.counts.iter().zip(histogram.edges.windows(2)) {
        let bar = "#".repeat((count * 40 / most) as usize);
        let line = format!("{:>9.1} to {:>9.1} {count:>10}  {bar}", edges[0], edges[1]);
        writeln!(text, "{}", line.trim_end())?;
    }

    let Steep { degrees, cells, mean_height } = document.steep;
    writeln!(text)?;
    let Slope { mean, maximum } = document.slope;
    writeln!(text, "slope        mean {mean:.2} degrees, greatest {maximum:.2}")?;
    write!(text, "steep        {cells} cells steeper than {degrees} degrees")?;
    match mean_height {
        Some(mean) => writeln!(text, ", at {mean:.1} on average")?,
        None => writeln!(text)?,
    }
    writeln!(text, "flat         {} cells", document.flat_cells)?;
    let Tiles { side, shape, lowest_mean, highest_mean, largest_variance } = &document.tiles;
    writeln!(text, "tiles        {} x {} of {side} x {side} cells", shape[0], shape[1])?;
    write!(text, "             mean height {lowest_mean:.1} to {highest_mean:.1}")?;
    writeln!(text, ", largest variance {largest_variance:.1}")?;
    let Smoothed { minimum, maximum, mean_change } = document.smoothed;
    writeln!(text, "smoothed     {} steps: {minimum:.1} to {maximum:.1}", document.steps)?;
    writeln!(text, "             changed by {mean_change:.2} on average\n")?;

    let seconds = times.smoothed.as_secs_f64();
    let updates = (rows * columns * document.steps) as f64 / seconds.max(1e-9) / 1e6;
    writeln!(text, "time         {:.3} s for relief and statistics", times.derived.as_secs_f64())?;
    writeln!(text, "             {seconds:.3} s for smoothing ({updates:.0} million cells/s)\n")?;
    writeln!(text, "hillshade    {}", files.hillshade.display())?;
    writeln!(text, "arrays       {}", files.arrays.display())?;
    writeln!(text, "report       {}", files.report.display())
}
