//! Errors as users read them: every error in the arguments of a call, with the line that caused it.

use crate::files;
use crate::inputs::{array, on_devices};
use phalanx::host_kernels::host_kernel;
use phalanx::launches::{LaunchArgument, LaunchSize};
use phalanx::planning::null_mesh;
use phalanx::prelude::*;
use phalanx::user_kernels::ElementwiseKernel;
use phalanx::{
    Bounds, CovarianceOptions, Error, ErrorKind, Limits, Mesh, Policy, Sharding, Split, SplitAlong,
    Ufunc, UfuncOptions, cov, ix, linalg,
};
use phalanx_ops::error::OpError;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The name of an error's variant; exhaustive, so that a new variant requires a case.
fn variant(error: &OpError) -> &'static str {
    match error {
        OpError::Broadcast { .. } => "Broadcast",
        OpError::BroadcastInto { .. } => "BroadcastInto",
        OpError::Axis { .. } => "Axis",
        OpError::DuplicateAxis { .. } => "DuplicateAxis",
        OpError::Permutation { .. } => "Permutation",
        OpError::Reshape { .. } => "Reshape",
        OpError::Index { .. } => "Index",
        OpError::TooManyIndices { .. } => "TooManyIndices",
        OpError::Ellipses => "Ellipses",
        OpError::ZeroStep => "ZeroStep",
        OpError::Dtype { .. } => "Dtype",
        OpError::Cast { .. } => "Cast",
        OpError::Mask { .. } => "Mask",
        OpError::OutOfRange { .. } => "OutOfRange",
        OpError::EmptyReduction { .. } => "EmptyReduction",
        OpError::ContractedSizes { .. } => "ContractedSizes",
        OpError::Ndim { .. } => "Ndim",
        OpError::Argument { .. } => "Argument",
        OpError::Arguments { .. } => "Arguments",
        OpError::KernelText { .. } => "KernelText",
        OpError::KernelArguments { .. } => "KernelArguments",
        OpError::KernelLaunch { .. } => "KernelLaunch",
        OpError::Meshes { .. } => "Meshes",
        OpError::TooLarge { .. } => "TooLarge",
        OpError::TooManyAxes { .. } => "TooManyAxes",
        OpError::Reinterpret { .. } => "Reinterpret",
        OpError::Zero { .. } => "Zero",
        OpError::Matrix { .. } => "Matrix",
        OpError::NotSquare { .. } => "NotSquare",
        OpError::Matrices { .. } => "Matrices",
        OpError::Indices { .. } => "Indices",
        OpError::IndexShapes { .. } => "IndexShapes",
        OpError::MaskShape { .. } => "MaskShape",
        OpError::DataLength { .. } => "DataLength",
        OpError::Sharding { .. } => "Sharding",
        OpError::Weights { .. } => "Weights",
        OpError::NoLoop { .. } => "NoLoop",
        OpError::UfuncCast { .. } => "UfuncCast",
        OpError::Sequence { .. } => "Sequence",
        OpError::Shards { .. } => "Shards",
    }
}

const VARIANTS: usize = 40;

/// The error that an array carries; evaluates the array.
fn of(array: Array) -> Error {
    array.evaluate().expect_err("the array carries an error")
}

/// The error of a call of a ufunc on an array, twice where it takes two.
#[track_caller]
fn call(name: &str, array: &Array, options: UfuncOptions) -> Error {
    let ufunc = Ufunc::from_name(name).expect("a ufunc");
    let operands = vec![array.into(); ufunc.nin()];
    ufunc.call(&operands, &options).expect_err("the call is refused")
}

/// A sharding of rows in two blocks that do not add up.
fn wrong_sharding() -> Sharding {
    let mut sharding = Sharding::replicated(2);
    let bounds = Bounds::explicit(&[4]);
    sharding.axes[0] = Some(Split { mesh_axes: [0].into_iter().collect(), bounds });
    sharding
}

