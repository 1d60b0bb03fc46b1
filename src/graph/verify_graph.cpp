#include "graph/verify_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/contents.h"
#include "graph/typed_operands.h"

namespace vouch {
namespace {

std::string check_edges(const Graph& graph, NodeId node) {
  std::span<const NodeId> operands = graph.operands(node);
  for (std::uint32_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == kNoNode) {
      continue;
    }
    if (operands[i] >= graph.id_limit() || !graph.is_live(operands[i])) {
      return fmt::format("operand {} of '{}' is not live", i, graph.name(node));
    }
    if (graph.position(operands[i]) >= graph.position(node)) {
      return fmt::format("'{}' does not stand behind its operand '{}'", graph.name(node), graph.name(operands[i]));
    }
  }
  for (const Use& use : graph.uses(node)) {
    bool agrees = use.user < graph.id_limit() && graph.is_live(use.user) && use.operand < graph.operands(use.user).size() &&
                  graph.operands(use.user)[use.operand] == node;
    if (!agrees) {
      return fmt::format("'{}' lists a use that is none", graph.name(node));
    }
  }
  return {};
}

std::string check_call(const Graph& graph, NodeId node) {
  auto [types, contents] = typed_operands(graph, node);
  auto typing = type_call(graph.op(node), types, graph.attributes(node), contents);
  if (!typing->error.empty()) {
    return fmt::format("'{}' is ill-typed: {}", graph.name(node), typing->error);
  }
  Type wanted = for_sizes(op_def(graph.op(node)).several_results ? Type::tuple(typing->results) : typing->results[0]);
  if (typing->reusable && wanted != graph.type(node)) {
    return fmt::format("'{}' has type {} where its operands give {}", graph.name(node), graph.type(node).text(), wanted.text());
  }
  return {};
}

std::string check_type(const Graph& graph, NodeId node) {
  switch (graph.kind(node)) {
    case NodeKind::Call: return check_call(graph, node);
    case NodeKind::Tuple: {
      std::vector<Type> items;
      for (NodeId item : graph.operands(node)) {
        items.push_back(graph.type(item));
      }
      return Type::tuple(std::move(items)) == graph.type(node)
                 ? ""
                 : fmt::format("'{}' is not the tuple of its items", graph.name(node));
    }
    case NodeKind::Projection: {
      Type tuple = graph.type(graph.operands(node)[0]);
      bool right = tuple.is_tuple() && graph.projection_index(node) < tuple.items().size() &&
                   tuple.items()[graph.projection_index(node)] == graph.type(node);
      return right ? "" : fmt::format("'{}' is no item of its tuple", graph.name(node));
    }
    case NodeKind::Parameter:
    case NodeKind::Constant:
      return Type::tensor(graph.value(node).dtype(), graph.value(node).extents()) == graph.type(node)
                 ? ""
                 : fmt::format("'{}' has another type than its value", graph.name(node));
    case NodeKind::Input:
    case NodeKind::Erased: break;
  }
  return {};
}

}  // namespace

std::string verify_graph(const Graph& graph) {
  std::size_t live = 0;
  std::size_t edges = 0;
  std::size_t uses = 0;
  std::size_t outputs = 0;
  for (NodeId node = 0; node < graph.id_limit(); ++node) {
    if (!graph.is_live(node)) {
      continue;
    }
    ++live;
    std::span<const NodeId> operands = graph.operands(node);
    edges += static_cast<std::size_t>(std::count_if(operands.begin(), operands.end(), [](NodeId o) { return o != kNoNode; }));
    uses += graph.uses(node).size();
    outputs += graph.output_count(node);
    std::string wrong = check_edges(graph, node);
    wrong = wrong.empty() ? check_type(graph, node) : wrong;
    if (!wrong.empty()) {
      return wrong;
    }
  }
  // Each listed use is one operand; as many uses as operands leave none out, unless one is listed twice.
  if (edges != uses) {
    return fmt::format("{} operands but {} uses", edges, uses);
  }
  if (outputs != graph.outputs().size()) {
    return fmt::format("{} outputs but {} are counted", graph.outputs().size(), outputs);
  }
  for (const GraphOutput& output : graph.outputs()) {
    if (output.node >= graph.id_limit() || !graph.is_live(output.node)) {
      return fmt::format("the output {} is not live", output.name);
    }
  }
  return live == graph.live_count() ? "" : fmt::format("{} nodes are live where {} are counted", live, graph.live_count());
}

}  // namespace vouch
