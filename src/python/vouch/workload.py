"""Models: read from ONNX or JSON, run, rewritten, drawn, written."""
import html
import os
import pathlib
import sys
import tempfile

from vouch import _vouch
from vouch.subst import _svg_element, load_rules, warn_of

_DIALECTS = "from_onnx.gsl", "to_onnx.gsl"
_DIALECT = pathlib.Path(__file__).parent / "dialect"


def _counted(count, what):
    return f"{count} {what}{'' if count == 1 else 's'}"


class Workload:
    """A network with its parameters: from a file, `.onnx` (opsets 1 to 26) or `.json` as Vouch writes it; from the bytes of an
    ONNX file; or from an `onnx.ModelProto`. Immutable: rewriting gives another. With `fold`, what the model computes from
    parameters and constants alone is a parameter, too."""

    def __init__(self, model, fold=True):
        if isinstance(model, (str, os.PathLike)):
            self._graph = _vouch.Graph(os.fspath(model), fold)
            return
        data = model.SerializeToString() if hasattr(model, "SerializeToString") else model
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"expected a path, bytes or an onnx.ModelProto, found {type(model).__name__}")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.onnx")
            path.write_bytes(data)
            try:
                self._graph = _vouch.Graph(str(path), fold)
            except _vouch.Error as error:  # the file is ours, and gone
                raise _vouch.Error(str(error).replace(str(path), "the model's bytes")) from None

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
    def from_json(cls, text, name="graph"):
        """The graph that a JSON text describes, called `name`."""
        return cls._of(_vouch.Graph.from_json(text, name))

    def to_json(self):
        """The graph as a JSON text with all its values."""
        return self._graph.to_json()

    def save(self, path):
        """Writes the model, whole or not at all: `.onnx` or `.json`."""
        self._graph.save(str(path))

    def to_bytes(self):
        """The model as the bytes of an ONNX file."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.onnx")
            self.save(path)
            return path.read_bytes()

    def to_onnx(self):
        """The model as an `onnx.ModelProto`; needs the package `onnx`."""
        import onnx
        return onnx.load_model_from_string(self.to_bytes())

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
        of the input's element type. Where one of them is a numpy array, the outputs are numpy arrays; else `Tensor`s."""
        given = dict(inputs)
        for name, value in given.items():
            try:
                memoryview(value)
            except TypeError:
                raise TypeError(f"{name}: expected an object with a buffer, such as numpy.array(…, dtype=numpy.float32), "
                                f"found {type(value).__name__}") from None
        outputs = self._graph.run(given)
        numpy = sys.modules.get("numpy")  # who gives arrays has imported it
        if numpy is None or not any(isinstance(value, numpy.ndarray) for value in given.values()):
            return outputs
        return {name: numpy.array(tensor) for name, tensor in outputs.items()}

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

    def _repr_html_(self):
        """For notebooks: what it is, above its picture."""
        return f"<p>{html.escape(repr(self))}</p>{_svg_element(self._graph.svg())}"

    def __reduce__(self):
        return Workload.from_json, (self.to_json(), self._graph.name)

    def __repr__(self):
        calls = sum(self.operators.values())
        return f"<Workload {self._graph.name}: {_counted(calls, 'call')}, {_counted(len(self.inputs), 'input')}, {_counted(len(self.outputs), 'output')}>"
