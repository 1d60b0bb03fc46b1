#include "rewrite/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "graph/op_table.h"
#include "graph/order.h"
#include "rewrite/looks.h"
#include "term/substitute.h"

namespace vouch {
namespace {

constexpr double kProductsOfAnElement = 8;

double nominal(Term extent) {
  if (auto number = const_int(extent)) {
    return static_cast<double>(std::max<std::int64_t>(*number, 0));
  }
  Substitution sizes;
  for (Symbol name : free_variables(extent)) {
    sizes.emplace(name, Term(CostModel::kUnknownSize));
  }
  auto number = const_int(sizes.empty() ? extent : substitute(extent, sizes));
  return static_cast<double>(std::max<std::int64_t>(number.value_or(CostModel::kUnknownSize), 0));
}

double count_of(const std::vector<Term>& extents) {
  double count = 1;
  for (Term extent : extents) {
    count *= nominal(extent);
  }
  return count;
}

double count_of(Type type) {
  if (!type) {
    return 0;
  }
  if (type.is_tensor()) {
    return count_of(type.extents());
  }
  double count = 0;
  for (Type item : type.items()) {
    count += count_of(item);
  }
  return count;
}

// Iterations of the reductions in a scalar term, for one element.
double iterations(Term t) {
  double inner = 0;
  for (Term argument : t.args()) {
    inner += iterations(argument);
  }
  if (t.kind() != TermKind::Reduce) {
    return inner;
  }
  std::vector<Term> extents(t.args().begin() + 2, t.args().end());
  return count_of(extents) * (1 + inner);
}

double iterations(const Kernel& meaning) {
  std::unordered_map<Symbol, double> counts;
  for (const auto* declarations : {&meaning.locals, &meaning.outputs}) {
    for (const TensorDecl& tensor : *declarations) {
      counts[tensor.name] = count_of(tensor.extents);
    }
  }
  double all = 0;
  for (const Statement& statement : meaning.statements) {
    all += counts[statement.target] * iterations(statement.value);
  }
  return all;
}

}  // namespace

double Cost::total() const { return calls * CostModel::kCall + elements + products / kProductsOfAnElement; }

Cost& Cost::operator+=(const Cost& other) {
  calls += other.calls;
  elements += other.elements;
  products += other.products;
  return *this;
}

Cost& Cost::operator-=(const Cost& other) {
  calls -= other.calls;
  elements -= other.elements;
  products -= other.products;
  return *this;
}

std::string Cost::text() const {
  return fmt::format("{:+.0f} calls, {:+.4g} elements moved, {:+.4g} products", calls, elements, products);
}

// Looks at few nodes: a chain that is longer counts as run time.
bool CostModel::is_ahead_of_time(const Graph& graph, NodeId node) {
  constexpr std::size_t kMostNodes = 64;
  thread_local std::vector<NodeId> pending;  // asked of every node that comes or goes
  pending.assign(1, node);
  for (std::size_t at = 0; at < pending.size(); ++at) {
    NodeId next = pending[at];
    if (graph.has_value(next)) {
      continue;
    }
    bool may = graph.kind(next) != NodeKind::Input && at < kMostNodes &&
               !(graph.kind(next) == NodeKind::Call && op_def(graph.op(next)).opaque);
    if (!may) {
      return false;
    }
    for (NodeId operand : graph.operands(next)) {
      if (operand != kNoNode) {
        pending.push_back(operand);
      }
    }
  }
  return true;
}

double CostModel::products_of(const Graph& graph, NodeId node) {
  const OpDef& def = op_def(graph.op(node));
  if (def.opaque || def.traits.elementwise || def.traits.along != Along::None) {
    return 0;
  }
  std::vector<Type> types;
  KnownContents contents;
  std::vector<std::uint64_t> key{graph.op(node), word_of(graph.attributes(node).id())};
  for (NodeId operand : graph.operands(node)) {
    types.push_back(operand == kNoNode ? Type() : graph.type(operand));
    contents.push_back(operand == kNoNode ? nullptr : graph.contents(operand));
    key.push_back(operand == kNoNode ? 0 : word_of(types.back().id()));
    key.push_back(contents.back() == nullptr ? 0 : 1 + contents.back()->size());
    for (std::size_t k = 0; contents.back() != nullptr && k < contents.back()->size(); ++k) {
      key.push_back(word_of((*contents.back())[k].id()));
    }
  }
  auto known = products_.find(key);
  if (known == products_.end()) {
    bool typed = type_call(graph.op(node), types, graph.attributes(node), contents)->error.empty();
    double count = typed ? iterations(*shared_meaning(graph.op(node), types, graph.attributes(node), contents)) : 0;
    known = products_.emplace(std::move(key), count).first;
  }
  return known->second;
}

Cost CostModel::of_node(const Graph& graph, NodeId node) {
  if (graph.kind(node) != NodeKind::Call || is_ahead_of_time(graph, node)) {
    return {};
  }
  Cost out{.calls = 1};
  const OpDef& def = op_def(graph.op(node));
  if (def.traits.along == Along::None && !def.traits.of_sizes) {
    out.elements = count_of(graph.type(node));
    std::span<const NodeId> operands = graph.operands(node);
    for (auto operand = operands.begin(); operand != operands.end(); ++operand) {
      bool read_already = std::find(operands.begin(), operand, *operand) != operand;
      out.elements += *operand == kNoNode || read_already ? 0 : count_of(graph.type(*operand));
    }
    out.products = products_of(graph, node);
  }
  return out;
}

Cost CostModel::of_graph(const Graph& graph) {
  Cost out;
  for (NodeId node : reverse_post_order(graph)) {
    out += of_node(graph, node);
  }
  return out;
}

std::vector<NodeId> CostModel::going(const Graph& graph, const Match& match, const std::vector<NodeId>& results,
                                     NodeId first_new) {
  constexpr std::size_t kMostNodes = 4096;
  constexpr std::size_t kMostUses = 64;  // what more share stays
  std::vector<NodeId> out;
  std::unordered_set<NodeId> gone;
  auto is_result = [&](NodeId node) { return std::find(results.begin(), results.end(), node) != results.end(); };
  auto stays_used = [&](NodeId node, bool is_output) {
    std::span<const Use> uses = graph.uses(node);
    return uses.size() > kMostUses || std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
             return use.user >= first_new || (!is_output && !gone.contains(use.user));
           });
  };
  auto take = [&](NodeId node, bool is_output) {
    bool goes = graph.kind(node) != NodeKind::Input && !gone.contains(node) && !is_result(node) &&
                (is_output || graph.output_count(node) == 0) && !stays_used(node, is_output) && out.size() < kMostNodes;
    if (goes) {
      gone.insert(node);
      out.push_back(node);
    }
  };
  for (NodeId output : match.outputs) {
    take(output, true);
  }
  for (std::size_t at = 0; at < out.size(); ++at) {
    for (NodeId operand : graph.operands(out[at])) {
      if (operand != kNoNode) {
        take(operand, false);
      }
    }
  }
  return out;
}

Cost CostModel::change(const Graph& graph, const Match& match, const std::vector<NodeId>& results, NodeId first_new) {
  Cost out;
  for (std::size_t id = first_new; id < graph.id_limit(); ++id) {
    if (graph.is_live(static_cast<NodeId>(id))) {
      out += of_node(graph, static_cast<NodeId>(id));
    }
  }
  for (NodeId node : going(graph, match, results, first_new)) {
    out -= of_node(graph, node);
  }
  return out;
}

}  // namespace vouch
