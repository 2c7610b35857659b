//! Files written by NumPy, files for NumPy, and damaged files.

use super::*;
use phalanx_graph::HostArray;
use phalanx_ops::{DType, Element};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A new folder that is removed together with its contents.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Folder {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("phalanx-io-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// A new file of this folder with the given bytes.
    fn file(&self, bytes: &[u8]) -> PathBuf {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let path = self.0.join(format!("{}.npy", COUNT.fetch_add(1, Ordering::Relaxed)));
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A file written with NumPy by `tests/data/io/generate.py`.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/io").join(name)
}

fn host<T: Element>(data: &[T], shape: &[usize]) -> HostArray {
    HostArray::from_slice(data, shape)
}

/// The arrays in the fixtures, by NumPy's name of the dtype.
fn expected() -> Vec<(&'static str, HostArray)> {
    use half::f16;
    use num_complex::{Complex32, Complex64};
    let halves = [0.0, -1.5, 65504.0, f32::INFINITY, 6.0e-8, 0.333].map(f16::from_f32);
    let pairs = [(0.0, 1.0), (-2.5, 0.5), (1e10, -1e-10), (3.0, -0.0), (7.0, 7.0), (-1.0, 8.0)];
    vec![
        ("bool", host(&[true, false, true, true, false, false], &[2, 3])),
        ("int8", host(&[0_i8, -1, 2, i8::MIN, i8::MAX, 5], &[2, 3])),
        ("int16", host(&[0_i16, -1, 2, i16::MIN, i16::MAX, 5], &[2, 3])),
        ("int32", host(&[0_i32, -1, 2, i32::MIN, i32::MAX, 5], &[2, 3])),
        ("int64", host(&[0_i64, -1, 2, i64::MIN, i64::MAX, 5], &[2, 3])),
        ("uint8", host(&[0_u8, 1, 2, 3, u8::MAX, 5], &[2, 3])),
        ("uint16", host(&[0_u16, 1, 2, 3, u16::MAX, 5], &[2, 3])),
        ("uint32", host(&[0_u32, 1, 2, 3, u32::MAX, 5], &[2, 3])),
        ("uint64", host(&[0_u64, 1, 2, 3, u64::MAX, 5], &[2, 3])),
        ("float16", host(&halves, &[2, 3])),
        ("float32", host(&[0.0_f32, -1.5, 1e30, f32::INFINITY, 1e-40, 0.1], &[2, 3])),
        ("float64", host(&[0.0_f64, -1.5, 1e300, f64::INFINITY, 5e-324, 0.1], &[2, 3])),
        ("complex64", {
            let data = pairs.map(|(re, im): (f64, f64)| Complex32::new(re as f32, im as f32));
            host(&data, &[2, 3])
        }),
        ("complex128", host(&pairs.map(|(re, im)| Complex64::new(re, im)), &[2, 3])),
    ]
}

#[test]
fn every_dtype_in_either_byte_order_is_read() {
    let arrays = expected();
    assert_eq!(arrays.len() + 1, DType::ALL.len(), "all but bfloat16");
    for order in ["little", "big"] {
        let members = read_npz(&fixture(&format!("{order}.npz"))).unwrap();
        assert_eq!(members.len(), arrays.len());
        for ((name, array), (expected_name, expected)) in members.iter().zip(&arrays) {
            assert_eq!(name, expected_name);
            assert_eq!(array, expected, "{name}, {order} endian");
        }
    }
}

#[test]
fn fortran_order_and_compression_are_read() {
    let members = read_npz(&fixture("fortran.npz")).unwrap();
    assert_eq!(members.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["c", "f", "t"]);
    let numbers: Vec<i16> = (0..60).collect();
    for (_, array) in &members {
        assert_eq!(*array, host(&numbers, &[3, 4, 5]));
    }
    assert_eq!(read_npz_member(&fixture("fortran.npz"), "f").unwrap(), members[1].1);
    assert_eq!(npz_names(&fixture("fortran.npz")).unwrap(), ["c", "f", "t"]);
}

#[test]
fn headers_of_every_version_and_scalars_and_empty_arrays_are_read() {
    for version in [1, 2, 3] {
        let array = read_npy(&fixture(&format!("version{version}.npy"))).unwrap();
        assert_eq!(array, host(&[1.5, 2.5], &[2]));
    }
    assert_eq!(read_npy(&fixture("scalar.npy")).unwrap(), host(&[2.25], &[]));
    assert_eq!(read_npy(&fixture("empty.npy")).unwrap(), host::<f32>(&[], &[3, 0, 2]));
    assert_eq!(read_npy(&fixture("truth.npy")).unwrap(), host(&[true, false, true], &[3]));
}

#[test]
fn written_files_are_those_of_numpy() {
    let folder = Folder::new();
    for (name, array) in [
        ("version1.npy", host(&[1.5, 2.5], &[2])),
        ("scalar.npy", host(&[2.25], &[])),
        ("empty.npy", host::<f32>(&[], &[3, 0, 2])),
    ] {
        let path = folder.path().join(name);
        write_npy(&path, &array).unwrap();
        if cfg!(target_endian = "little") {
            assert_eq!(fs::read(&path).unwrap(), fs::read(fixture(name)).unwrap(), "{name}");
        }
        assert_eq!(read_npy(&path).unwrap(), array);
    }
}

#[test]
fn archives_are_written_and_read_back() {
    let folder = Folder::new();
    let path = folder.path().join("all.npz");
    let arrays = expected();
    let named: Vec<_> = arrays.iter().map(|(name, array)| (*name, array)).collect();
    write_npz(&path, &named).unwrap();
    let members = read_npz(&path).unwrap();
    assert_eq!(members.len(), arrays.len());
    for ((name, array), (expected_name, expected)) in members.iter().zip(&arrays) {
        assert_eq!((name.as_str(), array), (*expected_name, expected));
    }
    write_npz(&path, &[]).unwrap();
    assert!(read_npz(&path).unwrap().is_empty());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn bfloat16_is_read_as_it_was_written() {
    let folder = Folder::new();
    let array = host(&[half::bf16::ONE, half::bf16::from_f32(-2.5)], &[2]);
    let path = folder.path().join("a.npy");
    write_npy(&path, &array).unwrap();
    assert_eq!(read_npy(&path).unwrap(), array);
    let path = folder.path().join("a.npz");
    write_npz(&path, &[("a", &array)]).unwrap();
    assert_eq!(read_npz(&path).unwrap(), [(String::from("a"), array)]);
}

#[test]
fn doubled_names_are_refused_before_anything_is_written() {
    let folder = Folder::new();
    let path = folder.path().join("a.npz");
    let one = host(&[1.0], &[1]);
    let error = write_npz(&path, &[("a", &one), ("b", &one), ("a", &one)]).unwrap_err();
    assert!(matches!(&error, IoError::Archive { reason, .. } if reason.contains("`a`")));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn files_cut_anywhere_are_errors() {
    let folder = Folder::new();
    let whole = fs::read(fixture("version1.npy")).unwrap();
    for length in 0..whole.len() {
        let error = read_npy(&folder.file(&whole[..length])).unwrap_err();
        let code = if length < 6 { "PX082" } else { "PX084" };
        assert_eq!(error.code(), code, "{length}: {error}");
    }
    let path = folder.file(&whole[..whole.len() - 5]);
    let expected = IoError::Truncated { path: path.clone(), part: "data", expected: 16, found: 11 };
    assert_eq!(read_npy(&path).unwrap_err(), expected);

    let whole = fs::read(fixture("fortran.npz")).unwrap();
    for length in 0..whole.len() {
        let error = read_npz(&folder.file(&whole[..length])).unwrap_err();
        assert_eq!(error.code(), "PX088", "{length}: {error}");
    }
}

#[test]
fn a_damaged_archive_never_gives_other_numbers() {
    let folder = Folder::new();
    let whole = fs::read(fixture("fortran.npz")).unwrap();
    let arrays = read_npz(&fixture("fortran.npz")).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        // Changes of dates and similar fields are harmless, but an array that is read must be
        // unchanged.
        if let Ok(members) = read_npz(&folder.file(&damaged)) {
            for (name, array) in members {
                if let Some((_, expected)) = arrays.iter().find(|(known, _)| *known == name) {
                    assert_eq!(array, *expected, "byte {at}, array {name}");
                }
            }
        }
    }
}

#[test]
fn objects_are_never_loaded() {
    let error = read_npy(&fixture("object.npy")).unwrap_err();
    assert!(matches!(&error, IoError::ObjectArray { descr, .. } if descr == "|O"), "{error}");
    let error = read_npz_member(&fixture("object.npz"), "objects").unwrap_err();
    assert_eq!(error.code(), "PX085");
    assert!(error.to_string().contains("objects.npy"));
    let error = read_npy(&fixture("structured.npy")).unwrap_err();
    assert!(
        matches!(&error, IoError::UnsupportedDtype { descr, .. } if descr.starts_with("[('x'")),
        "{error}"
    );
}

#[test]
fn a_claimed_size_is_not_believed() {
    let folder = Folder::new();
    let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000000,), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes.extend_from_slice(&[0; 8]);
    let error = read_npy(&folder.file(&bytes)).unwrap_err();
    let expected = 800_000_000_000_000;
    assert!(matches!(error, IoError::Truncated { expected: e, found: 8, .. } if e == expected));
}

#[test]
fn files_that_are_not_there_and_names_that_are_not_in_are_errors() {
    let folder = Folder::new();
    let missing = folder.path().join("missing.npy");
    for error in [read_npy(&missing).unwrap_err(), read_npz(&missing).unwrap_err()] {
        assert!(matches!(&error, IoError::Read { kind: ErrorKind::NotFound, path, .. }
            if *path == missing));
        assert_eq!(error.code(), "PX080");
    }
    assert_eq!(read_npy(folder.path()).unwrap_err().code(), "PX080");
    let error = read_npz_member(&fixture("fortran.npz"), "x").unwrap_err();
    assert_eq!(error.code(), "PX089");
    assert!(error.to_string().ends_with("holds no array `x`; it has `c`, `f`, `t`"));
    assert_eq!(read_npz(&fixture("scalar.npy")).unwrap_err().code(), "PX088");
    assert_eq!(read_npy(&fixture("fortran.npz")).unwrap_err().code(), "PX082");
}
