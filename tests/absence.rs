//! Things that a machine may lack, and the report of tests that are skipped for them.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;

/// Reports once that tests are skipped because this machine has no `what`. Panics if
/// `PHALANX_TEST_REQUIRE` contains `name`.
pub fn lacks(name: &str, what: &str) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let required = std::env::var("PHALANX_TEST_REQUIRE").unwrap_or_default();
    let is_required = required.split(',').any(|one| one == name);
    assert!(!is_required, "there is no {what} here, and PHALANX_TEST_REQUIRE has {name}");
    if TOLD.lock().is_ok_and(|mut told| told.insert(name.to_owned())) {
        // Not by `println!`: the test runner hides its output for passing tests. A write fails only
        // if standard output is closed, and then nobody reads the report.
        let _ = std::io::stdout().write_all(format!("skipped: no {what} here\n").as_bytes());
    }
}
