// Scalar terms into normal form.
#include <algorithm>

#include "algebra/normal_form.h"
#include "algebra/partial.h"
#include "algebra/store_terms.h"
#include "support/fault.h"
#include "term/infinity.h"
#include "term/print.h"
#include "term/uninterpreted.h"

namespace vouch {

NormalForm FormBuilder::opaque(const std::string& name, Term term, bool commutative) {
  std::vector<NormalForm> args;
  for (Term arg : term.args()) {
    args.push_back(of(arg));
  }
  if (commutative) {
    AtomRef a = make_atom(AtomKind::Group, {}, {}, {args[0]});
    AtomRef b = make_atom(AtomKind::Group, {}, {}, {args[1]});
    if (a->number > b->number) {
      std::swap(args[0], args[1]);
    }
  }
  return function(name, std::move(args));
}

// A change of sign loses nothing, but that of 0 is another zero: in the exact algebra only what is read or computed changes sign.
NormalForm FormBuilder::negated(const NormalForm& form) {
  return algebra_ == Algebra::Exact ? function("neg", {form}) : scaled(-1, form);
}

// Neither NaN nor infinite, whatever is read. (Sums and products of integers may have been computed in floats, and overflow.)
bool FormBuilder::is_ordered(Term term) {
  if (auto found = ordered_.find(term); found != ordered_.end()) {
    return found->second;
  }
  auto all = [&](std::size_t from) {
    return std::all_of(term.args().begin() + static_cast<std::ptrdiff_t>(from), term.args().end(),
                       [&](Term arg) { return is_ordered(arg); });
  };
  bool out = false;
  switch (term.kind()) {
    case TermKind::RealConst:
    case TermKind::RealOf: out = true; break;
    case TermKind::Read: {
      auto found = types_.find(term->symbol);
      out = found != types_.end() && !is_float(found->second);
      break;
    }
    case TermKind::RealNeg: out = all(0); break;
    case TermKind::Select: out = all(1); break;
    case TermKind::Reduce:
      out = (term->reduction == Reduction::Max || term->reduction == Reduction::Min) && !infinite_sign(term) &&
            is_ordered(term.arg(0));
      break;
    case TermKind::Call: {
      bool keeps = term->fn == Fn::Max || term->fn == Fn::Min || term->fn == Fn::Abs || term->fn == Fn::Sign ||
                   term->fn == Fn::Trunc || term->fn == Fn::TruncDiv || term->fn == Fn::Mod || term->fn == Fn::Fmod;
      out = keeps && all(0);
      break;
    }
    default: break;
  }
  ordered_.emplace(term, out);
  return out;
}

NormalForm FormBuilder::of(Term term) {
  if (auto found = converted_.find(term); found != converted_.end()) {
    return found->second;
  }
  bool exact = algebra_ == Algebra::Exact;
  NormalForm out;
  switch (term.kind()) {
    case TermKind::RealConst: out = number(term->value); break;
    case TermKind::RealVar: out = single(make_atom(AtomKind::RealVar, term->symbol, {}, {})); break;
    case TermKind::RealOf: out = integer(term.arg(0)); break;
    case TermKind::Read: {
      std::vector<Term> indices;
      for (Term index : term.args()) {
        indices.push_back(without_remainders(index));
      }
      out = single(make_atom(AtomKind::Read, term->symbol, std::move(indices), {}));
      // Truth values as choices, where choices are what is reasoned about.
      if (algebra_ == Algebra::Split && is_truth(term->symbol)) {
        out = guarded(split_sign(out, kPositive)[0], number(1));
      }
      break;
    }
    case TermKind::RealAdd: out = exact ? opaque("add", term, true) : sum(of(term.arg(0)), of(term.arg(1))); break;
    case TermKind::RealSub: out = exact ? opaque("sub", term, false) : sum(of(term.arg(0)), scaled(-1, of(term.arg(1)))); break;
    case TermKind::RealMul: out = exact ? opaque("mul", term, true) : product(of(term.arg(0)), of(term.arg(1))); break;
    case TermKind::RealDiv:
      out = exact ? opaque("div", term, false) : product(of(term.arg(0)), reciprocal(of(term.arg(1))));
      break;
    case TermKind::RealNeg: out = negated(of(term.arg(0))); break;
    case TermKind::Call: out = of_call(term); break;
    case TermKind::Select: {
      NormalForm then = of(term.arg(1));
      NormalForm otherwise = of(term.arg(2));
      if (!then.empty()) {
        for (const auto& guards : split(term.arg(0), true)) {
          out = sum(out, guarded(guards, then));
        }
      }
      if (!otherwise.empty()) {
        for (const auto& guards : split(term.arg(0), false)) {
          out = sum(out, guarded(guards, otherwise));
        }
      }
      break;
    }
    case TermKind::Reduce: out = of_reduce(term); break;
    default: fault("a scalar term is expected: " + print_term(term));
  }
  converted_.emplace(term, out);
  return out;
}

// max(a, b) = [a > b] a + [a <= b] b; min likewise.
NormalForm FormBuilder::extremum(Fn fn, const NormalForm& a, const NormalForm& b, bool ordered) {
  // Where both are equal either will do: the side is chosen by the difference alone, so that one comparison is split alike
  // in whatever order, and by whichever of the two functions, it is made.
  NormalForm difference = sum(a, scaled(-1, b));
  unsigned first = fn == Fn::Max ? kPositive : kNegative;
  NormalForm out;
  for (const auto& guards : split_sign(difference, first | kTie, ordered)) {
    out = sum(out, guarded(guards, a));
  }
  for (const auto& guards : split_sign(difference, (kPositive + kNegative - first) | kTie, ordered)) {
    out = sum(out, guarded(guards, b));
  }
  return out;
}

// Associative, commutative, idempotent: one function of the set of operands.
NormalForm FormBuilder::largest(const std::string& name, const std::vector<NormalForm>& operands) {
  std::vector<NormalForm> args;
  for (const NormalForm& form : operands) {
    if (is_one_atom(form, AtomKind::Function) && form[0].factors[0].atom->name == name) {
      const std::vector<NormalForm>& inner = form[0].factors[0].atom->args;
      args.insert(args.end(), inner.begin(), inner.end());
    } else {
      args.push_back(form);
    }
  }
  auto group = [&](const NormalForm& form) { return make_atom(AtomKind::Group, {}, {}, {form})->number; };
  std::sort(args.begin(), args.end(), [&](const NormalForm& x, const NormalForm& y) { return group(x) < group(y); });
  args.erase(
      std::unique(args.begin(), args.end(), [&](const NormalForm& x, const NormalForm& y) { return group(x) == group(y); }),
      args.end());
  drop_surpassed(name == fn_name(Fn::Max), args);
  if (auto rounded = rounded_last(name, args)) {
    return *rounded;
  }
  if (auto last = applied_last(name, args)) {
    return *last;
  }
  return args.size() == 1 ? args[0] : function(name, std::move(args));
}

// Is the form an element that was read of a tensor of this type?
bool FormBuilder::is_element(const NormalForm& form, DType dtype) const {
  bool read = is_one_atom(form, AtomKind::Read);
  auto found = read ? types_.find(form[0].factors[0].atom->symbol) : types_.end();
  return found != types_.end() && found->second == dtype;
}

NormalForm FormBuilder::of_call(Term term) {
  bool split_it = algebra_ == Algebra::Split;
  Fn fn = term->fn;
  std::string name = uninterpreted_number(fn) ? store_text(fn) : std::string(fn_name(fn));
  if (fn == Fn::Max || fn == Fn::Min) {
    for (std::size_t k : {0, 1}) {  // the larger of minus infinity and another is the other, NaN and signs of zero included
      if (infinite_sign(term.arg(k)) == (fn == Fn::Min)) {
        return of(term.arg(1 - k));
      }
    }
    NormalForm a = of(term.arg(0));
    NormalForm b = of(term.arg(1));
    if (split_it) {
      return extremum(fn, a, b, is_ordered(term.arg(0)) && is_ordered(term.arg(1)));
    }
    return largest(name, {a, b});
  }
  // (A number that becomes an integer loses its fraction: what is a little less than one over floats is one less.)
  if (is_conversion(fn) && is_float8(converted_type(fn)) && is_element(of(term.arg(0)), converted_type(fn))) {
    return of(term.arg(0));
  }
  if (split_it && (fn == Fn::Abs || fn == Fn::Sign)) {
    NormalForm a = of(term.arg(0));
    NormalForm out;
    bool ordered = is_ordered(term.arg(0));
    unsigned tie = fn == Fn::Abs ? kTie : 0U;  // either choice is right at 0
    for (const auto& guards : split_sign(a, kPositive | tie, ordered)) {
      out = sum(out, guarded(guards, fn == Fn::Abs ? a : number(1)));
    }
    for (const auto& guards : split_sign(a, kNegative | tie, ordered)) {
      out = sum(out, guarded(guards, fn == Fn::Abs ? scaled(-1, a) : number(-1)));
    }
    return out;
  }
  if (auto root = power_by_roots(term); root && algebra_ != Algebra::Exact) {
    return of(*root);
  }
  if (fn == Fn::Pow && algebra_ != Algebra::Exact && term.arg(1).kind() == TermKind::RealConst) {
    const Rational& e = term.arg(1)->value;
    if (is_integral(e) && e >= 0 && e <= 16) {
      return power(of(term.arg(0)), static_cast<int>(numerator(e)));
    }
  }
  if (auto remainder = of_remainder(term)) {
    return *remainder;
  }
  // The remainder of an integer term by a whole number from 1 on is one of integer terms.
  if (fn == Fn::Mod && term.arg(0).kind() == TermKind::RealOf && term.arg(1).kind() == TermKind::RealConst &&
      is_integral(term.arg(1)->value) && term.arg(1)->value >= 1) {
    return of(real_of(floor_mod(term.arg(0).arg(0), int_const(numerator(term.arg(1)->value)))));
  }
  if (fn == Fn::TruncDiv && term.arg(1).kind() == TermKind::RealConst && abs(term.arg(1)->value) == 1) {
    return scaled(term.arg(1)->value, of(term.arg(0)));
  }
  if (auto quotient = algebra_ == Algebra::Exact ? std::nullopt : of_quotient(term)) {
    return *quotient;
  }
  return opaque(name, term, false);
}

namespace {

// What a remainder is taken by, if the term is one by a number other than 0.
std::optional<Rational> divisor_of_remainder(Term term) {
  bool remainder = term.kind() == TermKind::Call && (term->fn == Fn::Mod || term->fn == Fn::Fmod) &&
                   term.arg(1).kind() == TermKind::RealConst && term.arg(1)->value != 0;
  return remainder ? std::optional<Rational>(term.arg(1)->value) : std::nullopt;
}

}  // namespace

// Of a remainder: the remainder by the same divisor is that one, by a divisor of its divisor that of the dividend, and the
// quotient by what is no less than its divisor is 0. Bit for bit: the remainder has the sign of the dividend, or of the divisor,
// each time.
std::optional<NormalForm> FormBuilder::of_remainder(Term term) {
  Term inner = term.arg(0);
  bool again = (term->fn == Fn::Mod || term->fn == Fn::Fmod) && inner.kind() == TermKind::Call && inner->fn == term->fn;
  if (again && inner.arg(1) == term.arg(1)) {
    return of(inner);
  }
  auto before = inner.sort() == Sort::Real ? divisor_of_remainder(inner) : std::nullopt;
  auto by = before && again ? divisor_of_remainder(term) : std::nullopt;
  if (by && is_integral(*before / *by)) {
    return of(call(term->fn, {inner.arg(0), term.arg(1)}));
  }
  bool nothing =
      before && term->fn == Fn::TruncDiv && term.arg(1).kind() == TermKind::RealConst && abs(term.arg(1)->value) >= abs(*before);
  return nothing ? std::optional(NormalForm{}) : std::nullopt;
}

// Quotients of whole numbers and remainders by how they round: a rem b is a - b * rounded(a / b).
std::optional<NormalForm> FormBuilder::of_quotient(Term term) {
  if (term->fn != Fn::TruncDiv && term->fn != Fn::Mod && term->fn != Fn::Fmod) {
    return std::nullopt;
  }
  NormalForm a = of(term.arg(0));
  NormalForm b = of(term.arg(1));
  NormalForm rounded = function(term->fn == Fn::Mod ? "floor" : "trunc", {product(a, reciprocal(b))});
  return term->fn == Fn::TruncDiv ? rounded : sum(a, scaled(-1, product(b, rounded)));
}

NormalForm FormBuilder::of_reduce(Term term) {
  Substitution rename;
  std::vector<Symbol> bound;
  std::vector<Literal> box;
  for (std::size_t k = 0; k < term->bound.size(); ++k) {
    bound.push_back(fresh(term->bound[k]));
    rename.emplace(term->bound[k], int_var(bound[k]));
    Term extent = without_remainders(term.arg(k + 2));
    for (Term fact : {le(0, int_var(bound[k])), lt(int_var(bound[k]), extent)}) {
      box.push_back({fact, nullptr, 0});
    }
  }
  NormalForm body = of(substitute(term.arg(0), rename));
  NormalForm out;
  std::vector<std::vector<Literal>> choices = split(substitute(term.arg(1), rename), true);
  if (term->reduction == Reduction::Sum && algebra_ != Algebra::Exact) {
    for (const auto& guards : choices) {
      std::vector<Literal> all = box;
      all.insert(all.end(), guards.begin(), guards.end());
      for (Summand s : guarded(all, body)) {
        s.bound.insert(s.bound.begin(), bound.begin(), bound.end());
        out.push_back(std::move(s));
      }
    }
    return merged(out);
  }
  if (choices.size() != 1) {
    // A guard with several cases: the guard itself picks what counts, by an opaque choice inside.
    std::vector<NormalForm> parts;
    for (const auto& guards : choices) {
      parts.push_back(guarded(guards, body));
    }
    return function("unsplit " + std::string(reduction_name(term->reduction)) + print_term(term.arg(1)), std::move(parts));
  }
  std::vector<Literal> all = box;
  all.insert(all.end(), choices[0].begin(), choices[0].end());
  return reduction(term->reduction, std::move(bound), std::move(all), std::move(body));
}

}  // namespace vouch
