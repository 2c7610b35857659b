//! The recording of launches.

use super::kernel::{LaunchArgument, LaunchKernel};
use crate::array::{Array, form_operand};
use crate::recording::mesh_of_arrays;
use phalanx_graph::{Error, Form, Held, MeshHandle, NodeOp, Operand, Site, call_site};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{
    self, Entry, Launch, LaunchParameter, LaunchSize, Lend, PLACE_AXES, Returned, Share,
};
use phalanx_ops::{AffineMap, Scalar, Shape, Structured};
use smallvec::SmallVec;
use std::sync::Arc;

/// The parameters of a launch, and their numbers.
type Parameters = SmallVec<[LaunchParameter; 8]>;
type Numbers = SmallVec<[u64; 8]>;

impl LaunchKernel {
    /// Records a launch.
    ///
    /// An array is passed by the address of its first element. Its memory is that of its base, in C
    /// order: elements of the base before and after a view are within reach. The kernel runs after
    /// all work that was recorded before and before all that is recorded later, once the window is
    /// evaluated.
    ///
    /// With [`Share::First`], the kernel runs once, on the first device, on whole arrays. With
    /// [`Share::Each`], it runs on every device with the device's blocks; arrays that are not split
    /// are whole on each device, and every device must write the same into them.
    ///
    /// # Collectivity
    ///
    /// Local: it records. All ranks must record the same call.
    ///
    /// # Errors
    ///
    /// `OpError::KernelLaunch` for an array that cannot be written, for a view with
    /// [`Share::Each`], and for more arrays than 255; the error that an array carries.
    #[track_caller]
    pub fn launch(&self, size: LaunchSize, arguments: &[LaunchArgument]) -> Result<(), Error> {
        record(self, size, arguments, call_site())
    }
}

/// Records a launch; see [`LaunchKernel::launch`].
fn record(
    kernel: &LaunchKernel,
    size: LaunchSize,
    arguments: &[LaunchArgument],
    site: Site,
) -> Result<(), Error> {
    let call = Call { kernel, site };
    let bases = call.bases(arguments)?;
    let mesh = mesh_of_arrays(bases.iter().map(|base| &base.whole), site)?;
    let lent = bases.iter().filter(|base| base.is_written).count();
    let (arrays, lent) = (call.count(bases.len())?, call.count(lent)?);
    let (parameters, numbers) = call.parameters(&bases, arguments)?;
    let entry = kernel.entry(&parameters, (arrays, lent), site);
    // The operations of a launch stay in one window: no plan runs between them.
    let first = bases.first().map(|base| base.whole.operand(site)).transpose()?;
    let guard = first.as_ref().map(|operand| mesh.writing(operand));
    let values = call.record(&mesh, entry, &bases, (size, &numbers))?;
    drop(guard);
    for (base, value) in bases.iter().zip(values) {
        base.whole.replace_base(value)?;
    }
    Ok(())
}

/// A base of the arrays of a call.
struct Base {
    whole: Array,
    is_written: bool,
}

/// The number of an array's base.
fn base_of(bases: &[Base], array: &Array) -> u8 {
    let base = bases.iter().position(|base| base.whole.has_base_of(array));
    match base.and_then(|base| u8::try_from(base).ok()) {
        Some(base) => base,
        None => unreachable!("bug: an array without a base"),
    }
}

/// A call that is being recorded.
struct Call<'a> {
    kernel: &'a LaunchKernel,
    site: Site,
}

