//! The Rust forms that docs/numpy-to-phalanx.md promises: names of the prelude, shapes, single
//! ranges, numbers on the left, digits after the point, structs of factorisations, typed shards.

use phalanx::prelude::*;

fn session() -> Result<Session, Error> {
    // `?` converts an error of `init` to the error type of arrays.
    Ok(phalanx::init(Config::default().devices(3))?)
}

#[test]
fn the_forms_of_the_tables_work() {
    let session = session().unwrap();
    // Not on the default mesh: other tests start and end it at the same time.
    session.handle().enter(|| {
        forms().unwrap();
        factorisations().unwrap();
        others().unwrap();
    });
    session.finish().unwrap();
}

#[allow(clippy::reversed_empty_ranges, reason = "`1..-1` counts from the end, as in NumPy")]
fn forms() -> Result<(), Error> {
    let n: usize = 3;
    let a = arange(0, 12, 1).reshape((n, 4i64)).astype(DType::F64);
    assert_eq!(zeros((2, 3), DType::F64).shape(), [2, 3]);
    assert_eq!(ones((n, n * n), DType::I8).shape(), [3, 9]);
    assert_eq!(a.slice(1..-1).to_vec::<f64>()?, [4.0, 5.0, 6.0, 7.0]);
    assert_eq!(a.slice(-1).shape(), [4]);
    assert_eq!(a.slice(..2).shape(), [2, 4]);
    let halves = &a.astype(DType::F16) * 0.5f32;
    assert_eq!((halves.dtype(), halves.at([2, 3]).item::<f64>()?), (DType::F16, 5.5));
    assert_eq!(format!("{:.3}", &a.slice(0) / 3.0), "[0.000 0.333 0.667 1.000]");
    assert_eq!(format!("{:.1}", a.mean(())), "5.5");
    assert_eq!(format!("{:.2}", from_slice(&[f64::NAN, -10.0], 2)), "[   nan -10.00]");
    assert_eq!(format!("{:.2}", arange(0, 3, 1)), "[0 1 2]");
    let [i, j] = [from_slice(&[2i64, 0], 2), from_slice(&[1i64, 3], 2)];
    assert_eq!(a.index(ix![&i, &j]).to_vec::<f64>()?, [9.0, 3.0]);
    a.assign_index(ix![&i, 2..], -1.0);
    assert_eq!(a.at([0, 3]).item::<f64>()?, -1.0);
    Ok(())
}

fn factorisations() -> Result<(), Error> {
    let a = from_slice(&[4.0, 1.0, 1.0, 3.0], [2, 2]);
    let linalg::Qr { q, r } = linalg::qr(&a, linalg::QrMode::Reduced);
    assert!(allclose(&matmul(&q, &r), &a, ()).item::<bool>()?);
    let linalg::Svd { u, s, vh } = linalg::svd(&a, false)?;
    assert!(allclose(&matmul(&(&u * &s), &vh), &a, ()).item::<bool>()?);
    for found in [linalg::eigh(&a, linalg::Triangle::Lower), linalg::eig(&a)] {
        let scaled = &found.eigenvectors * &found.eigenvalues;
        assert!(allclose(&matmul(&a, &found.eigenvectors), &scaled, ()).item::<bool>()?);
    }
    let linalg::Slogdet { sign, logabsdet } = linalg::slogdet(&a);
    assert_eq!(sign.item::<f64>()?, 1.0);
    assert!((logabsdet.item::<f64>()? - 11f64.ln()).abs() < 1e-12);
    assert_eq!(linalg::norm(&a, linalg::Ord::Default, None, false).item::<f64>()?, 27f64.sqrt());
    Ok(())
}

fn others() -> Result<(), Error> {
    let x = from_slice(&[3.0, 1.0, 2.0], 3);
    assert_eq!(sort(&x, 0).to_vec::<f64>()?, [1.0, 2.0, 3.0]);
    assert_eq!(argsort(&x, -1).to_vec::<i64>()?, [1, 2, 0]);
    assert_eq!(searchsorted(&sort(&x, 0), &x, Side::Left).to_vec::<i64>()?, [2, 0, 1]);
    assert_eq!(take(&x, &arange(0, 2, 1), Some(0), Mode::Raise).to_vec::<f64>()?, [3.0, 1.0]);
    assert!(allclose(&fft::ifft(&fft::fft(&x, ()), ()).real(), &x, ()).item::<bool>()?);
    let numbers = random::seeded(7)?;
    assert_eq!(numbers.random([2, 3], DType::F64).shape(), [2, 3]);
    let rows: Vec<(Vec<usize>, Vec<f64>)> =
        x.local_shards()?.into_iter().map(|(origin, shard)| (origin, shard.to_vec())).collect();
    assert_eq!(rows[0].1[..1], [3.0]);
    let refused = (&x + &zeros(2, DType::F64)).to_vec::<f64>().unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Op(OpError::Broadcast { .. })));
    Ok(())
}
