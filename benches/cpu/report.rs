//! Rows: each is printed when it is measured, and kept for the file.

use crate::cases::{Case, Work};
use crate::inputs::Precision;
use crate::measure::Measured;
use crate::programs::OPERATIONS;
use serde_json::{Value, json};

/// The largest allowed ratio of the time on a mesh to the time on one device with the same cores.
const MESH_LIMIT: f64 = 1.15;
/// The largest allowed time to record and run an operation on a tiny array, in microseconds.
const OPERATION_LIMIT: f64 = 1.0;

/// A measured case.
pub struct Row {
    case: String,
    ranks: usize,
    ms: f64,
    /// Gigabytes a second; for computations, gigaflops a second.
    rate: Option<f64>,
    limit_ms: Option<f64>,
    peer_ms: Option<f64>,
    goal: Option<f64>,
}

impl Row {
    /// The row of a case; `bandwidth` is in bytes a millisecond.
    pub fn new(
        case: &Case,
        precision: Precision,
        ranks: usize,
        own: &Measured,
        peer: Option<&Measured>,
        bandwidth: f64,
    ) -> Row {
        let peer_ms = peer.map(|peer| peer.ms);
        let (amount, limit_ms) = match case.work {
            Work::Moves(elements) => {
                let bytes = (elements * precision.dtype().size()) as f64;
                (Some(bytes), Some(bytes / bandwidth))
            }
            // The limit is the peer's time, since the peer calls the vendor's library.
            Work::Computes(operations) => (Some(operations as f64), peer_ms),
            Work::Path => (None, None),
        };
        let goal = case.goal.map(|[single, double]| match precision {
            Precision::Single => single,
            Precision::Double => double,
        });
        let rate = amount.map(|amount| amount / own.ms / 1e6);
        Row { case: case.title(precision), ranks, ms: own.ms, rate, limit_ms, peer_ms, goal }
    }

    fn ratio(&self) -> Option<f64> {
        self.peer_ms.map(|peer| peer / self.ms)
    }

    fn document(&self) -> Value {
        json!({
            "case": self.case,
            "ranks": self.ranks,
            "device": "cpu",
            "ms": self.ms,
            "gbs_or_gflops": self.rate,
            "limit_ms": self.limit_ms,
            "peer": self.peer_ms.map(|_| "numpy"),
            "peer_ms": self.peer_ms,
            "ratio": self.ratio(),
        })
    }
}

/// All rows so far.
pub struct Rows {
    documents: Vec<Value>,
}

impl Rows {
    /// Starts without rows; prints the header of the columns, and the bandwidth, given in bytes a
    /// millisecond.
    pub fn new(bandwidth: f64) -> Rows {
        println!("copy bandwidth {:.1} GB/s, read and written", bandwidth / 1e6);
        println!(
            "{:<20} {:>5} {:>10} {:>9} {:>10} {:>8} {:>10} {:>7} {:>6}",
            "case", "ranks", "ms", "G/s", "limit ms", "reached", "NumPy ms", "ratio", "goal"
        );
        let value = bandwidth / 1e6;
        let first = json!({"case": "copy", "value": value, "unit": "GB/s", "limit": null});
        Rows { documents: vec![first] }
    }

    /// Prints and keeps a row.
    pub fn add(&mut self, row: Row) {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| String::from("-"), |value| format!("{value:.digits$}"))
        };
        let reached = row.limit_ms.map(|limit| format!("{:.0} %", 100.0 * limit / row.ms));
        println!(
            "{:<20} {:>5} {:>10.3} {:>9} {:>10} {:>8} {:>10} {:>7} {:>6}",
            row.case,
            row.ranks,
            row.ms,
            number(row.rate, 1),
            number(row.limit_ms, 3),
            reached.unwrap_or_else(|| String::from("-")),
            number(row.peer_ms, 3),
            number(row.ratio(), 2),
            number(row.goal, 1),
        );
        self.documents.push(row.document());
    }

    /// Prints and keeps the ratio of a case's time on several devices to that on one.
    pub fn price_of_mesh(&mut self, case: &str, ranks: usize, value: f64) {
        self.value(format!("{case}, {ranks} devices to 1"), value, "x", MESH_LIMIT);
    }

    /// Prints and keeps the time of one operation on a tiny array.
    pub fn price_of_operation(&mut self, case: &str, ms: f64) {
        let value = ms * 1e3 / OPERATIONS as f64;
        self.value(format!("{case}, one operation"), value, "us", OPERATION_LIMIT);
    }

    fn value(&mut self, case: String, value: f64, unit: &str, limit: f64) {
        println!("{case:<36} {value:>7.3} {unit}, limit {limit}");
        let row = json!({"case": case, "value": value, "unit": unit, "limit": limit});
        self.documents.push(row);
    }

    /// Whether no case was measured.
    pub fn is_empty(&self) -> bool {
        self.documents.len() <= 1
    }

    /// Writes the rows.
    pub fn write(&self, file: &str) -> Result<(), String> {
        let text = serde_json::to_string_pretty(&self.documents).map_err(|e| e.to_string())?;
        std::fs::write(file, text + "\n").map_err(|error| format!("{file}: {error}"))
    }
}
