//! The words that kernels use for features that C++ lacks: qualifiers, barriers, shuffles, atomics,
//! inline assembly and half types.
//!
//! Texts of kernels use the words of `words.cu`. `with_words` prepends only those that a text uses,
//! because compiling a line costs time. A compiler with another syntax for these needs another
//! `words.cu` and other device functions (`kernels/src/cuda/prelude/`). Names without a word, such
//! as `threadIdx` and `uint4`, are written as in CUDA.

use std::collections::HashSet;
use std::sync::OnceLock;

/// All words.
pub const WORDS: &str = include_str!("words.cu");
/// The type and the arithmetic of sums whose bits do not depend on the order.
pub const BINNED: &str = include_str!("binned.cu");

/// The text after a line `//#` with a name.
struct Section {
    name: &'static str,
    text: String,
    /// The identifiers of the text.
    uses: HashSet<&'static str>,
}

/// Definitions for other texts, which receive those that they use. Lines `//# NAME` divide the text
/// into sections. A section defines the function or type with its name, using earlier sections; a
/// section without a name is for every text. Comments are left out.
pub struct Definitions(Vec<Section>);

impl Definitions {
    /// The sections of a text.
    pub fn read(text: &'static str) -> Definitions {
        let mut sections = Vec::new();
        for section in text.split("\n//#").skip(1) {
            let (name, lines) = section.split_once('\n').unwrap_or((section, ""));
            let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
            let lines = lines.lines().filter(is_code);
            let uses = lines.clone().flat_map(identifiers).collect();
            let text = lines.flat_map(|line| [line, "\n"]).collect();
            sections.push(Section { name: name.trim(), text, uses });
        }
        Definitions(sections)
    }

    /// A text, preceded by the sections that it uses.
    pub fn before(&self, text: &str) -> String {
        let mut used: HashSet<&str> = identifiers(text).collect();
        let mut needed = Vec::new();
        for section in self.0.iter().rev() {
            if section.name.is_empty() || used.contains(section.name) {
                used.extend(&section.uses);
                needed.push(section.text.as_str());
            }
        }
        needed.into_iter().rev().chain([text]).collect()
    }
}

/// The identifiers and numbers of a text.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
}

fn definitions() -> &'static Definitions {
    static DEFINITIONS: OnceLock<Definitions> = OnceLock::new();
    DEFINITIONS.get_or_init(|| Definitions::read(WORDS))
}

/// A text, preceded by the words that it uses.
pub fn with_words(text: &str) -> String {
    definitions().before(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_gets_the_words_that_it_uses_and_theirs() {
        let own = "KERNEL(32) one(u32* a) { a[0] = shuffle_up(a[0], 1); }\n";
        let text = with_words(own);
        assert!(text.ends_with(own) && text.starts_with("typedef signed char i8;\n"), "{text}");
        let names = |text: &str| {
            let sections = definitions().0.iter().filter(|section| text.contains(&section.text));
            sections.map(|section| section.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&text), ["", "by_words", "shuffle_up"]);
        assert_eq!(names(&with_words("")), [""]);
        // A field with the name of a word includes the word.
        let halves = with_words("nearest_f16(widen(x))");
        let all = ["", "f16", "bf16", "bits", "from_bits", "widen", "nearest_f16"];
        assert_eq!(names(&halves), all);
    }

    #[test]
    fn every_section_has_the_word_of_its_name() {
        let sections = &definitions().0;
        for section in &sections[1..] {
            let name = section.name;
            let functions = section.text.lines().filter(|line| line.contains("DEVICE "));
            let mut words = functions.filter_map(|line| line.split('(').next()?.rsplit(' ').next());
            let is_struct = section.text.starts_with(&format!("struct {name} "));
            assert!(is_struct || words.all(|word| word == name), "{}", section.text);
            assert!(section.uses.contains(name), "{}", section.text);
        }
        let names: HashSet<_> = sections.iter().map(|section| section.name).collect();
        assert_eq!(names.len(), sections.len());
    }
}
