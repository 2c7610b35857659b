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
