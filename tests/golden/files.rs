//! Golden files: compared, or rewritten when blessing.

use std::path::{Path, PathBuf};

/// Compares `text` with the golden file of this name, or writes it.
pub fn check(name: &str, text: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "golden", name].iter().collect();
    if std::env::var_os("PHALANX_BLESS").is_some_and(|value| value == "1") {
        write(&path, text);
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    if known != text {
        panic!(
            "{name} is not as expected (`cargo xtask bless` rewrites it){}",
            difference(&known, text)
        );
    }
}

fn write(path: &Path, text: &str) {
    let folder = path.parent().expect("bug: a golden file lies in a folder");
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text));
    written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// The first line that differs, with the two versions of it.
fn difference(known: &str, text: &str) -> String {
    let (known, text): (Vec<&str>, Vec<&str>) = (known.lines().collect(), text.lines().collect());
    let line = (0..).find(|&line| known.get(line) != text.get(line)).unwrap_or(0);
    let show = |lines: &[&str]| {
        lines.get(line).map_or(String::from("(nothing)"), |text| String::from(*text))
    };
    format!("\n  line {}\n  known  {}\n  now    {}", line + 1, show(&known), show(&text))
}

#[test]
fn the_first_line_that_differs_is_shown() {
    let text = difference("a\nb\n", "a\nc\n");
    assert_eq!(text, "\n  line 2\n  known  b\n  now    c");
    assert_eq!(difference("a\n", "a\nb\n"), "\n  line 2\n  known  (nothing)\n  now    b");
}
