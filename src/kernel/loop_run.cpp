#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "kernel/block_indices.h"
#include "kernel/loop_product.h"
#include "kernel/loop_program.h"
#include "kernel/scalar_fn.h"
#include "support/number.h"

namespace vouch {
namespace {

class Runner {
 public:
  // For at most `elements` elements of the target.
  Runner(const LoopProgram& program, std::span<const Tensor* const> tensors, std::int64_t elements)
      : program_(program), tensors_(tensors), offset_(program.uniform.size()) {
    std::size_t lanes = static_cast<std::size_t>(std::clamp<std::int64_t>(elements, 1, kLanes));
    std::size_t size = 0;
    for (std::size_t r = 0; r < program.uniform.size(); ++r) {
      offset_[r] = size;
      size += program.uniform[r] ? 1 : lanes;
    }
    integers_ = std::make_unique_for_overwrite<std::int64_t[]>(size);
    reals_ = std::make_unique_for_overwrite<double[]>(size);
  }

  bool run(std::int64_t begin, std::int64_t end, Tensor& target, std::string& error) {
    if (begin >= end) {
      return true;  // an empty target has extents that do not divide
    }
    lanes_ = 1;
    exec(program_.once);
    BlockIndices indices(program_.extents);
    for (std::int64_t position = begin; position < end && error_.empty(); position += kLanes) {
      lanes_ = std::min(kLanes, end - position);
      for (std::size_t axis : program_.read_axes) {
        indices.write(axis, position, lanes_, integer(program_.outer[axis]));
      }
      if (program_.position != kNoRegister) {
        std::int64_t* positions = integer(program_.position);
        std::iota(positions, positions + lanes_, position);
      }
      exec(program_.block);
      store(position, target);
    }
    error = error_;
    return error_.empty();
  }

 private:
  std::int64_t* integer(Register r) { return integers_.get() + offset_[r]; }
  double* real(Register r) { return reals_.get() + offset_[r]; }
  std::int64_t stride(Register r) const { return program_.uniform[r] ? 0 : 1; }

  void store(std::int64_t position, Tensor& target) {
    std::int64_t s = stride(program_.result);
    if (!program_.integral && target.dtype() == DType::Float32) {
      return store_floats<float>(position, target, s);
    }
    if (!program_.integral && target.dtype() == DType::Float64) {
      return store_floats<double>(position, target, s);
    }
    for (std::int64_t lane = 0; lane < lanes_; ++lane) {
      if (program_.integral) {
        target.set_int(position + lane, integer(program_.result)[lane * s]);
      } else {
        target.set_double(position + lane, real(program_.result)[lane * s]);
      }
    }
  }

  template <class T>
  void store_floats(std::int64_t position, Tensor& target, std::int64_t s) {
    T* out = reinterpret_cast<T*>(target.mutable_bytes().data()) + position;
    const double* from = real(program_.result);
    for (std::int64_t lane = 0; lane < lanes_; ++lane) out[lane] = static_cast<T>(from[lane * s]);
  }

  void fail(std::string message) {
    if (error_.empty()) {
      error_ = std::move(message);
    }
  }

  std::int64_t count(const LoopInstr& instr) const { return instr.uniform ? 1 : lanes_; }

  // Four loops, so that each has constant strides and the compiler vectorises it.
  template <class T, class U, class F>
  static void map2(std::int64_t n, T* out, const U* a, std::int64_t sa, const U* b, std::int64_t sb, F f) {
    if (sa != 0 && sb != 0) {
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
    } else if (sa != 0) {
      const U y = b[0];
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(a[i], y);
    } else if (sb != 0) {
      const U x = a[0];
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(x, b[i]);
    } else {
      const T value = f(a[0], b[0]);
      for (std::int64_t i = 0; i < n; ++i) out[i] = value;
    }
  }

  template <class F>
  void integers(const LoopInstr& in, F f) {
    map2(count(in), integer(in.out), integer(in.a), stride(in.a), integer(in.b), stride(in.b), f);
  }
  template <class F>
  void reals(const LoopInstr& in, F f) {
    map2(count(in), real(in.out), real(in.a), stride(in.a), real(in.b), stride(in.b), f);
  }
  template <class F>
  void compare(const LoopInstr& in, F f) {
    map2(count(in), integer(in.out), real(in.a), stride(in.a), real(in.b), stride(in.b), f);
  }
  template <class F>
  void integers1(const LoopInstr& in, F f) {
    const std::int64_t* a = integer(in.a);
    std::int64_t* out = integer(in.out);
    std::int64_t s = stride(in.a);
    for (std::int64_t i = 0; i < count(in); ++i) out[i] = f(a[i * s]);
  }
  template <class T, class Get>
  void choose(const LoopInstr& in, Get get) {
    T* out = get(in.out);
    const std::int64_t* guard = integer(in.a);
    const T* then = get(in.b);
    const T* otherwise = get(in.c);
    std::int64_t sg = stride(in.a);
    std::int64_t st = stride(in.b);
    std::int64_t so = stride(in.c);
    for (std::int64_t i = 0; i < count(in); ++i) out[i] = guard[i * sg] != 0 ? then[i * st] : otherwise[i * so];
  }

