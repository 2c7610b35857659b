"""Operations on 1 to 10**8 numbers beside NumPy: python benches/sizes.py [--only TEXT]
[--peers numexpr,torch,jax] [--most N] [--into PAGE PLOT].

Prints, for each size, the time of NumPy divided by ours, and by that of each peer. A time includes
the computation of the result, and is the best of many. The program writes the table into a page
between its marks, and a plot of it.
"""

import argparse
import pathlib
import time

import numpy
import phalanx
from timing import least

OPTIONS = argparse.ArgumentParser()
OPTIONS.add_argument("--only", default="")
OPTIONS.add_argument("--peers", default="")
OPTIONS.add_argument("--most", type=float, default=1e8)
OPTIONS.add_argument("--into", nargs=2, metavar=("PAGE", "PLOT"))
SECONDS, MOST = 0.3, 2000
DTYPES = ("f4", "f8")
# Statements of NumPy; `a` and `b` have equally many numbers.
CASES = [
    "a + b",
    "np.sqrt(a * a + b * b)",
    "np.exp(-a) * b + a",
    "a.sum()",
    "(a - b).max()",
    "a > 0.5",
    "a[a > 0.5]",
    "a.cumsum()",
    "np.sort(a)",
]
MARK = "<!-- sizes -->"


class Peer:
    """A library that runs a statement, and how to wait for its result."""

    def __init__(self, name):
        self.name, self.module, self.wait = name, None, lambda result: result
        self.convert = lambda array: array
        if name == "numpy":
            self.module = numpy
        elif name == "phalanx":
            self.module, self.wait = phalanx, phalanx.evaluate
            self.convert = phalanx.array
        elif name == "torch":
            import torch

            self.module, self.convert = torch, torch.from_numpy
        elif name == "jax":
            import jax

            jax.config.update("jax_enable_x64", True)
            self.module, self.convert = jax.numpy, jax.numpy.asarray
            self.wait = jax.block_until_ready
        elif name == "numexpr":
            import numexpr

            self.module = numexpr
        else:
            raise SystemExit(f"no peer is called {name}")

    def statement(self, statement):
        """The statement in the peer's words; None if it has none."""
        if self.name == "torch":
            statement = statement.replace("cumsum()", "cumsum(0)")
            statement = statement.replace("np.sort(a)", "np.sort(a)[0]")
        if self.name == "numexpr":
            if "." in statement.replace("np.", "").replace("0.5", "") or "[" in statement:
                return None
            if "sort" in statement:
                return None
            return f"np.evaluate({statement.replace('np.', '')!r})"
        return statement

    def seconds(self, statement, arrays):
        """The time of a statement whose result is computed; None if the peer has no such words."""
        words = self.statement(statement)
        if words is None:
            return None
        names = {"np": self.module, **{name: self.convert(of) for name, of in arrays.items()}}
        code = compile(words, "<case>", "eval")

        def once():
            start = time.perf_counter()
            self.wait(eval(code, names))
            return time.perf_counter() - start

        return least(once, SECONDS, MOST)


def short(size):
    """A power of ten."""
    exponent = len(str(size)) - 1
    return f"10{'⁰¹²³⁴⁵⁶⁷⁸⁹'[exponent]}"


def plot(sizes, rows):
    """The ratios of our rows by size, as an SVG with logarithmic axes."""
    width, height, left, top = 760, 420, 60, 20
    inner_width, inner_height = 440, height - top - 50
    low, high = 0.05, 50.0
    colours = ["#1b6ca8", "#d1495b", "#66a182", "#edae49", "#7b5ea7", "#2e4057", "#8d6a9f"]
    colours += ["#c36f09", "#4a7c59"]
    ours = [(label, values) for label, peer, values in rows if peer == "phalanx"]
    logs = numpy.log10

    def across(at):
        return left + inner_width * at / max(1, len(sizes) - 1)

    def down(ratio):
        part = (logs(min(max(ratio, low), high)) - logs(low)) / (logs(high) - logs(low))
        return top + inner_height * (1 - part)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for ratio in (0.1, 0.5, 1, 2, 5, 10, 50):
        y, weight = down(ratio), 2 if ratio == 1 else 0.5
        lines.append(
            f'<line x1="{left}" y1="{y:.1f}" x2="{left + inner_width}" y2="{y:.1f}" '
            f'stroke="#888" stroke-width="{weight}"/>'
            f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{ratio:g}</text>'
        )
    for at, size in enumerate(sizes):
        lines.append(
            f'<text x="{across(at):.1f}" y="{height - 30}" text-anchor="middle">{short(size)}'
            "</text>"
        )
    lines.append(f'<text x="{left}" y="{height - 8}">numbers; NumPy’s time / ours</text>')
    for number, (label, values) in enumerate(ours):
        colour = colours[number // len(DTYPES) % len(colours)]
        dashes = ' stroke-dasharray="5 3"' if label.endswith("f4") else ""
        points = " ".join(f"{across(at):.1f},{down(ratio):.1f}" for at, ratio in enumerate(values))
        stroke = f'stroke="{colour}" stroke-width="1.8"{dashes}'
        lines.append(f'<polyline points="{points}" fill="none" {stroke}/>')
        y, x = top + 12 + 20 * number, left + inner_width + 20
        text = label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        lines.append(
            f'<line x1="{x}" y1="{y - 4}" x2="{x + 26}" y2="{y - 4}" {stroke}/>'
            f'<text x="{x + 32}" y="{y}">{text}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def main():
    """Measures all cases and prints them."""
    options = OPTIONS.parse_args()
    peers = [Peer("phalanx"), *map(Peer, filter(None, options.peers.split(",")))]
    beside = Peer("numpy")
    sizes = [10**power for power in range(9) if 10**power <= options.most]
    rows, generator = [], numpy.random.default_rng(1)
    for statement in CASES:
        for dtype in DTYPES:
            label = f"{statement} {dtype}"
            if options.only not in label:
                continue
            ratios = {peer.name: [] for peer in peers}
            for size in sizes:
                arrays = {name: generator.random(size, dtype) for name in "ab"}
                base = beside.seconds(statement, arrays)
                for peer in peers:
                    taken = peer.seconds(statement, arrays)
                    ratios[peer.name].append(base / taken if taken else None)
            for name, values in ratios.items():
                if any(value is not None for value in values):
                    rows.append((label, name, values))
                    cells = "  ".join(f"{value:6.2f}" for value in values)
                    print(f"{label:30} {name:8} {cells}", flush=True)
    if options.into:
        page, picture = map(pathlib.Path, options.into)
        head = ["Statement", *(["Library"] if options.peers else []), *map(short, sizes)]
        table = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
        for label, name, values in rows:
            first = [f"`{label[:-3]}` {label[-2:]}", *([name] if options.peers else [])]
            table.append(f"| {' | '.join([*first, *(f'{value:.2f}' for value in values)])} |")
        before, _, after = page.read_text().split(MARK)
        table = "\n".join(table)
        page.write_text(f"{before}{MARK}\n\n{table}\n\n{MARK}{after}")
        picture.write_text(plot(sizes, rows))


main()
