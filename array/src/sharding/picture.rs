//! Drawings of shardings, for users.

use super::requested::check_splits;
use crate::array::Array;
use phalanx_graph::{Error, Stage};
use phalanx_ops::sharding::is_empty;
use phalanx_ops::{AffineMap, AxisMap, IndexBox, Mesh, Monoid, Partial, Sharding};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

impl Array {
    /// A drawing, for a terminal, of the devices that hold each part of the array: see [`picture`].
    /// For a view, it shows the devices that hold its elements. A row of an array whose rows are
    /// split is on one device, which [`Array::sharding`] cannot express. Local.
    pub fn picture(&self) -> Result<String, Error> {
        Ok(self.drawing()?.to_string())
    }

    /// The devices that hold each part of the array, as data for a drawing. Local: see
    /// `Array::picture`.
    pub fn drawing(&self) -> Result<Drawing, Error> {
        let (handle, node, stages) =
            (self.mesh()?, self.present_node()?, &self.base_view()?.stages);
        let mesh = handle.mesh();
        let whole: IndexBox = self.shape().iter().map(|&extent| 0..extent).collect();
        let mut sharding = handle.sharding(&node, &[])?;
        if stages.is_empty() {
            let blocks: Vec<_> =
                blocks_of(&sharding, self.shape(), mesh).into_iter().map(Some).collect();
            return Ok(draw(&blocks, self.shape(), sharding.partial.as_ref()));
        }
        let mut blocks = vec![Some(whole); mesh.devices()];
        for (position, stage) in stages.iter().enumerate() {
            // This map keeps every split axis of the stage's input.
            let map = Arc::new(spread(&stage.map));
            let mut spread_stages = stages[..=position].to_vec();
            spread_stages[position] = Stage { map: map.clone(), ..stage.clone() };
            sharding = handle.sharding(&node, &spread_stages)?;
            let is_last = position + 1 == stages.len();
            let parts = blocks_of(&sharding, &map.shape, mesh);
            for (block, part) in blocks.iter_mut().zip(parts) {
                let axes = || stage.map.axes.iter().zip(&part);
                // Only devices that hold a position that the view fixes hold elements of the view.
                if axes().any(|(axis, at)| axis.axis.is_none() && at.is_empty()) {
                    *block = None;
                }
                let Some(block) = block.as_mut().filter(|_| is_last) else { continue };
                for (axis, range) in axes() {
                    if let Some(held) = axis.axis.map(|to| &mut block[to as usize]) {
                        *held = held.start.max(range.start)..held.end.min(range.end);
                    }
                }
            }
        }
        Ok(draw(&blocks, self.shape(), sharding.partial.as_ref()))
    }
}

/// The map with one axis for each axis of the base. Its extent is 1 where the map fixes a position.
fn spread(map: &AffineMap) -> AffineMap {
    let extent = |axis: &AxisMap| axis.axis.map_or(1, |to| map.shape[to as usize]);
    let own = |(number, axis): (usize, &AxisMap)| AxisMap {
        axis: Some(number as u8),
        start: axis.start,
        step: if axis.axis.is_some() { axis.step } else { 1 },
    };
    AffineMap {
        shape: map.axes.iter().map(extent).collect(),
        axes: map.axes.iter().enumerate().map(own).collect(),
    }
}

/// The block of each device.
fn blocks_of(sharding: &Sharding, shape: &[usize], mesh: &Mesh) -> Vec<IndexBox> {
    let block = |device| sharding.block(shape, mesh, &mesh.coordinates(device));
    (0..mesh.devices()).map(block).collect()
}

/// A drawing, for a terminal, of the blocks of an array along its first two axes. Further axes are
/// not drawn.
///
/// Each cell names the devices that hold it. If the sharding does not fit the shape or the mesh,
/// the text is the error.
pub fn picture(sharding: &Sharding, shape: &[usize], mesh: &Mesh) -> String {
    match check_splits(sharding, shape, mesh) {
        Ok(()) => {
            let blocks: Vec<_> = blocks_of(sharding, shape, mesh).into_iter().map(Some).collect();
            draw(&blocks, shape, sharding.partial.as_ref()).to_string()
        }
        Err(error) => format!("{error}\n"),
    }
}

/// The devices that hold each part of an array, in rows and columns of blocks along its first two
/// axes. [`picture`] prints it as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The indices of each row of blocks.
    pub rows: Vec<Range<usize>>,
    /// The indices of each column of blocks.
    pub columns: Vec<Range<usize>>,
    /// The devices that hold the block, for each row and column.
    pub holders: Vec<Vec<Vec<usize>>>,
    /// The number of devices.
    pub devices: usize,
    /// The reduction that combines partial shards, if they are not combined yet.
    pub partial: Option<Monoid>,
}

