//! What a machine may lack, and how tests that need it say so.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;

/// Tells, once, that tests are skipped because there is no `what` here; a failure if
/// `PHALANX_TEST_REQUIRE` has its name.
pub fn lacks(name: &str, what: &str) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let required = std::env::var("PHALANX_TEST_REQUIRE").unwrap_or_default();
    let is_required = required.split(',').any(|one| one == name);
    assert!(!is_required, "there is no {what} here, and PHALANX_TEST_REQUIRE has {name}");
    if TOLD.lock().is_ok_and(|mut told| told.insert(name.to_owned())) {
        // Not with `println!`, which tests that pass are not heard with. It fails only where nobody
        // listens.
        let _ = std::io::stdout().write_all(format!("skipped: no {what} here\n").as_bytes());
    }
}
