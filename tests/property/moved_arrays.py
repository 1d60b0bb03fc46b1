"""Steps that move, join or reduce, drawn at random: in GSL, and as functions of NumPy arrays."""
import itertools

import numpy


class NoValue(Exception):
    """The operator does not take these sizes, or ONNX leaves open what it gives."""


FAR = (1 << 63) - 1


def needs(holds):
    if not holds:
        raise NoValue


def listed(numbers):
    return "(" + "".join(f"{n}, " for n in numbers) + ")"


def integers(numbers):
    return f"const {{value = {listed(numbers)}, dtype = int64}}"


def position(axis, rank):
    needs(-rank <= axis < rank)
    return axis % rank


def cut(x, start, end, axis, step):
    axis = position(axis, x.ndim)
    needs(step > 0 or end != FAR)  # backwards to the largest integer is read in two ways
    return x[(slice(None),) * axis + (slice(start, None if end == FAR else end, step),)]


def padded(x, low, high, axis, mode):
    axis = position(axis, x.ndim)
    needs(mode not in ("reflect", "wrap") or max(low, high) < x.shape[axis] + (mode == "wrap"))
    widths = [(low, high) if a == axis else (0, 0) for a in range(x.ndim)]
    return numpy.pad(x, widths, mode=mode)


def window(x, kind, size, step, pads, ceil, counted):
    needs(x.ndim == 3 and max(pads) < size <= x.shape[2] + sum(pads))
    n, out = x.shape[2], []
    last = (n + sum(pads) - size + (step - 1 if ceil else 0)) // step
    for o in range(last + 1):
        reach = range(o * step - pads[0], o * step - pads[0] + size)
        inside = [k for k in reach if 0 <= k < n]
        if o * step >= n + pads[0]:
            continue  # a window that begins in the padding behind is none
        needs(inside)
        divisor = sum(k < n + pads[1] for k in reach) if counted else len(inside)
        out.append(x[:, :, inside].max(axis=2) if kind == "MaxPool" else x[:, :, inside].sum(axis=2) / divisor)
    return numpy.stack(out, axis=2)


def moved(rank, draw):
    """A unary step: what wraps its operand's text, and what it does."""
    axis = draw.randint(-2, 1)
    kinds = "slice slice slice slice pad pad pad reduce reduce reduce reshape reshape transpose transpose pool pool"
    kind = draw.choice(f"{kinds} gather tile cumsum trilu split unsqueeze flatten reverse relu".split())
    if kind == "slice":
        start, end, step = draw.choice([0, 1, 2, -1, -2, 3]), draw.choice([FAR, 1, 2, 3, -1, -2, 0]), draw.choice([1, 1, 1, 2, -1, -2])
        return f"Slice(%s, {', '.join(integers([v]) for v in (start, end, axis, step))})", lambda x: cut(x, start, end, axis, step)
    if kind == "pad":
        low, high, mode = draw.choice([0, 1, 2]), draw.choice([0, 1]), draw.choice(["constant", "edge", "reflect", "wrap"])
        return f'Pad(%s, {integers([low, high])}, _, {integers([axis])}) {{mode = "{mode}"}}', lambda x: padded(x, low, high, axis, mode)
    if kind == "reduce":
        op, does = draw.choice([("Sum", numpy.sum), ("Max", numpy.max), ("Min", numpy.min), ("Mean", numpy.mean), ("Prod", numpy.prod)])
        axes, keep = draw.choice([[axis], [0, -1], [axis]]), draw.randint(0, 1)
        return (f"Reduce{op}(%s, {integers(axes)}) {{keepdims = {keep}, noop_with_empty_axes = 0}}",
                lambda x: reduced(does, x, distinct(axes, x.ndim), bool(keep)))
    if kind == "reshape":
        sizes = draw.choice([[-1], [0, -1], [1, -1], [-1, 1], [2, -1], [-1, 2], [0, 1, -1], [-1, 0], [3, -1], [2, 2, -1]])
        return f"Reshape(%s, {integers(sizes)}) {{allowzero = 0}}", lambda x: x.reshape([x.shape[k] if s == 0 else s for k, s in enumerate(sizes)])
    if kind == "transpose":
        order = draw.sample(range(rank), rank)
        return f"Transpose(%s) {{perm = {listed(order)}}}", lambda x: numpy.transpose(x, order)
    if kind == "pool":
        op, size, step, pads = draw.choice(["MaxPool", "AveragePool"]), draw.randint(1, 3), draw.randint(1, 3), [draw.randint(0, 1) for _ in "ab"]
        ceil, counted = draw.randint(0, 1), draw.randint(0, 1)
        more = "storage_order = 0" if op == "MaxPool" else f"count_include_pad = {counted}"
        return (f'{op}(%s) {{kernel_shape = ({size},), strides = ({step},), pads = {listed(pads)}, ceil_mode = {ceil}, dilations = (1,), '
                f'auto_pad = "NOTSET", {more}}}', lambda x: window(x, op, size, step, pads, ceil, counted))
    if kind == "gather":
        at = draw.choice([[0], [-1], [0, 0], [1, 0], [0, -1], [2]])
        return f"Gather(%s, {integers(at)}) {{axis = {axis}}}", lambda x: numpy.take(x, at, axis=position(axis, x.ndim))
    if kind == "tile":
        times = [draw.choice([1, 1, 2, 3]) for _ in range(rank)]
        return f"Tile(%s, {integers(times)})", lambda x: tiled(x, times)
    if kind == "cumsum":
        exclusive, backwards = draw.randint(0, 1), draw.randint(0, 1)
        return (f"CumSum(%s, const {{value = {axis}, rank = 0, dtype = int64}}) {{exclusive = {exclusive}, reverse = {backwards}}}",
                lambda x: summed(x, position(axis, x.ndim), exclusive, backwards))
    if kind == "trilu":
        k, upper = draw.randint(-2, 2), draw.randint(0, 1)
        return (f"Trilu(%s, const {{value = {k}, rank = 0, dtype = int64}}) {{upper = {upper}}}",
                lambda x: triangle(x, k, upper))
    if kind == "split":
        parts, item = draw.choice([2, 3]), draw.randint(0, 1)
        return f"Split(%s) {{axis = {axis}, num_outputs = {parts}}}[{item}]", lambda x: part(x, position(axis, x.ndim), parts, item)
    if kind == "unsqueeze":
        return f"Unsqueeze(%s, {integers([axis])})", lambda x: numpy.expand_dims(x, position(axis, x.ndim + 1))
    if kind == "flatten":
        return f"Flatten(%s) {{axis = {axis}}}", lambda x: x.reshape(int(numpy.prod(x.shape[:position(axis, x.ndim)])), -1)
    if kind == "reverse":
        front = max(axis, 0)
        return f"reverse(%s) {{axes = ({front},)}}", lambda x: numpy.flip(x, position(front, x.ndim))
    return "Relu(%s)", lambda x: numpy.maximum(x, 0)


