//! The text of the device functions that a kernel uses.

use super::sections::{Key, all};
use crate::cpu::identity;
use phalanx_ops::{DType, Monoid, Op, Signature};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

/// The device functions that a kernel calls.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Uses {
    /// Operations and the dtypes of their operands.
    pub ops: BTreeSet<(Op, Vec<DType>)>,
    /// Casts, from and to.
    pub casts: BTreeSet<(DType, DType)>,
    /// Combinations and the dtypes of their operands.
    pub monoids: BTreeSet<(Monoid, DType)>,
    /// Special functions, which take and return `f64`.
    pub functions: BTreeSet<String>,
}

impl Uses {
    /// Every operation with every signature, every cast and every combination.
    pub fn everything() -> Uses {
        let mut uses = Uses::default();
        for &op in Op::ALL {
            uses.ops.extend(op.signatures().iter().map(|one| (op, one.inputs().to_vec())));
        }
        for &from in DType::ALL {
            uses.casts.extend(DType::ALL.iter().map(|&to| (from, to)));
        }
        for &monoid in Monoid::ALL {
            let accepted = DType::ALL.iter().filter(|&&dtype| monoid.accepts(dtype));
            uses.monoids.extend(accepted.map(|&dtype| (monoid, dtype)));
        }
        uses
    }

    /// Adds the functions that another kernel calls.
    pub fn extend(&mut self, other: Uses) {
        self.ops.extend(other.ops);
        self.casts.extend(other.casts);
        self.monoids.extend(other.monoids);
        self.functions.extend(other.functions);
    }
}

/// The device functions that a kernel of these operations and casts needs, in order of definition,
/// without the words that all texts have (`with_words`).
///
/// Panics if the table has no such signature or the monoid does not accept the dtype.
pub fn text(uses: &Uses) -> String {
    let mut text = Text::default();
    for (op, inputs) in &uses.ops {
        text.need_op(*op, inputs);
    }
    for (from, to) in &uses.casts {
        text.need(&format!("cast_{to}"), from.name());
    }
    for &(monoid, dtype) in &uses.monoids {
        text.need_monoid(monoid, dtype);
    }
    for function in &uses.functions {
        text.need(function, "f64");
    }
    text.text
}

/// The text so far.
#[derive(Default)]
struct Text {
    text: String,
    defined: HashSet<Key>,
}

impl Text {
    /// Defines a function, after the functions that it calls.
    fn need(&mut self, name: &str, types: &str) {
        let key = (name.to_owned(), types.to_owned());
        if !self.defined.insert(key.clone()) {
            return;
        }
        if let Some(instance) = all().get(&key) {
            for (name, types) in &instance.needs {
                self.need(name, types);
            }
            self.text.push_str(&instance.text);
        } else {
            let signature = signature(name, types);
            let (op, signature) =
                signature.unwrap_or_else(|| panic!("bug: no device function {name} of {types}"));
            self.wrap(op, signature);
        }
    }

    fn need_op(&mut self, op: Op, inputs: &[DType]) {
        self.need(&format!("op_{op}"), &types_of(inputs));
    }

    /// Defines an operation on half types through f32, or one on c64 through c128.
    fn wrap(&mut self, op: Op, signature: Signature) {
        let inputs = signature.inputs();
        let wide: Vec<_> = inputs.iter().map(|&dtype| wider(dtype)).collect();
        assert!(wide != inputs, "bug: no device function op_{op} of {inputs:?}");
        self.need_op(op, &wide);
        let mut parameters = Vec::new();
        let mut operands = Vec::new();
        for ((dtype, wide), name) in inputs.iter().zip(&wide).zip(["a", "b"]) {
            parameters.push(format!("{dtype} {name}"));
            if dtype == wide {
                operands.push(name.to_owned());
            } else {
                self.need(&format!("cast_{wide}"), dtype.name());
                operands.push(format!("cast_{wide}({name})"));
            }
        }
        let mut result = format!("op_{op}({})", operands.join(", "));
        let output = signature.output;
        if wider(output) != output {
            self.need(&format!("cast_{output}"), wider(output).name());
            result = format!("cast_{output}({result})");
        }
        let parameters = parameters.join(", ");
        let _ = writeln!(self.text, "DEVICE {output} op_{op}({parameters}) {{ return {result}; }}");
    }

    /// Defines a combination and its identity.
    fn need_monoid(&mut self, monoid: Monoid, dtype: DType) {
        assert!(monoid.accepts(dtype), "bug: {monoid} does not combine {dtype}");
        match monoid.operation() {
            None => self.need(&format!("combine_{monoid}"), dtype.name()),
            Some(op) => {
                self.need_op(op, &[dtype, dtype]);
                let _ = writeln!(
                    self.text,
                    "DEVICE {dtype} combine_{monoid}({dtype} a, {dtype} b) \
                     {{ return op_{op}(a, b); }}"
                );
            }
        }
        let literal = literal(dtype, &identity(monoid, dtype));
        let _ = writeln!(
            self.text,
            "DEVICE {dtype} identity_{monoid}_{dtype}() {{ return {literal}; }}"
        );
    }
}

/// The dtype in which operations on this one are computed if they have no function for it.
const fn wider(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        DType::C64 => DType::C128,
        other => other,
    }
}

/// The types of operands as sections name them: a single type if all are the same.
fn types_of(inputs: &[DType]) -> String {
    let same = inputs.iter().all(|dtype| *dtype == inputs[0]);
    let inputs = if same { &inputs[..1] } else { inputs };
    inputs.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(",")
}

/// The operation and signature that a device function computes.
fn signature(name: &str, types: &str) -> Option<(Op, Signature)> {
    let op = Op::from_name(name.strip_prefix("op_")?)?;
    let signatures = op.signatures();
    let signature = signatures.iter().find(|signature| types_of(signature.inputs()) == types)?;
    Some((op, *signature))
}

/// An element in C, bit for bit.
pub(in crate::cuda) fn literal(dtype: DType, bytes: &[u8]) -> String {
    let word =
        |bytes: &[u8]| bytes.iter().rev().fold(0, |word: u64, &byte| word << 8 | u64::from(byte));
    match dtype {
        DType::Bool => (if bytes[0] != 0 { "true" } else { "false" }).to_owned(),
        DType::F16 | DType::BF16 => format!("{dtype}{{{:#x}}}", word(&bytes[..2])),
        DType::F32 => format!("from_bits({:#x}u)", word(&bytes[..4])),
        DType::F64 => format!("from_bits({:#x}ull)", word(&bytes[..8])),
        DType::C64 | DType::C128 => {
            let (re, im) = bytes[..dtype.size()].split_at(dtype.size() / 2);
            let real = dtype.real();
            format!("{dtype}{{{}, {}}}", literal(real, re), literal(real, im))
        }
        integer => format!("({integer}){:#x}ull", word(&bytes[..integer.size()])),
    }
}
