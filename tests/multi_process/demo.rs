//! The demo as several processes of several devices: the numbers of one device.

use crate::world::World;
use serde_json::Value;

trials![the_demo_agrees_on_processes_and_devices];

fn the_demo_agrees_on_processes_and_devices() {
    let folder = tempfile::tempdir().expect("a temporary folder is made");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../data");
    let document = |processes: usize, devices: usize| -> Value {
        let output = folder.path().join(format!("{processes}x{devices}"));
        let output = output.to_str().expect("the folder's name is text");
        let arguments = ["demo", "--json", "--quiet", "--steps", "40", "--output", output];
        let world = World::of_phalanx(processes, &arguments).set("PHALANX_DATA", data);
        let ended = world.set("PHALANX_DEVICES", format!("cpu:{devices}")).run();
        ended.iter().for_each(|rank| rank.assert_well());
        serde_json::from_str(&ended[0].output.join("\n")).expect("rank 0 prints a document")
    };
    let one = document(1, 1);
    for (processes, devices) in [(2, 2), (1, 3), (3, 1)] {
        let differences = differences(&one, &document(processes, devices), "document");
        assert!(differences.is_empty(), "{processes} x {devices}: {differences:#?}");
    }
}

/// A line for each difference, by the rule of `tests/demo/compare.py`: real numbers within 1e-12 of
/// each other, all else equal.
fn differences(a: &Value, b: &Value, place: &str) -> Vec<String> {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            let at = |key: &&String| {
                (a.get(*key).unwrap_or(&Value::Null), b.get(*key).unwrap_or(&Value::Null))
            };
            keys.iter()
                .flat_map(|key| differences(at(key).0, at(key).1, &format!("{place}.{key}")))
                .collect()
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            pairs.flat_map(|(at, (a, b))| differences(a, b, &format!("{place}[{at}]"))).collect()
        }
        (Value::Number(x), Value::Number(y)) if x.is_f64() && y.is_f64() => {
            let (x, y) = (x.as_f64().unwrap_or(f64::NAN), y.as_f64().unwrap_or(f64::NAN));
            let is_close = x == y || (x - y).abs() <= 1e-12 * x.abs().max(y.abs());
            if is_close { Vec::new() } else { vec![format!("{place}: {x:?} and {y:?}")] }
        }
        (a, b) if a == b => Vec::new(),
        (a, b) => vec![format!("{place}: {a} and {b}")],
    }
}
