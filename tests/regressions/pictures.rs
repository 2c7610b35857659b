//! Pictures: they named devices that hold no part of a view.

use crate::on;
use phalanx::prelude::*;
use phalanx::{Bounds, Limits, Sharding, Split};

/// The holders of the cells of an array's picture, row by row.
fn holders(array: &Array) -> Vec<Vec<String>> {
    let picture = array.picture().expect("a picture");
    let rows = picture.lines().filter_map(|line| Some(line.split_once('│')?.1));
    let cells = rows.map(|row| row.trim_end_matches('│').split('│'));
    cells.map(|row| row.map(|cell| String::from(cell.trim())).collect()).collect()
}

/// The axes of an array of these extents, each split evenly over the mesh axis of its number.
fn split(extents: [usize; 2], mesh: [usize; 2]) -> Sharding {
    let axis = |axis: usize| {
        let bounds = Bounds::even(extents[axis], mesh[axis]);
        Some(Split { mesh_axes: [axis as u8].into_iter().collect(), bounds })
    };
    Sharding { axes: [axis(0), axis(1)].into_iter().collect(), partial: None }
}

/// A view that fixes a position of a split axis was shown on all devices.
#[test]
fn rows_of_one_device_were_said_to_lie_on_all() {
    on(&[2], Limits::default(), || {
        let a = arange(0, 24, 1).reshape([4, 6]).copy();
        for is_evaluated in [false, true] {
            if is_evaluated {
                a.evaluate().expect("the array");
            }
            assert_eq!(holders(&a), [["0"], ["1"]]);
            assert_eq!(holders(&a.slice(s![1])), [["0"]]);
            assert_eq!(holders(&a.slice(s![-1])), [["1"]]);
            assert_eq!(holders(&a.slice(s![2, 3])), [["1"]]);
            assert_eq!(holders(&a.slice(s![.., 5])), [["0"], ["1"]]);
            assert_eq!(holders(&a.slice(s![1..3, NewAxis])), [["0"], ["1"]]);
            assert_eq!(holders(&a.slice(s![..; -1])), [["1"], ["0"]]);
            // Through further views.
            assert_eq!(holders(&a.slice(s![2..]).slice(s![0]).t()), [["1"]]);
            assert_eq!(holders(&a.slice(s![3]).reshape([2, 3])), [["1"]]);
            assert_eq!(holders(&a.slice(s![3]).reshape([2, 3]).slice(s![.., 1])), [["1"]]);
            assert_eq!(holders(&a.slice(s![0]).broadcast_to([3, 6])), [["0"]]);
            assert_eq!(holders(&a.reshape([2, 2, 6]).slice(s![1, 0])), [["1"]]);
            // An axis that is not drawn is split, too.
            let deep = a.slice(s![NewAxis, NewAxis]);
            assert_eq!(holders(&deep), [["all"]]);
            assert_eq!(holders(&deep.slice(s![.., .., ..2])), [["0"]]);
        }
        // A copy is split anew.
        assert_eq!(holders(&a.slice(s![0]).copy()), [["0"], ["1"]]);
        assert_eq!(holders(&zeros([0, 3], DType::F64)), [["-"]]);
    });
}

/// The same defect with two split axes.
#[test]
fn rows_of_some_devices_were_said_to_lie_on_all() {
    on(&[2, 3], Limits::default(), || {
        let a = arange(0, 24, 1).reshape([4, 6]).with_sharding(split([4, 6], [2, 3]));
        assert_eq!(holders(&a), [["0", "1", "2"], ["3", "4", "5"]]);
        assert_eq!(holders(&a.slice(s![3])), [["3"], ["4"], ["5"]]);
        assert_eq!(holders(&a.slice(s![.., 2])), [["1"], ["4"]]);
        assert_eq!(holders(&a.slice(s![0, -1])), [["2"]]);
        assert_eq!(holders(&a.t().slice(s![1..3])), [["0", "3"], ["1", "4"]]);
    });
}
