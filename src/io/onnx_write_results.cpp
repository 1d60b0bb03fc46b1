// What one ONNX node gives: its results and their names.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "io/onnx_write.h"

namespace vouch {

std::pair<std::string_view, std::size_t> onnx_result(std::string_view op) {
  static const auto* further = [] {
    auto* built = new std::map<std::string_view, std::pair<std::string_view, std::size_t>>();
    for (std::size_t id = 0; id < op_count(); ++id) {
      const OpDef& def = op_def(static_cast<OpId>(id));
      for (std::size_t k = 0; k < def.further.size(); ++k) {
        built->emplace(def.further[k], std::pair(def.name, k + 1));
      }
    }
    return built;
  }();
  auto found = further->find(op);
  return found == further->end() ? std::pair(op, std::size_t{0}) : found->second;
}

void OnnxWriter::group_further_results(const std::vector<NodeId>& order) {
  std::map<std::tuple<std::string_view, const void*, std::vector<NodeId>>, NodeId> first;
  for (NodeId node : order) {
    if (graph_.kind(node) != NodeKind::Call) {
      continue;
    }
    const OpDef& def = op_def(graph_.op(node));
    auto [base, position] = onnx_result(def.name);
    if (position == 0 && def.further.empty()) {
      continue;
    }
    std::vector<NodeId> operands(graph_.operands(node).begin(), graph_.operands(node).end());
    NodeId head = first.emplace(std::tuple(base, graph_.attributes(node).id(), std::move(operands)), node).first->second;
    if (auto known = groups_.find(head);
        known != groups_.end() && position < known->second.size() && known->second[position] != kNoNode) {
      head = node;  // two calls of one form: the second is a node of its own
    }
    std::vector<NodeId>& results = groups_[head];
    results.resize(std::max(results.size(), position + 1), kNoNode);
    results[position] = node;
    group_of_[node] = head;
  }
}

std::string OnnxWriter::unread_name(NodeId call, std::size_t result, const std::string& wish) {
  const OnnxNodeKept* read = known(call);
  if (read != nullptr && result < read->results.size() && !read->results[result].empty()) {
    return names_.pool().claim_own(read->results[result]);
  }
  bool left_out = read != nullptr && read->op == onnx_result(op_def(graph_.op(call)).name).first;
  return left_out ? std::string() : names_.pool().claim(wish);
}

OnnxWriter::Names OnnxWriter::result_names(NodeId call) {
  Names out;
  if (graph_.type(call).is_tuple()) {
    std::vector<std::string> named(graph_.type(call).items().size());
    for (const Use& use : graph_.uses(call)) {
      if (graph_.kind(use.user) == NodeKind::Projection && needed_[use.user]) {
        named[graph_.projection_index(use.user)] = names_.of(use.user);
      }
    }
    for (std::size_t k = 0; k < named.size(); ++k) {
      out.push_back(named[k].empty() ? unread_name(call, k, fmt::format("{}.{}", graph_.name(call), k)) : named[k]);
    }
    while (out.size() > 1 && out.back().empty()) {
      out.pop_back();
    }
    return out;
  }
  auto group = groups_.find(call);
  if (group == groups_.end()) {
    return {names_.of(call)};
  }
  for (NodeId result : group->second) {
    bool absent = result == kNoNode;
    out.push_back(!absent ? names_.of(result) : out.empty() ? unread_name(call, 0, graph_.name(call) + "_y") : std::string());
  }
  // How many results a node has may say what it does: a normalisation that trains has all of them, whoever reads them.
  const OnnxNodeKept* read = known(call);
  bool same = read != nullptr && read->op == onnx_result(op_def(graph_.op(call)).name).first;
  for (std::size_t k = out.size(); same && k < read->results.size(); ++k) {
    out.push_back(read->results[k].empty() ? std::string() : unread_name(call, k, {}));
  }
  while (out.size() > 1 && out.back().empty()) {
    out.pop_back();
  }
  return out;
}

static bool is_value(Type type) { return type.is_tensor() || is_foreign(type); }

// In front of as many as one likes, ONNX counts absent operands, too: a Loop has at least two.
static std::size_t operands_before_list(const OpDef& def) {
  auto list = std::find_if(def.operands.begin(), def.operands.end(),
                           [](const OperandDef& operand) { return operand.kind == OperandKind::Tuple; });
  return list == def.operands.end() ? 0 : static_cast<std::size_t>(list - def.operands.begin());
}

OnnxWriter::Names OnnxWriter::operand_names(NodeId call) const {
  Names out;
  std::vector<NodeId> pending(graph_.operands(call).begin(), graph_.operands(call).end());
  for (NodeId operand : pending) {
    if (operand == kNoNode) {
      out.emplace_back();
    } else if (is_value(graph_.type(operand))) {
      out.push_back(names_.of(operand));
    } else if (graph_.kind(operand) == NodeKind::Tuple) {
      for (NodeId item : graph_.operands(operand)) {
        if (is_value(graph_.type(item))) {  // what a loop captures is a tuple within
          out.push_back(names_.of(item));
        }
      }
    }
  }
  while (out.size() > operands_before_list(op_def(graph_.op(call))) && out.back().empty()) {
    out.pop_back();
  }
  return out;
}

// --- nodes

onnx::NodeProto& OnnxWriter::emit_to(const Names& outputs, const std::string& op, const Names& inputs, Attributes attributes,
                                     const std::string& name) {
  onnx::NodeProto& node = *proto_.add_node();
  node.set_op_type(op);
  node.set_name(context_.nodes.claim_own(name.empty() ? outputs[0] : name));
  for (const std::string& input : inputs) {
    node.add_input(input);
  }
  for (const std::string& output : outputs) {
    node.add_output(output);
  }
  for (onnx::AttributeProto& attribute : attributes) {
    *node.add_attribute() = std::move(attribute);
  }
  return node;
}

// Of what stands in the place of a node of the model, that node's.
std::string OnnxWriter::node_name(NodeId call, const Names& results) const {
  const OnnxNodeKept* read = known(call);
  std::string name = read == nullptr ? graph_.name(call) : read->node.empty() ? read->value : read->node;
  auto given = std::find_if(results.begin(), results.end(), [](const std::string& result) { return !result.empty(); });
  return name.empty() && given != results.end() ? *given : name;
}

}  // namespace vouch
