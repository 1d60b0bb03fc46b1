// Equality of normal forms: what is left of the difference, by matching and by cases.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "algebra/equality.h"
#include "algebra/lattice.h"
#include "term/print.h"

namespace vouch {

bool same_skeleton(AtomRef a, AtomRef b) {
  if (a->kind != b->kind) {
    return false;
  }
  switch (a->kind) {
    case AtomKind::Read:
    case AtomKind::RealVar: return a->symbol == b->symbol;
    case AtomKind::Function: return a->name == b->name && a->args.size() == b->args.size();
    case AtomKind::Reduction: return a->reduction == b->reduction;
    case AtomKind::Whole:
    case AtomKind::Group:
    case AtomKind::Sign: return true;
  }
  return false;
}

namespace {

// What atoms of the same skeleton have in common.
std::string skeleton(AtomRef a) {
  switch (a->kind) {
    case AtomKind::Read: return '[' + a->symbol.name();
    case AtomKind::RealVar: return 'v' + a->symbol.name();
    case AtomKind::Whole: return "n";
    case AtomKind::Function: return 'f' + a->name + '/' + std::to_string(a->args.size());
    case AtomKind::Reduction: return 'r' + std::to_string(static_cast<int>(a->reduction));
    case AtomKind::Group: return "g";
    case AtomKind::Sign: return "s";
  }
  return {};
}

std::vector<std::string> skeleton_of(const Summand& s) {
  std::vector<std::string> out;
  for (const Factor& f : s.factors) {
    out.push_back(skeleton(f.atom) + '^' + std::to_string(f.exponent));
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Two summands that may match, and what is against it.
struct Pair {
  std::size_t i, j, cost;
};

// All pairs; nothing where they are more than can be looked at.
std::optional<std::vector<Pair>> pairs_of(const NormalForm& form) {
  constexpr std::size_t kMost = 20'000;
  std::unordered_map<std::string, std::vector<std::size_t>> alike;
  std::vector<const std::vector<std::size_t>*> others;  // of each, in order
  std::size_t count = 0;
  for (std::size_t k = 0; k < form.size(); ++k) {
    std::vector<std::size_t>& all = alike[fmt::format("{}", fmt::join(skeleton_of(form[k]), " "))];
    count += all.size();
    all.push_back(k);
    others.push_back(&all);
  }
  if (count > kMost) {
    return std::nullopt;
  }
  std::vector<Pair> out;
  for (std::size_t i = 0; i < form.size(); ++i) {
    for (auto j = std::upper_bound(others[i]->begin(), others[i]->end(), i); j != others[i]->end(); ++j) {
      bool opposite = is_zero(plus(form[i].coefficient, form[*j].coefficient));
      auto [fewer, more] = std::minmax(form[i].guards.size(), form[*j].guards.size());
      out.push_back({i, *j, (opposite ? 0U : 1000U) + more - fewer});
    }
  }
  return out;
}

}  // namespace

bool alike(const NormalForm& a, const NormalForm& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Summand& x, const Summand& y) { return skeleton_of(x) == skeleton_of(y); });
}

bool commutes(AtomRef a) {
  return a->kind == AtomKind::Function && a->args.size() == 2 && (a->name == "add" || a->name == "mul" || is_extremum(*a));
}

bool Equality::equal(const NormalForm& a, const NormalForm& b, const Context& context) {
  remainder_.reset();
  if (equal_as_written(a, b, context)) {
    return true;
  }
  NormalForm difference = simplified(a, context);
  for (const Summand& s : forms_.scaled(-1, simplified(b, context))) {
    difference.push_back(s);
  }
  return vanishes(forms_.merged(difference), context, 0);
}

// Most rules leave most of an element as it is: a match without simplification is tried first, since it costs so little.
bool Equality::equal_as_written(const NormalForm& a, const NormalForm& b, const Context& context) {
  std::size_t fuel = std::exchange(fuel_, std::min<std::size_t>(fuel_, 40));
  std::size_t pairs = std::exchange(pairs_left_, std::min<std::size_t>(pairs_left_, 500));
  as_written_ = true;
  bool equal = vanishes(difference_of(a, b), context, 0);
  as_written_ = false;
  fuel_ = fuel;
  pairs_left_ = pairs;
  return equal;
}

NormalForm Equality::difference_of(const NormalForm& a, const NormalForm& b) const {
  NormalForm difference = a;
  NormalForm minus = forms_.scaled(-1, b);
  difference.insert(difference.end(), minus.begin(), minus.end());
  return forms_.merged(difference);
}

bool Equality::vanishes(NormalForm form, const Context& context, int depth) {
  constexpr int kMostRounds = 60;
  constexpr int kDeepest = 8;
  if (depth > kDeepest) {
    return false;
  }
  for (int round = 0; !form.empty(); ++round) {
    if (round == kMostRounds || fuel_ == 0 || pairs_left_ == 0 || arithmetic_.exhausted()) {
      return false;
    }
    auto pairs = pairs_of(form);
    if (!pairs) {
      pairs_left_ = 0;
      return false;
    }
    std::stable_sort(pairs->begin(), pairs->end(), [](const Pair& a, const Pair& b) { return a.cost < b.cost; });
    std::optional<NormalForm> next;
    std::vector<std::optional<Summand>> renamed(form.size());  // under names of its own, which is dear: once for all pairs
    for (bool partial : {false, true}) {
      if (partial && as_written_) {
        break;
      }
      for (const Pair& p : *pairs) {
        if (pairs_left_ == 0) {
          return false;
        }
        --pairs_left_;
        if (!renamed[p.j]) {
          renamed[p.j] = forms_.with_fresh_bound(form[p.j]);
        }
        auto left = match(form[p.i], *renamed[p.j], context, partial, depth);
        if (!left) {
          continue;
        }
        NormalForm rest;
        for (std::size_t k = 0; k < form.size(); ++k) {
          if (k != p.i && k != p.j) {
            rest.push_back(form[k]);
          }
        }
        for (const Summand& s : *left) {
          NormalForm here = as_written_ ? NormalForm{s} : simplified(s, context);
          rest.insert(rest.end(), here.begin(), here.end());
        }
        next = forms_.merged(rest);
        break;
      }
      if (next) {
        break;
      }
    }
    if (!next) {
      auto never_negative = [&](const NormalForm& one) { return is_never_negative(one, context); };
      if (as_written_) {
        return false;
      }
      if (auto spread = with_spread_extrema(form, context)) {
        return vanishes(std::move(*spread), context, depth + 1);
      }
      return vanishes_otherwise(form, context, depth) || vanishes_in_every_order(forms_, form, context, never_negative) ||
             split_and_vanish(form, context, depth);
    }
    form = std::move(*next);
  }
  return true;
}

// By cases on a guard that mentions nothing bound; then on a minimum, maximum or choice among sizes.
bool Equality::split_and_vanish(const NormalForm& form, const Context& context, int depth) {
  auto remember = [&] {
    if (!remainder_ && explain_) {
      remainder_ = form;
    }
    return false;
  };
  constexpr int kMostSplits = 8;
  if (depth >= kMostSplits) {
    return remember();
  }
  std::optional<Literal> by;
  for (const Summand& s : form) {
    for (const Literal& g : s.guards) {
      std::vector<Symbol> names = free_symbols(g);
      if (!by && std::none_of(s.bound.begin(), s.bound.end(), [&](Symbol b) { return has_symbol(names, b); })) {
        by = g;
      }
    }
  }
  if (!by) {
    by = open_choice(form);
  }
  if (!by) {
    return remember();
  }
  for (const Literal& half : {*by, FormBuilder::negated(*by)}) {
    Context here = context.with({half});
    if (!contradicts(here) && !vanishes(simplified(form, here), here, depth + 1)) {
      return remember();
    }
  }
  return true;
}

// A comparison that decides a minimum, maximum or choice without bound indices inside of the form.
std::optional<Literal> Equality::open_choice(const NormalForm& form) {
  std::optional<Literal> found;
  for (const Summand& s : form) {
    auto look = [&](Term t) {
      for (Term atom : deep_atoms(t)) {
        if (found || mentions_any(atom, s.bound) || !tensors_read(atom).empty()) {
          continue;
        }
        bool local = std::any_of(symbols_of(atom).begin(), symbols_of(atom).end(),
                                 [](Symbol n) { return n.name().find('\'') != std::string::npos; });
        if (local) {
          continue;
        }
        if (atom.kind() == TermKind::IntMin || atom.kind() == TermKind::IntMax) {
          found = Literal{le(atom.arg(0), atom.arg(1)), nullptr, 0};
        } else if (atom.kind() == TermKind::IntSelect) {
          found = Literal{atom.arg(0), nullptr, 0};
        }
      }
      return t;
    };
    (void)forms_.mapped(s, look);
    if (found) {
      return found;
    }
  }
  return found;
}

// Quotients are simplified before the solver is asked: what it would see of them are unknowns.
bool Equality::equal_indices(Term a, Term b, const Facts& facts) {
  if (a == b) {
    return true;
  }
  Term difference = a - b;
  const std::vector<Term> atoms = deep_atoms(difference);
  bool divides = std::any_of(atoms.begin(), atoms.end(), [](Term atom) { return atom.kind() == TermKind::FloorDiv; });
  if ((as_written_ || !divides) && arithmetic_.entails(facts, eq(a, b))) {
    return true;
  }
  if (as_written_) {
    return false;
  }
  Term simpler = simplified_index(difference, facts);
  return simpler == Term(0) || (simpler != difference && arithmetic_.entails(facts, eq(simpler, 0))) ||
         (divides && arithmetic_.entails(facts, eq(a, b)));
}

bool Equality::equal_atoms(AtomRef a, AtomRef b, const Context& context) { return equal_atoms(a, b, context, 1); }

bool Equality::equal_atoms(AtomRef a, AtomRef b, const Context& context, int depth) {
  if (a == b) {
    return true;
  }
  if (a->kind != b->kind || a->symbol != b->symbol || a->name != b->name || a->reduction != b->reduction ||
      a->indices.size() != b->indices.size() || a->args.size() != b->args.size()) {
    return false;
  }
  for (std::size_t k = 0; k < a->indices.size(); ++k) {
    if (!equal_indices(a->indices[k], b->indices[k], context.facts)) {
      return false;
    }
  }
  if (a->kind == AtomKind::Reduction) {
    bool extremum = a->reduction == Reduction::Max || a->reduction == Reduction::Min;
    return extremum && !as_written_ ? equal_extrema(a, b, context, depth) : equal_ordered(a, b, context, depth);
  }
  auto same = [&](const NormalForm& x, const NormalForm& y) { return equal_inside(x, y, context, depth); };
  bool in_order = true;
  for (std::size_t k = 0; in_order && k < a->args.size(); ++k) {
    in_order = same(a->args[k], b->args[k]);
  }
  if (in_order) {
    return true;
  }
  return commutes(a) && same(a->args[0], b->args[1]) && same(a->args[1], b->args[0]);
}

// Reductions that keep their order: the same box, guards and bodies, index by index.
bool Equality::equal_ordered(AtomRef a, AtomRef b, const Context& context, int depth) {
  a = apart(a, context);
  if (a->bound.size() != b->bound.size()) {
    return false;
  }
  Substitution rename;
  for (std::size_t k = 0; k < a->bound.size(); ++k) {
    rename.emplace(b->bound[k], int_var(a->bound[k]));
  }
  std::vector<Literal> theirs;
  for (const Literal& g : b->guards) {
    theirs.push_back(forms_.substituted(g, rename));
  }
  Context in_a = context.with(a->guards);
  Context in_b = context.with(theirs);
  bool same_domain = std::all_of(theirs.begin(), theirs.end(), [&](const Literal& g) { return entails(in_a, g); }) &&
                     std::all_of(a->guards.begin(), a->guards.end(), [&](const Literal& g) { return entails(in_b, g); });
  if (!same_domain) {
    return false;
  }
  return equal_inside(a->args[0], forms_.substituted(b->args[0], rename), in_a, depth);
}

bool Equality::equal_inside(const NormalForm& a, const NormalForm& b, const Context& context, int depth) {
  NormalForm difference = as_written_ ? difference_of(a, b) : difference_of(simplified(a, context), simplified(b, context));
  return vanishes(std::move(difference), context, depth + 1);
}

}  // namespace vouch
