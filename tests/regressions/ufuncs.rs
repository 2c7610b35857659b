//! Calls of ufuncs with NumPy's options, and `errstate`, which Rust programs did not have.

use crate::on_lines;
use phalanx::prelude::*;
use phalanx::{
    AnyIndex, FloatingErrorMode, FloatingErrorReport, FloatingErrors, Ufunc, UfuncOptions,
    errstate, flush, ix, set_floating_errors,
};
use std::cell::RefCell;
use std::rc::Rc;

fn ufunc(name: &str) -> Ufunc {
    Ufunc::from_name(name).unwrap_or_else(|| panic!("there is no {name}"))
}

#[test]
fn calls_take_an_output_a_mask_a_dtype_and_an_order() {
    on_lines(|| {
        let x = arange(0, 6, 1).reshape([2, 3]);
        let out = full([2, 3], -1.0, DType::F64);
        let options = UfuncOptions {
            out: vec![Some(out.clone())],
            mask: Some(x.greater(2)),
            ..UfuncOptions::default()
        };
        let sums = ufunc("add").call(&[(&x).into(), 10.into()], &options).unwrap();
        assert_eq!(sums.len(), 1);
        assert_eq!(out.to_vec::<f64>().unwrap(), [-1.0, -1.0, -1.0, 13.0, 14.0, 15.0]);

        let in_f32 = UfuncOptions {
            dtype: Some(DType::F32),
            order: MemoryOrder::F,
            ..UfuncOptions::default()
        };
        let product = ufunc("multiply").call(&[(&x).into(), (&x).into()], &in_f32).unwrap();
        assert_eq!(product[0].dtype(), DType::F32);
        assert!(product[0].flags().unwrap().f_contiguous);
        assert_eq!(product[0].to_vec::<i64>().unwrap(), [0, 1, 4, 9, 16, 25]);

        let parts = ufunc("divmod").call(&[(&x).into(), 4.into()], &UfuncOptions::default());
        let [quotient, remainder] = &parts.unwrap()[..] else { panic!("divmod has two results") };
        assert_eq!(quotient.to_vec::<i64>().unwrap(), [0, 0, 0, 0, 1, 1]);
        assert_eq!(remainder.to_vec::<i64>().unwrap(), [0, 1, 2, 3, 0, 1]);
    });
}

#[test]
fn calls_refuse_what_numpy_refuses() {
    on_lines(|| {
        let x = arange(0, 6, 1);
        let code = |name: &str, options: UfuncOptions| {
            let result = ufunc(name).call(&[(&x).into(), 1.5.into()], &options);
            result.expect_err("the call is refused").code()
        };
        let into = |out: Array| UfuncOptions { out: vec![Some(out)], ..UfuncOptions::default() };
        // Floats into integers, and a result of more axes than the output.
        assert_eq!(code("add", into(zeros([6], DType::I64))), "PX012");
        assert_eq!(code("add", into(zeros([1; 0], DType::F64))), "PX002");
        // The loop would cast the integers to floats.
        let casting = Casting::No;
        assert_eq!(code("add", UfuncOptions { casting, ..UfuncOptions::default() }), "PX012");
        let dtype = Some(DType::C64);
        assert_eq!(
            code("floor_divide", UfuncOptions { dtype, ..UfuncOptions::default() }),
            "PX011"
        );
        let signature = Some(vec![None; 3]);
        let both = UfuncOptions { dtype, signature, ..UfuncOptions::default() };
        assert_eq!(code("add", both), "PX133");
    });
}

