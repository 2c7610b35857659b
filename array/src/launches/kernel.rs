//! Kernels and the arguments of their calls.

use super::signature::{Parameter, parameters_of};
use crate::array::Array;
use phalanx_graph::Site;
use phalanx_ops::structured::{Code, Entry, LaunchParameter, LaunchedAt, Program, Share};
use smallvec::SmallVec;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A kernel of a program.
#[derive(Clone, Debug)]
pub struct LaunchKernel {
    pub(super) program: &'static Program,
    pub(super) symbol: String,
    pub(super) share: Share,
    pub(super) is_cooperative: bool,
    /// What is known of each parameter; `None` if nothing is.
    pub(super) parameters: Option<Vec<Parameter>>,
    /// The last call: most calls have its form and its line.
    pub(super) last: Arc<Mutex<Option<LastCall>>>,
}

/// A call that was recorded.
pub(super) struct LastCall {
    pub entry: &'static Entry,
    pub site: Site,
    pub at: LaunchedAt,
}

impl fmt::Debug for LastCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a call at {}", self.at)
    }
}

/// An argument of a call.
#[derive(Clone)]
pub enum LaunchArgument {
    /// The address of the first element of an array.
    Array(Array),
    /// Bytes by value.
    Bytes(SmallVec<[u8; 16]>),
    /// The place of a device's block of an array, a `phalanx_shard` by value. The array has 8 axes
    /// at most.
    Place(Array),
}

impl LaunchKernel {
    /// The kernel `symbol` of a program: the name of a function, or one of the program's
    /// expressions. Pointers to constants in the text of the kernel's parameters are only read; all
    /// others may be written.
    pub fn new(program: &'static Program, symbol: &str) -> LaunchKernel {
        let parameters = match &program.code {
            Code::Text(text) => parameters_of(text, symbol),
            Code::Image(_) | Code::Host(..) => None,
        };
        let (share, symbol) = (Share::First, String::from(symbol));
        let last = Arc::default();
        LaunchKernel { program, symbol, share, is_cooperative: false, parameters, last }
    }

    /// The kernel for the given devices. By default it runs on the first device of the mesh, which
    /// gets whole arrays.
    #[must_use]
    pub fn share(self, share: Share) -> LaunchKernel {
        LaunchKernel { share, ..self }
    }

    /// All thread blocks run at the same time and can wait for each other.
    #[must_use]
    pub fn cooperative(self) -> LaunchKernel {
        LaunchKernel { is_cooperative: true, ..self }
    }

    /// States for each parameter whether the kernel may write through it.
    #[must_use]
    pub fn writes(self, written: &[bool]) -> LaunchKernel {
        let known = |&may_write: &bool| Parameter { is_pointer: None, may_write };
        LaunchKernel { parameters: Some(written.iter().map(known).collect()), ..self }
    }

    /// The name of the kernel.
    pub fn symbol(&self) -> &str {
        &self.symbol
    }

    /// The program that has the kernel.
    pub fn program(&self) -> &'static Program {
        self.program
    }

    /// Whether all thread blocks run at the same time.
    pub fn is_cooperative(&self) -> bool {
        self.is_cooperative
    }

    /// Whether a parameter is a pointer; `None` if that is not known.
    pub fn takes_address(&self, parameter: usize) -> Option<bool> {
        self.known(parameter)?.is_pointer
    }

    /// The entry for calls of this form, which notes the line of this one.
    pub(super) fn entry(
        &self,
        parameters: &[LaunchParameter],
        (arrays, lent): (u8, u8),
        site: Site,
    ) -> &'static Entry {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |last: &&LastCall| {
            let entry = last.entry;
            entry.parameters == parameters
                && (entry.arrays, entry.lent) == (arrays, lent)
                && (entry.share, entry.is_cooperative) == (self.share, self.is_cooperative)
        };
        let (entry, at) = match last.as_ref().filter(is_same) {
            Some(last) if last.site == site => {
                last.entry.note_call(&last.at);
                return last.entry;
            }
            Some(last) => (last.entry, Arc::new(site) as LaunchedAt),
            None => {
                let how = (self.share, self.is_cooperative);
                let form = (arrays, lent);
                let entry = Entry::new(self.program, &self.symbol, parameters, form, how);
                (entry, Arc::new(site) as LaunchedAt)
            }
        };
        entry.note_call(&at);
        *last = Some(LastCall { entry, site, at });
        entry
    }

    fn known(&self, parameter: usize) -> Option<&Parameter> {
        self.parameters.as_ref()?.get(parameter)
    }

    /// Whether the kernel may write through a parameter.
    pub fn may_write(&self, parameter: usize) -> bool {
        self.known(parameter).is_none_or(|known| known.may_write)
    }
}
