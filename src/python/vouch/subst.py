"""Rules: a source pattern, a target pattern, and the conditions under which one may take the other's place."""
import html
import pathlib
import typing
import warnings

from vouch import _vouch, attr, pat
from vouch.node import Lowering, Place, text_of, user_frame


class UnprovenWarning(UserWarning):
    """A rule matched and did not fire, since it is not proven there."""


class Verdict(typing.NamedTuple):
    """What `vouch check` says of a rule."""

    verdict: str         # sound (exact), sound (real), unsound, ill-typed, vacuous, unknown
    reason: str          # of unknown and vacuous
    instance: str        # the ranks and element types where it stands
    counterexample: str  # of unsound and ill-typed: sizes, attributes, tensors, where the sides differ
    instances: int       # combinations of ranks and element types tried

    @property
    def sound(self):
        """Whether the rule is proven, exactly or over the reals."""
        return self.verdict.startswith("sound")

    def __bool__(self):
        """Sound: `if rule.check(): ...` lets nothing pass that is not proven."""
        return self.sound

    def __str__(self):
        return "\n".join(filter(None, [self.verdict, self.reason, self.counterexample]))


def _patterns(outputs, which):
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    for output in outputs:
        if not isinstance(output, pat.Pattern):
            raise TypeError(f"expected patterns as {which}, found {type(output).__name__}")
    return outputs


class Subst:
    """The rule that `source` may be replaced by `target`: a pattern each, or a list of as many outputs each.

    `where`: conditions. `drop`: inputs that the target leaves out. `ranks`: `{input: (from, to)}`, the ranks for which the rule
    claims to hold. `name`, `doc`: for reports. `expect`: the verdict that its author expects. Raises `vouch.Error` with every
    static check that fails, at its place in the Python program."""

    def __init__(self, source, target, *, where=(), drop=(), ranks=None, name="subst", doc="", expect="none"):
        frame = user_frame()
        place = Place(frame)
        text, starts = text_of(place.file)
        draft = _vouch.Draft(name, doc, place.file, text, *(place.offsets(starts) if text else (0, 0)))
        names = {n: value for n, value in frame.f_locals.items() if isinstance(value, pat.Pattern)}
        lowering = Lowering(draft, place.file, starts if text else [], names)
        sources, targets = _patterns(source, "source"), _patterns(target, "target")
        draft.source([lowering.add(output) for output in sources])
        draft.target([lowering.add(output) for output in targets])
        for condition in where:
            draft.where(lowering.add(attr.expression(condition)))
        for dropped in drop:
            draft.drop(lowering.add(dropped))
        for ranked, (least, most) in (ranks or {}).items():
            draft.rank(lowering.add(ranked), least, most)
        draft.expect(expect)
        self._rule = draft.finish()

    @classmethod
    def _of(cls, rule):
        self = cls.__new__(cls)
        self._rule = rule
        return self

    @property
    def name(self):
        """The rule's name in reports."""
        return self._rule.name

    @property
    def doc(self):
        """What the rule does, in a sentence."""
        return self._rule.doc

    @property
    def content_hash(self):
        """A hash of what the rule means: names and places do not count."""
        return self._rule.content_hash

    @property
    def operators(self):
        """The operators that the rule names, on either side."""
        return frozenset(self._rule.operators())

    def __str__(self):
        """The rule in the text syntax; `parse_rules` reads it back."""
        return self._rule.text()

    def __repr__(self):
        return f"<Subst {self.name}>"

    def same_as(self, other):
        """Whether both are the same patterns, attributes and conditions."""
        return self._rule.same(other._rule)

    def check(self, max_rank=4):
        """Proves the rule for all sizes, attributes and values, at ranks up to `max_rank`, or refutes it: a `Verdict`."""
        return Verdict(**self._rule.check(max_rank))

    def __call__(self, workload, allow_unproven=False):
        """A new workload, rewritten by this rule until it matches nowhere. It fires where it is proven; where it matches and is
        not, an `UnprovenWarning` says so, unless `allow_unproven`."""
        return workload.rewrite([self], allow_unproven)

    def visualize(self, path=None):
        """The rule's two sides as an SVG picture: written to `path`, or returned as text."""
        svg = self._rule.svg()
        return svg if path is None else pathlib.Path(path).write_text(svg)

    def _repr_svg_(self):
        return self._rule.svg()

    def _repr_html_(self):
        """For notebooks: the rule's text above its picture."""
        return f"<pre>{html.escape(str(self))}</pre>{_svg_element(self._rule.svg())}"

    def __eq__(self, other):
        return self.same_as(other) if isinstance(other, Subst) else NotImplemented

    def __hash__(self):
        return hash(self.content_hash)

    def __reduce__(self):
        return _read_one, (str(self),)


def _svg_element(svg):
    """The picture without its XML declaration, to stand within a page."""
    return svg[svg.index("<svg"):]


def _read_one(text):
    rule, = parse_rules(text)
    return rule


def warn_of(refusals):
    """One warning for each refusal."""
    for refusal in refusals:
        warnings.warn(refusal, UnprovenWarning, stacklevel=4)


def parse_rules(text, file="<text>"):
    """The rules of a text in the rule syntax."""
    return [Subst._of(rule) for rule in _vouch.parse_rules(text, file)]


def load_rules(*paths):
    """The rules of files and folders (the `.gsl` files in them)."""
    return [Subst._of(rule) for rule in _vouch.load_rules([str(path) for path in paths])]
