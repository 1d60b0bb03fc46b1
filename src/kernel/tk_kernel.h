// Kernels in index notation with concrete extents, as the front end gives them and as gradients are.
//
// A statement defines one tensor, everywhere in its extents: `target[i…] = sum of the summands`. A summand is the sum of
// `body` over its loops, where `guard` holds. A loop runs over `begin <= name < end`; its bounds are integer terms over
// the statement's indices and the loops before it, so the domain is a polyhedron, not only a box. Every tensor is defined
// once: a tensor that is assigned several times has one version for each, `A`, `A@1`, …
// Reads within `body` stay inside the extents wherever the guard (and the guards of `select`s around them) hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernel/tensor.h"
#include "support/source.h"
#include "term/term.h"

namespace vouch {

struct TkTensor {
  Symbol name;     // the version
  Symbol written;  // the name in the text
  Extents extents;
};

struct TkLoop {
  Symbol name;
  Term begin;
  Term end;  // exclusive
};

struct TkSummand {
  std::vector<TkLoop> loops;  // outermost first
  Term guard;
  Term body;  // a scalar term without reductions
};

// What `vouch show` prints: the inferred box of an index, half-open.
struct TkDomain {
  Symbol name;
  bool reduced = false;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct TkStatement {
  Symbol target;
  std::vector<Symbol> indices;
  std::vector<TkSummand> summands;
  std::vector<TkDomain> domains;  // of front-end statements
  std::string text;               // as written
};

struct TkKernel {
  std::string name;
  std::string dtype = "float";
  std::vector<TkTensor> tensors;  // in order of first appearance
  std::vector<Symbol> inputs;     // versions
  std::vector<Symbol> outputs;    // the last version of each output
  std::vector<TkStatement> statements;
  std::vector<Symbol> grad_to;  // as written

  const TkTensor& tensor(Symbol version) const;  // must exist
};

}  // namespace vouch
