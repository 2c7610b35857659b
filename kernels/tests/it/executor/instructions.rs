//! Kernels execute about as many instructions as when they were last counted, as callgrind counts
//! them: a loss of vector instructions or a longer way to a launch shows here, whatever else the
//! machine does meanwhile.

use crate::absence::lacks;
use phalanx_device::instructions::Level;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The counted program; Cargo builds it beside the tests.
const PROGRAM: &str = "examples/instructions";
/// The file with the counts, a line for each case.
const EXPECTED: &str = "tests/golden/instructions.txt";
/// The most and the least that a count may be of the expected one. Less is no fault, but then the
/// expected count hides the next loss.
const MOST: f64 = 1.1;
const LEAST: f64 = 0.7;

#[test]
fn kernels_execute_as_many_instructions_as_before() {
    let found = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    if found.is_err() || !Level::Avx2.is_available() {
        return lacks("valgrind", "valgrind, or no AVX2,");
    }
    let test = std::env::current_exe().expect("a test has a file");
    let program = test.ancestors().nth(2).expect("a folder of builds").join(PROGRAM);
    assert!(program.exists(), "{} is not built", program.display());
    let names = Command::new(&program).output().expect("the program runs").stdout;
    let names = String::from_utf8(names).expect("names are text");
    let folder = std::env::temp_dir().join(format!("phalanx-instructions-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for counts");
    let counts = counted(&program, &folder);
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    assert_eq!(counts.len(), names.lines().count(), "each case has a count");
    let cases: Vec<(u64, &str)> = counts.into_iter().zip(names.lines()).collect();
    if std::env::var_os("PHALANX_BLESS").is_some_and(|value| value == "1") {
        let lines: String =
            cases.iter().map(|(count, name)| format!("{count:>10}  {name}\n")).collect();
        return std::fs::write(EXPECTED, lines).expect("the golden file is written");
    }
    let expected = std::fs::read_to_string(EXPECTED).expect("the golden file is there");
    let mut wrong = Vec::new();
    for (count, name) in cases {
        let line = expected.lines().find(|line| line.ends_with(&format!("  {name}")));
        let before = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        let before = before.unwrap_or_else(|| panic!("{EXPECTED} lacks {name}"));
        let ratio = count as f64 / before as f64;
        if !(LEAST..=MOST).contains(&ratio) {
            wrong.push(format!("{name}: {count} instructions, {before} before"));
        }
    }
    assert!(wrong.is_empty(), "{}\n(`cargo xtask bless` rewrites {EXPECTED})", wrong.join("\n"));
}

/// The instructions of each call of the program's function `counted`.
fn counted(program: &Path, folder: &Path) -> Vec<u64> {
    let file = |number: usize| -> PathBuf { folder.join(format!("counts.{number}")) };
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", folder.join("counts").display()))
        .args(["--toggle-collect=instructions::counted", "--dump-after=instructions::counted"])
        .arg(program)
        .arg("run")
        .output()
        .expect("valgrind runs");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "valgrind: {messages}");
    let total = |text: String| -> u64 {
        let line = text.lines().find_map(|line| line.strip_prefix("totals: ").map(str::to_owned));
        line.and_then(|count| count.trim().parse().ok()).expect("a file of counts has a total")
    };
    (1..).map_while(|number| std::fs::read_to_string(file(number)).ok()).map(total).collect()
}
