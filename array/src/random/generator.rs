//! A source of random bits, and of the numbers from which distributions are made.

use super::streams::Stream;
use crate::array::Array;
use crate::creation::ShapeArgument;
use crate::recording::elementwise;
use phalanx_graph::{Error, HostArray, MeshHandle, NodeOp, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::size;
use phalanx_ops::{DType, Op, Scalar, Shape};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A source of random numbers on a mesh.
///
/// All ranks draw the same numbers in the same order. Drawing is Local (records nodes). The
/// generator's mesh must be the current mesh; a draw on another mesh is the error
/// `OpError::Meshes`. On a smaller mesh only some ranks would advance the generator, and later
/// numbers would differ.
pub struct Generator {
    pub(super) mesh: MeshHandle,
    state: Mutex<(Stream, State)>,
}

/// The state that determines the next numbers of a generator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// The key made from the seed, for `Stream::Philox4x32`. Other streams contain their own state.
    pub key: u64,
    /// The number of counters, or words of the stream, that have been used.
    pub next: u64,
}

impl State {
    /// The state of a generator with this seed before it draws numbers.
    pub fn of_seed(seed: u64) -> State {
        State { key: mixed(seed), next: 0 }
    }
}

/// The counters of the numbers of one draw, with the key and the stream.
pub(super) struct Counters {
    array: Array,
    key: u64,
    stream: Stream,
    /// The first counter, and the number of counters.
    first: u64,
    count: u64,
}

impl Counters {
    /// 64 random bits for each element, from its counter with number `place`.
    fn bits(&self, place: u64, site: Site) -> Array {
        let key = Scalar::new(self.key);
        if self.stream != Stream::Philox4x32 {
            let positions = || &self.array + Scalar::new(place);
            let words =
                within(site, || self.stream.words(&positions(), self.first, self.count, site));
            return words.unwrap_or_else(|| unreachable!("bug: only one stream has no words"));
        }
        if place == 0 {
            return elementwise(Op::Philox, &[(&self.array).into(), key.into()], site);
        }
        let counters = within(site, || &self.array + Scalar::new(place));
        elementwise(Op::Philox, &[(&counters).into(), key.into()], site)
    }

    /// Uniform numbers in [0, 1) for each element, from its counter with number `place`.
    pub(super) fn uniform(&self, place: u64, dtype: DType, site: Site) -> Array {
        // The number of bits is that of the significand.
        let (drop, unit) = match dtype {
            DType::F32 => (40u64, 1.0 / (1u64 << 24) as f64),
            _ => (11, 1.0 / (1u64 << 53) as f64),
        };
        let bits = self.bits(place, site).right_shift(Scalar::new(drop));
        bits.converted(dtype, site) * unit
    }
}

/// A generator that draws the numbers of this seed, on the current mesh. Local. Errors:
/// `NotInitialised` before a mesh exists.
#[track_caller]
pub fn seeded(seed: u64) -> Result<Generator, Error> {
    begun(Stream::Philox4x32, State::of_seed(seed))
}

/// A generator that draws the words of a stream, from the first word on, on the current mesh.
/// Local. Errors: `NotInitialised` before a mesh exists.
#[track_caller]
pub fn streamed(stream: Stream) -> Result<Generator, Error> {
    begun(stream, State { key: 0, next: 0 })
}

#[track_caller]
fn begun(stream: Stream, state: State) -> Result<Generator, Error> {
    let mesh = crate::recording::current_mesh(call_site())?;
    Ok(Generator { mesh, state: Mutex::new((stream, state)) })
}

/// A generator on the current mesh, with a new seed that is the same on all ranks. Collective over
/// the mesh. Errors: as for [`fresh_seed`].
#[track_caller]
pub fn generator() -> Result<Generator, Error> {
    let site = call_site();
    within(site, || seeded(fresh_seed()?))
}

/// An unpredictable seed that is the same on all ranks: a random number of the first rank.
/// Collective over the current mesh. Errors: `NotInitialised` before a mesh exists, and the errors
/// of communication.
#[track_caller]
pub fn fresh_seed() -> Result<u64, Error> {
    let site = call_site();
    let mesh = crate::recording::current_mesh(site)?;
    // The keys of a hash map come from the system's source of randomness.
    let own = RandomState::new().build_hasher().finish();
    // Every device contributes a number, and the first one is used.
    let local = mesh.mesh().devices() / mesh.engine().process().1;
    let shards = (0..local).map(|_| HostArray::from_slice(&[own], &[1])).collect();
    within(site, || mesh.enter(|| Array::from_local(shards, 0).at([0]).item::<u64>()))
}

