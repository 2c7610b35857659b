//! The calling line of Python.

use phalanx::{Place, Site, called_from};
use pyo3::ffi;
use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
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

/// A call that a thread has made: the instruction of a code object, and its line.
#[derive(Clone, Copy)]
struct Call {
    /// The address of the code object, which `CODES` keeps alive.
    code: usize,
    instruction: c_int,
    site: Site,
}

/// The number of recent calls that a thread caches, by a hash. Two calls of a loop that share a
/// place cost a microsecond each turn, so there are far more places than calls in a loop.
const RECENT: usize = 512;

thread_local! {
    static CODES: RefCell<FxHashMap<usize, Known>> = RefCell::default();
    /// Those of `ALL_LINES` that the thread has used.
    static LINES: RefCell<FxHashMap<(usize, i32), Site>> = RefCell::default();
    static CALLS: [Cell<Option<Call>>; RECENT] = const { [const { Cell::new(None) }; RECENT] };
}

/// Every line that has called, by the address of its file's name and its number.
static ALL_LINES: Mutex<Option<FxHashMap<(usize, i32), Site>>> = Mutex::new(None);

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
    let Some(mut frame) = frame else { return end() };
    // The frame is that of the program, or below it there are calls by the module's own files.
    loop {
        let call = instruction(&frame);
        let slot = call.map_or(0, |(code, at)| ((code / 16) ^ (at as usize / 2)) % RECENT);
        if let Some((code, instruction)) = call
            && let Some(known) = CALLS.with(|calls| calls[slot].get())
            && (known.code, known.instruction) == (code, instruction)
        {
            return known.site;
        }
        if let Some(file) = file_of(&frame) {
            // SAFETY: `frame` is a frame, which is alive as long as this holds it.
            let line = unsafe { ffi::PyFrame_GetLineNumber(frame.as_ptr().cast()) };
            let site = interned(file, line);
            if let Some((code, instruction)) = call {
                let call = Call { code, instruction, site };
                CALLS.with(|calls| calls[slot].set(Some(call)));
            }
            return site;
        }
        match caller_of(&frame) {
            Some(caller) => frame = caller,
            None => return end(),
        }
    }
}

/// The frame that called a frame.
fn caller_of<'py>(frame: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    type Caller = unsafe extern "C" fn(*mut ffi::PyFrameObject) -> *mut ffi::PyFrameObject;
    static CALLER: OnceLock<Option<Caller>> = OnceLock::new();
    let found = CALLER.get_or_init(|| {
        let program = libloading::os::unix::Library::this();
        // SAFETY: CPython has had this function with this signature since 3.9; it is not in the
        // stable interface, so it is looked up. The program stays loaded.
        unsafe { program.get::<Caller>(b"PyFrame_GetBack\0") }.ok().map(|found| *found)
    });
    match found {
        // SAFETY: `frame` is a frame; the result is a new reference, or null without a caller.
        Some(caller) => unsafe {
            let caller = caller(frame.as_ptr().cast());
            Bound::from_owned_ptr_or_opt(frame.py(), caller.cast())
        },
        None => frame.getattr("f_back").ok().filter(|back| !back.is_none()),
    }
}

fn end() -> Site {
    static END: Line = Line { file: "the end of the program", line: 0 };
    Site::new(&END)
}

/// The code object of a frame and the instruction that it runs. `None` if the interpreter has no
/// function for it.
///
/// The line of an instruction follows from a table of the code object that has to be read from its
/// start, which takes microseconds in a long function.
fn instruction(frame: &Bound<'_, PyAny>) -> Option<(usize, c_int)> {
    type LastInstruction = unsafe extern "C" fn(*mut ffi::PyFrameObject) -> c_int;
    static LAST_INSTRUCTION: OnceLock<Option<LastInstruction>> = OnceLock::new();
    let found = LAST_INSTRUCTION.get_or_init(|| {
        let program = libloading::os::unix::Library::this();
        // SAFETY: CPython has had this function with this signature since 3.11; it is not in the
        // stable interface, so it is looked up. The program stays loaded.
        unsafe { program.get::<LastInstruction>(b"PyFrame_GetLasti\0") }.ok().map(|found| *found)
    });
    let last = (*found)?;
    let pointer = frame.as_ptr().cast();
    // SAFETY: `frame` is a frame; the code is a new reference, dropped here, and the frame holds
    // another.
    unsafe {
        let code = ffi::PyFrame_GetCode(pointer);
        ffi::Py_DECREF(code.cast());
        Some((code as usize, last(pointer)))
    }
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
    if is_full {
        CALLS.with(|calls| calls.iter().for_each(|call| call.set(None)));
    }
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
