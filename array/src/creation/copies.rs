//! Copies of an array.

use crate::array::Array;
use crate::floating::{check_cast, warn_discarded};
use phalanx_graph::{NodeOp, Site, call_site};
use phalanx_ops::DType;

impl Array {
    /// A copy in another dtype, as NumPy's `astype`. All casts are allowed.
    ///
    /// Collectivity: Local (records a node); evaluating is Collective over the mesh.
    #[track_caller]
    pub fn astype(&self, dtype: DType) -> Array {
        self.checked_astype_at(dtype, call_site())
    }

    /// A cast that the user requested, which is checked for floating-point errors and for
    /// discarded imaginary parts.
    pub(crate) fn checked_astype_at(&self, dtype: DType, site: Site) -> Array {
        if let Err(error) = warn_discarded(self.dtype(), dtype, site) {
            return Array::catch(Err(error));
        }
        let cast = self.astype_at(dtype, site);
        check_cast(self, &cast, site);
        cast
    }

    /// A copy with its own elements, in C order. Local (records a node).
    #[track_caller]
    pub fn copy(&self) -> Array {
        self.copy_at(call_site())
    }

    pub(crate) fn copy_at(&self, site: Site) -> Array {
        Array::catch((|| {
            let mesh = self.mesh()?;
            let operand = self.operand(site)?;
            let node =
                mesh.record(NodeOp::Cast, &[operand], self.shape().into(), self.dtype(), site)?;
            Ok(Array::from_node(mesh, node))
        })())
    }
}
