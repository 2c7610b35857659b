//! The names of a library's functions.

use libloading::os::unix::Library;

/// The beginnings of names: NumPy's packages use the second, so that several libraries of a
/// process do not disturb each other.
const PREFIXES: [&str; 2] = ["", "scipy_"];
/// The ends of the names of Fortran's and of C's functions.
const SUFFIXES: [[&str; 2]; 3] = [["_", ""], ["_64_", "64_"], ["_64", ""]];

/// The spelling of a library's names.
pub(super) struct Names<'a> {
    library: &'a Library,
    prefix: &'static str,
    suffixes: [&'static str; 2],
}

impl<'a> Names<'a> {
    /// The spelling under which the library has `dgemm`.
    ///
    /// Errors: the reason why the library is not used.
    pub(super) fn new(library: &'a Library) -> Result<Names<'a>, String> {
        let spellings = SUFFIXES.into_iter().flat_map(|ends| PREFIXES.map(|prefix| (prefix, ends)));
        spellings
            .map(|(prefix, suffixes)| Names { library, prefix, suffixes })
            .find(|names| names.has(&names.fortran_name("dgemm")))
            .ok_or_else(|| String::from("it lacks the symbol `dgemm_`"))
    }

    /// The name of a function of Fortran.
    fn fortran_name(&self, name: &str) -> String {
        format!("{}{name}{}", self.prefix, self.suffixes[0])
    }

    fn has(&self, name: &str) -> bool {
        // SAFETY: the symbol is looked up and not used.
        unsafe { self.library.get::<*const ()>(name.as_bytes()).is_ok() }
    }

    /// A function of Fortran.
    ///
    /// Errors: the reason why the library is not used.
    ///
    /// # Safety
    /// `F` is the type of the function of this name.
    pub(super) unsafe fn fortran<F: Copy>(&self, name: &str) -> Result<F, String> {
        let name = self.fortran_name(name);
        // SAFETY: the caller's promise.
        let symbol = unsafe { self.library.get::<F>(name.as_bytes()) };
        symbol.map(|symbol| *symbol).map_err(|_| format!("it lacks the symbol `{name}`"))
    }

    /// A function of C that has the library's spelling of names.
    ///
    /// # Safety
    /// `F` is the type of the function of this name.
    pub(super) unsafe fn c<F: Copy>(&self, name: &str) -> Option<F> {
        let name = format!("{}{name}{}", self.prefix, self.suffixes[1]);
        // SAFETY: the caller's promise.
        unsafe { self.plain(&name) }
    }

    /// A function of exactly this name.
    ///
    /// # Safety
    /// `F` is the type of the function of this name.
    pub(super) unsafe fn plain<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: the caller's promise.
        unsafe { self.library.get::<F>(name.as_bytes()).ok().map(|symbol| *symbol) }
    }
}
