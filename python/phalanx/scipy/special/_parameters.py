"""The parameters of special functions, by their names."""

_ANY = "array_like"
_INTEGER = "int or array_like of int"

PARAMETERS = {
    "N": (_ANY, "The number of things."),
    "K": (_INTEGER, "The number of sets."),
    "a": (_ANY, "The first parameter."),
    "alpha": (_ANY, "The first parameter of the family."),
    "axis": ("int or tuple of int or None", "The axis, or the axes; None is all of them."),
    "b": (_ANY, "The second parameter."),
    "beta": (_ANY, "The second parameter of the family."),
    "branch_cut": ("int or array_like of int", "2 for a cut on the real axis outside of [-1, 1], 3 "
                   "for one within."),
    "c": (_ANY, "The third parameter."),
    "complex": ("bool", "Whether to return the complex zeros instead of the real ones."),
    "cv": (_ANY, "The characteristic value."),
    "d": (_ANY, "The degrees."),
    "delta": (_ANY, "The size up to which the function is a square."),
    "derivative": ("bool", "Whether to return the derivative."),
    "df": (_ANY, "The degrees of freedom."),
    "dfd": (_ANY, "The degrees of freedom of the denominator."),
    "dfn": (_ANY, "The degrees of freedom of the numerator."),
    "diff_n": ("int", "The number of derivatives to compute as well: 0, 1 or 2."),
    "exact": ("bool", "Whether to compute with integers of Python on the host."),
    "extend": ("{'zero', 'complex'}", "The values for negative numbers: 0, or those of the gamma "
               "function."),
    "f": (_ANY, "The value of the F distribution."),
    "h": (_ANY, "The first argument."),
    "h2": ("float", "The parameter h squared."),
    "k": (_ANY, "The number of elements that are taken, or of successes."),
    "k2": ("float", "The parameter k squared."),
    "keepdims": ("bool", "Whether reduced axes are kept with extent 1."),
    "lmb": (_ANY, "The exponent."),
    "lmbda": (_ANY, "The parameter of the transformation."),
    "m": (_ANY, "The parameter, or the order."),
    "mn": (_ANY, "The mean."),
    "monic": ("bool", "Whether the leading coefficient is 1."),
    "mu": ("bool", "Whether to return the sum of the weights, too."),
    "n": (_ANY, "The degree, the order or the number."),
    "nc": (_ANY, "The parameter of noncentrality."),
    "norm": ("bool", "Whether the functions are normalised."),
    "nt": ("int", "The number of zeros."),
    "nu": (_ANY, "The order of the Bessel function."),
    "out": ("ndarray", "The array that is written and returned."),
    "p": (_ANY, "The probability, or the parameter."),
    "p1": ("float", "The first parameter of the family."),
    "phi": (_ANY, "The angle: the amplitude of an elliptic integral, or the azimuth."),
    "q": (_ANY, "The second parameter."),
    "q1": ("float", "The second parameter of the family."),
    "r": (_ANY, "The residual."),
    "repetition": ("bool", "Whether an element may be taken several times."),
    "return_sign": ("bool", "Whether to return the logarithm of the size, and the sign."),
    "s": (_ANY, "The seconds."),
    "sigma": (_ANY, "The standard deviation of the normal distribution."),
    "gamma": (_ANY, "The half width of the Cauchy distribution."),
    "signm": ("{1, -1}", "The sign of the square root with h."),
    "signn": ("{1, -1}", "The sign of the square root with k."),
    "std": (_ANY, "The standard deviation."),
    "t": (_ANY, "The value of Student's t."),
    "theta": (_ANY, "The polar angle, from 0 to pi."),
    "tol": ("float", "Without effect: values have full precision."),
    "u": (_ANY, "The argument."),
    "v": (_ANY, "The order, or the degrees of freedom."),
    "x": (_ANY, "The argument."),
    "y": (_ANY, "The argument, or a value of the function."),
    "z": (_ANY, "The argument."),
    "kwargs": ("object", "Options of a ufunc, such as `where` and `dtype`."),
}

