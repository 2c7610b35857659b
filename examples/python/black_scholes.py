"""Prices of European options by the formula of Black and Scholes, in three ways.

``by_arrays`` is ordinary code over arrays under ``fuse``, ``by_elements`` an ElementwiseKernel, and
``by_threads`` a RawKernel, which needs a GPU. Prints how far they are apart.
"""

import phalanx as np
import phalanx.cuda

RATE, VOLATILITY = 0.02, 0.3
# The approximation 26.2.17 of Abramowitz and Stegun to the normal distribution.
FACTORS = (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530)


@np.fuse
def below(x):
    """The probability that a normal number is below x, up to 1e-7."""
    k = 1 / (1 + 0.2316419 * abs(x))
    sum = FACTORS[0]
    for factor in FACTORS[1:]:
        sum = sum * k + factor
    tail = 0.3989422804014327 * np.exp(-x * x / 2) * sum * k
    return np.where(x > 0, 1 - tail, tail)


@np.fuse
def by_arrays(price, strike, years):
    spread = VOLATILITY * np.sqrt(years)
    first = (np.log(price / strike) + (RATE + VOLATILITY**2 / 2) * years) / spread
    second = first - spread
    discounted = strike * np.exp(-RATE * years)
    call = price * below(first) - discounted * below(second)
    return call, call - price + discounted


FORMULA = """
    T spread = volatility * sqrt(years);
    T first = (log(price / strike) + (rate + volatility * volatility / 2) * years) / spread;
    T second = first - spread;
    T discounted = strike * exp(-rate * years);
    call = price * below(first) - discounted * below(second);
    put = call - price + discounted;
"""
# As the function in Python.
BELOW = """
__device__ double below(double x) {
    double k = 1 / (1 + 0.2316419 * fabs(x));
    double sum = (((1.330274429 * k - 1.821255978) * k + 1.781477937) * k - 0.356563782) * k;
    double tail = 0.3989422804014327 * exp(-x * x / 2) * (sum + 0.319381530) * k;
    return x > 0 ? 1 - tail : tail;
}
"""

by_elements = np.ElementwiseKernel(
    "T price, T strike, T years, T rate, T volatility", "T call, T put", FORMULA, "black_scholes",
    preamble=BELOW,
)

by_threads = np.RawKernel(BELOW + r"""
typedef double T;
extern "C" __global__ void black_scholes(
    const T* prices, const T* strikes, const T* times, T rate, T volatility, T* calls, T* puts,
    int count
) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    T price = prices[i], strike = strikes[i], years = times[i];
    T call, put;
""" + FORMULA + r"""
    calls[i] = call;
    puts[i] = put;
}
""", "black_scholes")


def options(size):
    """Prices, strikes and years of a fixed sequence of options."""
    number = np.arange(float(size))
    price = 5 + 25 * (number * 0.7548776662 % 1.0)
    strike = 1 + 99 * (number * 0.5698402909 % 1.0)
    years = 0.25 + 9.75 * (number * 0.6180339887 % 1.0)
    return price, strike, years


def main(size=100_000):
    """The options, and the prices of calls and puts by each way that runs here."""
    given = options(size)
    results = {"options": given, "arrays": by_arrays(*given)}
    results["elements"] = by_elements(*given, RATE, VOLATILITY)
    if phalanx.cuda.is_available():
        call, put = np.empty(size), np.empty(size)
        blocks = (size + 255) // 256
        by_threads(
            (blocks,), (256,), (*given, RATE, VOLATILITY, call, put, np.int32(size))
        )
        results["threads"] = call, put
    return results


if __name__ == "__main__":
    prices = main()
    expected = prices.pop("arrays")
    prices.pop("options")
    print(f"mean price of a call {float(expected[0].mean()):.6f}")
    for name, (call, put) in prices.items():
        apart = float(abs(call - expected[0]).max() + abs(put - expected[1]).max())
        print(f"by {name}: equal to 1e-9: {apart < 1e-9}")
