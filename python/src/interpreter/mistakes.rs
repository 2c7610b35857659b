//! The kinds of mistakes that the Python front finds in a call before an operation receives the
//! arguments.

use phalanx::InitFailure;

/// A kind of mistake. The error texts are NumPy's where NumPy has the same error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// An argument of another type than the parameter takes.
    Type,
    /// A word that the parameter does not accept.
    Choice,
    /// A keyword that the function does not have, or whose parameter is already given by position.
    Keyword,
    /// Too many or too few arguments.
    Count,
    /// A number, an extent or a string that the parameter does not accept.
    Value,
    /// Arguments that are valid each by itself but not together.
    Together,
    /// Objects that are no elements of an array: strings, objects, lists of unequal lengths.
    Elements,
    /// A dtype that arrays do not have.
    Dtype,
    /// An integer that no dtype holds.
    Large,
    /// An array where a number, a truth value, a length or a hash is needed.
    Conversion,
    /// A write to an element or a read-only array, or a change of a fixed property.
    Fixed,
    /// A feature of NumPy, SciPy or CuPy that is not implemented.
    Absent,
    /// A key that selects nothing.
    Key,
    /// A call at a time when the session, a block or a recording does not allow it.
    State,
    /// Elements that cannot be exported in the form that another library asks for.
    Export,
    /// A message that another process did not send, or cannot receive.
    Message,
}

impl Mistake {
    /// Every kind, by its name in the modules of Python.
    const NAMED: [(&str, Mistake); 16] = [
        ("type", Mistake::Type),
        ("choice", Mistake::Choice),
        ("keyword", Mistake::Keyword),
        ("count", Mistake::Count),
        ("value", Mistake::Value),
        ("together", Mistake::Together),
        ("elements", Mistake::Elements),
        ("dtype", Mistake::Dtype),
        ("large", Mistake::Large),
        ("conversion", Mistake::Conversion),
        ("fixed", Mistake::Fixed),
        ("absent", Mistake::Absent),
        ("key", Mistake::Key),
        ("state", Mistake::State),
        ("export", Mistake::Export),
        ("message", Mistake::Message),
    ];

    /// The kind of a name.
    pub fn from_name(name: &str) -> Mistake {
        let found = Mistake::NAMED.iter().find(|(known, _)| *known == name);
        found.unwrap_or_else(|| panic!("bug: there is no kind of mistake {name:?}")).1
    }

    /// The stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Mistake::Type => "PX140",
            Mistake::Choice => "PX141",
            Mistake::Keyword => "PX142",
            Mistake::Count => "PX143",
            Mistake::Value => "PX144",
            Mistake::Together => "PX145",
            Mistake::Elements => "PX146",
            Mistake::Dtype => "PX147",
            Mistake::Large => "PX148",
            Mistake::Conversion => "PX149",
            Mistake::Fixed => "PX150",
            Mistake::Absent => "PX151",
            Mistake::Key => "PX152",
            Mistake::State => InitFailure::NOT_NOW,
            Mistake::Export => "PX154",
            Mistake::Message => "PX156",
        }
    }

    /// The hint of the error.
    pub const fn hint(self) -> &'static str {
        match self {
            Mistake::Type => "help(function) shows the type of each parameter",
            Mistake::Choice => "use one of the words that help(function) lists",
            Mistake::Keyword => "help(function) lists the names of the parameters",
            Mistake::Count => "help(function) lists the parameters",
            Mistake::Value => "help(function) describes the values of each parameter",
            Mistake::Together => "leave out one of the arguments, or make their shapes agree",
            Mistake::Elements => "give numbers or truth values, in lists of equal lengths",
            Mistake::Dtype => "docs/python.md lists the dtypes that arrays have",
            Mistake::Large => "write it as a float, or keep it within 64 bits",
            Mistake::Conversion => "reduce the array to one element, or select one by its position",
            Mistake::Fixed => "make an array of the elements with copy, or with reshape",
            Mistake::Absent => "docs/coverage.md lists all names; pass x.get() to NumPy",
            Mistake::Key => "use integers, slices, `...`, None, or arrays of integers or masks",
            Mistake::State => "docs/python.md states when a session and its blocks start and end",
            Mistake::Export => "export x.get(), or the parts of x.local_view()",
            Mistake::Message => "check whether the other process has ended, and with which error",
        }
    }
}
