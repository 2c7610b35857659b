//! The search of values in a sorted vector that is split.
//!
//! - *counts*: every device counts the elements of its block that stand before each value, and a
//!   collective adds the counts; chosen if there are few values.
//! - *requests*: the devices send each value to the device in whose block it belongs, and it sends
//!   the place back; chosen if vector and values are large and there are many devices.
//! - otherwise the vector is gathered, by rule.

mod searches;

pub(super) use searches::Searches;
