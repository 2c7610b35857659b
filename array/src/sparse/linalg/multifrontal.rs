//! Factorisations of sparse matrices by stacks of dense matrices, on all devices.
//!
//! The numbers are computed by operations on stacks of fronts, of which each device has those of
//! its branches of the tree of a dissection. The fronts at the top are shared by all devices.
//!
//! Each front keeps the inverse of its pivots, so that a solution is a sequence of products
//! (P. Raghavan, "Efficient parallel sparse triangular solution using selective inversion",
//! Parallel Processing Letters 8(1), 1998). Pivots are chosen within a front; solutions are refined
//! by their residuals.

use super::numbers::read_real;
use crate::array::Array;
use crate::creation::{arange, ones, zeros};
use crate::linalg::decomposed;
use crate::manipulation::{matrix_transpose, span, try_concatenate};
use crate::products::{conjugated, matmul};
use crate::recording::taken;
use crate::sparse::Csr;
use crate::sparse::fronts::{Joined, OwnRows, Placement, Planned, Uploaded};
use crate::sparse::split::record;
use phalanx_graph::{Error, Site};
use phalanx_numerics::sparse::System;
use phalanx_ops::structured::{Decomposition, Sparse};
use phalanx_ops::{DType, Index, Sharding};
use std::ops::Range;
use std::sync::Arc;

/// What the factors of a matrix take that are on the devices, by dense matrices (fronts).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrontReport {
    /// The number of fronts.
    pub fronts: usize,
    /// The rows of the largest front.
    pub largest: usize,
    /// The elements of all factors on all devices, those that only fill fronts up included.
    pub elements: usize,
    /// The bytes of these.
    pub bytes: usize,
    /// The multiplications of the factorisation.
    pub multiplications: f64,
}

/// The factors of a matrix.
pub(super) struct Multifrontal {
    dtype: DType,
    planned: Arc<Planned>,
    /// Those of each stack.
    stacks: Vec<Factors>,
}

/// The factors of a stack of fronts.
#[derive(Debug)]
struct Factors {
    /// The inverses of the pivots, `(f, k, k)`.
    inverse: Array,
    /// The inverses times the columns of the rim, `(f, k, r)`, and the rows of the rim times the
    /// inverses, `(f, r, k)`; `None` without a rim.
    rim: Option<[Array; 2]>,
}

impl Placement {
    /// A part of the rows and columns of shared fronts, of which each device computes some.
    fn cut(&self, array: Array, axis: usize, is_shared: bool) -> Array {
        if !is_shared || self.split.is_none() {
            return array;
        }
        let sharding = Sharding::even(array.shape(), axis, self.mesh.mesh());
        array.with_sharding(sharding)
    }

    /// The inverses of matrices. That of a large shared matrix is made of those of its quarters, so
    /// that devices share the products (V. Strassen, "Gaussian elimination is not optimal", Numer.
    /// Math. 13, 1969, fact 4).
    fn inverse(&self, matrices: &Array, is_shared: bool) -> Result<Array, Error> {
        let rows = matrices.shape()[1];
        if !is_shared || self.split.is_none() || rows <= LARGE {
            let matrices = matrices.copy();
            return decomposed(Decomposition::Inverse, &[&matrices], self.site);
        }
        let half = rows / 2;
        let product = |a: &Array, b: &Array| matmul(&self.cut(a.clone(), 1, true), b);
        let joined = |parts: [&Array; 2], axis: i64| {
            let both = try_concatenate(&parts, &axis.into(), None, self.site)?;
            Ok::<Array, Error>(both)
        };
        let quarter = |rows: Range<usize>, columns: Range<usize>| part(matrices, rows, columns);
        let first = self.inverse(&quarter(0..half, 0..half), true)?;
        let (across, down) = (quarter(0..half, half..rows), quarter(half..rows, 0..half));
        let (from, to) = (product(&first, &across), product(&down, &first));
        let rest = quarter(half..rows, half..rows) - product(&down, &from);
        let last = self.inverse(&rest, true)?;
        let above = product(&from, &last);
        let top = joined([&(first + product(&above, &to)), &above.negative()], 2)?;
        let bottom = joined([&product(&last, &to).negative(), &last], 2)?;
        Ok(self.put(joined([&top, &bottom], 1)?, None))
    }
}