  // Division under a mask (register c): masked lanes give 0; a zero divisor elsewhere is an error.
  template <class F>
  void divide(const LoopInstr& in, F f) {
    const std::int64_t* a = integer(in.a);
    const std::int64_t* b = integer(in.b);
    std::int64_t sa = stride(in.a);
    std::int64_t sb = stride(in.b);
    for (std::int64_t i = 0; i < count(in); ++i) {
      bool masked = in.c != kNoRegister && integer(in.c)[i * stride(in.c)] == 0;
      std::int64_t divisor = b[i * sb];
      if (divisor == 0 && !masked) {
        return fail("an integer is divided by zero");
      }
      // The one quotient that overflows wraps to itself.
      integer(in.out)[i] = divisor == 0    ? 0
                           : divisor == -1 ? f(0, 1) + negated_if_quotient(in.op, a[i * sa])
                                           : f(a[i * sa], divisor);
    }
  }

  static std::int64_t negated_if_quotient(LoopOp op, std::int64_t a) {
    bool quotient = op == LoopOp::FloorDivI || op == LoopOp::TruncDivI;
    return quotient ? static_cast<std::int64_t>(-static_cast<std::uint64_t>(a)) : 0;
  }

  static std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
  static std::int64_t wrap_mul(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }

  static std::int64_t of_real(double value) {
    return value >= 0x1p63 ? INT64_MAX : value <= -0x1p63 ? INT64_MIN : std::isnan(value) ? 0 : static_cast<std::int64_t>(value);
  }

  void exec(const LoopBlock& block) {
    for (const LoopInstr& in : block.code) {
      exec(in);
      if (!error_.empty()) {
        return;
      }
    }
  }

  void exec(const LoopInstr& in) {
    using I = std::int64_t;
    switch (in.op) {
      case LoopOp::Set: *integer(in.out) = in.number; return;
      case LoopOp::SetF: *real(in.out) = in.real; return;
      case LoopOp::AddI: return integers(in, wrap_add);
      case LoopOp::MulI: return integers(in, wrap_mul);
      case LoopOp::ScaleI: return integers1(in, [f = in.number](I a) { return wrap_mul(a, f); });
      case LoopOp::FloorDivI: return divide(in, [](I a, I b) { return floor_div(a, b); });
      case LoopOp::FloorModI: return divide(in, [](I a, I b) { return floor_mod(a, b); });
      case LoopOp::TruncDivI: return divide(in, [](I a, I b) { return a / b; });
      case LoopOp::TruncModI: return divide(in, [](I a, I b) { return a % b; });
      case LoopOp::MinI: return integers(in, [](I a, I b) { return std::min(a, b); });
      case LoopOp::MaxI: return integers(in, [](I a, I b) { return std::max(a, b); });
      case LoopOp::SelectI: return choose<I>(in, [this](Register r) { return integer(r); });
      case LoopOp::SelectF: return choose<double>(in, [this](Register r) { return real(r); });
      case LoopOp::OfReal:
        for (I i = 0; i < count(in); ++i) integer(in.out)[i] = of_real(real(in.a)[i * stride(in.a)]);
        return;
      case LoopOp::OfInt:
        for (I i = 0; i < count(in); ++i) real(in.out)[i] = static_cast<double>(integer(in.a)[i * stride(in.a)]);
        return;
      case LoopOp::NegI: return integers1(in, [](I a) { return wrap_mul(a, -1); });
      case LoopOp::AbsI: return integers1(in, [](I a) { return a < 0 ? wrap_mul(a, -1) : a; });
      case LoopOp::SignI: return integers1(in, [](I a) { return I{a > 0} - I{a < 0}; });
      case LoopOp::LeI: return integers(in, [](I a, I b) { return I{a <= b}; });
      case LoopOp::EqI: return integers(in, [](I a, I b) { return I{a == b}; });
      case LoopOp::LtF: return compare(in, [](double a, double b) { return I{a < b}; });
      case LoopOp::LeF: return compare(in, [](double a, double b) { return I{a <= b}; });
      case LoopOp::EqF: return compare(in, [](double a, double b) { return I{a == b}; });
      case LoopOp::And: return integers(in, [](I a, I b) { return a & b; });
      case LoopOp::Or: return integers(in, [](I a, I b) { return a | b; });
      case LoopOp::Not: return integers1(in, [](I a) { return I{a == 0}; });
      case LoopOp::AddF: return reals(in, [](double a, double b) { return a + b; });
      case LoopOp::SubF: return reals(in, [](double a, double b) { return a - b; });
      case LoopOp::MulF: return reals(in, [](double a, double b) { return a * b; });
      case LoopOp::DivF: return reals(in, [](double a, double b) { return a / b; });
      case LoopOp::NegF:
        return reals(LoopInstr{.op = in.op, .uniform = in.uniform, .out = in.out, .a = in.a, .b = in.a},
                     [](double a, double) { return -a; });
      case LoopOp::CallF: return call(in);
      case LoopOp::ReadF:
      case LoopOp::ReadI: return read(in);
      case LoopOp::CheckIndex: return check_index(in);
      case LoopOp::Reduce: return reduce(program_.reductions[static_cast<std::size_t>(in.number)], in);
    }
  }

