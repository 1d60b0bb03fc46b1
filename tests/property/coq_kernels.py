"""Kernels in index notation as Coq text has them (coq/index/Kernel.v): read, evaluated in floats, and changed."""
import math
import re

TOKEN = re.compile(r"\{\||\|\}|:=|[()\[\];,]|%\w+|[^\s()\[\];,{}|%]+")


def parse(text):
    """Applications and tuples are tuples, lists are lists, records are dictionaries; words are strings."""
    tokens = TOKEN.findall(text)
    at = 0

    def term():
        nonlocal at
        token = tokens[at]
        at += 1
        if token == "[":
            items = []
            while tokens[at] != "]":
                items.append(application())
                at += tokens[at] == ";"
            at += 1
            return items
        if token == "(":
            inner = application()
            if tokens[at] == ",":
                at += 1
                inner = (",", inner, application())
            at += 1
            return inner
        if token == "{|":
            fields = {}
            while tokens[at] != "|}":
                name = tokens[at]
                at += 2
                fields[name] = application()
                at += tokens[at] == ";"
            at += 1
            return fields
        return token

    def application():
        nonlocal at
        parts = [term()]
        while at < len(tokens) and tokens[at] not in (")", "]", ";", ",", "|}"):
            if tokens[at].startswith("%"):
                at += 1
            else:
                parts.append(term())
        return parts[0] if len(parts) == 1 else tuple(parts)

    return application()


def size(s, sizes):
    if s[0] == "SConst":
        return int(s[1])
    if s[0] == "SVar":
        return sizes[int(s[1])]
    a, b = size(s[1], sizes), size(s[2], sizes)
    return a + b if s[0] == "SAdd" else a * b


UNARY = {"Neg": lambda x: -x, "Abs": abs, "Sqrt": lambda x: math.sqrt(abs(x)), "Exp": lambda x: math.exp(min(x, 50)), "Tanh": math.tanh,
         "Log": lambda x: math.log(abs(x) + 1e-30), "Sin": math.sin, "Cos": math.cos, "Erf": math.erf, "Atan": math.atan, "Tan": math.tan, "Sinh": lambda x: math.sinh(max(min(x, 50), -50)),
         "Cosh": lambda x: math.cosh(max(min(x, 50), -50)), "Floor": math.floor, "Ceil": math.ceil}
BINARY = {"Add": lambda x, y: x + y, "Sub": lambda x, y: x - y, "Mul": lambda x, y: x * y, "Div": lambda x, y: x / (y or 1e-30), "Max": max,
          "Min": min, "Pow": lambda x, y: abs(x) ** y if x else 0.0, "Less": lambda x, y: float(x < y), "LessEq": lambda x, y: float(x <= y),
          "Equal": lambda x, y: float(x == y)}


class Evaluator:
    """Every element of a kernel's output at given sizes; a tensor is a function of a tuple of indices."""

    def __init__(self, sizes, inputs):
        self.sizes, self.inputs = sizes, inputs

    def index(self, t, iv):
        if isinstance(t, str):
            raise ValueError(t)
        head = t[0]
        if head == "IVar":
            return iv[int(t[1])] if int(t[1]) < len(iv) else 0
        if head == "ICon":
            return int(t[1])
        if head == "ISize":
            return size(t[1], self.sizes)
        if head == "IAdd":
            return self.index(t[1], iv) + self.index(t[2], iv)
        if head == "IScale":
            return int(t[1]) * self.index(t[2], iv)
        return self.index(t[1], iv) // int(t[2]) if head == "IDiv" else self.index(t[1], iv) % int(t[2])

    def holds(self, c, iv):
        if c == "CTrue":
            return True
        if c[0] in ("CLe", "CEq"):
            a, b = self.index(c[1], iv), self.index(c[2], iv)
            return a <= b if c[0] == "CLe" else a == b
        if c[0] == "CNot":
            return not self.holds(c[1], iv)
        a, b = self.holds(c[1], iv), self.holds(c[2], iv)
        return a and b if c[0] == "CAnd" else a or b

    def body(self, b, iv, tensors):
        if b[0] == "BCon":
            return float(int(b[1][1])) * 2.0 ** int(b[1][2]) if b[1][0] == "Dyadic" else float(int(b[1][1]))
        if b[0] == "BRead":
            at = [self.index(i, iv) for _, i, _ in b[2]]
            inside = all(0 <= i < size(n, self.sizes) for i, (_, _, n) in zip(at, b[2]))
            return tensors[int(b[1])](tuple(at)) if inside and int(b[1]) < len(tensors) else 0.0
        if b[0] == "BIf":
            return self.body(b[2] if self.holds(b[1], iv) else b[3], iv, tensors)
        args = [self.body(a, iv, tensors) for a in b[2:]]
        if b[0] == "BOp1":
            return UNARY[b[1]](args[0])
        if b[0] == "BOp2":
            return BINARY[b[1]](*args)
        return (args[1] if args[0] else args[2]) if b[1] == "Sel" else args[0] * args[1] + args[2]

    def summand(self, s, iv, tensors):
        def run(loops, iv):
            if not loops:
                return self.body(s["su_body"], iv, tensors) if self.holds(s["su_cond"], iv) else 0.0
            return sum(run(loops[1:], (i,) + iv) for i in range(size(loops[0], self.sizes)))
        return run(s["su_loops"], iv)

    def element(self, statement, at, tensors):
        return sum(self.summand(s, tuple(reversed(at)), tensors) for s in statement["st_summands"])

    def tensor(self, statement, tensors):
        known = {}
        def at(indices):
            if indices not in known:
                known[indices] = self.element(statement, indices, tensors)
            return known[indices]
        return at

    def output(self, kernel):
        """The extents, and the elements in order."""
        tensors = list(self.inputs)
        for local in kernel["ik_locals"]:
            tensors = [self.tensor(local, tensors)] + tensors
        extents = [size(n, self.sizes) for n in kernel["ik_output"]["st_extents"]]
        points = [()]
        for n in extents:
            points = [p + (i,) for p in points for i in range(n)]
        return extents, [self.element(kernel["ik_output"], p, tensors) for p in points]