/// A part of the rows and columns of matrices.
fn part(array: &Array, rows: Range<usize>, columns: Range<usize>) -> Array {
    array.slice([Index::Ellipsis, span(rows.start, rows.end), span(columns.start, columns.end)])
}

impl Uploaded {
    /// Adds parts of another stack's matrices to this stack's. `columns` are those of the other
    /// one's matrices.
    fn add(
        &self,
        into: &Array,
        joined: &Joined,
        columns: &Array,
        source: &Array,
        first: &Array,
        on: &Placement,
    ) -> Result<Array, Error> {
        let is_local = self.counts.is_some();
        if is_local {
            let into = &on.put(into.clone(), self.counts());
            let operands = [into, &joined.slots, &joined.rows, columns, source];
            return record(Sparse::AddFronts { is_local: true }, &operands, on.site);
        }
        // The one matrix that is needed.
        let source = on.taken(source, &joined.slots, None)?;
        let operands = [into, first, &joined.rows, columns, &source];
        record(Sparse::AddFronts { is_local: false }, &operands, on.site)
    }

    /// Where the elements of own rows are among those of the device, `(f, k, columns)`.
    fn own_places(&self, rows: &Array, columns: usize, on: &Placement) -> Array {
        if columns == 1 {
            return rows.clone();
        }
        let numbers = on.mesh.enter(|| arange(0, columns as i64, 1));
        on.put(rows * columns as i64 + numbers, self.counts())
    }
}

impl Factors {
    /// The factors of a stack of fronts, and what they leave for their parents, on the devices of
    /// the fronts.
    fn of(
        plan: &Uploaded,
        front: &Array,
        on: &Placement,
    ) -> Result<(Factors, Option<Array>), Error> {
        let (own, end, is_shared) = (plan.own, plan.own + plan.rim, plan.counts.is_none());
        let inverse = on.inverse(&part(front, 0..own, 0..own), is_shared)?;
        if plan.rim == 0 {
            return Ok((Factors { inverse, rim: None }, None));
        }
        let across = on.cut(part(front, 0..own, own..end), 2, is_shared);
        let down = on.cut(part(front, own..end, 0..own), 1, is_shared);
        let (from, to) = (matmul(&inverse, &across), matmul(&down, &inverse));
        let corner = on.cut(part(front, own..end, own..end), 1, is_shared);
        let rest = on.put_local(corner - matmul(&down, &from), plan);
        Ok((Factors { inverse, rim: Some([from, to]) }, Some(rest)))
    }
}

impl Multifrontal {
    /// The factors of a square matrix in `f64` or `c128` by a plan for its pattern. A pivot of zero
    /// makes them infinite or NaN; `None` if that is noticed before the larger part of the work is
    /// done. Collective over the mesh.
    pub fn new(
        matrix: &Csr,
        dtype: DType,
        planned: Arc<Planned>,
        site: Site,
    ) -> Result<Option<Multifrontal>, Error> {
        let on = planned.on.at(site);
        let one = on.mesh.enter(|| ones([1], dtype));
        let values = matrix.values().converted(dtype, site);
        let values = try_concatenate(&[&values, &one], &0.into(), None, site)?;
        let own_values = planned.entries.taken(&values, &on)?;
        let mut stacks: Vec<Factors> = Vec::with_capacity(planned.stacks.len());
        // What each stack leaves for its parents, until the last one has taken it.
        let mut rests: Vec<Option<Array>> = Vec::with_capacity(planned.stacks.len());
        let (mut work, mut untested) = (0.0, FIRST_WORK);
        for (number, stack) in planned.stacks.iter().enumerate() {
            work += stack.work;
            if work > untested {
                if !are_finite(&rests)? {
                    return Ok(None);
                }
                untested = 2.0 * work;
            }
            // The entries of the matrix that the fronts begin with.
            let begun = match stack.counts {
                Some(_) => record(Sparse::Pick, &[&stack.entries, &own_values], site)?,
                None => on.taken(&values, &stack.entries, None)?,
            };
            let front = assembled(stack, &begun, &rests, &planned.first, &on)?;
            for child in &stack.children {
                if planned.stacks[child.stack].last_use == number {
                    rests[child.stack] = None;
                }
            }
            let (factors, rest) = Factors::of(stack, &front, &on)?;
            rests.push(rest);
            stacks.push(factors);
        }
        Ok(Some(Multifrontal { dtype, planned, stacks }))
    }