  void call(const LoopInstr& in) {
    switch (in.fn) {
      case Fn::Max: return reals(in, [](double a, double b) { return larger(a, b); });
      case Fn::Min: return reals(in, [](double a, double b) { return smaller(a, b); });
      default: return reals(in, [fn = in.fn](double a, double b) { return apply_fn(fn, a, b); });
    }
  }

  void check_index(const LoopInstr& in) {
    for (std::int64_t i = 0; i < count(in); ++i) {
      std::int64_t index = integer(in.a)[i * stride(in.a)];
      bool wanted = in.b == kNoRegister || integer(in.b)[i * stride(in.b)] != 0;
      if (wanted && (index < 0 || index >= in.number)) {
        return fail(fmt::format("the index {} is out of range for an axis of size {}", index, in.number));
      }
    }
  }

  void read(const LoopInstr& in) {
    const Tensor& tensor = *tensors_[static_cast<std::size_t>(in.number)];
    const std::int64_t* address = integer(in.a);
    std::int64_t sa = stride(in.a);
    const std::int64_t* mask = in.b == kNoRegister ? nullptr : integer(in.b);
    std::int64_t sm = mask ? stride(in.b) : 0;
    auto each = [&](auto* out, auto element) {
      std::int64_t n = count(in);
      if (mask == nullptr && in.a == program_.position) {
        for (std::int64_t i = 0, first = *address; i < n; ++i) out[i] = element(first + i);
      } else if (mask == nullptr) {
        for (std::int64_t i = 0; i < n; ++i) out[i] = element(address[i * sa]);
      } else {
        for (std::int64_t i = 0; i < n; ++i) out[i] = mask[i * sm] != 0 ? element(address[i * sa]) : 0;
      }
    };
    if (in.op == LoopOp::ReadI) {
      each(integer(in.out), [&](std::int64_t at) { return tensor.int_at(at); });
    } else if (tensor.dtype() == DType::Float32) {
      each(real(in.out), [from = tensor.as<float>().data()](std::int64_t at) { return static_cast<double>(from[at]); });
    } else if (tensor.dtype() == DType::Float64) {
      each(real(in.out), [from = tensor.as<double>().data()](std::int64_t at) { return from[at]; });
    } else {
      each(real(in.out), [&](std::int64_t at) { return tensor.double_at(at); });
    }
  }

  void reduce(const ReduceLoop& loop, const LoopInstr& in) {
    std::int64_t n = count(in);
    if (loop.integral) {
      std::vector<std::int64_t> total(static_cast<std::size_t>(n), initial_int(loop.reduction));
      run_level(loop, 0, n, total.data());
      std::copy(total.begin(), total.end(), integer(in.out));
    } else {
      std::vector<double> total(static_cast<std::size_t>(n), initial_real(loop.reduction));
      run_level(loop, 0, n, total.data());
      std::copy(total.begin(), total.end(), real(in.out));
    }
  }

  static std::int64_t initial_int(Reduction r) {
    return r == Reduction::Sum ? 0 : r == Reduction::Product ? 1 : r == Reduction::Max ? INT64_MIN : INT64_MAX;
  }
  static double initial_real(Reduction r) {
    return r == Reduction::Sum ? 0 : r == Reduction::Product ? 1 : r == Reduction::Max ? -INFINITY : INFINITY;
  }

  const std::int64_t* value_of(Register r, std::int64_t) { return integer(r); }
  const double* value_of(Register r, double) { return real(r); }

