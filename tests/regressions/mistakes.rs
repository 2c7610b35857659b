//! Mistakes that panicked or were accepted silently. They give an error now, with the line that
//! made it.

use crate::{on, on_lines};
use phalanx::prelude::*;
use phalanx::{Argument, Bounds, Config, HostArray, Limits, Mesh, MeshHandle, Policy, Session};
use phalanx::{Sharding, Split, arange_as, fft, io, random, result_type, tensordot};

/// Cases: the code that each must give, and the array that carries the error.
macro_rules! cases {
    ($($code:literal $array:expr;)*) => { vec![$(($code, $array)),*] };
}

/// The file and line of an array's error; `None` for an array without an error.
fn line_of(array: &Array) -> Option<(&'static str, u32)> {
    let site = array.evaluate().err().and_then(|error| error.site());
    site.map(|site| (site.file(), site.line()))
}

/// Checks that every array carries an error with its code, made in this file.
fn check(cases: Vec<(&str, Array)>) {
    for (number, (code, array)) in cases.into_iter().enumerate() {
        let told = array.evaluate().err().map(|error| error.code());
        assert_eq!(told, Some(code), "case {number}: {array:?}");
        let file = line_of(&array).map(|(file, _)| file);
        assert_eq!(file, Some(file!()), "case {number}: {array:?}");
    }
}

/// Products of extents overflowed, and the number of axes was not checked.
#[test]
fn shapes_beyond_every_limit_were_not_refused() {
    on_lines(|| {
        let a = zeros([3, 4], DType::F64);
        let (none, one) = (zeros([0], DType::F64), zeros([1], DType::F64));
        let most = || zeros([1; 64], DType::F64);
        let bytes = zeros([1], DType::I8).broadcast_to([1usize << 60]);
        let tall = one.broadcast_to([1usize << 50, 1]);
        let wide = one.broadcast_to([1, 1usize << 50]);
        let host = |shape: &[usize]| {
            Array::from_host(&HostArray { dtype: DType::F64, shape: shape.to_vec(), bytes: vec![] })
        };
        check(cases! {
            "PX006" a.reshape([1i64 << 40, 1 << 40]);
            "PX006" a.reshape([i64::MAX, 3, -1]);
            "PX006" a.reshape([usize::MAX]);
            "PX006" none.reshape([1i64 << 32, 1 << 32]);
            "PX019" none.reshape([0, 1i64 << 40, 1 << 40]);
            "PX019" zeros([0, 1usize << 40, 1 << 40], DType::F64);
            "PX019" zeros([usize::MAX], DType::F64);
            "PX019" linspace(0.0, 1.0, usize::MAX);
            "PX019" arange(i64::MIN, i64::MAX, 1);
            "PX019" one.broadcast_to([1usize << 61]);
            "PX019" bytes.astype(DType::F64);
            "PX019" &tall + &wide;
            "PX019" matmul(&tall, &wide);
            "PX019" histogram(&a, usize::MAX, None).0;
            "PX019" histogram(&a, usize::MAX, Some((0.0, 1.0))).1;
            "PX019" host(&[1 << 61]);
            "PX020" host(&[2]);
            "PX023" host(&[1; 65]);
            "PX023" zeros([1; 65], DType::F64);
            "PX023" from_slice(&[1.0], [1; 65]);
            "PX023" from_function([1; 65], |_| zeros((), DType::F64));
            "PX023" most().slice(s![NewAxis]);
            "PX023" most().slice(s![0, NewAxis, NewAxis]);
            "PX023" most().expand_dims(0);
            "PX023" one.broadcast_to([1; 65]);
            "PX023" one.reshape([1; 65]);
            "PX023" one.slice([phalanx::Index::NewAxis; 300]);
        });
        assert_eq!((most() + 1).t().to_vec::<f64>().unwrap(), [1.0]);
        assert_eq!(most().slice(s![0, NewAxis]).ndim(), 64);
        assert_eq!(bytes.shape(), [1 << 60]);
    });
}

