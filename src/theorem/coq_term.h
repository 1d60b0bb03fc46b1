// Terms as Coq text, over the library `coq/tensor`.
//
// Integer terms are in Z, scalars in R, tensors functions from their indices, to `bool` where they hold truth values. Guards are
// boolean inside terms and propositions as hypotheses. What the standard library does not define (the error function, rounding)
// stands as a function that the theorem holds for whatever it is; the maximum and minimum of nothing are such numbers.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "term/term.h"

namespace vouch {

// Different symbols have different identifiers, none of which means anything else to Coq here.
class CoqNames {
 public:
  const std::string& of(Symbol symbol);  // an integer or a scalar
  const std::string& of_tensor(Symbol symbol);
  // An identifier that nothing else has.
  std::string fresh(const std::string& like);

 private:
  std::map<Symbol, std::string> names_;
  std::map<Symbol, std::string> tensors_;
  std::set<std::string> taken_;
};

// How bound indices are written where that is not by their own name.
using CoqEnvironment = std::unordered_map<Symbol, std::string>;

class CoqPrinter {
 public:
  // With the tensors of truth values: functions to `bool`, read as 0 and 1.
  CoqPrinter(CoqNames& names, std::set<Symbol> truths) : names_(names), truths_(std::move(truths)) {}

  std::string integer(Term term, const CoqEnvironment& env);
  std::string guard(Term term, const CoqEnvironment& env);        // of type bool
  std::string proposition(Term term, const CoqEnvironment& env);  // of type Prop
  std::string scalar(Term term, const CoqEnvironment& env);
  // The values of which an extremum is taken, as a list.
  std::string values(Term term, const CoqEnvironment& env);
  // Parameters that the theorem needs for what was printed: `(erf : R -> R)`.
  const std::map<std::string, std::string>& parameters() const { return parameters_; }
  // What a function is called: `exp`.
  std::string function(Fn fn);
  // What stands for an extremum of nothing.
  std::string of_nothing(Reduction reduction);

 private:
  std::string name(Symbol symbol, const CoqEnvironment& env);
  std::string joined(Term term, const char* separator, std::string (CoqPrinter::*part)(Term, const CoqEnvironment&),
                     const CoqEnvironment& env);
  std::string call(Term term, const CoqEnvironment& env);
  std::string reduce(Term term, const CoqEnvironment& env);
  std::string sum(Term term, const CoqEnvironment& env);
  std::string choice(Term term, std::string (CoqPrinter::*part)(Term, const CoqEnvironment&), const CoqEnvironment& env);

  CoqNames& names_;
  std::set<Symbol> truths_;
  std::map<std::string, std::string> parameters_;
};

// `maximum`
std::string reduction_word(Reduction reduction);
// x ^ n for a constant n: the exponent, else nothing.
std::optional<int> small_power(Term call);

}  // namespace vouch