impl Call<'_> {
    fn refused(&self, problem: String) -> Error {
        let kernel = self.kernel.symbol.clone();
        Error::op(OpError::KernelLaunch { kernel, problem }, self.site)
    }

    fn count(&self, count: usize) -> Result<u8, Error> {
        u8::try_from(count).map_err(|_| self.refused(format!("{count} arrays are more than 255")))
    }

    /// The bases of the arrays, those that may be written first.
    fn bases(&self, arguments: &[LaunchArgument]) -> Result<SmallVec<[Base; 4]>, Error> {
        let mut bases: SmallVec<[Base; 4]> = SmallVec::new();
        for (number, argument) in arguments.iter().enumerate() {
            let (array, is_written) = match argument {
                LaunchArgument::Array(array) => (array, self.kernel.may_write(number)),
                LaunchArgument::Place(array) => (array, false),
                LaunchArgument::Bytes(_) => continue,
            };
            array.ok()?;
            if is_written && !array.is_writeable() {
                return Err(self.refused(format!(
                    "argument {number} is an array that cannot be written; if the kernel only \
                     reads it, declare its parameter as a pointer to const"
                )));
            }
            let is_each = self.kernel.share == Share::Each;
            if is_each && !array.base_view()?.is_whole() {
                return Err(self.refused(format!(
                    "argument {number} is a view; a kernel that runs on each device takes whole \
                     arrays, so pass a copy"
                )));
            }
            if !is_each && matches!(argument, LaunchArgument::Place(_)) {
                return Err(self.refused(format!(
                    "argument {number} is the place of a shard, and the kernel does not run on \
                     each device"
                )));
            }
            if let Some(known) = bases.iter_mut().find(|base| base.whole.has_base_of(array)) {
                known.is_written |= is_written;
                continue;
            }
            let whole = array.whole_base()?;
            whole.check_not_lent(Some(self.site))?;
            bases.push(Base { whole, is_written });
        }
        bases.sort_by_key(|base| !base.is_written);
        Ok(bases)
    }

    /// The parameters and their numbers.
    fn parameters(
        &self,
        bases: &[Base],
        arguments: &[LaunchArgument],
    ) -> Result<(Parameters, Numbers), Error> {
        let (mut parameters, mut numbers) = (SmallVec::new(), SmallVec::new());
        for (number, argument) in arguments.iter().enumerate() {
            match argument {
                LaunchArgument::Array(array) => {
                    parameters.push(LaunchParameter::Address(base_of(bases, array)));
                    numbers.push(array.first_byte()? as u64);
                }
                LaunchArgument::Place(array) if array.ndim() > PLACE_AXES => {
                    let axes = array.ndim();
                    return Err(self.refused(format!(
                        "argument {number} is the place of a shard with {axes} axes, and \
                         {PLACE_AXES} is the most"
                    )));
                }
                LaunchArgument::Place(array) => {
                    parameters.push(LaunchParameter::Place(base_of(bases, array)));
                }
                LaunchArgument::Bytes(bytes) => {
                    let length = u16::try_from(bytes.len()).map_err(|_| {
                        self.refused(format!("argument {number} has {} bytes", bytes.len()))
                    })?;
                    parameters.push(LaunchParameter::Bytes(length));
                    numbers.extend(bytes.chunks(8).map(|part| {
                        let mut word = [0; 8];
                        word[..part.len()].copy_from_slice(part);
                        u64::from_le_bytes(word)
                    }));
                }
            }
        }
        Ok((parameters, numbers))
    }

    /// Records the operations of a launch. Returns the new value of each base that may be written.
    fn record(
        &self,
        mesh: &MeshHandle,
        entry: &'static Entry,
        bases: &[Base],
        (size, numbers): (LaunchSize, &[u64]),
    ) -> Result<SmallVec<[Held; 4]>, Error> {
        let mut operands: SmallVec<[Operand; 16]> = SmallVec::new();
        for base in bases {
            let node = Held::new(base.whole.base_node()?);
            let mut operand = Operand::Value { node, map: None };
            if base.whole.ndim() == 0 {
                let form = Form { shape: Shape::from_slice(&[1]), dtype: base.whole.dtype() };
                operand = form_operand(mesh, operand, &form, self.site)?;
            }
            if base.is_written {
                let lend = Structured::Lend(Lend { share: entry.share });
                operand = self.structured(mesh, lend, &[operand])?;
            }
            operands.push(operand);
        }
        let numbers = size.numbers().into_iter().chain(numbers.iter().copied());
        operands.extend(numbers.map(|number| Operand::Scalar(Scalar::new(number))));
        let mark = self.structured(mesh, Structured::Launch(Launch { entry }), &operands)?;
        let lent = bases.iter().filter(|base| base.is_written).zip(&operands);
        lent.map(|(base, memory)| {
            let returned = Structured::Returned(Returned);
            let value = self.structured(mesh, returned, &[memory.clone(), mark.clone()])?;
            self.written(mesh, &base.whole, value)
        })
        .collect()
    }

    /// The value of a base after all its elements were written.
    fn written(&self, mesh: &MeshHandle, base: &Array, value: Operand) -> Result<Held, Error> {
        let (shape, dtype) = (base.base_shape()?.clone(), base.dtype());
        let form = Form { shape: shape.clone(), dtype };
        let value = form_operand(mesh, value, &form, self.site)?;
        if let (1, Operand::Value { node, .. }) = (mesh.mesh().devices(), &value) {
            return Ok(node.clone());
        }
        // The update gives the value the sharding of the base.
        let old = Operand::Value { node: Held::new(base.base_node()?), map: None };
        let update = NodeOp::Update(Arc::new(AffineMap::identity(&shape)));
        Ok(Held::new(mesh.record(update, &[old, value], shape, dtype, self.site)?))
    }

    fn structured(
        &self,
        mesh: &MeshHandle,
        op: Structured,
        operands: &[Operand],
    ) -> Result<Operand, Error> {
        let kinds: SmallVec<[structured::Operand<'_>; 16]> = operands
            .iter()
            .map(|operand| match operand {
                Operand::Value { node, .. } => (&node.shape()[..], node.dtype()),
                Operand::Scalar(scalar) => (&[][..], scalar.dtype()),
            })
            .collect();
        let (shape, dtype) = op.result(&kinds);
        let node = mesh.record(NodeOp::Structured(op), operands, shape, dtype, self.site)?;
        Ok(Operand::Value { node: Held::new(node), map: None })
    }
}
