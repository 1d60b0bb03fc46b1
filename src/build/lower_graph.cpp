#include "build/lower_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "build/arrange.h"
#include "build/copy_plan.h"
#include "build/fuse.h"
#include "build/join.h"
#include "build/kernels.h"
#include "build/meaning.h"
#include "build/movement.h"
#include "build/residues.h"
#include "build/statements.h"
#include "certify/index_lowering.h"
#include "graph/foreign.h"
#include "graph/order.h"
#include "imp/elements.h"
#include "notation/tk_from_kernel.h"
#include "support/fault.h"
#include "tensor/element.h"

namespace vouch {
namespace {

std::string place_of(const Graph& graph, NodeId node) {
  return graph.kind(node) == NodeKind::Call ? fmt::format("node '{}' ({})", graph.name(node), operator_text(graph, node))
                                            : fmt::format("'{}'", graph.name(node));
}

// What C computes in where this is stored.
array::Element computed_for(array::Element stored) {
  switch (stored) {
    case array::Element::F16:
    case array::Element::BF16: return array::Element::F32;
    case array::Element::B8:
    case array::Element::I8:
    case array::Element::U8:
    case array::Element::I16:
    case array::Element::U16: return array::Element::I32;
    case array::Element::U32: return array::Element::I64;
    default: return stored;
  }
}

class GraphLowering {
 public:
  GraphLowering(const Graph& graph, const std::string& name, const LoweringOptions& options, KernelPool& pool,
                Diagnostics& diagnostics)
      : graph_(graph),
        plain_(options.plain),
        reorder_(options.reorder),
        target_(options.target),
        diagnostics_(diagnostics),
        pool_(pool) {
    plan_.name = name;
  }

  std::optional<CallPlan> run() {
    std::size_t errors = diagnostics_.error_count();
    find_meanings();
    find_needed();
    add_inputs();
    for (NodeId node : order_) {
      if (needed_.contains(node)) {
        add(node);
      }
    }
    add_outputs();
    add_calls();
    return diagnostics_.error_count() == errors ? std::optional(std::move(plan_)) : std::nullopt;
  }

 private:
  void find_meanings() {
    order_ = reverse_post_order(graph_);
    for (NodeId node : order_) {
      if (graph_.kind(node) == NodeKind::Call) {
        std::string why;
        auto meaning = meaning_of_node(graph_, node, plain_, why);
        meaning ? (void)meanings_.emplace(node, std::move(*meaning)) : (void)refusals_.emplace(node, why);
      }
    }
  }

  // Whose elements are read; what is only asked for its shape or known ahead of time is not.
  void find_needed() {
    for (const GraphOutput& output : graph_.outputs()) {
      need(output.node);
    }
    for (std::size_t at = order_.size(); at-- > 0;) {
      auto meaning = needed_.contains(order_[at]) ? meanings_.find(order_[at]) : meanings_.end();
      for (GraphTensor operand : meaning == meanings_.end() ? std::vector<GraphTensor>{} : meaning->second.operands) {
        needed_.insert(operand.node);
      }
      // What has no meaning may read all of its operands: what is wrong with them is said as well.
      bool refused = needed_.contains(order_[at]) && refusals_.contains(order_[at]);
      for (NodeId operand : refused ? graph_.operands(order_[at]) : std::span<const NodeId>{}) {
        if (operand != kNoNode) {
          need(operand);
        }
      }
    }
  }
  void need(NodeId node) {
    for (GraphTensor tensor : tensors_of(graph_, node)) {
      needed_.insert(tensor.node);
    }
  }

  ValueId add_value(ValueKind kind, std::int64_t cells, array::Element element, std::string name) {
    plan_.values.push_back({kind, cells, element, std::move(name), {}});
    return static_cast<ValueId>(plan_.values.size() - 1);
  }

  std::int64_t cells_of(const Extents& extents) const { return element_count(extents).value_or(0); }

  // The extents of a tensor that a library can hold.
  std::optional<Extents> covered(Type type, const std::string& place) {
    auto extents = type.is_tensor() ? type.concrete_extents() : std::nullopt;
    if (!extents) {
      diagnostics_.error_at(place, fmt::format("is of type {}: expected a tensor whose sizes are numbers", type.text()));
    } else if (!element_in(type.dtype())) {
      diagnostics_.error_at(place, fmt::format("has elements of type {}: no type of C holds one", dtype_name(type.dtype())));
    } else if (auto count = element_count(*extents); !count || *count < 1) {
      diagnostics_.error_at(place, fmt::format("is of type {}: it has {}", type.text(),
                                               count ? "no elements" : "more elements than 64 bits count"));
    } else {
      return extents;
    }
    return std::nullopt;
  }

