#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "driver/decimals.h"
#include "driver/picture.h"
#include "graph/default_attribute.h"
#include "graph/foreign.h"
#include "graph/order.h"
#include "support/displayable.h"

namespace vouch {
namespace {

class GraphPicture {
 public:
  GraphPicture(const Graph& graph, const PictureStyle& style) : graph_(graph), style_(style) {
    large_ = graph.live_count() + style.removed_nodes.size() > kManyNodes;
  }

  std::string draw() {
    std::vector<NodeId> order = reverse_post_order(graph_);
    find_groups(order);
    for (NodeId node : order) {
      if (is_drawn(node)) {
        add_node(node);
      }
    }
    add_groups();
    add_outputs();
    add_removed();
    return "digraph {\n  rankdir=TB; node [fontname=\"Helvetica\", fontsize=11]; edge [fontname=\"Helvetica\", "
           "fontsize=8, color=\"#606060\"];\n" +
           (style_.removed != nullptr ? legend() : "") + out_ + "}\n";
  }

 private:
  static std::string legend() {
    return fmt::format(
        "  labelloc=t; fontname=\"Helvetica\"; label=<<table border=\"0\" cellspacing=\"6\"><tr><td bgcolor=\"{}\">removed</td>"
        "<td bgcolor=\"{}\">added</td><td bgcolor=\"{}\">changed</td></tr></table>>;\n",
        kPictureRemoved, kPictureAdded, kPictureChanged);
  }

  struct Group {
    std::size_t number = 0;
    std::map<std::string, std::size_t> calls;  // by operator
    std::string fill;
  };

  static bool is_value(const Graph& graph, NodeId node) { return graph.has_value(node); }
  bool is_drawn(NodeId node) const {
    return !(large_ && is_value(graph_, node) && graph_.output_count(node) == 0) && !group_of(node);
  }

  void find_groups(const std::vector<NodeId>& order) {
    for (NodeId node : order) {
      std::string scope = graph_.kind(node) == NodeKind::Input ? "" : scope_of(graph_.name(node), style_.scope_depth);
      if (scope.empty()) {
        continue;
      }
      Group& group = groups_.try_emplace(scope, Group{groups_.size(), {}, {}}).first->second;
      grouped_[node] = &group;
      if (graph_.kind(node) == NodeKind::Call) {
        ++group.calls[operator_text(graph_, node)];
      }
      if (auto marked = style_.fill.find(node); marked != style_.fill.end()) {
        group.fill = group.fill.empty() || group.fill == marked->second ? marked->second : kPictureChanged;
      }
    }
    // What has no scope of its own, and is read in one alone, belongs there.
    for (auto at = order.rbegin(); at != order.rend() && style_.scope_depth != 0; ++at) {
      bool follows = graph_.kind(*at) != NodeKind::Input && !grouped_.contains(*at) && graph_.output_count(*at) == 0;
      auto uses = graph_.uses(*at);
      const Group* reader = follows && !uses.empty() ? group_of(uses[0].user) : nullptr;
      bool alone = std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return group_of(use.user) == reader; });
      if (reader != nullptr && alone) {
        grouped_[*at] = reader;
      }
    }
  }

  const Group* group_of(NodeId node) const {
    auto found = grouped_.find(node);
    return found == grouped_.end() ? nullptr : found->second;
  }

  std::string id(NodeId node) const {
    const Group* group = group_of(node);
    return group != nullptr ? fmt::format("g{}", group->number) : fmt::format("n{}", node);
  }

  std::string label(const Graph& graph, NodeId node, bool whole) const {
    constexpr std::size_t kLongest = 60;
    constexpr std::size_t kShort = 28;
    switch (graph.kind(node)) {
      case NodeKind::Call: {
        std::string out = operator_text(graph, node);
        std::string attributes = graph.op(node) == foreign_op() ? ""
                                 : whole                        ? graph.attributes(node).text()
                                         : text_without_defaults(op_def(graph.op(node)), graph.attributes(node));
        attributes = whole ? attributes : shortened(with_decimals(attributes), large_ ? kShort : kLongest);
        out += attributes.empty() ? "" : "\n" + attributes;
        return large_ || whole ? out + values_read(graph, node, whole) : out;
      }
      case NodeKind::Projection: return fmt::format(".{}", graph.projection_index(node));
      case NodeKind::Tuple: return "( )";
      case NodeKind::Input:
      case NodeKind::Parameter:
      case NodeKind::Constant:
      case NodeKind::Erased: break;
    }
    std::string name = graph.name(node);
    return fmt::format("{}\n{}", whole ? name : shortened(name, kLongest), graph.type(node).text());
  }

  // `w float32[64, 3, 7, 7]`, a line each.
  std::string values_read(const Graph& graph, NodeId node, bool whole) const {
    constexpr std::size_t kShort = 12;
    std::string out;
    for (NodeId operand : graph.operands(node)) {
      if (operand != kNoNode && is_value(graph, operand)) {
        std::string name = graph.name(operand);
        out += fmt::format("\n{} {}", whole ? name : ending(name, kShort), graph.type(operand).text());
      }
    }
    return out;
  }

  // Of a long name what tells it apart: its end.
  static std::string ending(const std::string& name, std::size_t most) {
    std::string last = name.substr(name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1);
    return shortened(last, most);
  }

  std::string tooltip(const Graph& graph, NodeId node) const {
    auto note = style_.notes.find(node);
    std::string out = fmt::format("{}\n{}", graph.name(node), label(graph, node, true));
    return &graph == &graph_ && note != style_.notes.end() ? out + "\n" + note->second : out;
  }

