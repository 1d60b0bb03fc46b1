#include "autodiff/chain.h"

#include <fmt/format.h>

#include <algorithm>

#include "term/print.h"

namespace vouch {
namespace {

Term number(std::int64_t value) { return real_const(Rational(value)); }

Term choose(Term guard) { return select(guard, number(1), number(0)); }

// d fn(args) / d args[k]; at ties of max, min and at 0 of abs the left argument (or 0) is taken. Null if not supported.
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
    case Fn::Max: return k == 0 ? choose(real_le(y, x)) : choose(real_lt(x, y));
    case Fn::Min: return k == 0 ? choose(real_le(x, y)) : choose(real_lt(y, x));
    case Fn::Pow: return k == 0 ? y * call(Fn::Pow, {x, y - number(1)}) : application * call(Fn::Log, {x});
    case Fn::Sign:
    case Fn::Floor:
    case Fn::Ceil:
    case Fn::Round:
    case Fn::Trunc: return number(0);
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
  Chain(Symbol tensor, Diagnostics& diagnostics) : tensor_(tensor), diagnostics_(diagnostics) {}

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
        visit(term.arg(1), seed, both(guard, term.arg(0)));
        visit(term.arg(2), seed, both(guard, negate(term.arg(0))));
        return;
      case TermKind::Read:
        if (term->symbol == tensor_) {
          found.push_back({term, guard, seed});
        }
        return;
      default: return;  // constants and indices
    }
  }

 private:
  void visit_call(Term term, Term seed, Term guard) {
    for (std::size_t k = 0; k < term.args().size(); ++k) {
      std::vector<Symbol> read = tensors_read(term.arg(k));
      if (std::find(read.begin(), read.end(), tensor_) == read.end()) {
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

  Symbol tensor_;
  Diagnostics& diagnostics_;
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

std::optional<std::vector<OccurrenceTerm>> occurrences(Term body, Symbol tensor, Term seed, Diagnostics& diagnostics) {
  Chain chain(tensor, diagnostics);
  chain.visit(body, seed, bool_const(true));
  return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(chain.found));
}

}  // namespace vouch
