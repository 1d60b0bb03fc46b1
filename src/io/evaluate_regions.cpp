// Operators of ONNX on images and matrices: regions that become grids, pools undone, determinants.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/evaluated_node.h"

namespace vouch {
namespace {

// One axis of a region: where samples lie on the image, `samples` in each of `bins`.
struct RegionAxis {
  std::int64_t size;  // of the image
  double start;
  double bin;
  std::int64_t samples;

  double sample(std::int64_t of_bin, std::int64_t k) const {
    return start + (static_cast<double>(of_bin) + (static_cast<double>(k) + 0.5) / static_cast<double>(samples)) * bin;
  }
};

struct RegionForm {
  std::int64_t bins;
  double scale;
  bool half_pixel;
  std::int64_t samples;  // 0: as many as pixels

  RegionAxis axis(std::int64_t size, double low, double high) const {
    double start = low * scale - (half_pixel ? 0.5 : 0);
    double length = (high - low) * scale;
    length = half_pixel ? length : std::max(length, 1.0);
    double bin = length / static_cast<double>(bins);
    double many = samples > 0 ? static_cast<double>(samples) : std::clamp(std::ceil(bin), 0.0, 1e9);
    return {size, start, bin, static_cast<std::int64_t>(many)};
  }
};

// The two pixels next to a place and their weights; both weigh nothing beyond the image's edge.
struct Neighbours {
  std::array<std::int64_t, 2> pixel{0, 0};
  std::array<double, 2> weight{0, 0};

  Neighbours(double at, std::int64_t size) {
    if (!(at >= -1 && at <= static_cast<double>(size))) {
      return;
    }
    double inside = std::clamp(at, 0.0, static_cast<double>(size - 1));
    pixel[0] = static_cast<std::int64_t>(inside);
    pixel[1] = std::min(pixel[0] + 1, size - 1);
    weight[1] = inside - static_cast<double>(pixel[0]);
    weight[0] = 1 - weight[1];
  }
};

struct Region {
  RegionAxis down;
  RegionAxis right;

  // The mean of the samples of one bin.
  double mean(const Tensor& x, std::int64_t plane, std::int64_t row, std::int64_t column) const {
    double sum = 0;
    for (std::int64_t v = 0; v < down.samples; ++v) {
      Neighbours rows(down.sample(row, v), down.size);
      for (std::int64_t u = 0; u < right.samples; ++u) {
        Neighbours columns(right.sample(column, u), right.size);
        for (std::size_t k = 0; k < 4; ++k) {
          std::int64_t at = (plane * down.size + rows.pixel[k / 2]) * right.size + columns.pixel[k % 2];
          double weight = rows.weight[k / 2] * columns.weight[k % 2];
          sum += weight == 0 ? 0 : weight * x.double_at(at);
        }
      }
    }
    return sum / static_cast<double>(std::max(down.samples * right.samples, std::int64_t{1}));
  }
};

constexpr double kMostSamples = 4294967296.0;

bool fit_regions(EvaluatedNode& node) {
  if (!node.needs({4, 2, 1})) {
    return false;
  }
  const Tensor& x = node.operand(0);
  const Tensor& regions = node.operand(1);
  std::string how = node.text("coordinate_transformation_mode", "half_pixel");
  bool fit = x.rank() == 4 && is_float(x.dtype()) && x.count() > 0 && regions.rank() == 2 && regions.extents()[1] == 4 &&
             is_float(regions.dtype()) && node.operand(2).extents() == Extents{regions.extents()[0]} &&
             (how == "half_pixel" || how == "output_half_pixel") && node.integer("output_height", 1) >= 1 &&
             node.integer("output_width", 1) >= 1 && node.integer("sampling_ratio", 0) >= 0;
  for (std::int64_t at = 0; fit && at < regions.count(); ++at) {
    fit = std::abs(regions.double_at(at)) < 1e9;
  }
  for (std::int64_t at = 0; fit && at < regions.extents()[0]; ++at) {
    fit = node.operand(2).int_at(at) >= 0 && node.operand(2).int_at(at) < x.extents()[0];
  }
  if (!fit) {
    node.fail("expected images, regions (left, top, right, bottom) of finite numbers, and the image of each");
  }
  // Runtimes take the largest of weighted pixels, and ONNX says something else.
  if (fit && node.text("mode", "avg") != "avg") {
    node.fail("of mode 'max' runtimes and ONNX have two meanings");
    return false;
  }
  return fit;
}

}  // namespace

// Each region of an image as a grid of bins, in which bilinear samples are averaged.
EvaluatedResults evaluate_roi_align(EvaluatedNode& node) {
  if (!fit_regions(node)) {
    return std::nullopt;
  }
  const Tensor& x = node.operand(0);
  const Tensor& regions = node.operand(1);
  bool half_pixel = node.before(16) ? false : node.text("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  double scale = node.real("spatial_scale", 1);
  RegionForm rows{node.integer("output_height", 1), scale, half_pixel, node.integer("sampling_ratio", 0)};
  RegionForm columns{node.integer("output_width", 1), scale, half_pixel, rows.samples};
  std::int64_t channels = x.extents()[1];
  Extents extents{regions.extents()[0], channels, rows.bins, columns.bins};
  if (!node.may_have(x.dtype(), extents)) {
    return std::nullopt;
  }
  Tensor out(x.dtype(), extents);
  double done = 0;
  for (std::int64_t r = 0; r < extents[0]; ++r) {
    Region region{rows.axis(x.extents()[2], regions.double_at(4 * r + 1), regions.double_at(4 * r + 3)),
                  columns.axis(x.extents()[3], regions.double_at(4 * r), regions.double_at(4 * r + 2))};
    done += static_cast<double>(region.down.samples) * static_cast<double>(region.right.samples) *
            static_cast<double>(channels * rows.bins * columns.bins);
    if (done > kMostSamples) {
      return node.fail(fmt::format("the regions have more than {} samples", kMostSamples));
    }
    for (std::int64_t at = 0; at < channels * rows.bins * columns.bins; ++at) {
      std::int64_t plane = node.operand(2).int_at(r) * channels + at / (rows.bins * columns.bins);
      double mean = region.mean(x, plane, at / columns.bins % rows.bins, at % columns.bins);
      out.set_double(r * channels * rows.bins * columns.bins + at, mean);
    }
  }
  return std::vector<Tensor>{std::move(out)};
}

namespace {

// By Gauss, with the largest pivot of each column.
double determinant(std::vector<double> m, std::size_t n) {
  double out = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t row = k + 1; row < n; ++row) {
      best = std::abs(m[row * n + k]) > std::abs(m[best * n + k]) ? row : best;
    }
    if (m[best * n + k] == 0) {
      return 0;
    }
    if (best != k) {
      std::swap_ranges(m.begin() + static_cast<std::ptrdiff_t>(best * n), m.begin() + static_cast<std::ptrdiff_t>((best + 1) * n),
                       m.begin() + static_cast<std::ptrdiff_t>(k * n));
      out = -out;
    }
    out *= m[k * n + k];
    for (std::size_t row = k + 1; row < n; ++row) {
      double factor = m[row * n + k] / m[k * n + k];
      for (std::size_t column = k; column < n; ++column) {
        m[row * n + column] -= factor * m[k * n + column];
      }
    }
  }
  return out;
}

constexpr std::int64_t kWidestMatrix = 1024;

}  // namespace

