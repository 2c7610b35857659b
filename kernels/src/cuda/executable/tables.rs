//! Tables whose result depends on the order of combination: a kernel writes the position and the
//! number of each point, and these are combined by position in a fixed order.

use super::direct::DirectKernel;
use super::missing::Missing;
use crate::cpu::BufferLaunch;
use crate::cuda::shape::{Geometry, is_ordered};
use crate::error::KernelError;
use crate::ir::{
    Access, AccessId, AxisId, Kernel, Param, ParamId, Role, ScalarId, Stmt, ValueId, verify,
};
use crate::structured::grouped::cuda::{Combined, Grouping, Places};
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Buffer, Device, DeviceError, contiguous};
use phalanx_ops::{DType, Monoid, Scalar, Weak};
use smallvec::SmallVec;
use std::sync::Arc;

/// A kernel that writes the positions and numbers of its tables instead of combining them.
pub(super) struct Tables {
    kernel: DirectKernel,
    tables: Vec<Table>,
}

/// The replacement of one accumulating statement.
struct Table {
    /// The access to the table in the original kernel, and its axes.
    access: AccessId,
    across: Vec<AxisId>,
    length: ScalarId,
    monoid: Monoid,
    dtype: DType,
    /// The axes of its points.
    axes: Vec<AxisId>,
    /// The accesses to positions and numbers.
    positions: AccessId,
    values: AccessId,
}

/// The buffers that the points of a statement are written to.
struct Room {
    points: usize,
    places: Places,
    positions: Buffer,
    values: Buffer,
    position_strides: Vec<isize>,
    value_strides: Vec<isize>,
}

impl Table {
    /// The extents of the axes of its points, in a launch of these extents.
    fn extents(&self, whole: &[usize]) -> Vec<usize> {
        self.axes.iter().map(|&axis| whole[axis.index()]).collect()
    }

    /// The tables of the points, for tables with these strides: one table for all points, or one
    /// for each position along one axis if these do not overlap; `None` for other cases.
    fn places(&self, strides: &[isize], whole: &[usize], length: usize) -> Option<Places> {
        let extents = self.extents(whole);
        let mut apart = self
            .across
            .iter()
            .zip(strides)
            .filter(|&(&axis, &stride)| stride != 0 && whole[axis.index()] > 1);
        let Some((axis, &stride)) = apart.next() else {
            return Some(Places { length, inner: 1, tables: 1, apart: 0 });
        };
        let (stride, size) = (usize::try_from(stride).ok()?, self.dtype.size());
        let at = self.axes.iter().position(|own| own == axis)?;
        let inner = extents[at + 1..].iter().product();
        let is_even = stride.is_multiple_of(size) && stride / size >= length;
        (is_even && apart.next().is_none()).then_some(Places {
            length,
            inner,
            tables: extents[at],
            apart: stride / size,
        })
    }
}

impl Tables {
    /// The replacement of a kernel with such tables.
    ///
    /// Errors: `KernelError::Verify`.
    pub fn new(kernel: &Kernel) -> Result<Tables, KernelError> {
        let mut own = kernel.clone();
        let mut body = std::mem::take(&mut own.body);
        let mut tables = Vec::new();
        replace(kernel, &mut own, &mut body, &mut kernel.grid_axes().collect(), &mut tables);
        own.body = body;
        verify(&own)?;
        Ok(Tables { kernel: DirectKernel::new(&own), tables })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        self.kernel.kernel()
    }

    /// Enqueues the kernel and the combinations. Returns false, with nothing done, if there are
    /// too many points or tables along several axes. A point takes 36 bytes and its number.
    ///
    /// Errors: those of the compiler; `DeviceError::OutOfMemory`. Lack of memory does not move the
    /// sums to the host, which has another order.
    pub fn launch(
        &self,
        device: &Arc<CudaDevice>,
        launch: &BufferLaunch<'_>,
    ) -> Result<bool, DeviceError> {
        let Some(rooms) = self.rooms(device, launch)? else { return Ok(false) };
        self.write(device, launch, &rooms)?;
        for (table, room) in self.tables.iter().zip(rooms) {
            let Room { points, places, positions, values, .. } = room;
            if points == 0 || places.length == 0 {
                continue;
            }
            let slots = Grouping::slots_at(positions.as_ptr() as u64, points, &places, device)?;
            drop(positions);
            let (buffer, offset, _) = &launch.accesses[table.access.index()];
            let to = (buffer.as_ptr() as u64).wrapping_add_signed(*offset as i64);
            let grouping = Grouping::new(&slots, points, places.slots(), device)?;
            grouping.accumulate(table.monoid, table.dtype, values.as_ptr() as u64, to)?;
        }
        Ok(true)
    }

    /// Enqueues the kernel.
    fn write(
        &self,
        device: &Arc<CudaDevice>,
        launch: &BufferLaunch<'_>,
        rooms: &[Room],
    ) -> Result<(), DeviceError> {
        let mut accesses: SmallVec<[_; 6]> = launch.accesses.iter().copied().collect();
        for (table, room) in self.tables.iter().zip(rooms) {
            let places = [
                (table.positions, &room.positions, &room.position_strides),
                (table.values, &room.values, &room.value_strides),
            ];
            for (access, buffer, strides) in places {
                let argument = (buffer, 0, strides.as_slice());
                match accesses.get_mut(access.index()) {
                    Some(known) => *known = argument,
                    // New accesses are appended in the order of the statements.
                    None => accesses.push(argument),
                }
            }
        }
        let own = BufferLaunch {
            extents: launch.extents,
            origins: launch.origins,
            accesses,
            guards: launch.guards,
            scalars: launch.scalars.clone(),
        };
        self.kernel.launch(device, &own)
    }

