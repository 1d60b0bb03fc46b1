#include "kernel/loop_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernel/element.h"
#include "kernel/scalar_functions.h"
#include "support/fault.h"
#include "term/print.h"

namespace vouch {

LoopRun::LoopRun(const LoopProgram& program, std::span<const Tensor> tensors)
    : program_(program), tensors_(tensors), integers_(program.integers), reals_(program.reals) {}

bool LoopRun::fail(const Instruction& instruction, std::string message) {
  constexpr std::uint32_t kDeepest = 12;
  std::string where = instruction.origin && instruction.origin->depth <= kDeepest
                          ? fmt::format(" in `{}`", print_term(instruction.origin))
                          : "";
  failure_ = message + where;
  return false;
}

bool LoopRun::run(std::int64_t outer_begin, std::int64_t outer_end, std::int64_t lane_begin, std::int64_t lane_end,
                  const Destination& destination) {
  lanes_ = 1;
  if (!execute(0)) {
    return false;
  }
  for (std::int64_t point = outer_begin; point < outer_end; ++point) {
    set_outer(point);
    lanes_ = 1;
    if (!execute(1)) {
      return false;
    }
    for (std::int64_t at = lane_begin; at < lane_end; at += kLanes) {
      lane_begin_ = at;
      lanes_ = std::min(kLanes, lane_end - at);
      set_lanes();
      if (!execute(2)) {
        return false;
      }
      store(destination, destination.offset + outer_offset_ + (at - lane_begin));
    }
  }
  return true;
}

bool LoopRun::run_inner(std::span<const std::int64_t> leading, std::int64_t lane_begin, std::int64_t lane_end,
                        const Destination& destination) {
  std::int64_t inner = 1;
  std::int64_t point = 0;
  for (std::size_t i = 0; i < program_.outer.size(); ++i) {
    i < leading.size() ? point = point * program_.outer[i].extent + leading[i] : inner *= program_.outer[i].extent;
  }
  return run(point * inner, (point + 1) * inner, lane_begin, lane_end, destination);
}

void LoopRun::set_outer(std::int64_t point) {
  outer_offset_ = 0;
  for (std::size_t i = program_.outer.size(); i-- > 0;) {
    const Axis& axis = program_.outer[i];
    std::int64_t at = point % axis.extent;
    point /= axis.extent;
    integers_[program_.registers[program_.outer_registers[i]].offset] = at;
    outer_offset_ += at * axis.stride;
  }
}

void LoopRun::set_lanes() {
  std::int64_t inner = 1;
  for (std::size_t i = program_.lanes.size(); i-- > 0;) {
    std::int64_t extent = program_.lanes[i].extent;
    if (program_.lane_registers[i] != kNone) {
      std::int64_t* out = integers(program_.lane_registers[i]);
      std::int64_t value = lane_begin_ / inner % extent;
      std::int64_t left = inner - lane_begin_ % inner;
      for (std::int64_t lane = 0; lane < lanes_; ++lane) {
        out[lane] = value;
        if (--left == 0) {
          left = inner;
          value = value + 1 == extent ? 0 : value + 1;
        }
      }
    }
    inner *= extent;
  }
}

bool LoopRun::execute(std::size_t scope) {
  for (const Instruction& instruction : program_.scopes[scope]) {
    if (!step(instruction)) {
      return false;
    }
    if (skipped_) {
      return true;
    }
  }
  return true;
}

bool LoopRun::loop(const Instruction& instruction) {
  std::int64_t extent = *integers(instruction.a);
  std::int64_t& index = *integers(instruction.dst);
  for (std::int64_t i = 0; i < extent; ++i) {
    index = i;
    if (!execute(static_cast<std::size_t>(instruction.imm))) {
      return false;
    }
    skipped_ = false;
  }
  return true;
}

template <>
double* LoopRun::lanes_of<double>(std::uint32_t at) { return reals(at); }
template <>
std::int64_t* LoopRun::lanes_of<std::int64_t>(std::uint32_t at) { return integers(at); }

template <class T, class R, class F>
void LoopRun::map(const Instruction& instruction, F f) {
  R* out = lanes_of<R>(instruction.dst);
  const T* a = lanes_of<T>(instruction.a);
  const T* b = lanes_of<T>(instruction.b);
  std::int64_t n = width(instruction.dst);
  if (uniform(instruction.a)) {
    T first = *a;
    if (uniform(instruction.b)) {
      std::fill_n(out, n, f(first, *b));
      return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = f(first, b[i]);
    }
  } else if (uniform(instruction.b)) {
    T second = *b;
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = f(a[i], second);
    }
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = f(a[i], b[i]);
    }
  }
}

