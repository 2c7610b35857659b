//! Whether a kernel may store a value over memory that it loads from.

use crate::build::{Buffer, Built, BuiltAccess};
use crate::fuse::Group;
use phalanx_distributed::are_apart;
use phalanx_graph::NodeId;
use phalanx_kernels::ir::{AccessId, Expr, Kernel, Stmt, ValueId};
use phalanx_ops::IndexBox;
use phalanx_ops::sharding::intersect;

/// The numbers of two accesses of a kernel that never touch the same element.
pub(crate) type Apart = (AccessId, AccessId);

/// Whether the value of `node` may be stored over memory that other buffers share. Each access to a
/// shared element must happen at the index of its store and not after it; or be outside of what is
/// stored; or, in a kernel of a single point that is launched once, belong to an earlier loop.
/// `shares` returns `None` for a buffer in other memory, and otherwise whether its layout is the
/// value's.
///
/// Returns the pairs of accesses that must stay apart for this to hold with other numbers.
pub(super) fn may_overwrite(
    built: &Built,
    group: &Group,
    node: NodeId,
    shares: impl Fn(&Buffer) -> Option<bool>,
) -> Option<Vec<Apart>> {
    // Every launch stores the result of a fold, and a later one may load what that would overwrite.
    if group.is_in_parts && group.member(node).depth == 0 {
        return None;
    }
    let is_own = |buffer: &Buffer| *buffer == Buffer::Output(node);
    let times = Times::of(&built.kernel);
    let mut accesses = built.kernel.access_ids().zip(&built.accesses);
    let own = accesses.clone().filter(|(_, access)| is_own(&access.buffer));
    let stores = own.filter_map(|(id, access)| Some((times.stored[id.index()]?, id, access)));
    let (store, store_id, stored) = stores.min_by_key(|(time, ..)| *time)?;
    let mut apart = Vec::new();
    let is_safe = accesses.all(|(id, access)| {
        if is_own(&access.buffer) {
            return true;
        }
        let Some(is_alike) = shares(&access.buffer) else { return true };
        let Some(touched) = times.touched[id.index()] else { return true };
        // A later launch runs the earlier loop again.
        let is_over =
            built.kernel.grid == 0 && !group.is_in_parts && touched.statement < store.statement;
        // A guarded load reads the stored element only where its guard holds; it is treated as
        // unsafe.
        let is_at_the_index = access.map.axes == stored.map.axes && access.guard.is_none();
        if is_over || (is_alike && is_at_the_index && touched <= store) {
            return true;
        }
        let is_apart = is_alike && stay_apart(built, group, (id, store_id));
        if is_apart {
            apart.push((id, store_id));
        }
        is_apart
    });
    is_safe.then_some(apart)
}

/// Whether two accesses with one layout never touch the same element.
pub(super) fn stay_apart(built: &Built, group: &Group, (a, b): Apart) -> bool {
    let space: IndexBox = group.axes.iter().map(|axis| 0..axis.extent).collect();
    let touched = |access: &BuiltAccess| match access.guard {
        Some(guard) => intersect(&space, &built.guards[guard.index()]),
        None => space.clone(),
    };
    let (a, b) = (&built.accesses[a.index()], &built.accesses[b.index()]);
    are_apart((&a.map, &touched(a)), (&b.map, &touched(b)))
}

/// A moment in the computation of one point of a kernel. A loop counts as one round: other rounds
/// touch other elements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct Time {
    /// The statement of the kernel's body.
    statement: usize,
    /// Among all statements.
    step: usize,
}

/// The order in which a point of a kernel touches memory.
struct Times {
    /// For each access, the time of its last load, of the last use of a loaded value, or of its
    /// store.
    touched: Vec<Option<Time>>,
    /// For each access, the time of its store.
    stored: Vec<Option<Time>>,
    /// For each loaded value, its access.
    loaded: Vec<Option<AccessId>>,
    now: Time,
}

impl Times {
    fn of(kernel: &Kernel) -> Times {
        let mut times = Times {
            touched: vec![None; kernel.accesses.len()],
            stored: vec![None; kernel.accesses.len()],
            loaded: vec![None; kernel.values.len()],
            now: Time::default(),
        };
        for statement in &kernel.body {
            times.now.statement += 1;
            times.walk(kernel, std::slice::from_ref(statement));
        }
        times
    }

    fn walk(&mut self, kernel: &Kernel, body: &[Stmt]) {
        for statement in body {
            self.now.step += 1;
            match statement {
                Stmt::Let(value) => self.compute(kernel, *value),
                Stmt::Loop { body, folds, .. } => {
                    self.walk(kernel, body);
                    self.now.step += 1;
                    for fold in folds {
                        self.uses(fold.value);
                        fold.index.into_iter().for_each(|index| self.uses(index));
                    }
                }
                Stmt::Store { access, value } => {
                    self.uses(*value);
                    self.touched[access.index()] = Some(self.now);
                    self.stored[access.index()] = Some(self.now);
                }
                Stmt::Accumulate { access, position, value, .. } => {
                    self.uses(*position);
                    self.uses(*value);
                    self.touched[access.index()] = Some(self.now);
                }
            }
        }
    }

    fn compute(&mut self, kernel: &Kernel, value: ValueId) {
        match &kernel[value].expr {
            Expr::Load { access, .. } => {
                self.touched[access.index()] = Some(self.now);
                self.loaded[value.index()] = Some(*access);
            }
            Expr::Op { inputs, .. } | Expr::Special { inputs, .. } => {
                inputs.iter().for_each(|&input| self.uses(input));
            }
            Expr::Select { condition, on_true, on_false } => {
                [condition, on_true, on_false].into_iter().for_each(|&input| self.uses(input));
            }
            Expr::Cast(input) => self.uses(*input),
            Expr::Scalar(_)
            | Expr::Constant(_)
            | Expr::Index(_)
            | Expr::Inside(_)
            | Expr::Folded => {}
        }
    }

    /// A use of a value: if it is loaded, the load may happen as late as now.
    fn uses(&mut self, value: ValueId) {
        if let Some(access) = self.loaded[value.index()] {
            self.touched[access.index()] = Some(self.now);
        }
    }
}
