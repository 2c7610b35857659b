//! Views of components and of bytes.

use crate::on_lines;
use phalanx::complex;
use phalanx::prelude::*;

/// Bytes that were not written became 0 or 1 if later stages or a mask followed.
#[test]
fn writing_bytes_as_bools_changed_others() {
    on_lines(|| {
        let a = from_slice(&[0u8, 1, 2, 3, 4, 5, 6, 7], [8]);
        a.view(DType::Bool).slice(s![..;2]).reshape([2, 2]).slice(s![0, 0]).assign(true);
        assert_eq!(a.to_vec::<u8>().unwrap(), [1, 1, 2, 3, 4, 5, 6, 7]);
        let a = from_slice(&[5u8, 6, 7, 8], [4]);
        let mask = from_slice(&[false, true, false, false], [4]);
        a.view(DType::Bool).assign_where(&mask, false);
        assert_eq!(a.to_vec::<u8>().unwrap(), [5, 0, 7, 8]);
        let a = from_slice(&[5u8, 6, 7, 8, 5, 6, 7, 8], [2, 4]);
        a.view(DType::Bool).slice(s![.., 0..2]).view(DType::U16).slice(s![0]).assign(0);
        assert_eq!(a.to_vec::<u8>().unwrap(), [0, 0, 7, 8, 5, 6, 7, 8]);
        let bytes = from_slice(&[0u8, 1, 2, 3, 4, 5, 6, 7], [8]).view(DType::Bool);
        let seen = bytes.slice(s![..;2]).reshape([2, 2]).view(DType::U8);
        assert_eq!(seen.to_vec::<u8>().unwrap(), [0, 2, 4, 6]);
    });
}

/// The check for negative exponents read the elements of the base instead of the view.
#[test]
fn negative_exponents_behind_bytes_were_not_seen() {
    on_lines(|| {
        let exponents = from_slice(&[255u8, 2], [2]).view(DType::I8);
        let power = from_slice(&[2i8, 3], [2]).power(&exponents);
        assert_eq!(power.evaluate().expect_err("the first is -1").code(), "PX022");
    });
}

/// Blocks of views after a component were reported in elements of twice the size.
#[test]
fn shardings_behind_components_were_those_of_the_base() {
    on_lines(|| {
        let z = complex(arange(0, 24, 1), arange(0, 24, 1)).copy();
        for view in [z.real().view(DType::I64), z.real().reshape([24]), z.imag().reshape([6, 4])] {
            let shape: Vec<usize> = view.shape().to_vec();
            let copy = view.copy();
            copy.evaluate().unwrap();
            assert_eq!(view.picture().unwrap(), copy.picture().unwrap(), "{shape:?}");
        }
    });
}