template <class T, class R, class F>
void LoopRun::map_one(const Instruction& instruction, F f) {
  R* out = lanes_of<R>(instruction.dst);
  const T* a = lanes_of<T>(instruction.a);
  std::int64_t n = width(instruction.dst);
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = f(a[i]);
  }
}

namespace {

// Wrapping arithmetic. Objects, not functions: each has a type of its own, so the loops over lanes inline it.
constexpr auto wrap_add = [](std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
};
constexpr auto wrap_subtract = [](std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
};
constexpr auto wrap_multiply = [](std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
};
constexpr auto wrap_power = [](std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    result = (exponent & 1) != 0 ? wrap_multiply(result, base) : result;
    base = wrap_multiply(base, base);
  }
  return result;
};

std::int64_t quotient(Op op, std::int64_t a, std::int64_t b) {
  if (b == -1) {  // the one quotient that overflows
    return op == Op::FloorDivI || op == Op::TruncDivI ? wrap_subtract(0, a) : 0;
  }
  std::int64_t whole = a / b;
  std::int64_t rest = a % b;
  bool down = rest != 0 && (rest < 0) != (b < 0);
  switch (op) {
    case Op::FloorDivI: return whole - down;
    case Op::FloorModI: return down ? rest + b : rest;
    case Op::TruncDivI: return whole;
    default: return rest;
  }
}

template <class T>
T pick(std::int64_t condition, T then, T otherwise) {
  return condition != 0 ? then : otherwise;
}

}  // namespace

bool LoopRun::step(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::FloorDivI:
    case Op::FloorModI:
    case Op::TruncDivI:
    case Op::FmodI: return divide(instruction);
    case Op::IntOfReal: return index_of_real(instruction);
    case Op::CheckRange: return check_range(instruction);
    case Op::Loop: return loop(instruction);
    case Op::Continue: skipped_ = *integers(instruction.a) == 0; return true;
    case Op::LoadI:
    case Op::LoadR: load(instruction); return true;
    case Op::Reset: reset(instruction); return true;
    case Op::Accumulate: accumulate(instruction); return true;
    case Op::ConstI:
    case Op::AddI:
    case Op::SubI:
    case Op::MulI:
    case Op::MinI:
    case Op::MaxI:
    case Op::SelectI:
    case Op::NegI:
    case Op::AbsI:
    case Op::SignI:
    case Op::PowI: integer_step(instruction); return true;
    case Op::LeI:
    case Op::LtI:
    case Op::EqI:
    case Op::LeR:
    case Op::LtR:
    case Op::EqR:
    case Op::And:
    case Op::AndNot:
    case Op::Or:
    case Op::Not: compare_step(instruction); return true;
    case Op::ConstR:
    case Op::AddR:
    case Op::SubR:
    case Op::MulR:
    case Op::DivR:
    case Op::NegR:
    case Op::SelectR:
    case Op::RealOfInt: real_step(instruction); return true;
    case Op::CallR: function_step(instruction); return true;
  }
  fault("an instruction of no kind");
}

