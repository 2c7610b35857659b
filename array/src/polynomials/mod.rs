//! Polynomials: NumPy's older functions on coefficients, fits, and series in any basis.

mod coefficients;
mod fitting;
mod series;

pub use coefficients::{polyadd, polyder, polyint, polymul, polysub, polyval, roots};
pub use fitting::{PolynomialFit, poly, polydiv, polyfit, polyfit_full, unwrap};
pub use series::{
    Basis, series_derivative, series_fit, series_integral, series_value, series_vander,
};
