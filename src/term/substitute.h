// Substitution: terms for variables, terms for reads. Results are built by the constructors of term.h, so they are in
// normal form; a substitution that changes nothing returns the same term. Linear in the shared (DAG) size of a term,
// but for reductions, whose free variables are looked at once for each reduction.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "term/term.h"

namespace vouch {

// Integer variables take integer terms; scalar variables take scalar terms, or integer terms (read as `real_of`).
using Substitution = std::unordered_map<Symbol, Term>;

// All at once: no replacement is substituted into again. Bound indices that would capture a variable of a replacement
// are renamed.
Term substitute(Term term, const Substitution& replacements);
Term substitute(Term term, Symbol name, Term replacement);

// What stands for a read of `tensor` at `indices` (in which reads have been replaced already); nothing keeps the read.
// Must be a function of its arguments alone. It may see bound indices under other names than they have in the term.
using ReadReplacement = std::function<std::optional<Term>(Symbol tensor, std::span<const Term> indices)>;

// Free variables of a replacement that do not come from `indices` are never captured by the reductions around it.
Term replace_reads(Term term, const ReadReplacement& replacement);

// The same term with every bound index renamed to a name that `taken` refuses none of.
Term freshen_bound(Term term, const std::function<bool(Symbol)>& taken);

// The term with the same head (kind, symbol, function, bound indices) and these arguments.
Term rebuild(Term head, const std::vector<Term>& args);

// The term with what `of` gives for each argument; itself where that is what it has.
template <class F>
Term with_arguments(Term term, F of) {
  std::vector<Term> args;
  args.reserve(term.args().size());
  bool changed = false;
  for (Term arg : term.args()) {
    args.push_back(of(arg));
    changed |= args.back() != arg;
  }
  return changed ? rebuild(term, args) : term;
}

// A name made from `name` for which `taken` is false; `name` itself if it can be.
Symbol fresh_name(Symbol name, const std::function<bool(Symbol)>& taken);

}  // namespace vouch
