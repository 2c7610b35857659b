//! What placements and plans depend on besides the window: equal on all ranks.

use crate::lower::Lowerings;
use crate::policy::Policy;
use phalanx_ops::Mesh;

/// The mesh, the policy and the lowerings that a window is planned for.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The devices.
    pub mesh: &'a Mesh,
    /// When arrays are split.
    pub policy: &'a Policy,
    /// How structured operations are distributed.
    pub lowerings: Lowerings,
}
