// What a scope keeps as it is.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "graph/op_table.h"
#include "graph/unknown_size.h"
#include "io/onnx_domain.h"
#include "io/onnx_foreign.h"
#include "io/onnx_order.h"
#include "io/onnx_scope.h"

namespace vouch {
namespace {

// ONNX's operators whose first result has the first operand's type, besides what the table has element by element.
bool keeps_type(const onnx::NodeProto& node) {
  static const std::unordered_set<std::string_view> kinds{"BatchNormalization",
                                                          "BitwiseNot",
                                                          "Dropout",
                                                          "GroupNormalization",
                                                          "InstanceNormalization",
                                                          "LRN",
                                                          "LpNormalization",
                                                          "ReverseSequence",
                                                          "Scatter",
                                                          "ScatterElements",
                                                          "ScatterND"};
  auto op = find_op(node.op_type());
  bool one_by_one = op && op_def(*op).traits.elementwise && op_def(*op).operands.size() == 1;
  bool converts = std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& a) { return a.name() == "to"; });
  return (one_by_one && !converts) || kinds.count(node.op_type()) != 0;
}

bool is_one_of(const onnx::NodeProto& node, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), node.op_type()) != names.end();
}

// The same of its shape alone.
bool keeps_shape(const onnx::NodeProto& node) {
  return is_one_of(node, {"Bernoulli", "Cast", "CastLike", "QuantizeLinear", "RandomNormalLike", "RandomUniformLike"}) ||
         keeps_type(node);
}

// TopK: the operand's shape but along one axis, where there are as many as `count` says.
std::vector<Term> chosen_extents(const onnx::NodeProto& node, std::vector<Term> extents, const std::vector<Term>* count) {
  auto given = std::find_if(node.attribute().begin(), node.attribute().end(), [](const auto& a) { return a.name() == "axis"; });
  auto rank = static_cast<std::int64_t>(extents.size());
  std::int64_t axis = given == node.attribute().end() ? -1 : given->i();
  axis += axis < 0 ? rank : 0;
  if (axis >= 0 && axis < rank) {
    bool known = count != nullptr && count->size() == 1 && (*count)[0].sort() == Sort::Int;
    extents[static_cast<std::size_t>(axis)] = known ? (*count)[0] : unknown_size();
  }
  return extents;
}

// RoiAlign: for each region the channels of its image, in a grid of its own.
Type type_of_regions(const onnx::NodeProto& node, Type image, Type regions) {
  std::vector<Term> extents{regions.extents()[0], image.extents()[1], 1, 1};
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "output_height" || attribute.name() == "output_width") {
      extents[attribute.name() == "output_height" ? 2 : 3] = attribute.i();
    }
  }
  return Type::tensor(image.dtype(), std::move(extents));
}

bool is_of_rank(const std::vector<Type>& operands, std::size_t operand, std::size_t rank) {
  return operand < operands.size() && operands[operand].is_tensor() && operands[operand].rank() == rank;
}

// Of the first result, where ONNX says all of it by what the operands are; the first is a tensor.
std::optional<Type> type_by_definition(const onnx::NodeProto& node, const std::vector<Type>& operands) {
  Type given = operands[0];
  bool alike = operands.size() == 2 && operands[1].is_tensor() && operands[1].extents() == given.extents();
  if (keeps_type(node) || (is_one_of(node, {"BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor"}) && alike)) {
    return given;
  }
  if (is_one_of(node, {"IsInf", "IsNaN"})) {
    return Type::tensor(DType::Bool, given.extents());
  }
  if (node.op_type() == "RoiAlign" && is_of_rank(operands, 0, 4) && is_of_rank(operands, 1, 2)) {
    return type_of_regions(node, given, operands[1]);
  }
  if (node.op_type() == "GridSample" && is_of_rank(operands, 0, 4) && is_of_rank(operands, 1, 4)) {
    const std::vector<Term>& points = operands[1].extents();
    return Type::tensor(given.dtype(), {given.extents()[0], given.extents()[1], points[1], points[2]});
  }
  if (node.op_type() == "NonMaxSuppression") {
    return Type::tensor(DType::Int64, {unknown_size(), 3});  // image, class and box of each that is kept
  }
  return std::nullopt;
}

bool names_classes_by_numbers(const onnx::NodeProto& node) {
  return std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& a) {
    return (a.name() == "classlabels_ints" || a.name() == "classlabels_int64s") && a.ints_size() > 0;
  });
}

// Of the first result of an operator of ONNX's on features, `ai.onnx.ml`, of which a row is one example.
std::optional<Type> type_of_features(const onnx::NodeProto& node, Type given) {
  if (is_one_of(node, {"Normalizer", "Scaler"})) {
    return Type::tensor(DType::Float32, given.extents());
  }
  bool classifies = is_one_of(node, {"LinearClassifier", "SVMClassifier", "TreeEnsembleClassifier"});
  if (classifies && given.rank() == 2 && names_classes_by_numbers(node)) {
    return Type::tensor(DType::Int64, {given.extents()[0]});
  }
  return std::nullopt;
}

}  // namespace

