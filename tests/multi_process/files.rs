//! Files that several processes read and write together.

use crate::world::{Ended, World};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

trials![
    arrays_are_saved_and_loaded_by_parts,
    each_process_reads_its_part,
    compressed_members_are_scattered,
    damaged_files_are_errors_on_every_rank,
    ranks_that_find_different_files_say_so,
    a_disk_that_is_full_for_one_rank_leaves_no_file,
    files_that_cannot_be_written_by_parts_are_written_by_rank_0,
    large_arrays_print_their_corners,
];

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder is made")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// An `.npy` file of `i32` with the given elements.
fn npy(shape: &str, is_fortran: bool, elements: impl Iterator<Item = i32>) -> Vec<u8> {
    let order = if is_fortran { "True" } else { "False" };
    let header = format!("{{'descr': '<i4', 'fortran_order': {order}, 'shape': {shape}, }}");
    let padding = 63 - (10 + header.len()) % 64;
    let header = format!("{header}{}\n", " ".repeat(padding));
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).expect("the header is short").to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(elements.flat_map(i32::to_le_bytes));
    bytes
}

fn arrays_are_saved_and_loaded_by_parts() {
    for devices in ["cpu:1", "cpu:2"] {
        let folder = folder();
        let world = World::of(3, "files", &["round", text(folder.path())]);
        let ended = world.set_on(1, "PHALANX_DEVICES", devices).run();
        ended.iter().for_each(Ended::assert_well);
        for rank in &ended {
            for kind in ["loaded", "member"] {
                let outcomes = rank.values(kind);
                assert_eq!(outcomes.len(), 13);
                assert!(outcomes.iter().all(|line| line.ends_with(" true")), "{outcomes:?}");
            }
        }
        let written = ended[0].values("written");
        assert_eq!(written.len(), 14);
        assert!(written.iter().all(|line| line.ends_with(" true")), "{written:?}");
        assert_eq!(names(folder.path()).len(), 14, "{:?}", names(folder.path()));
    }
}

fn each_process_reads_its_part() {
    let folder = folder();
    let path = folder.path().join("a.npy");
    let (rows, columns) = (1200, 1000);
    let in_order = || 0..rows * columns;
    let fortran = (0..columns).flat_map(|j| (0..rows).map(move |i| i * columns + j));
    let shape = format!("({rows}, {columns})");
    for bytes in [npy(&shape, false, in_order()), npy(&shape, true, fortran)] {
        let size = bytes.len() as u64;
        fs::write(&path, bytes).expect("the file is written");
        let ended = World::of(3, "files", &["load", text(&path), "1200,1000"]).run();
        ended.iter().for_each(Ended::assert_well);
        for rank in &ended {
            assert_eq!(rank.value("same"), "true");
            for bytes in rank.values("bytes") {
                let bytes: u64 = bytes.parse().expect("a number");
                assert!(bytes < size / 3 + 100_000, "{bytes} of {size} bytes");
            }
        }
    }
}

fn compressed_members_are_scattered() {
    let of = |path: &str, name: &str| {
        let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
        let ended = World::of(3, "files", &["packed", &path, name]).run();
        ended.iter().for_each(Ended::assert_well);
        assert!(ended.iter().all(|rank| rank.value("same") == "true"), "{ended:#?}");
        String::from(ended[0].value("sharding"))
    };
    assert_ne!(of("data/jacksboro_fault_dem.npz", "elevation"), "[-, -]");
    assert_eq!(of("array/tests/data/io/fortran.npz", "f"), "[-, -, -]");
}

