// Operators of ONNX on signals: windows, and transforms into frequencies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "io/evaluated_node.h"
#include "io/onnx_tensor.h"

namespace vouch {
namespace {

using Complex = std::complex<double>;
using Signal = std::vector<Complex>;

constexpr std::int64_t kMostSteps = std::int64_t{1} << 32;  // multiplications of one call

// a0 + a1 cos(2πn/N) + a2 cos(4πn/N), of which N is the size, or one less where both ends are to be alike.
EvaluatedResults window(EvaluatedNode& node, double a0, double a1, double a2) {
  auto dtype = dtype_of_onnx(static_cast<int>(node.integer("output_datatype", 1)));
  std::int64_t size = node.int_operand(0, -1);
  std::int64_t whole = node.integer("periodic", 1) != 0 ? size : size - 1;
  if (!dtype || !is_float(*dtype) || size < 0 || (size == 1 && whole == 0)) {
    return node.fail("expected a type of floats and a size, of more than one element if both ends are to be alike");
  }
  if (!node.may_have(*dtype, {size})) {
    return std::nullopt;
  }
  Tensor out(*dtype, {size});
  for (std::int64_t n = 0; n < size; ++n) {
    double angle = 2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(whole);
    out.set_double(n, a0 + a1 * std::cos(angle) + a2 * std::cos(2 * angle));
  }
  return std::vector<Tensor>{std::move(out)};
}

std::int64_t odd_part(std::int64_t n) {
  while (n > 0 && n % 2 == 0) {
    n /= 2;
  }
  return n;
}

// Of the elements of `in` that are `stride` apart from `first` on, `count` of them; `roots[k]` is the k-th power of a root of
// unity of order `count * stride`. Halved as long as it is even; recursion is as deep as that.
Signal transformed(const Signal& in, std::size_t first, std::size_t stride, std::size_t count, const Signal& roots) {
  Signal out(count);
  if (count % 2 != 0) {
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t n = 0; n < count; ++n) {
        out[k] += in[first + n * stride] * roots[n * k % count * stride];
      }
    }
    return out;
  }
  Signal even = transformed(in, first, 2 * stride, count / 2, roots);
  Signal odd = transformed(in, first + stride, 2 * stride, count / 2, roots);
  for (std::size_t k = 0; k < count; ++k) {
    out[k] = even[k % (count / 2)] + roots[k * stride] * odd[k % (count / 2)];
  }
  return out;
}

// One transform after another of one length.
class Transform {
 public:
  Transform(std::int64_t length, bool inverse) : inverse_(inverse), roots_(static_cast<std::size_t>(length)) {
    for (std::size_t k = 0; k < roots_.size(); ++k) {
      double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
      roots_[k] = {std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle)};
    }
  }
  Signal of(const Signal& in) const {
    Signal out = in.empty() ? in : transformed(in, 0, 1, in.size(), roots_);
    for (Complex& value : out) {
      value /= inverse_ ? static_cast<double>(in.size()) : 1.0;
    }
    return out;
  }

 private:
  bool inverse_;
  Signal roots_;
};

// Real numbers have one component, complex ones two, along the last axis.
Complex complex_at(const Tensor& tensor, std::int64_t at) {
  std::int64_t components = tensor.extents().back();
  return {tensor.double_at(at * components), components == 2 ? tensor.double_at(at * 2 + 1) : 0.0};
}

void set_complex(Tensor& tensor, std::int64_t at, Complex value) {
  tensor.set_double(2 * at, value.real());
  tensor.set_double(2 * at + 1, value.imag());
}

bool may_take(EvaluatedNode& node, std::int64_t transforms, std::int64_t length) {
  double steps = static_cast<double>(transforms) * static_cast<double>(length) * static_cast<double>(odd_part(length) + 64);
  if (steps <= static_cast<double>(kMostSteps)) {
    return true;
  }
  node.fail(fmt::format("{} transforms of {} elements take more than {} steps", transforms, length, kMostSteps));
  return false;
}

