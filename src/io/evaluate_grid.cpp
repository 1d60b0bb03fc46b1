// GridSample of ONNX, of images: values between the pixels of a grid.
#include <algorithm>
#include <cmath>

#include "io/evaluated_node.h"

namespace vouch {
namespace {

enum class Padding { Zeros, Border, Reflection };
enum class Mode { Nearest, Linear, Cubic };

// One axis of the image: positions from -1 to 1 lie between the middles of its first and last pixel, or between their outer
// edges.
struct GridAxis {
  std::int64_t size;
  bool align_corners;
  Padding padding;

  double position(double at) const {
    auto n = static_cast<double>(size);
    return align_corners ? (at + 1) / 2 * (n - 1) : ((at + 1) * n - 1) / 2;
  }
  double reflected(double at) const {
    double low = align_corners ? 0 : -0.5;
    double high = static_cast<double>(size) - (align_corners ? 1 : 0.5);
    double span = high - low;
    if (span <= 0) {
      return 0;
    }
    double beyond = std::fmod(std::abs(at - low), 2 * span);
    return low + (beyond > span ? 2 * span - beyond : beyond);
  }
  // The position that is looked at instead.
  double inside(double at) const {
    double most = static_cast<double>(size) - 1;
    return padding == Padding::Zeros ? at : std::clamp(padding == Padding::Reflection ? reflected(at) : at, 0.0, most);
  }
  // The pixel there; -1: none, which counts as 0.
  std::int64_t pixel(double at) const {
    double there = inside(at);
    bool on_image = there >= 0 && there <= static_cast<double>(size) - 1;
    return on_image ? static_cast<std::int64_t>(std::nearbyint(there)) : -1;
  }
};

struct Tap {
  std::int64_t pixel;
  double weight;
};

// Keys' cubic with a = -0.75.
double cubic(double distance) {
  constexpr double a = -0.75;
  double x = std::abs(distance);
  return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

std::vector<Tap> taps(const GridAxis& axis, double at, Mode mode) {
  double where = mode == Mode::Cubic ? axis.position(at) : axis.inside(axis.position(at));
  if (mode == Mode::Nearest) {
    return {{axis.pixel(std::nearbyint(where)), 1}};
  }
  double first = std::floor(where);
  std::vector<Tap> out;
  for (int k = mode == Mode::Linear ? 0 : -1; k <= (mode == Mode::Linear ? 1 : 2); ++k) {
    double distance = where - (first + k);
    double weight = mode == Mode::Linear ? 1 - std::abs(distance) : cubic(distance);
    out.push_back({weight == 0 ? -1 : axis.pixel(first + k), weight});
  }
  return out;
}

double sampled(const Tensor& x, std::int64_t plane, const std::vector<Tap>& rows, const std::vector<Tap>& columns) {
  double sum = 0;
  std::int64_t height = x.extents()[2];
  std::int64_t width = x.extents()[3];
  for (const Tap& row : rows) {
    for (const Tap& column : columns) {
      if (row.pixel >= 0 && column.pixel >= 0) {
        sum += row.weight * column.weight * x.double_at((plane * height + row.pixel) * width + column.pixel);
      }
    }
  }
  return sum;
}

}  // namespace

EvaluatedResults evaluate_grid_sample(EvaluatedNode& node) {
  if (!node.needs({4, 4})) {
    return std::nullopt;
  }
  const Tensor& x = node.operand(0);
  const Tensor& grid = node.operand(1);
  bool fit = x.rank() == 4 && grid.rank() == 4 && grid.extents()[3] == 2 && grid.extents()[0] == x.extents()[0];
  std::string mode = node.text("mode", "bilinear");
  std::string padding = node.text("padding_mode", "zeros");
  bool linear = mode == "bilinear" || mode == "linear";
  bool cubic = mode == "bicubic" || mode == "cubic";
  bool known = padding == "zeros" || padding == "border" || padding == "reflection";
  if (!fit || !is_float(x.dtype()) || holds_nan(grid) || !(linear || cubic || mode == "nearest") || !known) {
    return node.fail("expected images and a grid of positions (images, rows, columns, 2) without NaN, and a mode of ONNX's");
  }
  Padding outside = padding == "zeros" ? Padding::Zeros : padding == "border" ? Padding::Border : Padding::Reflection;
  bool corners = node.integer("align_corners", 0) != 0;
  GridAxis down{x.extents()[2], corners, outside};
  GridAxis right{x.extents()[3], corners, outside};
  Mode how = linear ? Mode::Linear : cubic ? Mode::Cubic : Mode::Nearest;
  std::int64_t channels = x.extents()[1];
  std::int64_t points = grid.extents()[1] * grid.extents()[2];
  Extents extents{x.extents()[0], channels, grid.extents()[1], grid.extents()[2]};
  if (!node.may_have(x.dtype(), extents)) {
    return std::nullopt;
  }
  Tensor out(x.dtype(), extents);
  for (std::int64_t at = 0; x.count() > 0 && at < x.extents()[0] * points; ++at) {
    std::vector<Tap> rows = taps(down, grid.double_at(2 * at + 1), how);
    std::vector<Tap> columns = taps(right, grid.double_at(2 * at), how);
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      std::int64_t plane = at / points * channels + channel;
      out.set_double(plane * points + at % points, sampled(x, plane, rows, columns));
    }
  }
  return std::vector<Tensor>{std::move(out)};
}

}  // namespace vouch
