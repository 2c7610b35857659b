//! The crates that may use `unsafe`.

use super::sources::{Breach, Sources};

/// Crates without `unsafe`; each forbids it by an attribute.
const FORBIDDING: [&str; 12] = [
    "ops/src/lib.rs",
    "waiting/src/lib.rs",
    "special/src/lib.rs",
    "numerics/src/lib.rs",
    "array/src/lib.rs",
    "graph/src/lib.rs",
    "distributed/src/lib.rs",
    "scheduler/src/lib.rs",
    "src/lib.rs",
    "launcher/src/lib.rs",
    "launcher/src/main.rs",
    "xtask/src/main.rs",
];

/// Crates whose work needs it.
const ALLOWED: [&str; 4] = ["device/", "kernels/", "collectives/", "python/"];

/// Checks that these crates have the attribute, and that no crate outside of `ALLOWED` uses
/// `unsafe`.
pub fn check(sources: &Sources) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for path in FORBIDDING {
        let forbids = |text: &str| text.lines().any(|line| line == "#![forbid(unsafe_code)]");
        if !sources.text(path).is_some_and(forbids) {
            breaches.push(Breach::new(path, 0, "lacks `#![forbid(unsafe_code)]`"));
        }
    }
    for file in sources.rust() {
        if ALLOWED.iter().any(|folder| file.path.starts_with(folder)) {
            continue;
        }
        for (line, code) in file.code() {
            let opens = ["{", "fn ", "impl ", "impl<", "extern ", "trait "];
            let mut after = code.split("unsafe ").skip(1);
            if after.any(|rest| opens.iter().any(|open| rest.starts_with(open))) {
                breaches.push(Breach::new(&file.path, line, "`unsafe` is not allowed here"));
            }
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(extra: (&'static str, &'static str)) -> Vec<(&'static str, &'static str)> {
        let mut files: Vec<_> =
            FORBIDDING.iter().map(|path| (*path, "#![forbid(unsafe_code)]\n")).collect();
        files.push(extra);
        files
    }

    #[test]
    fn unsafe_code_outside_its_crates_is_found() {
        let text = "//! Doc of unsafe { }.\nlet a = unsafe { b() };\n";
        assert_eq!(
            check(&Sources::of(&files(("src/a.rs", text)))),
            [Breach::new("src/a.rs", 2, "`unsafe` is not allowed here")]
        );
        assert!(check(&Sources::of(&files(("device/src/a.rs", text)))).is_empty());
    }

    #[test]
    fn a_crate_that_does_not_forbid_it_is_found() {
        let mut files = files(("src/a.rs", ""));
        files[1].1 = "//! No attribute.\n";
        let breaches = check(&Sources::of(&files));
        assert_eq!(breaches, [Breach::new(FORBIDDING[1], 0, "lacks `#![forbid(unsafe_code)]`")]);
    }
}