EvaluatedResults evaluate_det(EvaluatedNode& node) {
  if (!node.needs({2})) {
    return std::nullopt;
  }
  const Tensor& x = node.operand(0);
  std::int64_t n = x.extents().back();
  if (!is_float(x.dtype()) || x.extents()[x.rank() - 2] != n || n > kWidestMatrix) {
    return node.fail(fmt::format("expected square matrices of floats, of at most {} rows", kWidestMatrix));
  }
  Tensor out(x.dtype(), {x.extents().begin(), x.extents().end() - 2});
  for (std::int64_t at = 0; at < out.count(); ++at) {
    std::vector<double> matrix(static_cast<std::size_t>(n * n));
    for (std::int64_t k = 0; k < n * n; ++k) {
      matrix[static_cast<std::size_t>(k)] = x.double_at(at * n * n + k);
    }
    out.set_double(at, determinant(std::move(matrix), static_cast<std::size_t>(n)));
  }
  return std::vector<Tensor>{std::move(out)};
}

namespace {

// What a pool of this form was made of, if it left nothing out; nothing, having failed, where that is no shape.
std::optional<Extents> unpooled(EvaluatedNode& node) {
  Extents out = node.operand(0).extents();
  std::size_t axes = out.size() - 2;
  std::vector<std::int64_t> kernel = node.integers("kernel_shape", {});
  std::vector<std::int64_t> strides = node.integers("strides", std::vector<std::int64_t>(axes, 1));
  std::vector<std::int64_t> pads = node.integers("pads", std::vector<std::int64_t>(2 * axes, 0));
  bool fit = kernel.size() == axes && strides.size() == axes && pads.size() == 2 * axes;
  for (std::size_t k = 0; fit && k < axes; ++k) {
    auto small = [](std::int64_t value) { return value >= 0 && value < (1 << 30); };
    fit = small(kernel[k]) && small(strides[k]) && small(pads[k]) && small(pads[k + axes]) && small(out[k + 2]);
    out[k + 2] = fit ? (out[k + 2] - 1) * strides[k] + kernel[k] - pads[k] - pads[k + axes] : 0;
    fit = fit && out[k + 2] >= 0;
  }
  return fit ? std::optional(out) : node.fail("kernel_shape, strides and pads must be those of a pool that gave this tensor");
}

}  // namespace

// Each element where the pool found it, all else 0. Places are those in the tensor that the pool's form says; a larger one may be
// asked for.
EvaluatedResults evaluate_max_unpool(EvaluatedNode& node) {
  if (!node.needs({3, 3})) {
    return std::nullopt;
  }
  const Tensor& x = node.operand(0);
  auto inferred = unpooled(node);
  if (!inferred) {
    return std::nullopt;
  }
  Extents extents = *inferred;
  for (std::size_t k = 0; node.has(2) && k < extents.size(); ++k) {
    extents[k] = static_cast<std::size_t>(node.operand(2).count()) == extents.size()
                     ? node.operand(2).int_at(static_cast<std::int64_t>(k))
                     : -1;
    if (extents[k] < (*inferred)[k]) {
      return node.fail("output_shape must be at least what kernel_shape, strides and pads say");
    }
  }
  auto places = element_count(*inferred);
  if (node.operand(1).extents() != x.extents() || !places || !node.may_have(x.dtype(), extents)) {
    return node.why().empty() ? node.fail("there must be one place for each element") : std::nullopt;
  }
  Tensor out(x.dtype(), extents);
  for (std::int64_t from = 0; from < x.count(); ++from) {
    std::int64_t place = node.operand(1).int_at(from);
    if (place < 0 || place >= *places) {
      return node.fail(fmt::format("place {} of {}", place, *places));
    }
    std::int64_t at = 0;
    std::int64_t stride = 1;
    for (std::size_t k = extents.size(); k-- > 0;) {
      at += place % (*inferred)[k] * stride;
      place /= (*inferred)[k];
      stride *= extents[k];
    }
    copy_element(x, from, out, at);
  }
  return std::vector<Tensor>{std::move(out)};
}

}  // namespace vouch
