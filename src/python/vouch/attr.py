"""Attribute expressions: what rules compute with sizes, element types and operators' attributes.

Integers, floats, strings and tuples stand for themselves, `None` for any value. `p.l` is the attribute `l` of the pattern
`p`; every tensor has `shape`, `rank` and `dtype`, every tuple and variadic `length`. Operators (`+ - * / // %`, comparisons,
`&` and `|` for conditions) make larger expressions; `t[i]` is an item of a tuple, counted from 0.
"""
import enum
import fractions
import numbers

from vouch.node import Node


class BinaryOp(enum.Enum):
    """Operations on two attribute values. `DIV` is exact, `FLOOR_DIV` and `MOD` floor; `DIVIDES(a, b)`: a divides b;
    `PERMUTE(t, p)[k]` is `t[p[k]]`. `ADD`, `MUL`, `MAX`, `MIN` also reduce."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    FLOOR_DIV = "//"
    MOD = "%"
    MIN = "min"
    MAX = "max"
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    AND = "and"
    OR = "or"
    CONCAT = "++"
    DIVIDES = "divides"
    PERMUTE = "permute"


class UnaryOp(enum.Enum):
    """Operations on one attribute value; `LEN` is the length of a tuple."""

    NEG = "-"
    NOT = "not"
    LEN = "len"
    ABS = "abs"
    CEIL = "ceil"
    FLOOR = "floor"
    SQRT = "sqrt"


def _binary(op, turned=False):
    def method(self, other):
        a, b = self, expression(other)
        return Binary(op, b, a) if turned else Binary(op, a, b)

    return method


class Attr(Node):
    """An attribute expression (AE rules of the thesis)."""

    _is_pattern = False

    __add__, __radd__ = _binary(BinaryOp.ADD), _binary(BinaryOp.ADD, True)
    __sub__, __rsub__ = _binary(BinaryOp.SUB), _binary(BinaryOp.SUB, True)
    __mul__, __rmul__ = _binary(BinaryOp.MUL), _binary(BinaryOp.MUL, True)
    __truediv__, __rtruediv__ = _binary(BinaryOp.DIV), _binary(BinaryOp.DIV, True)
    __floordiv__, __rfloordiv__ = _binary(BinaryOp.FLOOR_DIV), _binary(BinaryOp.FLOOR_DIV, True)
    __mod__, __rmod__ = _binary(BinaryOp.MOD), _binary(BinaryOp.MOD, True)
    __and__, __rand__ = _binary(BinaryOp.AND), _binary(BinaryOp.AND, True)
    __or__, __ror__ = _binary(BinaryOp.OR), _binary(BinaryOp.OR, True)
    __eq__, __ne__ = _binary(BinaryOp.EQ), _binary(BinaryOp.NE)
    __lt__, __le__ = _binary(BinaryOp.LT), _binary(BinaryOp.LE)
    __gt__, __ge__ = _binary(BinaryOp.GT), _binary(BinaryOp.GE)
    __hash__ = Node.__hash__

    def __neg__(self):
        return Unary(UnaryOp.NEG, self)

    def __invert__(self):
        return Unary(UnaryOp.NOT, self)

    def __getitem__(self, position):
        return Item(self, expression(position))

    def __bool__(self):
        raise TypeError("an attribute expression has no truth value before it is matched: give conditions to Subst(where=[…]), "
                        "and join them with & and |")


class Value(Attr):
    """An integer, a float (taken as exactly that double), a string, or an element type by its name."""

    def __init__(self, value):
        super().__init__()
        self._value = value

    def _lower(self, lowering):
        if isinstance(self._value, str):
            return lowering.draft.text(self._value)
        if isinstance(self._value, numbers.Integral):
            return lowering.draft.integer(int(self._value))
        return lowering.draft.number(float(self._value))


class Any(Attr):
    """Any value: only where something is matched."""

    def _lower(self, lowering):
        return lowering.draft.any()


class Access(Attr):
    """`p.l`: the attribute `l` of what the pattern `p` matched."""

    def __init__(self, pattern, name):
        super().__init__(pattern)
        self._name = name

    def _lower(self, lowering):
        return lowering.draft.access(lowering.id_of(self._parts[0]), self._name)


class Unary(Attr):
    """An operation on one value."""

    def __init__(self, op, a):
        super().__init__(expression(a))
        self._op = UnaryOp(op)

    def _lower(self, lowering):
        return lowering.draft.unary(self._op.name, lowering.id_of(self._parts[0]))


class Binary(Attr):
    """An operation on two values."""

    def __init__(self, op, a, b):
        super().__init__(expression(a), expression(b))
        self._op = BinaryOp(op)

    def _lower(self, lowering):
        return lowering.draft.binary(self._op.name, *map(lowering.id_of, self._parts))


class Tuple(Attr):
    """A tuple of fixed length."""

    def __init__(self, *items):
        super().__init__(*map(expression, items))

    def _lower(self, lowering):
        return lowering.draft.items([lowering.id_of(part) for part in self._parts])


class Item(Attr):
    """`t[i]`: counted from 0; a negative position counts from the end."""

    def _lower(self, lowering):
        return lowering.draft.item(*map(lowering.id_of, self._parts))


class Symbol(Attr):
    """An index, bound by the variadic (pattern, tuple or reduction) that names it."""

    def _lower(self, lowering):
        return lowering.draft.symbol(lowering.symbol(self))


class Variadic(Attr):
    """A tuple of variable length: `f(j)` for j from 0 to `length - 1`; without `length`, as long as what is matched."""

    def __init__(self, f, length=None):
        self._index = Symbol()
        self._has_length = length is not None
        super().__init__(expression(f(self._index)), *([expression(length)] if self._has_length else []))

    def _lower(self, lowering):
        length = lowering.id_of(self._parts[1]) if self._has_length else _none()
        return lowering.draft.var_tuple(lowering.symbol(self._index), length, lowering.id_of(self._parts[0]))


class ReduceIndexed(Attr):
    """`f(0) op f(1) op … op f(length - 1)` for `op` of `ADD`, `MUL`, `MAX`, `MIN`."""

    def __init__(self, op, f, length):
        self._index = Symbol()
        self._op = BinaryOp(op)
        if self._op not in (BinaryOp.ADD, BinaryOp.MUL, BinaryOp.MAX, BinaryOp.MIN):
            raise ValueError(f"expected an operation that reduces (ADD, MUL, MAX, MIN), found {self._op.name}")
        super().__init__(expression(f(self._index)), expression(length))

    def _lower(self, lowering):
        body, length = map(lowering.id_of, self._parts)
        return lowering.draft.reduce(self._op.name, lowering.symbol(self._index), length, body)


class Cond(Attr):
    """`then` if the condition holds, else `otherwise`; only the chosen one is evaluated."""

    def __init__(self, condition, then, otherwise):
        super().__init__(expression(condition), expression(then), expression(otherwise))

    def _lower(self, lowering):
        return lowering.draft.choose(*map(lowering.id_of, self._parts))


def _none():
    from vouch._vouch import NONE
    return NONE


def expression(value):
    """What a Python value means as an attribute: itself, `None` for any, lists as tuples."""
    if isinstance(value, Attr):
        return value
    if value is None:
        return Any()
    if isinstance(value, (tuple, list)):
        return Tuple(*value)
    if isinstance(value, (str, numbers.Real, fractions.Fraction)):
        return Value(value)
    raise TypeError(f"expected an attribute value (number, string, tuple, None or expression), found {type(value).__name__}")


def length_of(value):
    """The length of a tuple."""
    return Unary(UnaryOp.LEN, value)


def maximum(a, b):
    """The larger of two values."""
    return Binary(BinaryOp.MAX, a, b)


def minimum(a, b):
    """The smaller of two values."""
    return Binary(BinaryOp.MIN, a, b)


def divides(a, b):
    """Whether `a` divides `b`."""
    return Binary(BinaryOp.DIVIDES, a, b)


def concat(a, b):
    """The items of two tuples in one."""
    return Binary(BinaryOp.CONCAT, a, b)


def permute(values, order):
    """The tuple whose item `k` is `values[order[k]]`."""
    return Binary(BinaryOp.PERMUTE, values, order)