void LoopRun::integer_step(const Instruction& instruction) {
  using I = std::int64_t;
  switch (instruction.op) {
    case Op::ConstI: *integers(instruction.dst) = instruction.imm; return;
    case Op::AddI: return map<I, I>(instruction, wrap_add);
    case Op::SubI: return map<I, I>(instruction, wrap_subtract);
    case Op::MulI: return map<I, I>(instruction, wrap_multiply);
    case Op::MinI: return map<I, I>(instruction, [](I a, I b) { return std::min(a, b); });
    case Op::MaxI: return map<I, I>(instruction, [](I a, I b) { return std::max(a, b); });
    case Op::PowI: return map<I, I>(instruction, wrap_power);
    case Op::NegI: return map_one<I, I>(instruction, [](I a) { return wrap_subtract(0, a); });
    case Op::AbsI: return map_one<I, I>(instruction, [](I a) { return a < 0 ? wrap_subtract(0, a) : a; });
    case Op::SignI: return map_one<I, I>(instruction, [](I a) { return static_cast<I>((a > 0) - (a < 0)); });
    default: {
      I* out = integers(instruction.dst);
      const I* condition = integers(instruction.a);
      const I* then = integers(instruction.b);
      const I* otherwise = integers(instruction.c);
      I n = width(instruction.dst);
      I sa = !uniform(instruction.a), sb = !uniform(instruction.b), sc = !uniform(instruction.c);
      for (I i = 0; i < n; ++i) {
        out[i] = pick(condition[i * sa], then[i * sb], otherwise[i * sc]);
      }
    }
  }
}

void LoopRun::compare_step(const Instruction& instruction) {
  using I = std::int64_t;
  switch (instruction.op) {
    case Op::LeI: return map<I, I>(instruction, [](I a, I b) { return static_cast<I>(a <= b); });
    case Op::LtI: return map<I, I>(instruction, [](I a, I b) { return static_cast<I>(a < b); });
    case Op::EqI: return map<I, I>(instruction, [](I a, I b) { return static_cast<I>(a == b); });
    case Op::LeR: return map<double, I>(instruction, [](double a, double b) { return static_cast<I>(a <= b); });
    case Op::LtR: return map<double, I>(instruction, [](double a, double b) { return static_cast<I>(a < b); });
    case Op::EqR: return map<double, I>(instruction, [](double a, double b) { return static_cast<I>(a == b); });
    case Op::And: return map<I, I>(instruction, [](I a, I b) { return a & b; });
    case Op::AndNot: return map<I, I>(instruction, [](I a, I b) { return a & (b ^ 1); });
    case Op::Or: return map<I, I>(instruction, [](I a, I b) { return a | b; });
    default: return map_one<I, I>(instruction, [](I a) { return a ^ 1; });
  }
}

void LoopRun::real_step(const Instruction& instruction) {
  using I = std::int64_t;
  switch (instruction.op) {
    case Op::ConstR: *reals(instruction.dst) = instruction.real; return;
    case Op::AddR: return map<double, double>(instruction, [](double a, double b) { return a + b; });
    case Op::SubR: return map<double, double>(instruction, [](double a, double b) { return a - b; });
    case Op::MulR: return map<double, double>(instruction, [](double a, double b) { return a * b; });
    case Op::DivR: return map<double, double>(instruction, [](double a, double b) { return a / b; });
    case Op::NegR: return map_one<double, double>(instruction, [](double a) { return -a; });
    case Op::RealOfInt: return map_one<I, double>(instruction, [](I a) { return static_cast<double>(a); });
    default: {
      double* out = reals(instruction.dst);
      const I* condition = integers(instruction.a);
      const double* then = reals(instruction.b);
      const double* otherwise = reals(instruction.c);
      I n = width(instruction.dst);
      I sa = !uniform(instruction.a), sb = !uniform(instruction.b), sc = !uniform(instruction.c);
      for (I i = 0; i < n; ++i) {
        out[i] = pick(condition[i * sa], then[i * sb], otherwise[i * sc]);
      }
    }
  }
}

void LoopRun::function_step(const Instruction& instruction) {
  double* out = reals(instruction.dst);
  const double* a = reals(instruction.a);
  std::int64_t n = width(instruction.dst);
  bool two = instruction.b != kNone;
  const double* b = two ? reals(instruction.b) : a;
  std::int64_t sa = !uniform(instruction.a);
  std::int64_t sb = two && !uniform(instruction.b);
  apply_function(instruction.fn, {out, a, sa, b, sb, n});
}

