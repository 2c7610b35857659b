//! Reductions that leave out NaN.

use super::reduction_options::options;
use phalanx::{nanargmax, nanargmin, nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar};

calls! { a =>
    "nansum": nansum(&a.array(0), options(a)),
    "nanprod": nanprod(&a.array(0), options(a)),
    "nanmin": nanmin(&a.array(0), options(a)),
    "nanmax": nanmax(&a.array(0), options(a)),
    "nanargmin": nanargmin(&a.array(0), options(a)),
    "nanargmax": nanargmax(&a.array(0), options(a)),
    "nanmean": nanmean(&a.array(0), options(a)),
    "nanvar": nanvar(&a.array(0), options(a), a.float_or("ddof", 0.0)),
    "nanstd": nanstd(&a.array(0), options(a), a.float_or("ddof", 0.0)),
}
