#include "equiv/widen.h"

#include <algorithm>
#include <iterator>

#include "support/fault.h"

namespace vouch {
namespace {

Type widened(Type type) {
  return type.is_tensor() && type.dtype() == DType::Float32 ? Type::tensor(DType::Float64, type.extents()) : type;
}

// A number, or the numbers of a list, changed as a constant of float64 would be.
AttrValue changed(const AttrValue& value, const Widening& how) {
  if (const AttrTuple* items = value.tuple()) {
    AttrTuple out;
    std::transform(items->begin(), items->end(), std::back_inserter(out),
                   [&](const AttrValue& item) { return changed(item, how); });
    return AttrValue(std::move(out));
  }
  const Term* number = value.number();
  if (number == nullptr || number->kind() != TermKind::RealConst) {
    return value;
  }
  Tensor scalar(DType::Float64, Extents{});
  scalar.set_double(0, double_of((*number)->value));
  return AttrValue::of_float(how.changed(std::move(scalar)).double_at(0));
}

// Nothing if a graph in an attribute is ill-typed then.
std::optional<AttrDict> widened(const OpDef& def, AttrDict attributes, const Widening& how) {
  AttrDict out = attributes;
  for (const AttrDef& attr : def.attributes) {
    const AttrValue* value = attributes.find(attr.name);
    if (value == nullptr) {
      continue;
    }
    bool names_type = attr.type == AttrType::DType && value->string() && parse_dtype(*value->string()) == DType::Float32;
    bool is_float_number = attr.type == AttrType::Float || attr.type == AttrType::Floats;
    if (is_float_number && how.changed) {
      out = out.with(Symbol(attr.name), changed(*value, how));
    } else if (names_type) {
      out = out.with(Symbol(attr.name), AttrValue(std::string(dtype_name(DType::Float64))));
    } else if (const Tensor* tensor = value->tensor(); tensor && tensor->dtype() == DType::Float32) {
      out = out.with(Symbol(attr.name), AttrValue(std::make_shared<const Tensor>(widened(*tensor))));
    } else if (value->graph() != nullptr) {
      auto nested = widened(*value->graph(), {how.changed, {}});
      if (!nested) {
        return std::nullopt;
      }
      out = out.with(Symbol(attr.name), AttrValue(std::make_shared<const Graph>(std::move(*nested))));
    }
  }
  return out;
}

NodeId add_widened(Graph& out, const Graph& graph, NodeId node, const Widening& how) {
  std::vector<NodeId> operands(graph.operands(node).begin(), graph.operands(node).end());
  for (NodeId& operand : operands) {
    operand = operand == kNoNode || how.stand_ins.empty() ? operand : how.stand_ins[operand];
  }
  Diagnostics ignored;
  switch (graph.kind(node)) {
    case NodeKind::Input: return out.add_input(graph.name(node), widened(graph.type(node)));
    case NodeKind::Parameter:
    case NodeKind::Constant: {
      Tensor wide = widened(graph.value(node));
      return out.add_constant(how.changed ? how.changed(std::move(wide)) : std::move(wide));
    }
    case NodeKind::Tuple: return out.add_tuple(operands);
    case NodeKind::Projection: return out.add_projection(operands[0], graph.projection_index(node));
    case NodeKind::Call: {
      auto attributes = widened(op_def(graph.op(node)), graph.attributes(node), how);
      return attributes ? out.add_call(graph.op(node), operands, *attributes, ignored) : kNoNode;
    }
    case NodeKind::Erased: break;
  }
  return kNoNode;
}

}  // namespace

Tensor widened(const Tensor& tensor) {
  if (tensor.dtype() != DType::Float32) {
    return tensor;
  }
  Tensor out(DType::Float64, tensor.extents());
  for (std::int64_t at = 0; at < tensor.count(); ++at) {
    out.set_double(at, tensor.double_at(at));
  }
  return out;
}

std::optional<Graph> widened(const Graph& graph, const Widening& how) {
  Graph out;
  for (NodeId node = 0; node < graph.id_limit(); ++node) {
    if (add_widened(out, graph, node, how) != node) {
      return std::nullopt;
    }
  }
  for (const GraphOutput& output : graph.outputs()) {
    out.add_output(output.name, how.stand_ins.empty() ? output.node : how.stand_ins[output.node]);
  }
  return out;
}

Graph prefix(const Graph& graph, NodeId end, const std::vector<Type>& inputs) {
  Graph out;
  for (NodeId node = 0; node < end; ++node) {
    std::vector<NodeId> operands(graph.operands(node).begin(), graph.operands(node).end());
    Diagnostics ignored;
    switch (graph.kind(node)) {
      case NodeKind::Input:
        out.add_input(graph.name(node), inputs.empty() ? graph.type(node) : inputs[out.inputs().size()]);
        break;
      case NodeKind::Parameter:
      case NodeKind::Constant: out.add_constant(graph.value(node)); break;
      case NodeKind::Tuple: out.add_tuple(operands); break;
      case NodeKind::Projection: out.add_projection(operands[0], graph.projection_index(node)); break;
      case NodeKind::Call: out.add_call(graph.op(node), operands, graph.attributes(node), ignored); break;
      case NodeKind::Erased: break;
    }
    if (out.id_limit() != node + 1) {
      ensure(!inputs.empty(), "what was well-typed is");
      break;
    }
  }
  return out;
}

}  // namespace vouch
