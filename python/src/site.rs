//! The line of Python that calls.

use phalanx::{Place, Site, called_from};
use pyo3::ffi;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Code objects that a thread remembers the file of.
const REMEMBERED: usize = 1024;

/// A line of a Python program. There is one for each line that ever calls, and it stays.
struct Line {
    file: &'static str,
    line: u32,
}

impl Place for Line {
    fn file(&self) -> &str {
        self.file
    }
    fn line(&self) -> u32 {
        self.line
    }
}

/// A code object and the file that it is of.
struct Known {
    /// Kept, so that its address is not that of another one later.
    _code: Py<PyAny>,
    /// `None` for files of the module itself.
    file: Option<&'static str>,
}

thread_local! {
    static CODES: RefCell<HashMap<usize, Known>> = RefCell::default();
    /// Those of `ALL_LINES` that the thread has used.
    static LINES: RefCell<HashMap<(usize, i32), Site>> = RefCell::default();
}

/// Every line that has called, by the place of its file's name.
static ALL_LINES: Mutex<Option<HashMap<(usize, i32), Site>>> = Mutex::new(None);

/// Runs calls of the framework as those of the line of Python that is running.
pub fn at_line<R>(py: Python<'_>, body: impl FnOnce() -> R) -> R {
    // What the program has made current for other libraries stays so.
    let _kept = phalanx::cuda::keep_context();
    called_from(here(py), body)
}

/// The line of Python that is running, outside of the module's own files.
pub fn here(py: Python<'_>) -> Site {
    // SAFETY: the interpreter is attached; the frame is borrowed from it, or null where no Python
    // code is running.
    let frame = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyEval_GetFrame().cast()) };
    let mut frame = frame;
    while let Some(current) = frame {
        // SAFETY: `current` is a frame, which is alive as long as this holds it.
        let line = unsafe { ffi::PyFrame_GetLineNumber(current.as_ptr().cast()) };
        if let Some(file) = file_of(&current) {
            return interned(file, line);
        }
        frame = current.getattr("f_back").ok().filter(|back| !back.is_none());
    }
    static END: Line = Line { file: "the end of the program", line: 0 };
    Site::new(&END)
}

/// The file of a frame's code; `None` if it is one of the module's own.
fn file_of(frame: &Bound<'_, PyAny>) -> Option<&'static str> {
    // SAFETY: `frame` is a frame; the code is a new reference.
    let code = unsafe {
        Bound::from_owned_ptr_or_opt(frame.py(), ffi::PyFrame_GetCode(frame.as_ptr().cast()).cast())
    }?;
    let address = code.as_ptr() as usize;
    if let Some(file) = CODES.with_borrow(|codes| codes.get(&address).map(|known| known.file)) {
        return file;
    }
    // Nothing of Python runs while the map is borrowed: what ends with a code object may call.
    let name = code.getattr("co_filename").and_then(|name| name.extract::<String>());
    let name = name.unwrap_or_else(|_| String::from("<unknown>"));
    let file = (!is_own(&name)).then(|| file_name(name));
    let is_full = CODES.with_borrow(|codes| codes.len() >= REMEMBERED);
    let forgotten = is_full.then(|| CODES.take());
    CODES.with_borrow_mut(|codes| codes.insert(address, Known { _code: code.unbind(), file }));
    drop(forgotten);
    file
}

/// Whether a file is one of the module's own, whose lines tell the user nothing.
fn is_own(name: &str) -> bool {
    OWN.get().is_some_and(|folder| name.starts_with(folder.as_str()))
}

/// The folder of the module, with the separator at its end.
static OWN: OnceLock<String> = OnceLock::new();

/// Says where the module's own files are.
pub fn set_own_folder(folder: String) {
    // The module is imported once; a second import is of the same folder.
    let _ = OWN.set(folder);
}

/// The one copy of a name that stays.
fn file_name(name: String) -> &'static str {
    static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.iter().find(|known| **known == name) {
        return known;
    }
    let name: &'static str = name.leak();
    names.push(name);
    name
}

fn interned(file: &'static str, line: i32) -> Site {
    let place = (file.as_ptr() as usize, line);
    let make = || {
        let mut all = ALL_LINES.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = all.get_or_insert_default();
        *lines.entry(place).or_insert_with(|| {
            let line = u32::try_from(line).unwrap_or(0);
            Site::new(Box::leak(Box::new(Line { file, line })))
        })
    };
    LINES.with_borrow_mut(|lines| *lines.entry(place).or_insert_with(make))
}
