// What a scope reads because elements are known before any input is.
#include <algorithm>

#include "graph/contents.h"
#include "io/onnx_domain.h"
#include "io/onnx_foreign.h"
#include "io/onnx_order.h"
#include "io/onnx_scope.h"

namespace vouch {

bool OnnxScope::add_as_known(const Node& node, std::size_t names_before) {
  bool nests = std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& a) { return a.has_g(); });
  if (!nests && has_known_operand(node)) {
    add_node(node, true);
    return true;
  }
  if (!nests || node.op_type() != "If" || !is_standard_domain(node.domain()) || !complete_) {
    return false;
  }
  context_.node_names.forget_since(names_before);  // of the branches, as they were read
  return add_known_branch(node);
}

// Of lists, sizes and scales: what is computed from numbers alone, and was no term.
NodeId OnnxScope::constant_if_known(NodeId operand) {
  bool open = operand != kNoNode && !graph_.has_value(operand) && graph_.contents(operand) == nullptr;
  const Tensor* value = open && graph_.type(operand).is_tensor() ? known_.of(operand) : nullptr;
  return value != nullptr && value->count() <= kMostKnownElements ? shared_.constant(graph_, *value) : operand;
}

bool OnnxScope::has_known_operand(const Node& node) {
  return std::any_of(node.input().begin(), node.input().end(), [&](const std::string& name) {
    NodeId operand = name.empty() ? kNoNode : lookup(name);
    return operand != kNoNode && constant_if_known(operand) != operand;
  });
}

// The branch that is taken, read as part of this graph: what has no type in an If whose branches differ has one here.
bool OnnxScope::add_known_branch(const Node& node) {
  NodeId condition = node.input_size() == 1 ? lookup(node.input(0)) : kNoNode;
  const Tensor* holds = condition != kNoNode && graph_.type(condition).is_tensor() ? known_.of(condition) : nullptr;
  if (holds == nullptr || holds->count() != 1) {
    return false;
  }
  const char* name = holds->int_at(0) != 0 ? "then_branch" : "else_branch";
  Node& kept = taken_.emplace_back(node);
  rename_operands(kept, names_of_operands(kept), [&](const std::string& inner) {
    return is_known(inner) || given_names_.count(inner) != 0 ? node.output(0) + "/" + inner : inner;
  });
  auto branch = std::find_if(kept.attribute().begin(), kept.attribute().end(), [&](const auto& a) { return a.name() == name; });
  if (branch == kept.attribute().end() || branch->g().output_size() < node.output_size()) {
    return false;
  }
  const onnx::GraphProto& proto = branch->g();
  note_reads(proto);
  for (const auto* list : {&proto.value_info(), &proto.output()}) {
    for (const auto& value : *list) {
      declared_.try_emplace(value.name(), &value);
      read_names_.insert(value.name());
    }
  }
  add_nodes_of(proto);
  for (int i = 0; i < node.output_size(); ++i) {
    if (!node.output(i).empty()) {
      define(node.output(i), lookup(proto.output(i).name()), place(onnx_node_text(node)));
    }
  }
  return true;
}

}  // namespace vouch