/// Slice steps overflowed, and the largest `usize` was taken as -1.
#[test]
fn steps_and_indices_beyond_every_axis_overflowed() {
    on_lines(|| {
        let a = arange(0, 12, 1).reshape([3, 4]);
        let steps = [
            (i64::MAX, 0, [-32, 8]),
            (i64::MIN, 8, [32, 8]),
            (1 << 62, 0, [0, 8]),
            (-(1 << 62), 8, [0, 8]),
        ];
        for (step, first, strides) in steps {
            let row = a.slice(s![..; step]);
            assert_eq!(row.strides(), strides, "step {step}");
            let expected: Vec<i64> = (first..first + 4).collect();
            assert_eq!(row.to_vec::<i64>().unwrap(), expected, "step {step}");
            assert_eq!(row.slice(s![..; step, ..; step]).shape(), [1, 1]);
            assert_eq!((&row + 1).t().slice(s![..; step]).sum(()).item::<i64>().unwrap(), {
                if step > 0 { first + 1 } else { first + 4 }
            });
        }
        check(cases! {
            "PX007" a.slice(s![usize::MAX]);
            "PX007" a.slice(s![.., usize::MAX]);
        });
        assert_eq!(a.slice(s![1usize..usize::MAX]).shape(), [2, 4]);
        assert_eq!(a.slice(s![usize::MAX..]).shape(), [0, 4]);
    });
}

/// Shards with too few bytes were accepted, and ranks did not agree on the error for no shards.
#[test]
fn local_shards_that_are_none_were_taken() {
    on(&[2], Limits::default(), || {
        let join = |shape: &[usize]| {
            let shape = shape.to_vec();
            let shard = HostArray { dtype: DType::F64, shape, bytes: vec![0; 8] };
            Array::from_local(vec![shard; 2], 0)
        };
        check(cases! {
            "PX031" Array::from_local(vec![], 0);
            "PX020" join(&[4]);
            "PX020" join(&[0]);
            "PX019" join(&[1 << 40, 1 << 40]);
        });
        assert_eq!(join(&[1]).shape(), [2]);
    });
}

/// The file was created before the number of bytes was checked.
#[test]
fn files_of_too_few_bytes_panicked() {
    let name = format!("phalanx-short-{}.npy", std::process::id());
    let path = std::env::temp_dir().join(name);
    let short = HostArray { dtype: DType::F64, shape: vec![3], bytes: vec![0; 8] };
    let error = phalanx::io::write_npy(&path, &short).unwrap_err();
    assert_eq!(error.code(), "PX081");
    assert!(!path.exists());
}

/// Bounds whose blocks do not tile the axis panicked or were accepted.
#[test]
fn shardings_that_do_not_tile_were_not_refused() {
    on(&[2], Limits::default(), || {
        let a = zeros([3, 4], DType::F64);
        let mesh = Mesh::line(2);
        let rows = |bounds| {
            let mut sharding = Sharding::replicated(2);
            sharding.axes[0] = Some(Split { mesh_axes: [0].into_iter().collect(), bounds });
            a.with_sharding(sharding)
        };
        check(cases! {
            "PX021" rows(Bounds::even(3, 2).clipped(0, 0, 3));
            "PX021" rows(Bounds::even(9, 2).clipped(100, 1, 3));
            "PX021" rows(Bounds::even(9, 2).clipped(i64::MAX, i64::MAX, 3));
            "PX021" rows(Bounds::even(3, 0));
            "PX021" rows(Bounds::explicit(&[usize::MAX, usize::MAX]));
            "PX021" rows(Bounds::even(3, 2).scaled(usize::MAX));
            "PX021" a.with_sharding(Sharding::even(&[3, 4], 2, &mesh));
            "PX021" a.with_sharding(Sharding::even(&[3, 4], usize::MAX, &mesh));
        });
        // A picture of such a sharding states the mismatch.
        let wrong = Sharding::even(&[3, 4], 2, &mesh);
        assert!(phalanx::picture(&wrong, &[3, 4], &mesh).contains("does not fit"));
        let reversed = rows(Bounds::even(3, 2).clipped(2, -1, 3)) + 1;
        assert_eq!(reversed.to_vec::<f64>().unwrap(), [1.0; 12]);
    });
    let huge = Mesh::new(&[("x", 1 << 40), ("y", 1 << 40)]);
    let config = Config::for_tests(2);
    let session = Session::with_options(config, Some(huge), Policy::default(), Limits::default());
    assert!(session.is_err());
}

