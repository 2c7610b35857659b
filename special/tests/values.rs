//! Values of mpmath with their allowed errors in units in the last place, and SciPy's values at
//! special points. `benches/special/check.py --write` makes
//! the file.

use phalanx_special::find;

#[test]
fn values_are_those_of_mpmath_and_scipy() {
    let mut failures = Vec::new();
    for line in include_str!("values.txt").lines() {
        let mut words = line.split(' ');
        let name = words.next().expect("a name");
        let mut numbers = words.map(|word| word.parse::<f64>().expect("a number"));
        let allowed = numbers.next().expect("an error");
        let expected = numbers.next().expect("a value");
        let arguments: Vec<_> = numbers.collect();
        let function = find(name).unwrap_or_else(|| panic!("no function {name}"));
        let value = function.call(&arguments);
        let same = value == expected || value.is_nan() && expected.is_nan();
        let near = (value - expected).abs() <= allowed * f64::EPSILON * expected.abs();
        if !same && !near {
            failures.push(format!("{name}({arguments:?}) = {value:e}, not {expected:e}"));
        }
    }
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn recurrences_have_a_bound() {
    // Without a bound, these would take a thousand million million steps.
    let far = -1e15 + 0.3;
    let calls: [(&str, &[f64]); 4] = [
        ("struve", &[far, 3.0]),
        ("hyp1f1", &[far, 0.7, 3.0]),
        ("hyperu", &[far, 0.7, 3.0]),
        ("hyp2f1", &[-1e15, 0.7, 1.3, 0.9]),
    ];
    for (name, arguments) in calls {
        let function = find(name).unwrap_or_else(|| panic!("no function {name}"));
        let value = function.call(arguments);
        assert!(value.is_nan() || value.is_finite(), "{name}({arguments:?}) = {value}");
    }
}
