// Normal forms as scalar terms again, for evaluators that know nothing of forms.
#pragma once

#include <stdexcept>

#include "algebra/normal_form.h"
#include "term/print.h"

namespace vouch {

// `most` is larger than every bound index of the form.
class TermOfForm {
 public:
  explicit TermOfForm(std::int64_t most) : most_(most) {}

  Term of(const NormalForm& form) {
    Term out = real_const(0);
    for (const Summand& s : form) {
      out = out + of(s);
    }
    return out;
  }

 private:
  Term of(const Summand& s) {
    Term body = real_const(s.coefficient);
    for (const Factor& f : s.factors) {
      for (int k = 0; k < std::abs(f.exponent); ++k) {
        body = f.exponent > 0 ? body * of(*f.atom) : body / of(*f.atom);
      }
    }
    return s.bound.empty() ? select(of(s.guards), body, real_const(0)) : over(Reduction::Sum, s.bound, s.guards, body);
  }

  Term over(Reduction reduction, const std::vector<Symbol>& bound, const std::vector<Literal>& guards, Term body) {
    std::vector<BoundIndex> indices;
    for (Symbol b : bound) {
      indices.push_back({b, Term(most_)});
    }
    return reduce(reduction, indices, of(guards), body);
  }

  Term of(const Atom& atom) {
    switch (atom.kind) {
      case AtomKind::Read: return read(atom.symbol, atom.indices);
      case AtomKind::RealVar: return real_var(atom.symbol);
      case AtomKind::Whole: return real_of(atom.indices[0]);
      case AtomKind::Group: return of(atom.args[0]);
      case AtomKind::Reduction: return over(atom.reduction, atom.bound, atom.guards, of(atom.args[0]));
      case AtomKind::Function: return function(atom);
      case AtomKind::Sign: break;
    }
    throw std::logic_error("a sign is no value");
  }

  Term function(const Atom& atom) {
    std::vector<Term> args;
    for (const NormalForm& arg : atom.args) {
      args.push_back(of(arg));
    }
    if (args.size() == 2 && atom.name == "add") {
      return args[0] + args[1];
    }
    if (args.size() == 2 && atom.name == "sub") {
      return args[0] - args[1];
    }
    if (args.size() == 2 && atom.name == "mul") {
      return args[0] * args[1];
    }
    if (args.size() == 1 && atom.name == "neg") {
      return -args[0];
    }
    if (is_unseen(atom)) {
      return real_const(0);  // of numbers, which is all that is tried
    }
    for (int k = 0; k < kFnCount; ++k) {
      Fn fn = static_cast<Fn>(k);
      if (fn_name(fn) == atom.name) {
        Term out = args[0];
        for (std::size_t at = 1; at < args.size(); ++at) {  // extrema of several
          out = call(fn, {out, args[at]});
        }
        return args.size() == 1 ? call(fn, args) : out;
      }
    }
    throw std::logic_error("no function is called " + atom.name);
  }

  Term of(const std::vector<Literal>& guards) {
    Term all = bool_const(true);
    for (const Literal& g : guards) {
      all = both(all, g.sign ? sign(*g.sign, g.mask) : g.fact);
    }
    return all;
  }

  Term sign(const Atom& atom, unsigned mask) {
    Term value = of(atom.args[0]);
    Term other = atom.args.size() > 1 ? of(atom.args[1]) : real_const(0);
    Term any = bool_const(false);
    any = (mask & kNegative) != 0 ? either(any, real_lt(value, other)) : any;
    any = (mask & kZero) != 0 ? either(any, real_eq(value, other)) : any;
    return (mask & kPositive) != 0 ? either(any, real_lt(other, value)) : any;  // exact numbers are never unordered
  }

  std::int64_t most_;
};

}  // namespace vouch
