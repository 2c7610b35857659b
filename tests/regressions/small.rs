//! Operations that run when they are recorded.

use crate::on;
use phalanx::{Limits, from_slice, s};

#[test]
fn a_write_to_a_view_of_a_known_element_is_seen_by_other_views() {
    on(&[1], Limits::default(), || {
        let b = from_slice(&[-3.5], [0usize; 0]);
        let g = b.add(&b);
        let (d, h) = (g.slice(s![]), g.slice(s![]));
        h.try_apply_in_place(phalanx::Op::Multiply, &d).unwrap();
        assert_eq!([&d, &g, &h].map(|a| a.item::<f64>().unwrap()), [49.0; 3]);
    });
}
