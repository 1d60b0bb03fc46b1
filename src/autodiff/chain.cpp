#include "autodiff/chain.h"

#include <fmt/format.h>

#include <algorithm>

#include "autodiff/stable_product.h"
#include "notation/tk_meaning.h"
#include "term/print.h"

namespace vouch {
namespace {

Term number(std::int64_t value) { return real_const(Rational(value)); }

// d fn(args) / d args[k], but of max and min; of abs at 0 it is 0. Null if not supported.
Term derivative(Term application, std::size_t k) {
  Term x = application.arg(0);
  Term y = application.args().size() > 1 ? application.arg(1) : Term();
  switch (application->fn) {
    case Fn::Exp: return application;
    case Fn::Log: return number(1) / x;
    case Fn::Sqrt: return number(1) / (number(2) * application);
    case Fn::Tanh: return number(1) - application * application;
    case Fn::Erf:  // 2 / sqrt(pi) * exp(-x*x), with pi = 4 atan(1)
      return call(Fn::Exp, {-(x * x)}) / call(Fn::Sqrt, {call(Fn::Atan, {number(1)})});
    case Fn::Abs: return call(Fn::Sign, {x});
    case Fn::Sin: return call(Fn::Cos, {x});
    case Fn::Cos: return -call(Fn::Sin, {x});
    case Fn::Tan: return number(1) + application * application;
    case Fn::Sinh: return call(Fn::Cosh, {x});
    case Fn::Cosh: return call(Fn::Sinh, {x});
    case Fn::Atan: return number(1) / (number(1) + x * x);
    case Fn::Pow: return k == 0 ? y * call(Fn::Pow, {x, y - number(1)}) : application * call(Fn::Log, {x});
    case Fn::Sign:
    case Fn::Floor:
    case Fn::Ceil:
    case Fn::Round:
    case Fn::Trunc: return number(0);
    case Fn::Max:
    case Fn::Min:
    case Fn::Asin:
    case Fn::Acos:
    case Fn::Asinh:
    case Fn::Acosh:
    case Fn::Atanh:
    case Fn::Mod:
    case Fn::Fmod:
    case Fn::TruncDiv: break;
  }
  return {};
}

class Chain {
 public:
  Chain(const TkKernel& kernel, Symbol tensor, Ties ties, Symbol position, Diagnostics& diagnostics)
      : kernel_(kernel), tensor_(tensor), ties_(ties), position_(position), diagnostics_(diagnostics) {}

  std::vector<OccurrenceTerm> found;

  void visit(Term term, Term seed, Term guard) {
    if (is_const(seed) && seed->value == 0) {
      return;
    }
    switch (term.kind()) {
      case TermKind::RealAdd:
      case TermKind::RealSub:
        visit(term.arg(0), seed, guard);
        visit(term.arg(1), term.kind() == TermKind::RealSub ? -seed : seed, guard);
        return;
      case TermKind::RealMul:
        visit(term.arg(0), tidy_product(seed, term.arg(1)), guard);
        visit(term.arg(1), tidy_product(seed, term.arg(0)), guard);
        return;
      case TermKind::RealDiv:
        visit(term.arg(0), seed / term.arg(1), guard);
        visit(term.arg(1), -(tidy_product(seed, term.arg(0)) / (term.arg(1) * term.arg(1))), guard);
        return;
      case TermKind::RealNeg: visit(term.arg(0), -seed, guard); return;
      case TermKind::Call: visit_call(term, seed, guard); return;
      case TermKind::Select:
        if (auto gathered = gathered_read(kernel_, term)) {
          visit_read(*gathered, seed, guard);
          return;
        }
        visit(term.arg(1), seed, both(guard, term.arg(0)));
        visit(term.arg(2), seed, both(guard, opposite(term.arg(0))));
        return;
      case TermKind::Read: visit_read(term, seed, guard); return;
      default: return;  // constants and indices
    }
  }

 private:
  void visit_read(Term term, Term seed, Term guard) {
    if (term->symbol != tensor_) {
      return;
    }
    StableProduct partial = stable_product(seed);
    Term whole = is_true(chosen_) ? partial.term : select(chosen_, partial.term, number(0));
    bool by_ties = !is_true(chosen_) && ties_ != Ties::First;
    found.push_back({term, guard, whole, position_in(term), by_ties, partial.divides_numbers});
  }

  std::optional<ChosenPosition> position_in(Term element) const {
    for (std::size_t a = 0; a < element.args().size(); ++a) {
      if (element.arg(a).kind() == TermKind::IntOf) {
        Term is_chosen = real_eq(element.arg(a).arg(0), real_of(int_var(position_)));
        return ChosenPosition{{position_, Term(0), kernel_.tensor(tensor_).shape[a]}, a, is_chosen};
      }
    }
    return std::nullopt;
  }

  void visit_call(Term term, Term seed, Term guard) {
    for (std::size_t k = 0; k < term.args().size(); ++k) {
      std::vector<Symbol> read = tensors_read(term.arg(k));
      if (std::find(read.begin(), read.end(), tensor_) == read.end()) {
        continue;
      }
      if (term->fn == Fn::Max || term->fn == Fn::Min) {
        visit_extremum(term, k, seed, guard);
        continue;
      }
      Term slope = derivative(term, k);
      if (slope) {
        visit(term.arg(k), tidy_product(seed, slope), guard);
      } else {
        diagnostics_.error_at("gradient", fmt::format("no derivative of '{}' by '{}'", fn_name(term->fn), tensor_.name()));
      }
    }
  }

  // The choice stands around the whole product, whose other factors may overflow where the argument is not chosen.
  void visit_extremum(Term term, std::size_t k, Term seed, Term guard) {
    Term mine = term.arg(k);
    Term other = term.arg(1 - k);
    bool ties_count = ties_ == Ties::Half || (ties_ == Ties::First) == (k == 0);
    Term low = term->fn == Fn::Max ? other : mine;
    Term high = term->fn == Fn::Max ? mine : other;
    Term before = chosen_;
    chosen_ = both(chosen_, ties_count ? real_le(low, high) : real_lt(low, high));
    Term share = ties_ == Ties::Half ? select(real_eq(low, high), real_const(Rational(1) / 2), number(1)) : number(1);
    visit(mine, tidy_product(seed, share), guard);
    chosen_ = before;
  }

  const TkKernel& kernel_;
  Symbol tensor_;
  Ties ties_;
  Symbol position_;
  Diagnostics& diagnostics_;
  Term chosen_ = bool_const(true);  // the arguments of max and min around
};

}  // namespace

Term tidy_product(Term a, Term b) {
  bool a_const = a.kind() == TermKind::RealConst;
  bool b_const = b.kind() == TermKind::RealConst;
  if ((a_const && a->value == 0) || (b_const && b->value == 1)) {
    return a;
  }
  if ((b_const && b->value == 0) || (a_const && a->value == 1)) {
    return b;
  }
  return a * b;
}

std::optional<std::vector<OccurrenceTerm>> occurrences(const TkKernel& kernel, Term body, Symbol tensor, Term seed, Ties ties,
                                                       Symbol position, Diagnostics& diagnostics) {
  Chain chain(kernel, tensor, ties, position, diagnostics);
  chain.visit(body, seed, bool_const(true));
  return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(chain.found));
}

}  // namespace vouch
