//! `cargo xtask check`: all checks except the tests.

use crate::failure::Failure;
use crate::project::Project;
use crate::tidy;
use std::time::Instant;

/// One of the checks.
type Check<'check> = &'check dyn Fn() -> Result<(), Failure>;

/// Runs every check, even after one has failed, and prints how long each took.
pub fn run(project: &Project) -> Result<(), Failure> {
    let cargo = |arguments: &[&str]| project.cargo(arguments).run();
    let lints = ["--workspace", "--all-targets", "--", "--deny", "warnings"];
    let loops = ["loops_are_few", "--", "--nocapture"];
    let checks: [(&str, Check<'_>); 6] = [
        ("format", &|| cargo(&["fmt", "--all", "--check"])),
        ("lints", &|| cargo(&[&["clippy"], &lints[..]].concat())),
        ("tidy", &|| tidy::run(project)),
        ("documentation", &|| {
            let program = project.cargo(&["doc", "--workspace", "--no-deps"]);
            program.variable("RUSTDOCFLAGS", "--deny warnings").run()
        }),
        // As for crates.io. Without a connection, and not compiled a second time.
        ("packages", &|| {
            cargo(&[
                "package",
                "--workspace",
                "--no-verify",
                "--allow-dirty",
                "--offline",
                "--quiet",
            ])
        }),
        // The number of loops compiled for the CPU, which must stay small.
        ("loops", &|| {
            cargo(&[&["test", "--package", "phalanx-kernels", "--test", "it"], &loops[..]].concat())
        }),
    ];
    let mut times = Vec::new();
    let mut first_failure = None;
    for (name, check) in checks {
        let start = Instant::now();
        let result = check();
        times.push((name, start.elapsed(), result.is_ok()));
        if let Err(failure) = result {
            eprintln!("error: {failure}");
            first_failure.get_or_insert(failure);
        }
    }
    for (name, time, passed) in times {
        let verdict = if passed { "ok" } else { "FAILED" };
        println!("{name:<14} {verdict:<7} {:7.1} s", time.as_secs_f64());
    }
    first_failure.map_or(Ok(()), Err)
}
