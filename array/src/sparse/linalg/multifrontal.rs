//! Factorisations of sparse matrices by stacks of dense matrices, on all devices.
//!
//! The graph of the matrix is dissected on the host of every process; the numbers are computed by
//! operations on stacks of fronts, of which each device has those of its branches of the tree. The
//! fronts at the top are shared by all devices.
//!
//! Each front keeps the inverse of its pivots, so that a solution is a sequence of products
//! (P. Raghavan, "Efficient parallel sparse triangular solution using selective inversion",
//! Parallel Processing Letters 8(1), 1998). Pivots are chosen within a front; solutions are refined
//! by their residuals.

use super::numbers::read_real;
use crate::array::Array;
use crate::creation::{arange, from_slice, ones, zeros};
use crate::linalg::decomposed;
use crate::manipulation::{matrix_transpose, span, try_concatenate};
use crate::products::{conjugated, matmul};
use crate::recording::taken;
use crate::sparse::Csr;
use crate::sparse::split::{RowSplit, blocks, record, sharded};
use phalanx_graph::{Error, MeshHandle, Site, within};
use phalanx_numerics::sparse::{Fronts, Link, Stack, System};
use phalanx_ops::structured::{Decomposition, Sparse};
use phalanx_ops::{Bounds, DType, Element, Index, Sharding, Split};
use std::ops::Range;

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
    extent: usize,
    dtype: DType,
    /// The stacks of fronts, children first.
    stacks: Vec<Factors>,
    /// The vertices of the stacks that are divided among devices, and of each shared one.
    vertices: Divided,
    shared_vertices: Array,
    /// Where each row's solution is among those of these vertices.
    positions: Array,
    /// The elements of the factors, and the multiplications for them.
    cost: [f64; 2],
    on: Placement,
}

/// The factors of a stack of fronts.
#[derive(Debug)]
struct Factors {
    plan: Uploaded,
    /// The inverses of the pivots, `(f, k, k)`.
    inverse: Array,
    /// The inverses times the columns of the rim, `(f, k, r)`, and the rows of the rim times the
    /// inverses, `(f, r, k)`; `None` without a rim.
    rim: Option<[Array; 2]>,
}

/// The numbers of a stack on the devices.
#[derive(Debug)]
struct Uploaded {
    fronts: usize,
    own: usize,
    rim: usize,
    /// How many fronts each device has; `None` for one front that all devices share.
    counts: Option<Vec<usize>>,
    /// Where own rows are among all that the device has, `(f, k, 1)`; of a shared front, where its
    /// own rows begin among those of all shared ones.
    own_rows: OwnRows,
    children: Vec<Joined>,
    parents: Vec<Joined>,
}

#[derive(Debug)]
enum OwnRows {
    OfDevice(Array),
    From(usize),
}

/// Numbers of all stacks that are divided among devices: those of each device one behind the other.
#[derive(Debug)]
struct Divided {
    numbers: Array,
    /// How many each device has.
    counts: Vec<usize>,
}

impl Divided {
    /// Of each stack, numbers and how many of them each device has; `None` for a shared stack. Also
    /// returns the numbers, and for each stack where its own are among those of the device.
    fn of<'a>(
        stacks: impl Iterator<Item = Option<(&'a [i64], Vec<usize>)>> + Clone,
        on: &Placement,
    ) -> (Divided, Vec<i64>, Vec<Vec<i64>>) {
        let devices = on.devices();
        let (mut numbers, mut counts) = (Vec::new(), Vec::with_capacity(devices));
        let mut places: Vec<Vec<i64>> = stacks.clone().map(|_| Vec::new()).collect();
        for device in 0..devices {
            let before = numbers.len();
            for (stack, places) in stacks.clone().zip(&mut places) {
                let Some((own, counts)) = stack else { continue };
                let first: usize = counts[..device].iter().sum();
                let from = (numbers.len() - before) as i64;
                places.extend(from..from + counts[device] as i64);
                numbers.extend_from_slice(&own[first..first + counts[device]]);
            }
            counts.push(numbers.len() - before);
        }
        let uploaded = on.mesh.enter(|| from_slice(&numbers, [numbers.len()]));
        (Divided { numbers: uploaded, counts }, numbers, places)
    }

    /// The rows of an array at these numbers.
    fn taken(&self, from: &Array, on: &Placement) -> Result<Array, Error> {
        on.taken(from, &self.numbers, Some(&self.counts))
    }
}

/// How fronts of one stack are related to those of another one.
#[derive(Debug)]
struct Joined {
    stack: usize,
    /// The number of the other front on its device (`i64`).
    slots: Array,
    /// The rows there (`i32`).
    rows: Array,
}

