//! The error function, the normal distribution and Dawson's integral.

use libm::{exp, log, log1p};

/// exp(-x * x), with the error of the square made good.
pub(crate) fn exp_of_minus_square(x: f64) -> f64 {
    let square = x * x;
    if square > 745.2 {
        return 0.0;
    }
    exp(-square) * (1.0 - square_rest(x, square))
}

/// x * x - square, for the rounded square (Dekker 1971).
pub(crate) fn square_rest(x: f64, square: f64) -> f64 {
    let high = f64::from_bits(x.to_bits() & 18446744073575333888);
    let low = x - high;
    ((high * high - square) + 2.0 * high * low) + low * low
}

/// erf(x) / x for |x| <= 1, as a function of u = x^2.
fn erf_small(u: f64) -> f64 {
    horner!(
        u;
        1.1283791670955126, -0.37612638903183543, 0.11283791670945006, -0.02686617064323777,
        0.0052239776071164225, -0.0008548325975389692, 0.00012055294904839707,
        -1.492473690741966e-05, 1.6447424703317362e-06, -1.6208483801871705e-07,
        1.3720064546777686e-08, -7.795898827002142e-10
    )
}

/// erfcx(x) for x >= 1/2: quotients of polynomials, as in W. J. Cody (1969).
fn erfcx_positive(x: f64) -> f64 {
    if x < 2.0 {
        return horner!(
            x;
            0.99999999999989, 1.5799195232343928, 1.2629965494176012, 0.6217677343635821,
            0.20054008833248282, 0.042039150421104565, 0.005302154239338359,
            0.0003118763697107496, 1.0356572343230974e-10
        ) / horner!(
            x;
            1.0, 2.708298690327722, 3.3189843698759796, 2.4107946408614147, 1.1391713814893683,
            0.3601287411880817, 0.07479074572436954, 0.00939767796913873, 0.0005527938349229329
        );
    }
    if x < 5.0 {
        return horner!(
            x;
            0.9999996161156299, 1.936069064443677, 1.8406147177861487, 1.086142483389768,
            0.4268517304031193, 0.11219521379226151, 0.01853236537088263, 0.0015644733944979172
        ) / horner!(
            x;
            1.0, 3.0644450795046363, 4.298483447544508, 3.624235453719152, 2.023184306838489,
            0.7729986760375539, 0.2002473267021858, 0.03284776207907078, 0.0027729568968936366
        );
    }
    let w = 1.0 / x;
    let u = w * w;
    w * (horner!(
        u;
        0.5641895835477563, 18.020984026314494, 199.92251536126028, 942.7059554674452,
        1844.0976748211506, 1203.915168951234, 115.28782871100248
    ) / horner!(
        u;
        1.0, 32.44136253454792, 369.82411350205695, 1833.3588358899467, 3962.1544127558127,
        3249.9971775550453, 663.9143775407584
    ))
}

/// The error function.
pub fn erf(x: f64) -> f64 {
    let y = x.abs();
    if y < 1.0 {
        return x * erf_small(x * x);
    }
    if y > 6.0 {
        return (1.0_f64).copysign(x);
    }
    if x.is_nan() {
        return x;
    }
    (1.0 - exp_of_minus_square(y) * erfcx_positive(y)).copysign(x)
}

/// The complementary error function, 1 - erf(x).
pub fn erfc(x: f64) -> f64 {
    if x < 0.5 {
        if x > -1.0 {
            return 1.0 - x * erf_small(x * x);
        }
        return if x < -6.0 { 2.0 } else { 2.0 - exp_of_minus_square(x) * erfcx_positive(-x) };
    }
    exp_of_minus_square(x) * erfcx_positive(x)
}

/// The scaled complementary error function, exp(x^2) erfc(x).
pub fn erfcx(x: f64) -> f64 {
    if x >= 0.5 {
        return erfcx_positive(x);
    }
    if x > -1.0 {
        let u = x * x;
        return exp(u) * (1.0 - x * erf_small(u));
    }
    if x < -26.7 {
        return f64::INFINITY;
    }
    let square = x * x;
    2.0 * (exp(square) * (1.0 + square_rest(x, square))) - erfcx_positive(-x)
}