_DISTRIBUTION = {
    "k": (_ANY, "The number of successes."),
    "n": (_ANY, "The number of trials."),
    "p": (_ANY, "The probability of a success."),
    "y": (_ANY, "The probability of `k` successes or fewer."),
}
_NEGATIVE = {
    "k": (_ANY, "The greatest number of failures."),
    "n": (_ANY, "The number of successes."),
    "p": (_ANY, "The probability of a success."),
    "y": (_ANY, "The probability of `k` failures or fewer."),
}
_ANGLE = {"x": (_ANY, "The angle in degrees.")}
_MATHIEU = {"m": (_ANY, "The order."), "q": (_ANY, "The parameter.")}
_DEGREE = {"n": (_ANY, "The degree.")}
_ORDER = {"n": (_ANY, "The order.")}
_ELLIPTIC = {"p": (_ANY, "The fourth argument."), "z": (_ANY, "The third argument.")}
_SEQUENCE = {
    "m": ("int", "The highest order."), "n": ("int", "The highest degree."),
    "x": ("float", "The argument."), "z": ("float or complex", "The argument."),
    "v": ("float", "The highest order."), "c": ("float", "The parameter."),
}
_COUNT = {"n": ("int", "The number of points, at least 1.")}

# Parameters that have another meaning in one function.
OF_FUNCTIONS = {
    "factorial": {"n": (_ANY, "The numbers.")},
    "factorial2": {"n": (_ANY, "The integers.")},
    "factorialk": {"n": (_ANY, "The integers."), "k": ("int", "The step between factors.")},
    "multigammaln": {"a": (_ANY, "The argument, above (d - 1) / 2."),
                     "d": ("int", "The dimension.")},
    "polygamma": {"n": (_ANY, "The order of the derivative; 0 is the digamma function.")},
    "assoc_laguerre": {"n": (_ANY, "The degree."), "k": (_ANY, "The parameter of the family.")},
    "zeta": {"x": (_ANY, "The exponent."),
             "q": (_ANY, "The first of the summed numbers; None is 1.")},
    "lambertw": {"k": ("int or array_like of int", "The branch.")},
    "diric": {"n": (_ANY, "The number of sines, a positive integer.")},
    "logsumexp": {"a": (_ANY, "The exponents."), "b": (_ANY, "The factors of the exponentials.")},
    "kolmogi": {"p": (_ANY, "The probability that the distance is larger.")},
    "chdtr": {"v": (_ANY, "The degrees of freedom.")},
    "chdtrc": {"v": (_ANY, "The degrees of freedom.")},
    "chdtri": {"v": (_ANY, "The degrees of freedom.")},
    "radian": {"m": (_ANY, "The minutes.")},
    "poch": {"m": (_ANY, "The number of factors.")},
    "owens_t": {"a": (_ANY, "The second argument.")},
    "agm": {"a": (_ANY, "The first number."), "b": (_ANY, "The second number.")},
    "binom": {"n": (_ANY, "The number of things."), "k": (_ANY, "The number that is taken.")},
    "ellipkm1": {"p": (_ANY, "1 minus the parameter.")},
    "hyp1f1": {"a": (_ANY, "The parameter above."), "b": (_ANY, "The parameter below.")},
    "hyp2f1": {"a": (_ANY, "The first parameter above."),
               "b": (_ANY, "The second parameter above."),
               "c": (_ANY, "The parameter below.")},
    "hyp0f1": {"v": (_ANY, "The parameter.")},
    "lpmv": {"m": (_ANY, "The order, an integer."), "v": (_ANY, "The degree.")},
    "bernoulli": {"n": ("int", "The index of the last number.")},
    "euler": {"n": ("int", "The index of the last number.")},
    "stirling2": {"N": (_INTEGER, "The number of elements.")},
    "smirnov": {"n": (_ANY, "The number of samples."), "d": (_ANY, "The distance.")},
    "smirnovi": {"n": (_ANY, "The number of samples.")},
    "seterr": {"kwargs": ("str", "A word, such as 'ignore' or 'warn', for each category.")},
    "comb": {"k": (_ANY, "The number of elements that are taken.")},
    "perm": {"k": (_ANY, "The number of elements that are taken.")},
    "riccati_jn": {"n": ("int", "The highest order."), "x": ("float", "The argument.")},
    "riccati_yn": {"n": ("int", "The highest order."), "x": ("float", "The argument.")},
    "pdtr": {"k": (_ANY, "The number of events."), "m": (_ANY, "The mean.")},
    "pdtrc": {"k": (_ANY, "The number of events."), "m": (_ANY, "The mean.")},
    "pdtri": {"k": (_ANY, "The number of events."), "y": (_ANY, "The probability.")},
    "pdtrik": {"m": (_ANY, "The mean.")},
    "erfinv": {"y": (_ANY, "A value of the error function.")},
    "erfcinv": {"y": (_ANY, "A value of the complementary error function.")},
    "ndtri_exp": {"y": (_ANY, "The logarithm of a probability.")},
}
for _name in "legendre_p_all assoc_legendre_p_all sph_legendre_p_all sph_harm_y_all".split():
    OF_FUNCTIONS[_name] = {"n": ("int", "The highest degree."), "m": ("int", "The highest order.")}