  void add_inputs() {
    for (NodeId input : graph_.inputs()) {
      auto extents = covered(graph_.type(input), fmt::format("input '{}'", graph_.name(input)));
      if (extents) {
        ValueId value =
            add_value(ValueKind::Input, cells_of(*extents), *element_in(graph_.type(input).dtype()), graph_.name(input));
        plan_.inputs.push_back({graph_.name(input), *extents, value});
        values_[{input, 0}] = value;
      }
    }
  }

  void add(NodeId node) {
    switch (graph_.kind(node)) {
      case NodeKind::Parameter:
      case NodeKind::Constant: return add_weights(node);
      case NodeKind::Call: return add_call(node);
      default: return;
    }
  }

  void add_weights(NodeId node) {
    if (covered(graph_.type(node), place_of(graph_, node))) {
      values_[{node, 0}] = add_weights(graph_.value(node), graph_.name(node));
    }
  }

  void add_call(NodeId node) {
    auto refused = refusals_.find(node);
    if (refused != refusals_.end()) {
      diagnostics_.error_at(place_of(graph_, node), refused->second);
      return;
    }
    const NodeMeaning& meaning = meanings_.at(node);
    std::unordered_map<Symbol, ValueId> held;
    for (std::size_t k = 0; k < meaning.operands.size(); ++k) {
      auto value = values_.find(meaning.operands[k]);
      if (value == values_.end()) {
        return;  // an error said why
      }
      held[meaning.kernel.inputs[k].name] = value->second;
    }
    if (auto open = open_size(meaning.kernel)) {
      diagnostics_.error_at(place_of(graph_, node),
                            fmt::format("axis of size `{}`, a size that only data decide: expected a number", open->name()));
      return;
    }
    for (std::size_t k = 0; k < meaning.tables.size(); ++k) {
      held[meaning.kernel.inputs[meaning.operands.size() + k].name] =
          add_weights(meaning.tables[k], graph_.name(node) + ", from indices alone");
    }
    for (const Kernel& one : apart(meaning.kernel)) {
      if (!add_part(node, one, held)) {
        return;
      }
    }
    for (std::uint32_t item = 0; item < meaning.kernel.outputs.size(); ++item) {
      values_[{node, item}] = held.at(meaning.kernel.outputs[item].name);
    }
  }

  // `part`: of one statement, whose target is then held.
  bool add_part(NodeId node, const Kernel& part, std::unordered_map<Symbol, ValueId>& held) {
    Diagnostics own;
    auto kernel = tk_from_kernel(part, own);
    if (!kernel) {
      refuse(node, own);
      return false;
    }
    std::unordered_map<Symbol, ValueId> names;
    for (std::size_t k = 0; k < part.inputs.size(); ++k) {
      names[kernel->inputs[k]] = held.at(part.inputs[k].name);
    }
    for (const StatementKernel& statement : statement_kernels(*kernel)) {
      if (!add_statement(node, statement, names)) {
        return false;
      }
    }
    held[part.outputs[0].name] = names.at(kernel->outputs[0]);
    return true;
  }

  void refuse(NodeId node, const Diagnostics& own) {
    for (const Diagnostic& diagnostic : own.all()) {
      diagnostics_.error_at(place_of(graph_, node), diagnostic.message);
    }
  }

  bool add_statement(NodeId node, const StatementKernel& statement, std::unordered_map<Symbol, ValueId>& names) {
    Diagnostics own;
    auto kernels = index_kernels(statement.kernel, own);
    if (!kernels) {
      refuse(node, own);
      return false;
    }
    std::vector<ValueId> arguments;
    for (std::size_t k = 0; k < statement.reads.size(); ++k) {
      ValueId argument = names.at(statement.reads[k]);
      arguments.push_back(statement.widened[k] ? widened(argument, node) : argument);
    }
    IndexKernel kernel = moved_as_stored(std::move((*kernels)[0]));
    names[statement.target] =
        computed(plain_ || !only_floats(kernel) ? kernel : arranged(kernel), arguments, node, statement.target.name());
    return true;
  }

