//! Types of C++ and their conversions.

use phalanx_ops::DType;

/// An arithmetic type of C++, as the dtype with its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Type(pub DType);

/// Names of a single word. `long` has 64 bits, as on Linux. `uint` is that of C.
const NAMES: [(&str, DType); 48] = [
    ("bool", DType::Bool),
    ("bool_", DType::Bool),
    ("char", DType::I8),
    ("short", DType::I16),
    ("int", DType::I32),
    ("long", DType::I64),
    ("unsigned", DType::U32),
    ("signed", DType::I32),
    ("float", DType::F32),
    ("double", DType::F64),
    ("half", DType::F16),
    ("__half", DType::F16),
    ("nv_bfloat16", DType::BF16),
    ("__nv_bfloat16", DType::BF16),
    ("float16", DType::F16),
    ("float32", DType::F32),
    ("float64", DType::F64),
    ("bfloat16", DType::BF16),
    ("int8", DType::I8),
    ("int16", DType::I16),
    ("int32", DType::I32),
    ("int64", DType::I64),
    ("uint8", DType::U8),
    ("uint16", DType::U16),
    ("uint32", DType::U32),
    ("uint64", DType::U64),
    ("int8_t", DType::I8),
    ("int16_t", DType::I16),
    ("int32_t", DType::I32),
    ("int64_t", DType::I64),
    ("uint8_t", DType::U8),
    ("uint16_t", DType::U16),
    ("uint32_t", DType::U32),
    ("uint64_t", DType::U64),
    ("size_t", DType::U64),
    ("ptrdiff_t", DType::I64),
    ("intp", DType::I64),
    ("uintp", DType::U64),
    ("complex64", DType::C64),
    ("complex128", DType::C128),
    ("int_", DType::I64),
    ("uchar", DType::U8),
    ("ushort", DType::U16),
    ("uint", DType::U32),
    ("ulong", DType::U64),
    ("longlong", DType::I64),
    ("ulonglong", DType::U64),
    ("float_", DType::F64),
];

impl Type {
    pub const BOOL: Type = Type(DType::Bool);
    pub const INT: Type = Type(DType::I32);
    pub const LONG: Type = Type(DType::I64);

    /// The type of a word.
    pub fn of_word(word: &str) -> Option<Type> {
        NAMES.iter().find(|(name, _)| *name == word).map(|(_, dtype)| Type(*dtype))
    }

    /// The type of several words, such as `unsigned long long`, or of one.
    pub fn of_words(words: &[&str]) -> Option<Type> {
        if let [word] = words {
            return Type::of_word(word);
        }
        let count = |name: &str| words.iter().filter(|word| **word == name).count();
        let known = ["unsigned", "signed", "char", "short", "int", "long", "double"];
        if words.is_empty() || words.iter().any(|word| !known.contains(word)) {
            return None;
        }
        if words.iter().any(|word| *word != "long" && count(word) > 1) {
            return None;
        }
        let (is_unsigned, longs) = (count("unsigned") == 1, count("long"));
        let rest = words.len() - count("unsigned") - count("signed") - longs;
        let dtype = match (longs, count("char"), count("short"), count("double")) {
            (0, 1, 0, 0) if rest == 1 => [DType::I8, DType::U8],
            (0, 0, 1, 0) if rest - 1 == count("int") => [DType::I16, DType::U16],
            (1..=2, 0, 0, 0) if rest == count("int") => [DType::I64, DType::U64],
            (0, 0, 0, 0) if rest == count("int") => [DType::I32, DType::U32],
            _ => return None,
        };
        Some(Type(dtype[usize::from(is_unsigned)]))
    }

    pub fn is_integer(self) -> bool {
        self.0.is_integer()
    }

    pub fn is_complex(self) -> bool {
        self.0.is_complex()
    }

    fn is_unsigned(self) -> bool {
        matches!(self.0, DType::U8 | DType::U16 | DType::U32 | DType::U64)
    }

    /// The type in which a single operand is computed: at least `int` or `float`.
    pub fn promoted(self) -> Type {
        match self.0 {
            DType::Bool | DType::I8 | DType::I16 | DType::U8 | DType::U16 => Type::INT,
            DType::F16 | DType::BF16 => Type(DType::F32),
            _ => self,
        }
    }

    /// The usual arithmetic conversions: the type in which two operands are computed.
    pub fn common(self, other: Type) -> Type {
        let (a, b) = (self.promoted(), other.promoted());
        if a.is_complex() || b.is_complex() {
            let part = |it: Type| match it.0 {
                DType::C64 => Type(DType::F32),
                DType::C128 => Type(DType::F64),
                _ => it,
            };
            // An integer beside a complex number has its precision.
            let real = match (part(a), part(b)) {
                (one, other) if one.is_integer() => other,
                (one, other) if other.is_integer() => one,
                (one, other) => one.common(other),
            };
            return Type(if real.0 == DType::F32 { DType::C64 } else { DType::C128 });
        }
        match (a.is_integer(), b.is_integer()) {
            (true, false) => b,
            (false, true) => a,
            (false, false) => {
                if a.0 == DType::F64 {
                    a
                } else {
                    b
                }
            }
            (true, true) => match (a.0.size(), b.0.size()) {
                (one, other) if one > other => a,
                (one, other) if one < other => b,
                _ => {
                    if a.is_unsigned() {
                        a
                    } else {
                        b
                    }
                }
            },
        }
    }

    /// The type in which a function such as `sin` computes.
    pub fn floating(self) -> Type {
        match self.promoted() {
            it if it.is_integer() => Type(DType::F64),
            it => it,
        }
    }

    /// The type of the parts of complex numbers.
    pub fn part(self) -> Type {
        Type(match self.0 {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_types() {
        for (words, dtype) in [
            ("unsigned long long", Some(DType::U64)),
            ("long long int", Some(DType::I64)),
            ("unsigned int", Some(DType::U32)),
            ("short int", Some(DType::I16)),
            ("unsigned char", Some(DType::U8)),
            ("signed char", Some(DType::I8)),
            ("long double", None),
            ("unsigned float", None),
            ("int int", None),
            ("", None),
        ] {
            let words: Vec<&str> = words.split_whitespace().collect();
            assert_eq!(Type::of_words(&words).map(|it| it.0), dtype, "{words:?}");
        }
    }

    #[test]
    fn operands_are_converted_as_in_c() {
        let common = |a, b| Type(a).common(Type(b)).0;
        for (a, b, both) in [
            (DType::Bool, DType::Bool, DType::I32),
            (DType::U8, DType::I16, DType::I32),
            (DType::I32, DType::U32, DType::U32),
            (DType::U32, DType::I64, DType::I64),
            (DType::U64, DType::I64, DType::U64),
            (DType::I64, DType::F32, DType::F32),
            (DType::F32, DType::F64, DType::F64),
            (DType::F16, DType::F16, DType::F32),
            (DType::C64, DType::I64, DType::C64),
            (DType::C64, DType::F64, DType::C128),
        ] {
            assert_eq!((common(a, b), common(b, a)), (both, both), "{a} {b}");
        }
    }
}
