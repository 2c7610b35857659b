//! Statistics.

use phalanx::{histogram, percentile};

calls! { a =>
    "histogram": histogram(
        &a.array(0),
        a.optional_int("bins").map_or(10, |_| a.extent("bins")),
        a.optional_floats("range").map(|range| (range[0], range[1])),
    ),
    "percentile": percentile(&a.array(0), &a.floats(1)),
}
