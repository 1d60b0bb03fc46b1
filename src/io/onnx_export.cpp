#include "io/onnx_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "graph/order.h"
#include "io/onnx_attribute.h"
#include "io/onnx_proto.h"
#include "io/onnx_tensor.h"
#include "term/print.h"

namespace vouch {
namespace {

// Operators of the table that stand for a later result of an ONNX operator.
struct LaterResult {
  std::string_view op;
  std::string_view onnx;
  int position;
};
constexpr std::array<LaterResult, 6> kLaterResults = {{{"DropoutMask", "Dropout", 1},
                                                       {"MaxPoolIndices", "MaxPool", 1},
                                                       {"BatchNormalizationMean", "BatchNormalization", 1},
                                                       {"BatchNormalizationVariance", "BatchNormalization", 2},
                                                       {"LayerNormalizationMean", "LayerNormalization", 1},
                                                       {"LayerNormalizationInvStdDev", "LayerNormalization", 2}}};

// Their axes became an operand in opset 18; before, they were an attribute.
constexpr std::array<std::string_view, 9> kAxesAttribute = {"ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
                                                            "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"};

constexpr std::int64_t kOldOpset = 17;
constexpr std::int64_t kNewOpset = 20;

bool has_axes_attribute(std::string_view op) {
  return std::find(kAxesAttribute.begin(), kAxesAttribute.end(), op) != kAxesAttribute.end();
}

class Exporter {
 public:
  Exporter(const Graph& graph, Diagnostics& diagnostics) : graph_(graph), diagnostics_(diagnostics) {}

  std::optional<std::string> run(const std::string& name) {
    std::size_t errors = diagnostics_.error_count();
    order_ = reverse_post_order(graph_);
    opset_ = needed_opset();
    model_.set_ir_version(8);
    model_.set_producer_name("vouch");
    model_.add_opset_import()->set_version(opset_);
    onnx::GraphProto& proto = *model_.mutable_graph();
    proto.set_name(name.empty() ? "graph" : name);
    name_values();
    for (NodeId input : graph_.inputs()) {
      fill_value_info(names_[input], graph_.type(input), *proto.add_input());
    }
    for (NodeId node : order_) {
      if (graph_.has_value(node)) {
        fill_proto(graph_.value(node), names_[node], *proto.add_initializer());
      } else if (graph_.kind(node) == NodeKind::Call) {
        add_call(node, proto);
      }
    }
    add_outputs(proto);
    return diagnostics_.error_count() == errors ? std::optional(message_bytes(model_)) : std::nullopt;
  }

 private:
  std::int64_t needed_opset() const {
    for (NodeId node : order_) {
      if (graph_.kind(node) != NodeKind::Call) {
        continue;
      }
      std::string_view op = op_def(graph_.op(node)).name;
      bool uneven_split = op == "Split" && graph_.attributes(node).find("num_outputs") != nullptr && !even_parts(node);
      bool computed_axes = has_axes_attribute(op) && graph_.operands(node).size() > 1 && graph_.operands(node)[1] != kNoNode &&
                           !graph_.has_value(graph_.operands(node)[1]);
      bool resize_axes = op == "Resize" && (graph_.attributes(node).find("axes") != nullptr ||
                                            graph_.attributes(node).find("antialias") != nullptr);
      bool pad_axes = op == "Pad" && graph_.operands(node).size() > 3 && graph_.operands(node)[3] != kNoNode;
      if (op == "Gelu" || uneven_split || computed_axes || resize_axes || pad_axes) {
        return kNewOpset;
      }
    }
    return kOldOpset;
  }

  // Before opset 18 a split without sizes is into equal parts, as many as there are outputs.
  bool even_parts(NodeId node) const {
    const std::vector<Type>& parts = graph_.type(node).items();
    return std::all_of(parts.begin(), parts.end(), [&](Type part) { return part == parts[0]; });
  }

