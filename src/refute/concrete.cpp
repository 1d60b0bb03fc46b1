#include "refute/concrete.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graph/with_terms.h"
#include "instance/stores.h"
#include "kernel/exact.h"
#include "support/fault.h"
#include "tensor/element.h"

namespace vouch {
namespace {

enum class SideProblem : std::uint8_t { None, IllTyped, NoConcreteForm };

// One side of an instance under construction.
class SideBuilder {
 public:
  SideBuilder(const Instance& instance, const Substitution& at, std::int64_t most_elements)
      : instance_(instance), at_(at), most_elements_(most_elements), made_(instance.nodes.size(), kNoNode) {}

  Graph graph;
  SideProblem problem = SideProblem::None;
  std::string why;

  bool build(const std::vector<InstanceNodeId>& outputs) {
    add_inputs();
    std::vector<bool> needed = reachable(outputs);
    for (InstanceNodeId id = 0; id < instance_.nodes.size() && problem == SideProblem::None; ++id) {
      if (needed[id]) {
        made_[id] = make(instance_.nodes[id]);
      }
    }
    for (std::size_t k = 0; k < outputs.size() && problem == SideProblem::None; ++k) {
      add_output(k, made_[outputs[k]]);
    }
    return problem == SideProblem::None;
  }

 private:
  NodeId fail(SideProblem what, std::string message) {
    if (problem == SideProblem::None) {
      problem = what;
      why = std::move(message);
    }
    return kNoNode;
  }

  // Of a tuple, each item is an output.
  void add_output(std::size_t position, NodeId node) {
    Type type = graph.type(node);
    if (!type.is_tuple()) {
      graph.add_output(fmt::format("out{}", position), node);
      return;
    }
    for (std::uint32_t item = 0; item < type.items().size(); ++item) {
      graph.add_output(fmt::format("out{}.{}", position, item), graph.add_projection(node, item));
    }
  }

  std::vector<bool> reachable(const std::vector<InstanceNodeId>& outputs) const {
    std::vector<bool> needed(instance_.nodes.size());
    for (InstanceNodeId id : outputs) {
      needed[id] = true;
    }
    for (std::size_t id = instance_.nodes.size(); id-- > 0;) {
      for (InstanceNodeId operand : instance_.nodes[id].operands) {
        if (needed[id] && operand != kNoInstanceNode) {
          needed[operand] = true;
        }
      }
    }
    return needed;
  }

  std::optional<Extents> extents_of(Type type) {
    Extents out;
    for (Term extent : type.extents()) {
      auto value = const_int(substitute(extent, at_));
      if (!value) {
        return std::nullopt;
      }
      out.push_back(*value);
    }
    auto count = element_count(out);
    return count && *count <= most_elements_ ? std::optional(std::move(out)) : std::nullopt;
  }

  // Both sides get the same inputs in the same order, used or not.
  void add_inputs() {
    for (const InputTensor& input : instance_.inputs) {
      auto extents = extents_of(input.type);
      if (!extents) {
        fail(SideProblem::NoConcreteForm, fmt::format("{} is too large, or has no size", input.name.name()));
        inputs_.push_back(kNoNode);
      } else if (input.contents) {
        inputs_.push_back(constant(input.name.name(), input.type.dtype(), *extents, *input.contents));
      } else if (input.fill) {
        auto count = static_cast<std::size_t>(element_count(*extents).value_or(0));
        inputs_.push_back(constant(input.name.name(), input.type.dtype(), *extents, std::vector<Term>(count, *input.fill)));
      } else {
        inputs_.push_back(graph.add_input(input.name.name(), Type::tensor(input.type.dtype(), *extents)));
      }
    }
  }

  // Refuses elements that the type cannot hold exactly.
  NodeId constant(const std::string& name, DType dtype, const Extents& extents, const std::vector<Term>& elements) {
    Tensor tensor(dtype, extents);
    if (static_cast<std::int64_t>(elements.size()) != tensor.count()) {
      return fail(SideProblem::NoConcreteForm, fmt::format("{} has not as many elements as its shape says", name));
    }
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
      auto value = eval_scalar(real(substitute(elements[static_cast<std::size_t>(i)], at_)), {});
      const Enclosure* number = std::get_if<Enclosure>(&value);
      if (number != nullptr && number->infinite != 0 && is_float(dtype)) {
        tensor.set_double(i, number->infinite * INFINITY);
        continue;
      }
      if (number == nullptr || !number->exact() || !set_exactly(tensor, i, number->low)) {
        return fail(SideProblem::NoConcreteForm, fmt::format("an element of the constant {} is not exact", name));
      }
    }
    return graph.add_constant(std::move(tensor), name);
  }

  static Term real(Term number) { return number.sort() == Sort::Int ? real_of(number) : number; }

  static bool set_exactly(Tensor& tensor, std::int64_t at, const Rational& value) {
    if (is_float(tensor.dtype())) {
      tensor.set_double(at, double_of(value));
      double stored = tensor.double_at(at);
      return std::isfinite(stored) && rational_of(stored) == value;
    }
    if (!has_number(tensor.dtype(), value)) {
      return false;
    }
    const Integer whole = numerator(value);
    tensor.set_int(at,
                   whole < 0 ? whole.convert_to<std::int64_t>() : static_cast<std::int64_t>(whole.convert_to<std::uint64_t>()));
    return true;
  }

