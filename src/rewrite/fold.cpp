#include "rewrite/fold.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/eval.h"
#include "graph/order.h"
#include "rewrite/decided_integers.h"

namespace vouch {
namespace {

std::uint64_t bytes_of_values(const Graph& graph) {
  std::uint64_t bytes = 0;
  for (std::size_t id = 0; id < graph.id_limit(); ++id) {
    auto node = static_cast<NodeId>(id);
    bytes += graph.has_value(node) ? graph.value(node).bytes().size() : 0;
  }
  return bytes;
}

// The constants that come, and what a call takes on its way to one.
RunOptions run_options(const FoldLimits& limits) {
  constexpr std::int64_t kOnTheWay = std::int64_t{1} << 29;
  RunOptions options;
  constexpr auto kMost = static_cast<std::uint64_t>(INT64_MAX - kOnTheWay);
  options.most_bytes = static_cast<std::int64_t>(std::min(limits.most_bytes, kMost)) + kOnTheWay;
  return options;
}

class Folder {
 public:
  Folder(Graph& graph, const FoldLimits& limits, const FoldWatch& watch)
      : graph_(graph), limits_(limits), watch_(watch), bytes_(bytes_of_values(graph)), evaluator_(run_options(limits)) {}

  std::size_t run() {
    for (NodeId node : reverse_post_order(graph_)) {
      if (graph_.kind(node) == NodeKind::Call && graph_.type(node).is_tensor() && !op_def(graph_.op(node)).opaque) {
        folded_ += fold(node);
      }
    }
    return folded_;
  }

 private:
  // Adds the operand's tensors; false if it is no value.
  bool add_operand(NodeId operand, std::vector<EvalValue>& values, std::set<NodeId>& sources) {
    EvalValue value;
    if (operand != kNoNode && graph_.has_value(operand)) {
      value.items.push_back(graph_.value(operand));
      sources.insert(operand);
    } else if (operand != kNoNode && graph_.kind(operand) == NodeKind::Tuple) {
      value.is_tuple = true;
      for (NodeId item : graph_.operands(operand)) {
        if (!graph_.has_value(item)) {
          return false;
        }
        value.items.push_back(graph_.value(item));
        sources.insert(item);
      }
    } else if (operand != kNoNode) {
      return false;
    }
    values.push_back(std::move(value));
    return true;
  }

  // Sizes are known as terms, and what is computed of them: where no term is left open the call is a constant.
  bool fold_contents(NodeId node) {
    const std::vector<Term>* known = graph_.contents(node);
    auto extents = graph_.type(node).concrete_extents();
    if (known == nullptr || !extents || is_float(graph_.type(node).dtype())) {
      return false;
    }
    Tensor value(graph_.type(node).dtype(), *extents);
    for (std::size_t k = 0; k < known->size(); ++k) {
      auto number = const_int((*known)[k]);
      if (!number) {
        return false;
      }
      value.set_int(static_cast<std::int64_t>(k), *number);
    }
    become(node, std::move(value));
    return true;
  }

  void become(NodeId node, Tensor value) {
    bool named = graph_.find_name(graph_.name(node)) == node;
    std::string name = named ? graph_.name(node) : graph_.name(node) + "_folded";
    bytes_ += value.bytes().size();
    NodeId constant = graph_.add_parameter(std::move(name), std::move(value));
    if (watch_) {
      watch_(graph_, node, constant);
    }
    graph_.replace_uses(node, constant);
    graph_.erase_dead(node);
  }

  bool fold(NodeId node) {
    if (fold_contents(node)) {
      return true;
    }
    std::vector<EvalValue> operands;
    std::set<NodeId> sources;
    for (NodeId operand : graph_.operands(node)) {
      if (!add_operand(operand, operands, sources)) {
        return false;
      }
    }
    if (!fits(node, sources) || !integers_are_decided(graph_, node, operands)) {
      return false;
    }
    Diagnostics diagnostics;
    auto results = evaluator_.call(graph_.op(node), operands, graph_.attributes(node), graph_.name(node), diagnostics);
    if (!results || results->size() != 1) {
      return false;
    }
    become(node, std::move(results->front()));
    for (NodeId source : sources) {
      bytes_ -= graph_.is_live(source) ? 0 : source_bytes_[source];
    }
    return true;
  }

  bool unpacks(NodeId node, NodeId source, std::int64_t count) const {
    constexpr std::int64_t kFew = 64;
    const Tensor& value = graph_.value(source);
    bool bytes = value.dtype() != DType::Bool && byte_size(value.dtype()) == 1;
    return bytes && is_float(graph_.type(node).dtype()) && count > kFew && element_count(value.extents()) == count;
  }

  bool fits(NodeId node, const std::set<NodeId>& sources) {
    auto extents = graph_.type(node).concrete_extents();
    auto count = extents ? element_count(*extents) : std::nullopt;
    constexpr std::int64_t kMostElements = INT64_MAX / 64;
    if (!count || *count > kMostElements) {
      return false;
    }
    std::uint64_t size = static_cast<std::uint64_t>(*count) * byte_size(graph_.type(node).dtype());
    std::uint64_t given = 0;
    for (NodeId source : sources) {
      given += source_bytes_[source] = graph_.value(source).bytes().size();
      if (!limits_.unpack && unpacks(node, source, *count)) {
        return false;
      }
    }
    return size <= limits_.factor * given + limits_.slack && bytes_ + size <= limits_.most_bytes;
  }

  Graph& graph_;
  FoldLimits limits_;
  const FoldWatch& watch_;
  std::uint64_t bytes_;  // of all constants
  std::map<NodeId, std::uint64_t> source_bytes_;
  GraphEvaluator evaluator_;
  std::size_t folded_ = 0;
};

}  // namespace

FoldLimits fold_limits(const Graph& graph) {
  FoldLimits limits;
  constexpr std::uint64_t kMore = std::uint64_t{16} << 20;
  limits.most_bytes = 2 * bytes_of_values(graph) + kMore;
  return limits;
}

std::size_t fold_parameters(Graph& graph, const FoldLimits& limits, const FoldWatch& watch) {
  return Folder(graph, limits, watch).run();
}

}  // namespace vouch
