// Terms as Coq text, over the library `coq/tensor`.
//
// Integer terms are in Z, tensors functions from their indices, to `bool` where they hold truth values. Guards are boolean inside
// terms and propositions as hypotheses. Scalars are of either kind:
// - real numbers. What the standard library does not define (the error function, rounding) stands as a function that the
//   theorem holds for whatever it is; the maximum and minimum of nothing are such numbers.
// - elements of any type `scalar`. Every operation is a parameter: the theorem holds whatever it is, for IEEE 754's floats as for
//   integers that wrap around. So are comparisons, what a number of the rule is, what a store makes of a value, and what a list
//   of values adds up to, in whichever order.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "tensor/dtype.h"
#include "term/term.h"

namespace vouch {

// Different symbols have different identifiers, none of which means anything else to Coq here.
class CoqNames {
 public:
  const std::string& of(Symbol symbol);               // an integer or a scalar
  const std::string& of_tensor(Symbol symbol);        // a function from its indices
  const std::string& of_whole_tensor(Symbol symbol);  // what kernels read of it
  // An identifier that nothing else has.
  std::string fresh(const std::string& like);

 private:
  std::map<Symbol, std::string> names_;
  std::map<Symbol, std::string> tensors_;
  std::map<Symbol, std::string> whole_tensors_;
  std::set<std::string> taken_;
};

// How bound indices are written where that is not by their own name.
using CoqEnvironment = std::unordered_map<Symbol, std::string>;

enum class CoqScalars : std::uint8_t { Any, Reals };

struct CoqParameter {
  std::string type;
  std::string of_kernels;  // what index kernels over scalars `K` have for it: `(Semantics.op2 K Syntax.Add)`, or nothing
  std::string decided_by;  // a comparison: the operation that gives 1 where it holds, else 0
};

class CoqPrinter {
 public:
  // With the tensors of truth values: functions to `bool`, read as 0 and 1.
  CoqPrinter(CoqNames& names, std::set<Symbol> truths, CoqScalars scalars)
      : names_(names), truths_(std::move(truths)), scalars_(scalars) {}

  CoqScalars scalars() const { return scalars_; }
  // `R`
  const char* scalar_type() const { return scalars_ == CoqScalars::Reals ? "R" : "scalar"; }

  std::string integer(Term term, const CoqEnvironment& env);
  std::string guard(Term term, const CoqEnvironment& env);        // of type bool
  std::string proposition(Term term, const CoqEnvironment& env);  // of type Prop
  std::string scalar(Term term, const CoqEnvironment& env);
  // The values of which an extremum is taken, as a list.
  std::string values(Term term, const CoqEnvironment& env);
  // Parameters that the theorem needs for what was printed: `(erf : R -> R)`.
  const std::map<std::string, CoqParameter>& parameters() const { return parameters_; }
  // Is it a tensor of truth values?
  bool is_truth(Symbol tensor) const { return truths_.contains(tensor); }
  // One of its elements, of type bool.
  std::string truth(Term read, const CoqEnvironment& env) { return element(read, env); }
  // What a function is called: `exp`.
  std::string function(Fn fn);
  // A conversion is this operation of kernels; false: it is another one already, of another type's elements.
  bool converts(Fn conversion, const std::string& of_kernels);
  // What an operation is called: `Rplus`.
  std::string operation(TermKind kind);
  // What is made of a list of values: `maximum the_least`.
  std::string reduction(Reduction reduction);
  // What stands for an extremum of nothing.
  std::string of_nothing(Reduction reduction);

 private:
  std::string name(Symbol symbol, const CoqEnvironment& env);
  std::string joined(Term term, const char* separator, std::string (CoqPrinter::*part)(Term, const CoqEnvironment&),
                     const CoqEnvironment& env);
  std::string element(Term read, const CoqEnvironment& env);
  std::string call(Term term, const CoqEnvironment& env);
  std::string reduce(Term term, const CoqEnvironment& env);
  std::string real(Term term, const CoqEnvironment& env);
  std::string any(Term term, const CoqEnvironment& env);  // coq_any.cpp
  std::string any_number(const Rational& value);
  std::string function_of_kernels(Fn fn) const;
  std::string applied(const std::string& function, Term term, const CoqEnvironment& env);
  std::string parameter(const std::string& name, CoqParameter parameter);
  std::string sum(Term term, const CoqEnvironment& env);
  std::string choice(Term term, std::string (CoqPrinter::*part)(Term, const CoqEnvironment&), const CoqEnvironment& env);

  CoqNames& names_;
  std::set<Symbol> truths_;
  CoqScalars scalars_;
  std::map<std::string, CoqParameter> parameters_;
};

// What an index kernel has for the function, a constructor of coq/array/Syntax.v; empty: it has none. Scalars that are integers
// divide as integers do, real numbers do not.
std::string kernel_operation(Fn fn, CoqScalars scalars);
// How kernels join values, a constructor of coq/index/Reductions.v; sums are statements.
const char* kernel_reduction(Reduction reduction);
// `(Syntax.Cast Syntax.F32 Syntax.I8)`; empty: kernels hold no elements of one of the types.
std::string kernel_conversion(DType from, DType to);
// `sign`; of a store or a conversion what it does.
std::string called(Fn fn);

// x ^ n for a constant n: the exponent, else nothing.
std::optional<int> small_power(Term call);

}  // namespace vouch
