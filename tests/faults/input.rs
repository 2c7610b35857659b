//! Bad input of the demo on two processes: an error with a code on both, no file half written.

use crate::world::{Ended, World};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

trials![
    bad_files_are_errors_on_every_rank,
    a_file_that_one_rank_lacks_is_an_error_on_both,
    places_that_cannot_be_written_are_errors_on_every_rank,
    a_disk_that_fills_up_leaves_no_file,
    a_terminal_that_takes_nothing_is_an_error_on_every_rank,
    a_wrong_command_line_is_an_error_on_every_rank,
];

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder is made")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

/// The demo's own heights.
fn data_file() -> String {
    format!("{}/../data/jacksboro_fault_dem.npz", env!("CARGO_MANIFEST_DIR"))
}

/// Runs the demo on two processes; nothing may panic.
fn demo(arguments: &[&str]) -> Vec<Ended> {
    let words: Vec<&str> =
        ["demo", "--quiet", "--steps", "2"].iter().chain(arguments).copied().collect();
    let ended = World::of_phalanx(2, &words).run();
    assert!(ended.iter().all(|rank| !rank.errors.contains("panicked")), "{ended:#?}");
    ended
}

/// An `.npy` file of the given header and data.
fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let padding = 63 - (10 + header.len()) % 64;
    let header = format!("{header}{}\n", " ".repeat(padding));
    bytes.extend(u16::try_from(header.len()).expect("the header is short").to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn header(descr: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}")
}

fn files_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn bad_files_are_errors_on_every_rank() {
    let folder = folder();
    let numbers: Vec<u8> = (0..16).flat_map(|number| f64::from(number).to_le_bytes()).collect();
    let not_finite: Vec<u8> = (0..16).flat_map(|_| f64::NAN.to_le_bytes()).collect();
    let cases: [(&str, &str, Option<Vec<u8>>); 13] = [
        ("missing.npy", "PX080", None),
        ("empty.npy", "PX082", Some(Vec::new())),
        ("text.npy", "PX082", Some(b"heights\n".to_vec())),
        ("damaged.npy", "PX083", Some(npy("{'descr': '<f8', 'shape': (4, 4", &numbers))),
        ("truncated.npy", "PX084", Some(npy(&header("<f8", "(4, 4)"), &numbers[..100]))),
        ("objects.npy", "PX085", Some(npy(&header("|O", "(4, 4)"), &numbers))),
        ("huge.npy", "PX087", Some(npy(&header("<f8", "(4611686018427387904, 4)"), &numbers))),
        ("row.npy", "PX102", Some(npy(&header("<f8", "(16,)"), &numbers))),
        ("gaps.npy", "PX103", Some(npy(&header("<f8", "(4, 4)"), &not_finite))),
        ("heights.csv", "PX101", Some(b"1,2\n".to_vec())),
        ("missing.npz", "PX080", None),
        ("damaged.npz", "PX088", Some(b"PK\x03\x04 and no more".to_vec())),
        ("damaged.png", "PX106", Some(b"\x89PNG\r\n\x1a\n".to_vec())),
    ];
    for (name, code, bytes) in cases {
        let (path, output) = (folder.path().join(name), folder.path().join("output"));
        if let Some(bytes) = bytes {
            fs::write(&path, bytes).expect("the file is written");
        }
        for rank in &demo(&[text(&path), "--output", text(&output)]) {
            assert!(rank.error(code).contains(name), "{rank:#?}");
            let site = "\n  from    launcher/src/../../examples/terrain/input.rs:";
            assert!(rank.errors.contains(site), "no line: {rank:#?}");
        }
        assert!(!output.exists(), "{name} leaves a folder without results");
    }
}

fn a_file_that_one_rank_lacks_is_an_error_on_both() {
    let (has, lacks) = (folder(), folder());
    let numbers: Vec<u8> = (0..16).flat_map(|number| f64::from(number).to_le_bytes()).collect();
    fs::write(has.path().join("heights.npy"), npy(&header("<f8", "(4, 4)"), &numbers))
        .expect("the file is written");
    let world = World::of_phalanx(2, &["demo", "--quiet", "heights.npy"]);
    let ended = world.folder_of(0, has.path()).folder_of(1, lacks.path()).run();
    let error = ended[0].error("PX032");
    assert!(error.starts_with("on rank 1: cannot read heights.npy"), "{error}");
    ended[1].error("PX080");
    assert_eq!(files_in(has.path()), ["heights.npy"]);
}

fn places_that_cannot_be_written_are_errors_on_every_rank() {
    let folder = folder();
    let data = data_file();
    // A file where the folder should be.
    let file = folder.path().join("file");
    fs::write(&file, b"kept").expect("the file is written");
    let ended = demo(&[&data, "--output", text(&file.join("results"))]);
    ended[0].error("PX108");
    let site = "\n  from    launcher/src/../../examples/terrain/output.rs:";
    assert!(ended[0].errors.contains(site), "no line: {ended:#?}");
    assert!(ended[1].error("PX032").starts_with("on rank 0: "), "{ended:#?}");
    assert_eq!(fs::read(&file).expect("the file is there"), b"kept");
    // A folder where a file should be.
    let results = folder.path().join("results");
    fs::create_dir_all(results.join("terrain.npz")).expect("the folder is made");
    let ended = demo(&[&data, "--output", text(&results)]);
    let error = ended[0].error("PX081");
    assert!(error.contains("terrain.npz"), "{error}");
    assert!(ended[1].error("PX032").starts_with("on rank 0: cannot write "), "{ended:#?}");
    assert_eq!(files_in(&results), ["terrain.npz"]);
    assert_eq!(files_in(&results.join("terrain.npz")), [""; 0]);
}

fn a_disk_that_fills_up_leaves_no_file() {
    let folder = folder();
    let data = data_file();
    let output = folder.path().join("folder").join("results");
    let words = ["demo", "--quiet", "--steps", "2", &data, "--output", text(&output)];
    // No file may be longer than 16 disk blocks of 512 or 1024 bytes; the signal of the limit is
    // ignored.
    let limited = "trap '' XFSZ; ulimit -f 16; exec \"$@\"";
    let world = World::of_phalanx(2, &words).before(0, &["sh", "-c", limited, "sh"]);
    let ended = world.run();
    let error = ended[0].error("PX081");
    assert!(error.contains("terrain.npz"), "{error}");
    assert!(ended[1].error("PX032").starts_with("on rank 0: cannot write "), "{ended:#?}");
    assert_eq!(files_in(folder.path()), [""; 0]);
}

fn a_terminal_that_takes_nothing_is_an_error_on_every_rank() {
    let folder = folder();
    let words = ["demo", "--steps", "2", &data_file(), "--output", text(folder.path())];
    let world =
        World::of_phalanx(2, &words).before(0, &["sh", "-c", "exec \"$@\" > /dev/full", "sh"]);
    let ended = world.run();
    ended[0].error("PX109");
    assert!(ended[1].error("PX032").starts_with("on rank 0: standard output"), "{ended:#?}");
    // The output was written before.
    assert_eq!(files_in(folder.path()), ["hillshade.png", "report.txt", "terrain.npz"]);
}

fn a_wrong_command_line_is_an_error_on_every_rank() {
    for rank in &demo(&["--scale", "0"]) {
        assert_eq!(rank.status.code(), Some(2));
        assert!(rank.errors.contains("--scale"), "{rank:#?}");
    }
}