def tiled(x, times):
    needs(x.ndim == len(times))
    return numpy.tile(x, times)


def triangle(x, k, upper):
    needs(x.ndim >= 2)
    return (numpy.triu if upper else numpy.tril)(x, k)


def reduced(does, x, axes, keep):
    needs(x.size > 0)
    return does(x, axis=axes, keepdims=keep)


def distinct(axes, rank):
    at = tuple(position(a, rank) for a in axes)
    needs(len(set(at)) == len(at))
    return at


def summed(x, axis, exclusive, backwards):
    x = numpy.flip(x, axis) if backwards else x
    sums = numpy.cumsum(x, axis=axis) - (x if exclusive else 0)
    return numpy.flip(sums, axis) if backwards else sums


def part(x, axis, parts, item):
    each = -(-x.shape[axis] // parts)
    needs(each * (parts - 1) < x.shape[axis])
    return numpy.split(x, [each * k for k in range(1, parts)], axis=axis)[item]


class Movement:
    """Expressions of one input of this rank: (text, what it gives at each shape, nothing where it has no value)."""

    def __init__(self, rank, draw):
        self.rank, self.draw = rank, draw
        largest = {1: 7, 2: 5, 3: 4}[rank]
        self.shapes = list(itertools.product(range(1, largest + 1), repeat=rank))
        numbers = numpy.random.default_rng(rank)
        self.inputs = [(numbers.permutation(int(numpy.prod(s))) * 3.0 - numpy.prod(s) - 1).reshape(s) for s in self.shapes]
        self.conditions = [("", lambda s: True)] * 6
        for axis, n in itertools.product(range(rank), (1, 2, 3)):
            self.conditions += [(f" where x.shape[{axis}] {op} {n};", lambda s, a=axis, n=n, holds=holds: holds(s[a], n))
                                for op, holds in (("==", int.__eq__), (">=", int.__ge__), ("% 2 == 0 and x.rank >=", lambda s, n: s % 2 == 0))]

    def steps(self, depth):
        if depth == 0:
            return "x", lambda x: x
        text, does = self.steps(depth - 1)
        if self.draw.random() < 0.25:
            other, also = self.steps(self.draw.randrange(depth))
            op, join = self.draw.choice([("Add(%s, %s)", numpy.add), ("maximum(%s, %s)", numpy.maximum), ("Mul(%s, %s)", numpy.multiply),
                                    ("Concat((%s, %s)) {axis = 0}", lambda a, b: numpy.concatenate((a, b)))])
            return op % (text, other), lambda x: join(does(x), also(x))
        form, last = moved(self.rank, self.draw)
        return form % text, lambda x: last(does(x))

    def call(self, depth):
        text, does = self.steps(depth)
        out = []
        for x in self.inputs:
            try:
                with numpy.errstate(all="ignore"):
                    value = numpy.asarray(does(x))
            except (NoValue, ValueError, IndexError):
                value = None
            out.append(value if value is not None and 0 < value.size < 4000 else None)
        return text, out

    def places(self, expression):
        for k in self.draw.sample(range(len(self.shapes)), min(8, len(self.shapes))):
            value = expression[1][k]
            if value is not None:
                yield k, value.shape, (numpy.round(value, 9) + 0.0).tobytes()

    def rule(self, source, target, name):
        """(text, is it true, where it is not); nothing where these two are no rule."""
        condition, holds = self.draw.choice(self.conditions)
        at = [k for k, shape in enumerate(self.shapes) if holds(shape) and source[1][k] is not None]
        wrong = [self.shapes[k] for k in at if target[1][k] is None or source[1][k].shape != target[1][k].shape
                 or not numpy.allclose(source[1][k], target[1][k])]
        if source[0] == "x" or not at or (not wrong and self.draw.random() < 0.5):
            return None
        text = f"rule {name} {{ let x = * {{rank = {self.rank}, dtype = float32}};{condition} source {source[0]}; target {target[0]}; }}"
        return text, not wrong, f"shape {wrong[0] if wrong else None}"