// With its elements in the message, wherever they were.
bool OnnxScope::make_self_contained(onnx::TensorProto& tensor, const std::string& where) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL) {
    return true;
  }
  TensorSource source{context_.folder, where, &context_.kept.weight_files};
  std::optional<std::uint64_t> count = foreign_byte_count(tensor);
  if (auto dtype = dtype_of_onnx(tensor.data_type())) {
    auto elements = element_count(Extents(tensor.dims().begin(), tensor.dims().end()));
    count = elements ? std::optional(onnx_byte_count(*dtype, *elements)) : std::nullopt;
  }
  auto bytes = external_bytes(tensor, count, source, context_.diagnostics);
  if (!bytes) {
    return false;
  }
  tensor.set_raw_data(std::move(*bytes));
  tensor.clear_external_data();
  tensor.clear_data_location();
  return true;
}

// Recursion follows the nesting of subgraphs, which parsing has bounded.
bool OnnxScope::make_self_contained(Node& node, const std::string& where) {
  bool whole = true;
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_t()) {
      whole &= make_self_contained(*attribute.mutable_t(), where);
    }
    if (attribute.has_g()) {
      for (auto& tensor : *attribute.mutable_g()->mutable_initializer()) {
        whole &= make_self_contained(tensor, where);
      }
      for (auto& inner : *attribute.mutable_g()->mutable_node()) {
        whole &= make_self_contained(inner, where);
      }
    }
  }
  return whole;
}

// A declaration is believed, but for what an operator of ONNX makes of its first operand's type.
std::vector<Type> OnnxScope::declared_types(const Node& node, const std::vector<NodeId>& operands) const {
  std::vector<Type> out;
  for (const std::string& output : node.output()) {
    auto declared = declared_.find(output);
    bool typed = !output.empty() && declared != declared_.end();
    out.push_back(declared_type(typed ? declared->second->type() : onnx::TypeProto(), size_place(output)));
  }
  bool standard = is_standard_domain(node.domain());
  bool of_onnx = standard || node.domain() == "ai.onnx.ml";
  bool first = of_onnx && node.input_size() > 0 && !node.input(0).empty() && !operands.empty();
  Type given = first ? graph_.type(operands[0]) : Type();
  if (!given.is_tensor()) {
    return out;
  }
  if (!standard) {
    out[0] = type_of_features(node, given).value_or(out[0]);
    return out;
  }
  std::vector<Type> types;
  std::transform(operands.begin(), operands.end(), std::back_inserter(types),
                 [&](NodeId operand) { return operand == kNoNode ? Type() : graph_.type(operand); });
  if (auto defined = type_by_definition(node, types)) {
    out[0] = *defined;
  } else if (node.op_type() == "TopK" && types.size() == 2 && types[1].is_tensor() && out.size() <= 2) {
    std::vector<Term> extents = chosen_extents(node, given.extents(), graph_.contents(operands[1]));
    out[0] = Type::tensor(given.dtype(), extents);
    out.back() = out.size() == 2 ? Type::tensor(DType::Int64, extents) : out[0];
  } else if (out[0].is_tensor() && keeps_shape(node)) {
    out[0] = Type::tensor(out[0].dtype(), given.extents());
  }
  return out;
}

void OnnxScope::add_foreign(const Node& node) {
  if (node.output_size() == 0) {
    return;  // what gives nothing is not needed
  }
  std::string where = place(onnx_node_text(node));
  Node kept = node;
  std::vector<NodeId> items;
  for (const std::string& name : names_of_operands(node)) {
    items.push_back(lookup(name));
    complete_ &= items.back() != kNoNode;
  }
  complete_ &= make_self_contained(kept, where);
  std::vector<NodeId> results(static_cast<std::size_t>(node.output_size()), kNoNode);
  if (complete_) {
    NodeId tuple = shared_.tuple(graph_, items);
    AttrDict attributes =
        foreign_attributes({node.domain(), node.op_type(), message_bytes(kept), false, declared_types(node, items),
                            context_.opset, meaning_of_foreign(kept, context_.opset)});
    NodeId call = graph_.add_call(foreign_op(), std::span(&tuple, 1), attributes, context_.diagnostics, where);
    for (int i = 0; i < node.output_size() && call != kNoNode; ++i) {
      if (!node.output(i).empty()) {
        results[static_cast<std::size_t>(i)] = graph_.add_projection(call, static_cast<std::uint32_t>(i));
      }
    }
  }
  for (int i = 0; i < node.output_size(); ++i) {
    if (!node.output(i).empty()) {
      define(node.output(i), results[static_cast<std::size_t>(i)], where);
    }
  }
  name_results(node, results);
}

// An initialiser whose elements have a type that is foreign: a call without operands that spells it.
void OnnxScope::add_foreign_value(const onnx::TensorProto& tensor, const std::string& name, const std::string& where) {
  onnx::TensorProto kept = tensor;
  complete_ &= make_self_contained(kept, where);
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(tensor.data_type());
  type.mutable_tensor_type()->mutable_shape();
  for (std::int64_t dim : tensor.dims()) {
    type.mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(dim);
  }
  NodeId none = shared_.tuple(graph_, {});
  AttrDict attributes = foreign_attributes(
      {"", "Constant", message_bytes(kept), true, {declared_type(type, size_place(name))}, 0, meaning_of_foreign(kept)});
  NodeId call = graph_.add_call(foreign_op(), std::span(&none, 1), attributes, context_.diagnostics, where);
  NodeId value = call == kNoNode ? kNoNode : graph_.add_projection(call, 0);
  define(name, value, where);
  if (value != kNoNode) {
    onnx::NodeProto node;
    node.set_op_type("Constant");
    node.add_output(name);
    name_result(node, value, name, false);
  }
}

}  // namespace vouch
