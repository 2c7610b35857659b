//! Shardings by the names of mesh axes, as users write them.

use crate::array::Array;
use crate::manipulation::refused;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Bounds, Mesh, Sharding, Split};
use smallvec::SmallVec;
use std::fmt;

/// The split of one axis of an array over the mesh axes with these names, major first; without
/// names, no split.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct NamedSplit {
    /// The names of the mesh axes.
    pub mesh_axes: Vec<String>,
    /// The extents of the blocks; `None` for even blocks.
    pub blocks: Option<Vec<usize>>,
}

/// A sharding for arrays of any shape: the split of each axis.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct NamedSharding {
    /// The split of each axis of the array.
    pub axes: Vec<NamedSplit>,
}

impl fmt::Display for NamedSharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.axes.iter().map(|axis| {
            if axis.mesh_axes.is_empty() { String::from("-") } else { axis.mesh_axes.join("*") }
        });
        write!(f, "[{}]", names.collect::<Vec<_>>().join(", "))
    }
}

impl NamedSharding {
    /// Whether every device holds the whole array. Local.
    pub fn is_replicated(&self) -> bool {
        self.axes.iter().all(|axis| axis.mesh_axes.is_empty())
    }

    /// The sharding of an array of this shape over the mesh. Local. Errors: `OpError::Sharding` for
    /// another number of axes, and for a name that the mesh does not have. The blocks are checked
    /// against the shape when an array takes the sharding.
    pub fn resolve(&self, shape: &[usize], mesh: &Mesh) -> Result<Sharding, OpError> {
        let wrong =
            |reason| OpError::Sharding { sharding: self.to_string(), shape: shape.into(), reason };
        if self.axes.len() != shape.len() {
            return Err(wrong("it is for another number of axes"));
        }
        let mut resolved = Sharding::replicated(shape.len());
        for (place, axis) in self.axes.iter().enumerate() {
            if axis.mesh_axes.is_empty() {
                continue;
            }
            let mut mesh_axes: SmallVec<[u8; 2]> = SmallVec::new();
            for name in &axis.mesh_axes {
                let found = mesh.axis(name);
                let found = found.ok_or_else(|| wrong("it names a mesh axis that does not exist"));
                mesh_axes.push(found? as u8);
            }
            let parts = mesh_axes.iter().map(|&axis| mesh.extent(axis.into())).product();
            let bounds = match &axis.blocks {
                Some(blocks) => Bounds::explicit(blocks),
                None => Bounds::even(shape[place], parts),
            };
            resolved.axes[place] = Some(Split { mesh_axes, bounds });
        }
        Ok(resolved)
    }

    /// A sharding over the mesh, by the names of its axes. Local.
    pub fn of(sharding: &Sharding, shape: &[usize], mesh: &Mesh) -> NamedSharding {
        let axes = sharding.axes.iter().zip(shape).map(|(split, &extent)| {
            let Some(split) = split else { return NamedSplit::default() };
            let names = split.mesh_axes.iter().map(|&axis| mesh.name(axis.into()).to_owned());
            let parts = split.bounds.parts();
            let blocks = (0..parts).map(|part| split.bounds.block(part).len()).collect();
            let is_even = split.bounds == Bounds::even(extent, parts);
            NamedSplit { mesh_axes: names.collect(), blocks: (!is_even).then_some(blocks) }
        });
        NamedSharding { axes: axes.collect() }
    }
}

/// The axes along which an array is split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SplitAlong {
    /// No axis: every device has the whole array.
    Nothing,
    /// One axis, and each device has a block of its own.
    One(usize),
    /// Several axes, or one axis with the same block on several devices.
    Several,
}

impl SplitAlong {
    /// The split of the array that [`Array::from_local_shards`] joins again from the given parts.
    /// Each part is the split of its array and the number of devices of this process that have a
    /// part of it, or `None` for data of another source. The result is `None` if the parts are not
    /// the shards of one array.
    ///
    /// Local. Errors: `OpError::Shards` if parts of this process are missing, `OpError::Argument`
    /// for [`SplitAlong::Several`].
    #[track_caller]
    pub fn of_shards(
        parts: impl ExactSizeIterator<Item = Option<(SplitAlong, usize)>>,
    ) -> Result<Option<SplitAlong>, Error> {
        let (site, given) = (call_site(), parts.len());
        let mut found = None;
        for part in parts {
            match (part, found) {
                (Some((_, devices)), None) if devices != given => {
                    return Err(Error::op(OpError::Shards { given, devices }, site));
                }
                (Some((split, _)), None) => found = Some(split),
                (Some((split, _)), Some(found)) if found == split => {}
                _ => return Ok(None),
            }
        }
        if found == Some(SplitAlong::Several) {
            let value = "of an array that is split along several axes, or of which devices have \
                         the same block; split it along one axis first, by with_sharding(axis)";
            return Err(refused("from_local", "shards", value, site));
        }
        Ok(found)
    }
}

impl Array {
    /// [`Array::sharding`], by the names of mesh axes. Local.
    pub fn named_sharding(&self) -> Result<NamedSharding, Error> {
        let (sharding, mesh) = (self.sharding()?, self.mesh()?);
        Ok(NamedSharding::of(&sharding, self.shape(), mesh.mesh()))
    }

    /// The axes along which the array is split. Local, as [`Array::sharding`].
    pub fn split_along(&self) -> Result<SplitAlong, Error> {
        let (sharding, mesh) = (self.sharding()?, self.mesh()?);
        let split = sharding.axes.iter().enumerate();
        let mut split = split.filter_map(|(place, split)| Some((place, split.as_ref()?)));
        Ok(match (split.next(), split.next()) {
            (None, _) => SplitAlong::Nothing,
            (Some((place, split)), None) if split.bounds.parts() == mesh.mesh().devices() => {
                SplitAlong::One(place)
            }
            (Some(_), _) => SplitAlong::Several,
        })
    }

    /// [`Array::with_sharding`], by the names of mesh axes. Local (records a node). Errors:
    /// `OpError::Sharding`.
    #[track_caller]
    pub fn with_named_sharding(&self, sharding: &NamedSharding) -> Array {
        let site = call_site();
        Array::catch(within(site, || {
            let mesh = self.mesh()?;
            let resolved = sharding.resolve(self.shape(), mesh.mesh());
            let resolved = resolved.map_err(|error| Error::op(error, site))?;
            self.with_sharding(resolved).into_result()
        }))
    }

    /// [`Array::with_sharding`] with an even split of one axis over all devices; `None` keeps the
    /// whole array on every device. Local (records a node). Errors: `OpError::Axis`.
    #[track_caller]
    pub fn split_over_devices(&self, axis: impl Into<Option<i64>>) -> Array {
        let (site, axis) = (call_site(), axis.into());
        Array::catch(within(site, || {
            let (mesh, shape) = (self.mesh()?, self.shape());
            let sharding = match axis {
                Some(axis) => Sharding::even(shape, self.axis(axis, site)?, mesh.mesh()),
                None => Sharding::replicated(shape.len()),
            };
            self.with_sharding(sharding).into_result()
        }))
    }
}