fn damaged_files_are_errors_on_every_rank() {
    let folder = folder();
    let whole = npy("(60, 100)", false, 0..6000);
    let path = folder.path().join("a.npy");
    fs::write(&path, &whole[..whole.len() - 1]).expect("the file is written");
    for rank in &World::of(3, "files", &["load", text(&path), "60,100"]).run() {
        let error = rank.error("PX084");
        assert!(error.contains("24000 bytes of data expected, 23999 found"), "{error}");
    }
    // A stored member with one damaged number.
    let ended = World::of(1, "files", &["save", text(folder.path()), "1"]).run();
    ended.iter().for_each(Ended::assert_well);
    let path = folder.path().join("a.npz");
    let mut bytes = fs::read(&path).expect("the file is there");
    bytes[700_000] ^= 1;
    fs::write(&path, bytes).expect("the file is written");
    for rank in &World::of(3, "files", &["load", text(&path), "131072"]).run() {
        assert!(rank.error("PX088").contains("a.npz: `a.npy`: Invalid checksum"), "{rank:#?}");
    }
}

fn ranks_that_find_different_files_say_so() {
    let folders = [folder(), folder()];
    for (folder, shape) in folders.iter().zip(["(60, 100)", "(100, 60)"]) {
        fs::write(folder.path().join("a.npy"), npy(shape, false, 0..6000))
            .expect("the file is written");
    }
    let world = World::of(3, "files", &["load", "a.npy", "60,100"]);
    let world = world.folder_of(0, folders[0].path()).folder_of(1, folders[0].path());
    for rank in &world.folder_of(2, folders[1].path()).run() {
        let error = rank.error("PX032");
        assert_eq!(error, "on rank 2: a.npy is not the file that rank 0 opened");
    }
}

fn a_disk_that_is_full_for_one_rank_leaves_no_file() {
    // No file may be longer than some disk blocks of 512 or 1024 bytes; the signal of the limit is
    // ignored.
    let limited = "trap '' XFSZ; ulimit -f 16; exec \"$@\"";
    for full in [0, 1, 2] {
        let folder = folder();
        let world = World::of(3, "files", &["save", text(folder.path()), "1"]);
        let ended = world.before(full, &["sh", "-c", limited, "sh"]).run();
        for (number, rank) in ended.iter().enumerate() {
            rank.assert_well();
            let outcomes = rank.values("outcome");
            for (outcome, name) in outcomes.iter().zip(["a.npy", "a.npz"]) {
                let beginning = match number == full {
                    true => String::from("error[PX081]: cannot write "),
                    false => format!("error[PX032]: on rank {full}: cannot write "),
                };
                assert!(outcome.starts_with(&beginning), "{outcome}");
                assert!(outcome.contains(name), "{outcome}");
            }
            assert_eq!((outcomes.len(), rank.value("sum")), (2, "45"));
        }
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

fn files_that_cannot_be_written_by_parts_are_written_by_rank_0() {
    let ended = World::of(3, "files", &["save_to", "/dev/null"]).run();
    ended.iter().for_each(Ended::assert_well);
    assert!(ended.iter().all(|rank| rank.value("outcome") == "well"), "{ended:#?}");
    let ended = World::of(3, "files", &["save_to", "/dev/full"]).run();
    assert!(ended[0].value("outcome").starts_with("error[PX081]: "), "{ended:#?}");
    for rank in &ended[1..] {
        let beginning = "error[PX032]: on rank 0: cannot write /dev/full";
        assert!(rank.value("outcome").starts_with(beginning), "{ended:#?}");
    }
}

fn large_arrays_print_their_corners() {
    let ended = World::of(3, "files", &["print"]).run();
    ended.iter().for_each(Ended::assert_well);
    for rank in &ended {
        assert_eq!(rank.value("long"), "[      0       1       2 ... 1048573 1048574 1048575]");
        let text = rank.value("text");
        assert!(text.starts_with("[[      0       1       2 ...    1021    1022    1023]|"));
        assert!(text.ends_with("| [1047552 1047553 1047554 ... 1048573 1048574 1048575]]"));
        assert!(rank.value("pending").starts_with("[[      1    1025    2049 ... "), "{rank:#?}");
    }
}