/// A key in which every bit depends on every bit of the seed.
///
/// Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators"
/// (OOPSLA 2014), the mixing function of SplitMix64.
fn mixed(seed: u64) -> u64 {
    let seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let seed = (seed ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let seed = (seed ^ seed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    seed ^ seed >> 31
}

impl Generator {
    /// The mesh on which the generator draws. Local.
    pub fn mesh(&self) -> &MeshHandle {
        &self.mesh
    }

    /// The stream of the generator's words. Local.
    pub fn stream(&self) -> Stream {
        self.locked().0
    }

    /// Continues with another stream, from its first word. Pass the same stream on all ranks.
    /// Local.
    pub fn set_stream(&self, stream: Stream) {
        *self.locked() = (stream, State { key: 0, next: 0 });
    }

    fn locked(&self) -> MutexGuard<'_, (Stream, State)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state that determines the next numbers. Local.
    pub fn state(&self) -> State {
        self.locked().1
    }

    /// Continues from another state. Pass the same state on all ranks. Local.
    pub fn set_state(&self, state: State) {
        self.locked().1 = state;
    }

    /// The first counter of each element of a shape, in C order, with `each` counters for an
    /// element. The counters follow those of earlier draws.
    pub(super) fn counters(&self, shape: &Shape, each: u64, site: Site) -> Result<Counters, Error> {
        if !self.mesh.is_current() {
            let current = crate::recording::current_mesh(site)?;
            return Err(Error::op(self.mesh.differing(&current), site));
        }
        let used = (size(shape) as u64).wrapping_mul(each);
        let (stream, State { key, next: first }) = {
            let mut state = self.locked();
            let before = *state;
            state.1.next = before.1.next.wrapping_add(used);
            before
        };
        let mut step = each;
        let mut sum: Option<Array> = None;
        for axis in (0..shape.len()).rev() {
            let op = NodeOp::Index(axis as u8);
            let node = self.mesh.record(op, &[], shape.clone(), DType::I64, site)?;
            let index = Array::from_node(self.mesh.clone(), node).converted(DType::U64, site);
            let term = if step == 1 { index } else { index * Scalar::new(step) };
            sum = Some(match sum {
                Some(sum) => sum + term,
                None => term,
            });
            step = step.wrapping_mul(shape[axis] as u64);
        }
        let zero = || crate::creation::zeros((), DType::U64);
        let positions = sum.unwrap_or_else(zero);
        let array = (positions + Scalar::new(first)).into_result()?;
        Ok(Counters { array, key, stream, first, count: used })
    }

    pub(super) fn float(dtype: DType, operation: &'static str, site: Site) -> Result<(), Error> {
        match dtype {
            DType::F32 | DType::F64 => Ok(()),
            _ => Err(Error::op(OpError::Dtype { operation, dtypes: vec![dtype] }, site)),
        }
    }

    /// Drawn numbers in another dtype. Real numbers take `f32` or `f64`. Integers take any integer
    /// dtype, in which they wrap, or `f32` or `f64`. Local. Errors: `OpError::Dtype`.
    #[track_caller]
    #[must_use]
    pub fn drawn_as(numbers: &Array, dtype: DType) -> Array {
        let site = call_site();
        Array::catch(within(site, || {
            let is_whole = numbers.ok()?.dtype().is_integer();
            if !(is_whole && dtype.is_integer()) {
                Generator::float(dtype, "a distribution", site)?;
            }
            numbers.converted(dtype, site).into_result()
        }))
    }

    /// 64 random bits for each element (`u64`).
    #[track_caller]
    #[must_use]
    pub fn bits(&self, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            let shape = shape.resolve(8, site)?;
            self.counters(&shape, 1, site)?.bits(0, site).into_result()
        }))
    }

    /// `count` random bytes (`u8`): the bytes of the words of [`Generator::bits`].
    #[track_caller]
    #[must_use]
    pub fn bytes(&self, count: usize) -> Array {
        let site = call_site();
        within(site, || {
            let words = self.bits([count.div_ceil(DType::U64.size())]);
            words.view(DType::U8).slice(crate::s![..count])
        })
    }

    /// Uniform numbers in [0, 1) of dtype `f32` or `f64`. Errors: `OpError::Dtype`.
    #[track_caller]
    #[must_use]
    pub fn random(&self, shape: impl Into<ShapeArgument>, dtype: DType) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            Generator::float(dtype, "random", site)?;
            let shape = shape.resolve(dtype.size(), site)?;
            self.counters(&shape, 1, site)?.uniform(0, dtype, site).into_result()
        }))
    }

    /// Normal numbers with mean 0 and standard deviation 1, of dtype `f32` or `f64`. Errors:
    /// `OpError::Dtype`.
    ///
    /// Source: G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates"
    /// (1958), the variant with the cosine.
    #[track_caller]
    #[must_use]
    pub fn standard_normal(&self, shape: impl Into<ShapeArgument>, dtype: DType) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            Generator::float(dtype, "standard_normal", site)?;
            let shape = shape.resolve(dtype.size(), site)?;
            let counters = self.counters(&shape, 2, site)?;
            let radius = 1.0 - counters.uniform(0, dtype, site);
            let angle = counters.uniform(1, dtype, site);
            let normal = (radius.log() * -2.0).sqrt() * (angle * std::f64::consts::TAU).cos();
            normal.into_result()
        }))
    }
}
