#include "check/region.h"

#include <fmt/format.h>

#include <cmath>

#include "graph/contents.h"
#include "instance/instance_state.h"
#include "tensor/element.h"

namespace vouch {
namespace {

bool is_said_exactly(const Tensor& value, std::int64_t at) {
  if (!is_float(value.dtype())) {
    return true;
  }
  double element = value.double_at(at);
  return std::isfinite(element) && !(element == 0 && std::signbit(element));
}

class RegionBuilder {
 public:
  explicit RegionBuilder(const Region& region) : region_(region), state_(no_rule()) {}

  Instance run() {
    state_.instance.own_types = true;
    for (std::size_t k = 0; k < region_.inputs.size(); ++k) {
      add_input(k);
    }
    auto source = add_side(region_.source, region_.source_cut, false);
    auto target = source ? add_side(region_.target, region_.target_cut, true) : std::nullopt;
    if (source && target) {
      pair(*source, *target);
    }
    declare_sizes();
    if (state_.instance.unsupported.empty() && state_.instance.target_error.empty()) {
      compose_bodies(state_.instance, state_.book);
    }
    return std::move(state_.instance);
  }

 private:
  static const Rule& no_rule() {
    static const Rule rule;
    return rule;
  }

  void add_input(std::size_t k) {
    const RegionInput& given = region_.inputs[k];
    InputTensor input;
    input.name = Symbol(fmt::format("x{}", k));
    input.type = given.type;
    if (given.value) {
      input.fill = exact_fill(*given.value);
      input.contents = exact_contents(*given.value);
    } else if (given.contents) {
      input.contents = given.contents;
    }
    for (std::size_t at = 0; input.contents && at < input.contents->size(); ++at) {
      note_sizes((*input.contents)[at]);
    }
    for (Term extent : given.type.extents()) {
      note_sizes(extent);
      if (Term legal = le(0, extent); !is_true(legal)) {
        state_.instance.assumptions.push_back({legal, "sizes are not negative"});
      }
    }
    InstanceNode node;
    node.type = input.type;
    node.input = k;
    node.contents = input.contents;
    state_.instance.inputs.push_back(std::move(input));
    inputs_.push_back(state_.add(std::move(node)));
  }

  void note_sizes(Term extent) {
    for (Symbol name : free_variables(extent)) {
      sizes_.insert(name);
    }
  }

  void declare_sizes() {
    for (Symbol name : sizes_) {
      state_.instance.symbols.push_back({name, SymbolKind::Size, region_.sizes.contains(name) ? 1 : 0});
    }
  }

  std::optional<InstanceNodeId> add_side(NodeId root, const std::unordered_map<NodeId, std::uint32_t>& cut, bool of_target) {
    std::unordered_map<NodeId, InstanceNodeId> made;
    std::vector<std::pair<NodeId, bool>> pending{{root, false}};
    while (!pending.empty()) {
      auto [node, operands_made] = pending.back();
      pending.pop_back();
      if (made.contains(node)) {
        continue;
      }
      if (auto at = cut.find(node); at != cut.end()) {
        made.emplace(node, inputs_[at->second]);
      } else if (operands_made) {
        auto id = add_node(node, made, of_target);
        if (!id) {
          return std::nullopt;
        }
        made.emplace(node, *id);
      } else {
        pending.emplace_back(node, true);
        for (NodeId operand : region_.graph->operands(node)) {
          if (operand != kNoNode) {
            pending.emplace_back(operand, false);
          }
        }
      }
    }
    return made.at(root);
  }

  std::optional<InstanceNodeId> add_node(NodeId node, const std::unordered_map<NodeId, InstanceNodeId>& made, bool of_target) {
    const Graph& graph = *region_.graph;
    std::vector<InstanceNodeId> operands;
    for (NodeId operand : graph.operands(node)) {
      operands.push_back(operand == kNoNode ? kNoInstanceNode : made.at(operand));
    }
    switch (graph.kind(node)) {
      case NodeKind::Tuple: return state_.add_tuple(std::move(operands), of_target);
      case NodeKind::Projection:
        if (auto item = state_.add_projection(operands[0], graph.projection_index(node), of_target)) {
          return item;
        }
        break;
      case NodeKind::Call: return add_call(node, std::move(operands), of_target);
      default: break;
    }
    state_.instance.unsupported = fmt::format("'{}' is read by one side alone", graph.name(node));
    return std::nullopt;
  }

  std::optional<InstanceNodeId> add_call(NodeId node, std::vector<InstanceNodeId> operands, bool of_target) {
    Instance& instance = state_.instance;
    std::string_view name = op_def(region_.graph->op(node)).name;
    auto& conditions = of_target ? instance.obligations : instance.assumptions;
    auto call =
        state_.add_call(region_.graph->op(node), std::move(operands), region_.graph->attributes(node), of_target, conditions);
    if (auto* error = std::get_if<CallError>(&call)) {
      (of_target ? instance.target_error : instance.unsupported) = fmt::format("{}: {}", name, error->text);
      return std::nullopt;
    }
    for (Type type : flat_types(instance.nodes[std::get<InstanceNodeId>(call)].type)) {
      for (Term extent : type.extents()) {
        note_sizes(extent);
      }
    }
    return std::get<InstanceNodeId>(call);
  }

  void pair(InstanceNodeId source, InstanceNodeId target) {
    Instance& instance = state_.instance;
    Type a = instance.nodes[source].type;
    Type b = instance.nodes[target].type;
    if (!a.is_tensor() || !b.is_tensor() || a.dtype() != b.dtype() || a.rank() != b.rank()) {
      instance.target_error = fmt::format("the result would have type {} where {} is wanted", b.text(), a.text());
      return;
    }
    for (std::size_t axis = 0; axis < a.rank(); ++axis) {
      if (Term equal = eq(a.extents()[axis], b.extents()[axis]); !is_true(equal)) {
        instance.obligations.push_back({equal, fmt::format("the size of axis {} changes", axis)});
      }
    }
    instance.outputs.push_back({source, target, 0, a, b, {}, {}});
  }

  const Region& region_;
  InstanceState state_;
  std::vector<InstanceNodeId> inputs_;
  std::set<Symbol> sizes_;
};

}  // namespace

std::optional<std::vector<Term>> exact_contents(const Tensor& value) {
  auto contents = contents_of(value);
  for (std::int64_t at = 0; contents && at < value.count(); ++at) {
    if (!is_said_exactly(value, at)) {
      return std::nullopt;
    }
  }
  return contents;
}

std::optional<Term> exact_fill(const Tensor& value) {
  auto bytes = value.bytes();
  std::size_t width = byte_size(value.dtype());
  if (value.count() == 0 || !is_said_exactly(value, 0)) {
    return std::nullopt;
  }
  for (std::size_t at = width; at < bytes.size(); ++at) {
    if (bytes[at] != bytes[at - width]) {
      return std::nullopt;
    }
  }
  return is_float(value.dtype()) ? real_const(rational_of(value.double_at(0))) : int_const(whole_element(value, 0));
}

Instance region_instance(const Region& region) { return RegionBuilder(region).run(); }

}  // namespace vouch
