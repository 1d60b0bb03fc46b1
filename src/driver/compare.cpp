#include "driver/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vouch {

double Difference::relative() const {
  return largest == 0 ? 0 : magnitude == 0 ? std::numeric_limits<double>::infinity() : largest / magnitude;
}

Difference compare_tensors(const Tensor& a, const Tensor& reference) {
  Difference out;
  for (std::int64_t i = 0; i < reference.count(); ++i) {
    double x = a.double_at(i);
    double y = reference.double_at(i);
    if (x == y || (std::isnan(x) && std::isnan(y))) {
      out.magnitude = std::isfinite(y) ? std::max(out.magnitude, std::fabs(y)) : out.magnitude;
      continue;
    }
    double distance = std::fabs(x - y);
    out.largest = std::max(out.largest, std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance);
    out.magnitude = std::isfinite(y) ? std::max(out.magnitude, std::fabs(y)) : out.magnitude;
  }
  return out;
}

}  // namespace vouch
