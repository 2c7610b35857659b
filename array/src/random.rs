//! Random numbers: counter-based, by global index, so that the same seed gives the same numbers on
//! any mesh.
//!
//! Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
//! 1, 2, 3" (SC 2011), generator Philox4x32-10: `Op::Philox`. Element `i` of the `k`-th number
//! drawn is a function of the seed, `i` and what was drawn before, and fuses into whatever uses it.
//! The numbers are not those of NumPy's generators.

use crate::array::Array;
use crate::creation::ShapeArgument;
use crate::elementwise::elementwise;
use crate::error::{Error, Site, call_site, within};
use crate::graph::NodeOp;
use crate::host::HostArray;
use crate::manipulation::refused;
use crate::math::select;
use crate::scans::cumsum;
use crate::sorting::{Side, argsort, searchsorted};
use crate::window::MeshHandle;
use phalanx_ops::error::OpError;
use phalanx_ops::shape::size;
use phalanx_ops::{DType, Op, Scalar, Shape};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A source of random numbers on a mesh.
///
/// All ranks draw the same numbers in the same order. Drawing is Local (records nodes).
pub struct Generator {
    mesh: MeshHandle,
    key: u64,
    /// How many counters have been used.
    next: AtomicU64,
}

/// A generator that draws the numbers of this seed, on the current mesh. Local. Errors: without a
/// session.
#[track_caller]
pub fn seeded(seed: u64) -> Result<Generator, Error> {
    let mesh = crate::creation::current_mesh(call_site())?;
    Ok(Generator { mesh, key: mixed(seed), next: AtomicU64::new(0) })
}

