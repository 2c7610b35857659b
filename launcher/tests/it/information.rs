//! `phalanx info`, and the reports of mistakes in the environment.

use crate::program::{errors, phalanx};

#[test]
fn info_shows_values_and_defaults() {
    let mut command = phalanx();
    command.env("PHALANX_DEVICES", "cpu:3").env("PHALANX_MEMORY_LIMIT", "2K").arg("info");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    for line in [
        concat!("phalanx ", env!("CARGO_PKG_VERSION")),
        "devices       cpu:3",
        "memory limit  2048 bytes a device",
        "  PHALANX_DEVICES           = cpu:3",
        "  PHALANX_TIMEOUT           (60)",
    ] {
        assert!(text.lines().any(|found| found == line), "no line `{line}` in\n{text}");
    }
    assert_eq!(output.stderr, b"");
}

/// A library that cannot be used is passed over with its reason.
#[test]
fn libraries_of_matrices_that_fail_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let functions = ["gemm", "gemv"].map(|name| {
        let of_kind = |kind: &str| format!("void {kind}{name}_(void) {{}}\n");
        ["s", "d", "c", "z"].map(of_kind).concat()
    });
    let [products, vectors] = &functions;
    let control = "int openblas_get_num_threads(void) { return 1; }\n\
                   void openblas_set_num_threads(int number) {}\n";
    let ends = |how: &str| {
        format!("#include <stdlib.h>\n__attribute__((constructor)) static void f(void) {{ {how} }}")
    };
    for (name, text, reason) in [
        ("crashes", ends("abort();"), "signal 6 ends a process that loads it"),
        ("exits", ends("exit(3);"), "it ends a process that loads it"),
        ("empty", String::new(), "it lacks the symbol `dgemm_`"),
        ("lacks", products.clone(), "it lacks the symbol `sgemv_`"),
        ("fixed", [products, vectors].map(String::as_str).concat(), "its number of threads"),
        ("wrong", format!("{products}{vectors}{control}"), "its product of S numbers is wrong"),
    ] {
        let source = folder.path().join(format!("{name}.c"));
        let library = folder.path().join(format!("lib{name}.so"));
        std::fs::write(&source, text).unwrap();
        let mut compiler = std::process::Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]);
        assert!(compiler.status().unwrap().success(), "{name}");
        let output = phalanx().env("PHALANX_BLAS", &library).arg("info").output().unwrap();
        assert!(output.status.success(), "{name}: {}", errors(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        let line = format!("passed over: {}: {reason}", library.display());
        assert!(text.contains(&line), "no line `{line}` in\n{text}");
        assert!(text.contains("\nBLAS          "), "{text}");
    }
}

#[test]
fn prices_that_cannot_be_kept_are_printed_and_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = phalanx();
    command.env("PHALANX_PRICES", folder.path()).args(["info", "--measure"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("\ntcp "), "{output:?}");
    let errors = errors(&output);
    assert!(errors.starts_with("error[PX081]: cannot write "), "{errors}");
    assert!(errors.contains(&folder.path().display().to_string()), "{errors}");
}

#[test]
fn an_unknown_variable_is_a_warning_with_the_nearest_name() {
    let output = phalanx().env("PHALANX_DEVCIES", "cpu:3").arg("info").output().unwrap();
    assert!(output.status.success());
    assert_eq!(
        errors(&output),
        "warning: PHALANX_DEVCIES is no variable of Phalanx; the nearest is PHALANX_DEVICES\n"
    );
}

/// One page for all ranks: a page is as long as the table of variables.
#[test]
fn one_of_several_ranks_warns_and_prints_the_findings_of_all() {
    let mut command = phalanx();
    command.env("PHALANX_THREAD", "2").env("PHALANX_DEVICES", "cpu:2");
    let output = command
        .env("PHALANX_BLAS", "own")
        .args(["run", "-n", "3", "phalanx", "info"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(
        errors(&output),
        "[0] warning: PHALANX_THREAD is no variable of Phalanx; the nearest is PHALANX_THREADS\n"
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let host = phalanx::host_name();
    for line in [
        "process       rank 0 of 3",
        "The processes. Facts collected when all 3 met.",
        "  messages    tcp: rank 0: PHALANX_TRANSPORT is tcp",
        "  BLAS        own routines",
        &format!("  ranks 0 to 2 on {host} with 2 devices each"),
    ] {
        assert!(text.lines().any(|found| found == line), "no line `{line}` in\n{text}");
    }
    assert!(!text.contains("[1]") && !text.contains("[2]"), "{text}");
}

#[test]
fn ranks_that_do_not_meet_print_their_own_findings_and_the_reason() {
    let mut command = phalanx();
    command.env("PHALANX_TIMEOUT", "1").env("PHALANX_SIZE", "2").env("PHALANX_RANK", "1");
    let token = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(token.path(), "a secret of thirty-two bytes or more").unwrap();
    command.env("PHALANX_TOKEN_FILE", token.path()).env("PHALANX_ADDRESS", "127.0.0.1:9");
    let output = command.arg("info").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(errors(&output).starts_with("error[PX067]: "), "{}", errors(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\nprocess       rank 1 of 2\n"), "{text}");
    assert!(!text.contains("all 2 met"), "{text}");
}

#[test]
fn a_wrong_value_names_variable_value_and_form() {
    let output = phalanx().env("PHALANX_LOG", "loud").arg("info").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        errors(&output),
        "error[PX090]: PHALANX_LOG is `loud`, but takes `off`, `error`, `warn`, `info`, `debug` \
         or `trace`\n  hint    `phalanx info` lists every variable and its values\n"
    );
}

#[test]
fn a_start_up_variable_that_is_missing_is_named() {
    let output = phalanx().env("PHALANX_RANK", "1").arg("info").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("error[PX091]: PHALANX_RANK is set, but PHALANX_SIZE is not"));
}

/// Thousands of threads took minutes to start.
#[test]
fn more_threads_than_any_machine_needs_are_refused() {
    let output = phalanx().env("PHALANX_THREADS", "4000000").arg("info").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        errors(&output),
        "error[PX090]: PHALANX_THREADS is `4000000`, but takes a whole number from 1 to 256, or to \
         four times the number of cores if that is more\n  hint    `phalanx info` lists every \
         variable and its values\n"
    );
}
