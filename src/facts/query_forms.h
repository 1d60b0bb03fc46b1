// Questions to the solver up to the names of their unknowns: two with one form have one answer, and a model of one is, renamed, a
// model of the other. Instances of a rule, and rules, differ in little else.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "facts/lemmas.h"

namespace vouch {

class QueryForms {
 public:
  // A form is compared as it stands, not by a hash of it.
  using Form = std::vector<std::uint32_t>;

  // Reads these facts as the solver does (linear_solver.h): what is opaque to it is one unknown.
  const Form& form_of(const Facts& facts);
  // Of the facts that were read last: the unknowns that are variables, by their place in the form.
  struct Variable {
    Term name;
    std::uint32_t place = 0;
  };
  std::vector<Variable> variables() const;
  // Where a variable stands among the unknowns; the number of all if it is none of them.
  std::uint32_t place_of(Term variable) const;

 private:
  // What stands for a name in the text of a fact: a term that is opaque, or a tensor (a function of so many indices).
  using Unknown = const void*;
  struct Fact {
    std::uint32_t text = 0;  // unknowns as numbers in the order in which they come
    std::vector<Unknown> unknowns;
    std::vector<Term> terms;  // of each; a tensor has none
  };

  const Fact& read(Term fact);
  static void write_guard(Term term, Fact& fact, std::string& text);
  static void write_integer(Term term, Fact& fact, std::string& text);
  static void write_atom(Term term, Fact& fact, std::string& text);
  static void write_unknown(Unknown unknown, Term term, Fact& fact, std::string& text);

  std::unordered_map<Term, Fact> facts_;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::unordered_map<Unknown, std::uint32_t> places_;  // of the last question
  std::vector<Term> terms_;                            // by place
  Form form_;
};

}  // namespace vouch
