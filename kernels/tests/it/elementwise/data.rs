//! The directory of expected results.

use phalanx_ops::DType;
use std::path::PathBuf;

/// The directory that the generator wrote.
pub struct Data {
    directory: PathBuf,
}

/// Elements with the alignment of the widest dtype.
pub struct Array {
    dtype: DType,
    count: usize,
    words: Vec<u64>,
}

impl Data {
    /// The directory, or `None` after saying that the test does nothing.
    pub fn find(test: &str) -> Option<Data> {
        match std::env::var_os("PHALANX_CONFORMANCE_DATA") {
            Some(directory) => Some(Data { directory: directory.into() }),
            None => {
                println!("skipped: {test} needs PHALANX_CONFORMANCE_DATA");
                None
            }
        }
    }

    /// The rows of a table, without its header.
    pub fn table(&self, name: &str) -> Vec<Vec<String>> {
        let path = self.directory.join(name).with_extension("tsv");
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
        let rows: Vec<_> = text
            .lines()
            .skip(1)
            .map(|line| line.split('\t').map(str::to_owned).collect())
            .collect();
        assert!(!rows.is_empty(), "{} has no rows", path.display());
        rows
    }

    /// An array file.
    pub fn array(&self, name: &str, dtype: DType) -> Array {
        let path = self.directory.join(format!("{name}.bin"));
        let bytes = std::fs::read(&path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
        let mut array = Array::zeroed(dtype, bytes.len() / dtype.size());
        array.bytes_mut().copy_from_slice(&bytes);
        array
    }
}

impl Array {
    pub fn zeroed(dtype: DType, count: usize) -> Array {
        Array { dtype, count, words: vec![0; (count * dtype.size()).div_ceil(8)] }
    }

    pub fn dtype(&self) -> DType {
        self.dtype
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn pointer(&self) -> *const u8 {
        self.words.as_ptr().cast()
    }

    pub fn pointer_mut(&mut self) -> *mut u8 {
        self.words.as_mut_ptr().cast()
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the words hold at least this many bytes.
        unsafe { std::slice::from_raw_parts(self.pointer(), self.count * self.dtype.size()) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let length = self.count * self.dtype.size();
        // SAFETY: the words hold at least this many bytes.
        unsafe { std::slice::from_raw_parts_mut(self.pointer_mut(), length) }
    }

    /// The bytes of one element.
    pub fn element(&self, position: usize) -> &[u8] {
        let size = self.dtype.size();
        &self.bytes()[position * size..][..size]
    }
}

/// A dtype by its name in the tables.
pub fn dtype(name: &str) -> DType {
    DType::from_name(name).unwrap_or_else(|| panic!("the data names an unknown dtype {name}"))
}