  template <class T>
  void run_level(const ReduceLoop& loop, std::size_t level, std::int64_t n, T* total) {
    if constexpr (std::is_same_v<T, double>) {
      if (level + 1 == loop.levels.size() && loop.product.applies && is_float32_product(loop.product)) {
        return run_product(loop, n, total);
      }
    }
    for (std::int64_t v = 0; v < loop.extents[level] && error_.empty(); ++v) {
      *integer(loop.index[level]) = v;
      exec(loop.levels[level]);
      if (level + 1 < loop.levels.size()) {
        run_level(loop, level + 1, n, total);
      } else {
        accumulate(loop, n, total);
      }
    }
  }

  template <class T>
  void accumulate(const ReduceLoop& loop, std::int64_t n, T* total) {
    const T* body = value_of(loop.body, T());
    std::int64_t sb = stride(loop.body);
    const std::int64_t* mask = loop.mask == kNoRegister ? nullptr : integer(loop.mask);
    std::int64_t sm = mask ? stride(loop.mask) : 0;
    for (std::int64_t i = 0; i < n; ++i) {
      if (mask != nullptr && mask[i * sm] == 0) {
        continue;
      }
      T value = body[i * sb];
      switch (loop.reduction) {
        case Reduction::Sum: total[i] = plus(total[i], value); break;
        case Reduction::Product: total[i] = times(total[i], value); break;
        case Reduction::Max: total[i] = larger(total[i], value); break;
        case Reduction::Min: total[i] = smaller(total[i], value); break;
      }
    }
  }

  static std::int64_t plus(std::int64_t a, std::int64_t b) { return wrap_add(a, b); }
  static double plus(double a, double b) { return a + b; }
  static std::int64_t times(std::int64_t a, std::int64_t b) { return wrap_mul(a, b); }
  static double times(double a, double b) { return a * b; }
  static std::int64_t larger(std::int64_t a, std::int64_t b) { return std::max(a, b); }
  static double larger(double a, double b) { return vouch::larger(a, b); }
  static std::int64_t smaller(std::int64_t a, std::int64_t b) { return std::min(a, b); }
  static double smaller(double a, double b) { return vouch::smaller(a, b); }

  // Masked lanes add 0 times an element: nothing, where the elements are finite.
  bool is_float32_product(const ReduceLoop::Product& product) {
    return tensors_[product.tensor[0]]->dtype() == DType::Float32 && tensors_[product.tensor[1]]->dtype() == DType::Float32 &&
           (product.mask == kNoRegister || all_finite(product.tensor[product.unmasked]));
  }

  bool all_finite(std::uint32_t number) {
    auto [at, added] = finite_.try_emplace(number, true);
    if (added) {
      std::span<const float> elements = tensors_[number]->as<float>();
      at->second = std::all_of(elements.begin(), elements.end(), [](float x) { return std::isfinite(x); });
    }
    return at->second;
  }

  // total[lane] += sum over the last index of x * y, by runs of lanes whose addresses are consecutive.
  void run_product(const ReduceLoop& loop, std::int64_t n, double* total) {
    const ReduceLoop::Product& p = loop.product;
    const float* x = tensors_[p.tensor[0]]->as<float>().data();
    const float* y = tensors_[p.tensor[1]]->as<float>().data();
    const std::int64_t* ax = integer(p.address[0]);
    const std::int64_t* ay = integer(p.address[1]);
    std::int64_t sx = stride(p.address[0]);
    std::int64_t sy = stride(p.address[1]);
    const std::int64_t* mask = p.mask == kNoRegister ? nullptr : integer(p.mask);
    std::int64_t sm = mask ? stride(p.mask) : 0;
    std::int64_t steps = loop.extents.back();
    for (std::int64_t i = 0; i < n;) {
      if (mask != nullptr && mask[i * sm] == 0) {
        ++i;
        continue;
      }
      std::int64_t from = i++;
      auto follows = [&](const std::int64_t* a, std::int64_t s) { return s == 0 || a[i] == a[i - 1] + 1; };
      while (i < n && (mask == nullptr || mask[i * sm] != 0) && follows(ax, sx) && follows(ay, sy)) {
        ++i;
      }
      add_products(x + ax[from * sx], sx != 0, p.step[0], y + ay[from * sy], sy != 0, p.step[1], steps, total + from, i - from);
    }
  }

  const LoopProgram& program_;
  std::span<const Tensor* const> tensors_;
  std::vector<std::size_t> offset_;
  std::unique_ptr<std::int64_t[]> integers_;  // an instruction writes a register before another reads it
  std::unique_ptr<double[]> reals_;
  std::unordered_map<std::uint32_t, bool> finite_;  // tensors asked of so far
  std::int64_t lanes_ = 1;
  std::string error_;
};

}  // namespace

bool run_program(const LoopProgram& program, std::span<const Tensor* const> tensors, std::int64_t begin, std::int64_t end,
                 Tensor& target, std::string& error) {
  return Runner(program, tensors, end - begin).run(begin, end, target, error);
}

}  // namespace vouch
