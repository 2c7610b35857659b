"""Statistics: the names of ``scipy.stats``.

Modules are loaded when a name is used. Functions of large samples run on devices; those of few
numbers are SciPy's, on the host.
"""

# The names of each module.
_MODULES = {
    "_arrays": "ConstantInputWarning DegenerateDataWarning FitError NearConstantInputWarning",
    "_descriptive": "circmean circstd circvar describe differential_entropy directional_stats "
    "entropy expectile gmean gstd hmean iqr kstat kstatvar kurtosis lmoment median_abs_deviation "
    "mode moment pmean sem skew variation",
    "_scores": "bayes_mvs cumfreq gzscore mvsdist obrientransform percentileofscore quantile "
    "relfreq scoreatpercentile sigmaclip tmax tmean tmin trim1 trim_mean trimboth tsem tstd tvar "
    "zmap zscore",
    "_ranks": "rankdata tiecorrect",
    "_binned": "binned_statistic binned_statistic_2d binned_statistic_dd",
    "_correlation": "chatterjeexi kendalltau linregress pearsonr pointbiserialr siegelslopes "
    "somersd spearmanr spearmanrho theilslopes weightedtau",
    "_means_tests": "alexandergovern f_oneway ttest_1samp ttest_ind ttest_ind_from_stats ttest_rel "
    "tukey_hsd",
    "_rank_tests": "brunnermunzel friedmanchisquare kruskal mannwhitneyu median_test ranksums "
    "wilcoxon",
    "_variance_tests": "ansari bartlett fligner levene mood",
    "_fit_tests": "chisquare combine_pvalues cramervonmises cramervonmises_2samp "
    "epps_singleton_2samp false_discovery_control jarque_bera ks_1samp ks_2samp kstest "
    "kurtosistest normaltest power_divergence skewtest",
    "_distances": "energy_distance wasserstein_distance wasserstein_distance_nd",
    "_transforms": "boxcox boxcox_llf boxcox_normmax boxcox_normplot probplot yeojohnson "
    "yeojohnson_llf yeojohnson_normmax yeojohnson_normplot",
    "_kde": "gaussian_kde",
    "_resampling": "bootstrap monte_carlo_test permutation_test",
    "_continuous": "arcsine beta chi chi2 erlang f gamma gennorm gibrat halfnorm invgamma lognorm "
    "maxwell nakagami norm t",
    "_elementary": "cauchy expon fisk genextreme genpareto gompertz gumbel_l gumbel_r halfcauchy "
    "halflogistic hypsecant laplace logistic loguniform lomax pareto powerlaw rayleigh reciprocal "
    "triang uniform weibull_max weibull_min",
    "_further": "anglit betaprime bradford burr burr12 dgamma dweibull exponpow exponweib "
    "fatiguelife gengamma genlogistic halfgennorm invweibull johnsonsb johnsonsu "
    "kappa3 laplace_asymmetric levy levy_l loggamma loglaplace mielke moyal powernorm "
    "rdist semicircular truncexpon",
    "_discrete": "bernoulli betabinom binom boltzmann dlaplace geom hypergeom nbinom planck "
    "poisson randint yulesimon zipf",
    "_multivariate": "multivariate_normal",
    "_host_functions": "abs anderson anderson_ksamp barnard_exact binomtest boschloo_exact "
    "bws_test chi2_contingency dunnett ecdf exp fisher_exact fit goodness_of_fit log logrank "
    "make_distribution multiscale_graphcorr order_statistic page_trend_test poisson_means_test "
    "power ppcc_max ppcc_plot quantile_test shapiro sobol_indices truncate",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}
_SUBMODULES = ("contingency", "distributions", "mstats", "qmc", "sampling")
# Distributions of SciPy on the host.
_DISTRIBUTIONS = """
alpha argus betanbinom cosine crystalball dirichlet dirichlet_multinomial dpareto_lognorm exponnorm
foldcauchy foldnorm gausshyper genexpon genhalflogistic genhyperbolic geninvgauss invgauss
invwishart irwinhall jf_skew_t kappa4 ksone kstwo kstwobign landau levy_stable logser matrix_normal
matrix_t multinomial multivariate_hypergeom multivariate_t ncf nchypergeom_fisher
nchypergeom_wallenius nct ncx2 nhypergeom normal_inverse_gamma norminvgauss ortho_group pearson3
poisson_binom powerlognorm random_correlation random_table recipinvgauss rel_breitwigner rice
skellam skewcauchy skewnorm special_ortho_group studentized_range trapezoid truncnorm truncpareto
truncweibull_min tukeylambda uniform_direction unitary_group vonmises vonmises_fisher vonmises_line
wald wishart wrapcauchy zipfian
""".split()
# Classes of SciPy.
_CLASSES = """
Binomial BootstrapMethod CensoredData Covariance Logistic Mixture MonteCarloMethod Normal
PermutationMethod Uniform rv_continuous rv_discrete rv_histogram
""".split()
__all__ = sorted([*_HOME, *_SUBMODULES, *_DISTRIBUTIONS, *_CLASSES])


def __getattr__(name):
    import importlib

    if name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name in _SUBMODULES:
        value = importlib.import_module(f"{__name__}.{name}")
    elif name in _DISTRIBUTIONS:
        from ._host import distribution

        value = distribution(name)
    elif name in _CLASSES:
        from ._host import scipy_stats

        value = getattr(scipy_stats(name), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return __all__
