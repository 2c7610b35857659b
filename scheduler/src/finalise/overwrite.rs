//! Whether a kernel may store a value over memory that it loads from.

use crate::build::{Buffer, Built, BuiltAccess};
use crate::fuse::Group;
use phalanx_distributed::are_apart;
use phalanx_kernels::ir::{Expr, Kernel, Stmt};
use phalanx_ops::IndexBox;
use phalanx_ops::sharding::intersect;

/// Two accesses of a kernel that never touch the same element, by their numbers.
pub(crate) type Apart = (usize, usize);

/// Whether the value of `node` may be stored over what other buffers hold: each element there is
/// touched at the index only at which it is stored, and not after that; or lies where nothing is
/// stored; or, in a kernel of a single point, is touched by loops that are over. `shares` tells
/// whether a buffer lies there, and if so, whether it lies there as the value does.
///
/// Returns the accesses that have to stay apart for this to hold with other numbers, too.
pub(super) fn may_overwrite(
    built: &Built,
    group: &Group,
    node: u32,
    shares: impl Fn(&Buffer) -> Option<bool>,
) -> Option<Vec<Apart>> {
    let is_own = |buffer: &Buffer| *buffer == Buffer::Output(node);
    let times = Times::of(&built.kernel);
    let own = built.accesses.iter().enumerate().filter(|(_, access)| is_own(&access.buffer));
    let stores = own.filter_map(|(id, access)| Some((times.stored[id]?, id, access)));
    let (store, store_id, stored) = stores.min_by_key(|(time, ..)| *time)?;
    let mut apart = Vec::new();
    let is_safe = built.accesses.iter().enumerate().all(|(id, access)| {
        if is_own(&access.buffer) {
            return true;
        }
        let Some(lies_alike) = shares(&access.buffer) else { return true };
        let Some(touched) = times.touched[id] else { return true };
        let is_over = built.kernel.grid == 0 && touched.statement < store.statement;
        // A guarded load is of the element itself only where its guard holds; it is not looked at
        // more closely.
        let is_at_the_index = access.map.axes == stored.map.axes && access.guard.is_none();
        if is_over || (lies_alike && is_at_the_index && touched <= store) {
            return true;
        }
        let is_apart = lies_alike && stay_apart(built, group, (id, store_id));
        if is_apart {
            apart.push((id, store_id));
        }
        is_apart
    });
    is_safe.then_some(apart)
}

/// Whether two accesses of a kernel never touch the same element of what lies in one place.
pub(super) fn stay_apart(built: &Built, group: &Group, (a, b): Apart) -> bool {
    let space: IndexBox = group.axes.iter().map(|axis| 0..axis.extent).collect();
    let touched = |access: &BuiltAccess| match access.guard {
        Some(guard) => intersect(&space, &built.guards[guard]),
        None => space.clone(),
    };
    let (a, b) = (&built.accesses[a], &built.accesses[b]);
    are_apart((&a.map, &touched(a)), (&b.map, &touched(b)))
}

/// A moment in the life of a point of a kernel. Loops count as run once: what they touch in other
/// rounds lies elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct Time {
    /// The statement of the kernel's body.
    statement: usize,
    /// Among all statements.
    step: usize,
}

/// The order in which a point of a kernel touches memory.
struct Times {
    /// For each access, when it is last loaded from, what was loaded is last used, or it is stored
    /// to.
    touched: Vec<Option<Time>>,
    /// For each access, when it is stored to.
    stored: Vec<Option<Time>>,
    /// For each value that is loaded, from which access.
    loaded: Vec<Option<usize>>,
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
                    self.touched[*access] = Some(self.now);
                    self.stored[*access] = Some(self.now);
                }
                Stmt::Accumulate { access, position, value, .. } => {
                    self.uses(*position);
                    self.uses(*value);
                    self.touched[*access] = Some(self.now);
                }
            }
        }
    }

    fn compute(&mut self, kernel: &Kernel, value: usize) {
        match &kernel.values[value].expr {
            Expr::Load { access, .. } => {
                self.touched[*access] = Some(self.now);
                self.loaded[value] = Some(*access);
            }
            Expr::Op { inputs, .. } => inputs.iter().for_each(|&input| self.uses(input)),
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

    /// A value is used: if it was loaded, that may happen only now.
    fn uses(&mut self, value: usize) {
        if let Some(access) = self.loaded[value] {
            self.touched[access] = Some(self.now);
        }
    }
}
