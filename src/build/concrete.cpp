#include "build/concrete.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "graph/control_flow.h"
#include "graph/copy_graph.h"
#include "graph/order.h"
#include "graph/recurrent.h"
#include "graph/scatter.h"
#include "term/substitute.h"

namespace vouch {
namespace {

class Concrete {
 public:
  Concrete(const Graph& graph, const GraphSizes& sizes, Diagnostics& diagnostics)
      : graph_(graph), sizes_(sizes), diagnostics_(diagnostics), at_(graph.id_limit(), kNoNode) {}

  std::optional<Graph> run() {
    std::size_t errors = diagnostics_.error_count();
    add_inputs();
    if (diagnostics_.error_count() != errors) {
      return std::nullopt;
    }
    for (NodeId node : reverse_post_order(graph_)) {
      if (at_[node] == kNoNode) {
        at_[node] = copy(node);
      }
      if (at_[node] == kNoNode) {
        return std::nullopt;
      }
    }
    for (const GraphOutput& output : graph_.outputs()) {
      out_.add_output(output.name, at_[output.node]);
    }
    return std::move(out_);
  }

 private:
  void add_inputs() {
    Substitution values;
    std::set<std::string> unused;
    for (const auto& [name, value] : sizes_) {
      values[Symbol(name)] = Term(value);
      unused.insert(name);
      if (value < 1) {
        diagnostics_.error_at("--size", fmt::format("expected a size of at least 1, found {}={}", name, value));
      }
    }
    std::set<std::string> missing;
    for (NodeId input : graph_.inputs()) {
      Type type = graph_.type(input);
      if (!type.is_tensor()) {
        diagnostics_.error_at(fmt::format("input '{}'", graph_.name(input)),
                              fmt::format("is of type {}: expected a tensor of numbers with a size for each axis", type.text()));
        continue;
      }
      std::vector<Term> extents;
      for (Term extent : type.extents()) {
        for (Symbol name : free_variables(extent)) {
          unused.erase(name.name());
          if (!values.contains(name)) {
            missing.insert(name.name());
          }
        }
        extents.push_back(substitute(extent, values));
      }
      at_[input] = out_.add_input(graph_.name(input), Type::tensor(type.dtype(), extents));
    }
    for (const std::string& name : missing) {
      diagnostics_.error_at("--size", fmt::format("the model's size '{}' has no value", name),
                            fmt::format("add --size {}=1, or another number", name));
    }
    std::vector<std::string> known(missing.begin(), missing.end());
    for (const std::string& name : unused) {
      auto near = suggest(name, known);
      diagnostics_.error_at("--size", fmt::format("the model's inputs have no size '{}'", name),
                            near ? fmt::format("did you mean '{}'?", *near) : "");
    }
  }

  NodeId copy(NodeId node) {
    std::vector<NodeId> operands;
    for (NodeId operand : graph_.operands(node)) {
      operands.push_back(operand == kNoNode ? kNoNode : at_[operand]);
    }
    NodeId made = kNoNode;
    switch (graph_.kind(node)) {
      case NodeKind::Parameter: return out_.add_parameter(graph_.name(node), graph_.value(node));
      case NodeKind::Constant: made = out_.add_constant(graph_.value(node)); break;
      case NodeKind::Tuple: made = out_.add_tuple(operands); break;
      case NodeKind::Projection: made = out_.add_projection(operands[0], graph_.projection_index(node)); break;
      case NodeKind::Call:
        made = call(graph_.op(node), operands, graph_.attributes(node), fmt::format("node '{}'", graph_.name(node)));
        break;
      case NodeKind::Input:
      case NodeKind::Erased: break;
    }
    if (made != kNoNode && graph_.kind(node) != NodeKind::Constant && !out_.find_name(graph_.name(node))) {
      out_.set_name(made, graph_.name(node));
    }
    return made;
  }

  NodeId call(OpId op, const std::vector<NodeId>& operands, AttrDict attributes, const std::string& place) {
    if (is_recurrent(op)) {
      auto steps = unroll_recurrence(op, types_of(operands), attributes, place, diagnostics_);
      return steps ? in_place(op, *steps, operands, place) : kNoNode;
    }
    if (is_scatter(op) && out_.has_value(operands[1])) {
      auto steps = scatter_steps(types_of(operands), out_.value(operands[1]), attributes, place, diagnostics_);
      return steps ? in_place(op, *steps, {operands[0], operands[2]}, place) : kNoNode;
    }
    if (is_scatter(op) && all_have_elements(operands)) {
      auto steps = scatter_by_data_steps(types_of(operands), attributes, place, diagnostics_);
      return steps ? in_place(op, *steps, operands, place) : kNoNode;
    }
    if (is_control_flow(op)) {
      auto results = control_flow_.results(op, operands, attributes, place);
      return results ? out_.add_tuple(*results) : kNoNode;
    }
    return out_.add_call(op, operands, attributes, diagnostics_, place);
  }

  std::vector<Type> types_of(const std::vector<NodeId>& operands) const {
    std::vector<Type> types;
    for (NodeId operand : operands) {
      types.push_back(operand == kNoNode ? Type() : out_.type(operand));
    }
    return types;
  }

  // Every size is a number other than 0.
  bool all_have_elements(const std::vector<NodeId>& operands) const {
    return std::all_of(operands.begin(), operands.end(), [&](NodeId operand) {
      auto extents = out_.type(operand).concrete_extents();
      return extents && std::find(extents->begin(), extents->end(), 0) == extents->end();
    });
  }

  // The steps, whose inputs are the operands that are present, in place of a call.
  NodeId in_place(OpId op, const Graph& steps, std::vector<NodeId> operands, const std::string& place) {
    std::erase(operands, kNoNode);
    auto results = copy_graph(out_, steps, operands, [&](OpId inner, const std::vector<NodeId>& items, AttrDict attributes) {
      return out_.add_call(inner, items, attributes, diagnostics_, place);
    });
    return !results ? kNoNode : op_def(op).several_results ? out_.add_tuple(*results) : results->front();
  }

  const Graph& graph_;
  const GraphSizes& sizes_;
  Diagnostics& diagnostics_;
  std::vector<NodeId> at_;
  Graph out_;
  // Recursion follows the nesting of graphs, which reading bounds.
  ControlFlow control_flow_{out_,
                            [this](OpId op, const std::vector<NodeId>& operands, AttrDict attributes, const std::string& place) {
                              return call(op, operands, attributes, place);
                            },
                            diagnostics_};
};

}  // namespace

std::optional<Graph> at_sizes(const Graph& graph, const GraphSizes& sizes, Diagnostics& diagnostics) {
  return Concrete(graph, sizes, diagnostics).run();
}

}  // namespace vouch