/// Each mistake is on its own line, which the golden text shows.
#[rustfmt::skip]
fn mistakes() -> Vec<Error> {
    let a = array(&[3, 4], 1);
    let numbers = arange(0, 12, 1);
    let bytes = zeros([2], DType::U8);
    let other = null_mesh(Mesh::line(2), Policy::default(), None);
    let elsewhere = other.enter(|| zeros([3, 4], DType::F64));
    let mut summed = numbers.copy();
    summed += 0.5;
    let written = a.copy();
    written.slice(s![.., 0]).assign(&numbers);
    let plain = UfuncOptions::default();
    let signature = Some(vec![None, None, Some(DType::I8), Some(DType::F64)]);
    let with_no_loop =
        UfuncOptions { signature, casting: Casting::Unsafe, ..plain.clone() };
    let without_casts = UfuncOptions { casting: Casting::No, ..plain.clone() };
    let into_integers = UfuncOptions { out: vec![Some(numbers.copy())], ..plain };
    vec![
        of(&a + zeros([3], DType::F64)),
        of(select(&a.greater(0.0), &numbers, 0)),
        of(written),
        a.slice(s![0, ..]).try_assign(zeros([2, 4], DType::F64)).expect_err("too large"),
        of(a.sum(2)),
        of(a.expand_dims(4)),
        of(a.mean([0, -2])),
        of(a.transpose([0, 0])),
        of(a.reshape([5, -1])),
        of(numbers.reshape([-1, -1])),
        of(a.slice(s![3, ..])),
        of(a.at([0, -5])),
        of(a.slice(s![0, 0, 0])),
        of(a.slice(s![Ellipsis, 0, Ellipsis])),
        of(a.slice(s![..; 0])),
        of(&a & a.sqrt()),
        of(a.compress(&numbers)),
        of(summed),
        numbers.try_assign(f64::NAN).expect_err("no integer"),
        of(&bytes + 300),
        of(zeros([0, 3], DType::F64).max(0)),
        of(matmul(&a, &a)),
        of(matmul(&a, &numbers)),
        of(arange(0, 10, 0)),
        a.item::<f64>().expect_err("there are twelve"),
        of(zeros([2, -2], DType::F64)),
        of(percentile(&a, &[50.0, 101.0])),
        of(phalanx::average(&a, (), Some(&numbers))),
        ElementwiseKernel::new("cut", ("T x", "T y"), "y = x;\nbreak;").expect_err("a loop's word"),
        ElementwiseKernel::new("sum", ("T x, T y", "T z"), "z = x + y")
            .and_then(|kernel| kernel.call(&[(&a).into()], None))
            .expect_err("one input is missing"),
        host_kernel("write", |_| ())
            .launch(
                LaunchSize { blocks: [1; 3], threads: [1; 3], shared: 0 },
                &[LaunchArgument::Array(zeros([3], DType::F64).broadcast_to([2, 3]))],
            )
            .expect_err("a broadcast array cannot be written"),
        of(&a + &elsewhere),
        of(zeros([1usize << 40, 1 << 40], DType::F64)),
        of(zeros([1; 65], DType::F64)),
        of(from_slice(&[1.0, 2.0, 3.0], [2, 2])),
        of(a.with_sharding(wrong_sharding())),
        of(a.t().view(DType::F32)),
        of(bytes.view(DType::U32)),
        of(a.at([0, 0]).view(DType::U8)),
        of(phalanx::searchsorted(&a, 1.0, phalanx::Side::Left)),
        of(linalg::inv(&numbers)),
        of(linalg::det(&a)),
        of(linalg::cond(&zeros([0, 0], DType::F64), linalg::Ord::Default)),
        of(a.index(ix![&a])),
        of(a.index(ix![&numbers, &arange(0, 2, 1)])),
        of(a.index(ix![&numbers.greater(3)])),
        of(cov(&a, CovarianceOptions::default().fweights(&numbers))),
        call("divmod", &a, with_no_loop),
        call("sqrt", &numbers, without_casts),
        call("add", &a, into_integers),
        a.try_assign_at([0, 0], numbers, true).expect_err("one element"),
        SplitAlong::of_shards([Some((SplitAlong::One(0), 3))].into_iter()).expect_err("one of 3"),
    ]
}

/// The error with the text of the line that caused it, instead of its number.
fn rendered(error: &Error) -> String {
    let site = error.site().expect("a mistake has a place");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(site.file());
    let source = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let line = source.lines().nth(site.line() as usize - 1).expect("the place exists");
    let place = format!("{}:{}", site.file(), site.line());
    error.to_string().replace(&place, &format!("{}: {}", site.file(), line.trim()))
}

