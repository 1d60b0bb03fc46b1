// The unique table. For the term room alone: everyone else builds through term.h.
#pragma once

#include "term/term.h"

namespace vouch {

// The one term with this structure; fills in `hash` and `depth`.
Term intern(TermNode&& node);

Term make_node(TermKind kind, Sort sort, std::vector<Term> args);

// What the operators of term.h do on integer terms.
Term int_add(Term a, Term b);
Term int_mul(Term a, Term b);

}  // namespace vouch