#[test]
fn floating_point_errors_are_raised_or_reported_where_a_value_is_observed() {
    on_lines(|| {
        let x = arange(0, 100, 1).astype(DType::F64);
        // No error is checked at first.
        assert!(((&x / &x).sum(())).item::<f64>().unwrap().is_nan());

        let line = line!() + 2;
        let raise = FloatingErrors::all(FloatingErrorMode::Raise);
        let error = errstate(raise.clone(), || 1.0 / &x).expect_err("a division by zero");
        assert_eq!((error.code(), error.site().map(|site| site.line())), ("PX155", Some(line)));
        assert!(error.to_string().contains("divide by zero encountered in divide"));
        errstate(raise.clone(), || drop(&x / 2.0)).expect("nothing was met");

        // Intermediate results of functions are not checked.
        errstate(raise, || phalanx::nanmean(&x, ()).item::<f64>()).unwrap().unwrap();

        let reports = Rc::new(RefCell::new(Vec::new()));
        let seen = reports.clone();
        let report = move |report: &FloatingErrorReport| {
            seen.borrow_mut().push((report.kind.words(), report.operation, report.bits));
        };
        let modes = [FloatingErrorMode::Report; 4];
        let before = set_floating_errors(FloatingErrors { modes, reporter: Some(Rc::new(report)) });
        let quotient = &x / &x;
        let large = (&x * 1e300).prod(());
        assert!(reports.borrow().is_empty());
        quotient.evaluate().unwrap();
        drop(large);
        flush().unwrap();
        set_floating_errors(before);
        let expected = [("invalid value", "divide", 8)];
        assert_eq!(reports.borrow()[..1], expected);
    });
}

/// `ufunc.at` reported no floating-point errors.
#[test]
fn operations_at_an_index_report_their_errors() {
    on_lines(|| {
        let raise = FloatingErrors::all(FloatingErrorMode::Raise);
        let met = |name: &str, index: [AnyIndex; 1], value: f64| {
            let x = from_slice(&[1.0, -4.0, 1e308], [3]);
            let outcome = errstate(raise.clone(), || match name {
                "sqrt" => ufunc(name).at_alone(&x, index),
                _ => ufunc(name).at(&x, index, value),
            });
            outcome.err().map(|error| error.to_string().lines().next().unwrap().to_owned())
        };
        let last = || ix![&from_slice(&[2i64], [1])];
        let mask = || ix![&from_slice(&[false, true, true], [3])];
        let slice = || ix![1..3];
        for index in [last as fn() -> [AnyIndex; 1], mask, slice] {
            let over = met("multiply", index(), 10.0).unwrap();
            assert_eq!(over, "error[PX155]: overflow encountered in multiply");
            let zero = met("divide", index(), 0.0).unwrap();
            assert_eq!(zero, "error[PX155]: divide by zero encountered in divide");
            assert_eq!(met("add", index(), 1.0), None);
            // An infinity of the values is no error.
            assert_eq!(met("add", index(), f64::INFINITY), None);
        }
        // The loop of another dtype than the array's.
        for index in [last as fn() -> [AnyIndex; 1], mask, slice] {
            let code = |name: &str, array: &Array, value: f64| {
                let call = || ufunc(name).at(array, index(), value);
                errstate(raise.clone(), call).err().map(|error| error.code())
            };
            let integers = || arange(0, 3, 1);
            assert_eq!(code("divide", &integers(), 0.0), Some("PX155"));
            assert_eq!(code("divide", &integers(), 2.0), None);
            let singles = full([3], 1e30, DType::F32);
            assert_eq!(code("multiply", &singles, 1e30), Some("PX155"));
        }
        let invalid = met("sqrt", mask(), 0.0).unwrap();
        assert_eq!(invalid, "error[PX155]: invalid value encountered in sqrt");
        // Only together do the occurrences of an element overflow.
        let twice = || ix![&from_slice(&[2i64, 2], [2])];
        let over = met("add", twice(), 8e307).unwrap();
        assert_eq!(over, "error[PX155]: overflow encountered in add");
        assert_eq!(met("add", twice(), 3e307), None);
    });
}

/// Both reported no error, because they were counted as parts of another call.
#[test]
fn casts_with_an_order_and_outer_calls_report_floating_errors() {
    on_lines(|| {
        let raise = FloatingErrors::all(FloatingErrorMode::Raise);
        let large = full([2], 1e300, DType::F64);
        let cast = |array: &Array| array.astype_in(DType::F32, MemoryOrder::C);
        let error = errstate(raise.clone(), || cast(&large)).expect_err("an overflow of a cast");
        assert!(error.to_string().contains("overflow encountered in cast"));
        let operands = [large.into(), zeros([2], DType::F64).into()];
        let outer = || ufunc("divide").outer_with(&operands, &UfuncOptions::default());
        let error = errstate(raise, outer).expect_err("a division by zero");
        assert!(error.to_string().contains("divide by zero encountered in divide"));
    });
}
