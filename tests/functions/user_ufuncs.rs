//! Ufuncs of the user's own, on meshes of several sizes.

use crate::meshes::{MESHES, on_meshes};
use phalanx::prelude::*;
use phalanx::user_kernels::{ReductionCall, UserUfunc};
use phalanx::{AnyIndex, Element, Limits};

fn array<T: Element>(values: impl Into<Vec<T>>) -> Array {
    Array::from_vec(values.into())
}

/// `x y + 1`, in the order of the operands, is not associative; this is: the later value stays, and
/// the earlier one counts where the later one is 0.
fn later() -> UserUfunc {
    UserUfunc::new("later", "old, now", "now == 0 ? old : now").unwrap().with_identity("0")
}

#[test]
fn values_are_combined_in_their_order() {
    on_meshes(&MESHES, Limits::default(), |_| {
        let x = array([3.0, 0.0, 5.0, 0.0, 0.0, 7.0, 0.0]);
        let all = ReductionCall::default();
        assert_eq!(later().reduce(&x, &all).unwrap().item::<f64>().unwrap(), 7.0);
        let so_far = later().accumulate(&x, 0).unwrap().to_vec::<f64>().unwrap();
        assert_eq!(so_far, [3.0, 3.0, 5.0, 5.0, 5.0, 7.0, 7.0]);
        let none = array([0.0; 0]);
        assert_eq!(later().reduce(&none, &all).unwrap().item::<f64>().unwrap(), 0.0);
        let places = array([1i64, 0, 1, -1, 1]);
        later()
            .at(&x, &[AnyIndex::Array(places)], Some((&array([2.0, 0.0, 4.0, 1.0, 0.0])).into()))
            .unwrap();
        assert_eq!(x.to_vec::<f64>().unwrap(), [3.0, 4.0, 5.0, 0.0, 0.0, 7.0, 1.0]);
        let pairs = later().outer(&array([1.0, 2.0]), &array([0.0, 9.0, 0.0])).unwrap();
        assert_eq!(pairs.to_vec::<f64>().unwrap(), [1.0, 9.0, 1.0, 2.0, 9.0, 2.0]);
    });
}

#[test]
fn dtypes_and_inputs_are_checked() {
    on_meshes(&MESHES, Limits::default(), |_| {
        let x = array([1i32, 5, 2]);
        let above = UserUfunc::new("above", "x, y", "x > y").unwrap();
        let above = above.with_output(DType::Bool).unwrap();
        let answer = above.call(&[(&x).into(), 1.into()]).unwrap();
        assert_eq!(
            (answer.dtype(), answer.to_vec::<bool>().unwrap()),
            (DType::Bool, vec![false, true, true])
        );
        let half = UserUfunc::new("half", "x", "x / 2").unwrap();
        assert_eq!(half.call(&[(&x).into()]).unwrap().dtype(), DType::I32);
        assert_eq!(
            half.call_as(&[(&x).into()], DType::F32).unwrap().to_vec::<f32>().unwrap(),
            [0.5, 2.5, 1.0]
        );
        half.at(&x, &[AnyIndex::Array(array([1i64, 1]))], None).unwrap();
        assert_eq!(x.to_vec::<i32>().unwrap(), [1, 1, 2]);
        let error = half.accumulate(&x, 0).unwrap_err();
        assert!(error.to_string().contains("two inputs"), "{error}");
        assert_eq!(
            UserUfunc::new("three", "a, b, c", "a").unwrap_err().numpy_class(),
            "ValueError"
        );
        assert!(UserUfunc::new("bad", "a", "a +").is_err());
    });
}
