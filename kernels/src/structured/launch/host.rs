//! Kernels on the host: functions of this process.

use phalanx_ops::structured::{HostCode, LaunchSize};
use std::any::Any;
use std::fmt;

/// A parameter of a call, as the function gets it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostParameter {
    /// A byte of an array: the number of the array and the position of the byte in it.
    Place {
        /// The number of the array among those of the call.
        array: usize,
        /// The position of the byte.
        byte: usize,
    },
    /// Bytes by value.
    Bytes(Vec<u8>),
}

/// A call of a kernel on the host. An array that several parameters name is one array.
#[derive(Debug)]
pub struct HostCall<'a> {
    /// The size of the launch.
    pub size: LaunchSize,
    /// The parameters.
    pub parameters: Vec<HostParameter>,
    /// The bytes of the arrays that the kernel may write, which are the first of the call.
    pub written: Vec<&'a mut [u8]>,
    /// The bytes of the other arrays.
    pub read: Vec<&'a [u8]>,
    /// For each array, its extents on the device.
    pub extents: Vec<Vec<usize>>,
    /// For each array, the index of its first element on the device in the whole array.
    pub origins: Vec<Vec<usize>>,
}

impl HostCall<'_> {
    /// The bytes to which a parameter points; the bytes of a parameter that is passed by value.
    ///
    /// Panics if there is no parameter of this number.
    pub fn bytes(&self, parameter: usize) -> &[u8] {
        match &self.parameters[parameter] {
            HostParameter::Bytes(bytes) => bytes,
            HostParameter::Place { array, byte } => match self.written.get(*array) {
                Some(written) => &written[*byte..],
                None => &self.read[array - self.written.len()][*byte..],
            },
        }
    }

    /// The bytes to which a parameter points, for writing.
    ///
    /// Panics if there is no parameter of this number, or if it may not be written.
    pub fn bytes_mut(&mut self, parameter: usize) -> &mut [u8] {
        match &self.parameters[parameter] {
            HostParameter::Place { array, byte } if *array < self.written.len() => {
                &mut self.written[*array][*byte..]
            }
            _ => panic!("parameter {parameter} of the kernel may not be written"),
        }
    }
}

/// The function of a kernel on the host.
pub struct HostKernel(Box<dyn Fn(&mut HostCall<'_>) + Send + Sync>);

impl HostKernel {
    /// The kernel of a function.
    pub fn new(run: impl Fn(&mut HostCall<'_>) + Send + Sync + 'static) -> HostKernel {
        HostKernel(Box::new(run))
    }

    /// Calls the function.
    pub(super) fn run(&self, call: &mut HostCall<'_>) {
        (self.0)(call);
    }
}

impl fmt::Debug for HostKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostKernel")
    }
}

impl HostCode for HostKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }
}
