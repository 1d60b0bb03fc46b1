#include "driver/diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "graph/foreign.h"
#include "graph/order.h"
#include "graph/unknown_size.h"
#include "support/hash.h"
#include "term/substitute.h"

namespace vouch {

std::string kind_text(const Graph& graph, NodeId node) {
  switch (graph.kind(node)) {
    case NodeKind::Call: return operator_text(graph, node);
    case NodeKind::Input: return "input";
    case NodeKind::Parameter: return "parameter";
    case NodeKind::Constant: return "constant";
    case NodeKind::Tuple: return "tuple";
    case NodeKind::Projection: return "projection";
    case NodeKind::Erased: break;
  }
  return "";
}

namespace {

std::string value_text(const Graph& graph, NodeId node) {
  auto bytes = graph.value(node).bytes();
  return content_hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// All of a node but its operands and its name.
std::string own_form(const Graph& graph, NodeId node) {
  switch (graph.kind(node)) {
    case NodeKind::Input: return fmt::format("input {} {}", graph.name(node), graph.type(node).text());
    case NodeKind::Parameter:
    case NodeKind::Constant: return fmt::format("value {} {}", graph.type(node).text(), value_text(graph, node));
    case NodeKind::Call: return fmt::format("call {} {}", operator_text(graph, node), graph.attributes(node).text());
    case NodeKind::Tuple: return "tuple";
    case NodeKind::Projection: return fmt::format("projection {}", graph.projection_index(node));
    case NodeKind::Erased: break;
  }
  return "";
}

// Of a node's form and those of all below it.
std::unordered_map<NodeId, std::string> forms(const Graph& graph, const std::vector<NodeId>& order) {
  std::unordered_map<NodeId, std::string> all;
  for (NodeId node : order) {
    std::string text = own_form(graph, node);
    for (NodeId operand : graph.operands(node)) {
      text += operand == kNoNode ? "\n-" : "\n" + all.at(operand);
    }
    all[node] = content_hash(text);
  }
  return all;
}

class NodePairing {
 public:
  NodePairing(const Graph& a, const Graph& b) : a_(a), b_(b), order_a_(reverse_post_order(a)), order_b_(reverse_post_order(b)) {}

  ModelDiff run() {
    by_form();
    by_name();
    by_output();
    by_users();
    collect();
    return std::move(out_);
  }

 private:
  bool free(NodeId a, NodeId b) const { return !out_.pairs.contains(a) && !back_.contains(b); }

  void pair(NodeId a, NodeId b) {
    out_.pairs[a] = b;
    back_[b] = a;
    fresh_.emplace_back(a, b);
  }

  // Equal forms in the order in which they come; of several, those of one name first.
  void by_form() {
    auto forms_a = forms(a_, order_a_);
    auto forms_b = forms(b_, order_b_);
    std::unordered_map<std::string, std::deque<NodeId>> of_b;
    for (NodeId node : order_b_) {
      of_b[forms_b[node]].push_back(node);
    }
    for (bool named : {true, false}) {
      for (NodeId node : order_a_) {
        auto& candidates = of_b[forms_a[node]];
        auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](NodeId other) { return free(node, other) && (!named || a_.name(node) == b_.name(other)); });
        if (!out_.pairs.contains(node) && found != candidates.end()) {
          pair(node, *found);
          candidates.erase(found);
        }
      }
    }
  }

  void by_name() {
    for (NodeId node : order_a_) {
      auto other = b_.find_name(a_.name(node));
      bool live = other && b_.is_live(*other) && std::find(order_b_.begin(), order_b_.end(), *other) != order_b_.end();
      if (live && free(node, *other) && kind_text(a_, node) == kind_text(b_, *other)) {
        pair(node, *other);
      }
    }
  }

  void by_output() {
    for (const GraphOutput& output : a_.outputs()) {
      for (const GraphOutput& other : b_.outputs()) {
        if (output.name == other.name && free(output.node, other.node) &&
            kind_text(a_, output.node) == kind_text(b_, other.node)) {
          pair(output.node, other.node);
        }
      }
    }
  }

  void by_users() {
    while (!fresh_.empty()) {
      auto [a, b] = fresh_.back();
      fresh_.pop_back();
      auto of_a = a_.operands(a);
      auto of_b = b_.operands(b);
      for (std::size_t k = 0; k < std::min(of_a.size(), of_b.size()); ++k) {
        bool both = of_a[k] != kNoNode && of_b[k] != kNoNode;
        if (both && free(of_a[k], of_b[k]) && kind_text(a_, of_a[k]) == kind_text(b_, of_b[k])) {
          pair(of_a[k], of_b[k]);
        }
      }
    }
  }

  std::string operand_name(const Graph& graph, NodeId node) const {
    return node == kNoNode ? "none" : "'" + graph.name(node) + "'";
  }

