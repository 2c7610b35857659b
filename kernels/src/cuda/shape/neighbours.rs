//! Kernels and loops that load elements around their points, such as stencils: finds loads of the
//! same rows, and the alignment of the stored rows to lines of memory.

use super::geometry::{Geometry, LINE};
use super::outline::Shape;
use crate::cuda::variant::{GuardKind, Step};
use crate::ir::{AccessId, Expr, GuardId, Kernel, Role};

/// Rows of a thread that loads elements around its points.
pub(super) const NEIGHBOUR_LANES: usize = 4;

impl Shape {
    /// The group beside the innermost one, if the kernel loads elements around a point: three or
    /// more accesses of one parameter with equal steps. One block then reads neighbouring rows.
    pub(super) fn neighbours(&self, kernel: &Kernel) -> Option<usize> {
        let along = self.grid.len().checked_sub(2)?;
        let steps =
            |access: AccessId| self.variant.grid_steps[access.index()].last() == Some(&Step::Item);
        let is_around = self.has_alike(kernel, steps);
        (is_around && self.grid[along].extent >= NEIGHBOUR_LANES).then_some(along)
    }

    /// Whether a loop over rows loads elements around its points, as above.
    pub(super) fn loads_around(&self, kernel: &Kernel, number: usize) -> bool {
        let Some(along) = self.loops[number].len().checked_sub(2) else { return false };
        let steps = |access: AccessId| {
            self.variant.loop_steps[access.index()][number].last() == Some(&Step::Item)
        };
        self.loops[number][along].extent >= NEIGHBOUR_LANES && self.has_alike(kernel, steps)
    }

    /// Whether three or more of the accesses that step so are of one parameter, with equal steps.
    fn has_alike(&self, kernel: &Kernel, steps: impl Fn(AccessId) -> bool) -> bool {
        let alike = |access: &AccessId, other: AccessId| {
            kernel[*access].param == kernel[other].param
                && self.strides[access.index()] == self.strides[other.index()]
        };
        kernel.access_ids().any(|other| {
            steps(other) && kernel.access_ids().filter(|access| alike(access, other)).count() >= 3
        })
    }

    /// The distance in elements of the first stored element from the start of its line of memory,
    /// if it is the same for all rows. Two blocks that write parts of one line cost a twentieth.
    pub(super) fn skew(&self, kernel: &Kernel, launch: &Geometry<'_>) -> usize {
        let stored = |access: &AccessId| {
            kernel[kernel[*access].param].role != Role::In
                && self.variant.grid_steps[access.index()].last() == Some(&Step::Item)
        };
        let Some(access) = kernel.access_ids().find(stored) else { return 0 };
        let item = kernel[kernel[access].param].dtype.size();
        let mut outer = self.grid[..self.grid.len() - 1].iter();
        let is_alike = outer
            .all(|group| self.strides[access.index()][group.inner.index()] % LINE as isize == 0);
        let behind = (launch.addresses[access.index()] % LINE as u64) as usize;
        if is_alike && behind.is_multiple_of(item) { behind / item } else { 0 }
    }

