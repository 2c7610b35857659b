//! A description in words of how a GPU runs a launch.

use super::shape::{Geometry, Shape, has_ordered_tables};
use super::variant::{Chunks, Mode, THREADS, TILE};
use crate::ir::Kernel;
use std::fmt::Write;

/// How a GPU would run a launch: which threads compute which points, how many of them, and which
/// elements they load at once.
pub fn describe(kernel: &Kernel, launch: &Geometry<'_>) -> String {
    match Shape::new(kernel, launch) {
        _ if has_ordered_tables(kernel) => {
            String::from("positions and numbers of each point, summed in a fixed order")
        }
        None => String::from("nothing"),
        Some(shape) => in_words(&shape),
    }
}

fn in_words(shape: &Shape) -> String {
    let variant = &shape.variant;
    let mut text = match variant.mode {
        Mode::Columns { lanes, team: 1 } => format!("columns, {} a thread", elements(lanes)),
        Mode::Columns { lanes, team } => {
            format!("columns, {team} threads for every {}", elements(lanes))
        }
        Mode::Rows { lanes, team } => {
            let is_tall = variant.loop_lanes.iter().any(|lanes| lanes.tall);
            let tall = if is_tall { " or in successive rows" } else { "" };
            format!("rows, {team} threads for each, {} at a time{tall}", elements(lanes))
        }
        Mode::Strides { lanes, along } if along + 1 == shape.grid.len() => {
            format!("stretches, {} a thread, {THREADS} apart", elements(lanes))
        }
        Mode::Strides { lanes, .. } => format!("stretches, {} rows a thread", lanes),
        Mode::Tiles { mirrored, .. } => {
            let mirrored = if mirrored { " and their mirror images" } else { "" };
            format!("tiles of {TILE} x {TILE}{mirrored}, {} a thread", elements(variant.lanes()))
        }
    };
    let _ = match variant.chunks {
        Chunks::One => write!(text, "; {} x {THREADS} threads", shape.tiles()),
        Chunks::Last => write!(
            text,
            "; {} x {} x {THREADS} threads, the last block combines",
            shape.chunks,
            shape.tiles()
        ),
        Chunks::Together => write!(
            text,
            "; at most {} x {} x {THREADS} threads, which meet after each loop",
            shape.chunks,
            shape.tiles()
        ),
    };
    text.push_str(if variant.wide { "; 64-bit positions" } else { "; 32-bit positions" });
    let packed = variant.packed.iter().enumerate().filter(|(_, packed)| **packed);
    let packed: Vec<String> = packed.map(|(access, _)| format!(".{access}")).collect();
    if !packed.is_empty() {
        let _ = write!(text, "; in packs: {}", packed.join(" "));
    }
    for rows in &variant.rows {
        let rows: Vec<String> = rows.iter().map(|row| format!(".{}", row.0)).collect();
        let _ = write!(text, "; rows together: {}", rows.join(" "));
    }
    if variant.moments {
        text.push_str("; two loops in one");
    }
    text
}

fn elements(count: u32) -> String {
    format!("{count} {}", if count == 1 { "element" } else { "elements" })
}
