"""Operators: `op.Conv(x, w, group=2)` is a pattern of that call. `dir(op)` lists them, `help(op.Conv)` shows one.

Names are ONNX's where ONNX has the operator, and those of the graph substitution language otherwise; capitals and underscores
do not matter (`op.Conv2D` is `conv2d`). Where two operators' names differ by that alone, the one that is spelled so is meant,
unless only the other has the attributes that are given.
"""
import difflib
import inspect

from vouch import _vouch, pat

_TABLE = {name: (operands, attributes, several) for name, operands, attributes, several in _vouch.operators()}


def _plain(name):
    return name.replace("_", "").lower()


class Operator:
    """Makes patterns of calls of one operator."""

    def __init__(self, name, candidates):
        self.__name__ = name
        self._candidates = candidates
        operands, attributes, _ = _TABLE[candidates[0]]
        self.__doc__ = _describe(candidates[0])
        self.__signature__ = inspect.Signature(
            [inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY,
                               default=None if "optional" in kind else inspect.Parameter.empty) for n, kind in operands]
            + [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=otherwise) for n, otherwise in attributes])

    def __call__(self, *operands, attributes_as=None, **attributes):
        known = [name for name in self._candidates if attributes.keys() <= {n for n, _ in _TABLE[name][1]}]
        name = (known or self._candidates)[0]
        return pat.Call(name, *operands, attributes_as=attributes_as, **attributes)


def _describe(name):
    operands, attributes, several = _TABLE[name]
    lines = [f"A pattern of a call of {name}.", ""]
    lines += [f"{operand}: {kind} operand" for operand, kind in operands]
    for attribute, otherwise in attributes:
        wanted = "required in a target" if otherwise is ... else "may be absent" if otherwise is None else f"{otherwise!r} if not given"
        lines.append(f"{attribute}: attribute, {wanted}")
    lines += ["", "Gives a tuple: p[i] is its item i." if several else "Gives one tensor."]
    return "\n".join(lines)


def variable(name, trait="any"):
    """An operator variable: any operator (`elementwise`, `commutative`, or `any` one), the same wherever it is used."""

    def call(*operands, attributes_as=None, **attributes):
        return pat.Call((name, trait), *operands, attributes_as=attributes_as, **attributes)

    return call


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    candidates = sorted((known for known in _TABLE if _plain(known) == _plain(name)), key=lambda known: known != name)
    if not candidates:
        near = difflib.get_close_matches(name, _TABLE, 1)
        raise AttributeError(f"unknown operator '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    return Operator(name, candidates)


def __dir__():
    return sorted([*_TABLE, "variable"])
