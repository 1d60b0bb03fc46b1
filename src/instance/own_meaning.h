// What a call computes of the elements of its operands: its meaning as the operator table has it, not composed with theirs.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "instance/instance.h"
#include "kernel/kernel.h"

namespace vouch {

// A tensor of a node: that of a tuple, or one of several results.
struct NodePart {
  InstanceNodeId node = kNoInstanceNode;
  std::size_t part = 0;
  friend auto operator<=>(const NodePart&, const NodePart&) = default;
};

struct OwnMeaning {
  struct Operand {
    NodePart from;
    Symbol name;  // as the bodies read it
    std::vector<Term> extents;
  };
  std::vector<Operand> operands;  // tuples flattened
  // One for each tensor of the result. Nothing that is stored is rounded; what becomes an element of another type is converted.
  std::vector<Body> bodies;
  std::vector<std::vector<Term>> extents;            // of these
  std::vector<DType> types;                          // of their elements
  std::vector<std::optional<DType>> converted_from;  // the type that their elements had
  std::vector<bool> widened;                         // their elements are those of another type as they were
};

// Of a call that is composed of one call's kernel: none that joins or cuts a family.
OwnMeaning own_meaning(const Instance& instance, const InstanceNode& call);

// What the call's operands compute, tensor by tensor.
std::vector<const Body*> operand_bodies(const Instance& instance, const InstanceNode& call);

// The node that is read where a tuple, or what is taken of one, is named.
NodePart resolved(const Instance& instance, NodePart part);

// The statement's value with these bodies for what it reads.
Body composed_statement(const Statement& statement, const std::unordered_map<Symbol, Body>& at);

}  // namespace vouch