  // The value of a kernel on these arguments.
  ValueId computed(const IndexKernel& kernel, const std::vector<ValueId>& arguments, NodeId node, const std::string& what) {
    if (keeps_cells(kernel)) {
      return arguments[0];
    }
    if (plain_ || !only_floats(kernel)) {
      return called(kernel, {}, arguments, node, what);
    }
    std::set<unsigned> ahead;
    for (unsigned k = 0; k < arguments.size(); ++k) {
      if (plan_.values[arguments[k]].kind == ValueKind::Weight) {
        ahead.insert(k);
      }
    }
    if (auto residues = in_residues(
            kernel, [&](unsigned k) { return ahead.contains(k) && all_finite(*plan_.values[arguments[k]].weights); })) {
      return put_together(*residues, arguments, node, what);
    }
    StagedKernel prepared = prepare(kernel, ahead, target_);
    if (auto tiling = reorder_ && prepared.packed.from_copies.empty() ? in_another_order(kernel) : std::nullopt) {
      return called(kernel, tiling, arguments, node, what);
    }
    std::vector<ValueId> copies;
    for (const PackedKernels::Copy& copy : prepared.packed.copies) {
      copies.push_back(called(copy.kernel, copy_plan(copy.kernel), {arguments[copy.input]}, node, "pack"));
    }
    std::vector<ValueId> given;
    for (std::size_t copy : prepared.packed.from_copies) {
      given.push_back(copies[copy]);
    }
    for (std::size_t input : prepared.packed.from_inputs) {
      const auto& stage = prepared.stages[input];
      given.push_back(stage ? called(*stage, copy_plan(*stage), {arguments[input]}, node, "pack") : arguments[input]);
    }
    return called(prepared.packed.kernel, prepared.packed.tiling, given, node, what);
  }

  ValueId put_together(const Residues& residues, const std::vector<ValueId>& arguments, NodeId node, const std::string& what) {
    std::vector<ValueId> parts;
    for (const Residue& part : residues.parts) {
      std::vector<ValueId> given = arguments;
      given[residues.weights] = called(part.slice, {}, {arguments[residues.weights]}, node, "pack");
      parts.push_back(computed(arranged(part.kernel), given, node, what));
    }
    return called(residues.together, copy_plan(residues.together), parts, node, what);
  }

  // The float32 that a float16 or bfloat16 is; of weights ahead of time.
  ValueId widened(ValueId from, NodeId node) {
    auto [known, is_new] = widened_.try_emplace(from, 0);
    if (is_new && plan_.values[from].kind == ValueKind::Weight) {
      known->second = add_weights(held_as(*plan_.values[from].weights, DType::Float32), plan_.values[from].name + ", as float32");
    } else if (is_new) {
      known->second = called(copy_kernel(from, array::Element::F32), {}, {from}, node, "wide");
    }
    return known->second;
  }

  ValueId add_weights(Tensor held, std::string name) {
    ValueId value = add_value(ValueKind::Weight, held.count(), *element_in(held.dtype()), std::move(name));
    plan_.values[value].weights = std::move(held);
    return value;
  }

  ValueId called(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling, const std::vector<ValueId>& arguments,
                 NodeId node, const std::string& what) {
    bool of_weights = arguments.size() == 1 && plan_.values[arguments[0]].kind == ValueKind::Weight;
    auto moved = of_weights ? moved_cells(kernel) : std::nullopt;
    if (moved) {
      return moved_weights(arguments[0], *moved);
    }
    std::string op(op_def(graph_.op(node)).name);
    std::string name = graph_.name(node) + (what == "y" ? "" : " (" + what + ")");
    auto cells = static_cast<std::int64_t>(extent_product(kernel.output.extents));
    ValueId result = add_value(ValueKind::Computed, cells, kernel.output_element, name);
    calls_.push_back({kernel, tiling, arguments, result, {{graph_.name(node), op}}, what == "pack" ? op + "_pack" : op});
    return result;
  }

