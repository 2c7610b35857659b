//! The texts of operations' errors with the names of Python and NumPy; they are written with those
//! of Rust.

use phalanx::DType;

/// Parameters that have other names in NumPy: the operation, the name in Rust, that of NumPy.
const PARAMETERS: [(&str, &str, &str); 12] = [
    ("normal", "deviation", "scale"),
    ("lognormal", "deviation", "sigma"),
    ("uniform", "range", "low, high"),
    ("integers", "range", "low, high"),
    ("pareto", "exponent", "a"),
    ("power", "exponent", "a"),
    ("binomial", "count", "n"),
    ("binomial", "chance", "p"),
    ("poisson", "mean", "lam"),
    ("geometric", "chance", "p"),
    ("logseries", "chance", "p"),
    ("choice", "shape", "size"),
];

/// The text of an error of an operation, with NumPy's names of dtypes and parameters, and shapes as
/// tuples.
pub fn of_operation(text: &str) -> String {
    let renamed = PARAMETERS.iter().find_map(|(operation, name, of_numpy)| {
        let value = text.strip_prefix(&format!("{operation}: {name} = "))?;
        Some(format!("{operation}: {of_numpy} = {value}"))
    });
    in_numpy(renamed.as_deref().unwrap_or(text))
}

/// A text with dtypes and shapes as NumPy writes them. Text in quotes comes from the program and
/// stays as it is.
pub fn in_numpy(text: &str) -> String {
    let parts = text.split('\'').enumerate();
    let parts = parts.map(|(place, part)| match place % 2 {
        0 => with_tuples(&with_dtypes(part)),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("'")
}

fn with_dtypes(text: &str) -> String {
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut spelled = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|letter| !is_of_word(letter)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let dtype = DType::ALL.iter().find(|dtype| dtype.name() == word);
        spelled += dtype.map_or(word, |dtype| dtype.numpy_name());
        let next = after.find(is_of_word).unwrap_or(after.len());
        spelled += &after[..next];
        rest = &after[next..];
    }
    spelled
}

/// Lists of integers become tuples: `[3]` is `(3,)`.
fn with_tuples(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('[') {
        let after = &rest[start + 1..];
        let end = after.find(|letter: char| !(letter.is_ascii_digit() || "-, ".contains(letter)));
        spelled += &rest[..start];
        match end.filter(|&end| after[end..].starts_with(']')) {
            Some(end) => {
                let extents = &after[..end];
                let is_one = !extents.is_empty() && !extents.contains(',');
                spelled += &format!("({extents}{})", if is_one { "," } else { "" });
                rest = &after[end + 1..];
            }
            None => {
                spelled.push('[');
                rest = after;
            }
        }
    }
    spelled + rest
}