// Before opset 20 the axis was an attribute, with another default.
std::optional<std::size_t> transformed_axis(EvaluatedNode& node) {
  auto rank = static_cast<std::int64_t>(node.operand(0).rank());
  std::int64_t given = node.before(20) ? node.integer("axis", 1) : node.int_operand(2, -2);
  given += given < 0 ? rank : 0;
  if (given < 0 || given >= rank - 1) {
    return node.fail("the axis must be one of the signal's, and not that of its components");
  }
  return static_cast<std::size_t>(given);
}

}  // namespace

EvaluatedResults evaluate_hann_window(EvaluatedNode& node) { return window(node, 0.5, -0.5, 0); }
EvaluatedResults evaluate_hamming_window(EvaluatedNode& node) { return window(node, 25.0 / 46, -21.0 / 46, 0); }
EvaluatedResults evaluate_blackman_window(EvaluatedNode& node) { return window(node, 0.42, -0.5, 0.08); }

// The signal, cut or filled up with zeros to the length that is given, as a sum of waves.
EvaluatedResults evaluate_dft(EvaluatedNode& node) {
  auto axis = node.needs({2}) ? transformed_axis(node) : std::nullopt;
  if (!axis) {
    return std::nullopt;
  }
  const Tensor& x = node.operand(0);
  bool inverse = node.integer("inverse", 0) != 0;
  bool half = node.integer("onesided", 0) != 0;
  std::int64_t components = x.extents().back();
  std::int64_t length = node.int_operand(1, x.extents()[*axis]);
  if (!is_float(x.dtype()) || components < 1 || components > 2 || length < 1 || (half && (inverse || components == 2))) {
    return node.fail("expected floats of one component or two, a length, and one side of the spectrum of real numbers only");
  }
  Extents extents = x.extents();
  extents.back() = 2;
  extents[*axis] = half ? length / 2 + 1 : length;
  if (!node.may_have(x.dtype(), extents) || !node.may_have(DType::Float64, {8 * length})) {
    return std::nullopt;
  }
  AxisView from({x.extents().begin(), x.extents().end() - 1}, *axis);
  AxisView to({extents.begin(), extents.end() - 1}, *axis);
  if (!may_take(node, from.outer * from.inner, length)) {
    return std::nullopt;
  }
  Tensor out(x.dtype(), extents);
  Transform transform(length, inverse);
  for (std::int64_t o = 0; o < from.outer; ++o) {
    for (std::int64_t i = 0; i < from.inner; ++i) {
      Signal signal(static_cast<std::size_t>(length));
      for (std::int64_t n = 0; n < std::min(length, from.size); ++n) {
        signal[static_cast<std::size_t>(n)] = complex_at(x, from.at(o, n, i));
      }
      Signal waves = transform.of(signal);
      for (std::int64_t k = 0; k < to.size; ++k) {
        set_complex(out, to.at(o, k, i), waves[static_cast<std::size_t>(k)]);
      }
    }
  }
  return std::vector<Tensor>{std::move(out)};
}

