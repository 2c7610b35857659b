//! Choices that NumPy's tables do not cover: bfloat16, values of Python numbers, and errors.

use super::*;
use DType::*;

fn dtypes(op: Op, args: &[Arg]) -> Option<(Vec<DType>, DType)> {
    let signature = op.resolve(args).ok()?;
    Some((signature.inputs().to_vec(), signature.output))
}

fn strong(op: Op, operands: &[DType]) -> Option<(Vec<DType>, DType)> {
    let args: Vec<_> = operands.iter().map(|&dtype| Arg::Strong(dtype)).collect();
    dtypes(op, &args)
}

#[test]
fn the_first_loop_wins_that_operands_cast_to_safely() {
    assert_eq!(strong(Op::Add, &[I32, F32]), Some((vec![F64, F64], F64)));
    assert_eq!(strong(Op::Sqrt, &[I8]), Some((vec![F16], F16)));
    assert_eq!(strong(Op::Sqrt, &[I16]), Some((vec![F32], F32)));
    assert_eq!(strong(Op::Divide, &[I8, I8]), Some((vec![F64, F64], F64)));
    assert_eq!(strong(Op::Equal, &[I64, U64]), Some((vec![I64, U64], Bool)));
    assert_eq!(strong(Op::LogicalAnd, &[I64, F32]), Some((vec![Bool, Bool], Bool)));
    assert_eq!(strong(Op::Ldexp, &[F32, I64]), Some((vec![F32, I64], F32)));
    assert_eq!(strong(Op::Absolute, &[C64]), Some((vec![C64], F32)));
    assert_eq!(strong(Op::Subtract, &[Bool, Bool]), None);
    assert_eq!(strong(Op::Subtract, &[Bool, I8]), Some((vec![I8, I8], I8)));
}

#[test]
fn bfloat16_loops_are_chosen_only_for_bfloat16() {
    assert_eq!(strong(Op::Add, &[BF16, I8]), Some((vec![BF16, BF16], BF16)));
    assert_eq!(strong(Op::Add, &[BF16, F16]), Some((vec![F32, F32], F32)));
    assert_eq!(strong(Op::Add, &[BF16, I32]), Some((vec![F64, F64], F64)));
    assert_eq!(strong(Op::Add, &[BF16, C64]), Some((vec![C64, C64], C64)));
    assert_eq!(strong(Op::Exp, &[BF16]), Some((vec![BF16], BF16)));
    assert_eq!(strong(Op::Ldexp, &[BF16, I32]), Some((vec![BF16, I32], BF16)));
    assert_eq!(strong(Op::Signbit, &[BF16]), Some((vec![BF16], Bool)));
    for &op in Op::ALL {
        for signature in op.signatures() {
            let uses = |wanted| signature.inputs().contains(&wanted) || signature.output == wanted;
            let twin = |dtype| if dtype == F16 { BF16 } else { dtype };
            if uses(F16) {
                let inputs: Vec<_> = signature.inputs().iter().map(|&dtype| twin(dtype)).collect();
                let found = op.signatures().iter().find(|other| other.inputs() == inputs);
                assert_eq!(found.map(|other| other.output), Some(twin(signature.output)), "{op}");
            }
        }
    }
}

