#include "rewrite/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "graph/op_table.h"
#include "graph/order.h"
#include "rewrite/cleanup.h"
#include "rewrite/step_region.h"
#include "support/hash.h"

namespace vouch {
namespace {

constexpr int kDeepestSame = 100;

// The nodes that a step shows: constants too, wherever they are; operands first.
std::vector<NodeId> shown(const Graph& graph, NodeId root, const InsideRegion& inside) {
  RegionSide side = region_side(graph, {root}, inside);
  std::vector<NodeId> out;
  std::copy_if(side.reads.begin(), side.reads.end(), std::back_inserter(out), [&](NodeId node) { return graph.has_value(node); });
  out.insert(out.end(), side.calls.begin(), side.calls.end());
  return out;
}

// What took whose place between two graphs: operands and outputs that differ.
std::vector<std::pair<NodeId, NodeId>> replaced_between(const Graph& before, const Graph& after) {
  std::vector<std::pair<NodeId, NodeId>> out;
  std::set<std::pair<NodeId, NodeId>> known;
  auto note = [&](NodeId a, NodeId b) {
    if (a != b && a != kNoNode && b != kNoNode && known.emplace(a, b).second) {
      out.emplace_back(a, b);
    }
  };
  for (NodeId node : reverse_post_order(before)) {
    if (!after.is_live(node)) {
      continue;
    }
    auto old = before.operands(node);
    auto now = after.operands(node);
    for (std::size_t k = 0; k < std::min(old.size(), now.size()); ++k) {
      note(old[k], now[k]);
    }
  }
  for (std::size_t k = 0; k < std::min(before.outputs().size(), after.outputs().size()); ++k) {
    note(before.outputs()[k].node, after.outputs()[k].node);
  }
  return out;
}

}  // namespace

ChainRecorder::ChainRecorder(const Graph& first) {
  for (NodeId node : reverse_post_order(first)) {
    id_of(first, node);
  }
  chain_.first = chain_.nodes;
  note_outputs(first, chain_.first_outputs);
}

void ChainRecorder::on_change(const Graph& before, const Graph& after, const RewriteStep* step, Pass pass, std::size_t rewrite) {
  if (step != nullptr) {
    add_rewrite(before, after, *step, rewrite);
  } else {
    add_pass(before, after, pass);
  }
}

Chain ChainRecorder::finish(const Graph& last) && {
  for (const ChainNode& node : seen_all(last, reverse_post_order(last))) {
    expect(node);
    chain_.last.push_back(node);
  }
  note_outputs(last, chain_.last_outputs);
  if (!same_operands(chain_.first_outputs, chain_.last_outputs)) {
    chain_.why = "an output is not known to be what it was";
  }
  return std::move(chain_);
}

// --- nodes

// Operands are entered first, by a stack of our own: graphs are deep.
ChainId ChainRecorder::id_of(const Graph& graph, NodeId node) {
  std::vector<NodeId> pending{node};
  while (!pending.empty()) {
    NodeId top = pending.back();
    std::size_t waiting = pending.size();
    if (top != kNoNode && !ids_.contains(top)) {
      for (NodeId operand : graph.operands(top)) {
        if (operand != kNoNode && !ids_.contains(operand)) {
          pending.push_back(operand);
        }
      }
      if (pending.size() != waiting) {
        continue;
      }
      enter(graph, top);
    }
    pending.pop_back();
  }
  if (node != kNoNode && graph.kind(node) == NodeKind::Call && ids_.at(node).attributes != graph.attributes(node).id()) {
    renew(graph, node);
  }
  return node == kNoNode ? kNoOperand : ids_.at(node).id;
}

void ChainRecorder::enter(const Graph& graph, NodeId node) {
  std::vector<ChainId> operands;
  for (NodeId operand : graph.operands(node)) {
    operands.push_back(operand == kNoNode ? kNoOperand : ids_.at(operand).id);
  }
  ChainId id = next_++;
  ids_[node] = {id, graph.attributes(node).id()};
  if (graph.kind(node) != NodeKind::Input) {
    places_[id] = chain_.nodes.size();
    chain_.nodes.push_back({id, symbol_of(graph, node), std::move(operands)});
  }
}

// A call with another graph within it is another call, and has the same value if the two graphs are equal.
void ChainRecorder::renew(const Graph& graph, NodeId node) {
  for (NodeId operand : graph.operands(node)) {
    id_of(graph, operand);
  }
  ChainNode old = chain_.nodes[places_.at(ids_.at(node).id)];
  enter(graph, node);
  const ChainNode& fresh = chain_.nodes.back();
  chain_.steps.push_back({ChainBody{}, {old}, {fresh}, old.id, fresh.id});
  same_[old.id] = fresh.id;
}

std::uint32_t ChainRecorder::symbol_of(const Graph& graph, NodeId node) {
  std::string key;
  switch (graph.kind(node)) {
    case NodeKind::Call:
      key = fmt::format("call {} {}{}", graph.op(node), graph.attributes(node).id(),
                        has_value_of_its_form(graph, node) ? "" : fmt::format(" of {}", node));
      break;
    case NodeKind::Tuple: key = "tuple"; break;
    case NodeKind::Projection: key = fmt::format("projection {}", graph.projection_index(node)); break;
    case NodeKind::Parameter:
    case NodeKind::Constant: {
      auto bytes = graph.value(node).bytes();
      key = fmt::format("constant {} {}", graph.type(node).text(),
                        content_hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
      break;
    }
    case NodeKind::Input:
    case NodeKind::Erased: break;
  }
  return symbols_.try_emplace(std::move(key), static_cast<std::uint32_t>(symbols_.size() + 1)).first->second;
}

// The node as it is in this graph.
ChainNode ChainRecorder::seen(const Graph& graph, NodeId node) {
  ChainNode out{id_of(graph, node), 0, {}};
  out.symbol = chain_.nodes[places_.at(out.id)].symbol;
  for (NodeId operand : graph.operands(node)) {
    out.operands.push_back(id_of(graph, operand));
  }
  return out;
}

std::vector<ChainNode> ChainRecorder::seen_all(const Graph& graph, const Nodes& order) {
  std::vector<ChainNode> out;
  for (NodeId node : order) {
    if (graph.kind(node) != NodeKind::Input) {
      out.push_back(seen(graph, node));
    }
  }
  return out;
}

void ChainRecorder::note_outputs(const Graph& graph, std::vector<ChainId>& outputs) {
  for (const GraphOutput& output : graph.outputs()) {
    outputs.push_back(id_of(graph, output.node));
  }
}

// --- steps

void ChainRecorder::add_region(const Graph& before, const Nodes& old, const Graph& after, const Nodes& fresh, NodeId from,
                               NodeId to, ChainGround ground) {
  ChainStep step{ground, seen_all(before, old), seen_all(after, fresh), id_of(before, from), id_of(after, to)};
  std::for_each(step.before.begin(), step.before.end(), [&](const ChainNode& node) { expect(node); });
  std::for_each(step.after.begin(), step.after.end(), [&](const ChainNode& node) { expect(node); });
  same_[step.from] = step.to;
  chain_.steps.push_back(std::move(step));
}

void ChainRecorder::add_rewrite(const Graph& before, const Graph& after, const RewriteStep& step, std::size_t rewrite) {
  InsideRegion inside = inside_of(before, step);
  for (std::size_t k = 0; k < step.match->outputs.size(); ++k) {
    NodeId from = step.match->outputs[k];
    NodeId to = step.application->results[k];
    if (from != to) {
      add_region(before, shown(before, from, inside), after, shown(after, to, inside), from, to, ChainRule{rewrite});
    }
  }
}

// Of what a pass replaced, the node itself is read, with the constants, the tuple or the call of several results that it reads.
void ChainRecorder::add_pass(const Graph& before, const Graph& after, Pass pass) {
  auto fresh = [&](NodeId node) { return node >= before.id_limit(); };
  for (const auto& [a, b] : replaced_between(before, after)) {
    NodeId from = a;
    ChainId old = id_of(before, a);
    ChainId now = id_of(after, b);
    if (add_same(old, now, kDeepestSame)) {
      continue;
    }
    auto near = [&](NodeId node) {
      bool of_projection = before.kind(from) == NodeKind::Projection && before.operands(from)[0] == node;
      return node == from || of_projection;
    };
    add_region(before, shown(before, a, near), after, shown(after, b, fresh), a, b, pass);
  }
}

// What operands were merged into may be read by nobody any more: then they are compared here.
bool ChainRecorder::add_same(ChainId from, ChainId to, int deepest) {
  if (newest(from) == newest(to)) {
    return true;
  }
  auto one = places_.find(from);
  auto two = places_.find(to);
  if (one == places_.end() || two == places_.end()) {
    return false;
  }
  const ChainNode& a = chain_.nodes[one->second];
  const ChainNode& b = chain_.nodes[two->second];
  bool same = deepest > 0 && a.symbol == b.symbol && a.operands.size() == b.operands.size();
  for (std::size_t k = 0; same && k < a.operands.size(); ++k) {
    same = add_same(a.operands[k], b.operands[k], deepest - 1);
  }
  if (!same) {
    return false;
  }
  chain_.steps.push_back({SameCall{}, {}, {}, from, to});
  same_[from] = to;
  return true;
}

// --- what Coq will find

ChainId ChainRecorder::newest(ChainId id) const {
  std::size_t hops = 0;
  for (auto next = same_.find(id); next != same_.end() && hops <= same_.size(); next = same_.find(id)) {
    id = next->second;
    ++hops;
  }
  return id;
}

bool ChainRecorder::same_operands(const std::vector<ChainId>& a, const std::vector<ChainId>& b) const {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](ChainId x, ChainId y) { return newest(x) == newest(y); });
}

void ChainRecorder::expect(const ChainNode& node) {
  const ChainNode& first = chain_.nodes[places_.at(node.id)];
  if (!same_operands(first.operands, node.operands) && chain_.why.empty()) {
    chain_.why = fmt::format("node {} reads what no step put in the place of its operands", node.id);
  }
}

}  // namespace vouch
