//! Shardings: features that only the Python module had.

use crate::on_lines;
use phalanx::prelude::*;
use phalanx::{NamedSharding, NamedSplit, SplitAlong};

fn code(array: &Array) -> &'static str {
    array.evaluate().unwrap_err().code()
}

fn integers(array: &Array) -> Vec<i64> {
    array.to_vec().unwrap()
}

/// Shardings had numbers of mesh axes, and no names.
#[test]
fn shardings_had_no_names() {
    on_lines(|| {
        let a = arange(0, 12, 1).reshape([4, 3]);
        let mesh = a.mesh().unwrap();
        let devices = mesh.mesh().devices();
        let by = |name: &str, blocks: Option<Vec<usize>>| NamedSharding {
            axes: vec![
                NamedSplit::default(),
                NamedSplit { mesh_axes: vec![name.to_owned()], blocks },
            ],
        };
        assert_eq!(code(&a.with_named_sharding(&by("depth", None))), "PX021");
        assert_eq!(code(&a.with_named_sharding(&NamedSharding::default())), "PX021");
        assert_eq!(code(&a.split_over_devices(2)), "PX003");
        let whole = a.split_over_devices(None);
        assert!(whole.named_sharding().unwrap().is_replicated());
        assert_eq!(whole.split_along().unwrap(), SplitAlong::Nothing);
        let split = a.with_named_sharding(&by("row", None));
        assert_eq!(integers(&split), integers(&a));
        // An axis of one device splits nothing.
        if devices == 1 {
            return;
        }
        assert_eq!(split.named_sharding().unwrap(), by("row", None));
        assert_eq!(split.split_along().unwrap(), SplitAlong::One(1));
        let mut blocks = vec![0; devices];
        blocks[0] = 3;
        let uneven = by("row", Some(blocks));
        assert_eq!(a.with_named_sharding(&uneven).named_sharding().unwrap(), uneven);
        let named = a.split_over_devices(-1).named_sharding().unwrap();
        assert_eq!(named.to_string(), "[-, row]");
    });
}
