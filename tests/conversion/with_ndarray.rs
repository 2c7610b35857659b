//! The arrays of the crate `ndarray`.

use crate::on;
use ndarray::{Array1, ArrayD, ArrayRef, Axis, IxDyn, ShapeBuilder, arr0, s as nd};
use phalanx::prelude::*;

fn numbers(shape: &[usize]) -> ArrayD<i64> {
    let size = shape.iter().product::<usize>() as i64;
    Array1::from_iter(0..size).into_shape_with_order(IxDyn(shape)).unwrap()
}

#[test]
fn arrays_of_any_shape_come_back() {
    for devices in [1, 3] {
        on(devices, || {
            for shape in [&[][..], &[0], &[7], &[3, 0, 2], &[20, 3], &[4, 5, 6]] {
                let given = numbers(shape);
                let array = Array::from(&given);
                assert_eq!((array.shape(), array.dtype()), (shape, DType::I64));
                assert_eq!(array.to_ndarray::<i64>().unwrap(), given);
                assert_eq!(ArrayD::<i64>::try_from(&array).unwrap(), given);
                let halves = (&array * 0.5).to_ndarray::<f64>().unwrap();
                assert_eq!(halves, given.mapv(|number| number as f64 * 0.5));
            }
            assert_eq!(Array::from(&arr0(2.5f32)).item::<f32>().unwrap(), 2.5);
        });
    }
}

#[test]
fn strides_and_order_do_not_matter() {
    on(3, || {
        let c = numbers(&[8, 5]);
        let mut fortran = ArrayD::<i64>::zeros(IxDyn(&[8, 5]).f());
        fortran.assign(&c);
        let reversed = c.slice(nd![..;-1, 1..;2]);
        for given in [fortran.view(), c.t(), reversed.into_dyn(), c.index_axis(Axis(1), 3)] {
            let array = Array::from(&given);
            assert_eq!(array.to_ndarray::<i64>().unwrap(), given);
            // Views of ndarray and of Phalanx show the same.
            assert_eq!(array.t().to_ndarray::<i64>().unwrap(), given.t());
        }
        let borrowed: &ArrayRef<i64, IxDyn> = &c;
        assert_eq!(Array::from(borrowed).to_ndarray::<i64>().unwrap(), c);
        let broadcast = c.index_axis(Axis(0), 0);
        let broadcast = broadcast.broadcast((4, 5)).unwrap();
        assert_eq!(Array::from(&broadcast).to_ndarray::<i64>().unwrap(), broadcast.into_dyn());
    });
}
