#include "rule/element_condition.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <unordered_set>

#include "tensor/element.h"
#include "term/eval.h"

namespace vouch {

Symbol element_symbol(std::string_view constant) { return Symbol(fmt::format("every {}", constant)); }

Term any_element_of(std::string_view constant, DType dtype) {
  Symbol name = element_symbol(constant);
  return is_float(dtype) ? real_var(name) : int_var(name);
}

bool element_meets(const Tensor& tensor, std::int64_t at, Symbol element, Term condition) {
  EvalEnvironment environment;
  if (is_float(tensor.dtype())) {
    double value = tensor.double_at(at);
    if (!std::isfinite(value) || (value == 0 && std::signbit(value))) {
      return false;
    }
    environment.scalars.emplace(element, rational_of(value));
  } else {
    environment.integers.emplace(element, whole_element(tensor, at));
  }
  auto met = eval_guard(condition, environment);
  const bool* decided = std::get_if<bool>(&met);
  return decided != nullptr && *decided;
}

bool every_element_meets(const Tensor& tensor, Symbol element, Term condition) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 20;
  if (tensor.count() > kMostElements) {
    return false;
  }
  std::unordered_set<std::uint64_t> met;  // bits, so that -0 is not 0
  for (std::int64_t at = 0; at < tensor.count(); ++at) {
    std::uint64_t bits = is_float(tensor.dtype()) ? std::bit_cast<std::uint64_t>(tensor.double_at(at))
                                                  : static_cast<std::uint64_t>(tensor.int_at(at));
    if (met.insert(bits).second && !element_meets(tensor, at, element, condition)) {
      return false;
    }
  }
  return true;
}

}  // namespace vouch
