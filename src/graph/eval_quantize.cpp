// QuantizeLinear: y = saturate(round(x / scale) + zero point); DynamicQuantizeLinear finds scale and zero point itself.
#include <algorithm>
#include <cmath>

#include "graph/eval_call.h"

namespace vouch {
namespace {

// Which element of a scale or zero point belongs to an element of x: the only one, or that of its position on the axis.
class ElementFor {
 public:
  ElementFor(const Extents& extents, std::int64_t axis, std::int64_t count) : count_(count) {
    auto at = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(extents.size()) : axis);
    for (std::size_t k = at + 1; k < extents.size(); ++k) {
      after_ *= extents[k];
    }
  }
  std::int64_t operator()(std::int64_t flat) const { return count_ == 1 ? 0 : flat / after_ % count_; }

 private:
  std::int64_t count_;
  std::int64_t after_ = 1;
};

std::pair<std::int64_t, std::int64_t> range_of(DType dtype) {
  std::int64_t span = std::int64_t{1} << (8 * byte_size(dtype));
  bool is_signed = dtype == DType::Int8 || dtype == DType::Int16;
  return {is_signed ? -span / 2 : 0, is_signed ? span / 2 - 1 : span - 1};
}

}  // namespace

CallEvaluator::Results CallEvaluator::call_quantize(const Request& request) {
  const Tensor& x = request.operands[0].items[0];
  const Tensor& scale = request.operands[1].items[0];
  bool has_zero = request.operands.size() > 2 && !request.operands[2].items.empty();
  const AttrValue* given = request.attributes.find("axis");
  DType dtype = has_zero ? request.operands[2].items[0].dtype() : DType::UInt8;
  auto [low, high] = range_of(dtype);
  ElementFor element(x.extents(), given != nullptr ? given->int64().value_or(1) : 1, scale.count());
  Tensor y(dtype, x.extents());
  Tensor quotient(scale.dtype(), {});
  for (std::int64_t i = 0; i < x.count(); ++i) {
    std::int64_t which = element(i);
    // Of two float32 numbers the quotient in double precision rounds to the right float32.
    quotient.set_double(0, x.double_at(i) / scale.double_at(which));
    double zero = has_zero ? static_cast<double>(request.operands[2].items[0].int_at(which)) : 0;
    double rounded = std::nearbyint(quotient.double_at(0)) + zero;
    y.set_int(i, std::isnan(rounded) ? low : static_cast<std::int64_t>(std::clamp(rounded, double(low), double(high))));
  }
  return std::vector<Tensor>{std::move(y)};
}

// An input that is 0 everywhere has the scale 1.
CallEvaluator::Results CallEvaluator::call_dynamic_quantize(const Request& request) {
  const Tensor& x = request.operands[0].items[0];
  float low = 0;
  float high = 0;
  for (float element : x.as<float>()) {
    low = std::min(low, element);
    high = std::max(high, element);
  }
  const float range = high - low;
  const float step = range == 0 ? 1 : range / 255;
  Tensor scale(DType::Float32, {});
  scale.set_double(0, step);
  Tensor zero(DType::UInt8, {});
  zero.set_int(0, static_cast<std::int64_t>(std::clamp(std::nearbyint(-low / step), 0.0F, 255.0F)));
  auto y =
      call(*find_op("QuantizeLinear"), {{false, {x}}, {false, {scale}}, {false, {zero}}}, {}, request.place, request.diagnostics);
  return y ? Results(std::vector<Tensor>{(*y)[0], scale, zero}) : std::nullopt;
}

}  // namespace vouch
