"""A library that `vouch build` wrote: compiled, loaded with ctypes, run on tensors of a folder, compared with its reference."""
import array
import ctypes
import json
import math
import pathlib
import shutil
import struct
import subprocess

WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
ROUNDING = ["-ffp-contract=off"]
# Of the shared models' inputs, those that have names.
SIZES = {"ppocr_cls": ["p2o.DynamicDimension.0=1", "p2o.DynamicDimension.1=48", "p2o.DynamicDimension.2=192"],
         "transformer": ["batch=1", "tokens=8"], "t5_encoder": ["batch=1", "tokens=8"]}


def sources(folder):
    return [path for path in sorted([*folder.glob("*.c"), *folder.glob("kernels/*.c")]) if path.name != "example.c"]


def compile_shared(folder, out, compiler="gcc", flags=("-O2", "-fopenmp-simd")):
    """The shared object; raises with the compiler's words."""
    words = [compiler, *WARNINGS, *ROUNDING, *flags, "-shared", "-fPIC", "-o", out, *sources(folder), "-lm"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{compiler}: {done.stderr[:2000]}")
    return out


def lying_recipes(checks, vouch, option, chosen, plain):
    """A library that was made by choice of this option and says not, one that was not and says so, and a word that is no choice."""
    for folder, lying in ((chosen, None), (plain, True), (chosen, "yes")):
        copy = folder.parent / f"lying_{folder.name}_{lying}"
        shutil.copytree(folder, copy)
        manifest = json.loads((copy / "manifest.json").read_text())
        manifest["recipe"].pop(option, None)
        if lying is not None:
            manifest["recipe"][option] = lying
        (copy / "manifest.json").write_text(json.dumps(manifest))
        code, out, err = vouch("verify", copy, limited=False, seconds=600)
        words = "with its recipe" if lying == "yes" else "kernels/"
        checks.that(code == 1 and words in out + err, f"a recipe with {option} = {lying}: exit {code}: {out[:400]}{err[:400]}")


def node(name, op, *operands, **attributes):
    """A call in a model that is written as JSON."""
    return {"name": name, "op": op, "operands": list(operands), **({"attributes": attributes} if attributes else {})}


def weights(chance, name, *dims):
    """A parameter in such a model, with random multiples of 1/32."""
    data = [chance.randrange(-64, 65) / 32 for _ in range(math.prod(dims))]
    return {"name": name, "kind": "parameter", "type": "float32", "dims": list(dims), "data": data}


# An element's type by its name in the model: of Python's array, of C.
CODES = {"float32": "f", "float64": "d", "int32": "i", "int64": "q", "bool": "b", "float16": "H", "int8": "b", "uint8": "B",
         "bfloat16": "H", "int16": "h", "uint16": "H", "uint32": "I", "uint64": "Q"}
C_TYPES = {"float32": ctypes.c_float, "float64": ctypes.c_double, "int32": ctypes.c_int32, "int64": ctypes.c_int64, "bool": ctypes.c_int8,
           "float16": ctypes.c_uint16, "int8": ctypes.c_int8, "uint8": ctypes.c_uint8, "bfloat16": ctypes.c_uint16,
           "int16": ctypes.c_int16, "uint16": ctypes.c_uint16, "uint32": ctypes.c_uint32, "uint64": ctypes.c_uint64}


def half_bits(values):
    """As float16 is held: its bits."""
    return list(struct.unpack(f"{len(values)}H", struct.pack(f"{len(values)}e", *values)))


def bfloat(value):
    """The nearest bfloat16, ties to even: a multiple of the last place that it has there."""
    if value != value or math.isinf(value) or value == 0:
        return value
    place = 2.0 ** (max(math.frexp(value)[1] - 1, -126) - 7)
    near = round(value / place) * place
    return math.copysign(math.inf if abs(near) >= 2.0 ** 128 else abs(near), value)


def bfloat_bits(values):
    """Of bfloat16: the upper half of a float32."""
    return [bits >> 16 for bits in struct.unpack(f"{len(values)}I", struct.pack(f"{len(values)}f", *values))]


def numbers(kind, held):
    if kind == "bfloat16":
        return list(struct.unpack(f"{len(held)}f", struct.pack(f"{len(held)}I", *(bits << 16 for bits in held))))
    return list(struct.unpack(f"{len(held)}e", struct.pack(f"{len(held)}H", *held))) if kind == "float16" else held


def tensors(io, prefix):
    """A folder's tensors by the name in the model."""
    found = {}
    for path in pathlib.Path(io).glob(f"{prefix}*.json"):
        about = json.loads(path.read_text())
        raw = path.with_name(f"{path.stem}.{about['type']}.bin").read_bytes()
        found[about["name"]] = numbers(about["type"], array.array(CODES[about["type"]], raw))
    return found


# NumPy has no bfloat16: the bits.
NPY_TYPES = {"float32": "<f4", "float64": "<f8", "int32": "<i4", "int64": "<i8", "bool": "|b1", "float16": "<f2", "int8": "|i1", "uint8": "|u1",
             "bfloat16": "<u2", "int16": "<i2", "uint16": "<u2", "uint32": "<u4", "uint64": "<u8"}


def put_npy(path, kind, dims, values):
    """A tensor as the library's example reads it; `values`: elements as they are held."""
    header = f"{{'descr': '{NPY_TYPES[kind]}', 'fortran_order': False, 'shape': {tuple(dims)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    body = struct.pack(f"<{len(values)}{CODES[kind]}", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body)


def put_input(io, name, kind, dims, values):
    """An input as `vouch run --io` reads it; `values`: an array of that type."""
    (pathlib.Path(io) / f"in_{name}.{kind}.bin").write_bytes(bytes(values))
    (pathlib.Path(io) / f"in_{name}.json").write_text(json.dumps({"name": name, "type": kind, "dims": dims}))


def cells(kind, count):
    return (C_TYPES[kind] * max(count, 1))()


def floats(count):
    return cells("float32", count)


class Loaded:
    def __init__(self, folder, shared, at=None):
        """`at`: the sizes that a library with several is told, by their names in the model."""
        self.manifest = json.loads((folder / "manifest.json").read_text())
        self.told = [ctypes.c_size_t(at[one["name"]]) for one in self.manifest.get("told", [])]
        self.plan = next((plan for plan in self.manifest.get("plans", []) if plan["sizes"] == at), self.manifest)
        self.name = self.manifest["recipe"]["name"]
        self.embedded = self.manifest["recipe"]["embed"]
        self.c = ctypes.CDLL(str(shared))
        memory = self.manifest["memory"]
        self.weight_floats = memory["weight_cells"]["float32"]
        self.weights = floats(self.weight_floats)
        self.more = self.more_arenas(memory["arena_cells"])
        self.arena_floats = 0 if self.more else memory["arena_cells"]["float32"]
        self.arena = floats(self.arena_floats)
        self.by_file = not self.embedded and self.weight_floats > 0
        self.weights_path = folder / f"{self.name}.weights"

    @staticmethod
    def more_arenas(counts):
        """The arena as a union, where elements live in it that are no float32."""
        fields = [(f"arena_{kind}", C_TYPES[kind] * count) for kind, count in counts.items() if count > 0]
        others = any(count > 0 for kind, count in counts.items() if kind != "float32")
        return type("More", (ctypes.Union,), {"_fields_": fields})() if others else None

    def function(self, what):
        return getattr(self.c, f"{self.name}_{what}")

    def load(self, path=None, count=None):
        size = self.weight_floats if count is None else count
        return self.function("load_weights")(str(path or self.weights_path).encode(), self.weights, ctypes.c_size_t(size))

    def words(self, given, outs, arena=None, arena_floats=None, weights=None):
        """What NAME_run takes, in its order."""
        words = [*self.told, *given, *outs]
        words += [self.weights if weights is None else weights] if self.by_file else []
        words += [self.arena if arena is None else arena, ctypes.c_size_t(self.arena_floats if arena_floats is None else arena_floats)]
        return words + ([ctypes.byref(self.more)] if self.more else [])

    def outputs(self):
        return [cells(one["type"], one["cells"]) for one in self.plan["outputs"]]

    def run(self, given, outputs=None, **others):
        """The code, and the outputs by name."""
        outs = outputs or self.outputs()
        code = self.function("run")(*self.words(given, outs, **others))
        return code, {one["name"]: numbers(one["type"], out) for one, out in zip(self.manifest["outputs"], outs)}

    def inputs(self, io):
        named = tensors(io, "in_")
        return [(C_TYPES[one["type"]] * one["cells"])(*named[one["name"]]) for one in self.plan["inputs"]]


def largest_error(found, expected):
    """Relative to the largest magnitude, per output; infinite where something is no number."""
    worst = 0.0
    for name, values in expected.items():
        scale = max(map(abs, values)) or 1.0
        for a, b in zip(found[name], values, strict=True):
            worst = max(worst, abs(a - b) / scale if a == a else float("inf"))
    return worst