/// Dawson's integral, exp(-x^2) times the integral of exp(t^2) from 0 to x.
///
/// Quotients of polynomials on six intervals, as in Cody, Paciorek and Thacher (1970).
pub fn dawsn(x: f64) -> f64 {
    let u = x * x;
    if u < 4.0 {
        return x
            * (horner!(
                u;
                1.0, -0.11729464424875093, 0.042898201921945316, -0.0017290921868259432,
                0.0003028285560813677, -3.087043503049791e-06, 4.254117713264169e-07,
                1.0056999292534968e-09
            ) / horner!(
                u;
                1.0, 0.5493720224179154, 0.14247955020056247, 0.022948544825854626,
                0.0025330107826425194, 0.00019842582531733247, 1.0936191682258809e-05,
                3.9611738970384974e-07, 7.47391790875477e-09
            ));
    }
    if u < 9.0 {
        let s = u - 4.0;
        return horner!(
            s;
            0.6026807778475839, 0.2936333316622904, 0.06797539391534371, 0.011056922412418655,
            0.001017233523522789, 7.83177131202157e-05, 3.188262798332858e-06,
            8.622178728048111e-08, -6.346764847383448e-11
        ) / horner!(
            s;
            1.0, 0.5325854483450874, 0.13272773964471918, 0.020273646781107196,
            0.002077963718344976, 0.00014567676792772287, 6.657875890244237e-06,
            1.6244169142440142e-07
        ) / x;
    }
    if u < 20.25 {
        let s = u - 9.0;
        return horner!(
            s;
            0.5348130918316749, 0.22489415029304502, 0.04754076102339584, 0.006317059590492155,
            0.0005803641300283372, 3.6863606799779656e-05, 1.5209249364878429e-06,
            2.3547454391560417e-08, -1.1262763152413876e-09, -1.1109935287956821e-10
        ) / horner!(
            s;
            1.0, 0.43004819291524915, 0.09157643866985904, 0.012273576012103653,
            0.001133697712669723, 7.244006596230396e-05, 3.0154898439914507e-06,
            4.7357224289605776e-08, -2.1418048364637903e-09, -2.221963865031736e-10
        ) / x;
    }
    if u < 49.0 {
        let s = u - 20.25;
        return horner!(
            s;
            0.5133987460207124, 0.2072985422501417, 0.04277011223458218, 0.005787586921181801,
            0.0005697150525022909, 4.236733001541025e-05, 2.4193108085452136e-06,
            1.0575869352607321e-07, 3.1230815361783637e-09, 4.3301813929532854e-11
        ) / horner!(
            s;
            1.0, 0.4051836465043448, 0.08380143068917681, 0.01136421530345008,
            0.0011207436544149285, 8.35016973349073e-05, 4.776871260475531e-06,
            2.0922786545000477e-07, 6.202861258323009e-09, 8.660362785938655e-11
        ) / x;
    }
    if u < 144.0 {
        let s = u - 49.0;
        return horner!(
            s;
            0.5052668226076541, 0.0994927041041552, 0.008227400494077986, 0.0003715184130493259,
            9.917204498075898e-06, 1.567796279323642e-07, 1.3611300291863375e-09,
            5.012334576488011e-12
        ) / horner!(
            s;
            1.0, 0.19713097783385047, 0.01632196397103973, 0.0007380623464325371,
            1.9731407672254283e-05, 3.124387178952135e-07, 2.717247723796187e-09,
            1.0024669152976022e-11
        ) / x;
    }
    let w = 1.0 / u;
    horner!(
        w;
        0.5, 0.2500000000000162, 0.3749999999523299, 0.937500054092864, 3.281219814280595,
        14.77474483852997, 79.69768501781498, 655.5847480811118
    ) / x
}

/// The imaginary error function, -i erf(i x).
pub fn erfi(x: f64) -> f64 {
    let u = x * x;
    if u < 1.0 {
        return x * horner!(
            u;
            1.1283791670955126, 0.3761263890318374, 0.1128379167095571, 0.026866170645002747,
            0.005223977626906803, 0.0008548326924239626, 0.00012055337288135624,
            1.4925525392251229e-05, 1.6464588492979127e-06, 1.6332378894810665e-07,
            1.5110333071351492e-08, 1.0546837577802593e-09, 1.5037357530485157e-10
        );
    }
    if u > 720.0 {
        return if x.is_nan() { x } else { f64::INFINITY.copysign(x) };
    }
    1.1283791670955126 * (exp(u) * (1.0 + square_rest(x, u))) * dawsn(x)
}

/// -Phi^-1(exp(-r^2)) for r >= 1.4: the quantile of a tail, with the intervals of Wichura (1988).
fn normal_tail(r: f64) -> f64 {
    if r < 3.5 {
        let s = r - 1.4;
        return horner!(
            s;
            1.0764706017699597, 4.210024757058548, 6.100196368654485, 4.516648385051209,
            1.9352803522926096, 0.5030626821867001, 0.07712797977811889, 0.00604971491633411,
            0.00016727981807573597
        ) / horner!(
            s;
            1.0, 2.2716594864373, 2.0954876489089145, 1.0293927012409234, 0.2951902205813352,
            0.04911036225035951, 0.004113220570481289, 0.00011827728035736675
        );
    }
    if r < 9.0 {
        let s = r - 3.5;
        return horner!(
            s;
            4.426662374923243, 5.856216547781833, 3.3183742526578413, 1.07040380905702,
            0.21587647772756566, 0.027337872251628793, 0.002034751103229296,
            7.682998713503115e-05, 1.0515701845206217e-06
        ) / horner!(
            s;
            1.0, 0.9816874613230856, 0.419285083360968, 0.1022402197251077,
            0.015040436454963092, 0.0012600612053847386, 5.172813759493174e-05,
            7.435526041582791e-07, 9.183203737880066e-14
        );
    }
    let s = r - 9.0;
    horner!(
        s;
        12.454128856543234, 6.329009679268615, 1.325520948324142, 0.1476212543147498,
        0.009404854195847634, 0.0003430206027471556, 6.769281543417646e-06,
        6.297432372536164e-08, 1.9615178234714446e-10
    ) / horner!(
        s;
        1.0, 0.3928696625318149, 0.061287443629018744, 0.004833273413062448,
        0.00020310705101591093, 4.397614015390137e-06, 4.328140082541818e-08,
        1.3870014850282715e-10
    )
}

