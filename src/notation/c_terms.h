// Terms of kernels as C expressions. Index variables are called `i_` and their name.
#pragma once

#include <string>
#include <unordered_map>

#include "notation/c_names.h"
#include "notation/show_tk.h"

namespace vouch {

class CTerms {
 public:
  CTerms(const TkKernel& kernel, CStyle style) : kernel_(kernel), style_(style), names_(c_names(kernel)) {}

  static std::string index(Symbol name) { return "i_" + name.name(); }
  std::string integer(Term term) const;
  std::string guard(Term term) const;
  std::string element(Symbol tensor, std::span<const Term> at) const;
  std::string scalar(Term term) const;

 protected:
  bool is_local(Symbol name) const;

  const TkKernel& kernel_;
  CStyle style_;
  std::unordered_map<Symbol, std::string> names_;

 private:
  std::string constant(const Rational& value, const std::string& suffix) const;
  std::string application(Term term, const std::string& suffix) const;
};

}  // namespace vouch
