"""Are two models the same function?"""
import json
import pathlib
import tempfile

from vouch import _vouch
from vouch.workload import Workload


class Equivalence:
    """What `equiv` found. True in a condition if the models were proven equal."""

    def __init__(self, text, details):
        self._text = text
        self._details = details

    @property
    def verdict(self):
        """The words that the command prints."""
        return self._details["verdict"]

    @property
    def details(self):
        """All that was found, as `vouch equiv --json` writes it."""
        return self._details

    def __bool__(self):
        return self.verdict.startswith("equal")

    def __str__(self):
        return self._text.rstrip()

    def __repr__(self):
        return f"<Equivalence: {self.verdict}>"


def equiv(a, b, names=None, sizes=None, assume=None, exact=False, fold_tolerance=None):
    """Proves that two models compute the same for all inputs, or finds an input on which they differ.

    `a`, `b`: paths, `Workload`s or ONNX ModelProtos. `names`: inputs and outputs of `a` by what `b` calls them; `sizes`: sizes of `a`
    that are open; `assume`: (low, high) of an input's elements; `exact`: ask for bit equality; `fold_tolerance`: the relative
    difference that a folded parameter may have, of every type: by default 1e-6, of float16 0.002, of bfloat16 0.016."""
    ranges = {name: (float(low), float(high)) for name, (low, high) in (assume or {}).items()}
    text, details = _vouch.equiv(_graph_of(a), _graph_of(b), dict(names or {}), dict(sizes or {}), ranges, exact, fold_tolerance)
    return Equivalence(text, json.loads(details))


def _graph_of(model):
    if isinstance(model, Workload):
        return model._graph
    if hasattr(model, "SerializeToString"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.onnx"
            path.write_bytes(model.SerializeToString())
            return Workload(path, fold=False)._graph
    return Workload(model, fold=False)._graph
