#include "equiv/pair.h"

#include <fmt/format.h>

#include "equiv/branches.h"
#include "equiv/interface.h"
#include "equiv/renamed_sizes.h"
#include "equiv/shared_bodies.h"
#include "graph/order.h"

namespace vouch {
namespace {

class Joiner {
 public:
  Joiner(const Graph& a, const Graph& b, Interface match) : a_(a), b_(b), match_(std::move(match)) {}

  Pairing run() {
    out_.notes = std::move(match_.notes);
    for (Substitution* sizes : {&match_.a_sizes, &match_.b_sizes}) {
      std::erase_if(*sizes, [](const auto& entry) { return entry.second == int_var(entry.first); });
    }
    std::vector<NodeId> of_a(a_.id_limit(), kNoNode);
    std::vector<NodeId> of_b(b_.id_limit(), kNoNode);
    for (const Interface::Input& input : match_.inputs) {
      add_input(input, of_a, of_b);
    }
    bool made = copy(a_, match_.a_sizes, of_a, "the first model");
    out_.first_of_b = static_cast<NodeId>(out_.graph.id_limit());
    made = made && copy(b_, match_.b_sizes, of_b, "the second model");
    for (const auto& [x, y] : match_.outputs) {
      if (made) {
        add_output(a_.outputs()[x], b_.outputs()[y], of_a, of_b);
      }
    }
    Pairing result;
    result.mismatches = std::move(match_.mismatches);
    if (result.mismatches.empty()) {
      result.pair = std::move(out_);
    }
    return result;
  }

 private:
  void add_input(const Interface::Input& input, std::vector<NodeId>& of_a, std::vector<NodeId>& of_b) {
    bool first = input.a != kNoNode;
    Type type = first ? with_sizes(a_.type(input.a), match_.a_sizes) : with_sizes(b_.type(input.b), match_.b_sizes);
    std::string name = first ? a_.name(input.a) : b_.name(input.b);
    NodeId node = out_.graph.add_input(name, type);
    out_.names.push_back(std::move(name));
    if (first) {
      of_a[input.a] = node;
    }
    if (input.b != kNoNode) {
      of_b[input.b] = node;
    }
    for (Term extent : type.is_tensor() ? type.extents() : std::vector<Term>()) {
      for (Symbol size : free_variables(extent)) {
        out_.sizes.insert(size);
      }
    }
  }

  bool copy(const Graph& from, const Substitution& sizes, std::vector<NodeId>& made, const char* which) {
    for (NodeId node : reverse_post_order(from)) {
      if (made[node] != kNoNode) {
        continue;
      }
      Diagnostics diagnostics;
      made[node] = copy_node(from, node, sizes, made, diagnostics);
      if (made[node] == kNoNode) {
        std::string why = diagnostics.all().empty() ? "ill-typed" : diagnostics.all()[0].message;
        match_.mismatches.push_back({fmt::format("'{}' at these sizes", from.name(node)), "", fmt::format("{}: {}", which, why)});
        return false;
      }
      out_.names.resize(out_.graph.id_limit());
      out_.names[made[node]] = from.name(node);
    }
    return true;
  }

  NodeId copy_node(const Graph& from, NodeId node, const Substitution& sizes, const std::vector<NodeId>& made,
                   Diagnostics& diagnostics) {
    std::vector<NodeId> operands;
    for (NodeId operand : from.operands(node)) {
      operands.push_back(operand == kNoNode ? kNoNode : made[operand]);
    }
    switch (from.kind(node)) {
      case NodeKind::Parameter:
      case NodeKind::Constant: return out_.graph.add_constant(from.value(node));
      case NodeKind::Tuple: return out_.graph.add_tuple(operands);
      case NodeKind::Projection: return out_.graph.add_projection(operands[0], from.projection_index(node));
      case NodeKind::Call: {
        bool typed = true;
        AttrDict attributes = bodies_.shared(with_sizes(from.attributes(node), sizes, typed));
        return typed ? out_.graph.add_call(from.op(node), operands, attributes, diagnostics, from.name(node)) : kNoNode;
      }
      default: return kNoNode;
    }
  }

  void add_output(const GraphOutput& x, const GraphOutput& y, const std::vector<NodeId>& of_a, const std::vector<NodeId>& of_b) {
    out_.outputs.push_back({x.name, y.name, of_a[x.node], of_b[y.node]});
    out_.graph.add_output("a " + x.name, of_a[x.node]);
    out_.graph.add_output("b " + x.name, of_b[y.node]);
  }

  const Graph& a_;
  const Graph& b_;
  Interface match_;
  SharedBodies bodies_;
  ModelPair out_;
};

}  // namespace

RunOptions evaluation(const ModelPair& pair) {
  RunOptions out;
  out.foreign = pair.foreign;
  return out;
}

Pairing pair_models(const Graph& first, const Graph& second, const PairOptions& options) {
  Graph a = first;
  Graph b = second;
  take_known_branches(a);
  take_known_branches(b);
  Interface match = match_interfaces(a, b, options);
  if (!match.mismatches.empty()) {
    return {std::nullopt, std::move(match.mismatches)};
  }
  Pairing out = Joiner(a, b, std::move(match)).run();
  if (out.pair) {
    out.pair->foreign = options.foreign;
  }
  return out;
}

}  // namespace vouch
