//! Texts of kernels use our own words for qualifiers, barriers, shuffles, atomics, inline assembly
//! and half types.

use super::sources::{Breach, File, Sources, without_comment};

/// The files that may use CUDA's spelling: the words, the device functions, and this file.
const PLACES: [&str; 3] = [
    "device/src/cuda/modules/words.cu",
    "kernels/src/cuda/prelude/",
    "xtask/src/tidy/spellings.rs",
];

/// The crates that have texts of kernels.
const CRATES: [&str; 3] = ["device/", "kernels/", "collectives/"];

/// Checks that no text of kernels, in its own file or in Rust, uses CUDA's spelling where
/// `device/src/cuda/modules/words.cu` has a word: names with two leading underscores, atomics,
/// `asm` and half types.
pub fn check(sources: &Sources) -> Vec<Breach> {
    let is_text = |file: &&File| {
        let of_crate = CRATES.iter().any(|folder| file.path.starts_with(folder));
        file.path.ends_with(".cu") || (of_crate && file.path.ends_with(".rs"))
    };
    let has_place = |file: &&File| PLACES.iter().any(|place| file.path.starts_with(place));
    let mut breaches = Vec::new();
    for file in sources.files.iter().filter(is_text).filter(|file| !has_place(file)) {
        for (index, line) in file.text.lines().enumerate() {
            for word in words(without_comment(line)).filter(|word| is_of_cuda(word)) {
                let message =
                    format!("`{word}` is CUDA's word; texts use the word of `{}`", PLACES[0]);
                breaches.push(Breach::new(&file.path, index + 1, message));
            }
        }
    }
    breaches
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
}

/// `__syncthreads`, `__half`, `asm`, `atomicAdd`, `half2`, `nv_bfloat16`.
fn is_of_cuda(word: &str) -> bool {
    let is_atomic = word
        .strip_prefix("atomic")
        .is_some_and(|rest| rest.starts_with(|a: char| a.is_uppercase()));
    let is_half = ["half2", "nv_bfloat16", "nv_bfloat162"].contains(&word);
    let is_reserved = word.strip_prefix("__").is_some_and(|rest| !rest.is_empty());
    // The registers of x86: `__m512i`.
    let is_register =
        word.strip_prefix("__m").is_some_and(|rest| rest.starts_with(|a: char| a.is_ascii_digit()));
    is_atomic || is_half || (is_reserved && !is_register) || word == "asm"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuda_is_found_outside_of_the_words() {
        let text = "// __syncthreads() is a barrier.\n\
            KERNEL(256) run(PARAMETER Argument a) {\n\
            \x20   barrier();\n\
            \x20   asm volatile(\"exit;\");\n\
            \x20   if (atomicAdd(a.p, 1u) == 0) __syncthreads();\n\
            }\n";
        let rust =
            "line(\"__syncthreads();\");\nlet atomic_add = atomics + asm_of;\nlet a: __m512i;\n";
        let sources = Sources::of(&[
            ("device/src/cuda/modules/words.cu", text),
            ("kernels/src/a.cu", text),
            ("kernels/src/cuda/prelude/a.cu", text),
            ("kernels/src/a.rs", rust),
            ("python/src/a.rs", "fn __int__() {}\n"),
        ]);
        let found: Vec<_> =
            check(&sources).into_iter().map(|breach| (breach.path, breach.line)).collect();
        let file = |path: &str, line: usize| (path.to_owned(), line);
        let text = "kernels/src/a.cu";
        assert_eq!(
            found,
            [file(text, 4), file(text, 5), file(text, 5), file("kernels/src/a.rs", 1)]
        );
    }
}
