#include "equiv/fingerprint.h"

#include <algorithm>
#include <cmath>

namespace vouch {
namespace {

double weight(std::uint64_t at) {
  std::uint64_t x = (at + 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>(static_cast<std::int64_t>(x ^ (x >> 31))) * 0x1p-63;
}

}  // namespace

double plain(double x) { return std::isnan(x) ? 0.7182818 : std::clamp(x, -1e30, 1e30); }

Fingerprint print_of(const Tensor& tensor) {
  Fingerprint out;
  out.extents = tensor.extents();
  double zeroth = tensor.count() > 0 ? plain(tensor.double_at(0)) : 0;
  for (std::int64_t at = 0; at < tensor.count(); ++at) {
    double x = plain(tensor.double_at(at));
    auto place = static_cast<std::uint64_t>(at);
    out.first += x * weight(2 * place);
    out.second += x * weight(2 * place + 1);
    out.norm += x * x;
    out.uniform = out.uniform && x == zeroth;
  }
  out.norm = std::sqrt(out.norm);
  return out;
}

bool alike(const Fingerprint& a, const Fingerprint& b, double tolerance) {
  double slack = tolerance * std::max(a.norm, b.norm);
  return a.extents == b.extents && std::abs(a.first - b.first) <= slack && std::abs(a.second - b.second) <= slack;
}

}  // namespace vouch
