//! Plans for four GPUs, on any machine. They include how the first GPU runs each launch, so that a
//! change of the variants shows. Tests on machines with GPUs compare the values.

use crate::files;
use crate::plans::without_lines;
use phalanx::prelude::*;
use phalanx::{Config, Devices, Limits, Policy, Session};

/// Runs `body` on four Null devices instead of GPUs.
fn planned<R>(config: Config, body: impl FnOnce() -> R) -> R {
    let config = Config { devices: Devices::NullCuda(4), ..config };
    let session = Session::with_options(config, None, Policy::default(), Limits::default());
    let session = session.expect("a session starts");
    let result = session.handle().enter(body);
    session.finish().expect("the session ends well");
    result
}

fn check(name: &str, program: fn() -> Array) {
    planned(Config::default(), || {
        let plan = program().explain().expect("a plan is explained");
        assert!(plan.contains("\n  gpu 0, "), "{plan}");
        files::check(&format!("plans/null_cuda/{name}.plan"), &without_lines(&plan));
    });
}

/// An evaluated array.
fn made(shape: &[usize], dtype: DType) -> Array {
    let array = ones(shape, dtype);
    array.evaluate().expect("nothing is computed");
    array
}

#[test]
fn a_chain_of_operations() {
    check("chain", || {
        let a = made(&[1 << 26], DType::F32);
        (&a * &a + 1.0f32).sqrt() - a.exp()
    });
}

#[test]
fn sums_of_every_shape() {
    check("rows", || made(&[10_000, 20_000], DType::F32).sum(1));
    check("long", || made(&[1 << 28], DType::F64).sum(()));
    check("columns", || made(&[20_000_000, 8], DType::F64).sum(0));
}

#[test]
fn variances_read_once() {
    check("variance", || made(&[1 << 28], DType::F64).var((), 0.0));
    check("mean_and_variance", || {
        let a = made(&[20_000_000, 8], DType::F32);
        (&a - a.mean(0)) / a.std(0, 0.0)
    });
    check("complex_variance", || made(&[1 << 27], DType::C128).var((), 0.0));
}

#[test]
fn a_sum_with_the_transpose() {
    check("add_transpose", || {
        let a = made(&[8192, 8192], DType::F64);
        &a + a.t()
    });
}

#[test]
fn five_points_of_a_grid() {
    check("stencil", || {
        let p = made(&[8192, 8192], DType::F64);
        let (north, south) = (p.slice(s![..-2, 1..-1]), p.slice(s![2.., 1..-1]));
        let (west, east) = (p.slice(s![1..-1, ..-2]), p.slice(s![1..-1, 2..]));
        north + south + west + east - 4.0 * p.slice(s![1..-1, 1..-1])
    });
}

#[test]
fn reading_an_element_says_that_there_is_none() {
    planned(Config::default(), || {
        let a = made(&[1 << 20], DType::F64);
        let sum = (&a + 1.0).sum(());
        for error in [
            sum.to_vec::<f64>().expect_err("no element"),
            a.local_shards().map(drop).expect_err("no element"),
            sum.item::<f64>().expect_err("no element"),
        ] {
            assert_eq!(error.code(), "PX059");
            assert!(error.to_string().contains("null-cuda:0 only plans"), "{error}");
            assert!(error.hint().contains("PHALANX_DEVICES=cpu"), "{}", error.hint());
        }
        // A shape that depends on elements cannot be known.
        let kept = a.compress(&a.greater(0.5));
        assert_eq!(kept.ok().expect_err("no shape").code(), "PX059");
        // The program continues.
        let next = &a * 2.0;
        assert!(next.explain().expect("a plan").contains("gpu 0"));
        assert!(!next.sharding().expect("a sharding").is_replicated());
        assert_eq!(next.shape(), [1 << 20]);
        next.evaluate().expect("nothing is computed");
    });
}

#[test]
fn the_texts_of_kernels_are_written() {
    let folder = std::env::temp_dir().join(format!("phalanx-null-{}", std::process::id()));
    let mut config = Config::default();
    config.cuda.save_source = Some(folder.clone());
    planned(config, || {
        let a = made(&[1 << 20], DType::F32);
        (a.sin() * 2.0f32).evaluate().expect("nothing is computed");
    });
    let entries = std::fs::read_dir(&folder).expect("a folder was made");
    let texts: Vec<String> = entries
        .map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).expect("a text"))
        .collect();
    let _ = std::fs::remove_dir_all(&folder);
    assert!(texts.iter().any(|text| text.contains("op_sin(")), "{texts:?}");
    assert!(texts.iter().all(|text| text.contains("KERNEL(256) run(")), "{texts:?}");
}
