//! Local calls are allowed under a rank test.

use crate::world::{Ended, World};
use phalanx::prelude::*;
use phalanx::{Element, Session};

trials![
    replicated_values_are_read_by_one_rank,
    plans_and_shardings_are_shown_by_one_rank,
    the_local_mesh_posts_no_tickets,
    elements_are_converted_alike_by_host_and_device,
];

fn replicated_values_are_read_by_one_rank() {
    let ended = World::of(2, "read_on_one", &[]).run();
    ended.iter().for_each(Ended::assert_well);
    let read = [
        ("number", "45"),
        ("as float", "45.0"),
        ("elements", "[0 1 2 3 4 5 6 7 8 9]"),
        ("view", "[8 6 4 2]"),
        ("reshaped", "[[0 2 4 6 8] [1 3 5 7 9]]"),
        ("as bytes", "[0, 1, 2]"),
        ("debug", "Array(shape=[10], dtype=i64)"),
    ];
    for (name, value) in read {
        assert_eq!(ended[0].value(name), value);
    }
    let shown = |rank: &Ended| rank.output.iter().filter(|line| *line == "[0 1 2]").count();
    assert_eq!((shown(&ended[0]), shown(&ended[1])), (1, 0));
    // Both continue together afterwards.
    assert_eq!(ended[0].value("sum"), ended[1].value("sum"));
}

fn plans_and_shardings_are_shown_by_one_rank() {
    let ended = World::of(2, "explain_on_one", &[]).run();
    ended.iter().for_each(Ended::assert_well);
    assert!(ended[0].output.iter().any(|line| line.starts_with("plan")), "{ended:#?}");
    assert!(!ended[0].value("sharding").is_empty());
    assert_eq!(ended[0].value("sum"), ended[1].value("sum"));
}

fn the_local_mesh_posts_no_tickets() {
    let ended = World::of(2, "work_alone", &[]).set("PHALANX_DEVICES", "cpu:2").run();
    ended.iter().for_each(Ended::assert_well);
    assert_eq!(ended[1].value("own"), "499500");
    assert_eq!(ended[1].value("saved"), format!("{:?}", 499_500i64.to_ne_bytes()));
    assert_eq!(ended[0].value("sum"), "45");
    assert_eq!(ended[1].value("sum"), "45");
}

/// Reading converts on the host, since recording a conversion would not be Local; `astype` converts
/// on the device.
fn elements_are_converted_alike_by_host_and_device() {
    let session = phalanx::init(Config::default()).expect("a session starts");
    let floats = [
        0.5, -1.9, 255.9, 256.0, 3e9, -3e9, 1e19, -1e19, 1.9e19, 1e300, -1e300, 65519.0, 65520.0,
        1e-8, -0.0,
    ];
    let mut floats = floats.to_vec();
    floats.extend([
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1.0 + 2f64.powi(-24),
        1.0 + 2f64.powi(-24) + 2f64.powi(-52),
    ]);
    let near = |bits: u32| (1i64 << bits) + 1;
    let mut integers =
        vec![0, -1, 300, i64::MAX, i64::MIN, near(24), near(53), near(62), near(54) + (1 << 30)];
    integers.extend([
        (1 << 60) + (1 << 52),
        (1 << 60) + (1 << 52) + 1,
        (1 << 60) + (1 << 36),
        (1 << 60) + (1 << 36) + 1,
    ]);
    let naturals = vec![
        0,
        1,
        70_000,
        u64::MAX,
        u64::MAX - 1024,
        1 << 63,
        (1 << 63) + 1025,
        (1 << 63) + (1 << 39) + 1,
    ];
    let count = (floats.len(), integers.len(), naturals.len());
    for array in [
        from_slice(&floats, count.0),
        from_slice(&integers, count.1),
        from_slice(&naturals, count.2),
    ] {
        check::<bool>(&array);
        check::<i8>(&array);
        check::<i16>(&array);
        check::<i32>(&array);
        check::<i64>(&array);
        check::<u8>(&array);
        check::<u16>(&array);
        check::<u32>(&array);
        check::<u64>(&array);
        check::<f32>(&array);
        check::<f64>(&array);
    }
    Session::finish(session).expect("the session ends well");
}

fn check<T: Element>(array: &Array) {
    let host = array.to_vec::<T>().expect("an evaluated array is read");
    let host = HostArray::from_slice(&host, array.shape());
    let device = array.astype(T::DTYPE).to_host().expect("an array is converted");
    assert_eq!(host.bytes, device.bytes, "{} as {}: {array}", array.dtype(), T::DTYPE);
}
