//! Factorisations by the LAPACK library of the machine.
//!
//! LAPACK stores matrices by columns. `order` copies between the orders, and `work` has the memory
//! that routines need. `systems`, `qr`, `spectral` and `general` call the routines. `factorise` is
//! the entry.

mod factorise;
mod general;
mod order;
mod qr;
mod spectral;
mod systems;
mod work;

pub(super) use factorise::{factorise, takes};
