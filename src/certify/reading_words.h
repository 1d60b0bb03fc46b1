// Names and index arithmetic in readable statements: Coq texts over natural numbers.
#pragma once

#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "array/size.h"

namespace vouch::array {

// The same twice: as people read it, and as a term of coq/array/Syntax.v or coq/certify/Statement.v that computes to it.
struct Written {
  std::string text;
  std::string data;
};

class ReadingWords {
 public:
  explicit ReadingWords(const std::vector<std::string>& sizes);

  // A name for what the program calls `name`, usable in Coq and different from all others.
  std::string rename(const std::string& name);
  const std::vector<std::string>& sizes() const { return sizes_; }

  // A size as a text, as written; `size_factor` is in parentheses where a product needs them.
  std::string size(const Size& size) const;
  std::string size_factor(const Size& size) const;
  // A size as an index term over its renamed variables.
  std::string part(const array::SizeNode& size) const;
  Term part_index(const array::SizeNode& size) const;
  Term size_index(const Size& size) const;
  static Written size_written(const std::string& text, const Size& size);
  // An index term as an argument (`argument`: in parentheses unless it is one word) or in a sum.
  Written index(Term term, bool argument) const;

  // The quotient or the remainder; of a difference, or of another quotient, as a name of its own, since terms would bring those
  // into a form that natural numbers do not have.
  Term divided(Term a, Term b, bool quotient) const;

  // New names of bound variables, until `leave` gives back the last one. `level`: what number the index variable has.
  std::string enter_index(std::size_t level);
  std::string enter_scalar() { return enter({"s", "t", "u"}, "v"); }
  std::string enter_value() { return enter({}, "v"); }
  void leave();

 private:
  Written index_word(Term atom) const;
  Term with_remainders(Term term) const;
  std::string enter(const std::vector<std::string>& liked, const std::string& stem);
  bool is_used(const std::string& name) const { return used_.count(name) != 0; }

  struct Entered {
    std::string name;
    std::string stem;
    int first;  // the least number of this stem that was not known to be used
  };

  std::vector<std::string> sizes_;
  std::unordered_set<std::string> used_;
  std::vector<Entered> entered_;                     // innermost last
  std::map<std::string, int> first_free_;            // of each stem: lesser numbers are used
  mutable std::map<std::string, std::string> data_;  // of sizes, indices, quotients and remainders, by name
};

}  // namespace vouch::array