bool LoopRun::divide(const Instruction& instruction) {
  const std::int64_t* a = integers(instruction.a);
  const std::int64_t* b = integers(instruction.b);
  std::int64_t* out = integers(instruction.dst);
  const std::int64_t* mask = instruction.mask == kNone ? nullptr : integers(instruction.mask);
  std::int64_t sa = !uniform(instruction.a), sb = !uniform(instruction.b), sm = !uniform(instruction.mask);
  std::int64_t n = width(instruction.dst);
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t divisor = b[i * sb];
    if (divisor != 0) {
      out[i] = quotient(instruction.op, a[i * sa], divisor);
    } else if (mask != nullptr && mask[i * sm] == 0) {
      out[i] = 0;
    } else {
      return fail(instruction, "integer division by zero");
    }
  }
  return true;
}

bool LoopRun::index_of_real(const Instruction& instruction) {
  const double* a = reals(instruction.a);
  std::int64_t* out = integers(instruction.dst);
  const std::int64_t* mask = instruction.mask == kNone ? nullptr : integers(instruction.mask);
  std::int64_t sa = !uniform(instruction.a), sm = !uniform(instruction.mask);
  std::int64_t n = width(instruction.dst);
  for (std::int64_t i = 0; i < n; ++i) {
    double value = a[i * sa];
    out[i] = 0;
    if (mask != nullptr && mask[i * sm] == 0) {
      continue;
    }
    if (!(std::fabs(value) < 0x1p62) || value != std::trunc(value)) {
      return fail(instruction, fmt::format("{} is no index", value));
    }
    out[i] = static_cast<std::int64_t>(value);
  }
  return true;
}

bool LoopRun::check_range(const Instruction& instruction) {
  const std::int64_t* a = integers(instruction.a);
  const std::int64_t* mask = instruction.mask == kNone ? nullptr : integers(instruction.mask);
  std::int64_t sa = !uniform(instruction.a), sm = !uniform(instruction.mask);
  std::int64_t n = sa + sm == 0 ? 1 : lanes_;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t index = a[i * sa];
    if ((index < 0 || index >= instruction.imm) && (mask == nullptr || mask[i * sm] != 0)) {
      return fail(instruction, fmt::format("index {} is outside of 0 .. {}", index, instruction.imm - 1));
    }
  }
  return true;
}

template <class T, class R>
void LoopRun::load_as(const Instruction& instruction, const T* data) {
  R* out = lanes_of<R>(instruction.dst);
  std::int64_t base = *integers(instruction.a);
  const std::int64_t* offsets = instruction.b == kNone ? nullptr : integers(instruction.b);
  const std::int64_t* mask = instruction.mask == kNone ? nullptr : integers(instruction.mask);
  std::int64_t step = instruction.imm;
  base += step * lane_begin_;
  std::int64_t n = width(instruction.dst);
  std::int64_t so = offsets != nullptr && !uniform(instruction.b), sm = !uniform(instruction.mask);
  if (mask != nullptr) {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = mask[i * sm] != 0 ? static_cast<R>(data[base + (offsets ? offsets[i * so] : step * i)]) : R(0);
    }
  } else if (offsets != nullptr) {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<R>(data[base + offsets[i * so]]);
    }
  } else if (step == 1) {
    const T* from = data + base;
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<R>(from[i]);
    }
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<R>(data[base + step * i]);
    }
  }
}

void LoopRun::load(const Instruction& instruction) {
  const Tensor& tensor = tensors_[instruction.tensor];
  const std::byte* data = tensor.bytes().data();
  switch (tensor.dtype()) {
    case DType::Float32: return load_as<float, double>(instruction, reinterpret_cast<const float*>(data));
    case DType::Float64: return load_as<double, double>(instruction, reinterpret_cast<const double*>(data));
    case DType::Int8: return load_as<std::int8_t, std::int64_t>(instruction, reinterpret_cast<const std::int8_t*>(data));
    case DType::Int16:
      return load_as<std::int16_t, std::int64_t>(instruction, reinterpret_cast<const std::int16_t*>(data));
    case DType::Int32:
      return load_as<std::int32_t, std::int64_t>(instruction, reinterpret_cast<const std::int32_t*>(data));
    case DType::Int64:
    case DType::UInt64:
      return load_as<std::int64_t, std::int64_t>(instruction, reinterpret_cast<const std::int64_t*>(data));
    case DType::Bool: return load_as<Truth, std::int64_t>(instruction, reinterpret_cast<const Truth*>(data));
    case DType::UInt8:
      return load_as<std::uint8_t, std::int64_t>(instruction, reinterpret_cast<const std::uint8_t*>(data));
    case DType::UInt16:
      return load_as<std::uint16_t, std::int64_t>(instruction, reinterpret_cast<const std::uint16_t*>(data));
    case DType::UInt32:
      return load_as<std::uint32_t, std::int64_t>(instruction, reinterpret_cast<const std::uint32_t*>(data));
    case DType::Float16: return load_as<Half, double>(instruction, reinterpret_cast<const Half*>(data));
    case DType::BFloat16: return load_as<Bfloat, double>(instruction, reinterpret_cast<const Bfloat*>(data));
  }
}

