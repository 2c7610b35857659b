//! Prices: the most bytes that a device receives under a choice of sharding, among a few devices.

use crate::exchange::slabs;
use crate::regions::{image, is_aligned};
use phalanx_ops::sharding::{is_empty, volume};
use phalanx_ops::{AffineMap, Mesh, Sharding};

/// Bytes that a device receives when a space with sharding `space` reads a value of shape `base`
/// with sharding `value` through `map`. The time to compute it does not grow with the mesh.
pub fn read_price(
    value: &Sharding,
    base: &[usize],
    item: usize,
    map: &AffineMap,
    space: &Sharding,
    mesh: &Mesh,
) -> usize {
    if value.is_replicated() || is_aligned(value, map, space) {
        return 0;
    }
    let devices = mesh.devices();
    [0, 1, devices / 2, devices - 1]
        .into_iter()
        .filter(|&device| device < devices)
        .map(|device| {
            let coordinates = mesh.coordinates(device);
            let reads = space.block(&map.shape, mesh, &coordinates);
            if is_empty(&reads) {
                return 0;
            }
            let missing = slabs(&image(map, &reads), &value.block(base, mesh, &coordinates));
            missing.iter().map(|slab| volume(slab)).sum::<usize>() * item
        })
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_ops::Index;

    #[test]
    fn a_halo_costs_its_rows_and_a_transpose_costs_its_block() {
        let mesh = Mesh::line(4);
        let value = Sharding::even(&[40, 10], 0, &mesh);
        let map = AffineMap::identity(&[40, 10]);
        assert_eq!(read_price(&value, &[40, 10], 8, &map, &value, &mesh), 0);
        let shifted = map.index(&[Index::Range { start: Some(1), stop: None, step: 1 }]).unwrap();
        let space = value
            .through(&map.index(&[Index::Range { start: None, stop: Some(-1), step: 1 }]).unwrap());
        assert_eq!(read_price(&value, &[40, 10], 8, &shifted, &space, &mesh), 10 * 8);
        let everywhere = Sharding::replicated(2);
        assert_eq!(read_price(&value, &[40, 10], 8, &map, &everywhere, &mesh), 300 * 8);
    }
}
