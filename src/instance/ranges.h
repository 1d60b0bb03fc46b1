// Between which numbers a term of whole numbers lies, whatever is read: interval arithmetic over the ranges of the types.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "tensor/element.h"
#include "term/term.h"

namespace vouch {

class Ranges {
 public:
  // `type_of`: of what is read, and of what is stored or converted; nothing where it is not known.
  explicit Ranges(std::function<std::optional<DType>(Term)> type_of) : type_of_(std::move(type_of)) {}

  // Nothing if there is none, or none is found.
  std::optional<NumberRange> of(Term term);

 private:
  std::optional<NumberRange> computed(Term term);
  std::optional<NumberRange> combined(Term term);
  std::optional<NumberRange> summed(Term term);

  std::function<std::optional<DType>(Term)> type_of_;
  std::unordered_map<Term, std::optional<NumberRange>> known_;
};

}  // namespace vouch
