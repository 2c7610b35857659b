//! Promotion, casting rules and the choice of loops, cell by cell.

use super::data::{Array, Data, dtype};
use super::loops::{cast, run};
use num_complex::Complex64;
use phalanx_ops::{
    Arg, Casting, DType, Kind, Monoid, Op, Scalar, Weak, can_cast, promote, promote_weak,
};

fn weak(name: &str) -> Option<Weak> {
    match name {
        "int" => Some(Weak::Int(0)),
        "float" => Some(Weak::Float(0.0)),
        "complex" => Some(Weak::Complex(Complex64::ZERO)),
        _ => None,
    }
}

#[test]
fn promotion_is_numpys() {
    let Some(data) = Data::find("promotion_is_numpys") else {
        return;
    };
    for row in data.table("promote") {
        assert_eq!(promote(dtype(&row[0]), dtype(&row[1])), dtype(&row[2]), "{row:?}");
    }
    for row in data.table("promote_weak") {
        let number = weak(&row[1]).expect("a Python number");
        assert_eq!(promote_weak(dtype(&row[0]), number), dtype(&row[2]), "{row:?}");
    }
}

#[test]
fn casting_rules_are_numpys() {
    let Some(data) = Data::find("casting_rules_are_numpys") else {
        return;
    };
    for row in data.table("can_cast") {
        let casting = Casting::from_name(&row[2]).expect("a casting rule");
        let allowed = can_cast(dtype(&row[0]), dtype(&row[1]), casting);
        assert_eq!(allowed.to_string(), row[3], "{row:?}");
    }
}

#[test]
fn loops_are_chosen_as_numpy_chooses_them() {
    let Some(data) = Data::find("loops_are_chosen_as_numpy_chooses_them") else {
        return;
    };
    let mut wrong = Vec::new();
    for row in data.table("resolve") {
        let op = Op::from_name(&row[0]).unwrap_or_else(|| panic!("no operation {}", row[0]));
        let arg = |name| weak(name).map_or_else(|| Arg::Strong(dtype(name)), Arg::Weak);
        let args: Vec<_> = row[1].split(',').map(arg).collect();
        let answer = match op.resolve(&args) {
            Ok(signature) => {
                let inputs: Vec<_> = signature.inputs().iter().map(|dtype| dtype.name()).collect();
                format!("{}->{}", inputs.join(","), signature.output)
            }
            Err(_) => "-".to_owned(),
        };
        if answer != row[2] {
            wrong.push(format!("{} {}: {answer}, NumPy {}", row[0], row[1], row[2]));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn python_integers_act_by_value_as_in_numpy() {
    let Some(data) = Data::find("python_integers_act_by_value_as_in_numpy") else {
        return;
    };
    let mut wrong = Vec::new();
    for row in data.table("weak_values") {
        let op = Op::from_name(&row[0]).unwrap_or_else(|| panic!("no operation {}", row[0]));
        let values: Vec<i128> =
            row[2].split(',').map(|value| value.parse().expect("an integer")).collect();
        let number = Weak::Int(row[3].parse().expect("an integer"));
        let answer = apply(op, dtype(&row[1]), &values, number, row[4] == "left");
        if answer != row[5] {
            wrong.push(format!("{row:?}: {answer}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

fn array(dtype: DType, values: impl Iterator<Item = Weak>) -> Array {
    let bytes: Vec<u8> =
        values.flat_map(|value| Scalar::from_weak(dtype, value).bytes().to_vec()).collect();
    let mut array = Array::zeroed(dtype, bytes.len() / dtype.size());
    array.bytes_mut().copy_from_slice(&bytes);
    array
}

/// The result in the notation of the table.
fn apply(op: Op, array_dtype: DType, values: &[i128], number: Weak, left: bool) -> String {
    let strong = Arg::Strong(array_dtype);
    let weak = Arg::Weak(number);
    let args = if left { [weak, strong] } else { [strong, weak] };
    let signature = match op.resolve(&args) {
        Ok(signature) => signature,
        Err(phalanx_ops::OpError::OutOfRange { .. }) => return "OverflowError".to_owned(),
        Err(_) => return "TypeError".to_owned(),
    };
    let [array_position, number_position] = if left { [1, 0] } else { [0, 1] };
    let operand = array(array_dtype, values.iter().map(|&value| Weak::Int(value)));
    let operand = cast(&operand, signature.inputs()[array_position]);
    let number =
        array(signature.inputs()[number_position], std::iter::repeat_n(number, values.len()));
    let operands = if left { [&number, &operand] } else { [&operand, &number] };
    let result = run(op, &operands, signature.output);
    let shown: Vec<_> = (0..values.len())
        .map(|position| match signature.constant {
            Some(constant) => u8::from(constant).to_string(),
            None => shown(&Scalar::from_bytes(signature.output, result.element(position))),
        })
        .collect();
    format!("{}:{}", signature.output, shown.join(","))
}

fn shown(scalar: &Scalar) -> String {
    match scalar.to_weak() {
        Weak::Bool(value) => u8::from(value).to_string(),
        Weak::Int(value) => value.to_string(),
        Weak::Large(value) | Weak::Float(value) => (value as i128).to_string(),
        Weak::Complex(_) => unreachable!("no operand is complex"),
    }
}

#[test]
fn every_row_has_a_loop_for_every_signature_but_halves() {
    for &op in Op::ALL {
        for signature in op.signatures() {
            let halves = signature
                .inputs()
                .iter()
                .any(|&dtype| dtype.kind() == Kind::Float && dtype.size() == 2);
            let found = phalanx_kernels::cpu::loops::elementwise(op, signature.inputs());
            let native = matches!(op, Op::Nextafter | Op::Spacing);
            assert_eq!(found.is_some(), !halves || native, "{op} {:?}", signature.inputs());
        }
    }
}

/// Each loop is compiled for every level of instructions, so more loops cost compile time.
#[test]
fn loops_are_few() {
    use phalanx_kernels::cpu::loops;
    let mut found: Vec<usize> = Vec::new();
    for op in Op::ALL {
        for signature in op.signatures() {
            found.extend(loops::elementwise(*op, signature.inputs()).map(|own| own as usize));
        }
    }
    for &from in DType::ALL {
        found.extend(DType::ALL.iter().map(|&to| loops::cast(from, to) as usize));
        for &monoid in Monoid::ALL {
            found.extend(loops::combine(monoid, from).map(|own| own as usize));
        }
    }
    found.sort_unstable();
    found.dedup();
    println!("{} loops", found.len());
    assert!(found.len() <= 1500, "{} loops take too long to compile", found.len());
}
