"""Bars of ratios to a peer, as SVG; nothing where matplotlib is not there."""


def plot_ratios(path, names, series, peer):
    """`series`: two lists of ratios, by what they are of; `names`: of their bars."""
    try:
        import matplotlib
        matplotlib.use("svg")
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots(figsize=(9, 4.2))
    places = range(len(names))
    for offset, (label, ratios) in zip((-0.2, 0.2), series.items()):
        axes.bar([p + offset for p in places], ratios, 0.4, label=label)
    axes.axhline(1, color="black", linewidth=1)
    axes.set_xticks(list(places), names, rotation=25, fontsize=7, ha="right")
    axes.set(ylabel=f"speed : {peer}'s, one thread")
    axes.legend(fontsize=8, ncol=2, loc="lower center", bbox_to_anchor=(0.5, 1))
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
