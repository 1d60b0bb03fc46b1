// What a comparison would no longer see. Over the reals x + y - x is y; but a comparison sees whether x is NaN, and then it is
// false; and exp(log(x)) is x, but a comparison sees that there is no logarithm. What the laws of the reals made vanish stays in
// what is compared, as the argument of a function of which nothing is known.
#include <algorithm>
#include <set>
#include <tuple>

#include "algebra/normal_form.h"
#include "facts/index_terms.h"
#include "term/partial_function.h"
#include "term/print.h"

namespace vouch {
namespace {

constexpr const char* kUnseen = "unseen";

struct ByNumber {
  bool operator()(AtomRef a, AtomRef b) const { return a->number < b->number; }
};

bool is_read(const Atom& atom) { return atom.kind == AtomKind::Read || atom.kind == AtomKind::RealVar; }

// A term that may have no value where its arguments have one.
bool has_partial_head(Term term) { return divisor_of(term) || is_partial_call(term); }

bool is_partial_function(const Atom& atom) {
  static const std::set<std::string_view> kNames = [] {
    std::set<std::string_view> names{fn_name(Fn::Pow), fn_name(Fn::Tan), fn_name(Fn::Mod), fn_name(Fn::Fmod),
                                     fn_name(Fn::TruncDiv)};
    for (int k = 0; k < kFnCount; ++k) {
      if (is_partial(static_cast<Fn>(k))) {
        names.insert(fn_name(static_cast<Fn>(k)));
      }
    }
    return names;
  }();
  return atom.kind == AtomKind::Function && kNames.contains(atom.name);
}

}  // namespace

bool is_unseen(const Atom& atom) { return atom.kind == AtomKind::Function && atom.name == kUnseen; }

// Indices that are bound outside of something, and where they range.
struct FormBuilder::Scope {
  std::vector<Symbol> bound;
  std::vector<Literal> guards;

  Scope with(const std::vector<Symbol>& more, const std::vector<Literal>& where) const {
    Scope out = *this;
    out.bound.insert(out.bound.end(), more.begin(), more.end());
    if (!out.bound.empty()) {
      out.guards.insert(out.guards.end(), where.begin(), where.end());
    }
    return out;
  }

  // Without the indices that are not named there, unless it depends on them where one that is ranges.
  Scope of(const Atom& atom) const {
    auto is_idle = [&](Symbol name) { return !has_symbol(atom.symbols, name); };
    Scope out;
    std::remove_copy_if(bound.begin(), bound.end(), std::back_inserter(out.bound), is_idle);
    for (const Literal& guard : guards) {
      const std::vector<Symbol> names = free_symbols(guard);
      const bool idle = std::any_of(bound.begin(), bound.end(), [&](Symbol k) { return is_idle(k) && has_symbol(names, k); });
      const bool ranges = std::any_of(out.bound.begin(), out.bound.end(), [&](Symbol k) { return has_symbol(names, k); });
      if (idle && ranges) {
        return *this;
      }
      if (ranges) {
        out.guards.push_back(guard);
      }
    }
    return out;
  }
};

// Elements that are read, and partial functions of such, and what is divided by (that one with -1): those of no bound index, and
// of bound ones all of them, with where these range.
struct FormBuilder::Seen {
  explicit Seen(FormBuilder& of) : forms(of) {}

  struct ByNumbers {
    bool operator()(const Factor& a, const Factor& b) const {
      return std::pair(a.atom->number, a.exponent) < std::pair(b.atom->number, b.exponent);
    }
  };
  FormBuilder& forms;
  std::set<AtomRef, ByNumber> elements;
  std::set<Factor, ByNumbers> partial;

  void add(const NormalForm& form, const Scope& scope) {
    for (const Summand& s : form) {
      const Scope inside = scope.with(s.bound, s.guards);
      add(s.guards, inside);
      for (const Factor& f : s.factors) {
        add(f.atom, inside);
        if (f.exponent < 0 && (signs_of(f.atom) & kZero) != 0) {
          add_partial({f.atom, -1}, inside);
        }
      }
    }
  }

  unsigned signs_of(AtomRef atom) const {
    return forms.possible_signs(atom->kind == AtomKind::Group ? atom->args[0] : forms.single(atom));
  }

