// Nodes that the table would define if it were known when they are read what their operands are (axes, sizes or scales that are
// computed): read once more as a model of this node alone, in which it is.
#include <algorithm>

#include "graph/eval.h"
#include "io/evaluated_node.h"
#include "io/onnx_evaluate.h"
#include "io/onnx_foreign.h"
#include "io/onnx_import.h"
#include "io/onnx_tensor.h"

namespace vouch {
namespace {

constexpr std::int64_t kMostOfList = 4096;  // elements of what may be a list

// Operands that may be lists are initialisers, the others inputs of their types; `fed` is what these are.
onnx::ModelProto model_of(const onnx::NodeProto& node, std::int64_t opset, const std::vector<Tensor>& operands,
                          std::vector<Tensor>& fed) {
  onnx::ModelProto model;
  model.set_ir_version(onnx::IR_VERSION);
  model.add_opset_import()->set_version(opset);
  onnx::GraphProto& graph = *model.mutable_graph();
  *graph.add_node() = node;
  std::vector<std::string> seen;
  std::size_t next = 0;
  for (const std::string& name : names_of_operands(node)) {
    const Tensor& value = operands[next++];
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      continue;
    }
    seen.push_back(name);
    if (value.count() <= kMostOfList) {
      fill_proto(value, name, *graph.add_initializer());
      continue;
    }
    onnx::ValueInfoProto& input = *graph.add_input();
    input.set_name(name);
    std::vector<Term> extents(value.extents().begin(), value.extents().end());
    declare_type(Type::tensor(value.dtype(), std::move(extents)), *input.mutable_type());
    fed.push_back(value);
  }
  for (const std::string& name : node.output()) {
    graph.add_output()->set_name(name);
  }
  return model;
}

std::string first_message(const Diagnostics& problems) {
  return problems.all().empty() ? std::string() : problems.all().front().message;
}

bool has_foreign_call(const Graph& graph) {
  for (NodeId node = 0; node < graph.id_limit(); ++node) {
    if (graph.kind(node) == NodeKind::Call && graph.op(node) == foreign_op()) {
      return true;
    }
  }
  return false;
}

// The same elements, held where whoever asked holds what it computes.
Tensor held_anew(const Tensor& tensor) {
  return {tensor.dtype(), tensor.extents(), std::vector<std::byte>(tensor.bytes().begin(), tensor.bytes().end())};
}

}  // namespace

EvaluatedResults evaluate_again(const onnx::NodeProto& node, std::int64_t opset, const std::vector<Tensor>& operands,
                                const MemoryBudget& memory, std::string& why) {
  bool unnamed = std::any_of(node.output().begin(), node.output().end(), [](const std::string& name) { return name.empty(); });
  if (unnamed || names_of_operands(node).size() != operands.size()) {
    return std::nullopt;
  }
  std::vector<Tensor> fed;
  Diagnostics problems;
  auto model = import_onnx_bytes(message_bytes(model_of(node, opset, operands, fed)), node.op_type(), {}, problems);
  if (!model) {
    why = first_message(problems);
    return std::nullopt;
  }
  if (has_foreign_call(model->graph)) {
    return std::nullopt;
  }
  RunOptions options;
  options.most_bytes = std::max<std::int64_t>(memory.largest(), 0);
  auto results = eval_graph(model->graph, std::move(fed), problems, options);
  if (!results) {
    why = first_message(problems);
    return std::nullopt;
  }
  std::transform(results->begin(), results->end(), results->begin(), held_anew);
  return results;
}

}  // namespace vouch
