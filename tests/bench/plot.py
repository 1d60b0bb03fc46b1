"""The experiment on several outputs as a plot: time against |V| + |E| + outputs * (|Vp| + |Ep|) summed over matches, and time of a
match against its branches. SVG by matplotlib (Debian: python3-matplotlib)."""

import math

try:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot
except ImportError:
    pyplot = None


def is_there():
    return pyplot is not None


def write(path, points, branches):
    """points: {outputs: [(nodes, seconds)]}; branches: [(branches, nanoseconds of one match)]."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.6))
    for outputs, series in sorted(points.items()):
        left.plot([n for n, _ in series], [s for _, s in series], marker="o", markersize=3, linewidth=1,
                  label=f"{outputs} output{'s' if outputs > 1 else ''}")
    every = [(n, s) for series in points.values() for n, s in series]
    scale = math.exp(sum(math.log(s / n) for n, s in every) / len(every))
    ends = [min(n for n, _ in every), max(n for n, _ in every)]
    left.plot(ends, [scale * n for n in ends], color="black", linestyle="--", linewidth=1, label="linear")
    left.set(xscale="log", yscale="log", xlabel="nodes of the graph", ylabel="seconds to rewrite it whole",
             title="patterns of 1 to 64 outputs")
    left.legend(fontsize=7)
    left.grid(alpha=0.3)
    right.plot([n for n, _ in branches], [t / 1000 for _, t in branches], marker="o", markersize=3, linewidth=1)
    right.set(xlabel="branches matched by one variadic", ylabel="microseconds for match and rewrite", title="a match of n branches")
    right.set_xlim(left=0)
    right.set_ylim(bottom=0)
    right.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
