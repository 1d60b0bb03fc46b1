// Names and index arithmetic in readable statements: Coq texts over natural numbers.
#pragma once

#include <string>
#include <vector>

#include "array/size.h"

namespace vouch::array {

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
  Term size_index(const Size& size) const;
  // An index term as an argument (`argument`: in parentheses unless it is one word) or in a sum.
  std::string index(Term term, bool argument) const;

  // New names of bound variables, until `leave` gives back the last one.
  std::string enter_index() { return enter({"i", "j", "k", "l", "q", "r"}, "i"); }
  std::string enter_scalar() { return enter({"s", "t", "u"}, "v"); }
  std::string enter_value() { return enter({}, "v"); }
  void leave() { used_.pop_back(); }

 private:
  Term with_remainders(Term term) const;
  std::string enter(const std::vector<std::string>& liked, const std::string& stem);
  bool is_used(const std::string& name) const;

  std::vector<std::string> sizes_;
  std::vector<std::string> used_;
};

}  // namespace vouch::array