  NodeId make(const InstanceNode& node) {
    switch (node.kind) {
      case InstanceNode::Kind::Input: return inputs_[node.input];
      case InstanceNode::Kind::Constant: return make_constant(node);
      case InstanceNode::Kind::Call: return make_call(node);
      case InstanceNode::Kind::Tuple: {
        std::vector<NodeId> items = operands_of(node);
        return graph.add_tuple(items);
      }
      case InstanceNode::Kind::Family:
      case InstanceNode::Kind::Branch:
      case InstanceNode::Kind::Cut: fault("an instance with a symbolic number of branches has no concrete graph");
      case InstanceNode::Kind::Projection: {
        NodeId tuple = made_[node.operands[0]];
        bool fits = graph.type(tuple).is_tuple() && node.item < graph.type(tuple).items().size();
        return fits ? graph.add_projection(tuple, node.item)
                    : fail(SideProblem::IllTyped, fmt::format("there is no item {} in {}", node.item, graph.type(tuple).text()));
      }
    }
    return kNoNode;
  }

  std::vector<NodeId> operands_of(const InstanceNode& node) const {
    std::vector<NodeId> out;
    for (InstanceNodeId operand : node.operands) {
      out.push_back(operand == kNoInstanceNode ? kNoNode : made_[operand]);
    }
    return out;
  }

  // From the elements if they are listed, else from what each element is as a function of its index.
  NodeId make_constant(const InstanceNode& node) {
    auto extents = extents_of(node.type);
    if (!extents) {
      return fail(SideProblem::NoConcreteForm, "a constant is too large, or has no size");
    }
    if (node.contents) {
      return constant({}, node.type.dtype(), *extents, *node.contents);
    }
    if (node.bodies.size() != 1) {
      return fail(SideProblem::NoConcreteForm, "a constant has no elements");
    }
    std::vector<Term> elements;
    std::vector<Term> index(extents->size(), Term(0));
    std::vector<std::int64_t> at(extents->size());
    for (std::int64_t i = 0; i < element_count(*extents).value_or(0); ++i) {
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        index[axis] = Term(at[axis]);
      }
      elements.push_back(without_stores(element_at(node.bodies[0], index)));
      for (std::size_t axis = at.size(); axis-- > 0 && ++at[axis] == (*extents)[axis];) {
        at[axis] = 0;
      }
    }
    return constant({}, node.type.dtype(), *extents, elements);
  }

  NodeId make_call(const InstanceNode& node) {
    std::vector<NodeId> operands = operands_of(node);
    Diagnostics diagnostics;
    NodeId made = graph.add_call(node.op, operands, with_terms(node.attributes, [&](Term term) { return substitute(term, at_); }),
                                 diagnostics);
    if (made == kNoNode) {
      return fail(SideProblem::IllTyped, diagnostics.all().empty() ? "ill-typed" : diagnostics.all()[0].message);
    }
    Type type = graph.type(made);
    std::vector<Type> results = type.is_tuple() ? type.items() : std::vector<Type>{type};
    for (Type result : results) {
      auto extents = result.concrete_extents();
      auto count = extents ? element_count(*extents) : std::nullopt;
      if (!count || *count > most_elements_) {
        return fail(SideProblem::NoConcreteForm,
                    fmt::format("a result of {} is too large, or has no size: {}", op_def(node.op).name, result.text()));
      }
    }
    return made;
  }

  const Instance& instance_;
  const Substitution& at_;
  std::int64_t most_elements_;
  std::vector<NodeId> made_;
  std::vector<NodeId> inputs_;
};

// What the source is made of and no other part of it uses: its outputs, where the target has none.
std::vector<InstanceNodeId> source_sinks(const Instance& instance) {
  std::vector<bool> used(instance.nodes.size());
  for (const InstanceNode& node : instance.nodes) {
    for (InstanceNodeId operand : node.operands) {
      if (operand != kNoInstanceNode && !node.of_target) {
        used[operand] = true;
      }
    }
  }
  std::vector<InstanceNodeId> out;
  for (InstanceNodeId id = 0; id < instance.nodes.size(); ++id) {
    if (!used[id] && !instance.nodes[id].of_target && instance.nodes[id].kind != InstanceNode::Kind::Input) {
      out.push_back(id);
    }
  }
  return out;
}

// The two sides have results of different types.
std::optional<std::string> type_mismatch(const Graph& source, const Graph& target) {
  if (source.outputs().size() != target.outputs().size()) {
    return fmt::format("the source gives {} results, the target {}", source.outputs().size(), target.outputs().size());
  }
  for (std::size_t k = 0; k < source.outputs().size(); ++k) {
    Type a = source.type(source.outputs()[k].node);
    Type b = target.type(target.outputs()[k].node);
    if (a != b) {
      return fmt::format("the source gives {}, the target {}", a.text(), b.text());
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ConcreteSides> concrete_sides(const Instance& instance, const Assignment& assignment, std::int64_t most_elements,
                                            std::string& why) {
  Substitution at = substitution_of(assignment, instance);
  std::vector<InstanceNodeId> sources;
  std::vector<InstanceNodeId> targets;
  for (const InstanceOutput& output : instance.outputs) {
    if (output.part == 0) {  // other items of a tuple come with the first
      sources.push_back(output.source);
      targets.push_back(output.target);
    }
  }
  SideBuilder source(instance, at, most_elements);
  if (!source.build(sources.empty() ? source_sinks(instance) : sources)) {
    why = "source: " + source.why;
    return std::nullopt;
  }
  ConcreteSides out{std::move(source.graph), std::nullopt, false, instance.target_error};
  if (targets.empty()) {
    return out;
  }
  SideBuilder target(instance, at, most_elements);
  if (!target.build(targets)) {
    if (target.problem == SideProblem::NoConcreteForm) {
      why = "target: " + target.why;
      return std::nullopt;
    }
    out.error = target.why;
    return out;
  }
  out.target = std::move(target.graph);
  if (auto mismatch = type_mismatch(out.source, *out.target)) {
    out.types_differ = true;
    out.error = *mismatch;
  }
  return out;
}

}  // namespace vouch
