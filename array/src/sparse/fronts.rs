//! How matrices of one pattern are factorised by fronts: the graph is dissected on the host of
//! every process, and the numbers of all fronts are uploaded to the devices that compute them.

use super::split::{RowSplit, blocks, sharded};
use crate::array::Array;
use crate::creation::{from_slice, zeros};
use crate::recording::taken;
use phalanx_graph::{Error, MeshHandle, Site};
use phalanx_numerics::sparse::{Fronts, Link, Stack};
use phalanx_ops::{Bounds, DType, Element, Sharding, Split};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// How matrices of one pattern are factorised: found at the first factorisation, and kept with the
/// pattern, so that other matrices of it need no dissection.
#[derive(Default)]
pub(super) struct FrontPlan {
    /// The elements of the factors, and the multiplications for them; `None` if these are too many.
    cost: OnceLock<Option<[f64; 2]>>,
    planned: OnceLock<Arc<Planned>>,
}

/// The numbers of all fronts, on the devices.
pub(super) struct Planned {
    pub extent: usize,
    /// The stacks of fronts, children first.
    pub stacks: Vec<Uploaded>,
    /// The vertices of the stacks that are divided among devices, and of each shared one.
    pub vertices: Divided,
    pub shared_vertices: Array,
    /// The entries of the matrix that the divided stacks begin with.
    pub entries: Divided,
    /// Where each row's solution is among those of these vertices.
    pub positions: Array,
    /// A zero: the number of the only front of a shared stack.
    pub first: Array,
    /// The elements of the factors, and the multiplications for them.
    pub cost: [f64; 2],
    pub on: Placement,
}

/// The numbers of a stack on the devices.
pub(super) struct Uploaded {
    pub fronts: usize,
    pub own: usize,
    pub rim: usize,
    /// How many fronts each device has; `None` for one front that all devices share.
    pub counts: Option<Vec<usize>>,
    /// Where own rows are among all that the device has, `(f, k, 1)`; of a shared front, where its
    /// own rows begin among those of all shared ones.
    pub own_rows: OwnRows,
    /// The entries that the fronts begin with, among those of the device, or of the matrix for a
    /// shared front; and where they are among the elements of the device's fronts.
    pub entries: Array,
    pub places: Array,
    /// For each front, the number of the only column of a vector.
    pub column: Array,
    pub children: Vec<Joined>,
    pub parents: Vec<Joined>,
    /// The last stack that takes what these fronts leave.
    pub last_use: usize,
    /// The multiplications for the factors.
    pub work: f64,
}

pub(super) enum OwnRows {
    OfDevice(Array),
    From(usize),
}

/// Numbers of all stacks that are divided among devices: those of each device one behind the other.
pub(super) struct Divided {
    pub numbers: Array,
    /// How many each device has.
    pub counts: Vec<usize>,
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
    pub fn taken(&self, from: &Array, on: &Placement) -> Result<Array, Error> {
        on.taken(from, &self.numbers, Some(&self.counts))
    }
}

/// How fronts of one stack are related to those of another one.
pub(super) struct Joined {
    pub stack: usize,
    /// The number of the other front on its device (`i64`).
    pub slots: Array,
    /// The rows there (`i32`).
    pub rows: Array,
}

/// Where the arrays of stacks are, and the call that they are made for.
#[derive(Clone)]
pub(super) struct Placement {
    pub mesh: MeshHandle,
    /// A split over all devices, if there are several.
    pub split: Option<Split>,
    pub site: Site,
}

impl Placement {
    /// The same places for another call.
    pub fn at(&self, site: Site) -> Placement {
        Placement { site, ..self.clone() }
    }