/// Assigned numbers were wrapped or lost their imaginary part; arrays were refused where NumPy
/// truncates.
#[test]
fn assignments_did_not_cast_as_numpy_does() {
    on_lines(|| {
        let written = |dtype, value: Argument| {
            let a = zeros([2], dtype);
            a.assign(value);
            a
        };
        let masked = |dtype, value: Argument| {
            let a = zeros([2], dtype);
            a.assign_where(&from_slice(&[true, false], [2]), value);
            a
        };
        let mut complex = phalanx_ops::Weak::Int(1).to_complex();
        complex.im = 2.0;
        check(cases! {
            "PX013" written(DType::I8, 300.into());
            "PX013" written(DType::I8, 300.7.into());
            "PX013" written(DType::U64, (-1.5).into());
            "PX013" written(DType::I32, f64::NAN.into());
            "PX013" written(DType::I64, f64::INFINITY.into());
            "PX013" written(DType::I64, 1e300.into());
            "PX012" written(DType::F64, complex.into());
            "PX012" written(DType::I32, complex.into());
            "PX013" masked(DType::I8, 300.into());
            "PX012" masked(DType::F64, complex.into());
            "PX013" full([3], 300, DType::I8);
            "PX013" full([3], -1, DType::U64);
        });
        let values = |array: Array| array.to_vec::<i64>().unwrap();
        // Like NumPy's `where`, which wraps numbers.
        let wrapped = select(&zeros([1], DType::Bool), zeros([1], DType::I8), 300);
        assert_eq!(values(wrapped), [44]);
        assert_eq!(values(written(DType::I32, 2.7.into())), [2, 2]);
        assert_eq!(values(written(DType::I64, from_slice(&[1.5, -3.5], [2]).into())), [1, -3]);
        assert_eq!(values(written(DType::F64, full((), complex, DType::C128).into())), [1, 1]);
        assert_eq!(values(written(DType::Bool, complex.into())), [1, 1]);
        assert_eq!(values(full([1], 300.7, DType::I8)), [44]);
        assert_eq!(values(masked(DType::I32, 2.7.into())), [2, 0]);
        // Elements that are not written are not converted through floats.
        let large = full([2], i64::MAX, DType::I64);
        large.assign_where(&from_slice(&[true, false], [2]), from_slice(&[1.5, 1.5], [2]));
        assert_eq!(values(large), [1, i64::MAX]);
        let mut summed = zeros([2], DType::I64);
        summed += 0.5;
        assert_eq!(summed.to_vec::<i64>().unwrap_err().code(), "PX012");
    });
}

/// A write in place.
type Write<'a> = &'a dyn Fn(&mut Array);

/// Four of NumPy's operators had no in-place form.
#[test]
fn operators_in_place_were_missing() {
    on_lines(|| {
        let after = |dtype, write: Write| {
            let mut a = arange(1, 4, 1).astype(dtype);
            write(&mut a);
            a
        };
        let values = |array: Array| array.to_vec::<f64>().unwrap();
        let exponents = |last: i64| &(arange(1, 4, 1) * 1.0).astype(DType::I64) - (3 - last);
        let (i64, f64, f32) = (DType::I64, DType::F64, DType::F32);
        assert_eq!(values(after(i64, &|a| a.floor_divide_assign(2))), [0.0, 1.0, 1.0]);
        assert_eq!(values(after(f64, &|a| a.floor_divide_assign(0.7))), [1.0, 2.0, 4.0]);
        assert_eq!(values(after(i64, &|a| a.power_assign(2))), [1.0, 4.0, 9.0]);
        assert_eq!(values(after(i64, &|a| a.power_assign(exponents(3)))), [1.0, 4.0, 27.0]);
        assert_eq!(values(after(f32, &|a| a.power_assign(2.0))), [1.0, 4.0, 9.0]);
        assert_eq!(values(after(i64, &|a| *a <<= 2)), [4.0, 8.0, 12.0]);
        assert_eq!(values(after(i64, &|a| *a >>= &arange(1, 4, 1))), [0.0, 0.0, 0.0]);
        assert_eq!(values(after(i64, &|a| a.slice(s![1..]).left_shift_assign(1))), [1.0, 4.0, 6.0]);
        assert_eq!(values(after(i64, &|a| a.right_shift_assign(1))), [0.0, 1.0, 1.0]);
        let wrong: [(&str, DType, Write); 6] = [
            ("PX022", i64, &|a| a.power_assign(-1)),
            ("PX022", i64, &|a| a.power_assign(exponents(1))),
            ("PX012", i64, &|a| a.power_assign(0.5)),
            ("PX012", i64, &|a| a.floor_divide_assign(2.0)),
            ("PX011", f64, &|a| *a <<= 1),
            ("PX013", DType::I8, &|a| *a >>= 300),
        ];
        for (code, dtype, write) in wrong {
            assert_eq!(after(dtype, write).to_vec::<i64>().unwrap_err().code(), code);
        }
    });
}

