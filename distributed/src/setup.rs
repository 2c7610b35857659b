//! The settings that placements and plans depend on besides the window; equal on all ranks.

use crate::lower::Lowerings;
use crate::policy::{Layout, Policy};
use phalanx_ops::Mesh;

/// The mesh, the policy and the lowerings that a window is planned for.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The devices.
    pub mesh: &'a Mesh,
    /// The sizes at which arrays are split.
    pub policy: &'a Policy,
    /// The lowering of each structured operation.
    pub lowerings: Lowerings,
}

impl<'a> Setup<'a> {
    /// The part of the settings that lowerings see.
    pub(crate) fn layout(self) -> Layout<'a> {
        Layout { mesh: self.mesh, policy: self.policy }
    }
}