  // Of what is known to lie in the function's domain it has a value.
  bool is_partial(const Atom& atom) const {
    const bool root = atom.kind == AtomKind::Function && atom.name == fn_name(Fn::Sqrt);
    const bool logarithm = atom.kind == AtomKind::Function && atom.name == fn_name(Fn::Log);
    const unsigned outside = root ? kNegative : logarithm ? kNegative | kZero : kAnySign;
    return is_partial_function(atom) && (forms.possible_signs(atom.args[0]) & outside) != 0;
  }

  void add_partial(const Factor& factor, const Scope& scope) {
    if (reads_something(*factor.atom)) {
      partial.insert(scope.bound.empty() ? factor : Factor{forms.over(scope, forms.single(factor.atom, factor.exponent)), 1});
    }
  }

  static bool reads_something(const Atom& atom) {
    return is_read(atom) || std::any_of(atom.args.begin(), atom.args.end(), [](const NormalForm& arg) {
             return std::any_of(arg.begin(), arg.end(), [](const Summand& s) {
               return std::any_of(s.factors.begin(), s.factors.end(), [](const Factor& f) { return reads_something(*f.atom); });
             });
           });
  }

  void add(AtomRef atom, const Scope& scope) {
    if (is_read(*atom)) {
      const Scope own = scope.of(*atom);
      elements.insert(own.bound.empty() ? atom : forms.over(own, forms.single(atom)));
    }
    if (is_partial(*atom)) {
      add_partial({atom, 1}, scope);
    }
    const Scope inside = scope.with(atom->bound, atom->guards);
    add(atom->guards, inside);
    for (const NormalForm& arg : atom->args) {
      add(arg, inside);
    }
  }

