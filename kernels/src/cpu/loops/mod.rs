//! Typed loops, which the executor runs over one lane block of contiguous elements.
//!
//! Every loop gives each element the same bits for every length, instruction set and machine:
//! transcendental functions are those of the module `functions`, products are contracted with sums
//! nowhere else, and NaN and integer division by zero give NumPy's results. A truth value is a
//! byte, 0 or 1.
//!
//! Conditions under which a loop may be called, to which `SAFETY` comments refer:
//!
//! 1. Each input points to at least `count` readable, initialised elements of its dtype, aligned to
//!    the element.
//! 2. The output points to at least `count` writable elements of its dtype, aligned to the element.
//! 3. An input and the output are disjoint, or start at the same address and the output's elements
//!    are not larger.
//! 4. There are as many inputs as the operation has operands.

mod cast;
mod combine;
mod comparison;
mod complex;
mod complex_functions;
mod complex_inverse;
mod complex_loops;
mod division;
mod driver;
mod elementwise;
mod equal_divisors;
mod functions;
mod half;
mod integer;
mod integer_power;
mod movement;
mod real;
mod special;

pub use cast::cast;
pub use combine::{ArgLoop, arg_combine, combine};
pub(super) use combine::{Better, Larger, Smaller, Value};
pub use driver::Loop;
pub(crate) use driver::for_type;
pub use elementwise::elementwise;
pub use movement::{FillLoop, SelectLoop, fill, select};
pub use special::{SpecialLoop, special};