  static std::string_view shape(NodeKind kind) {
    switch (kind) {
      case NodeKind::Input: return "shape=ellipse, style=\"filled\", fillcolor=\"#dbe9f6\"";
      case NodeKind::Parameter:
      case NodeKind::Constant: return "shape=plaintext, fontsize=9, fontcolor=\"#707070\"";
      case NodeKind::Tuple:
      case NodeKind::Projection: return "shape=circle, width=0.3, fontsize=9";
      case NodeKind::Call:
      case NodeKind::Erased: break;
    }
    return "shape=box, style=\"rounded,filled\", fillcolor=white";
  }

  static std::string filled(std::string_view colour) {
    return colour.empty() ? "" : fmt::format(", style=\"filled\", fillcolor=\"{}\"", colour);
  }

  void add_edge(const std::string& from, const std::string& to, const std::string& text, std::string_view more = "") {
    bool grouped = from.starts_with('g') || to.starts_with('g');
    if (from != to && (!grouped || joined_.insert(from + " " + to).second)) {
      out_ += fmt::format("  {} -> {} [label={}{}];\n", from, to, dot_quoted(text), more);
    }
  }

  std::string edge_text(NodeId operand) const {
    bool typed = graph_.kind(operand) == NodeKind::Call && graph_.type(operand).is_tensor();
    return typed ? graph_.type(operand).text() : "";
  }

  void add_node(NodeId node) {
    auto marked = style_.fill.find(node);
    out_ += fmt::format("  n{} [label={}, tooltip={}, {}{}];\n", node, dot_quoted(label(graph_, node, false)),
                        dot_quoted(tooltip(graph_, node)), shape(graph_.kind(node)),
                        filled(marked == style_.fill.end() ? std::string_view() : marked->second));
    add_edges(node);
  }

  void add_edges(NodeId node) {
    for (NodeId operand : graph_.operands(node)) {
      if (operand != kNoNode && (is_drawn(operand) || (group_of(operand) && !is_value(graph_, operand)))) {
        add_edge(id(operand), id(node), edge_text(operand));
      }
    }
  }

  void add_groups() {
    for (const auto& [scope, group] : groups_) {
      std::size_t total = 0;
      std::vector<std::pair<std::size_t, std::string>> most;
      for (const auto& [name, count] : group.calls) {
        total += count;
        most.emplace_back(count, name);
      }
      std::sort(most.begin(), most.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
      constexpr std::size_t kShown = 4;
      std::string some;
      std::string all;
      for (std::size_t k = 0; k < most.size(); ++k) {
        std::string one = fmt::format("{} {}", most[k].first, most[k].second);
        some += k < kShown ? (k == 0 ? "" : ", ") + one : k == kShown ? ", …" : "";
        all += "\n" + one;
      }
      out_ += fmt::format("  g{} [label={}, tooltip={}, shape=box3d, style=filled, fillcolor=\"{}\"];\n", group.number,
                          dot_quoted(fmt::format("{}\n{} calls\n{}", scope, total, some)), dot_quoted(scope + all),
                          group.fill.empty() ? "#f1f1f6" : group.fill);
    }
    for (NodeId node : reverse_post_order(graph_)) {
      if (group_of(node)) {
        add_edges(node);
      }
    }
  }

  void add_outputs() {
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const GraphOutput& output = graph_.outputs()[i];
      out_ += fmt::format("  out{} [label={}, shape=ellipse, style=filled, fillcolor=\"#e4f3df\"];\n", i,
                          dot_quoted(fmt::format("{}\n{}", output.name, graph_.type(output.node).text())));
      add_edge(id(output.node), fmt::format("out{}", i), "");
    }
  }

  // Between the partners of what it read and of what read it.
  void add_removed() {
    std::unordered_set<NodeId> removed(style_.removed_nodes.begin(), style_.removed_nodes.end());
    auto place = [&](NodeId node) {
      auto partner = style_.partners.find(node);
      bool shown = partner != style_.partners.end() && (is_drawn(partner->second) || group_of(partner->second));
      return removed.contains(node) ? fmt::format("r{}", node) : shown ? id(partner->second) : std::string();
    };
    constexpr std::string_view kDashed = ", style=dashed, color=\"#b3261e\"";
    for (NodeId node : style_.removed_nodes) {
      const Graph& from = *style_.removed;
      if (large_ && is_value(from, node)) {
        continue;
      }
      out_ += fmt::format("  r{} [label={}, tooltip={}, {}{}];\n", node, dot_quoted(label(from, node, false)),
                          dot_quoted(tooltip(from, node)), shape(from.kind(node)), filled(kPictureRemoved));
      for (NodeId operand : from.operands(node)) {
        if (operand != kNoNode && !(large_ && is_value(from, operand)) && !place(operand).empty()) {
          add_edge(place(operand), place(node), "", kDashed);
        }
      }
      for (const Use& use : from.uses(node)) {
        if (!removed.contains(use.user) && !place(use.user).empty()) {
          add_edge(place(node), place(use.user), "", kDashed);
        }
      }
    }
  }

  const Graph& graph_;
  const PictureStyle& style_;
  bool large_ = false;
  std::map<std::string, Group> groups_;
  std::unordered_map<NodeId, const Group*> grouped_;
  std::unordered_set<std::string> joined_;
  std::string out_;
};

}  // namespace

std::string scope_of(const std::string& name, std::size_t depth) {
  std::size_t at = name.starts_with('/') ? 1 : 0;
  std::size_t end = at;
  for (std::size_t k = 0; k < depth; ++k) {
    end = name.find('/', at);
    if (end == std::string::npos) {
      return "";
    }
    at = end + 1;
  }
  return depth == 0 ? "" : name.substr(0, end);
}

std::string picture_of_graph(const Graph& graph, const PictureStyle& style) { return GraphPicture(graph, style).draw(); }

}  // namespace vouch