/// Where the arrays of stacks are.
struct Placement {
    mesh: MeshHandle,
    /// A split over all devices, if there are several.
    split: Option<Split>,
    site: Site,
}

impl Placement {
    /// An array whose first axis is cut into these parts, or that every device has.
    fn put(&self, array: Array, counts: Option<&[usize]>) -> Array {
        let Some(split) = &self.split else { return array };
        let ndim = array.ndim();
        array.with_sharding(match counts {
            Some(counts) => sharded(0, ndim, blocks(split, Bounds::explicit(counts))),
            None => Sharding::replicated(ndim),
        })
    }

    fn devices(&self) -> usize {
        self.split.as_ref().map_or(1, |split| split.bounds.parts())
    }

    fn upload<T: Element>(
        &self,
        numbers: &[T],
        shape: &[usize],
        counts: Option<&[usize]>,
    ) -> Array {
        self.put(self.mesh.enter(|| from_slice(numbers, shape)), counts)
    }

    fn zeros(&self, shape: [usize; 3], dtype: DType, counts: Option<&[usize]>) -> Array {
        self.put(self.mesh.enter(|| zeros(shape, dtype)), counts)
    }

    /// Elements of the first axis at positions.
    fn taken(
        &self,
        from: &Array,
        positions: &Array,
        counts: Option<&[usize]>,
    ) -> Result<Array, Error> {
        Ok(self.put(taken(from, positions, self.site)?, counts))
    }

    /// What the fronts of a stack leave, on the devices that have the fronts; that of a shared one
    /// stays where it is.
    fn put_local(&self, array: Array, plan: &Uploaded) -> Array {
        match plan.counts() {
            Some(counts) => self.put(array, Some(counts)),
            None => array,
        }
    }

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
    fn of(stack: &Stack, own_rows: OwnRows, on: &Placement) -> Uploaded {
        let counts = stack.fronts.as_deref();
        let joined = |links: &[Link], rows: usize| {
            let of = |link: &Link| Joined {
                stack: link.stack,
                slots: on.upload(&link.slots, &[stack.len()], counts),
                rows: on.upload(&link.rows, &[stack.len(), rows], counts),
            };
            links.iter().map(of).collect()
        };
        Uploaded {
            fronts: stack.len(),
            own: stack.own,
            rim: stack.rim,
            counts: stack.fronts.clone(),
            own_rows,
            children: joined(&stack.children, stack.own + stack.rim),
            parents: joined(&stack.parents, stack.rim),
        }
    }

    fn counts(&self) -> Option<&[usize]> {
        self.counts.as_deref()
    }

