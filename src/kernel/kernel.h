// Kernels: what a tensor computation means, as index notation.
//
// A kernel is a list of statements `target[i, j, …] = value`, each for *all* indices in the box of its target's
// extents, executed in order; a statement reads inputs and earlier targets, never its own. Sizes are integer
// variables of the terms. Reads outside a tensor's extents are errors unless a guard keeps them from being reached.
//
// Idealisations: elements of float tensors are real numbers (evaluation in floats computes in double and rounds at
// each stored element); integers are unbounded in terms, wrap at each stored element.
#pragma once

#include <string>
#include <vector>

#include "tensor/dtype.h"
#include "term/term.h"

namespace vouch {

struct TensorDecl {
  Symbol name;
  DType dtype = DType::Float32;
  std::vector<Term> extents;  // integer terms over the kernel's sizes
};

struct Statement {
  Symbol target;                // a local or an output
  std::vector<Symbol> indices;  // one per axis of the target, bound in `value`
  Term value;                   // a scalar term over `indices`, sizes and tensors
};

struct Kernel {
  std::string name;
  std::vector<TensorDecl> inputs;
  std::vector<TensorDecl> locals;
  std::vector<TensorDecl> outputs;
  std::vector<Statement> statements;  // each local and output is the target of exactly one
};

}  // namespace vouch
