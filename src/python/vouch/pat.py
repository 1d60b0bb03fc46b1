"""Patterns: the shapes of subgraphs that a rule looks for and makes.

A pattern used twice is one node of the graph. `x + y`, `-x` and the like are the elementwise operators, `p[i]` is an item of
what gives a tuple, and `p.l` reads an attribute (see `vouch.attr`).
"""
import numbers

from vouch import attr
from vouch._vouch import NONE
from vouch.node import Node


def _call(name, turned=False):
    def method(self, other):
        a, b = self, _operand(other, self)
        return Call(name, b, a) if turned else Call(name, a, b)

    return method


class Pattern(Node):
    """A pattern (PM rules of the thesis)."""

    _is_pattern = True

    __add__, __radd__ = _call("Add"), _call("Add", True)
    __sub__, __rsub__ = _call("Sub"), _call("Sub", True)
    __mul__, __rmul__ = _call("Mul"), _call("Mul", True)
    __truediv__, __rtruediv__ = _call("Div"), _call("Div", True)
    __pow__, __rpow__ = _call("Pow"), _call("Pow", True)
    __matmul__ = _call("MatMul")

    def __neg__(self):
        return Call("Neg", self)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return attr.Access(self, name)

    def __getitem__(self, index):
        return Proj(self, index)

    def __repr__(self):
        return self._shown(3)

    def _shown(self, depth):
        """As it was called, to that depth: a pattern may be used in many places."""
        patterns = [part for part in self._parts if isinstance(part, Pattern)]
        inside = [part._shown(depth - 1) for part in patterns] if depth else ["…"] * bool(patterns)
        return f"{self._called()}({', '.join(inside)})"

    def _called(self):
        return type(self).__name__


def _operand(value, neighbour):
    if isinstance(value, Pattern):
        return value
    if isinstance(value, numbers.Real):
        return Literal(value, neighbour)
    raise TypeError(f"expected a pattern or a number, found {type(value).__name__}")


class _Attributed(Pattern):
    """A pattern with attributes given as keywords."""

    def __init__(self, parts, attributes):
        self._names = list(attributes)
        values = [attr.expression(value) for value in attributes.values()]
        self._first_attribute = len(parts)
        super().__init__(*parts, *values)

    def _attributes(self, lowering):
        place = lowering.offsets(self)
        return [(name, lowering.id_of(value), *place) for name, value in zip(self._names, self._parts[self._first_attribute:])]


class Wildcard(_Attributed):
    """Any tensor, one of the rule's inputs; `shape`, `rank`, `dtype` restrict it."""

    def __init__(self, **attributes):
        super().__init__([], attributes)

    def _lower(self, lowering):
        return lowering.draft.wildcard(self._attributes(lowering))


class Variable(_Attributed):
    """A parameter of the model (a weight), one of the rule's inputs; `shape`, `rank`, `dtype` restrict it."""

    def __init__(self, **attributes):
        super().__init__([], attributes)

    def _lower(self, lowering):
        return lowering.draft.variable(self._attributes(lowering))


class Const(_Attributed):
    """A constant: in a source, one all of whose elements are `value`; in a target, one that is made."""

    def __init__(self, value=None, **attributes):
        super().__init__([], attributes if value is None else {"value": value, **attributes})

    def _lower(self, lowering):
        return lowering.draft.constant(self._attributes(lowering))


class Literal(Pattern):
    """A number written as an operand: of the element type of its neighbour."""

    def __init__(self, value, like):
        super().__init__(like)
        self._value = value

    def _shown(self, depth):
        return repr(self._value)

    def _lower(self, lowering):
        value = int(self._value) if isinstance(self._value, numbers.Integral) else float(self._value)
        return lowering.draft.literal(value, lowering.id_of(self._parts[0]))


