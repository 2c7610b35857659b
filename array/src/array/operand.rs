//! The elements that an operation reads: the operand that a view is, and its present elements.

use super::form::form_operand;
use super::handle::Array;
use super::lens::{self, show_truth};
use phalanx_graph::{Error, Held, Operand, Site, View, shared_or_none};

impl Array {
    /// The array as an operand of an operation that is recorded now. Stages with a form or a lens
    /// record nodes.
    pub(crate) fn operand(&self, site: Site) -> Result<Operand, Error> {
        let live = self.live()?;
        self.check_not_lent(Some(site))?;
        let mesh = &live.cell.mesh;
        let node = Held::new(live.cell.node()?);
        let mut operand = Operand::Value { node, map: None };
        let view = live.view();
        for stage in &view.stages {
            if let Some(form) = &stage.form {
                operand = form_operand(mesh, operand, form, site)?;
            }
            let Operand::Value { node, map: None } = operand else {
                unreachable!("bug: a stage starts at a whole value")
            };
            operand = Operand::Value { map: shared_or_none(&stage.map, node.shape()), node };
            if let Some(lens) = stage.lens {
                operand = lens::show(lens, mesh, operand, &stage.map.shape, site)?;
            }
        }
        if view.is_truth {
            operand = show_truth(mesh, operand, &view.shape, site)?;
        }
        Ok(operand)
    }

    /// The present elements of a view of this array's cell, which later writes do not change.
    /// `None` if reading them would not be Local, or if a later write would have to copy more than
    /// 16 MiB to preserve them.
    pub(crate) fn kept(&self, view: View) -> Result<Option<Array>, Error> {
        const MOST_BYTES: usize = 16 << 20;
        let node = self.base_node()?;
        let bytes = phalanx_ops::shape::size(node.shape()).saturating_mul(node.dtype().size());
        if bytes > MOST_BYTES || !self.is_held()? {
            return Ok(None);
        }
        self.with_view(view.clone())?.check_not_lent(None)?;
        let copied = Array::from_node(self.mesh()?, node);
        copied.with_view(View { is_read_only: false, ..view }).map(Some)
    }
}