/// The inverse of the error function.
pub fn erfinv(y: f64) -> f64 {
    let a = y.abs();
    if a <= 0.85 {
        let s = 0.7225 - y * y;
        return y
            * (horner!(
                s;
                1.1975323115670913, 13.148344840595835, 56.308346143329764, 119.47608272318107,
                132.15816834242034, 73.73182032040803, 18.493136644257557, 1.598172126525549,
                0.021077511563883843
            ) / horner!(
                s;
                1.0, 11.730846723805138, 54.455243379012416, 127.7637240724386, 160.82024089026783,
                106.68428276815251, 34.27168633694469, 4.415447845022331, 0.14340918757944626
            ));
    }
    if a >= 1.0 {
        return if a == 1.0 { f64::INFINITY.copysign(y) } else { f64::NAN };
    }
    if y.is_nan() {
        return y;
    }
    let r = (-log(0.5 * (1.0 - a))).sqrt();
    (normal_tail(r) * std::f64::consts::FRAC_1_SQRT_2).copysign(y)
}

/// The inverse of the complementary error function.
pub fn erfcinv(y: f64) -> f64 {
    if y > 0.15 && y < 1.85 {
        return erfinv(1.0 - y);
    }
    if !(y >= 0.0 && y <= 2.0) {
        return f64::NAN;
    }
    if y == 0.0 {
        return f64::INFINITY;
    }
    if y == 2.0 {
        return f64::NEG_INFINITY;
    }
    let tail = if y < 1.0 { y } else { 2.0 - y };
    let r = (-(log(tail) - std::f64::consts::LN_2)).sqrt();
    let value = normal_tail(r) * std::f64::consts::FRAC_1_SQRT_2;
    if y < 1.0 { value } else { -value }
}

/// The cumulative distribution function of the standard normal distribution.
pub fn ndtr(x: f64) -> f64 {
    let z = x * std::f64::consts::FRAC_1_SQRT_2;
    if z.abs() < 0.5 {
        return 0.5 + 0.5 * z * erf_small(z * z);
    }
    if x.is_nan() {
        return x;
    }
    let tail = normal_survival(x.abs());
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// The survival function of the normal distribution for x >= 0.5.
fn normal_survival(x: f64) -> f64 {
    let square = x * x;
    if square > 1491.0 {
        return 0.0;
    }
    // The square is exact to the last digits; an error of x / sqrt(2) would be multiplied by x^2.
    let e = exp(-0.5 * square) * (1.0 - 0.5 * square_rest(x, square));
    0.5 * e * erfcx_positive(x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The logarithm of the cumulative distribution function of the standard normal distribution.
pub fn log_ndtr(x: f64) -> f64 {
    let z = x * std::f64::consts::FRAC_1_SQRT_2;
    if z < -0.9 {
        return log(0.5 * erfcx_positive(-z)) - 0.5 * x * x;
    }
    if z < 0.5 {
        return log(0.5 + 0.5 * z * erf_small(z * z));
    }
    if x.is_nan() {
        return x;
    }
    log1p(-normal_survival(x))
}

/// The inverse of `ndtr`, the quantile of the standard normal distribution.
pub fn ndtri(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return std::f64::consts::SQRT_2 * erfinv(2.0 * q);
    }
    if !(p >= 0.0 && p <= 1.0) {
        return f64::NAN;
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    if p == 1.0 {
        return f64::INFINITY;
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let value = normal_tail((-log(tail)).sqrt());
    if q < 0.0 { -value } else { value }
}

/// The inverse of `log_ndtr`, the quantile of exp(y).
pub fn ndtri_exp(y: f64) -> f64 {
    if !(y <= 0.0) {
        return f64::NAN;
    }
    if y == f64::NEG_INFINITY {
        return y;
    }
    if y > -2.6 {
        // The complement of exp(y), which is accurate also where y is near 0.
        let q = -libm::expm1(y);
        return if q < 0.5 { -ndtri(q) } else { ndtri(1.0 - q) };
    }
    let r = (-y).sqrt();
    if r < 27.0 {
        return -normal_tail(r);
    }
    if r > 1e9 {
        return -std::f64::consts::SQRT_2 * r;
    }
    // Newton's method for log_ndtr, whose slope is the inverse Mills ratio, nearly -x.
    let mut x = -(2.0 * r * r - log(4.0 * std::f64::consts::PI * r * r)).sqrt();
    for _ in 0..3 {
        let scaled = 0.5 * erfcx_positive(-x * std::f64::consts::FRAC_1_SQRT_2);
        let slope = 0.3989422804014327 / scaled;
        x -= (log(scaled) - (0.5 * x * x + y)) / slope;
    }
    x
}
