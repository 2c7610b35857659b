//! Prices: the most bytes that a device receives under a choice of sharding, among a few devices.

use crate::exchange::slabs;
use crate::regions::{image, is_aligned};
use phalanx_ops::sharding::{is_empty, volume};
use phalanx_ops::{AffineMap, Bytes, Mesh, Sharding};

/// Bytes that a device receives when a space with sharding `space` reads a value of shape `base`
/// with sharding `value` through `map`. The time to compute it does not grow with the mesh.
pub fn read_price(
    value: &Sharding,
    base: &[usize],
    item: usize,
    map: &AffineMap,
    space: &Sharding,
    mesh: &Mesh,
) -> Bytes {
    if value.is_replicated() || is_aligned(value, map, space) {
        return Bytes(0);
    }
    let devices = mesh.devices();
    [0, 1, devices / 2, devices - 1]
        .into_iter()
        .filter(|&device| device < devices)
        .map(|device| {
            let coordinates = mesh.coordinates(device);
            let reads = space.block(&map.shape, mesh, &coordinates);
            if is_empty(&reads) {
                return Bytes(0);
            }
            let missing = slabs(&image(map, &reads), &value.block(base, mesh, &coordinates));
            Bytes::of(missing.iter().map(|slab| volume(slab)).sum(), item)
        })
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{block_of, for_each_layout, shardings, views};
    use phalanx_ops::Index;
    use phalanx_ops::sharding::intersect;

    #[test]
    fn a_halo_costs_its_rows_and_a_transpose_costs_its_block() {
        let mesh = Mesh::line(4);
        let value = Sharding::even(&[40, 10], 0, &mesh);
        let map = AffineMap::identity(&[40, 10]);
        assert_eq!(read_price(&value, &[40, 10], 8, &map, &value, &mesh), Bytes(0));
        let shifted = map.index(&[Index::Range { start: Some(1), stop: None, step: 1 }]).unwrap();
        let space = value
            .through(&map.index(&[Index::Range { start: None, stop: Some(-1), step: 1 }]).unwrap());
        assert_eq!(read_price(&value, &[40, 10], 8, &shifted, &space, &mesh), Bytes(10 * 8));
        let everywhere = Sharding::replicated(2);
        assert_eq!(read_price(&value, &[40, 10], 8, &map, &everywhere, &mesh), Bytes(300 * 8));
    }

    /// The bytes that each device receives.
    fn received(
        value: &Sharding,
        base: &[usize],
        item: usize,
        map: &AffineMap,
        space: &Sharding,
        mesh: &Mesh,
    ) -> Vec<Bytes> {
        let of_device = |device: usize| {
            let reads = block_of(space, &map.shape, mesh, device);
            if is_empty(&reads) {
                return Bytes(0);
            }
            let reached = image(map, &reads);
            let held = intersect(&reached, &block_of(value, base, mesh, device));
            Bytes::of(volume(&reached) - volume(&held), item)
        };
        (0..mesh.devices()).map(of_device).collect()
    }

    #[test]
    fn a_price_is_the_most_bytes_that_a_device_receives() {
        for_each_layout(|value, base, mesh| {
            for map in views(base) {
                for space in shardings(&map.shape, mesh).iter().chain([&value.through(&map)]) {
                    let price = read_price(value, base, 8, &map, space, mesh);
                    let received = received(value, base, 8, &map, space, mesh);
                    let is_right = match mesh.devices() {
                        ..=4 => received.iter().max() == Some(&price),
                        // Only some of the devices are looked at.
                        _ => received.contains(&price),
                    };
                    assert!(is_right, "{price:?} of {received:?}: {value}, {map:?}, {space}");
                }
            }
        });
    }

    #[test]
    fn a_price_never_decreases_with_more_bytes() {
        for_each_layout(|value, base, mesh| {
            let everywhere = Sharding::replicated(base.len());
            let price = |rows: usize, item: usize| {
                let range = Index::Range { start: None, stop: Some(rows as i64), step: 1 };
                let first = AffineMap::identity(base).index(&[range]);
                let first = first.expect("a range is clipped to its axis");
                read_price(value, base, item, &first, &everywhere, mesh)
            };
            let prices: Vec<Bytes> = (0..=base[0]).map(|rows| price(rows, 8)).collect();
            assert!(prices.is_sorted(), "{prices:?} of {value}");
            for item in [1, 2, 4, 16] {
                assert_eq!(price(base[0], item).0, price(base[0], 1).0 * item, "{value}");
            }
        });
    }

    #[test]
    fn replicated_values_cost_nothing_to_read() {
        for_each_layout(|_, base, mesh| {
            for map in views(base) {
                for space in shardings(&map.shape, mesh) {
                    let value = Sharding::replicated(base.len());
                    let price = read_price(&value, base, 8, &map, &space, mesh);
                    assert_eq!(price, Bytes(0), "{space}");
                }
            }
        });
    }
}
