//! Outputs: arrays that receive the result of a function, NumPy's argument `out`.

use super::handle::Array;
use phalanx_graph::{Error, Site, call_site};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, can_cast};

impl Array {
    /// Writes this result of a function into `out`: NumPy's argument `out` of functions that are
    /// no ufuncs.
    ///
    /// Shapes        `out` has the shape of the result; nothing is broadcast.
    /// Dtype         `out` keeps its own; `casting` limits the cast.
    /// Collectivity  Local (records a node).
    /// Errors        The error that the result carries, `OpError::Cast`, `OpError::BroadcastInto`,
    ///               and those of [`Array::try_assign`]; `out` then keeps its elements.
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// use phalanx::{Array, Casting, Error, fft};
    /// # fn example(x: &Array, out: &Array) -> Result<(), Error> {
    /// fft::fft(x, ()).store_in(out, Casting::SameKind) // np.fft.fft(x, out=out)
    /// # }
    /// ```
    #[track_caller]
    pub fn store_in(&self, out: &Array, casting: Casting) -> Result<(), Error> {
        self.store_at(out, casting, call_site())
    }

    pub(crate) fn store_at(&self, out: &Array, casting: Casting, site: Site) -> Result<(), Error> {
        self.ok()?;
        check_casting_at(self.dtype(), out.ok()?.dtype(), casting, site)?;
        out.check_out(self.shape(), site)?;
        out.assign_at(self, Casting::Unsafe, site)
    }

    /// [`Array::store_in`] for elements that were taken or chosen from arrays. NumPy takes them
    /// into a copy of `out` in their own dtype and copies that back. So a safe cast from the dtype
    /// of `out` to theirs must exist, and any cast back is allowed.
    ///
    /// Local (records a node). Errors: those of [`Array::store_in`].
    #[track_caller]
    pub fn store_taken(&self, out: &Array) -> Result<(), Error> {
        let site = call_site();
        self.ok()?;
        check_casting_at(out.ok()?.dtype(), self.dtype(), Casting::Safe, site)?;
        self.store_at(out, Casting::Unsafe, site)
    }

    /// This result; or `out`, if there is one, after the result is written to it.
    pub(crate) fn stored(self, out: Option<Array>, casting: Casting, site: Site) -> Array {
        let Some(out) = out else { return self };
        Array::catch(self.store_at(&out, casting, site).map(|()| out))
    }

    /// Checks that a result of the given shape can be written to this array.
    pub(crate) fn check_out(&self, shape: &[usize], site: Site) -> Result<(), Error> {
        self.ok()?;
        if self.shape() == shape {
            return Ok(());
        }
        let (value, target) = (shape.into(), self.shape().into());
        Err(Error::op(OpError::BroadcastInto { value, target }, site))
    }
}

/// Refuses a cast that a rule forbids. Local. Errors: `OpError::Cast`.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::{Casting, check_casting};
/// use phalanx_ops::DType;
/// assert!(check_casting(DType::F32, DType::F64, Casting::Safe).is_ok());
/// assert_eq!(check_casting(DType::F64, DType::F32, Casting::Safe).unwrap_err().code(), "PX012");
/// ```
#[track_caller]
pub fn check_casting(from: DType, to: DType, casting: Casting) -> Result<(), Error> {
    check_casting_at(from, to, casting, call_site())
}

/// [`check_casting`] for the call at `site`.
pub(crate) fn check_casting_at(
    from: DType,
    to: DType,
    casting: Casting,
    site: Site,
) -> Result<(), Error> {
    if can_cast(from, to, casting) {
        return Ok(());
    }
    Err(Error::op(OpError::Cast { from, to, casting }, site))
}
