//! Code that plans names no vendor.

use super::sources::{Breach, Sources};

/// The crates that plan.
const PLANNING: [&str; 4] = ["graph/src/", "array/src/", "distributed/src/", "scheduler/src/"];

/// The vendors' names.
const VENDORS: [&str; 4] = ["cuda", "nccl", "mpi", "cublas"];

/// Checks that no code of `graph`, `array`, `distributed` or `scheduler` names a vendor's library.
pub fn check(sources: &Sources) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let planning = |path: &str| PLANNING.iter().any(|folder| path.starts_with(folder));
    for file in sources.rust().filter(|file| planning(&file.path)) {
        for (line, code) in file.code() {
            for word in words(code).filter(|word| VENDORS.contains(&word.as_str())) {
                let message = format!("`{word}` is a vendor's name, which planning must not use");
                breaches.push(Breach::new(&file.path, line, message));
            }
        }
    }
    breaches
}

/// The words of a line in lower case: `simplifyCudaPath_mpi` has four.
fn words(code: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut last_was_lower = false;
    for letter in code.chars() {
        let starts = letter.is_ascii_uppercase() && last_was_lower;
        last_was_lower = letter.is_ascii_lowercase();
        if starts || !letter.is_ascii_alphabetic() {
            words.push(String::new());
        }
        if letter.is_ascii_alphabetic() {
            let last = words.last_mut().expect("bug: there is a first word");
            last.push(letter.to_ascii_lowercase());
        }
    }
    words.into_iter().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_taken_apart() {
        let found: Vec<String> = words("compile_simplifyCudaPath(MPI)").collect();
        assert_eq!(found, ["compile", "simplify", "cuda", "path", "mpi"]);
    }

    #[test]
    fn a_vendor_in_planning_is_found_and_elsewhere_is_not() {
        let text = "//! CUDA is not known here.\nlet simplified = 1;\nlet a = Plane::Nccl;\n";
        let sources = Sources::of(&[("scheduler/src/a.rs", text), ("device/src/a.rs", text)]);
        let breaches = check(&sources);
        assert_eq!(breaches.len(), 1);
        assert_eq!((breaches[0].path.as_str(), breaches[0].line), ("scheduler/src/a.rs", 3));
    }
}