/// Functions composed of others reported a line of the library.
#[test]
fn errors_in_functions_of_functions_had_lines_of_the_library() {
    on_lines(|| {
        let a = zeros([3, 4], DType::F64);
        let line = line!() + 1;
        let stretched = from_function([3], |_| zeros([4], DType::F64));
        assert_eq!(line_of(&stretched), Some((file!(), line)));
        // An error in the user's own expression has the line of that expression.
        let mut line = 0;
        let inner = from_function([3], |index| {
            line = line!() + 1;
            &index[0] + zeros([4], DType::F64)
        });
        assert_eq!(line_of(&inner), Some((file!(), line)));
        check(cases! {
            "PX017" histogram(&(&a + f64::NAN), 3, None).0;
            "PX017" percentile(&a, &[101.0]);
            "PX003" a.var(7, 0.0);
            "PX003" a.std(keepdims(7), 0.0);
            "PX003" a.mean(7);
        });
        // The plan states for each node the line that recorded it.
        let integers = arange(0, 12, 1).reshape([3, 4]);
        for pending in [
            histogram(&a, 3, Some((0.0, 1.0))).0,
            matmul(&integers, &integers.t()),
            linspace(0.0, 1.0, 5),
            arange(2, 9, 3),
            a.var(0, 0.0),
        ] {
            let plan = pending.explain().unwrap();
            assert!(!plan.contains("array/src"), "{plan}");
            phalanx::flush().unwrap();
        }
        assert!(MeshHandle::current().is_some());
    });
}

/// The axes of arrays with an error were checked before the error.
#[test]
fn errors_were_replaced_by_those_of_axes() {
    on_lines(|| {
        let broken = zeros([3, 4], DType::F64) + zeros([5], DType::F64);
        check(cases! {
            "PX001" broken.expand_dims(3);
            "PX001" broken.var(1, 0.0);
            "PX001" broken.std(1, 0.0);
            "PX001" broken.mean(keepdims(1));
            "PX001" broken.broadcast_to([2, 2]);
            "PX001" broken.squeeze();
            "PX001" broken.t();
        });
    });
}

/// Generators drew on their own mesh, not on the current one: numbers that one rank drew for itself
/// were missing in the numbers that all ranks drew together.
#[test]
fn generators_drew_where_they_are_not_at_home() {
    let session = |devices| {
        let config = Config::default().devices(devices);
        Session::with_options(config, None, Policy::default(), Limits::default()).unwrap()
    };
    let (one, other) = (session(1), session(2));
    let generator = one.handle().enter(|| random::seeded(7)).unwrap();
    let [first, refused, second] = [&one, &other, &one]
        .map(|session| session.handle().enter(|| generator.random([2], DType::F64)));
    assert_eq!(refused.ok().map(|_| ()).unwrap_err().code(), "PX018");
    // The refused draws did not advance the generator.
    let expected = one.handle().enter(|| random::seeded(7)).unwrap();
    let expected = one.handle().enter(|| expected.random([4], DType::F64)).to_vec::<f64>().unwrap();
    let drawn = [first.to_vec::<f64>().unwrap(), second.to_vec::<f64>().unwrap()].concat();
    assert_eq!(drawn, expected);
}

/// The first rank of the current mesh wrote files, so arrays local to another rank were not
/// written. Arrays of two meshes were written to one file.
#[test]
fn files_were_written_on_the_current_mesh() {
    let session = |devices| {
        let config = Config::default().devices(devices);
        Session::with_options(config, None, Policy { split_from: 1 }, Limits::default()).unwrap()
    };
    let (one, other) = (session(1), session(2));
    let [own, others] = [&one, &other].map(|session| session.handle().enter(|| arange(0, 4, 1)));
    let name = format!("phalanx-regression-{}.npz", std::process::id());
    let path = std::env::temp_dir().join(name);
    io::savez(&path, &[("own", &own)]).unwrap();
    assert_eq!(io::read_npz_member(&path, "own").unwrap().shape, [4]);
    std::fs::remove_file(&path).unwrap();
    let mixed = io::savez(&path, &[("own", &own), ("others", &others)]);
    assert_eq!(mixed.unwrap_err().code(), "PX018");
    assert!(!path.exists());
}

/// NumPy reads extents of shapes by position, and divides by zero.
#[test]
fn classes_of_errors_were_others() {
    on_lines(|| {
        let class = |array: Array| array.evaluate().expect_err("an error").numpy_class();
        let square = || ones([2, 2], DType::F64);
        assert_eq!(class(tensordot(&square(), &square(), 3)), "IndexError");
        assert_eq!(class(fft::fft2(&ones([3], DType::F64), ())), "IndexError");
        assert_eq!(class(fft::fftfreq(0, 1.0)), "ZeroDivisionError");
        assert_eq!(class(fft::rfftfreq(3, 0.0)), "ZeroDivisionError");
        assert_eq!(class(arange_as(0, 3, 1, DType::Bool)), "TypeError");
        assert_eq!(result_type(&[]).expect_err("of nothing").numpy_class(), "ValueError");
        assert_eq!(fft::rfftfreq(-3, 1.0).shape(), [0]);
    });
}

