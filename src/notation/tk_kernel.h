// Kernels in index notation, as the front end gives them and as gradients are.
//
// Extents are integer terms over the kernel's sizes: numbers, where no size has a name. A kernel with sizes means one function
// for all values of the sizes that make every condition at least 0 and are at least 1, or 0 where they may be (tk_empty.h).
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

#include "notation/tk_sizes.h"
#include "support/source.h"
#include "tensor/tensor.h"
#include "term/term.h"

namespace vouch {

struct TkTensor {
  Symbol name;     // the version
  Symbol written;  // the name in the text
  std::vector<Term> shape;

  Extents extents() const;  // where all are numbers
};
std::vector<Term> shape_of(const Extents& extents);

struct TkLoop {
  Symbol name;
  Term begin;
  Term end;  // exclusive
};

struct TkSummand {
  std::vector<TkLoop> loops;  // outermost first
  Term guard;
  Term body;  // a scalar term without reductions
  // Of a derivative: the sizes that were taken to be at least 1 where it was derived, though it need not name them any more.
  std::vector<Symbol> supposed = {};
};

// What `vouch show` prints: the inferred box of an index, half-open.
struct TkDomain {
  Symbol name;
  bool reduced = false;
  Term begin;
  Term end;
};

struct TkPlace {
  SourceRef source;
  Span span;
};

struct TkStatement {
  Symbol target;
  std::vector<Symbol> indices;
  std::vector<TkSummand> summands;
  std::vector<TkDomain> domains;  // of front-end statements
  std::string text;               // as written
  TkPlace place;                  // where a text has it
};

struct TkKernel {
  std::string name;
  std::string dtype = "float";               // that elements are computed in: float, double, int or int64
  std::unordered_map<Symbol, DType> stored;  // inputs and outputs, as written, that are held as another type
  std::vector<TkTensor> tensors;             // in order of first appearance
  std::vector<Symbol> inputs;                // versions
  std::vector<Symbol> outputs;               // the last version of each output
  std::vector<TkStatement> statements;
  std::vector<Symbol> grad_to;            // as written
  SizeFacts sizes;                        // in order of first appearance
  std::vector<TkPlace> condition_places;  // of the sizes' conditions, where a text gave them

  const TkTensor& tensor(Symbol version) const;  // must exist
  DType computed_type() const;
  // What an input or output, a version, is held as; a local is of the computed type.
  DType stored_type(Symbol version) const;
};

}  // namespace vouch