    /// Adds parts of another stack's matrices to this stack's. `columns` are those of the other
    /// one's matrices.
    fn add(
        &self,
        into: &Array,
        joined: &Joined,
        columns: &Array,
        source: &Array,
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
        let first = on.upload(&[0_i64], &[1], None);
        let operands = [into, &first, &joined.rows, columns, &source];
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

    /// For each front, the numbers of columns.
    fn columns(&self, count: usize, on: &Placement) -> Array {
        let numbers: Vec<i32> = (0..self.fronts).flat_map(|_| 0..count as i32).collect();
        on.upload(&numbers, &[self.fronts, count], self.counts())
    }
}

impl Factors {
    /// The factors of a stack of fronts, and what they leave for their parents, on the devices of
    /// the fronts.
    fn of(
        plan: Uploaded,
        front: &Array,
        on: &Placement,
    ) -> Result<(Factors, Option<Array>), Error> {
        let (own, end, is_shared) = (plan.own, plan.own + plan.rim, plan.counts.is_none());
        let inverse = on.inverse(&part(front, 0..own, 0..own), is_shared)?;
        if plan.rim == 0 {
            return Ok((Factors { plan, inverse, rim: None }, None));
        }
        let across = on.cut(part(front, 0..own, own..end), 2, is_shared);
        let down = on.cut(part(front, own..end, 0..own), 1, is_shared);
        let (from, to) = (matmul(&inverse, &across), matmul(&down, &inverse));
        let corner = on.cut(part(front, own..end, own..end), 1, is_shared);
        let rest = on.put_local(corner - matmul(&down, &from), &plan);
        Ok((Factors { plan, inverse, rim: Some([from, to]) }, Some(rest)))
    }
}

impl Multifrontal {
    /// The factors of a square matrix in `f64` or `c128` by a plan. A pivot of zero makes them
    /// infinite or NaN; `None` if that is noticed before the larger part of the work is done.
    /// Collective over the mesh.
    pub fn new(
        matrix: &Csr,
        dtype: DType,
        plan: &Fronts,
        site: Site,
    ) -> Result<Option<Multifrontal>, Error> {
        let mesh = matrix.values().mesh()?;
        let split = RowSplit::rows(plan.extent, &mesh);
        let on = Placement { mesh, split, site };
        let one = on.mesh.enter(|| ones([1], dtype));
        let values = matrix.values().converted(dtype, site);
        let values = try_concatenate(&[&values, &one], &0.into(), None, site)?;
        let mut stacks: Vec<Factors> = Vec::with_capacity(plan.stacks.len());
        // What each stack leaves for its parents, until the last one has taken it.
        let mut rests: Vec<Option<Array>> = Vec::with_capacity(plan.stacks.len());
        let mut last_use = vec![0; plan.stacks.len()];
        for (number, stack) in plan.stacks.iter().enumerate() {
            stack.children.iter().for_each(|child| last_use[child.stack] = number);
        }
        let stacks_of = plan.stacks.iter();
        let (vertices, numbers, own_places) = Divided::of(
            stacks_of.clone().map(|stack| {
                let counts = stack.fronts.as_ref()?.iter().map(|fronts| fronts * stack.own);
                Some((&stack.vertices[..], counts.collect()))
            }),
            &on,
        );
        let (entries, _, entry_places) = Divided::of(
            stacks_of.clone().map(|stack| {
                stack.fronts.as_ref().map(|_| (&stack.entries[..], stack.counts.clone()))
            }),
            &on,
        );
        let shared: Vec<i64> = stacks_of
            .filter(|stack| stack.fronts.is_none())
            .flat_map(|it| &it.vertices)
            .copied()
            .collect();
        let own_values = entries.taken(&values, &on)?;
        let (mut first_shared, mut work, mut untested) = (0, 0.0, FIRST_WORK);
        for (number, stack) in plan.stacks.iter().enumerate() {
            let [_, multiplications] = stack.cost();
            work += multiplications;
            if work > untested {
                if !are_finite(&rests)? {
                    return Ok(None);
                }
                untested = 2.0 * work;
            }
            let own_rows = match &stack.fronts {
                None => OwnRows::From(first_shared),
                Some(_) => {
                    let shape = [stack.len(), stack.own, 1];
                    let counts = stack.fronts.as_deref();
                    OwnRows::OfDevice(on.upload(&own_places[number], &shape, counts))
                }
            };
            first_shared += if stack.fronts.is_none() { stack.own } else { 0 };
            let made = Uploaded::of(stack, own_rows, &on);
            // The entries of the matrix that the fronts begin with.
            let begun = if stack.fronts.is_some() {
                let count = [stack.entries.len()];
                let places = on.upload(&entry_places[number], &count, Some(&stack.counts));
                record(Sparse::Pick, &[&places, &own_values], site)?
            } else {
                let entries = on.upload(&stack.entries, &[stack.entries.len()], None);
                on.taken(&values, &entries, None)?
            };
            let front = assembled(&made, stack, &begun, &rests, &on)?;
            for child in stack.children.iter().filter(|child| last_use[child.stack] == number) {
                rests[child.stack] = None;
            }
            let (factors, rest) = Factors::of(made, &front, &on)?;
            rests.push(rest);
            stacks.push(factors);
        }
        let positions = positions(plan.extent, &numbers, &shared, &on);
        let shared_vertices = on.mesh.enter(|| from_slice(&shared, [shared.len()]));
        let (extent, cost) = (plan.extent, plan.cost());
        Ok(Some(Multifrontal {
            extent,
            dtype,
            stacks,
            vertices,
            shared_vertices,
            positions,
            cost,
            on,
        }))
    }

