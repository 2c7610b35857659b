//! Tokens of a text in C++.

use super::syntax::Failure;
use super::types::Type;
use phalanx_ops::DType;

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    Name(String),
    Integer(i128, Type),
    Real(f64, Type),
    /// An operator or a bracket.
    Mark(&'static str),
    End,
}

/// A token and its line, from 1.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Placed {
    pub token: Token,
    pub line: u32,
}

/// Operators and brackets; those that begin with another one stand before it.
const MARKS: [&str; 46] = [
    "<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==", "!=", "<=",
    ">=", "&&", "||", "<<", ">>", "::", "->", "+", "-", "*", "/", "%", "=", "<", ">", "!", "~",
    "&", "|", "^", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{", "}",
];

/// The tokens of a text. Errors: a character that no token has.
pub(super) fn tokens(text: &str) -> Result<Vec<Placed>, Failure> {
    let (mut found, mut line, mut rest) = (Vec::new(), 1u32, text);
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            line += u32::from(first == '\n');
            rest = &rest[first.len_utf8()..];
            continue;
        }
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            let Some(end) = comment.find("*/") else {
                return Err(Failure::new(line, "a comment does not end"));
            };
            line += comment[..end].matches('\n').count() as u32;
            rest = &comment[end + 2..];
            continue;
        }
        let (token, length) = token(rest).map_err(|what| Failure::new(line, what))?;
        found.push(Placed { token, line });
        rest = &rest[length..];
    }
    found.push(Placed { token: Token::End, line });
    Ok(without_namespaces(found))
}

/// `std::min` is `min`, and `thrust::complex` is `complex`.
fn without_namespaces(tokens: Vec<Placed>) -> Vec<Placed> {
    let mut found: Vec<Placed> = Vec::with_capacity(tokens.len());
    for placed in tokens {
        let is_scope = placed.token == Token::Mark("::");
        if is_scope && matches!(found.last(), Some(Placed { token: Token::Name(_), .. })) {
            found.pop();
        } else if !is_scope {
            found.push(placed);
        }
    }
    found
}

/// The first token of a text that begins with one, and its length.
fn token(text: &str) -> Result<(Token, usize), String> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let first = text.chars().next().unwrap_or(' ');
    let second = text[first.len_utf8()..].chars().next();
    if first.is_ascii_digit() || (first == '.' && second.is_some_and(|it| it.is_ascii_digit())) {
        return number(text);
    }
    if is_part(first) {
        let length = text.find(|character| !is_part(character)).unwrap_or(text.len());
        return Ok((Token::Name(String::from(&text[..length])), length));
    }
    match MARKS.iter().find(|mark| text.starts_with(**mark)) {
        Some(mark) => Ok((Token::Mark(mark), mark.len())),
        None => Err(match first {
            '#' => String::from("lines of the preprocessor are not known here"),
            '"' | '\'' => String::from("texts are not known here"),
            _ => format!("`{first}` is not known here"),
        }),
    }
}

/// A number with its suffix.
fn number(text: &str) -> Result<(Token, usize), String> {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut length = if is_hexadecimal { 2 } else { 0 };
    let mut before = ' ';
    for character in text[length..].chars() {
        let is_sign = matches!(character, '+' | '-') && matches!(before, 'e' | 'E');
        let is_part = character.is_ascii_alphanumeric() || character == '.';
        if !(is_part || (is_sign && !is_hexadecimal)) {
            break;
        }
        length += 1;
        before = character;
    }
    let whole = &text[..length];
    let wrong = || format!("`{whole}` is no number");
    let is_suffix: &[char] =
        if is_hexadecimal { &['u', 'U', 'l', 'L'] } else { &['u', 'U', 'l', 'L', 'f', 'F'] };
    let digits = whole.trim_end_matches(is_suffix);
    let suffix = whole[digits.len()..].to_ascii_lowercase();
    if let Some(digits) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let value = i128::from_str_radix(digits, 16).map_err(|_| wrong())?;
        return Ok((
            Token::Integer(value, integer(value, &suffix, true).ok_or_else(wrong)?),
            length,
        ));
    }
    if digits.contains(['.', 'e', 'E']) || suffix == "f" {
        let dtype = match suffix.as_str() {
            "f" => DType::F32,
            "" | "l" => DType::F64,
            _ => return Err(wrong()),
        };
        let value = digits.parse::<f64>().map_err(|_| wrong())?;
        return Ok((Token::Real(value, Type(dtype)), length));
    }
    let is_octal = digits.len() > 1 && digits.starts_with('0');
    let value = i128::from_str_radix(digits, if is_octal { 8 } else { 10 }).map_err(|_| wrong())?;
    Ok((Token::Integer(value, integer(value, &suffix, is_octal).ok_or_else(wrong)?), length))
}

/// The type of an integer with a suffix: the first that holds it. Only numbers to another base than
/// ten become unsigned without a suffix.
fn integer(value: i128, suffix: &str, may_be_unsigned: bool) -> Option<Type> {
    let (is_unsigned, is_long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "ull" | "lu" | "llu" => (true, true),
        _ => return None,
    };
    let types = [
        (DType::I32, 31, false),
        (DType::U32, 32, true),
        (DType::I64, 63, false),
        (DType::U64, 64, true),
    ];
    let fits = |&&(dtype, bits, unsigned): &&(DType, u32, bool)| {
        let is_signedness = if is_unsigned { unsigned } else { !unsigned || may_be_unsigned };
        is_signedness && value < 1i128 << bits && (!is_long || dtype.size() == 8)
    };
    types.iter().find(fits).map(|(dtype, ..)| Type(*dtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Token {
        let found = tokens(text).unwrap();
        assert_eq!(found.len(), 2, "{text}: {found:?}");
        found[0].token.clone()
    }

    #[test]
    fn numbers_have_the_types_of_their_suffixes() {
        for (text, value, dtype) in [
            ("12", 12, DType::I32),
            ("012", 10, DType::I32),
            ("0", 0, DType::I32),
            ("0xFFu", 255, DType::U32),
            ("0xFFFFFFFF", 0xFFFF_FFFF, DType::U32),
            ("4294967295", 0xFFFF_FFFF, DType::I64),
            ("7ll", 7, DType::I64),
            ("7UL", 7, DType::U64),
        ] {
            assert_eq!(only(text), Token::Integer(value, Type(dtype)), "{text}");
        }
        for (text, value, dtype) in [
            ("1.5", 1.5, DType::F64),
            (".5f", 0.5, DType::F32),
            ("1e-3", 1e-3, DType::F64),
            ("2.", 2.0, DType::F64),
            ("1e3f", 1e3, DType::F32),
        ] {
            assert_eq!(only(text), Token::Real(value, Type(dtype)), "{text}");
        }
        for text in ["1.5q", "08", "1uf", "0xg", "1.2.3", "99999999999999999999"] {
            assert!(tokens(text).is_err(), "{text}");
        }
    }

    #[test]
    fn tokens_know_their_lines() {
        let found = tokens("a /* one\ntwo */ <<= b // end\n; c").unwrap();
        let lines: Vec<u32> = found.iter().map(|placed| placed.line).collect();
        assert_eq!(lines, [1, 2, 2, 3, 3, 3]);
        assert_eq!(found[1].token, Token::Mark("<<="));
        assert_eq!(tokens("a\n@").unwrap_err().line, 2);
        assert_eq!(tokens("a /* b").unwrap_err().line, 1);
    }
}