    /// The texts that a launch needs and that have not been loaded. Unknown lengths are assumed to
    /// be short.
    pub fn missing(
        &self,
        device: &CudaDevice,
        launch: &Geometry<'_>,
        scalars: &[Option<Scalar>],
    ) -> Vec<Missing<'_>> {
        let mut strides: Vec<Vec<isize>> =
            launch.strides.iter().map(|strides| strides.to_vec()).collect();
        let mut addresses = launch.addresses.to_vec();
        let mut missing = Vec::new();
        for table in &self.tables {
            let length = scalars.get(table.length.index()).copied().flatten().map_or(0, length_of);
            let own = launch.strides[table.access.index()];
            // Other cases run on the host.
            let Some(places) = table.places(own, launch.extents, length) else { return Vec::new() };
            let extents = table.extents(launch.extents);
            // Without points there is nothing to combine, but the kernel may have other results.
            if !extents.contains(&0) {
                let combined = Combined::Monoid(table.monoid, table.dtype);
                let mut routines = Grouping::routines(places.slots(), combined);
                routines.push(Grouping::slots_routine(places.slots()));
                let needed = routines.into_iter().filter(|routine| !routine.is_loaded(device));
                missing.extend(needed.map(Missing::routine));
            }
            for (access, size) in [(table.positions, 8), (table.values, table.dtype.size())] {
                let apart = contiguous(&extents, size);
                match strides.get_mut(access.index()) {
                    Some(known) => {
                        *known = apart;
                        addresses[access.index()] = 0;
                    }
                    None => {
                        strides.push(apart);
                        addresses.push(0);
                    }
                }
            }
        }
        let strides: Vec<&[isize]> = strides.iter().map(Vec::as_slice).collect();
        let own = Geometry { strides: &strides, addresses: &addresses, ..*launch };
        let variant = self.kernel.missing(device, &own);
        missing.extend(variant.map(|variant| Missing::kernel(&self.kernel, variant)));
        missing
    }

    fn rooms(
        &self,
        device: &Arc<CudaDevice>,
        launch: &BufferLaunch<'_>,
    ) -> Result<Option<Vec<Room>>, DeviceError> {
        let (mut rooms, mut most) = (Vec::with_capacity(self.tables.len()), 0);
        for table in &self.tables {
            let extents = table.extents(launch.extents);
            let points: usize = extents.iter().product();
            let length = length_of(launch.scalars[table.length.index()]);
            let strides = launch.accesses[table.access.index()].2;
            let Some(places) = table.places(strides, launch.extents, length) else {
                return Ok(None);
            };
            let Some(bytes) = Grouping::room(points, places.slots()) else { return Ok(None) };
            most = most.max(bytes);
            rooms.push(Room {
                points,
                places,
                positions: device.clone().allocate(8 * points)?,
                values: device.clone().allocate(table.dtype.size() * points)?,
                position_strides: contiguous(&extents, 8),
                value_strides: contiguous(&extents, table.dtype.size()),
            });
        }
        // Checks that the memory for grouping is available before anything is enqueued.
        drop(device.clone().allocate(most)?);
        Ok(Some(rooms))
    }
}

fn length_of(scalar: Scalar) -> usize {
    match scalar.to_weak() {
        Weak::Int(length) => usize::try_from(length).unwrap_or(0),
        other => panic!("bug: the length of a table is {other:?}"),
    }
}

/// Stores positions and numbers instead of combining them into tables.
fn replace(
    kernel: &Kernel,
    own: &mut Kernel,
    body: &mut Vec<Stmt>,
    axes: &mut Vec<AxisId>,
    tables: &mut Vec<Table>,
) {
    for mut statement in std::mem::take(body) {
        match &mut statement {
            Stmt::Loop { axes: inner, body, .. } => {
                let outer = axes.len();
                axes.extend_from_slice(inner);
                replace(kernel, own, body, axes, tables);
                axes.truncate(outer);
            }
            Stmt::Accumulate { access, length, position, value, monoid } => {
                let param = &kernel[kernel[*access].param];
                if is_ordered(param) {
                    let (access, dtype) = (*access, param.dtype);
                    let mut points = axes.clone();
                    points.sort_unstable();
                    // The access to the table becomes the access to positions: none may be unused.
                    let is_known = tables.iter().any(|table: &Table| table.access == access);
                    let given = (!is_known).then_some(access);
                    let positions = stored(own, given, DType::I64, &points);
                    let values = stored(own, None, dtype, &points);
                    body.extend([(positions, *position), (values, *value)].map(store));
                    tables.push(Table {
                        access,
                        across: kernel[access].axes.clone(),
                        length: *length,
                        monoid: *monoid,
                        dtype,
                        axes: points,
                        positions,
                        values,
                    });
                    continue;
                }
            }
            Stmt::Let(_) | Stmt::Store { .. } => {}
        }
        body.push(statement);
    }
}

fn store((access, value): (AccessId, ValueId)) -> Stmt {
    Stmt::Store { access, value }
}

/// An access to a new parameter with one element for each point. It replaces the `given` access, or
/// is appended.
fn stored(own: &mut Kernel, given: Option<AccessId>, dtype: DType, axes: &[AxisId]) -> AccessId {
    own.params.push(Param { dtype, role: Role::Out });
    let access = Access { param: ParamId::new(own.params.len() - 1), axes: axes.to_vec() };
    match given {
        Some(at) => {
            own.accesses[at.index()] = access;
            at
        }
        None => {
            own.accesses.push(access);
            AccessId::new(own.accesses.len() - 1)
        }
    }
}
