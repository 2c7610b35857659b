//! The table of the functions, and their text in CUDA C.

/// A function of one to seven numbers.
#[derive(Clone, Copy, Debug)]
pub enum Pointer {
    /// One argument.
    F1(fn(f64) -> f64),
    /// Two arguments.
    F2(fn(f64, f64) -> f64),
    /// Three arguments.
    F3(fn(f64, f64, f64) -> f64),
    /// Four arguments.
    F4(fn(f64, f64, f64, f64) -> f64),
    /// Five arguments.
    F5(fn(f64, f64, f64, f64, f64) -> f64),
    /// Six arguments.
    F6(fn(f64, f64, f64, f64, f64, f64) -> f64),
    /// Seven arguments.
    F7(fn(f64, f64, f64, f64, f64, f64, f64) -> f64),
}

/// A special function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// SciPy's name.
    pub name: &'static str,
    /// The number of arguments.
    pub arity: usize,
    /// The definition, as a full sentence.
    pub doc: &'static str,
    /// The function on CPUs.
    pub f: Pointer,
}

impl Function {
    /// The value for as many arguments as the function has.
    ///
    /// # Panics
    ///
    /// If there is another number of arguments.
    #[must_use]
    pub fn call(&self, arguments: &[f64]) -> f64 {
        match (self.f, arguments) {
            (Pointer::F1(f), &[a]) => f(a),
            (Pointer::F2(f), &[a, b]) => f(a, b),
            (Pointer::F3(f), &[a, b, c]) => f(a, b, c),
            (Pointer::F4(f), &[a, b, c, d]) => f(a, b, c, d),
            (Pointer::F5(f), &[a, b, c, d, e]) => f(a, b, c, d, e),
            (Pointer::F6(f), &[a, b, c, d, e, g]) => f(a, b, c, d, e, g),
            (Pointer::F7(f), &[a, b, c, d, e, g, h]) => f(a, b, c, d, e, g, h),
            _ => panic!("{} has {} arguments, not {}", self.name, self.arity, arguments.len()),
        }
    }
}

/// All functions, ordered by name.
pub const FUNCTIONS: &[Function] = include!(concat!(env!("OUT_DIR"), "/functions.rs"));

/// The functions as CUDA C, in sections.
///
/// A section starts with a line `//# special_NAME: f64`; a line `//+` names the sections that it
/// needs, which are before it, except `nan:f64` and `infinity:f64`.
pub const CUDA: &str = include_str!(concat!(env!("OUT_DIR"), "/special.cu"));

/// The function of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Function> {
    let at = FUNCTIONS.binary_search_by_key(&name, |function| function.name).ok()?;
    Some(&FUNCTIONS[at])
}