    /// The solutions for the columns of a matrix in the dtype of the factors.
    pub fn solve(&self, b: &Array, system: System, site: Site) -> Result<Array, Error> {
        let on = self.planned.on.at(site);
        let b = match system {
            System::Adjoint => conjugated(b),
            _ => b.clone(),
        };
        let columns = b.shape()[1];
        let stacks = self.planned.stacks.iter();
        let numbers: Vec<Array> = stacks.map(|plan| plan.columns(columns, &on)).collect();
        let mut own = self.eliminated(&b, &numbers, system, &on)?;
        self.substitute(&mut own, &numbers, system, &on)?;
        let x = self.collected(&own, columns, &on)?;
        Ok(match system {
            System::Adjoint => conjugated(&x),
            _ => x,
        })
    }

    /// Of each stack, the pivots' solution without what later fronts change, children first.
    /// `numbers` are those of the columns.
    fn eliminated(
        &self,
        b: &Array,
        numbers: &[Array],
        system: System,
        on: &Placement,
    ) -> Result<Vec<Array>, Error> {
        let (planned, site, columns) = (&self.planned, on.site, b.shape()[1]);
        let none = on.mesh.enter(|| zeros([1, columns], self.dtype));
        let b = try_concatenate(&[b, &none], &0.into(), None, site)?;
        let of_devices = planned.vertices.taken(&b, on)?;
        let shared = on.taken(&b, &planned.shared_vertices, None)?;
        // What each stack leaves for its parents.
        let (mut rests, mut own) = (Vec::new(), Vec::new());
        for ((factors, plan), numbers) in self.stacks.iter().zip(&planned.stacks).zip(numbers) {
            let first = match &plan.own_rows {
                OwnRows::OfDevice(rows) => {
                    let places = plan.own_places(rows, columns, on);
                    record(Sparse::Pick, &[&places, &of_devices], site)?
                }
                OwnRows::From(first) => {
                    part(&shared, *first..first + plan.own, 0..columns).expand_dims(0)
                }
            };
            let rim = on.zeros([plan.fronts, plan.rim, columns], self.dtype, plan.counts());
            let mut v = try_concatenate(&[&first, &rim], &1.into(), None, site)?;
            for child in &plan.children {
                if let Some(rest) = &rests[child.stack] {
                    v = plan.add(&v, child, numbers, rest, &planned.first, on)?;
                }
            }
            let end = plan.own + plan.rim;
            let [first, behind] =
                [0..plan.own, plan.own..end].map(|rows| part(&v, rows, 0..columns));
            let rest = factors.rim.as_ref().map(|[from, to]| match system {
                System::Matrix => behind - matmul(to, &first),
                _ => behind - matmul(&matrix_transpose(from), &first),
            });
            rests.push(rest.map(|rest| on.put_local(rest, plan)));
            own.push(match system {
                System::Matrix => matmul(&factors.inverse, &first),
                _ => matmul(&matrix_transpose(&factors.inverse), &first),
            });
        }
        Ok(own)
    }