    /// Accesses that read the same rows along a group, so that each row is loaded once: loads of
    /// one parameter without guards and without stores to it, with equal steps, whose rows differ
    /// by no more than the rows of a thread.
    pub(super) fn shared_rows(
        &self,
        kernel: &Kernel,
        launch: &Geometry<'_>,
        along: usize,
    ) -> Vec<Vec<(AccessId, u32)>> {
        let is_guarded = |guard: Option<GuardId>| {
            let always =
                |guard: GuardId| self.variant.guards[guard.index()] == GuardKind::Bounds(vec![]);
            guard.is_some_and(|guard| !always(guard))
        };
        let loads = |wanted: AccessId| {
            kernel.values.iter().filter_map(move |value| match value.expr {
                Expr::Load { access, guard } if access == wanted => Some(guard),
                _ => None,
            })
        };
        let may_share = |&access: &AccessId| {
            kernel[kernel[access].param].role == Role::In
                && self.strides[access.index()][self.grid[along].inner.index()] > 0
                && !loads(access).any(is_guarded)
        };
        let mut groups: Vec<Vec<(AccessId, i64)>> = Vec::new();
        for access in kernel.access_ids().filter(may_share) {
            let rows_behind = |first: AccessId| {
                let stride = self.strides[access.index()][self.grid[along].inner.index()] as i64;
                let apart = launch.addresses[access.index()]
                    .wrapping_sub(launch.addresses[first.index()])
                    as i64;
                let is_alike = kernel[access].param == kernel[first].param
                    && self.strides[access.index()] == self.strides[first.index()]
                    && apart % stride == 0
                    && (apart / stride).unsigned_abs() <= NEIGHBOUR_LANES as u64;
                is_alike.then_some(apart / stride)
            };
            match groups.iter_mut().find_map(|group| Some((rows_behind(group[0].0)?, group))) {
                Some((behind, group)) => group.push((access, behind)),
                None => groups.push(vec![(access, 0)]),
            }
        }
        groups.retain(|group| group.len() > 1);
        let from_first = |group: Vec<(AccessId, i64)>| {
            let least = group.iter().map(|row| row.1).min().unwrap_or(0);
            group.into_iter().map(|(access, behind)| (access, (behind - least) as u32)).collect()
        };
        groups.into_iter().map(from_first).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::variant::Mode;
    use crate::ir::parse;

    const COLUMNS: usize = 1024;

    /// The shape of a sum of three loads of `f32`. The loads begin at the elements `from`, the
    /// store at the element `to`, of arrays with `columns` columns.
    fn shape(from: [u64; 3], to: u64, columns: usize) -> Shape {
        let text = "kernel(a: f32 in, b: f32 out) { for i0, i1 grid {
            v0: f32 = load a.0[i0, i1]
            v1: f32 = load a.1[i0, i1]
            v2: f32 = load a.2[i0, i1]
            v3: f32 = add(v0, v1)
            v4: f32 = add(v2, v3)
            store b.3[i0, i1] = v4 } }";
        let kernel = parse(text).expect("a kernel");
        let strides: &[isize] = &[4 * columns as isize, 4];
        let address = |element: u64| (1 << 20) + 4 * element;
        let launch = Geometry {
            extents: &[1100, COLUMNS - 2],
            origins: &[0, 0],
            strides: &[strides; 4],
            guards: &[],
            addresses: &[
                address(from[0]),
                address(from[1]),
                address(from[2]),
                (1 << 40) + address(to),
            ],
        };
        Shape::new(&kernel, &launch).expect("there are points")
    }

    #[test]
    fn blocks_begin_with_the_lines_that_they_store() {
        let row = COLUMNS as u64;
        let units = |skew: usize| 1100 / NEIGHBOUR_LANES * (skew + COLUMNS - 2).div_ceil(256);
        // One, several and 31 elements after the start of a line, and at the start.
        for (to, skew) in [(row + 1, 1), (row + 7, 7), (row + 31, 31), (row + 32, 0), (row, 0)] {
            let shape = shape([1, 2 * row + 1, row], to, COLUMNS);
            assert!(matches!(shape.variant.mode, Mode::Strides { along: 0, .. }));
            assert_eq!((shape.skew, shape.units), (skew, units(skew)), "from element {to} on");
        }
        // The rows have different distances from their lines.
        let row = row + 1;
        assert_eq!(shape([1, 2 * row + 1, row], row + 1, COLUMNS + 1).skew, 0);
    }

    #[test]
    fn rows_are_shared_where_accesses_are_few_rows_apart() {
        let row = COLUMNS as u64;
        let rows = |from| -> Vec<Vec<(usize, u32)>> {
            let rows = shape(from, row + 1, COLUMNS).variant.rows.into_iter();
            let numbers = |(access, behind): (AccessId, u32)| (access.index(), behind);
            rows.map(|group| group.into_iter().map(numbers).collect()).collect()
        };
        assert_eq!(rows([1, 2 * row + 1, row]), [[(0, 0), (1, 2)]]);
        // Rows are counted from the lowest access, which need not be the first in the text.
        assert_eq!(rows([2 * row + 1, 1, 3 * row + 1]), [[(0, 2), (1, 0), (2, 3)]]);
        // Twice the same.
        assert_eq!(rows([1, 1, row]), [[(0, 0), (1, 0)]]);
        // As many rows as a thread has, and one more.
        assert_eq!(rows([1, 4 * row + 1, row]), [[(0, 0), (1, 4)]]);
        assert!(rows([1, 5 * row + 1, row]).is_empty());
        // A distance of rows and a line of memory is no whole number of rows.
        assert!(rows([1, 2 * row + 33, row]).is_empty());
    }
}
