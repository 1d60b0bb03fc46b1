#include "term/substitute.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "support/fault.h"

namespace vouch {

Term rebuild(Term head, std::vector<Term> args) {
  switch (head.kind()) {
    case TermKind::IntConst:
    case TermKind::IntVar:
    case TermKind::BoolConst:
    case TermKind::RealConst:
    case TermKind::RealVar:
      return head;
    case TermKind::IntAdd:
      return sum_of(args);
    case TermKind::IntMul:
      return product_of(args);
    case TermKind::FloorDiv:
      return floor_div(args[0], args[1]);
    case TermKind::FloorMod:
      return floor_mod(args[0], args[1]);
    case TermKind::IntMin:
      return int_min(args[0], args[1]);
    case TermKind::IntMax:
      return int_max(args[0], args[1]);
    case TermKind::IntSelect:
      return int_select(args[0], args[1], args[2]);
    case TermKind::IntOf:
      return int_of(args[0]);
    case TermKind::IntLe:
      return le(args[0], args[1]);
    case TermKind::IntEq:
      return eq(args[0], args[1]);
    case TermKind::RealLt:
      return real_lt(args[0], args[1]);
    case TermKind::RealLe:
      return real_le(args[0], args[1]);
    case TermKind::RealEq:
      return real_eq(args[0], args[1]);
    case TermKind::And:
      return all_of(args);
    case TermKind::Or:
      return any_of(args);
    case TermKind::Not:
      return negate(args[0]);
    case TermKind::RealOf:
      return real_of(args[0]);
    case TermKind::Read:
      return read(head->symbol, std::move(args));
    case TermKind::RealAdd:
      return args[0] + args[1];
    case TermKind::RealSub:
      return args[0] - args[1];
    case TermKind::RealMul:
      return args[0] * args[1];
    case TermKind::RealDiv:
      return args[0] / args[1];
    case TermKind::RealNeg:
      return -args[0];
    case TermKind::Call:
      return call(head->fn, std::move(args));
    case TermKind::Select:
      return select(args[0], args[1], args[2]);
    case TermKind::Reduce: {
      std::vector<BoundIndex> bound;
      for (std::size_t i = 0; i < head->bound.size(); ++i) {
        bound.push_back({head->bound[i], args[i + 2]});
      }
      return reduce(head->reduction, bound, args[1], args[0]);
    }
  }
  fault("a term of unknown kind");
}

namespace {

Term rename_bound(Term term, const std::vector<Symbol>& names) {
  Substitution renaming;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != term->bound[i]) {
      renaming.emplace(term->bound[i], int_var(names[i]));
    }
  }
  if (renaming.empty()) {
    return term;
  }
  std::vector<BoundIndex> bound;
  for (std::size_t i = 0; i < names.size(); ++i) {
    bound.push_back({names[i], term.arg(i + 2)});
  }
  return reduce(term->reduction, bound, substitute(term.arg(1), renaming), substitute(term.arg(0), renaming));
}

// Names for the bound indices of `term` that `taken` accepts and that do not occur in it otherwise.
std::vector<Symbol> fresh_names(Term term, const std::function<bool(Symbol)>& taken) {
  std::vector<Symbol> inside = free_variables(term.arg(0));
  for (Symbol name : free_variables(term.arg(1))) {
    inside.push_back(name);
  }
  std::vector<Symbol> names;
  for (Symbol old : term->bound) {
    Symbol name = old;
    auto clashes = [&](Symbol candidate) {
      return taken(candidate) || std::find(names.begin(), names.end(), candidate) != names.end() ||
             (candidate != old && std::find(inside.begin(), inside.end(), candidate) != inside.end());
    };
    for (int suffix = 1; clashes(name); ++suffix) {
      name = Symbol(fmt::format("{}_{}", old.name(), suffix));
    }
    names.push_back(name);
  }
  return names;
}

class Substituter {
 public:
  explicit Substituter(const Substitution& replacements) : replacements_(replacements) {
    for (const auto& [name, term] : replacements) {
      for (Symbol variable : free_variables(term)) {
        incoming_.insert(variable);
      }
    }
  }

  Term apply(Term term) {
    if (auto found = done_.find(term); found != done_.end()) {
      return found->second;
    }
    Term result = replace(term);
    done_.emplace(term, result);
    return result;
  }

 private:
  Term replace(Term term) {
    if (term.kind() == TermKind::IntVar || term.kind() == TermKind::RealVar) {
      auto found = replacements_.find(term->symbol);
      return found == replacements_.end() ? term : found->second;
    }
    if (term.args().empty()) {
      return term;
    }
    return term.kind() == TermKind::Reduce ? replace_under_binder(term) : replace_args(term);
  }

  Term replace_args(Term term) {
    std::vector<Term> args;
    bool changed = false;
    for (Term arg : term.args()) {
      args.push_back(apply(arg));
      changed |= args.back() != arg;
    }
    return changed ? rebuild(term, std::move(args)) : term;
  }

  Term replace_under_binder(Term term) {
    bool captures = std::any_of(term->bound.begin(), term->bound.end(),
                                [&](Symbol name) { return incoming_.contains(name); });
    bool shadows = std::any_of(term->bound.begin(), term->bound.end(),
                               [&](Symbol name) { return replacements_.contains(name); });
    if (!captures && !shadows) {
      return replace_args(term);
    }
    Term apart = rename_bound(term, fresh_names(term, [&](Symbol name) { return incoming_.contains(name); }));
    Substitution inner = replacements_;
    for (Symbol name : apart->bound) {
      inner.erase(name);
    }
    Substituter below(inner);
    std::vector<Term> args{below.apply(apart.arg(0)), below.apply(apart.arg(1))};
    for (std::size_t i = 2; i < apart.args().size(); ++i) {
      args.push_back(apply(apart.arg(i)));
    }
    return rebuild(apart, std::move(args));
  }

  const Substitution& replacements_;
  std::unordered_set<Symbol> incoming_;
  std::unordered_map<Term, Term> done_;
};

class Transformer {
 public:
  explicit Transformer(std::function<std::optional<Term>(Term)> after) : after_(std::move(after)) {}

  // Bottom up; `after` sees each rebuilt term and may replace it.
  Term apply(Term term) {
    if (auto found = done_.find(term); found != done_.end()) {
      return found->second;
    }
    std::vector<Term> args;
    bool changed = false;
    for (Term arg : term.args()) {
      args.push_back(apply(arg));
      changed |= args.back() != arg;
    }
    Term rebuilt = changed ? rebuild(term, std::move(args)) : term;
    Term result = after_(rebuilt).value_or(rebuilt);
    done_.emplace(term, result);
    return result;
  }

 private:
  std::function<std::optional<Term>(Term)> after_;
  std::unordered_map<Term, Term> done_;
};

}  // namespace

Term substitute(Term term, const Substitution& replacements) {
  return replacements.empty() ? term : Substituter(replacements).apply(term);
}

Term replace_reads(Term term, const ReadReplacement& replacement) {
  return Transformer([&](Term t) -> std::optional<Term> {
           return t.kind() == TermKind::Read ? replacement(t->symbol, t.args()) : std::nullopt;
         })
      .apply(term);
}

Term freshen_bound(Term term, const std::function<bool(Symbol)>& taken) {
  return Transformer([&](Term t) -> std::optional<Term> {
           return t.kind() == TermKind::Reduce ? std::optional(rename_bound(t, fresh_names(t, taken))) : std::nullopt;
         })
      .apply(term);
}

}  // namespace vouch