  void add(const std::vector<Literal>& guards, const Scope& scope) {
    for (const Literal& g : guards) {
      if (g.sign) {
        add(g.sign, scope);
      }
    }
  }
};

// NaN where one of these numbers is, and no law says more of it.
AtomRef FormBuilder::over(const Scope& scope, NormalForm value) {
  NormalForm opaque = single(make_atom(AtomKind::Function, {}, {}, {std::move(value)}, kUnseen));
  std::size_t depth = 0;
  AtomRef atom = reduction(Reduction::Max, scope.bound, scope.guards, std::move(opaque))[0].factors[0].atom;
  Atom sorted = *named_alike(atom, depth);
  auto key = [](const Literal& g) { return std::tuple(g.fact ? print_term(g.fact) : "", g.sign ? g.sign->number : 0, g.mask); };
  std::sort(sorted.guards.begin(), sorted.guards.end(), [&](const Literal& a, const Literal& b) { return key(a) < key(b); });
  sorted.guards.erase(std::unique(sorted.guards.begin(), sorted.guards.end()), sorted.guards.end());
  return intern(std::move(sorted));
}

// Choices by signs forget NaN: it is none of the signs, and goes with one of them.
bool FormBuilder::forgets_unordered(Term term) {
  return algebra_ == Algebra::Split && term.kind() == TermKind::Call &&
         (term->fn == Fn::Max || term->fn == Fn::Min || term->fn == Fn::Abs || term->fn == Fn::Sign) && !is_ordered(term);
}

// What is read, and of it what is forgotten whatever becomes of the rest.
void FormBuilder::add_read(Term term, const Scope& scope, bool forgotten, Seen& all, Seen& lost) {
  if (term.kind() == TermKind::Read || term.kind() == TermKind::RealVar) {
    if (!is_ordered(term)) {
      AtomRef atom = of(term)[0].factors[0].atom;
      all.add(atom, scope);
      if (forgotten) {
        lost.add(atom, scope);
      }
    }
    return;
  }
  forgotten = forgotten || forgets_unordered(term);
  if (term.sort() == Sort::Real && has_partial_head(term) && !is_ordered(term)) {
    add_partial(term, scope, forgotten, all, lost);
  }
  if (term.kind() == TermKind::Reduce) {
    return add_reduced(term, scope, forgotten, all, lost);
  }
  for (Term arg : term.args()) {
    if (arg.sort() != Sort::Int) {
      add_read(arg, scope, forgotten, all, lost);
    }
  }
}

void FormBuilder::add_reduced(Term reduce, const Scope& scope, bool forgotten, Seen& all, Seen& lost) {
  std::vector<Symbol> bound;
  Substitution rename;
  std::vector<Literal> where;
  for (std::size_t k = 0; k < reduce->bound.size(); ++k) {
    const Symbol name = reduce->bound[k];
    const bool again = std::find(scope.bound.begin(), scope.bound.end(), name) != scope.bound.end();
    bound.push_back(again ? fresh(name) : name);
    Term index = int_var(bound.back());
    if (again) {
      rename.emplace(name, index);
    }
    where.push_back({le(0, index), nullptr, 0});
    where.push_back({lt(index, without_remainders(reduce.arg(k + 2))), nullptr, 0});
  }
  Term guard = substitute(reduce.arg(1), rename);
  Conjunctions cases = split(guard, true);
  if (cases.size() == 1) {
    where.insert(where.end(), cases[0].begin(), cases[0].end());
  }
  const Scope inside = scope.with(bound, where);
  add_read(guard, inside, forgotten, all, lost);
  add_read(substitute(reduce.arg(0), rename), inside, forgotten, all, lost);
}

// (What a law makes total, as the root of a square, is seen wherever its argument is.)
void FormBuilder::add_partial(Term term, const Scope& scope, bool forgotten, Seen& all, Seen& lost) {
  Seen here(*this);
  auto divisor = divisor_of(term);
  here.add(of(divisor ? real_const(1) / *divisor : term), scope);
  all.partial.insert(here.partial.begin(), here.partial.end());
  if (forgotten) {
    lost.partial.insert(here.partial.begin(), here.partial.end());
  }
}

// What was there before and is no more.
static void add_lost(auto& lost, const auto& before, const auto& now) {
  std::copy_if(before.begin(), before.end(), std::inserter(lost, lost.end()),
               [&](const auto& one) { return !now.contains(one); });
}

NormalForm FormBuilder::with_unseen(NormalForm form, const Seen& before, Seen lost) {
  Seen now(*this);
  now.add(form, {});
  add_lost(lost.elements, before.elements, now.elements);
  add_lost(lost.partial, before.partial, now.partial);
  std::vector<NormalForm> args;
  for (AtomRef atom : lost.elements) {
    args.push_back(single(atom));
  }
  for (const Factor& factor : lost.partial) {
    args.push_back(single(factor.atom, factor.exponent));
  }
  return args.empty() ? form : sum(form, single(make_atom(AtomKind::Function, {}, {}, std::move(args), kUnseen)));
}

// How many summands and factors.
static std::size_t length_of(const NormalForm& form) {
  std::size_t out = form.size();
  for (const Summand& s : form) {
    out += s.factors.size();
  }
  return out;
}

// Elements that become one may cancel.
NormalForm FormBuilder::still_seen(const NormalForm& before, NormalForm now, const IntegerMap& map) {
  if (length_of(now) >= length_of(before)) {
    return now;
  }
  Seen then(*this);
  then.add(before, {});
  Seen all(*this);
  for (AtomRef atom : then.elements) {
    if (atom->kind != AtomKind::Reduction) {
      all.elements.insert(mapped(atom, map));
    }
  }
  for (const Factor& factor : then.partial) {
    if (factor.atom->kind != AtomKind::Reduction) {
      all.partial.insert({mapped(factor.atom, map), factor.exponent});
    }
  }
  return with_unseen(std::move(now), all, Seen(*this));
}

bool FormBuilder::sees_all_of(const NormalForm& form, const NormalForm& before, const std::function<bool(AtomRef)>& is_number) {
  Seen now(*this);
  now.add(form, {});
  Seen then(*this);
  then.add(before, {});
  auto is_element_seen = [&](AtomRef atom) { return now.elements.contains(atom) || is_number(atom); };
  // (Where bound indices range is said in other words once it is simplified.)
  auto is_seen = [&](const Factor& f) { return f.atom->kind == AtomKind::Reduction || now.partial.contains(f); };
  return std::all_of(then.elements.begin(), then.elements.end(), is_element_seen) &&
         std::all_of(then.partial.begin(), then.partial.end(), is_seen);
}

NormalForm FormBuilder::compared(Term scalar) {
  NormalForm form = of(scalar);
  if (algebra_ == Algebra::Exact || is_ordered(scalar)) {
    return form;
  }
  Seen all(*this);
  Seen lost(*this);
  add_read(scalar, {}, false, all, lost);
  return with_unseen(std::move(form), all, std::move(lost));
}

NormalForm FormBuilder::compared_difference(const NormalForm& a, const NormalForm& b) {
  Seen all(*this);
  all.add(a, {});
  all.add(b, {});
  return with_unseen(sum(a, scaled(-1, b)), all, Seen(*this));
}

}  // namespace vouch
