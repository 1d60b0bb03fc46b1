#include "theorem/coq_operators.h"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/store_terms.h"
#include "graph/op_table.h"
#include "instance/instance_state.h"
#include "term/substitute.h"
#include "theorem/coq_kernel.h"

namespace vouch {

std::optional<CoqOperators::Made> CoqOperators::refuse(const std::string& why) {
  reason_ = reason_.empty() ? why : reason_;
  return std::nullopt;
}

std::optional<CoqOperators::Made> CoqOperators::made(NodePart part) {
  NodePart from = resolved(instance_, part);
  if (auto known = made_.find(from); known != made_.end()) {
    return known->second;
  }
  auto out = made_new(from);
  if (out) {
    made_.emplace(from, *out);
  }
  return out;
}

std::optional<CoqOperators::Made> CoqOperators::made_new(NodePart part) {
  const InstanceNode& node = instance_.nodes[part.node];
  switch (node.kind) {
    case InstanceNode::Kind::Input:
    case InstanceNode::Kind::Constant: return input(node);
    case InstanceNode::Kind::Call:
      return node.lumps.empty() ? call(node, part.part) : refuse("it has as many branches as there may be");
    default: return refuse("it has as many branches as there may be");
  }
}

// A tensor of the rule, or a number everywhere.
std::optional<CoqOperators::Made> CoqOperators::input(const InstanceNode& node) {
  const Body& body = node.bodies.front();
  Body plain{body.indices, without_stores(body.value)};
  std::vector<Term> at;
  for (Symbol index : body.indices) {
    at.push_back(int_var(index));
  }
  if (node.kind == InstanceNode::Kind::Input) {
    const InputTensor& input = instance_.inputs[node.input];
    if (plain.value == read(input.name, at)) {
      const std::string& name = names_.of_whole_tensor(input.name);
      return Made{printer_.is_truth(input.name) ? fmt::format("(truths {})", name) : name, plain};
    }
  }
  bool moves = std::any_of(at.begin(), at.end(), [&](Term index) {
    std::vector<Symbol> free = free_variables(plain.value);
    return std::find(free.begin(), free.end(), index->symbol) != free.end();
  });
  return moves ? refuse("a constant has several elements")
               : Made{fmt::format("(filled (K := K) {}%R)", printer_.scalar(plain.value, {})), plain};
}

std::optional<CoqOperators::Made> CoqOperators::call(const InstanceNode& node, std::size_t part) {
  const std::string name(op_def(node.op).name);
  OwnMeaning own = own_meaning(instance_, node);
  const Term value = own.bodies[part].value;
  bool other_type = std::any_of(own.operands.begin(), own.operands.end(), [&](const OwnMeaning::Operand& operand) {
    return value.kind() == TermKind::Read && operand.name == value->symbol &&
           flat_types(instance_.nodes[operand.from.node].type)[operand.from.part].dtype() != own.types[part];
  });
  if (own.widened[part] || other_type) {
    return refuse(name + " makes elements those of a type that holds them all");
  }
  std::vector<CoqOperand> operands;
  for (const OwnMeaning::Operand& operand : own.operands) {
    operands.push_back({operand.name, operand.extents});
  }
  std::vector<BoundIndex> axes;
  for (std::size_t axis = 0; axis < own.bodies[part].indices.size(); ++axis) {
    axes.push_back({own.bodies[part].indices[axis], own.extents[part][axis]});
  }
  const std::string conversion = own.converted_from[part] ? kernel_conversion(*own.converted_from[part], own.types[part]) : "";
  CoqKernelWriter writer(printer_, facts_, operands, conversion);
  auto kernel = writer.write(axes, own.bodies[part].value);
  if (!kernel) {
    return refuse(fmt::format("{}: {}", name, writer.reason()));
  }
  for (const auto& one : kernel->stretched) {
    if (std::find(stretched_.begin(), stretched_.end(), one) == stretched_.end()) {
      stretched_.push_back(one);
    }
  }
  std::string given;
  std::map<Symbol, Body> bodies;
  for (std::size_t k : kernel->read) {
    auto operand = made(own.operands[k].from);
    if (!operand) {
      return std::nullopt;
    }
    given += (given.empty() ? "" : "; ") + operand->text;
    bodies.emplace(own.operands[k].name, operand->body);
  }
  for (Term number : kernel->numbers) {
    given += fmt::format("{}(filled (K := K) {}%R)", given.empty() ? "" : "; ", printer_.scalar(number, {}));
  }
  std::string parameters;
  for (Symbol symbol : kernel->parameters) {
    parameters += " " + names_.of(symbol);
  }
  Body body = own.bodies[part];
  body.value = replace_reads(body.value, [&](Symbol tensor, std::span<const Term> at) {
    auto found = bodies.find(tensor);
    return found == bodies.end() ? std::nullopt : std::optional(element_at(found->second, {at.begin(), at.end()}));
  });
  return Made{fmt::format("({} K ({}{}) [{}])", kernel->reduces ? "outcome" : "result", defined(node, parameters, *kernel),
                          parameters, given),
              body};
}

// Calls of one operator that compute the same have one name.
std::string CoqOperators::defined(const InstanceNode& node, const std::string& parameters, const CoqKernel& kernel) {
  const std::string op(op_def(node.op).name);
  auto [known, is_new] = names_of_.try_emplace({op, parameters + kernel.text});
  if (is_new) {
    known->second = names_.fresh(fmt::format("{}_{}_{}", op, number_, names_of_.size()));
    definitions_ += fmt::format("Definition {}{} : {} :=\n  {}.\n\n", known->second,
                                parameters.empty() ? "" : fmt::format(" ({} : Z)", parameters.substr(1)),
                                kernel.reduces ? "reducer" : "Kernel.ikernel", kernel.text);
  }
  return known->second;
}

std::optional<CoqOperators::Sides> CoqOperators::sides(const InstanceOutput& output) {
  auto source = made({output.source, output.part});
  auto target = source ? made({output.target, output.part}) : std::nullopt;
  if (!target) {
    return std::nullopt;
  }
  for (auto [one, of_instance] : {std::pair(source, &output.source_body), std::pair(target, &output.target_body)}) {
    std::vector<Term> at;
    for (Symbol index : of_instance->indices) {
      at.push_back(int_var(index));
    }
    if (element_at(one->body, at) != without_stores(of_instance->value)) {
      refuse("what it computes is simplified where operators meet");
      return std::nullopt;
    }
  }
  Sides out{std::move(definitions_), source->text, target->text, stretched_};
  definitions_.clear();
  return out;
}

}  // namespace vouch