/// A generator with a seed of its own that all ranks agree on, on the current mesh. Collective over
/// the mesh. Errors: without a session, and those of communication.
#[track_caller]
pub fn generator() -> Result<Generator, Error> {
    let site = call_site();
    let mesh = crate::creation::current_mesh(site)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let own = now.map_or(0, |now| now.as_nanos() as u64) ^ u64::from(std::process::id()) << 40;
    // Every device brings a number, and the first one counts.
    let local = mesh.mesh().devices() / mesh.engine().process().1;
    let shards = (0..local).map(|_| HostArray::from_slice(&[own], &[1])).collect();
    let seed = within(site, || mesh.enter(|| Array::from_local(shards, 0).at([0]).item::<u64>()))?;
    Ok(Generator { mesh, key: mixed(seed), next: AtomicU64::new(0) })
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
    /// The positions in C order of the elements of a shape, counted on from what was drawn before,
    /// with room for `each` counters an element.
    fn counters(&self, shape: &Shape, each: u64, site: Site) -> Result<Array, Error> {
        let count = size(shape) as u64;
        let first = self.next.fetch_add(count.wrapping_mul(each), Ordering::Relaxed);
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
        let zero = || self.mesh.enter(|| crate::creation::zeros((), DType::U64));
        let positions = sum.unwrap_or_else(zero);
        (positions + Scalar::new(first)).ok().cloned()
    }

    /// 64 random bits for each counter.
    fn bits_of(&self, counters: &Array, site: Site) -> Array {
        elementwise(Op::Philox, &[counters.into(), Scalar::new(self.key).into()], site)
    }

    /// Uniform numbers in [0, 1) for each counter.
    fn uniform_of(&self, counters: &Array, dtype: DType, site: Site) -> Array {
        // As many bits as the significand has.
        let (drop, unit) = match dtype {
            DType::F32 => (40u64, 1.0 / (1u64 << 24) as f64),
            _ => (11, 1.0 / (1u64 << 53) as f64),
        };
        let bits = self.bits_of(counters, site).right_shift(Scalar::new(drop));
        bits.converted(dtype, site) * unit
    }

    fn float(dtype: DType, operation: &'static str, site: Site) -> Result<(), Error> {
        match dtype {
            DType::F32 | DType::F64 => Ok(()),
            _ => Err(Error::op(OpError::Dtype { operation, dtypes: vec![dtype] }, site)),
        }
    }

    /// 64 random bits an element (`u64`).
    #[track_caller]
    #[must_use]
    pub fn bits(&self, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            let shape = shape.resolve(8, site)?;
            self.bits_of(&self.counters(&shape, 1, site)?, site).ok().cloned()
        }))
    }

    /// Uniform numbers in [0, 1) of dtype `f32` or `f64`. Errors: `OpError::Dtype`.
    #[track_caller]
    #[must_use]
    pub fn random(&self, shape: impl Into<ShapeArgument>, dtype: DType) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            Generator::float(dtype, "random", site)?;
            let shape = shape.resolve(dtype.size(), site)?;
            self.uniform_of(&self.counters(&shape, 1, site)?, dtype, site).ok().cloned()
        }))
    }

    /// Uniform numbers in [low, high) of dtype `f64`.
    #[track_caller]
    #[must_use]
    pub fn uniform(&self, low: f64, high: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            if !(high - low).is_finite() {
                return Err(refused("uniform", "range", format!("{low} to {high}"), site));
            }
            (self.random(shape, DType::F64) * (high - low) + low).ok().cloned()
        }))
    }

    /// Normal numbers of mean 0 and deviation 1, of dtype `f32` or `f64`. Errors: `OpError::Dtype`.
    ///
    /// Source: G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates"
    /// (1958), of which the cosine is taken.
    #[track_caller]
    #[must_use]
    pub fn standard_normal(&self, shape: impl Into<ShapeArgument>, dtype: DType) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            Generator::float(dtype, "standard_normal", site)?;
            let shape = shape.resolve(dtype.size(), site)?;
            let counters = self.counters(&shape, 2, site)?;
            let radius = 1.0 - self.uniform_of(&counters, dtype, site);
            let angle = self.uniform_of(&(counters + Scalar::new(1u64)), dtype, site);
            let normal = (radius.log() * -2.0).sqrt() * (angle * std::f64::consts::TAU).cos();
            normal.ok().cloned()
        }))
    }

    /// Normal numbers of this mean and deviation, of dtype `f64`. Errors: `OpError::Argument` for a
    /// negative deviation.
    #[track_caller]
    #[must_use]
    pub fn normal(&self, mean: f64, deviation: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            if deviation.is_nan() || deviation < 0.0 {
                return Err(refused("normal", "deviation", deviation.to_string(), site));
            }
            (self.standard_normal(shape, DType::F64) * deviation + mean).ok().cloned()
        }))
    }

    /// Exponential numbers of this mean, of dtype `f64`. Errors: `OpError::Argument` for a negative
    /// one.
    #[track_caller]
    #[must_use]
    pub fn exponential(&self, mean: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            if mean.is_nan() || mean < 0.0 {
                return Err(refused("exponential", "mean", mean.to_string(), site));
            }
            ((1.0 - self.random(shape, DType::F64)).log() * -mean).ok().cloned()
        }))
    }

    /// Integers from `low` to before `high` (`i64`), each equally often but for a part in 2⁶⁴ of
    /// their number. Errors: `OpError::Argument` for no integers.
    #[track_caller]
    #[must_use]
    pub fn integers(&self, low: i64, high: i64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            if low >= high {
                return Err(refused("integers", "range", format!("{low} to {high}"), site));
            }
            let count = high.wrapping_sub(low) as u64;
            let chosen = self.bits(shape).remainder(Scalar::new(count));
            (chosen.converted(DType::I64, site) + low).ok().cloned()
        }))
    }

    /// The numbers from 0 to before `count` in random order (`i64`): the order of as many random
    /// numbers.
    #[track_caller]
    #[must_use]
    pub fn permutation(&self, count: usize) -> Array {
        let site = call_site();
        Array::catch(within(site, || argsort(&self.bits([count]), 0).ok().cloned()))
    }

    /// A copy of the array with its slices along an axis in random order. Errors: `OpError::Axis`.
    #[track_caller]
    #[must_use]
    pub fn permuted(&self, array: &Array, axis: i64) -> Array {
        let site = call_site();
        Array::catch(within(site, || {
            let count = array.ok()?.shape()[array.axis(axis, site)?];
            array.take(&self.permutation(count), axis).ok().cloned()
        }))
    }

    /// Puts the slices of the array along an axis into random order. Errors: `OpError::Axis`, and
    /// those of [`Array::assign`].
    #[track_caller]
    pub fn shuffle(&self, array: &Array, axis: i64) {
        let site = call_site();
        let permuted = within(site, || self.permuted(array, axis));
        if let Err(error) = within(site, || array.try_assign(&permuted)) {
            array.poison(error);
        }
    }

    /// Slices of the array along its first axis, chosen at random: each at most once unless
    /// `replace`; with `weights`, a vector of as many numbers, in proportion to them (then
    /// `replace` must hold).
    ///
    /// Errors: `OpError::Argument` for more than there are, `OpError::Ndim`, `OpError::Broadcast`.
    #[track_caller]
    #[must_use]
    pub fn choice(
        &self,
        array: &Array,
        shape: impl Into<ShapeArgument>,
        replace: bool,
        weights: Option<&Array>,
    ) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            array.ok()?;
            if array.ndim() == 0 {
                let (operation, expected) = ("choice", "at least 1");
                return Err(Error::op(OpError::Ndim { operation, expected, ndim: 0 }, site));
            }
            let count = array.shape()[0];
            let shape = shape.resolve(8, site)?;
            let wanted = size(&shape);
            if (count == 0 && wanted > 0) || (!replace && wanted > count) {
                return Err(refused("choice", "shape", format!("{shape:?} of {count}"), site));
            }
            let positions = match weights {
                None if replace => self.integers(0, count.max(1) as i64, shape.as_slice()),
                None => {
                    let few = self.permutation(count).slice(crate::s![..wanted]).copy();
                    few.reshape(shape.as_slice())
                }
                Some(weights) => {
                    weights.ok()?;
                    if !replace {
                        return Err(refused("choice", "weights", "without replace", site));
                    }
                    if weights.shape() != [count] {
                        let (left, right) = (weights.shape().into(), array.shape().into());
                        return Err(Error::op(OpError::Broadcast { left, right }, site));
                    }
                    let sums = cumsum(&weights.converted(DType::F64, site), Some(0));
                    let all = sums.slice(crate::s![-1]);
                    let drawn = self.random(shape.as_slice(), DType::F64) * all;
                    let found = searchsorted(&sums, &drawn, Side::Right);
                    select(&found.less(count as i64), &found, count as i64 - 1)
                }
            };
            array.take(&positions, 0).ok().cloned()
        }))
    }
}