#[test]
fn python_integers_must_fit_but_compare_with_anything() {
    let add = |dtype, value| Op::Add.resolve(&[Arg::Strong(dtype), Arg::Weak(Weak::Int(value))]);
    assert_eq!(add(U8, 255).map(|signature| signature.output), Ok(U8));
    assert_eq!(add(U8, 256), Err(OpError::OutOfRange { value: "256".into(), dtype: U8 }));
    assert_eq!(add(U8, -1), Err(OpError::OutOfRange { value: "-1".into(), dtype: U8 }));
    assert_eq!(add(I8, -128).map(|signature| signature.output), Ok(I8));
    assert!(matches!(add(I8, 128), Err(OpError::OutOfRange { dtype: I8, .. })));
    assert_eq!(add(F16, 1 << 100).map(|signature| signature.output), Ok(F16));

    let compare =
        |op: Op, array, value| op.resolve(&[Arg::Strong(array), Arg::Weak(Weak::Int(value))]);
    let signature = compare(Op::Less, U8, 300).expect("comparisons answer");
    assert_eq!((signature.inputs(), signature.constant), (&[U64, I64][..], None));
    let signature = compare(Op::Equal, I64, 1 << 63).expect("comparisons answer");
    assert_eq!((signature.inputs(), signature.constant), (&[I64, U64][..], None));
    let constant =
        |op, array, value| compare(op, array, value).expect("comparisons answer").constant;
    assert_eq!(constant(Op::Less, U64, 1 << 64), Some(true));
    assert_eq!(constant(Op::GreaterEqual, U64, 1 << 64), Some(false));
    assert_eq!(constant(Op::Greater, I64, -(1 << 63) - 1), Some(true));
    assert_eq!(constant(Op::NotEqual, I64, -(1 << 70)), Some(true));
    let reversed = Op::Less.resolve(&[Arg::Weak(Weak::Int(1 << 64)), Arg::Strong(U64)]);
    assert_eq!(reversed.expect("comparisons answer").constant, Some(false));
}

#[test]
fn python_integers_beyond_all_integers_compare_too() {
    let large = |op: Op, array, power: f64| {
        op.resolve(&[Arg::Strong(array), Arg::Weak(Weak::Large(power))])
    };
    for power in [2f64.powi(200), f64::INFINITY] {
        let constant = |op, power| large(op, U8, power).expect("comparisons answer").constant;
        assert_eq!(constant(Op::Less, power), Some(true));
        assert_eq!(constant(Op::Less, -power), Some(false));
        assert_eq!(constant(Op::Equal, power), Some(false));
        assert_eq!(constant(Op::NotEqual, -power), Some(true));
        assert!(matches!(large(Op::Add, I64, power), Err(OpError::OutOfRange { .. })));
        assert!(matches!(large(Op::Less, Bool, power), Err(OpError::OutOfRange { .. })));
        assert!(matches!(large(Op::LogicalOr, U8, power), Err(OpError::OutOfRange { .. })));
    }
    let sum = |power| large(Op::Add, F32, power).map(|signature| signature.output);
    assert_eq!(sum(2f64.powi(200)), Ok(F32));
    let value = "of more than 308 digits".into();
    assert_eq!(sum(f64::INFINITY), Err(OpError::OutOfRange { value, dtype: F32 }));
}

#[test]
fn python_numbers_alone_take_default_dtypes() {
    let weak = |a, b| dtypes(Op::Add, &[Arg::Weak(a), Arg::Weak(b)]).map(|(_, output)| output);
    assert_eq!(weak(Weak::Int(1), Weak::Int(2)), Some(I64));
    assert_eq!(weak(Weak::Int(1), Weak::Float(2.0)), Some(F64));
    assert_eq!(weak(Weak::Bool(true), Weak::Bool(true)), Some(Bool));
    assert_eq!(weak(Weak::Bool(true), Weak::Int(2)), Some(I64));
    assert_eq!(weak(Weak::Int(1), Weak::Complex(Complex64::I)), Some(C128));
}

#[test]
fn wrong_operands_are_errors() {
    let error = Op::Add.resolve(&[Arg::Strong(F32)]).expect_err("add takes two");
    assert!(matches!(error, OpError::Argument { operation: "add", .. }), "{error}");
    let error = Op::Gcd.resolve(&[Arg::Strong(F32), Arg::Strong(I8)]).expect_err("integers only");
    assert_eq!(error, OpError::Dtype { operation: "gcd", dtypes: vec![F32, I8] });
}

#[test]
fn names_and_aliases_lead_to_one_row() {
    let mut names = std::collections::HashSet::new();
    for &op in Op::ALL {
        for &name in [op.name()].iter().chain(op.row().aliases) {
            assert!(names.insert(name), "{name} twice");
            assert_eq!(Op::from_name(name), Some(op));
        }
        assert!(op.signatures().iter().all(|signature| signature.inputs().len() == op.arity()));
    }
    assert_eq!(Op::from_name("true_divide"), Some(Op::Divide));
    assert_eq!(Op::from_name("bitwise_not"), Some(Op::Invert));
    assert_eq!(Op::from_name("matmul"), None);
}
