#include "rewrite/cleanup.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "graph/order.h"

namespace vouch {
namespace {

std::size_t mix(std::size_t seed, std::size_t value) { return (seed ^ value) * 0x9e3779b97f4a7c15ULL + (seed >> 7); }

std::size_t value_hash(const Tensor& value) {
  std::size_t h = mix(static_cast<std::size_t>(value.dtype()), static_cast<std::size_t>(value.count()));
  // Enough of the bytes to tell weights apart; equality looks at all of them.
  std::span<const std::byte> bytes = value.bytes().first(std::min<std::size_t>(value.bytes().size(), 256));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::size_t)) {
    std::size_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    h = mix(h, word);
  }
  return h;
}

struct FormHash {
  const Graph* graph;
  std::size_t operator()(NodeId node) const {
    const Graph& g = *graph;
    std::size_t h = static_cast<std::size_t>(g.kind(node));
    if (g.has_value(node)) {
      return value_hash(g.value(node));
    }
    h = mix(h, g.kind(node) == NodeKind::Call ? g.op(node) : g.projection_index(node));
    h = mix(h, std::hash<const void*>()(g.attributes(node).id()));
    for (NodeId operand : g.operands(node)) {
      h = mix(h, operand);
    }
    return h;
  }
};

struct SameForm {
  const Graph* graph;
  bool operator()(NodeId a, NodeId b) const {
    const Graph& g = *graph;
    if (g.has_value(a) && g.has_value(b)) {
      return g.value(a) == g.value(b);
    }
    if (g.kind(a) != g.kind(b) || g.type(a) != g.type(b) || g.attributes(a) != g.attributes(b)) {
      return false;
    }
    if (g.kind(a) == NodeKind::Call && g.op(a) != g.op(b)) {
      return false;
    }
    if (g.kind(a) == NodeKind::Projection && g.projection_index(a) != g.projection_index(b)) {
      return false;
    }
    std::span<const NodeId> x = g.operands(a);
    std::span<const NodeId> y = g.operands(b);
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  }
};

bool may_merge(const Graph& graph, NodeId node) {
  return graph.kind(node) != NodeKind::Input && !(graph.kind(node) == NodeKind::Call && op_def(graph.op(node)).opaque);
}

// A call that may draw random numbers has a type and no meaning; another call of its form need not give the same.
bool may_draw(const Graph& graph, NodeId node) {
  if (graph.kind(node) != NodeKind::Call) {
    return false;
  }
  std::vector<Type> types;
  for (NodeId operand : graph.operands(node)) {
    types.push_back(operand == kNoNode ? Type() : graph.type(operand));
  }
  return type_call(graph.op(node), types, graph.attributes(node), {})->error.empty() &&
         shared_meaning(graph.op(node), types, graph.attributes(node), {})->outputs.empty();
}

}  // namespace

bool has_value_of_its_form(const Graph& graph, NodeId node) { return may_merge(graph, node) && !may_draw(graph, node); }

namespace {

class Merger {
 public:
  explicit Merger(Graph& graph) : graph_(graph), known_(graph.live_count(), FormHash{&graph}, SameForm{&graph}) {}

  // Values first: which of them stays is settled before the forms of calls on them are compared.
  std::size_t run() {
    std::vector<NodeId> order = reverse_post_order(graph_);
    for (bool values : {true, false}) {
      for (NodeId node : order) {
        if (graph_.is_live(node) && graph_.has_value(node) == values && may_merge(graph_, node)) {
          merge(node);
        }
      }
    }
    return merged_;
  }

 private:
  void merge(NodeId node) {
    auto [first, is_new] = known_.insert(node);
    if (is_new || may_draw(graph_, node)) {
      return;
    }
    NodeId merged = node;
    if (graph_.has_value(node) && graph_.has_name(node) && !graph_.has_name(*first)) {
      merged = *first;
      known_.erase(first);
      known_.insert(node);
    }
    graph_.replace_uses(merged, merged == node ? *first : node);
    graph_.erase(merged);
    ++merged_;
  }

  Graph& graph_;
  std::unordered_set<NodeId, FormHash, SameForm> known_;
  std::size_t merged_ = 0;
};

}  // namespace

std::size_t merge_common_subexpressions(Graph& graph) { return Merger(graph).run(); }

std::size_t remove_dead_nodes(Graph& graph) {
  std::size_t before = graph.live_count();
  // Users have larger ids than the operands they were built with, but rewriting may reverse that: erase_dead follows.
  for (std::size_t id = graph.id_limit(); id-- > 0;) {
    graph.erase_dead(static_cast<NodeId>(id));
  }
  return before - graph.live_count();
}

std::size_t forward_projections(Graph& graph) {
  std::size_t forwarded = 0;
  for (NodeId node : reverse_post_order(graph)) {
    if (graph.kind(node) != NodeKind::Projection) {
      continue;
    }
    NodeId tuple = graph.operands(node)[0];
    if (graph.kind(tuple) == NodeKind::Tuple) {
      graph.replace_uses(node, graph.operands(tuple)[graph.projection_index(node)]);
      graph.erase(node);
      ++forwarded;
    }
  }
  return forwarded;
}

}  // namespace vouch