// The transforms of pieces of a signal that begin `step` apart, each multiplied by the window.
EvaluatedResults evaluate_stft(EvaluatedNode& node) {
  if (!node.needs({3, 0})) {
    return std::nullopt;
  }
  const Tensor& x = node.operand(0);
  std::int64_t step = node.int_operand(1, -1);
  std::int64_t frame = node.int_operand(3, node.has(2) ? node.operand(2).count() : -1);
  bool half = node.integer("onesided", 1) != 0;
  std::int64_t components = x.extents().back();
  bool fit = x.rank() == 3 && is_float(x.dtype()) && components >= 1 && components <= (half ? 1 : 2) && step >= 1 && frame >= 1 &&
             frame <= x.extents()[1] && (!node.has(2) || node.operand(2).extents() == Extents{frame});
  if (!fit) {
    return node.fail("expected signals (batch, length, components), a step, and a window or a length of pieces that fits in");
  }
  std::int64_t batch = x.extents()[0];
  std::int64_t pieces = (x.extents()[1] - frame) / step + 1;
  std::int64_t kept = half ? frame / 2 + 1 : frame;
  bool affordable = node.may_have(x.dtype(), {batch, pieces, kept, 2}) && node.may_have(DType::Float64, {8 * frame});
  if (!affordable || !may_take(node, batch * pieces, frame)) {
    return std::nullopt;
  }
  Tensor out(x.dtype(), {batch, pieces, kept, 2});
  Transform transform(frame, false);
  for (std::int64_t at = 0; at < batch * pieces; ++at) {
    std::int64_t begin = at / pieces * x.extents()[1] + at % pieces * step;
    Signal signal(static_cast<std::size_t>(frame));
    for (std::int64_t n = 0; n < frame; ++n) {
      signal[static_cast<std::size_t>(n)] = complex_at(x, begin + n) * (node.has(2) ? node.operand(2).double_at(n) : 1.0);
    }
    Signal waves = transform.of(signal);
    for (std::int64_t k = 0; k < kept; ++k) {
      set_complex(out, at * kept + k, waves[static_cast<std::size_t>(k)]);
    }
  }
  return std::vector<Tensor>{std::move(out)};
}

namespace {

// Where the bands of a mel scale begin, end and have their peaks, as places in a spectrum.
std::vector<std::int64_t> band_edges(std::int64_t bands, std::int64_t length, double rate, double low, double high) {
  auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  double step = (mel(high) - mel(low)) / static_cast<double>(bands + 2);
  std::vector<std::int64_t> out;
  for (std::int64_t k = 0; k < bands + 2; ++k) {
    double hertz = 700 * (std::pow(10, (mel(low) + step * static_cast<double>(k)) / 2595) - 1);
    out.push_back(static_cast<std::int64_t>(std::floor(static_cast<double>(length + 1) * hertz / rate)));
  }
  return out;
}

}  // namespace

// One column for each band: a triangle between the peaks of its neighbours.
EvaluatedResults evaluate_mel_weight_matrix(EvaluatedNode& node) {
  auto dtype = dtype_of_onnx(static_cast<int>(node.integer("output_datatype", 1)));
  std::int64_t bands = node.int_operand(0, -1);
  std::int64_t length = node.int_operand(1, -1);
  std::int64_t rate = node.int_operand(2, -1);
  double low = node.float_operand(3, -1);
  double high = node.float_operand(4, -1);
  bool fit = dtype && is_float(*dtype) && bands >= 0 && length >= 0 && rate > 0 && low >= 0 && low <= high && high <= 1e12 &&
             bands <= INT32_MAX && length <= INT32_MAX;
  Extents extents{length / 2 + 1, bands};
  if (!fit || !node.may_have(*dtype, extents)) {
    return fit ? std::nullopt : node.fail("expected a type of floats, numbers of bands and elements, a rate and two frequencies");
  }
  std::vector<std::int64_t> edges = band_edges(bands, length, static_cast<double>(rate), low, high);
  if (bands > 0 && (edges[static_cast<std::size_t>(bands)] >= extents[0] || edges.back() > extents[0])) {
    return node.fail("the higher frequency is not in a spectrum of this length and rate");
  }
  Tensor out(*dtype, extents);
  for (std::int64_t band = 0; band < bands; ++band) {
    std::int64_t left = edges[static_cast<std::size_t>(band)];
    std::int64_t peak = edges[static_cast<std::size_t>(band) + 1];
    std::int64_t right = edges[static_cast<std::size_t>(band) + 2];
    for (std::int64_t at = left; at < std::max(right, peak + 1) && at < extents[0]; ++at) {
      double below = static_cast<double>(at - left) / static_cast<double>(std::max(peak - left, std::int64_t{1}));
      double above = static_cast<double>(right - at) / static_cast<double>(std::max(right - peak, std::int64_t{1}));
      out.set_double(at * bands + band, at == peak ? 1 : at < peak ? below : above);
    }
  }
  return std::vector<Tensor>{std::move(out)};
}

}  // namespace vouch
