//! Meshes, shardings and views for tests, with uneven and empty blocks.

use phalanx_ops::{AffineMap, AxisMap, Bounds, Index, IndexBox, Mesh, Sharding, Split};
use std::ops::Range;

/// Shapes whose extents no mesh divides, with fewer rows than devices, and without elements.
pub(crate) const SHAPES: [[usize; 2]; 4] = [[11, 4], [3, 5], [1, 6], [0, 4]];

/// Lines of 1, 2, 3, 4 and 8 devices, and grids of 2 by 2 and 2 by 4.
pub(crate) fn meshes() -> Vec<Mesh> {
    let lines = [1, 2, 3, 4, 8].into_iter().map(Mesh::line);
    let grids = [2, 4].into_iter().map(|columns| Mesh::new(&[("row", 2), ("col", columns)]));
    lines.chain(grids).collect()
}

/// Shardings of an array of this shape: replicated; each axis split by each group of mesh axes; on
/// a grid, also two axes split.
pub(crate) fn shardings(shape: &[usize], mesh: &Mesh) -> Vec<Sharding> {
    let groups: &[&[u8]] = if mesh.ndim() == 1 { &[&[0]] } else { &[&[0], &[1], &[1, 0]] };
    let split = |mesh_axes: &[u8], bounds| Some(Split { mesh_axes: mesh_axes.into(), bounds });
    let mut shardings = vec![Sharding::replicated(shape.len())];
    for (axis, &extent) in shape.iter().enumerate() {
        for &mesh_axes in groups {
            let parts = mesh_axes.iter().map(|&axis| mesh.extent(usize::from(axis))).product();
            for bounds in bounds(extent, parts) {
                let mut sharding = Sharding::replicated(shape.len());
                sharding.axes[axis] = split(mesh_axes, bounds);
                shardings.push(sharding);
            }
        }
    }
    if let ([rows, columns], 2) = (shape, mesh.ndim()) {
        let (rows, columns) = (bounds(*rows, mesh.extent(0)), bounds(*columns, mesh.extent(1)));
        for (rows, columns) in rows.into_iter().zip(columns.into_iter().rev()) {
            let axes = [split(&[0], rows), split(&[1], columns)].into_iter().collect();
            shardings.push(Sharding { axes, partial: None });
        }
    }
    shardings
}

/// Bounds of an axis: even; uneven, with every second block empty; with all positions in the last
/// block; in descending order.
fn bounds(extent: usize, parts: usize) -> Vec<Bounds> {
    let mut rest = extent;
    let mut uneven = vec![0; parts];
    for part in (0..parts).step_by(2) {
        uneven[part] = if part + 2 < parts { rest.div_ceil(2) } else { rest };
        rest -= uneven[part];
    }
    let mut last = vec![0; parts];
    last[parts - 1] = extent;
    let even = Bounds::even(extent, parts);
    let mut all = vec![Bounds::explicit(&uneven), Bounds::explicit(&last)];
    if extent > 0 {
        all.push(even.clipped(extent as i64 - 1, -1, extent));
    }
    all.push(even);
    all
}

/// Views of a base with two axes: slices with steps of both signs, a new axis, a transpose, a
/// broadcast, a diagonal, a row, and the whole.
pub(crate) fn views(base: &[usize]) -> Vec<AffineMap> {
    let whole = AffineMap::identity(base);
    let range = |start, stop, step| Index::Range { start, stop, step };
    let indices = [
        vec![range(Some(1), None, 1)],
        vec![range(None, Some(-1), 1), range(Some(1), None, 1)],
        vec![range(None, None, -1)],
        vec![range(Some(1), None, 2), range(None, None, -2)],
        vec![Index::NewAxis],
    ];
    let index = |items: &[Index]| whole.index(items).expect("ranges are clipped to their axes");
    let mut views: Vec<AffineMap> = indices.iter().map(|items| index(items)).collect();
    views.push(whole.transpose(&[1, 0]));
    let repeated = [&[3][..], base].concat();
    views.push(whole.broadcast_to(&repeated).expect("an axis is added in front"));
    let follows = AxisMap { axis: Some(0), start: 0, step: 1 };
    let count = base[0].min(base[1]);
    let diagonal = [follows; 2].into_iter().collect();
    views.push(AffineMap { shape: [count].into_iter().collect(), axes: diagonal });
    if base[0] > 0 {
        views.push(index(&[Index::At(-1)]));
    }
    views.push(whole);
    views
}

/// Calls a check for each mesh, shape and sharding.
pub(crate) fn for_each_layout(check: impl Fn(&Sharding, &[usize], &Mesh)) {
    for mesh in meshes() {
        for shape in SHAPES {
            for sharding in shardings(&shape, &mesh) {
                check(&sharding, &shape, &mesh);
            }
        }
    }
}

/// The block of a device.
pub(crate) fn block_of(
    sharding: &Sharding,
    shape: &[usize],
    mesh: &Mesh,
    device: usize,
) -> IndexBox {
    sharding.block(shape, mesh, &mesh.coordinates(device))
}

/// The indices of a box, in C order.
pub(crate) fn indices(of: &[Range<usize>]) -> Vec<Vec<usize>> {
    of.iter().fold(vec![Vec::new()], |heads, range| {
        let with = |head: &Vec<usize>| {
            let head = head.clone();
            range.clone().map(move |at| [head.as_slice(), &[at]].concat())
        };
        heads.iter().flat_map(with).collect()
    })
}

/// Whether a box contains an index.
pub(crate) fn contains(of: &[Range<usize>], index: &[usize]) -> bool {
    of.iter().zip(index).all(|(range, at)| range.contains(at))
}
