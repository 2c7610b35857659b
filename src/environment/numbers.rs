//! Numbers as users write them.

/// A whole number from 0.
pub(super) fn natural(text: &str) -> Option<usize> {
    // `parse` alone accepts a leading plus sign, which is more often a mistake than intended.
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// A whole number from 1.
pub(super) fn positive(text: &str) -> Option<usize> {
    natural(text).filter(|number| *number > 0)
}

/// A number of bytes, with or without a unit, which is a power of 1024.
pub(super) fn byte_count(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return None,
    };
    positive(digits)?.checked_mul(1usize.checked_shl(shift)?)
}
