//! Searches in sorted vectors, against counting.

use super::value::{Value, assert_same, evaluate, order};
use phalanx_ops::structured::{Order, SearchSorted, Side, Sort};
use phalanx_ops::{DType, Structured};

#[test]
fn every_dtype_and_extent() {
    for &dtype in DType::ALL {
        for extent in [0, 1, 2, 3, 7, 64, 1000] {
            let vector = Value::mixed(dtype, &[extent], 11);
            let sort = Structured::Sort(Sort::new(0, Order::Values));
            let sorted = evaluate(sort, &[&vector]);
            for shape in [&[0][..], &[1], &[3, 67], &[]] {
                let values = Value::mixed(dtype, shape, 12);
                for side in [Side::Left, Side::Right] {
                    let before = |value: &[u8]| {
                        (0..extent)
                            .filter(|&at| match side {
                                Side::Left => order(dtype, sorted.element(at), value).is_lt(),
                                Side::Right => order(dtype, sorted.element(at), value).is_le(),
                            })
                            .count() as i64
                    };
                    let counts = (0..values.len()).map(|at| before(values.element(at)));
                    let should = Value::positions(shape, counts);
                    let search = Structured::SearchSorted(SearchSorted { side });
                    let is = evaluate(search, &[&sorted, &values]);
                    assert_same(&is, &should, &format!("searchsorted of {dtype} in {extent}"));
                }
            }
        }
    }
}