  // Nodes of one name are told apart by what they are.
  std::string change(NodeId a, NodeId b) const {
    bool alike = a != kNoNode && b != kNoNode && a_.name(a) == b_.name(b);
    return fmt::format("{}{} -> {}{}", alike ? kind_text(a_, a) + " " : "", operand_name(a_, a),
                       alike ? kind_text(b_, b) + " " : "", operand_name(b_, b));
  }

  // Sizes that nothing names are counted anew by each reading: one of the first model is the one of the second that it is met
  // beside first.
  bool same_size(Term a, Term b) {
    std::vector<Symbol> of_a = unknown_sizes(a);
    std::vector<Symbol> of_b = unknown_sizes(b);
    if (of_a.size() != of_b.size()) {
      return false;
    }
    for (std::size_t k = 0; k < of_a.size(); ++k) {
      bool fresh = !unknown_.contains(of_a[k]) && !unknown_back_.contains(of_b[k]);
      if (fresh) {
        unknown_.emplace(of_a[k], int_var(of_b[k]));
        unknown_back_.emplace(of_b[k], of_a[k]);
      }
    }
    return substitute(a, unknown_) == b;
  }

  bool same_type(Type a, Type b) {
    if (a == b) {
      return true;
    }
    if (a.is_tuple() && b.is_tuple()) {
      return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                        [this](Type x, Type y) { return same_type(x, y); });
    }
    return a.is_tensor() && b.is_tensor() && a.dtype() == b.dtype() &&
           std::equal(a.extents().begin(), a.extents().end(), b.extents().begin(), b.extents().end(),
                      [this](Term x, Term y) { return same_size(x, y); });
  }

  std::vector<std::string> differences(NodeId a, NodeId b) {
    std::vector<std::string> all;
    auto tell = [&](std::string_view what, const std::string& before, const std::string& after) {
      if (before != after) {
        all.push_back(fmt::format("{}: {} -> {}", what, before.empty() ? "none" : before, after.empty() ? "none" : after));
      }
    };
    tell("operator", kind_text(a_, a), kind_text(b_, b));
    bool valued = a_.has_value(a) && b_.has_value(b);
    if (!same_type(a_.type(a), b_.type(b))) {
      tell("type", a_.type(a).text(), b_.type(b).text());
    }
    if (valued && all.empty() && value_text(a_, a) != value_text(b_, b)) {
      all.emplace_back("other values");
    }
    if (a_.kind(a) == NodeKind::Call && b_.kind(b) == NodeKind::Call) {
      tell("attributes", a_.attributes(a).text(), b_.attributes(b).text());
    }
    auto of_a = a_.operands(a);
    auto of_b = b_.operands(b);
    for (std::size_t k = 0; k < std::max(of_a.size(), of_b.size()); ++k) {
      NodeId x = k < of_a.size() ? of_a[k] : kNoNode;
      NodeId y = k < of_b.size() ? of_b[k] : kNoNode;
      auto partner = x == kNoNode ? out_.pairs.end() : out_.pairs.find(x);
      bool same = x == kNoNode ? y == kNoNode : partner != out_.pairs.end() && partner->second == y;
      if (!same) {
        all.push_back(fmt::format("operand {}: {}", k, change(x, y)));
      }
    }
    return all;
  }

  void collect() {
    for (NodeId node : order_a_) {
      if (!out_.pairs.contains(node)) {
        out_.removed.push_back(node);
      }
    }
    for (NodeId node : order_b_) {
      auto partner = back_.find(node);
      if (partner == back_.end()) {
        out_.added.push_back(node);
        continue;
      }
      std::vector<std::string> found = differences(partner->second, node);
      if (!found.empty()) {
        out_.changed.push_back({partner->second, node, std::move(found)});
      }
    }
    std::map<std::string, std::pair<const GraphOutput*, const GraphOutput*>> outputs;
    for (const GraphOutput& output : a_.outputs()) {
      outputs[output.name].first = &output;
    }
    for (const GraphOutput& output : b_.outputs()) {
      outputs[output.name].second = &output;
    }
    for (const auto& [name, both] : outputs) {
      auto [x, y] = both;
      auto partner = x == nullptr ? out_.pairs.end() : out_.pairs.find(x->node);
      if (x == nullptr || y == nullptr) {
        out_.outputs.push_back(fmt::format("output '{}' {}", name, x == nullptr ? "added" : "removed"));
      } else if (partner == out_.pairs.end() || partner->second != y->node) {
        out_.outputs.push_back(fmt::format("output '{}': {}", name, change(x->node, y->node)));
      }
    }
  }

  const Graph& a_;
  const Graph& b_;
  std::vector<NodeId> order_a_;
  std::vector<NodeId> order_b_;
  std::map<NodeId, NodeId> back_;
  std::vector<std::pair<NodeId, NodeId>> fresh_;
  Substitution unknown_;  // sizes of the first model that nothing names, and those of the second that they are
  std::unordered_map<Symbol, Symbol> unknown_back_;
  ModelDiff out_;
};

}  // namespace

ModelDiff diff_models(const Graph& a, const Graph& b) { return NodePairing(a, b).run(); }

}  // namespace vouch