    /// An array whose first axis is cut into these parts, or that every device has.
    pub fn put(&self, array: Array, counts: Option<&[usize]>) -> Array {
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

    pub fn upload<T: Element>(
        &self,
        numbers: &[T],
        shape: &[usize],
        counts: Option<&[usize]>,
    ) -> Array {
        self.put(self.mesh.enter(|| from_slice(numbers, shape)), counts)
    }

    pub fn zeros(&self, shape: [usize; 3], dtype: DType, counts: Option<&[usize]>) -> Array {
        self.put(self.mesh.enter(|| zeros(shape, dtype)), counts)
    }

    /// Elements of the first axis at positions.
    pub fn taken(
        &self,
        from: &Array,
        positions: &Array,
        counts: Option<&[usize]>,
    ) -> Result<Array, Error> {
        Ok(self.put(taken(from, positions, self.site)?, counts))
    }

    /// What the fronts of a stack leave, on the devices that have the fronts; that of a shared one
    /// stays where it is.
    pub fn put_local(&self, array: Array, plan: &Uploaded) -> Array {
        match plan.counts() {
            Some(counts) => self.put(array, Some(counts)),
            None => array,
        }
    }
}

impl FrontPlan {
    /// The plan for matrices of a pattern without duplicates; `None` if it would cost too much, or
    /// if its multiplications do not pay. `pattern` returns the starts of rows and the columns of
    /// entries. Collective over the mesh: the first time every process reads the pattern.
    pub fn of(
        &self,
        mesh: MeshHandle,
        pattern: impl Fn() -> Result<(Vec<usize>, Vec<u32>), Error>,
        pays: impl Fn(f64) -> bool,
        site: Site,
    ) -> Result<Option<Arc<Planned>>, Error> {
        if let Some(planned) = self.planned.get() {
            return Ok(pays(planned.cost[1]).then(|| planned.clone()));
        }
        if self.cost.get().is_some_and(|cost| cost.is_none_or(|[_, work]| !pays(work))) {
            return Ok(None);
        }
        let devices = mesh.mesh().devices();
        let products = if mesh.has_gpus() { MOST_PRODUCTS } else { MOST_PRODUCTS / 10.0 };
        let (starts, columns) = pattern()?;
        let most = [MOST_ELEMENTS, products].map(|most| most * devices as f64);
        let fronts = Fronts::of(&starts, &columns, devices, most);
        let cost = *self.cost.get_or_init(|| fronts.as_ref().map(Fronts::cost));
        let (Some(fronts), Some([_, work])) = (fronts, cost) else { return Ok(None) };
        if !pays(work) {
            return Ok(None);
        }
        let made = || Arc::new(Planned::of(&fronts, mesh, site));
        Ok(Some(self.planned.get_or_init(made).clone()))
    }
}

impl fmt::Debug for FrontPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrontPlan").field("cost", &self.cost).finish_non_exhaustive()
    }
}

impl Planned {
    /// The numbers of all stacks, uploaded. Local (records nodes).
    fn of(plan: &Fronts, mesh: MeshHandle, site: Site) -> Planned {
        let split = RowSplit::rows(plan.extent, &mesh);
        let on = Placement { mesh, split, site };
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
        let (mut first_shared, mut stacks) = (0, Vec::with_capacity(plan.stacks.len()));
        for (number, stack) in plan.stacks.iter().enumerate() {
            let own_rows = match &stack.fronts {
                None => OwnRows::From(first_shared),
                Some(_) => {
                    let shape = [stack.len(), stack.own, 1];
                    let counts = stack.fronts.as_deref();
                    OwnRows::OfDevice(on.upload(&own_places[number], &shape, counts))
                }
            };
            first_shared += if stack.fronts.is_none() { stack.own } else { 0 };
            let entries = &entry_places[number];
            stacks.push(Uploaded::of(stack, own_rows, entries, last_use[number], &on));
        }
        Planned {
            extent: plan.extent,
            stacks,
            vertices,
            shared_vertices: on.mesh.enter(|| from_slice(&shared, [shared.len()])),
            entries,
            positions: positions(plan.extent, &numbers, &shared, &on),
            first: on.upload(&[0_i64], &[1], None),
            cost: plan.cost(),
            on,
        }
    }
}

impl Uploaded {
    /// The numbers of a stack. `entries` are those of divided stacks among the device's.
    fn of(
        stack: &Stack,
        own_rows: OwnRows,
        entries: &[i64],
        last_use: usize,
        on: &Placement,
    ) -> Uploaded {
        let counts = stack.fronts.as_deref();
        let of_entries = counts.map(|_| &stack.counts[..]);
        let entries = if counts.is_some() { entries } else { &stack.entries };
        let count = [stack.entries.len()];
        let [_, work] = stack.cost();
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
            entries: on.upload(entries, &count, of_entries),
            places: on.upload(&stack.places, &count, of_entries),
            column: numbers_of_columns(stack.len(), 1, counts, on),
            last_use,
            work,
            children: joined(&stack.children, stack.own + stack.rim),
            parents: joined(&stack.parents, stack.rim),
        }
    }

    pub fn counts(&self) -> Option<&[usize]> {
        self.counts.as_deref()
    }

    /// For each front, the numbers of columns.
    pub fn columns(&self, count: usize, on: &Placement) -> Array {
        match count {
            1 => self.column.clone(),
            _ => numbers_of_columns(self.fronts, count, self.counts(), on),
        }
    }
}

/// For each front, the numbers of columns.
fn numbers_of_columns(
    fronts: usize,
    count: usize,
    counts: Option<&[usize]>,
    on: &Placement,
) -> Array {
    let numbers: Vec<i32> = (0..fronts).flat_map(|_| 0..count as i32).collect();
    on.upload(&numbers, &[fronts, count], counts)
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

/// The most elements of factors, and the most multiplications, for each device; a tenth of these on
/// CPUs.
const MOST_ELEMENTS: f64 = 4e9;
const MOST_PRODUCTS: f64 = 1e14;