  // A graph output lends its name to the node that it is, if that is a call's result and has no other output name.
  void name_values() {
    for (NodeId input : graph_.inputs()) {
      claim(input, graph_.name(input));
    }
    for (const GraphOutput& output : graph_.outputs()) {
      output_names_.insert(output.name);
    }
    for (const GraphOutput& output : graph_.outputs()) {
      NodeKind kind = graph_.kind(output.node);
      if ((kind == NodeKind::Call || kind == NodeKind::Projection) && !names_.contains(output.node)) {
        claim(output.node, output.name);
      }
    }
    for (NodeId node : order_) {
      if (!names_.contains(node)) {
        claim(node, graph_.name(node));
      }
    }
  }

  void claim(NodeId node, const std::string& wanted) {
    std::string name = wanted;
    bool is_output_name = output_names_.contains(wanted) && !names_output(node, wanted);
    for (int suffix = 1; is_output_name || !taken_.insert(name).second; ++suffix) {
      is_output_name = false;
      name = fmt::format("{}_{}", wanted, suffix);
    }
    names_.emplace(node, name);
  }

  bool names_output(NodeId node, const std::string& name) const {
    return std::any_of(graph_.outputs().begin(), graph_.outputs().end(),
                       [&](const GraphOutput& output) { return output.node == node && output.name == name; });
  }

  void error(NodeId node, std::string message) { diagnostics_.error_at(graph_.name(node), std::move(message)); }

  static void fill_value_info(const std::string& name, Type type, onnx::ValueInfoProto& info) {
    info.set_name(name);
    if (!type.is_tensor()) {
      return;
    }
    onnx::TypeProto::Tensor& tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(onnx_of_dtype(type.dtype()));
    onnx::TensorShapeProto& shape = *tensor.mutable_shape();
    for (Term extent : type.extents()) {
      onnx::TensorShapeProto::Dimension& dimension = *shape.add_dim();
      if (auto known = const_int(extent)) {
        dimension.set_dim_value(*known);
      } else {
        dimension.set_dim_param(print_term(extent));
      }
    }
  }

  // The name of the value that a node is, as an operand; tuples give one name for each item.
  void add_operand(NodeId operand, onnx::NodeProto& proto) {
    if (operand == kNoNode) {
      proto.add_input("");
    } else if (graph_.kind(operand) == NodeKind::Tuple) {
      for (NodeId item : graph_.operands(operand)) {
        add_operand(item, proto);
      }
    } else {
      proto.add_input(names_.at(operand));
    }
  }

  static bool is_rule_operator(std::string_view name) { return std::islower(static_cast<unsigned char>(name[0])) != 0; }

  void add_call(NodeId node, onnx::GraphProto& graph) {
    const OpDef& def = op_def(graph_.op(node));
    if (is_rule_operator(def.name)) {
      return error(node, fmt::format("operator {} has no ONNX form", def.name));
    }
    onnx::NodeProto& proto = *graph.add_node();
    auto later = std::find_if(kLaterResults.begin(), kLaterResults.end(), [&](const LaterResult& l) { return l.op == def.name; });
    proto.set_op_type(std::string(later == kLaterResults.end() ? def.name : later->onnx));
    proto.set_name(graph_.name(node));
    bool old_axes = opset_ == kOldOpset && has_axes_attribute(def.name);
    std::span<const NodeId> operands = graph_.operands(node);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (!(old_axes && k == 1)) {
        add_operand(operands[k], proto);
      }
    }
    while (proto.input_size() > 0 && proto.input(proto.input_size() - 1).empty()) {
      proto.mutable_input()->RemoveLast();
    }
    if (old_axes) {
      add_axes(node, operands, proto);
    }
    for (const AttrDef& declared : def.attributes) {
      const AttrValue* value = graph_.attributes(node).find(declared.name);
      bool dropped = (old_axes && declared.name == "noop_with_empty_axes") ||
                     (opset_ == kOldOpset && declared.name == "num_outputs");
      if (value != nullptr && !dropped) {
        add_attribute(node, declared, *value, proto);
      }
    }
    for (int skipped = 0; later != kLaterResults.end() && skipped < later->position; ++skipped) {
      proto.add_output(skipped == 0 ? names_.at(node) + "_main" : "");
    }
    add_results(node, proto);
  }