/// `shape()` of an array with an error is that of a 0-d array, and the error was not reported.
#[test]
fn errors_that_nobody_looked_at_were_lost() {
    on_lines(|| {
        let (a, b) = (arange(0, 3, 1), arange(0, 4, 1));
        let mesh = a.mesh().unwrap();
        let unlooked = &a + &b;
        let passed_on = &unlooked * 2;
        assert_eq!(unlooked.shape(), [] as [usize; 0]);
        let (errors, more) = mesh.unseen_errors();
        assert_eq!((errors.len(), more), (1, 0), "one error, however many arrays carry it");
        assert!(errors[0].site().unwrap().file().ends_with("mistakes.rs"));
        // Reported once, and not at all if the program has seen the error.
        assert!(mesh.unseen_errors().0.is_empty());
        let looked_at = &a + &b;
        assert_eq!(looked_at.try_shape().unwrap_err().code(), "PX001");
        let observed = &a - &b;
        assert!(observed.to_vec::<i64>().is_err());
        let handled = &passed_on * 3;
        assert!(handled.ok().is_err());
        assert!(mesh.unseen_errors().0.is_empty());
        // Not all errors of a loop are kept.
        for _ in 0..20 {
            let _lost = &a * &b;
        }
        let (errors, more) = mesh.unseen_errors();
        assert_eq!((errors.len(), more), (8, 12));
    });
}

/// There were no forms of `shape` and the like that return a `Result`.
#[test]
fn arrays_with_errors_had_wrong_shapes() {
    on_lines(|| {
        let a = arange(0, 6, 1).reshape([2, 3]);
        assert_eq!(a.try_shape().unwrap(), [2, 3]);
        assert_eq!((a.try_ndim().unwrap(), a.try_size().unwrap()), (2, 6));
        assert_eq!(a.try_dtype().unwrap(), DType::I64);
        assert_eq!(a.try_strides().unwrap(), [24, 8]);
        let broken = a.reshape([4, 4]);
        let code = a.reshape([4, 4]).ok().err().unwrap().code();
        assert_eq!(broken.try_shape().unwrap_err().code(), code);
        assert_eq!(broken.try_ndim().unwrap_err().code(), code);
        assert_eq!(broken.try_size().unwrap_err().code(), code);
        assert_eq!(broken.try_dtype().unwrap_err().code(), code);
        assert_eq!(broken.try_strides().unwrap_err().code(), code);
    });
}

/// A program that never read an array with an error ended without a report.
#[test]
fn the_end_of_a_session_said_nothing_of_errors() {
    const CHILD: &str = "UNSEEN_ERRORS_CHILD";
    if std::env::var_os(CHILD).is_some() {
        let session = phalanx::init(Config::for_tests(1)).unwrap();
        let _lost = arange(0, 3, 1) + arange(0, 4, 1);
        return session.finish().unwrap();
    }
    let text = alone("mistakes::the_end_of_a_session_said_nothing_of_errors", CHILD);
    assert!(text.contains("an error that the program never examined:\nerror[PX001]"), "{text}");
    assert!(text.contains("mistakes.rs:"), "{text}");
}

/// The standard error of a test in a separate process, where no other test starts a session.
fn alone(test: &str, variable: &str) -> String {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let child = child.args([test, "--exact", "--nocapture"]).env(variable, "1");
    let ended = child.output().unwrap();
    let text = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{text}");
    text
}

/// A second session replaced the first, and arrays of the two could not be combined.
#[test]
fn a_second_init_was_not_refused() {
    const CHILD: &str = "SECOND_INIT_CHILD";
    if std::env::var_os(CHILD).is_none() {
        alone("mistakes::a_second_init_was_not_refused", CHILD);
        return;
    }
    let begin = || phalanx::init(Config::for_tests(1));
    let first = begin().unwrap();
    let refused = begin().err().unwrap();
    assert_eq!(refused.code(), "PX153");
    assert!(refused.to_string().contains("mistakes.rs"), "{refused}");
    // A session inside the first must be started explicitly.
    let (policy, limits) = (Policy::default(), Limits::default());
    drop(Session::with_options(Config::for_tests(2), None, policy, limits).unwrap());
    assert_eq!(arange(0, 4, 1).sum(()).item::<i64>().unwrap(), 6);
    assert_eq!(begin().err().map(|error| error.code()), Some("PX153"));
    first.finish().unwrap();
    drop(begin().unwrap());
    begin().unwrap().finish().unwrap();
}
