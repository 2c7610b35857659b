//! Meshes: the devices of a world as a named grid.

use smallvec::SmallVec;
use std::fmt;

/// A named grid of devices, numbered in C order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Mesh {
    axes: Vec<(String, usize)>,
}

impl Mesh {
    /// The grid with the given axes, each a name and an extent.
    pub fn new(axes: &[(&str, usize)]) -> Mesh {
        Mesh {
            axes: axes
                .iter()
                .map(|(name, extent)| ((*name).to_string(), (*extent).max(1)))
                .collect(),
        }
    }

    /// A line of `devices` devices whose axis is called `device`.
    pub fn line(devices: usize) -> Mesh {
        Mesh::new(&[("device", devices)])
    }

    /// The number of axes.
    pub fn ndim(&self) -> usize {
        self.axes.len()
    }

    /// The number of devices; `usize::MAX` if there are more.
    pub fn devices(&self) -> usize {
        self.axes.iter().fold(1, |devices, axis| devices.saturating_mul(axis.1))
    }

    /// The extent of an axis.
    pub fn extent(&self, axis: usize) -> usize {
        self.axes[axis].1
    }

    /// The name of an axis.
    pub fn name(&self, axis: usize) -> &str {
        &self.axes[axis].0
    }

    /// The axis of the given name.
    pub fn axis(&self, name: &str) -> Option<usize> {
        self.axes.iter().position(|axis| axis.0 == name)
    }

    /// The position of a device on each axis.
    pub fn coordinates(&self, device: usize) -> SmallVec<[usize; 4]> {
        let mut rest = device;
        let mut coordinates: SmallVec<[usize; 4]> = smallvec::smallvec![0; self.ndim()];
        for (axis, (_, extent)) in self.axes.iter().enumerate().rev() {
            coordinates[axis] = rest % extent;
            rest /= extent;
        }
        coordinates
    }

    /// The device at a position.
    pub fn device(&self, coordinates: &[usize]) -> usize {
        self.axes.iter().zip(coordinates).fold(0, |device, ((_, extent), at)| device * extent + at)
    }
}

impl fmt::Display for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<String> =
            self.axes.iter().map(|(name, extent)| format!("{name}={extent}")).collect();
        write!(f, "mesh({})", axes.join(", "))
    }
}