for _name in "legendre_p assoc_legendre_p sph_legendre_p sph_harm_y".split():
    OF_FUNCTIONS[_name] = {"n": (_INTEGER, "The degree."), "m": (_INTEGER, "The order.")}
for _name in "sph_harm_y sph_harm_y_all".split():
    OF_FUNCTIONS[_name]["phi"] = (_ANY, "The azimuth, from 0 to 2 pi.")
for _name in "softmax log_softmax".split():
    OF_FUNCTIONS[_name] = {"x": (_ANY, "The exponents.")}
for _name in "sindg cosdg tandg cotdg".split():
    OF_FUNCTIONS[_name] = _ANGLE
for _name in "bdtr bdtrc bdtri bdtrik bdtrin".split():
    OF_FUNCTIONS[_name] = _DISTRIBUTION
for _name in "nbdtr nbdtrc nbdtri nbdtrik nbdtrin".split():
    OF_FUNCTIONS[_name] = _NEGATIVE
for _name in (
    "mathieu_a mathieu_b mathieu_cem mathieu_sem mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 "
    "mathieu_modsem2 mathieu_even_coef mathieu_odd_coef"
).split():
    OF_FUNCTIONS[_name] = _MATHIEU
for _name in (
    "chebyc chebys chebyt chebyu gegenbauer genlaguerre hermite hermitenorm jacobi laguerre "
    "legendre sh_chebyt sh_chebyu sh_jacobi sh_legendre"
).split():
    OF_FUNCTIONS[_name] = {
        "n": ("int", "The degree."), "alpha": ("float", "The first parameter of the family."),
        "beta": ("float", "The second parameter of the family."),
        "p": ("float", "The first parameter of the family."),
        "q": ("float", "The second parameter of the family."),
    }
    OF_FUNCTIONS[f"eval_{_name}"] = {**_DEGREE, "p": PARAMETERS["alpha"], "q": PARAMETERS["beta"]}
    OF_FUNCTIONS[f"roots_{_name}"] = {**OF_FUNCTIONS[_name], **_COUNT}
for _name in (
    "c_roots cg_roots h_roots he_roots j_roots js_roots l_roots la_roots p_roots ps_roots s_roots "
    "t_roots ts_roots u_roots us_roots"
).split():
    OF_FUNCTIONS[_name] = {**OF_FUNCTIONS["jacobi"], **_COUNT}
for _name in "expn kn yn spherical_jn spherical_yn spherical_in spherical_kn".split():
    OF_FUNCTIONS[_name] = _ORDER
for _name in "jvp yvp ivp kvp h1vp h2vp".split():
    OF_FUNCTIONS[_name] = {"v": (_ANY, "The order of the function."),
                           "n": ("int", "The number of derivatives.")}
for _name in "elliprc elliprd elliprf elliprg elliprj".split():
    OF_FUNCTIONS[_name] = _ELLIPTIC
for _name in "lqmn lqn obl_cv_seq pro_cv_seq pbdn_seq pbdv_seq pbvv_seq lmbda".split():
    OF_FUNCTIONS[_name] = _SEQUENCE
for _kind in "obl", "pro":
    for _name in "cv ang1 ang1_cv rad1 rad1_cv rad2 rad2_cv".split():
        OF_FUNCTIONS[f"{_kind}_{_name}"] = {
            "m": (_ANY, "The order."), "n": (_ANY, "The degree, at least the order."),
            "c": (_ANY, "The parameter of the spheroid."),
        }
for _name in "jn_zeros jnp_zeros yn_zeros ynp_zeros jnyn_zeros".split():
    OF_FUNCTIONS[_name] = {"n": ("int", "The order.")}
for _name in "ellip_harm ellip_harm_2 ellip_normal".split():
    OF_FUNCTIONS[_name] = {
        "n": ("int", "The degree."), "p": ("int", "The order, from 1 to 2 n + 1."),
        "s": ("float", "The coordinate."),
    }
