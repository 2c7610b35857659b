//! Warnings about data and casts, which Rust programs did not have.

use crate::on_lines;
use num_complex::Complex64;
use phalanx::prelude::*;
use phalanx::{
    Failure, FillOptions, Product, ProductOptions, UfuncOptions, Warning, asarray, cumulative_as,
    full_as, join_as, nanmax, nanmedian, report_warnings,
};
use std::cell::Cell;
use std::sync::Mutex;

static WARNINGS: Mutex<Vec<Warning>> = Mutex::new(Vec::new());
/// Held by a test that sets the receiver of warnings, which all threads share.
static RECEIVER: Mutex<()> = Mutex::new(());

thread_local! {
    static COMPLEX: Cell<usize> = const { Cell::new(0) };
    static REFUSES: Cell<bool> = const { Cell::new(false) };
}

#[derive(Debug)]
struct Refused;

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

impl Failure for Refused {
    fn code(&self) -> &'static str {
        "PX157"
    }
    fn hint(&self) -> &'static str {
        "no hint"
    }
}

/// Counts warnings of discarded imaginary parts, and refuses them if the thread asks for it.
fn count_complex(warning: Warning) -> Result<(), Error> {
    let is_complex = warning.class == "ComplexWarning";
    COMPLEX.set(COMPLEX.get() + usize::from(is_complex));
    match is_complex && REFUSES.get() {
        true => Err(Error::failure(Refused, Some(warning.site))),
        false => Ok(()),
    }
}

