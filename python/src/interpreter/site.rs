//! The calling line of Python.

use phalanx::{Place, Site, called_from};
use pyo3::ffi;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The number of code objects whose file a thread caches.
const REMEMBERED: usize = 1024;

/// A line of a Python program. Each line that ever calls has one, which is never freed.
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

/// A code object and its file.
struct Known {
    /// Kept alive, so that no other code object gets its address.
    _code: Py<PyAny>,
    /// `None` for files of the module itself.
    file: Option<&'static str>,
}

thread_local! {
    static CODES: RefCell<HashMap<usize, Known>> = RefCell::default();
    /// Those of `ALL_LINES` that the thread has used.
    static LINES: RefCell<HashMap<(usize, i32), Site>> = RefCell::default();
}

/// Every line that has called, by the address of its file's name and its number.
static ALL_LINES: Mutex<Option<HashMap<(usize, i32), Site>>> = Mutex::new(None);

/// Runs calls of the framework as those of the running line of Python.
pub fn at_line<R>(py: Python<'_>, body: impl FnOnce() -> R) -> R {
    // The context that the program has made current for other libraries stays current.
    let _kept = phalanx::cuda::keep_context();
    called_from(here(py), body)
}

/// The running line of Python outside of the module's own files.
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
    // No Python code runs while the map is borrowed: the end of a code object may run some.
    let name = code.getattr("co_filename").and_then(|name| name.extract::<String>());
    let name = name.unwrap_or_else(|_| String::from("<unknown>"));
    let file = (!is_own(&name)).then(|| file_name(name));
    let is_full = CODES.with_borrow(|codes| codes.len() >= REMEMBERED);
    let forgotten = is_full.then(|| CODES.take());
    CODES.with_borrow_mut(|codes| codes.insert(address, Known { _code: code.unbind(), file }));
    drop(forgotten);
    file
}

/// Whether a file is one of the module's own, whose lines do not help the user.
fn is_own(name: &str) -> bool {
    OWN.get().is_some_and(|folder| name.starts_with(folder.as_str()))
}

/// The folder of the module, with the separator at its end.
static OWN: OnceLock<String> = OnceLock::new();

/// Sets the folder of the module's own files.
pub fn set_own_folder(folder: String) {
    // The module is imported once; a second import is of the same folder.
    let _ = OWN.set(folder);
}

/// The only copy of a name, which is never freed.
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