  // Weights in another order, ahead of time.
  ValueId moved_weights(ValueId from, const std::vector<std::int64_t>& moved) {
    auto known = moved_.find({from, moved});
    if (known != moved_.end()) {
      return known->second;
    }
    const Tensor& source = *plan_.values[from].weights;
    Tensor out(source.dtype(), {static_cast<std::int64_t>(moved.size())});  // of zeros
    std::size_t width = array::bytes_of(plan_.values[from].element);
    for (std::size_t k = 0; k < moved.size(); ++k) {
      if (moved[k] >= 0) {
        std::memcpy(out.mutable_bytes().data() + k * width, source.bytes().data() + static_cast<std::size_t>(moved[k]) * width,
                    width);
      }
    }
    ValueId value = add_weights(std::move(out), plan_.values[from].name + ", in another order");
    moved_.emplace(std::pair(from, moved), value);
    return value;
  }

  // Each output is a value of its own that a call computes.
  void add_outputs() {
    std::set<ValueId> taken;
    for (const GraphOutput& output : graph_.outputs()) {
      std::string place = fmt::format("output '{}'", output.name);
      auto extents = covered(graph_.type(output.node), place);
      auto found = extents ? values_.find(tensors_of(graph_, output.node)[0]) : values_.end();
      if (!extents || found == values_.end()) {
        continue;
      }
      ValueId value = found->second;
      if (plan_.values[value].kind != ValueKind::Computed || !taken.insert(value).second) {
        value = copied(value, output.name);
      }
      plan_.outputs.push_back({output.name, *extents, value});
    }
  }

  ValueId copied(ValueId from, const std::string& name) {
    std::int64_t cells = plan_.values[from].cells;
    array::Element element = plan_.values[from].element;
    ValueId result = add_value(ValueKind::Computed, cells, element, name);
    calls_.push_back({copy_kernel(from, element), {}, {from}, result, {{name, "copy"}}, "copy"});
    return result;
  }

  IndexKernel copy_kernel(ValueId from, array::Element to) const {
    std::int64_t cells = plan_.values[from].cells;
    array::Element element = plan_.values[from].element;
    IndexKernel copy;
    copy.computed = computed_for(to);
    copy.output_element = to;
    array::Type type = array::type_array(array::size_const(cells), array::type_num());
    copy.inputs = {{"x", type, element}};
    copy.output_name = "y";
    copy.output.extents = {array::size_const(cells)};
    IndexSummand all;
    all.body.kind = IndexBodyKind::Read;
    all.body.extents = copy.output.extents;
    all.body.at = {{IndexTermKind::Var, 0, 0, {}, {}}};
    if (element != to) {
      all.body = body_operation(array::cast_op({element, to}), {std::move(all.body)});
    }
    copy.output.summands = {all};
    copy.formula = fmt::format("y<{0}>[i] = x<{0}>[i];\n", cells);
    return copy;
  }

  void add_calls() {
    if (!plain_) {
      std::set<ValueId> kept;
      for (const PlanTensor& output : plan_.outputs) {
        kept.insert(output.value);
      }
      fuse(calls_, kept);
      join(calls_, plan_.values, kept);
    }
    std::map<std::size_t, std::size_t> numbers;  // in the plan, by those in the pool
    for (const LoweredCall& call : calls_) {
      auto [number, is_new] = numbers.try_emplace(pool_.add(call.kernel, call.tiling, call.wish), plan_.kernels.size());
      if (is_new) {
        plan_.kernels.push_back(pool_.kernels()[number->first]);
      }
      plan_.calls.push_back({number->second, call.arguments, call.result, call.nodes});
    }
  }

  const Graph& graph_;
  bool plain_;
  bool reorder_;
  TileTarget target_;
  Diagnostics& diagnostics_;
  CallPlan plan_;
  std::vector<LoweredCall> calls_;
  KernelPool& pool_;
  std::vector<NodeId> order_;
  std::map<NodeId, NodeMeaning> meanings_;
  std::map<NodeId, std::string> refusals_;
  std::set<NodeId> needed_;
  std::map<GraphTensor, ValueId> values_;
  std::map<std::pair<ValueId, std::vector<std::int64_t>>, ValueId> moved_;
  std::map<ValueId, ValueId> widened_;
};

}  // namespace

std::optional<CallPlan> lower_graph(const Graph& graph, const std::string& name, const LoweringOptions& options, KernelPool& pool,
                                    Diagnostics& diagnostics) {
  return GraphLowering(graph, name, options, pool, diagnostics).run();
}

}  // namespace vouch
