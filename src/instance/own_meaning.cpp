#include "instance/own_meaning.h"

#include "graph/op_table.h"
#include "instance/conversions.h"
#include "instance/instance_state.h"
#include "instance/stores.h"
#include "support/fault.h"
#include "term/substitute.h"

namespace vouch {

Body composed_statement(const Statement& statement, const std::unordered_map<Symbol, Body>& at) {
  Body body{index_symbols(statement.indices.size()), {}};
  Substitution rename;
  for (std::size_t axis = 0; axis < statement.indices.size(); ++axis) {
    rename.emplace(statement.indices[axis], int_var(body.indices[axis]));
  }
  // Renamed first, what reads the same element of an operand takes its body as it is.
  body.value = replace_reads(substitute(statement.value, rename), [&](Symbol tensor, std::span<const Term> indices) {
    auto found = at.find(tensor);
    return found == at.end() ? std::nullopt : std::optional(element_at(found->second, {indices.begin(), indices.end()}));
  });
  return body;
}

NodePart resolved(const Instance& instance, NodePart part) {
  const InstanceNode& node = instance.nodes[part.node];
  if (node.kind == InstanceNode::Kind::Projection) {
    const InstanceNode& tuple = instance.nodes[node.operands[0]];
    std::size_t begin = 0;
    for (std::uint32_t k = 0; k < node.item; ++k) {
      begin += flat_types(tuple.type.items()[k]).size();
    }
    return resolved(instance, {node.operands[0], begin + part.part});
  }
  if (node.kind == InstanceNode::Kind::Tuple) {
    for (InstanceNodeId item : node.operands) {
      std::size_t count = flat_types(instance.nodes[item].type).size();
      if (part.part < count) {
        return resolved(instance, {item, part.part});
      }
      part.part -= count;
    }
    fault("a part of a tuple");
  }
  return part;
}

std::vector<const Body*> operand_bodies(const Instance& instance, const InstanceNode& call) {
  std::vector<const Body*> out;
  for (InstanceNodeId operand : call.operands) {
    if (operand != kNoInstanceNode) {
      for (const Body& body : instance.nodes[operand].bodies) {
        out.push_back(&body);
      }
    }
  }
  return out;
}

OwnMeaning own_meaning(const Instance& instance, const InstanceNode& call) {
  const KnownOperands known(instance, call.operands);
  Kernel kernel = call_meaning(call.op, known.types, call.attributes, known.contents, call.sizes);
  OwnMeaning out;
  for (InstanceNodeId operand : call.operands) {
    std::size_t count = operand == kNoInstanceNode ? 0 : flat_types(instance.nodes[operand].type).size();
    for (std::size_t part = 0; part < count; ++part) {
      ensure(out.operands.size() < kernel.inputs.size(), "a kernel reads its operands in order");
      const TensorDecl& input = kernel.inputs[out.operands.size()];
      out.operands.push_back({resolved(instance, {operand, part}), input.name, input.extents});
    }
  }
  const Conversions conversions(call, kernel, known.types, operand_bodies(instance, call));
  const Stores stores(instance);
  std::unordered_map<Symbol, Body> at;
  std::unordered_map<Symbol, const Statement*> last;
  for (const Statement& statement : kernel.statements) {
    Body body = composed_statement(statement, at);
    if (auto from = conversions.from(statement)) {
      body.value = stores.converted(*from, declared(kernel.outputs, statement.target)->dtype, body.value);
    }
    at.insert_or_assign(statement.target, std::move(body));
    last[statement.target] = &statement;
  }
  for (const TensorDecl& output : kernel.outputs) {
    out.bodies.push_back(at.at(output.name));
    out.extents.push_back(output.extents);
    out.types.push_back(output.dtype);
    out.converted_from.push_back(conversions.from(*last.at(output.name)));
    out.widened.push_back(!out.converted_from.back() && conversions.is_any(*last.at(output.name)));
  }
  return out;
}

}  // namespace vouch
