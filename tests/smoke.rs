//! First light.
use phalanx::prelude::*;

fn run(devices: usize) {
    let session = phalanx::Session::with_options(
        Config::default().devices(devices).threads(2),
        None,
        phalanx_policy(4),
        Default::default(),
    )
    .unwrap();
    let a = arange(0, 24, 1).reshape([6, 4]).astype(DType::F64);
    let b = &a + 1.0;
    assert_eq!(b.to_vec::<f64>().unwrap()[..4], [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(a.sum(()).item::<f64>().unwrap(), 276.0);
    a.slice(s![1.., ..]).assign(&a.slice(s![..-1, ..]));
    println!("{}", a.explain().unwrap());
    println!("{a}");
    let g = from_function([8, 6], |i| (&i[0] * 6 + &i[1]).astype(DType::F64));
    for _ in 0..5 {
        let c = g.slice(s![1..-1, 1..-1]);
        let lap = g.slice(s![..-2, 1..-1]) + g.slice(s![2.., 1..-1]) + g.slice(s![1..-1, ..-2]) + g.slice(s![1..-1, 2..]) - 4.0 * &c;
        c.add_assign(&(0.2 * lap));
    }
    println!("{}", g.explain().unwrap());
    println!("{}", g.var((), 0.0));
    println!("{}", g.argmax(0));
    println!("{}", (&g - g.mean(0)));
    println!("{}", g.compress(&g.greater(30.0)));
    println!("{}", percentile(&g, &[0.0, 25.0, 50.0, 100.0]));
    let (h, e) = histogram(&g, 4, None);
    println!("{h} {e}");
    println!("{}", matmul(&g, &g.t()));
    session.finish().unwrap();
}

fn phalanx_policy(split_from: usize) -> phalanx_distributed::Policy {
    phalanx_distributed::Policy { split_from }
}

#[test]
fn one() {
    run(1);
}
#[test]
fn four() {
    run(4);
}

#[test]
fn partial_updates() {
    for devices in [1, 3, 4] {
        let session = phalanx::Session::with_options(
            Config::default().devices(devices).threads(2),
            None,
            phalanx_policy(4),
            Default::default(),
        )
        .unwrap();
        session.handle().enter(|| {
            let p = from_function([6, 7], |i| (&i[0] * 10 + &i[1]).astype(DType::F64));
            p.evaluate().unwrap();
            let ap = 4.0 * &p;
            ap.slice(s![1.., ..]).subtract_assign(&p.slice(s![..-1, ..]));
            ap.slice(s![..-1, ..]).subtract_assign(&p.slice(s![1.., ..]));
            ap.slice(s![.., 1..]).subtract_assign(&p.slice(s![.., ..-1]));
            ap.slice(s![.., ..-1]).subtract_assign(&p.slice(s![.., 1..]));
            println!("{}", ap.explain().unwrap());
            let value = |i: i64, j: i64| if (0..6).contains(&i) && (0..7).contains(&j) { (10 * i + j) as f64 } else { 0.0 };
            let mut expected = Vec::new();
            for i in 0..6 {
                for j in 0..7 {
                    expected.push(4.0 * value(i, j) - value(i - 1, j) - value(i + 1, j) - value(i, j - 1) - value(i, j + 1));
                }
            }
            assert_eq!(ap.to_vec::<f64>().unwrap(), expected, "{devices}");
            let z = zeros([9], DType::F64);
            z.slice(s![2..7]).assign(&arange(0, 5, 1).astype(DType::F64));
            z.slice(s![..;-1]).slice(s![0..3]).add_assign(10.0);
            println!("{}", z.explain().unwrap());
            assert_eq!(z.to_vec::<f64>().unwrap(), [0., 0., 0., 1., 2., 3., 14., 10., 10.]);
        });
    }
}