    /// Completes the solutions of all stacks, parents first.
    fn substitute(
        &self,
        own: &mut [Array],
        numbers: &[Array],
        system: System,
        on: &Placement,
    ) -> Result<(), Error> {
        let (planned, site) = (&self.planned, on.site);
        // The solutions of own rows and of the rim.
        let mut whole: Vec<Option<Array>> = vec![None; self.stacks.len()];
        for (stack, factors) in self.stacks.iter().enumerate().rev() {
            let plan = &planned.stacks[stack];
            let Some([from, to]) = &factors.rim else {
                whole[stack] = Some(on.put(own[stack].clone(), plan.counts()));
                continue;
            };
            let (numbers, columns) = (&numbers[stack], own[stack].shape()[2]);
            let mut rim = on.zeros([plan.fronts, plan.rim, columns], self.dtype, plan.counts());
            for parent in &plan.parents {
                let Some(source) = &whole[parent.stack] else { continue };
                rim = if planned.stacks[parent.stack].counts.is_none() && plan.counts.is_some() {
                    let operands = [&rim, &parent.slots, &parent.rows, numbers, source];
                    record(Sparse::AddFronts { is_local: false }, &operands, site)?
                } else {
                    plan.add(&rim, parent, numbers, source, &planned.first, on)?
                };
            }
            own[stack] = match system {
                System::Matrix => &own[stack] - matmul(from, &rim),
                _ => &own[stack] - matmul(&matrix_transpose(to), &rim),
            };
            let both = try_concatenate(&[&own[stack], &rim], &1.into(), None, site)?;
            whole[stack] = Some(on.put(both, plan.counts()));
        }
        Ok(())
    }

    /// The solutions of the stacks in the order of the matrix's rows.
    fn collected(&self, own: &[Array], columns: usize, on: &Placement) -> Result<Array, Error> {
        let (planned, site) = (&self.planned, on.site);
        let counts = &planned.vertices.counts;
        let empty = on.mesh.enter(|| zeros([counts.iter().sum(), columns], self.dtype));
        let mut of_devices = on.put(empty, Some(counts));
        let mut shared = Vec::new();
        for (own, plan) in own.iter().zip(&planned.stacks) {
            match &plan.own_rows {
                OwnRows::OfDevice(rows) => {
                    let places = plan.own_places(rows, columns, on);
                    let own = on.put(own.clone(), plan.counts());
                    of_devices = record(Sparse::Place, &[&of_devices, &places, &own], site)?;
                }
                OwnRows::From(_) => shared.push(own.reshape([plan.own, columns])),
            }
        }
        let all: Vec<&Array> = std::iter::once(&of_devices).chain(&shared).collect();
        let all = try_concatenate(&all, &0.into(), None, site)?;
        taken(&all, &planned.positions, site)
    }

    /// What the factors take.
    pub fn report(&self) -> FrontReport {
        let plans = || self.planned.stacks.iter();
        let [elements, multiplications] = self.planned.cost;
        let elements = elements as usize;
        FrontReport {
            fronts: plans().map(|plan| plan.fronts).sum(),
            largest: plans().map(|plan| plan.own + plan.rim).max().unwrap_or(0),
            elements,
            bytes: elements * self.dtype.size(),
            multiplications,
        }
    }

    /// The number of rows.
    pub fn extent(&self) -> usize {
        self.planned.extent
    }
}

/// Whether what fronts leave for their parents is finite. Collective over the mesh.
fn are_finite(rests: &[Option<Array>]) -> Result<bool, Error> {
    let of_rests: Vec<Array> = rests.iter().flatten().map(|rest| rest.abs().max(())).collect();
    let largest = read_real(&of_rests.iter().collect::<Vec<_>>())?;
    Ok(largest.iter().all(|largest| largest.is_finite()))
}

/// The fronts of a stack: the entries of the matrix and what earlier fronts leave.
fn assembled(
    plan: &Uploaded,
    entries: &Array,
    rests: &[Option<Array>],
    first: &Array,
    on: &Placement,
) -> Result<Array, Error> {
    let rows = plan.own + plan.rim;
    let empty = on.zeros([plan.fronts, rows, rows], entries.dtype(), plan.counts());
    let mut front = record(Sparse::Place, &[&empty, &plan.places, entries], on.site)?;
    for child in &plan.children {
        if let Some(rest) = &rests[child.stack] {
            front = plan.add(&front, child, &child.rows, rest, first, on)?;
        }
    }
    Ok(front)
}

/// What fronts leave is tested before so many multiplications are done, and then whenever they have
/// doubled. A test waits for the devices.
const FIRST_WORK: f64 = 1e8;
/// Larger shared matrices are inverted by quarters.
const LARGE: usize = 512;