/// The module for Python decided which casts warn, and Rust never warned.
#[test]
fn casts_that_discard_imaginary_parts_warn_once() {
    let _alone = RECEIVER.lock();
    let before = report_warnings(Some(count_complex));
    on_lines(|| {
        let z = from_slice(&[Complex64::new(1.0, 2.0), Complex64::new(3.0, -1.0)], [2]);
        let (real, one) = (|| zeros([2], DType::F64), || zeros((), DType::F64));
        let to = |dtype| axis(0).dtype(dtype);
        let into = |out: &Array| axis(0).out(out);
        let add = ufunc(Op::Add);
        let unsafely = |out: Array| UfuncOptions {
            casting: Casting::Unsafe,
            out: vec![Some(out)],
            ..UfuncOptions::default()
        };
        let first = from_slice(&[0i64, 1], [2]);
        let complex = Samples::from(3).dtype(DType::F32);
        let products = |out| ProductOptions {
            casting: Casting::Unsafe,
            out: Some(out),
            ..ProductOptions::default()
        };
        let lines: [(&str, &dyn Fn()); 30] = [
            ("astype", &|| drop(z.astype(DType::F64))),
            ("astype_in", &|| drop(z.astype_in(DType::I32, MemoryOrder::F))),
            ("asarray", &|| drop(asarray(&z, DType::F32))),
            ("assign", &|| real().assign(&z)),
            ("index", &|| real().assign_index(ix![&first], &z)),
            ("flat", &|| drop(real().try_assign_flat(ix![..], &z))),
            ("put", &|| real().put(&first, &z, Mode::Raise)),
            ("copyto", &|| drop(copyto(&real(), &z, None, Casting::Unsafe))),
            ("insert", &|| drop(insert(&real(), 0, &z.slice(s![0]), ()))),
            ("sum dtype", &|| drop(z.sum(to(DType::F64)))),
            ("sum out", &|| drop(z.sum(into(&one())))),
            ("nanmax out", &|| drop(nanmax(&z, into(&one())))),
            ("mean out", &|| drop(z.mean(into(&one())))),
            ("mean dtype", &|| drop(z.mean(to(DType::F32)))),
            ("var dtype", &|| drop(z.var(to(DType::F64), 0.0))),
            ("reduce out", &|| drop(add.reduce(&z, into(&one())))),
            ("accumulate", &|| drop(add.accumulate_as(&z, 0, DType::F64))),
            ("reduceat", &|| drop(add.reduceat_as(&z, &first, 0, DType::F64))),
            ("cumsum", &|| drop(cumulative_as(&z, Op::Add, 0, DType::F64))),
            ("at", &|| add.at(&real(), ix![&first], &z)),
            ("at a slice", &|| add.at(&real(), ix![..], &z)),
            ("add", &|| drop(add.call(&[(&z).into(), 1.into()], &unsafely(real())))),
            ("clip", &|| drop(z.clip_with(0, 2, &unsafely(real())))),
            ("vecdot", &|| drop(product(Product::Vecdot, &z, &z, &products(one())))),
            ("einsum", &|| drop(einsum_with("i->i", &[&z], &products(real())))),
            ("linspace", &|| drop(linspace(Complex64::new(0.0, 1.0), 1.0, complex))),
            ("full", &|| drop(full_as([2], &z, FillOptions::default().dtype(DType::F64)))),
            ("pad", &|| drop(pad(&real(), 1, PadMode::Constant(Complex64::I.into())))),
            ("join", &|| {
                let join = |all: &[&Array]| stack(all, 0);
                drop(join_as(&[&z], Some(DType::F64), Casting::Unsafe, join));
            }),
            ("cov", &|| drop(cov(&z, CovarianceOptions::default().dtype(DType::F64)))),
        ];
        for (name, call) in lines {
            COMPLEX.set(0);
            call();
            assert_eq!(COMPLEX.get(), 1, "{name}");
        }
        COMPLEX.set(0);
        drop((z.astype(DType::C64), z.astype(DType::Bool), z.var((), 0.0), z.any(())));
        drop((z.sum(to(DType::C64)), z.real(), z.count_nonzero(()), corrcoef(&z, ())));
        real().assign(Scalar::new(Complex64::I));
        assert_eq!(COMPLEX.get(), 0);
        // A refused warning leaves the target unchanged.
        REFUSES.set(true);
        let (target, total) = (real(), one());
        assert_eq!(target.try_assign(&z).unwrap_err().code(), "PX157");
        assert!(add.call(&[(&z).into(), 1.into()], &unsafely(target.clone())).is_err());
        assert!(add.try_at(&target, ix![&first], &z).is_err());
        assert!(target.try_put(&first, &z, Mode::Raise).is_err());
        assert!(z.sum(into(&total)).ok().is_err() && z.astype(DType::F64).ok().is_err());
        REFUSES.set(false);
        assert_eq!(target.to_vec::<f64>().unwrap(), [0.0, 0.0]);
        assert_eq!(total.item::<f64>().unwrap(), 0.0);
    });
    report_warnings(before);
}

#[test]
fn slices_without_numbers_are_warned_of_where_that_is_asked_for() {
    fn note(warning: Warning) -> Result<(), Error> {
        WARNINGS.lock().unwrap().push(warning);
        Ok(())
    }
    let _alone = RECEIVER.lock();
    on_lines(|| {
        let x = full([2, 3], f64::NAN, DType::F64);
        let before = report_warnings(Some(note));
        let means = nanmean(&x, 0);
        let none = zeros([0], DType::F64).mean(());
        let medians = (nanmedian(&x, 1), median(&zeros([0, 2], DType::F64), 0));
        let covariances = cov(&from_slice(&[1.0, 2.0], [2, 1]), ());
        let others = [&none, &medians.0, &medians.1, &covariances];
        means.evaluate().unwrap();
        others.iter().for_each(|array| array.evaluate().unwrap());
        report_warnings(before);
        let texts: Vec<_> = WARNINGS.lock().unwrap().drain(..).map(|it| it.text).collect();
        // Other tests of the process may meet the function, too.
        let count = |text: &str| texts.iter().filter(|it| **it == text).count();
        assert!(count("Mean of empty slice") >= 3);
        assert!(count("All-NaN slice encountered") >= 1);
        assert!(count("Degrees of freedom <= 0 for slice") >= 1);
    });
}