    /// The solutions for the columns of a matrix in the dtype of the factors.
    pub fn solve(&self, b: &Array, system: System) -> Result<Array, Error> {
        let b = match system {
            System::Adjoint => conjugated(b),
            _ => b.clone(),
        };
        let columns = b.shape()[1];
        let stacks = self.stacks.iter();
        let numbers: Vec<Array> =
            stacks.map(|factors| factors.plan.columns(columns, &self.on)).collect();
        let mut own = self.eliminated(&b, &numbers, system)?;
        self.substitute(&mut own, &numbers, system)?;
        let x = self.collected(&own, columns)?;
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
    ) -> Result<Vec<Array>, Error> {
        let (on, site, columns) = (&self.on, self.on.site, b.shape()[1]);
        let none = on.mesh.enter(|| zeros([1, columns], self.dtype));
        let b = try_concatenate(&[b, &none], &0.into(), None, site)?;
        let of_devices = self.vertices.taken(&b, on)?;
        let shared = on.taken(&b, &self.shared_vertices, None)?;
        // What each stack leaves for its parents.
        let (mut rests, mut own) = (Vec::new(), Vec::new());
        for (factors, numbers) in self.stacks.iter().zip(numbers) {
            let plan = &factors.plan;
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
                    v = plan.add(&v, child, numbers, rest, on)?;
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
    ) -> Result<(), Error> {
        let (on, site) = (&self.on, self.on.site);
        // The solutions of own rows and of the rim.
        let mut whole: Vec<Option<Array>> = vec![None; self.stacks.len()];
        for (stack, factors) in self.stacks.iter().enumerate().rev() {
            let plan = &factors.plan;
            let Some([from, to]) = &factors.rim else {
                whole[stack] = Some(on.put(own[stack].clone(), plan.counts()));
                continue;
            };
            let (numbers, columns) = (&numbers[stack], own[stack].shape()[2]);
            let mut rim = on.zeros([plan.fronts, plan.rim, columns], self.dtype, plan.counts());
            for parent in &plan.parents {
                let Some(source) = &whole[parent.stack] else { continue };
                rim = if self.stacks[parent.stack].plan.counts.is_none() && plan.counts.is_some() {
                    let operands = [&rim, &parent.slots, &parent.rows, numbers, source];
                    record(Sparse::AddFronts { is_local: false }, &operands, site)?
                } else {
                    plan.add(&rim, parent, numbers, source, on)?
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
    fn collected(&self, own: &[Array], columns: usize) -> Result<Array, Error> {
        let (on, site) = (&self.on, self.on.site);
        let total: usize = self.vertices.counts.iter().sum();
        let empty = on.mesh.enter(|| zeros([total, columns], self.dtype));
        let mut of_devices = on.put(empty, Some(&self.vertices.counts));
        let mut shared = Vec::new();
        for (own, factors) in own.iter().zip(&self.stacks) {
            let plan = &factors.plan;
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
        taken(&all, &self.positions, site)
    }

    /// What the factors take.
    pub fn report(&self) -> FrontReport {
        let plans = || self.stacks.iter().map(|factors| &factors.plan);
        let [elements, multiplications] = self.cost;
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
        self.extent
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
    made: &Uploaded,
    stack: &Stack,
    values: &Array,
    rests: &[Option<Array>],
    on: &Placement,
) -> Result<Array, Error> {
    let rows = made.own + made.rim;
    let counts = made.counts.as_ref().map(|_| &stack.counts[..]);
    let places = on.upload(&stack.places, &[stack.places.len()], counts);
    let empty = on.zeros([made.fronts, rows, rows], values.dtype(), made.counts());
    let mut front = record(Sparse::Place, &[&empty, &places, values], on.site)?;
    for child in &made.children {
        if let Some(rest) = &rests[child.stack] {
            front = made.add(&front, child, &child.rows, rest, on)?;
        }
    }
    Ok(front)
}

/// Where each row's solution is among those of the divided stacks and of the shared ones.
fn positions(extent: usize, divided: &[i64], shared: &[i64], on: &Placement) -> Array {
    let mut positions = vec![0_i64; extent];
    for (at, &vertex) in divided.iter().chain(shared).enumerate() {
        if let Some(position) = positions.get_mut(vertex as usize) {
            *position = at as i64;
        }
    }
    on.mesh.enter(|| from_slice(&positions, [extent]))
}

/// The plan for a matrix whose rows have no duplicates; `None` if it would cost too much.
/// Collective over the mesh: every process reads the pattern.
pub(super) fn planned(matrix: &Csr, site: Site) -> Result<Option<Fronts>, Error> {
    let mesh = matrix.values().mesh()?;
    let devices = mesh.mesh().devices();
    let products = if mesh.has_gpus() { MOST_PRODUCTS } else { MOST_PRODUCTS / 10.0 };
    let (starts, columns) = within(site, || matrix.pattern_on_host(site))?;
    let most = [MOST_ELEMENTS, products].map(|most| most * devices as f64);
    Ok(Fronts::of(&starts, &columns, devices, most))
}

/// What fronts leave is tested before so many multiplications are done, and then whenever they have
/// doubled. A test waits for the devices.
const FIRST_WORK: f64 = 1e8;
/// Larger shared matrices are inverted by quarters.
const LARGE: usize = 512;
/// The most elements of factors, and the most multiplications, for each device; a tenth of these on
/// CPUs.
const MOST_ELEMENTS: f64 = 4e9;
const MOST_PRODUCTS: f64 = 1e14;
