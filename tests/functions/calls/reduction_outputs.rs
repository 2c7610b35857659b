//! Reductions that write into an array.

use super::reduction_options::{options, written};

calls! { a =>
    "sum": written(&a.array(0).sum(options(a))),
    "prod": written(&a.array(0).prod(options(a))),
    "min": written(&a.array(0).min(options(a))),
    "max": written(&a.array(0).max(options(a))),
    "any": written(&a.array(0).any(options(a))),
    "all": written(&a.array(0).all(options(a))),
    "argmin": written(&a.array(0).argmin(options(a))),
    "argmax": written(&a.array(0).argmax(options(a))),
    "mean": written(&a.array(0).mean(options(a))),
    "var": written(&a.array(0).var(options(a), 0.0)),
    "std": written(&a.array(0).std(options(a), 0.0)),
    "ptp": written(&a.array(0).ptp(options(a))),
    "nansum": written(&phalanx::nansum(&a.array(0), options(a))),
    "nanmin": written(&phalanx::nanmin(&a.array(0), options(a))),
    "nanmax": written(&phalanx::nanmax(&a.array(0), options(a))),
    "nanmean": written(&phalanx::nanmean(&a.array(0), options(a))),
}
