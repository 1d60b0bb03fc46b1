"""What planting a fault in a model takes: questions to the model, and ways to alter one of two copies of it.

A plant is a function of both copies; it returns what the tensors that differ first may be called."""
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


class Model:
    """A model with what the kinds ask of it."""

    def __init__(self, proto):
        self.proto = proto
        graph = proto.graph
        self.nodes = graph.node
        self.constants = {t.name: t for t in graph.initializer}
        self.constants |= {n.output[0]: n.attribute[0].t for n in graph.node if n.op_type == "Constant" and n.attribute[0].HasField("t")}
        typed = onnx.shape_inference.infer_shapes(proto).graph
        self.types = {v.name: v.type.tensor_type for v in [*typed.value_info, *typed.input, *typed.output]}
        self.outputs = {o.name for o in graph.output}
        self.users = {}
        for node in graph.node:
            for name in node.input:
                self.users.setdefault(name, []).append(node)

    def shape(self, name):
        """None where a dimension is not known."""
        if name in self.constants:
            return tuple(self.constants[name].dims)
        kind = self.types.get(name)
        if kind is None or not kind.HasField("shape"):
            return None
        dims = [d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim]
        return None if None in dims else tuple(dims)

    def is_float(self, name):
        return name in self.types and self.types[name].elem_type == TensorProto.FLOAT

    def floats(self, name):
        found = self.constants.get(name)
        return numpy_helper.to_array(found) if found is not None and found.data_type == TensorProto.FLOAT else None

    def where(self, *ops):
        return [(k, n) for k, n in enumerate(self.nodes) if n.op_type in ops]


def attribute(node, name, default=None):
    for a in node.attribute:
        if a.name == name:
            return helper.get_attribute_value(a)
    return default


def set_attribute(node, name, value):
    kept = [a for a in node.attribute if a.name != name]
    del node.attribute[:]
    node.attribute.extend([*kept, helper.make_attribute(name, value)])


def at_node(number, change):
    """A plant that alters one node of the second copy."""
    def plant(base, changed):
        node = changed.graph.node[number]
        change(node, changed.graph)
        return told(node)
    return plant


def told(node):
    """What a node may be called."""
    return {node.name or node.output[0], *node.output}


def with_attribute(number, name, value):
    return at_node(number, lambda node, graph: set_attribute(node, name, value))


def fresh(graph, array, name="planted"):
    """A new initialiser."""
    taken = {t.name for t in graph.initializer}
    while name in taken:
        name += "_"
    graph.initializer.append(numpy_helper.from_array(numpy.asarray(array), name))
    return name


def with_operand(number, position, array):
    """A plant that gives a node of the second copy another constant."""
    def change(node, graph):
        node.input[position] = fresh(graph, array)
    return at_node(number, change)


def left_out(number):
    """Users read what the node read."""
    def change(node, graph):
        kept = node.input[0], node.output[0]
        del node.attribute[:]
        del node.input[1:]
        node.op_type, node.domain = "Identity", ""
        assert kept == (node.input[0], node.output[0])
    return at_node(number, change)


def inserted(base, changed, tensor, make_base, make_changed):
    """Nodes between a tensor and all its readers, in both copies; `make(graph, source, target)` gives them."""
    for proto, make in ((base, make_base), (changed, make_changed)):
        graph = proto.graph
        position = next(k for k, n in enumerate(graph.node) if tensor in n.output) + 1
        readers = [n for n in graph.node if tensor in n.input]
        for reader in readers:
            for k, name in enumerate(reader.input):
                reader.input[k] = f"{tensor}.kept" if name == tensor else name
        for made in reversed(make(graph, tensor, f"{tensor}.kept")):
            graph.node.insert(position, made)
    return {f"{tensor}.kept", f"{tensor}.steps"}
