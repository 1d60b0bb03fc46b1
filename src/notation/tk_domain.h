// Domains of indices: the largest box in which every subscript stays inside its dimension.
#pragma once

#include "notation/tk_interval.h"
#include "notation/tk_kernel.h"
#include "support/diagnostic.h"

namespace vouch {

struct TkAccess {
  Symbol tensor;
  std::vector<Term> subscripts;
  std::vector<Span> spans;
  std::vector<Term> shape;
  std::vector<Symbol> names;  // of the subscripts' indices, as written
  Span place;                 // of the tensor's name
  bool guarded = false;       // inside a branch of `select`: need not stay inside for all values
  std::vector<Term> at = {};  // the subscripts as they are read: where one is data, `subscripts` has 0
};

// Each subscript with one index bounds it; one with several bounds the index that nothing else does. Guarded accesses
// bound only indices that nothing else bounds. `given` domains are taken as they are and must keep every read inside;
// `given.sizes` is what is known of the sizes, and is told that every domain has a value. Errors: an unbounded or contradictory
// index, a subscript that can leave, a domain that is the smaller of two terms which the sizes do not order.
std::optional<std::vector<TkDomain>> infer_domains(const TkAccess& target, const std::vector<TkAccess>& reads,
                                                   const std::vector<Symbol>& names, Box& given, const SourceRef& source,
                                                   Diagnostics& diagnostics);

}  // namespace vouch
