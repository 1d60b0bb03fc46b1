"""Random kernels in index notation over several element types, each with what numpy says of it: integers wrap, floats are IEEE's, a NaN
loses to a number in `max` and `min`, a float that is no integer of a type becomes its least one."""
import numpy as np

COMPUTED = {"float": np.float32, "double": np.float64, "int": np.int32, "int64": np.int64}
HELD = {**COMPUTED, "bool": np.bool_}
BITS = {"int": 32, "int64": 64}
FLOATS = [0.0, -0.0, 1.0, -1.5, 0.1, 2.5, -2147483648.0, 2147483647.0, 4294967296.5, -9.3e18, 16777217.0, 1e-40, 3e38, -3e38, np.inf, -np.inf, np.nan]


def sample(held):
    if held == "bool":
        return np.array([False, True])
    if held in BITS:
        largest = (1 << (BITS[held] - 1)) - 1
        return np.array([0, 1, -1, 2, 7, -46341, 46341, largest // 3, largest - 1, largest, -largest, -largest - 1], HELD[held])
    return np.array(FLOATS if held == "float" else FLOATS + [1e300, -5e-324, 9007199254740993.0], HELD[held])


def is_float(held):
    return held in ("float", "double")


def converted(values, to):
    """As the C text converts: a float is cut towards zero, to the least integer where none is near."""
    kind, given = HELD[to], values.dtype
    if kind == given.type:
        return values
    if to == "bool":
        return values != 0
    if to in BITS and given.kind == "f":
        bound = 2.0 ** (BITS[to] - 1)
        inside = (values >= -bound) & (values < bound)
        return np.where(inside, np.trunc(np.where(inside, values, 0)).astype(kind), np.iinfo(kind).min)
    return values.astype(kind)


def greatest(a, b):
    return np.where(a != a, b, np.where(a < b, b, a)) if a.dtype.kind == "f" else np.maximum(a, b)


def least(a, b):
    return np.where(a != a, b, np.where(b < a, b, a)) if a.dtype.kind == "f" else np.minimum(a, b)


class Expression:
    def __init__(self, text, values, is_number=False):
        self.text, self.values, self.is_number = text, values, is_number


class Kernel:
    """`r[i]` of `a[i]`, `b[i]`, and `m[i]`, a truth value; `expected` is what it is to be for all triples of extreme values. Numbers
    meet tensors only: what is worked out of numbers alone is exact, and rounded once."""

    def __init__(self, name, random):
        self.name, self.random = name, random
        self.computed = random.choice(list(COMPUTED))
        kinds = [self.computed] * 3 + list(HELD)
        self.types = {"a": random.choice(kinds), "b": random.choice(kinds), "m": "bool", "r": random.choice(kinds)}
        grids = np.meshgrid(*(sample(self.types[x]) for x in "abm"), indexing="ij")
        self.inputs = dict(zip("abm", (np.ascontiguousarray(grid.ravel()) for grid in grids)))
        with np.errstate(all="ignore"):
            body = self.value(random.randint(2, 5))
            self.expected = converted(body.values, self.types["r"])
        self.read = [x for x in "abm" if f"{x}<n>" in body.text]
        held = "".join(f"type {self.types[x]} {x};\n" for x in (*self.read, "r") if self.types[x] != self.computed)
        self.text = f"kernel {name};\nsize n;\nin {', '.join(self.read)};\nout r;\ntype {self.computed};\n{held}r<n>[i] = {body.text};\n"

    def value(self, depth):
        pick = self.random.random()
        if depth == 0 or pick < 0.1:
            return self.read_of(self.random.choice("aabbm"))
        if pick < 0.3:
            condition, x, y = self.condition(depth - 1), self.value(depth - 1), self.or_number(depth - 1)
            return Expression(f"select({condition.text}, {x.text}, {y.text})", np.where(condition.values, x.values, y.values))
        return self.of_one(self.value(depth - 1)) if pick < 0.45 else self.of_two(self.value(depth - 1), self.or_number(depth - 1))

    def read_of(self, tensor):
        return Expression(f"{tensor}<n>[i]", converted(self.inputs[tensor], self.computed))

    def or_number(self, depth):
        return self.number() if self.random.random() < 0.2 else self.value(depth)

    def number(self):
        count = len(self.inputs["a"])
        if is_float(self.computed):
            text = self.random.choice(["0.1", "2.5", "3", "0", "1e-6", "16777217", "1e30"])
            return Expression(text, np.full(count, float(text)).astype(COMPUTED[self.computed]), True)
        most = (1 << (BITS[self.computed] - 1)) - 1
        number = self.random.choice([0, 1, 3, 46341, most, most // 2])
        return Expression(str(number), np.full(count, number, COMPUTED[self.computed]), True)

    def of_one(self, x):
        name = self.random.choice(["-", "abs"] + (["sqrt"] if is_float(self.computed) else []))
        function = {"-": np.negative, "abs": np.abs, "sqrt": np.sqrt}[name]
        return Expression(f"(-{x.text})" if name == "-" else f"{name}({x.text})", function(x.values))

    def of_two(self, x, y):
        name = self.random.choice(["+", "-", "*", "max", "min"] + (["/"] if is_float(self.computed) and not y.is_number else []))
        function = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "max": greatest, "min": least}[name]
        text = f"{name}({x.text}, {y.text})" if name in ("max", "min") else f"({x.text} {name} {y.text})"
        return Expression(text, function(x.values, y.values))

    def condition(self, depth):
        """Of integers, tensors and numbers alone are compared: what is worked out of them is compared in 64 bits, by definition."""
        pick = self.random.random()
        if depth > 0 and pick < 0.3:
            name = self.random.choice(["&&", "||"])
            x, y = self.condition(depth - 1), self.condition(depth - 1)
            return Expression(f"({x.text} {name} {y.text})", x.values & y.values if name == "&&" else x.values | y.values)
        if depth > 0 and pick < 0.45:
            x = self.condition(depth - 1)
            return Expression(f"!({x.text})", ~x.values)
        x, y = self.compared(depth)
        name = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        function = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal}[name]
        return Expression(f"({x.text} {name} {y.text})", function(x.values, y.values))

    def compared(self, depth):
        if not is_float(self.computed):
            x, y = self.read_of(self.random.choice("abm")), self.or_number(0)
            return x, self.number() if x.text == y.text else y  # of an integer with itself clang warns
        if all(is_float(self.types[x]) for x in "ab"):
            return self.value(min(depth, 2)), self.or_number(0)
        half = Expression("0.5", np.full(len(self.inputs["a"]), 0.5, COMPUTED[self.computed]))
        return self.value(min(depth, 2)), half
