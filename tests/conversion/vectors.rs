//! Vectors and slices.

use crate::on;
use phalanx::prelude::*;

#[test]
fn vectors_slices_and_arrays_of_rust_become_arrays_and_come_back() {
    on(3, || {
        let numbers: Vec<i32> = (0..100).collect();
        let made = [
            Array::from_vec(numbers.clone()),
            Array::from(numbers.clone()),
            Array::from(numbers.as_slice()),
            from_slice(&numbers, [100]),
        ];
        for array in &made {
            assert_eq!((array.shape(), array.dtype()), (&[100][..], DType::I32));
            assert_eq!(Vec::<i32>::try_from(array).unwrap(), numbers);
        }
        let few = Array::from([0.5, 1.5]);
        assert_eq!((few.shape(), few.dtype()), (&[2][..], DType::F64));
        assert_eq!(Vec::<i64>::try_from(&few).unwrap(), [0, 1]);
        assert_eq!(Array::from_vec(Vec::<bool>::new()).shape(), [0]);
        let matrix = Array::from(numbers).reshape([20, 5]).t();
        assert_eq!(&Vec::<i32>::try_from(&matrix).unwrap()[..3], [0, 5, 10]);
    });
}

#[test]
fn arrays_that_carry_errors_give_them_with_their_line() {
    on(1, || {
        let line = line!() + 1;
        let wrong = Array::from([1, 2, 3]).reshape([2, 2]);
        let error = Vec::<i64>::try_from(&wrong).unwrap_err();
        assert_eq!(error.site().map(|site| (site.file(), site.line())), Some((file!(), line)));
    });
}
