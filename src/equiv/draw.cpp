#include "equiv/draw.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "tensor/element.h"
#include "term/eval.h"

namespace vouch {
namespace {

constexpr std::int64_t kMostElements = 1 << 24;

class Drawer {
 public:
  Drawer(const Graph& graph, const DrawStyle& style, const std::map<std::string, Range>& ranges)
      : graph_(graph), style_(style), ranges_(ranges), random_(style.seed) {}

  std::optional<std::vector<Tensor>> run() {
    std::vector<Tensor> out;
    for (NodeId input : graph_.inputs()) {
      auto extents = extents_of(graph_.type(input));
      auto count = extents ? element_count(*extents) : std::nullopt;
      if (!count || *count > kMostElements) {
        return std::nullopt;
      }
      out.push_back(filled(graph_.type(input).dtype(), *extents, graph_.name(input)));
    }
    return out;
  }

 private:
  std::optional<Extents> extents_of(Type type) {
    if (!type.is_tensor()) {
      return std::nullopt;
    }
    Extents out;
    for (Term extent : type.extents()) {
      for (Symbol name : free_variables(extent)) {
        auto given = style_.sizes.find(name);
        sizes_.integers.try_emplace(name, given == style_.sizes.end() ? 2 : given->second);
      }
      auto value = eval_int(extent, sizes_);
      const Integer* size = std::get_if<Integer>(&value);
      if (size == nullptr || *size < 0 || *size > kMostElements) {
        return std::nullopt;
      }
      out.push_back(size->convert_to<std::int64_t>());
    }
    return out;
  }

  // From the top 53 bits: the same on every platform.
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  Range integers(DType dtype) const {
    if (is_integer(dtype) && byte_size(dtype) <= 2 && style_.all_narrow) {
      NumberRange all = range_of(dtype);
      return {double_of(all.low), double_of(all.high)};
    }
    return {0, static_cast<double>(dtype == DType::Bool ? 2 : style_.integers) - 1};
  }

  Tensor filled(DType dtype, const Extents& extents, const std::string& name) {
    auto given = ranges_.find(name);
    Tensor out(dtype, extents);
    for (std::int64_t at = 0; at < out.count(); ++at) {
      if (is_float(dtype)) {
        Range range = given == ranges_.end() ? style_.floats : given->second;
        bool zero = given == ranges_.end() && unit() < style_.zeros;
        out.set_double(at, zero ? 0 : range.low + unit() * (range.high - range.low));
      } else {
        Range range = given == ranges_.end() ? integers(dtype) : given->second;
        double whole = std::floor(range.low + unit() * (std::floor(range.high) - range.low + 1));
        out.set_int(at, static_cast<std::int64_t>(std::min(whole, range.high)));
      }
    }
    return out;
  }

  const Graph& graph_;
  const DrawStyle& style_;
  const std::map<std::string, Range>& ranges_;
  std::mt19937_64 random_;
  EvalEnvironment sizes_;
};

}  // namespace

std::optional<std::vector<Tensor>> draw_inputs(const Graph& graph, const DrawStyle& style,
                                               const std::map<std::string, Range>& ranges) {
  return Drawer(graph, style, ranges).run();
}

}  // namespace vouch
