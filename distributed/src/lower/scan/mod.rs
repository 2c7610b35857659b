//! Schedules of scans.
//!
//! - *by rule*: every device scans whole lines, so a split of the scanned axis moves to another
//!   one.
//! - *blocks*: every device combines its block of each line, a table of these totals goes to all
//!   devices, and each continues the scan from the totals of the blocks before its own. Chosen if
//!   the table has fewer bytes than the operand would move, and the elements may be combined in
//!   another order than from left to right (`Op::is_free`).
//!
//! Source: G. E. Blelloch, "Prefix sums and their applications" (1990), section 1.2.

mod blocks;
mod scans;

pub(crate) use scans::Scans;
