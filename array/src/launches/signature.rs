//! The parameters of a kernel, from its text: which are pointers, and through which it may write.

/// What the text shows of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Parameter {
    /// Whether it is a pointer; `None` for a type that the text does not show.
    pub is_pointer: Option<bool>,
    /// Whether the kernel may write through it: true for everything but a pointer to constants.
    pub may_write: bool,
}

/// The parameters of the kernel `symbol` in a text in C++. `None` if the text does not show it: the
/// kernel is not there, or is there several times.
///
/// The symbol may be an expression that names an instance of a template (`ns::scale<float>`).
pub(super) fn parameters_of(text: &str, symbol: &str) -> Option<Vec<Parameter>> {
    let name = symbol.split('<').next()?.rsplit("::").next()?.trim();
    let text = without_comments(text);
    let mut found = None;
    for (start, _) in text.match_indices(name) {
        let before = text[..start].chars().next_back();
        let rest = &text[start + name.len()..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if name.is_empty() || before.is_some_and(is_word) || !rest.trim_start().starts_with('(') {
            continue;
        }
        // The head of a kernel is between the end of the last declaration and its name.
        let head = text[..start].rsplit([';', '}', '{']).next().unwrap_or_default();
        if !head.contains("__global__") {
            continue;
        }
        let own = parameters(rest.trim_start())?.iter().map(|it| parameter(it)).collect();
        // Declarations of one kernel are alike; others are overloads.
        if found.as_ref().is_some_and(|known| *known != own) {
            return None;
        }
        found = Some(own);
    }
    found
}

/// The text with spaces for comments and for what is in quotes.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else if first == '"' {
            quoted(rest)
        } else {
            plain.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        plain.push(' ');
        rest = &rest[skipped..];
    }
    plain
}

/// The length of the text in quotes with which `text` starts.
fn quoted(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The parameters in the brackets with which `text` starts; `None` if they do not end.
fn parameters(text: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 1);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' => depth -= 1,
            ',' if depth == 1 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        if depth == 0 {
            parts.push(text[start..at].trim());
            parts.retain(|part| !part.is_empty() && *part != "void");
            return Some(parts);
        }
    }
    None
}

/// The words of types of numbers.
const NUMBERS: [&str; 22] = [
    "bool",
    "char",
    "short",
    "int",
    "long",
    "signed",
    "unsigned",
    "float",
    "double",
    "size_t",
    "ptrdiff_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "half",
    "__half",
    "__nv_bfloat16",
];

/// What a parameter is.
fn parameter(text: &str) -> Parameter {
    let text = without_arguments(text);
    let stars = text.matches(['*', '&', '[']).count();
    let (pointee, rest) = text.split_once('*').unwrap_or((&text, ""));
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.filter(|word| !word.is_empty()).map(String::from).collect()
    };
    if stars == 0 {
        // The last word is the name, unless the parameter has none.
        let mut words = words(&text);
        words.retain(|word| !["const", "volatile", "std"].contains(&word.as_str()));
        let types = words.len().max(2) - 1;
        let is_number = !words.is_empty()
            && words.iter().take(types).all(|word| NUMBERS.contains(&word.as_str()));
        return Parameter { is_pointer: is_number.then_some(false), may_write: true };
    }
    let is_plain = stars == 1 && text.contains('*');
    let is_const = is_plain && words(pointee).iter().any(|word| word == "const");
    let is_pointer = is_plain && !rest.contains('(');
    Parameter { is_pointer: is_pointer.then_some(true), may_write: !is_const }
}

/// The text without what is between angle brackets.
fn without_arguments(text: &str) -> String {
    let mut depth = 0;
    let keep = |c: &char| {
        depth += i32::from(*c == '<');
        let is_outside = depth == 0;
        depth -= i32::from(*c == '>');
        is_outside
    };
    text.chars().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written_parameters(text: &str, symbol: &str) -> Option<Vec<bool>> {
        Some(parameters_of(text, symbol)?.iter().map(|one| one.may_write).collect())
    }

    #[test]
    fn pointers_and_numbers_are_told_apart() {
        let text = "__global__ void k(const float* x, unsigned long long n, float3 v, T t, size_t,
            pair<const int, float>* p, const pair<int*, float> q, int a[3], int** b, fp x, half h)";
        let pointers: Vec<_> =
            parameters_of(text, "k").unwrap().iter().map(|one| one.is_pointer).collect();
        let wanted: Vec<Option<bool>> = vec![
            Some(true),
            Some(false),
            None,
            None,
            Some(false),
            Some(true),
            None,
            None,
            None,
            None,
            Some(false),
        ];
        assert_eq!(wanted, pointers);
        let written = written_parameters(text, "k").unwrap();
        assert!(!written[0] && written[5], "{written:?}");
    }

    #[test]
    fn pointers_to_constants_are_only_read() {
        let text = r#"
            // __global__ void add(float* a)
            __device__ float add_one(float* x) { return *x + 1; }
            extern "C" __global__ void __launch_bounds__(256, 2)
            add(const float* __restrict__ x, float const *y, float* const z, int n,
                std::array<int, 3> sizes, const int * const * pointers, float *) { add_one(z); }
        "#;
        let written = written_parameters(text, "add");
        assert_eq!(written, Some(vec![false, false, true, true, true, true, true]));
        assert_eq!(written_parameters(text, "add_one"), None);
        assert_eq!(written_parameters(text, "ad"), None);
        assert_eq!(written_parameters("__global__ void k(", "k"), None);
        assert_eq!(written_parameters("__global__ void k() {}", "k"), Some(vec![]));
    }

    #[test]
    fn templates_have_the_parameters_of_their_text() {
        let text =
            "namespace a { template<typename T> __global__ void scale(const T* x, T* y) {} }";
        assert_eq!(written_parameters(text, "a::scale<float>"), Some(vec![false, true]));
        let twice = "__global__ void k(const int* x); __global__ void k(const int* x) {}";
        assert_eq!(written_parameters(twice, "k"), Some(vec![false]));
        let overloads = "__global__ void k(const int* x) {} __global__ void k(float* x) {}";
        assert_eq!(written_parameters(overloads, "k"), None);
    }
}