void LoopRun::reset(const Instruction& instruction) {
  std::int64_t n = width(instruction.dst);
  bool is_real = program_.registers[instruction.dst].real;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double real = 0;
  std::int64_t integer = 0;
  switch (instruction.reduction) {
    case Reduction::Sum: break;
    case Reduction::Product: real = 1; integer = 1; break;
    case Reduction::Max: real = -kInfinity; integer = INT64_MIN; break;
    case Reduction::Min: real = kInfinity; integer = INT64_MAX; break;
  }
  if (is_real) {
    std::fill_n(reals(instruction.dst), n, real);
  } else {
    std::fill_n(integers(instruction.dst), n, integer);
  }
}

namespace {

struct Lanes {
  const std::int64_t* mask;
  std::int64_t mask_step;
  std::int64_t step;
  std::int64_t count;
};

template <class T, class F>
void gather(T* total, const T* value, const Lanes& lanes, F f) {
  if (lanes.mask != nullptr) {
    for (std::int64_t i = 0; i < lanes.count; ++i) {
      total[i] = lanes.mask[i * lanes.mask_step] != 0 ? f(total[i], value[i * lanes.step]) : total[i];
    }
  } else if (lanes.step == 1) {
    for (std::int64_t i = 0; i < lanes.count; ++i) {
      total[i] = f(total[i], value[i]);
    }
  } else {
    for (std::int64_t i = 0; i < lanes.count; ++i) {
      total[i] = f(total[i], *value);
    }
  }
}

}  // namespace

void LoopRun::accumulate(const Instruction& instruction) {
  using I = std::int64_t;
  const I* mask = instruction.mask == kNone ? nullptr : integers(instruction.mask);
  Lanes lanes{mask, !uniform(instruction.mask), !uniform(instruction.a), width(instruction.dst)};
  if (program_.registers[instruction.dst].real) {
    double* total = reals(instruction.dst);
    const double* value = reals(instruction.a);
    switch (instruction.reduction) {
      case Reduction::Sum: return gather(total, value, lanes, [](double a, double b) { return a + b; });
      case Reduction::Product: return gather(total, value, lanes, [](double a, double b) { return a * b; });
      case Reduction::Max: return gather(total, value, lanes, greater_of);
      case Reduction::Min: return gather(total, value, lanes, lesser_of);
    }
  }
  I* total = integers(instruction.dst);
  const I* value = integers(instruction.a);
  switch (instruction.reduction) {
    case Reduction::Sum: return gather(total, value, lanes, wrap_add);
    case Reduction::Product: return gather(total, value, lanes, wrap_multiply);
    case Reduction::Max: return gather(total, value, lanes, [](I a, I b) { return std::max(a, b); });
    case Reduction::Min: return gather(total, value, lanes, [](I a, I b) { return std::min(a, b); });
  }
}

void LoopRun::store(const Destination& destination, std::int64_t position) {
  bool is_real = program_.registers[program_.result].real;
  std::int64_t step = !uniform(program_.result);
  if (is_real) {
    store_reals(destination.dtype, destination.bytes, position, reals(program_.result), step, lanes_);
  } else {
    store_integers(destination.dtype, destination.bytes, position, integers(program_.result), step, lanes_);
  }
}

}  // namespace vouch
