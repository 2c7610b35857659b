//! Shardings as users see them: checks and a picture.

use crate::array::Array;
use crate::error::Error;
use phalanx_ops::error::OpError;
use phalanx_ops::{Mesh, Sharding};
use std::fmt::Write;

/// Whether a sharding fits an array of this shape on this mesh.
pub(crate) fn check(sharding: &Sharding, shape: &[usize], mesh: &Mesh) -> Result<(), OpError> {
    check_splits(sharding, shape, mesh)?;
    if sharding.partial.is_some() {
        return Err(wrong(sharding, shape, "a sharding asked for cannot be partial"));
    }
    Ok(())
}

fn wrong(sharding: &Sharding, shape: &[usize], reason: &'static str) -> OpError {
    OpError::Sharding { sharding: sharding.to_string(), shape: shape.into(), reason }
}

/// Whether the blocks of a sharding are those of an array of this shape on this mesh.
fn check_splits(sharding: &Sharding, shape: &[usize], mesh: &Mesh) -> Result<(), OpError> {
    let wrong = |reason| wrong(sharding, shape, reason);
    if sharding.axes.len() != shape.len() {
        return Err(wrong("it is for another number of axes"));
    }
    let mut used = Vec::new();
    for (split, &extent) in sharding.axes.iter().zip(shape) {
        let Some(split) = split else { continue };
        let mut parts = 1;
        for &axis in &split.mesh_axes {
            if axis as usize >= mesh.ndim() {
                return Err(wrong("it names a mesh axis that does not exist"));
            }
            if used.contains(&axis) {
                return Err(wrong("it names a mesh axis twice"));
            }
            used.push(axis);
            parts *= mesh.extent(axis as usize);
        }
        if !split.bounds.is_valid() {
            return Err(wrong("its blocks do not tile an axis"));
        }
        if split.bounds.parts() != parts {
            return Err(wrong("the number of blocks is not that of the mesh axes"));
        }
        if split.bounds.extent() != extent {
            return Err(wrong("the blocks do not add up to the extent"));
        }
    }
    Ok(())
}

impl Array {
    /// A picture, for a terminal, of which device holds which block of the array; see [`picture`].
    /// Local.
    pub fn picture(&self) -> Result<String, Error> {
        Ok(picture(&self.sharding()?, self.shape(), self.mesh()?.mesh()))
    }
}

/// A picture of the blocks of an array of up to two axes (further axes are not drawn), for a
/// terminal.
///
/// Each cell names the devices that hold it. Of a sharding that does not fit the shape or the mesh
/// the text says why.
pub fn picture(sharding: &Sharding, shape: &[usize], mesh: &Mesh) -> String {
    if let Err(error) = check_splits(sharding, shape, mesh) {
        return format!("{error}\n");
    }
    let ranges = |axis: usize| -> Vec<std::ops::Range<usize>> {
        match sharding.axes.get(axis).and_then(Option::as_ref) {
            Some(split) => {
                let mut blocks: Vec<_> = (0..split.bounds.parts())
                    .map(|part| split.bounds.block(part))
                    .filter(|b| !b.is_empty())
                    .collect();
                blocks.sort_by_key(|block| block.start);
                blocks
            }
            None => std::iter::once(0..shape.get(axis).copied().unwrap_or(1)).collect(),
        }
    };
    let holders = |row: usize, column: usize| -> String {
        let devices: Vec<String> = (0..mesh.devices())
            .filter(|&device| {
                let block = sharding.block(shape, mesh, &mesh.coordinates(device));
                let holds = |axis: usize, at: usize| {
                    block.get(axis).is_none_or(|range| range.contains(&at))
                };
                holds(0, row) && holds(1, column)
            })
            .map(|device| device.to_string())
            .collect();
        match devices.len() {
            0 => String::from("-"),
            count if count == mesh.devices() && count > 1 => String::from("all"),
            count if count > 4 => format!("{},…,{}", devices[0], devices[count - 1]),
            _ => devices.join(","),
        }
    };
    let (rows, columns) = (ranges(0), ranges(1));
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| columns.iter().map(|column| holders(row.start, column.start)).collect())
        .collect();
    let width = cells.iter().flatten().map(String::len).max().unwrap_or(1).max(5) + 2;
    let labels: Vec<String> =
        rows.iter().map(|row| format!("{}..{}", row.start, row.end)).collect();
    let margin = labels.iter().map(String::len).max().unwrap_or(0);
    let line = |left: char, middle: char, right: char| {
        let bars: Vec<String> = columns.iter().map(|_| "─".repeat(width)).collect();
        format!("{:margin$} {left}{}{right}\n", "", bars.join(&middle.to_string()))
    };
    let mut picture = line('┌', '┬', '┐');
    for (position, (row, label)) in cells.iter().zip(&labels).enumerate() {
        if position > 0 {
            picture += &line('├', '┼', '┤');
        }
        let texts: Vec<String> = row.iter().map(|text| format!("{text:^width$}")).collect();
        let _ = writeln!(picture, "{label:>margin$} │{}│", texts.join("│"));
    }
    picture += &line('└', '┴', '┘');
    if let Some(partial) = &sharding.partial {
        let _ = writeln!(picture, "partial: shards are still to be combined by {}", partial.monoid);
    }
    picture
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

    #[test]
    fn shardings_that_do_not_fit_are_refused() {
        let mesh = Mesh::line(2);
        let split = |bounds| Split { mesh_axes: [0].into_iter().collect(), bounds };
        let of = |axes: Vec<Option<Split>>| Sharding { axes: axes.into(), partial: None };
        assert!(check(&of(vec![Some(split(Bounds::even(4, 2)))]), &[4], &mesh).is_ok());
        for (wrong, shape) in [
            (of(vec![Some(split(Bounds::even(5, 2)))]), vec![4]),
            (of(vec![Some(split(Bounds::even(4, 3)))]), vec![4]),
            (of(vec![None]), vec![4, 4]),
            (
                of(vec![Some(split(Bounds::even(4, 2))), Some(split(Bounds::even(4, 2)))]),
                vec![4, 4],
            ),
        ] {
            assert_eq!(check(&wrong, &shape, &mesh).unwrap_err().code(), "PX021");
        }
    }
}
