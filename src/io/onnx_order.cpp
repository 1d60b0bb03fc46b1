#include "io/onnx_order.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

namespace vouch {
namespace {

using Node = onnx::NodeProto;
using Producers = std::unordered_map<std::string_view, int>;

// Calls `visit` for each subgraph of the node.
template <class Visit>
void for_each_subgraph(const Node& node, const Visit& visit) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) {
      visit(attribute.g());
    }
    for (const auto& graph : attribute.graphs()) {
      visit(graph);
    }
  }
}

std::optional<Producers> find_producers(const onnx::GraphProto& graph, const std::string& place, Diagnostics& diagnostics) {
  Producers producers;
  bool unique = true;
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& output : graph.node(i).output()) {
      if (!output.empty() && !producers.emplace(output, i).second) {
        diagnostics.error_at(fmt::format("{}: {}", place, onnx_node_text(graph.node(i))),
                             fmt::format("the value '{}' is defined a second time", output));
        unique = false;
      }
    }
  }
  return unique ? std::optional(std::move(producers)) : std::nullopt;
}

class Sorter {
 public:
  Sorter(const onnx::GraphProto& graph, const Producers& producers, const std::function<bool(std::string_view)>& is_known,
         const std::string& place, Diagnostics& diagnostics)
      : graph_(graph),
        producers_(producers),
        is_known_(is_known),
        place_(place),
        diagnostics_(diagnostics),
        state_(static_cast<std::size_t>(graph.node_size()), State::New) {}

  std::optional<std::vector<const Node*>> run() {
    for (int i = 0; i < graph_.node_size(); ++i) {
      if (state_[static_cast<std::size_t>(i)] == State::New) {
        enter(i);
        if (!drain()) {
          return std::nullopt;
        }
      }
    }
    return complete_ ? std::optional(std::move(order_)) : std::nullopt;
  }

 private:
  enum class State : std::uint8_t { New, Open, Done };
  struct Frame {
    int node;
    std::vector<std::string_view> reads;
    std::size_t next = 0;
  };

  void enter(int node) {
    state_[static_cast<std::size_t>(node)] = State::Open;
    stack_.push_back({node, names_read(graph_.node(node))});
  }

  bool drain() {
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next == top.reads.size()) {
        state_[static_cast<std::size_t>(top.node)] = State::Done;
        order_.push_back(&graph_.node(top.node));
        stack_.pop_back();
      } else if (!visit(top.reads[top.next++])) {
        return false;
      }
    }
    return true;
  }

  bool visit(std::string_view name) {
    auto found = producers_.find(name);
    if (found == producers_.end()) {
      if (!is_known_(name)) {
        complete_ = false;
        diagnostics_.error_at(where(stack_.back().node), fmt::format("nothing defines the value '{}' it reads", name));
      }
      return true;
    }
    switch (state_[static_cast<std::size_t>(found->second)]) {
      case State::New: enter(found->second); return true;
      case State::Open:
        diagnostics_.error_at(where(found->second), fmt::format("it depends on itself: {}", cycle(found->second)));
        return false;
      case State::Done: return true;
    }
    return true;
  }

  // The nodes of the cycle that closes at `node`, the first few of them.
  std::string cycle(int node) const {
    constexpr std::size_t kMostShown = 6;
    std::size_t begin = stack_.size();
    while (begin > 0 && stack_[begin - 1].node != node) {
      --begin;
    }
    std::string out;
    for (std::size_t i = begin - 1; i < stack_.size() && i < begin - 1 + kMostShown; ++i) {
      out += onnx_node_text(graph_.node(stack_[i].node)) + " needs ";
    }
    return out + (stack_.size() - begin + 1 > kMostShown ? "…" : "the first again");
  }

  std::string where(int node) const { return fmt::format("{}: {}", place_, onnx_node_text(graph_.node(node))); }

  const onnx::GraphProto& graph_;
  const Producers& producers_;
  const std::function<bool(std::string_view)>& is_known_;
  const std::string& place_;
  Diagnostics& diagnostics_;
  std::vector<State> state_;
  std::vector<Frame> stack_;
  std::vector<const Node*> order_;
  bool complete_ = true;
};

}  // namespace

std::string onnx_node_text(const Node& node) {
  if (!node.name().empty()) {
    return fmt::format("{} node '{}'", node.op_type(), node.name());
  }
  return fmt::format("{} node giving '{}'", node.op_type(), node.output_size() > 0 ? node.output(0) : std::string());
}

std::vector<std::string_view> names_read(const Node& node) {
  std::vector<std::string_view> out;
  for (const std::string& input : node.input()) {
    if (!input.empty()) {
      out.push_back(input);
    }
  }
  for_each_subgraph(node, [&](const onnx::GraphProto& graph) {
    std::vector<std::string_view> captured = names_captured(graph);
    out.insert(out.end(), captured.begin(), captured.end());
  });
  return out;
}

// Recursion follows the nesting of subgraphs, which parsing has bounded.
std::vector<std::string_view> names_captured(const onnx::GraphProto& graph) {
  std::unordered_set<std::string_view> known;
  for (const auto& input : graph.input()) {
    known.insert(input.name());
  }
  for (const auto& tensor : graph.initializer()) {
    known.insert(tensor.name());
  }
  for (const auto& tensor : graph.sparse_initializer()) {
    known.insert(tensor.values().name());
  }
  for (const Node& node : graph.node()) {
    known.insert(node.output().begin(), node.output().end());
  }
  std::vector<std::string_view> out;
  auto add = [&](std::string_view name) {
    if (known.insert(name).second) {
      out.push_back(name);
    }
  };
  for (const Node& node : graph.node()) {
    for (std::string_view name : names_read(node)) {
      add(name);
    }
  }
  for (const auto& output : graph.output()) {
    add(output.name());
  }
  return out;
}

std::optional<std::vector<const Node*>> order_nodes(const onnx::GraphProto& graph,
                                                    const std::function<bool(std::string_view)>& is_known,
                                                    const std::string& place, Diagnostics& diagnostics) {
  auto producers = find_producers(graph, place, diagnostics);
  if (!producers) {
    return std::nullopt;
  }
  return Sorter(graph, *producers, is_known, place, diagnostics).run();
}

}  // namespace vouch