/// Draws the blocks, one for each device; `None` for a device that holds nothing.
fn draw(blocks: &[Option<IndexBox>], shape: &[usize], partial: Option<&Partial>) -> Drawing {
    let held = blocks.iter().enumerate();
    let held: Vec<(usize, &IndexBox)> = held
        .filter_map(|(device, block)| Some((device, block.as_ref()?)))
        .filter(|(_, block)| !is_empty(block))
        .collect();
    let ranges = |axis: usize| -> Vec<Range<usize>> {
        let extent = shape.get(axis).copied().unwrap_or(1);
        let ends = held.iter().filter_map(|(_, block)| block.get(axis));
        let mut cuts: Vec<usize> = ends.flat_map(|range| [range.start, range.end]).collect();
        cuts.extend([0, extent]);
        cuts.sort_unstable();
        cuts.dedup();
        match extent {
            0 => std::iter::once(0..0).collect(),
            _ => cuts.windows(2).map(|ends| ends[0]..ends[1]).collect(),
        }
    };
    let holders = |row: usize, column: usize| -> Vec<usize> {
        let holds = |block: &IndexBox, axis: usize, at: usize| {
            block.get(axis).is_none_or(|range| range.contains(&at))
        };
        held.iter()
            .filter(|(_, block)| holds(block, 0, row) && holds(block, 1, column))
            .map(|(device, _)| *device)
            .collect()
    };
    let (rows, columns) = (ranges(0), ranges(1));
    let holders = rows
        .iter()
        .map(|row| columns.iter().map(|column| holders(row.start, column.start)).collect())
        .collect();
    let partial = partial.map(|partial| partial.monoid);
    Drawing { rows, columns, holders, devices: blocks.len(), partial }
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Drawing { rows, columns, holders, devices: all, partial } = self;
        let cell = |devices: &Vec<usize>| match devices.len() {
            0 => String::from("-"),
            count if count == *all && count > 1 => String::from("all"),
            count if count > 4 => format!("{},…,{}", devices[0], devices[count - 1]),
            _ => devices.iter().map(usize::to_string).collect::<Vec<_>>().join(","),
        };
        let cells: Vec<Vec<String>> =
            holders.iter().map(|row| row.iter().map(cell).collect()).collect();
        let width = cells.iter().flatten().map(String::len).max().unwrap_or(1).max(5) + 2;
        let labels: Vec<String> =
            rows.iter().map(|row| format!("{}..{}", row.start, row.end)).collect();
        let margin = labels.iter().map(String::len).max().unwrap_or(0);
        let line = |left: char, middle: char, right: char| {
            let bars: Vec<String> = columns.iter().map(|_| "─".repeat(width)).collect();
            format!("{:margin$} {left}{}{right}\n", "", bars.join(&middle.to_string()))
        };
        write!(f, "{}", line('┌', '┬', '┐'))?;
        for (position, (row, label)) in cells.iter().zip(&labels).enumerate() {
            if position > 0 {
                write!(f, "{}", line('├', '┼', '┤'))?;
            }
            let texts: Vec<String> = row.iter().map(|text| format!("{text:^width$}")).collect();
            writeln!(f, "{label:>margin$} │{}│", texts.join("│"))?;
        }
        write!(f, "{}", line('└', '┴', '┘'))?;
        if let Some(monoid) = partial {
            writeln!(f, "partial: shards are still to be combined by {monoid}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_ops::{Bounds, Split};

    #[test]
    fn a_picture_names_the_holders_of_each_block() {
        let mesh = Mesh::new(&[("row", 2), ("column", 2)]);
        let split =
            |axis: u8, bounds| Some(Split { mesh_axes: [axis].into_iter().collect(), bounds });
        let rows = split(0, Bounds::explicit(&[3, 1]));
        let both = Sharding {
            axes: [rows.clone(), split(1, Bounds::even(5, 2))].into_iter().collect(),
            partial: None,
        };
        let expected = [
            "     ┌───────┬───────┐",
            "0..3 │   0   │   1   │",
            "     ├───────┼───────┤",
            "3..4 │   2   │   3   │",
            "     └───────┴───────┘",
            "",
        ]
        .join("\n");
        assert_eq!(picture(&both, &[4, 5], &mesh), expected);
        let lines = Sharding { axes: [rows, None].into_iter().collect(), partial: None };
        assert!(picture(&lines, &[4, 5], &mesh).contains("│  0,1  │"));
        assert!(picture(&Sharding::replicated(2), &[4, 5], &mesh).contains("│  all  │"));
    }
}
