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

#[test]
fn limits_of_the_faddeeva_function_and_of_degrees_of_freedom() {
    // Products of 0 and infinity were NaN, and a search ended at a limit of its own.
    let calls: [(&str, &[f64], f64); 9] = [
        ("wofz_real", &[1.0, f64::INFINITY], 0.0),
        ("wofz_imag", &[1.0, f64::INFINITY], 0.0),
        ("wofz_real", &[0.0, f64::NEG_INFINITY], f64::INFINITY),
        ("wofz_imag", &[0.0, f64::NEG_INFINITY], 0.0),
        ("wofz_imag", &[0.0, -30.0], 0.0),
        ("wofz_real", &[f64::INFINITY, -1.0], 0.0),
        ("wofz_imag", &[f64::INFINITY, -1.0], 0.0),
        ("nctdtridf", &[0.5, 1.0, 1.0], 1e100),
        ("nctdtridf", &[0.9, 0.5, 1.0], 1e100),
    ];
    for (name, arguments, expected) in calls {
        let function = find(name).unwrap_or_else(|| panic!("no function {name}"));
        assert_eq!(function.call(arguments), expected, "{name}({arguments:?})");
    }
}
