#include "equiv/widen.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "graph/conversion.h"
#include "graph/foreign.h"
#include "graph/order.h"
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

// What became of graphs in attributes.
using WideBodies = std::unordered_map<const Graph*, std::shared_ptr<const Graph>>;

std::optional<WideGraph> widened(const Graph& graph, const Widening& how, WideBodies& bodies);

// Null if a call in it is ill-typed then.
std::shared_ptr<const Graph> wide_body(const Graph& body, const Widening& how, WideBodies& bodies) {
  auto found = how.each_body ? bodies.end() : bodies.find(&body);
  if (found != bodies.end()) {
    return found->second;
  }
  auto nested = widened(body, {how.changed, {}, how.each_body}, bodies);
  auto out = nested ? std::make_shared<const Graph>(std::move(nested->graph)) : nullptr;
  bodies[&body] = out;
  return out;
}

// Nothing if a graph in an attribute is ill-typed then.
std::optional<AttrDict> widened(const OpDef& def, AttrDict attributes, const Widening& how, WideBodies& bodies) {
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
      auto nested = wide_body(*value->graph(), how, bodies);
      if (!nested) {
        return std::nullopt;
      }
      out = out.with(Symbol(attr.name), AttrValue(std::move(nested)));
    }
  }
  return out;
}

// Each node of a graph in double precision; what takes no such operands computes on narrow ones.
class Widener {
 public:
  Widener(const Graph& graph, const Widening& how, WideBodies& bodies) : graph_(graph), how_(how), bodies_(bodies) {}

  std::optional<WideGraph> run() {
    out_.at.assign(graph_.id_limit(), kNoNode);
    for (NodeId node : operands_first()) {
      out_.at[node] = add(node);
      if (out_.at[node] == kNoNode) {
        return std::nullopt;
      }
    }
    for (const GraphOutput& output : graph_.outputs()) {
      out_.graph.add_output(output.name, read(output.node));
    }
    return std::move(out_);
  }

 private:
  // All nodes; of a graph that was rewritten those that are left, of which some are read by older ones.
  std::vector<NodeId> operands_first() const {
    std::vector<NodeId> all(graph_.id_limit());
    std::iota(all.begin(), all.end(), NodeId{0});
    bool as_made = std::all_of(all.begin(), all.end(), [&](NodeId node) {
      auto operands = graph_.operands(node);
      return graph_.kind(node) != NodeKind::Erased &&
             std::all_of(operands.begin(), operands.end(), [&](NodeId operand) { return operand == kNoNode || operand < node; });
    });
    if (as_made) {
      return all;
    }
    all.assign(graph_.inputs().begin(), graph_.inputs().end());
    std::vector<NodeId> order = reverse_post_order(graph_);
    std::copy_if(order.begin(), order.end(), std::back_inserter(all),
                 [&](NodeId node) { return graph_.kind(node) != NodeKind::Input; });
    return all;
  }

  // What is read in place of a node.
  NodeId read(NodeId node) const {
    return node == kNoNode ? kNoNode : out_.at[how_.stand_ins.empty() ? node : how_.stand_ins[node]];
  }

  NodeId add(NodeId node) {
    Graph& out = out_.graph;
    std::vector<NodeId> operands;
    std::transform(graph_.operands(node).begin(), graph_.operands(node).end(), std::back_inserter(operands),
                   [&](NodeId operand) { return read(operand); });
    switch (graph_.kind(node)) {
      case NodeKind::Input: return out.add_input(graph_.name(node), widened(graph_.type(node)));
      case NodeKind::Parameter:
      case NodeKind::Constant: {
        Tensor wide = widened(graph_.value(node));
        return out.add_constant(how_.changed ? how_.changed(std::move(wide)) : std::move(wide));
      }
      case NodeKind::Tuple: return out.add_tuple(operands);
      case NodeKind::Projection: return wide(out.add_projection(operands[0], graph_.projection_index(node)));
      case NodeKind::Call: return add_call(node, operands);
      case NodeKind::Erased: break;
    }
    return kNoNode;
  }

  NodeId add_call(NodeId node, std::vector<NodeId>& operands) {
    Diagnostics ignored;
    if (graph_.op(node) == foreign_op()) {
      return add_foreign(node);
    }
    auto attributes = widened(op_def(graph_.op(node)), graph_.attributes(node), how_, bodies_);
    NodeId out = attributes ? out_.graph.add_call(graph_.op(node), operands, *attributes, ignored) : kNoNode;
    if (out != kNoNode) {
      return out;
    }
    for (std::size_t k = 0; k < operands.size(); ++k) {
      operands[k] = narrow(graph_.operands(node)[k]);
    }
    out = out_.graph.add_call(graph_.op(node), operands, graph_.attributes(node), ignored);
    return out == kNoNode ? kNoNode : wide(out);
  }

  // What the table does not have computes on what it was given.
  NodeId add_foreign(NodeId node) {
    std::vector<NodeId> items;
    for (NodeId item : graph_.operands(graph_.operands(node)[0])) {
      items.push_back(narrow(item));
    }
    NodeId tuple = out_.graph.add_tuple(items);
    Diagnostics ignored;
    return out_.graph.add_call(graph_.op(node), std::span(&tuple, 1), graph_.attributes(node), ignored);
  }

  // What is read in place of a node, with its own digits.
  NodeId narrow(NodeId node) {
    bool converts =
        node != kNoNode && graph_.type(node).is_tensor() && out_.graph.type(read(node)).dtype() != graph_.type(node).dtype();
    return converts ? add_conversion(out_.graph, read(node), graph_.type(node).dtype()) : read(node);
  }

  NodeId wide(NodeId node) {
    bool narrow = out_.graph.type(node).is_tensor() && out_.graph.type(node).dtype() == DType::Float32;
    return narrow ? add_conversion(out_.graph, node, DType::Float64) : node;
  }

  const Graph& graph_;
  const Widening& how_;
  WideBodies& bodies_;
  WideGraph out_;
};

std::optional<WideGraph> widened(const Graph& graph, const Widening& how, WideBodies& bodies) {
  return Widener(graph, how, bodies).run();
}

}  // namespace

Tensor widened(const Tensor& tensor) { return tensor.dtype() == DType::Float32 ? held_as(tensor, DType::Float64) : tensor; }

std::optional<WideGraph> widened(const Graph& graph, const Widening& how) {
  WideBodies bodies;
  return widened(graph, how, bodies);
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