#[test]
fn golden_mistakes() {
    on_devices(1, Limits::default(), |_| {
        let (mut text, mut found) = (String::new(), BTreeSet::new());
        for error in mistakes() {
            let ErrorKind::Op(kind) = error.kind() else {
                panic!("{error} is no mistake of a call")
            };
            assert_eq!(kind.code(), error.code());
            found.insert(variant(kind));
            let _ = writeln!(text, "{}\n{}\n", variant(kind), rendered(&error));
        }
        files::check("errors/mistakes.txt", &text);
        assert_eq!(found.len(), VARIANTS, "some errors have no case, of {found:?}");
    });
}

/// Errors in the elements of operands; some of them appear only when the elements are computed.
#[test]
fn golden_errors_in_data() {
    for devices in [1, 4] {
        on_devices(devices, Limits::default(), |_| {
            let base = arange(0, 5, 1);
            let exponents = array(&[5], 1).astype(DType::I64) - 100;
            let errors = [
                of(base.power(-2)),
                of(base.astype(DType::U8).power(exponents.astype(DType::I8))),
                {
                    let powers = phalanx::deferred_errors(|| base.power(&exponents));
                    (powers + 1).to_vec::<i64>().expect_err("an exponent is negative")
                },
            ];
            let mut text = String::new();
            for error in errors {
                let ErrorKind::Data(_) = error.kind() else {
                    panic!("{error} is no error in data");
                };
                let _ = writeln!(text, "{}\n", rendered(&error));
            }
            files::check("errors/data.txt", &text);
        });
    }
}

/// Arrays computed from an erroneous array carry the same error, which names the call that made it.
#[test]
fn an_error_passes_through_operations() {
    on_devices(4, Limits::default(), |_| {
        let first = of(arange(0, 6, 1) + arange(0, 5, 1));
        let line = line!() + 1;
        let broken = arange(0, 6, 1) + arange(0, 5, 1);
        let result = ((broken.slice(s![1..]) * 2).sum(()) + 1).reshape([1, 1]);
        let error = of(result.copy());
        assert_eq!(error.site().map(|site| site.line()), Some(line));
        assert_eq!(error.code(), first.code());
        // Unrelated arrays are computed normally.
        assert_eq!(arange(0, 4, 1).sum(()).item::<i64>().unwrap(), 6);
    });
}

/// Only reads of the array that a wrong write has changed report its error.
#[test]
fn readers_get_the_error_of_a_wrong_write() {
    on_devices(4, Limits::default(), |_| {
        let (a, b) = (array(&[20, 20], 1), array(&[20, 20], 2));
        let view = a.slice(s![0, ..]);
        let fine = a.copy();
        view.assign(arange(0, 3, 1));
        assert_eq!(of(a.clone()).code(), "PX002");
        assert_eq!(of(view).code(), "PX002");
        fine.evaluate().unwrap();
        assert!(b.try_assign(arange(0, 3, 1)).is_err());
        assert_eq!(b.to_vec::<f64>().unwrap(), crate::inputs::numbers(&[20, 20], 2));
    });
}

/// Failures of the work itself.
#[test]
fn golden_failures() {
    let config = Config::default().devices(1).memory_limit(1 << 20);
    let session = phalanx::init(config).expect("a session starts");
    session.handle().enter(|| {
        let mut text = String::new();
        let large = arange(0, 1 << 20, 1) * 2;
        let other = phalanx::agree(Err(String::from("the input is missing")));
        let refused = large.evaluate();
        for error in [refused.expect_err("it is too large"), other.expect_err("it failed")] {
            let ErrorKind::Failure(_) = error.kind() else {
                panic!("{error} is a mistake of a call")
            };
            let _ = writeln!(text, "{}\n", rendered(&error));
        }
        files::check("errors/failures.txt", &text);
        // The program continues with arrays that fit.
        assert_eq!(arange(0, 1000, 1).sum(()).item::<i64>().unwrap(), 499_500);
    });
    session.finish().expect("the session ends well");
}