  void add_axes(NodeId node, std::span<const NodeId> operands, onnx::NodeProto& proto) {
    bool given = operands.size() > 1 && operands[1] != kNoNode;
    const Tensor* axes = given ? &graph_.value(operands[1]) : nullptr;
    const AttrValue* noop = graph_.attributes(node).find("noop_with_empty_axes");
    if ((axes == nullptr || axes->count() == 0) && noop != nullptr && noop->int64() == 1) {
      proto.set_op_type("Identity");
      return;
    }
    if (axes != nullptr && axes->count() != 0) {
      onnx::AttributeProto& attribute = *proto.add_attribute();
      attribute.set_name("axes");
      attribute.set_type(onnx::AttributeProto::INTS);
      for (std::int64_t i = 0; i < axes->count(); ++i) {
        attribute.add_ints(axes->int_at(i));
      }
    }
  }

  void add_attribute(NodeId node, const AttrDef& declared, const AttrValue& value, onnx::NodeProto& proto) {
    onnx::AttributeProto& attribute = *proto.add_attribute();
    attribute.set_name(std::string(declared.name));
    if (value.graph() != nullptr) {
      error(node, fmt::format("the subgraph {} of {} cannot be written", declared.name, op_def(graph_.op(node)).name));
    } else if (!fill_attribute(declared, value, attribute)) {
      error(node, fmt::format("attribute {} has no ONNX form: {}", declared.name, value.text()));
    }
  }

  // Several results: one name each; those that nothing projects get names all the same.
  void add_results(NodeId node, onnx::NodeProto& proto) {
    if (!graph_.type(node).is_tuple()) {
      proto.add_output(names_.at(node));
      return;
    }
    std::vector<std::string> results(graph_.type(node).items().size());
    for (const Use& use : graph_.uses(node)) {
      if (graph_.kind(use.user) == NodeKind::Projection && names_.contains(use.user)) {
        std::string& name = results[graph_.projection_index(use.user)];
        // Two projections of one item: the second is the same value under another name.
        if (name.empty()) {
          name = names_.at(use.user);
        } else {
          aliases_.emplace_back(name, names_.at(use.user));
        }
      }
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
      proto.add_output(results[k].empty() ? fmt::format("{}_result_{}", names_.at(node), k) : results[k]);
    }
    for (auto& [from, to] : aliases_) {
      add_identity(from, to);
    }
    aliases_.clear();
  }

  void add_identity(const std::string& from, const std::string& to) {
    onnx::NodeProto& identity = *model_.mutable_graph()->add_node();
    identity.set_op_type("Identity");
    identity.add_input(from);
    identity.add_output(to);
  }

  void add_outputs(onnx::GraphProto& graph) {
    for (const GraphOutput& output : graph_.outputs()) {
      if (graph_.type(output.node).is_tuple()) {
        error(output.node, "a tuple cannot be an output of a model");
        continue;
      }
      if (names_.at(output.node) != output.name) {
        add_identity(names_.at(output.node), output.name);
      }
      fill_value_info(output.name, graph_.type(output.node), *graph.add_output());
    }
  }

  const Graph& graph_;
  Diagnostics& diagnostics_;
  onnx::ModelProto model_;
  std::int64_t opset_ = kOldOpset;
  std::vector<NodeId> order_;
  std::unordered_map<NodeId, std::string> names_;
  std::unordered_set<std::string> taken_;
  std::unordered_set<std::string> output_names_;
  std::vector<std::pair<std::string, std::string>> aliases_;
};

}  // namespace

std::optional<std::string> export_onnx(const Graph& graph, const std::string& name, Diagnostics& diagnostics) {
  return Exporter(graph, diagnostics).run(name);
}

}  // namespace vouch