class Call(_Attributed):
    """A call of the operator of that name; see `vouch.op`. An absent optional operand before a present one is `None`.
    `attributes_as`: all attributes that are not given equal those of this call."""

    def __init__(self, operator, *operands, attributes_as=None, **attributes):
        present = [operand for operand in operands if operand is not None]
        neighbour = next((operand for operand in present if isinstance(operand, Pattern)), None)
        operands = [operand if operand is None else _operand(operand, neighbour) for operand in operands]
        self._operator, self._operands, self._as = operator, operands, attributes_as
        parts = [operand for operand in operands if operand is not None] + ([attributes_as] if attributes_as is not None else [])
        super().__init__(parts, attributes)

    def _called(self):
        return self._operator if isinstance(self._operator, str) else super()._called()

    def _lower(self, lowering):
        operands = [NONE if operand is None else lowering.id_of(operand) for operand in self._operands]
        like = NONE if self._as is None else lowering.id_of(self._as)
        if isinstance(self._operator, str):
            return lowering.draft.call(self._operator, operands, self._attributes(lowering), like)
        name, trait = self._operator
        return lowering.draft.call_variable(name, trait, operands, self._attributes(lowering), like)


class Tuple(Pattern):
    """A tuple of tensors, such as the operands of Concat."""

    def __init__(self, *items):
        super().__init__(*items)

    def _lower(self, lowering):
        return lowering.draft.tuple([lowering.id_of(part) for part in self._parts])


class Proj(Pattern):
    """An item of what gives a tuple, counted from 0."""

    def __init__(self, pattern, index):
        super().__init__(pattern, attr.expression(index))

    def _lower(self, lowering):
        return lowering.draft.projection(*map(lowering.id_of, self._parts))


class Variadic(Pattern):
    """Any number of branches of one form: `pattern` with a fresh copy of each of `templates` for each branch.

    `first`: for each template, the pattern that is its copy in branch 0, or None. `index`: the symbol that counts branches.
    `length`: how many a target makes (as many as the source's, if it is left out for outputs). `min_len`: how many at least.
    `where`: conditions on each branch. Calling it, `v(template, i)`, is the copy of the template in branch `i`."""

    def __init__(self, pattern, templates=(), first=(), index=None, length=None, min_len=1, where=()):
        templates = list(templates)
        first = list(first) + [None] * (len(templates) - len(first))
        if len(first) != len(templates):
            raise ValueError(f"expected at most one first instance for each of {len(templates)} templates, found {len(first)}")
        pairs = sorted(zip(templates, first), key=lambda pair: pair[0] is not pattern)  # the field comes first
        self._pattern, self._templates, self._min_len = pattern, pairs, min_len
        self._index = attr.Symbol() if index is None else index
        self._length = None if length is None else attr.expression(length)
        self._where = [attr.expression(condition) for condition in where]
        parts = [pattern, *(template for template, _ in pairs), *(one for _, one in pairs if one is not None), *self._where]
        super().__init__(*parts, *([] if self._length is None else [self._length]))

    def __call__(self, template, index):
        return Inst(self, template, index)

    def _lower(self, lowering):
        for condition in self._where:
            lowering.draft.require(lowering.id_of(self._pattern), lowering.id_of(condition))
        templates = [(lowering.id_of(template), NONE if one is None else lowering.id_of(one)) for template, one in self._templates]
        length = NONE if self._length is None else lowering.id_of(self._length)
        return lowering.draft.variadic(lowering.id_of(self._pattern), templates, lowering.symbol(self._index), length, self._min_len)


class Inst(Pattern):
    """The copy of a variadic's template in one branch."""

    def __init__(self, variadic, template, index):
        super().__init__(variadic, template, attr.expression(index))

    def _lower(self, lowering):
        return lowering.draft.instance(*map(lowering.id_of, self._parts))


class First(Pattern):
    """The first of several patterns that matches."""

    def __init__(self, *options):
        super().__init__(*options)

    def _lower(self, lowering):
        return lowering.draft.alternative([lowering.id_of(part) for part in self._parts])


class IfElse(Pattern):
    """One pattern or the other, by a condition on attributes."""

    def __init__(self, condition, then, otherwise):
        super().__init__(attr.expression(condition), then, otherwise)

    def _lower(self, lowering):
        return lowering.draft.if_else(*map(lowering.id_of, self._parts))


def same_attr(pattern, names):
    """Keywords for a call whose attributes of these names equal those of `pattern`."""
    return {name: attr.Access(pattern, name) for name in names}
