// Replacing variables and tensor reads in terms. Results are built through the constructors of term.h, so they are in
// normal form again. Shared subterms are visited once.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_map>

#include "term/term.h"

namespace vouch {

// Integer variables map to integer terms, scalar variables to scalar terms.
using Substitution = std::unordered_map<Symbol, Term>;

// Capture-avoiding: a bound index whose name is free in a replacement is renamed.
Term substitute(Term term, const Substitution& replacements);

// Called with the tensor and its (already replaced) indices; nothing means: keep the read.
using ReadReplacement = std::function<std::optional<Term>(Symbol tensor, std::span<const Term> indices)>;

// Replaces tensor reads, innermost first. Replacements must not mention indices that the term binds by accident:
// whoever inlines a kernel substitutes its own indices by the read's, and `freshen_bound` keeps the rest apart.
Term replace_reads(Term term, const ReadReplacement& replacement);

// The same term with every bound index renamed to a name that `taken` refuses none of.
Term freshen_bound(Term term, const std::function<bool(Symbol)>& taken);

// The term with the same head and other arguments, through its constructor.
Term rebuild(Term head, std::vector<Term> args);

}  // namespace vouch
