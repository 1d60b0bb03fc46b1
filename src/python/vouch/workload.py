"""Models: read from ONNX or JSON, run, rewritten, drawn, written."""
import pathlib

from vouch import _vouch
from vouch.subst import load_rules, warn_of

_DIALECTS = "from_onnx.gsl", "to_onnx.gsl"
_DIALECT = pathlib.Path(__file__).parent / "dialect"


class Workload:
    """A network with its parameters, from a file: `.onnx` (opsets 7 to 20), or `.json` as Vouch writes it. Immutable: rewriting
    gives another. With `fold`, what the file computes from parameters and constants alone is a parameter, too."""

    def __init__(self, path, fold=True):
        self._graph = _vouch.Graph(str(path), fold)

    @classmethod
    def _of(cls, graph):
        self = cls.__new__(cls)
        self._graph = graph
        return self

    @classmethod
    def from_onnx(cls, path, fold=True):
        """The model in an ONNX file."""
        return cls(path, fold)

    @classmethod
    def from_json(cls, text):
        """The graph that a JSON text describes."""
        return cls._of(_vouch.Graph.from_json(text))

    def to_json(self):
        """The graph as a JSON text with all its values."""
        return self._graph.to_json()

    def save(self, path):
        """Writes the model, whole or not at all: `.onnx` or `.json`."""
        self._graph.save(str(path))

    @property
    def inputs(self):
        """Name, element type and shape of each input; unknown sizes by name."""
        return self._graph.inputs()

    @property
    def outputs(self):
        """Name, element type and shape of each output."""
        return self._graph.outputs()

    @property
    def operators(self):
        """How often each operator is called."""
        return self._graph.operators()

    def run(self, inputs):
        """The outputs by name, evaluated by the reference interpreter. `inputs`: by name, objects with a buffer (numpy arrays)
        of the input's element type."""
        return self._graph.run(dict(inputs))

    def rewrite(self, rules, allow_unproven=False):
        """Rewritten by these rules, and nothing else, until none matches."""
        return self._rewritten(rules, allow_unproven, False)

    def optimize(self, rules, allow_unproven=False):
        """As the command `vouch optimize`: rules, calls on parameters evaluated ahead of time, equal calls merged."""
        return self._rewritten(rules, allow_unproven, True)

    def _rewritten(self, rules, allow_unproven, passes):
        wanted = {name for rule in rules for name in rule.operators}
        # Rules in operators of the graph substitution language meet ONNX's by rules that are proven themselves, and so back.
        there, back = ([rule for rule in load_rules(_DIALECT / file) if rule.operators & wanted] for file in _DIALECTS)
        graph = self._graph.rewrite([rule._rule for rule in there], allow_unproven, False).workload if there else self._graph
        done = graph.rewrite([rule._rule for rule in rules], allow_unproven, passes)
        warn_of(done.refusals)
        graph = done.workload
        for rule in back:  # one after another: a convolution with its bias before one without
            graph = graph.rewrite([rule._rule], allow_unproven, False).workload
        new = Workload._of(graph)
        new.fired = dict(done.fired)
        return new

    fired = {}  # how often each rule fired to make this workload

    def why_not(self, rule, node=None):
        """Why the rule does not match: at the node of this name, or at the best partial match."""
        return self._graph.why_not(rule._rule, node or "")

    def visualize(self, path=None):
        """The graph as an SVG picture: written to `path`, or returned as text."""
        svg = self._graph.svg()
        return svg if path is None else pathlib.Path(path).write_text(svg)

    def _repr_svg_(self):
        return self._graph.svg()

    def __repr__(self):
        calls = sum(self.operators.values())
        return f"<Workload {self._graph.name}: {calls} calls, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"
