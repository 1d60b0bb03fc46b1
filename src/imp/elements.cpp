#include "imp/elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "support/fault.h"

namespace vouch::array {
namespace {

struct ElementRow {
  std::string_view type;
  unsigned bytes;
};

constexpr std::array<ElementRow, kElementCount> kElements = {{
    {"float", 4},
    {"double", 8},
    {"int32_t", 4},
    {"int64_t", 8},
    {"bool", 1},
    {"float16", 2},
    {"int8_t", 1},
    {"uint8_t", 1},
    {"bfloat16", 2},
    {"int16_t", 2},
    {"uint16_t", 2},
    {"uint32_t", 4},
    {"uint64_t", 8},
}};

const ElementRow& row_of(Element element) { return kElements[static_cast<std::size_t>(element)]; }

std::string magnitude(Element element, const Integer& mantissa, const Integer& exponent) {
  std::string_view letter = element == Element::F32 ? "f" : "";
  if (exponent == 0) {
    return is_float(element) ? fmt::format("{}.0{}", mantissa.str(), letter) : mantissa.str();
  }
  return fmt::format("0x{}p{}{}", mantissa.str(0, std::ios_base::hex), exponent.str(), letter);
}

std::string in_math(Element element, std::string_view function) {
  return fmt::format("{}{}", function, element == Element::F32 ? "f" : "");
}

std::string in_whole(Element element, std::string_view function) { return fmt::format("{}_{}", function, word_of(element)); }

// How the function is called; arithmetic on floats and comparisons are operators.
std::string function_name(Element element, Op op) {
  auto pick = [&](std::string_view math, std::string_view whole) {
    return is_float(element) ? in_math(element, math) : in_whole(element, whole);
  };
  auto extremum = [&](std::string_view greatest, std::string_view whole) {
    return element == Element::F32 ? std::string(greatest) : in_whole(element, element == Element::F64 ? greatest : whole);
  };
  switch (op) {
    case Op::Neg: return in_whole(element, "neg");
    case Op::Round: return in_math(element, "rint");
    case Op::Abs: return pick("fabs", "abs");
    case Op::Max: return extremum("greater", "max");
    case Op::Min: return extremum("lesser", "min");
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div: return in_whole(element, op_row(op).text);
    case Op::Less:
    case Op::LessEq:
    case Op::Equal:
    case Op::Sel: return "";
    case Op::ExpLanes:
    case Op::TanhLanes:
    case Op::ErfLanes: return std::string(op_row(op).text);
    default: return cast_of(op) ? std::string(op_row(op).text) : in_math(element, op_row(op).text);
  }
}

std::string_view float_operator(Op op) {
  switch (op) {
    case Op::Add: return "+";
    case Op::Sub: return "-";
    case Op::Mul: return "*";
    case Op::Div: return "/";
    case Op::Less: return "<";
    case Op::LessEq: return "<=";
    case Op::Equal: return "==";
    default: return "";
  }
}

struct Definition {
  std::string name;
  std::string text;
};

Definition function_text(std::string_view result, std::string name, std::string_view parameters, std::string_view value) {
  std::string text = fmt::format("static inline {} {}({}) {{\n  return {};\n}}\n", result, name, parameters, value);
  return {std::move(name), std::move(text)};
}

// A number wins against none; of zeros, the first. Compilers make lanes of this form; of `a < b || a != a ? b : a` gcc 12 makes
// jumps.
void add_extrema(Element element, std::vector<Definition>& all) {
  std::string two = fmt::format("{0} a, {0} b", c_type(element));
  all.push_back(function_text(c_type(element), function_name(element, Op::Max), two, "a != a ? b : a < b ? b : a"));
  all.push_back(function_text(c_type(element), function_name(element, Op::Min), two, "a != a ? b : b < a ? b : a"));
}

void add_arithmetic(Element element, std::vector<Definition>& all) {
  std::string_view type = c_type(element);
  std::string one = fmt::format("{} a", type);
  std::string two = fmt::format("{0} a, {0} b", type);
  std::string same(has_sign(element) ? "u" : "");
  same += type;  // without sign
  std::string negated = fmt::format("({})(0 - ({})a)", type, same);
  auto add = [&](Op op, std::string_view parameters, std::string_view value) {
    all.push_back(function_text(type, function_name(element, op), parameters, value));
  };
  auto both = [&](std::string_view op) { return fmt::format("({0})(({1})a {2} ({1})b)", type, same, op); };
  add(Op::Neg, one, negated);
  add(Op::Abs, one, has_sign(element) ? fmt::format("a < 0 ? {} : a", negated) : "a");
  add(Op::Add, two, both("+"));
  add(Op::Sub, two, both("-"));
  add(Op::Mul, two, both("*"));
  add(Op::Div, two, fmt::format("b == 0 ? 0 : {}a / b", has_sign(element) ? fmt::format("b == -1 ? {} : ", negated) : ""));
  add(Op::Max, two, "a < b ? b : a");
  add(Op::Min, two, "b < a ? b : a");
}

std::string converted(Element from, Element to) {
  if (to == Element::B8) {
    return "a != 0";
  }
  std::string plain = fmt::format("({})a", c_type(to));
  if (!is_float(from) || is_float(to)) {
    return plain;
  }
  if (to == Element::U64) {
    return "a >= 0 && a < 0x1p64 ? (uint64_t)a : a >= -0x1p63 && a < 0 ? (uint64_t)(int64_t)a : 0";
  }
  bool wide = to == Element::I64 || to == Element::U32;
  int bits = wide ? 63 : 31;
  return fmt::format("a >= -0x1p{0} && a < 0x1p{0} ? {1}", bits,
                     is_whole(to) ? fmt::format("{} : INT{}_MIN", plain, bits + 1)
                                  : fmt::format("({})({})a : 0", c_type(to), c_type(wide ? Element::I64 : Element::I32)));
}

// Infinities and numbers that are none keep their mantissa; all else is a product without rounding.
constexpr std::string_view kFromHalf = R"(static inline {0} {1}(uint16_t a) {{
  union {{ uint32_t bits; float number; }} of = {{(uint32_t)(a & 0x7fff) << 13}};
  of.number *= 0x1p112f;
  if ((a & 0x7c00) == 0x7c00) of.bits |= 0x7f800000;
  of.bits |= (uint32_t)(a & 0x8000) << 16;
  return of.number;
}}
)";

// A sum with a number whose last place is that of the result rounds, ties to even.
constexpr std::string_view kToHalf = R"(static inline uint16_t {1}({0} a) {{
  union {{ {0} number; uint{2}_t bits; }} of = {{a}}, sum;
  uint16_t sign = (uint16_t)(of.bits >> {3} & 0x8000);
  of.bits &= INT{2}_MAX;
  if (!(of.number < 65520)) return (uint16_t)(sign | (a == a ? 0x7c00 : 0x7e00));
  uint{2}_t exponent = of.bits >> {4};
  if (exponent < {5}) exponent = {5};
  sum.bits = (exponent + {6}) << {4};
  sum.number += of.number;
  return (uint16_t)(sign | (((exponent - {5}) << 10) + (sum.bits & 0xfff)));
}}
)";

// A bfloat16 is the upper half of a binary32.
constexpr std::string_view kFromBfloat = R"(static inline {0} {1}(uint16_t a) {{
  union {{ uint32_t bits; float number; }} of = {{(uint32_t)a << 16}};
  return of.number;
}}
)";

constexpr std::string_view kBfloatOfFloat = R"(static inline uint16_t {0}(float a) {{
  union {{ float number; uint32_t bits; }} of = {{a}};
  if (a != a) return (uint16_t)((of.bits >> 16 & 0x8000) | 0x7fc0);
  return (uint16_t)((of.bits + 0x7fff + (of.bits >> 16 & 1)) >> 16);
}}
)";

// As kToHalf.
constexpr std::string_view kBfloatOfDouble = R"(static inline uint16_t {0}(double a) {{
  union {{ double number; uint64_t bits; }} of = {{a}}, sum;
  uint16_t sign = (uint16_t)(of.bits >> 48 & 0x8000);
  of.bits &= INT64_MAX;
  if (!(of.number < 0x1ffp119)) return (uint16_t)(sign | (a == a ? 0x7f80 : 0x7fc0));
  uint64_t exponent = of.bits >> 52;
  if (exponent < 897) exponent = 897;
  sum.bits = (exponent + 45) << 52;
  sum.number += of.number;
  return (uint16_t)(sign | (((exponent - 897) << 7) + (sum.bits & 0x1ff)));
}}
)";

// Functions without jumps and tables, of which compilers make lanes: exp_lanes32, … of coq/array/Binary32.v, bit for bit.
constexpr std::string_view kExpLanes = R"(static inline float exp_lanes(float a) {
  float x = a < -104.0f ? -104.0f : a > 89.0f ? 89.0f : a;
  union { float number; uint32_t bits; } of = {x * 0x1.715476p+0f + 0x1.8p+23f}, half, rest;
  float n = of.number - 0x1.8p+23f;
  float r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
  float p = ((0x1.6a2352p-10f * r + 0x1.123a6cp-7f) * r + 0x1.5558f4p-5f) * r + 0x1.55549p-3f;
  float y = ((p * r + 0x1.fffffcp-2f) * (r * r) + r) + 1.0f;
  uint32_t m = of.bits - 0x4b3fff00;
  half.bits = ((m >> 1) - 1) << 23;
  rest.bits = (m - (m >> 1) - 1) << 23;
  return y * half.number * rest.number;
}
)";

constexpr std::string_view kTanhLanes = R"(static inline float tanh_lanes(float a) {
  float x = fabsf(a), s = a * a;
  float p = ((-0x1.75e1cep-8f * s + 0x1.52269cp-6f) * s + -0x1.b83c5ap-5f) * s + 0x1.110726p-3f;
  float inner = (p * s + -0x1.555532p-2f) * s * a + a;
  float outer = 1.0f - 2.0f / (exp_lanes(x + x) + 1.0f);
  return x < 0.625f ? inner : copysignf(outer, a);
}
)";

constexpr std::string_view kErfLanes = R"(static inline float erf_lanes(float a) {
  float x = fabsf(a), s = a * a;
  float p = ((-0x1.38ep-11f * s + 0x1.471a58p-8f) * s + -0x1.b691b2p-6f) * s + 0x1.ce1c44p-4f;
  float inner = ((p * s + -0x1.8127p-2f) * s + 0x1.06eba8p-3f) * a + a;
  float q = ((-0x1.22p-16f * x + 0x1.91cfb2p-12f) * s + (-0x1.fd1438p-9f * x + 0x1.8d6342p-6f)) * x + -0x1.b55cb8p-4f;
  float outer = 1.0f - exp_lanes(((q * x + -0x1.450aap-1f) * x + -0x1.079d0cp-3f) * x - x);
  return x < 0x1.dbp-1f ? inner : copysignf(outer, a);
}
)";

Definition conversion(Element from, Element to) {
  std::string name = function_name(to, cast_op({from, to}));
  if (from == Element::F16) {
    return {name, fmt::format(kFromHalf, c_type(to), name)};
  }
  if (to == Element::F16) {
    return {name, from == Element::F64 ? fmt::format(kToHalf, c_type(from), name, 64, 48, 52, 1009, 42)
                                       : fmt::format(kToHalf, c_type(from), name, 32, 16, 23, 113, 13)};
  }
  if (from == Element::BF16) {
    return {name, fmt::format(kFromBfloat, c_type(to), name)};
  }
  if (to == Element::BF16) {
    return {name, from == Element::F64 ? fmt::format(kBfloatOfDouble, name) : fmt::format(kBfloatOfFloat, name)};
  }
  return function_text(c_type(to), name, fmt::format("{} a", c_type(from)), converted(from, to));
}

std::vector<Definition> all_definitions() {
  std::vector<Definition> all;
  add_extrema(Element::F32, all);
  add_extrema(Element::F64, all);
  add_arithmetic(Element::I32, all);
  add_arithmetic(Element::I64, all);
  add_arithmetic(Element::U64, all);
  for (int t = 0; t < kElementCount; ++t) {
    for (int s = 0; s < kElementCount; ++s) {
      auto from = static_cast<Element>(s);
      auto to = static_cast<Element>(t);
      if (castable(from, to)) {
        all.push_back(conversion(from, to));
      }
    }
  }
  for (Element to : {Element::F32, Element::F64, Element::I32, Element::I64, Element::U64}) {
    std::string value = to == Element::I64 ? "a" : fmt::format("({})a", c_type(to));
    all.push_back(function_text(c_type(to), c_position(to), "int64_t a", value));
  }
  for (auto [op, text] : {std::pair(Op::ExpLanes, kExpLanes), {Op::TanhLanes, kTanhLanes}, {Op::ErfLanes, kErfLanes}}) {
    all.push_back({function_name(Element::F32, op), std::string(text)});
  }
  std::string_view three = "int64_t a, int64_t b, int64_t c";
  all.push_back(function_text("int64_t", std::string(kAtLeast), three, "c < a - b ? a - b : c"));
  all.push_back(function_text("int64_t", std::string(kAtMost), three, "a - b < c ? a - b : c"));
  return all;
}

void add_calls(Element as, const FlatExp& e, std::set<std::string>& calls) {
  if (e->kind == FlatExpKind::Op) {
    calls.insert(function_name(as, e->op));
    if (e->op == Op::TanhLanes || e->op == Op::ErfLanes) {
      calls.insert(function_name(as, Op::ExpLanes));  // which they call
    }
  } else if (e->kind == FlatExpKind::Position) {
    calls.insert(c_position(as));
  }
  auto cast = e->kind == FlatExpKind::Op ? cast_of(e->op) : std::nullopt;
  for (const FlatExp& arg : e->args) {
    add_calls(cast ? cast->from : as, arg, calls);
  }
}

void add_calls(const Elements& elements, const Flat& c, std::set<std::string>& calls) {
  if (auto gather = gather_of(c)) {
    add_calls(Element::I64, gather->from, calls);
    add_calls(elements.of(c->parts[0]->var), gather->value, calls);
    return;
  }
  if (c->kind == FlatKind::Assign) {
    add_calls(elements.of(c->var), c->value, calls);
  }
  if (!c->from.empty()) {
    calls.emplace(kAtLeast);
  }
  if (!c->until.empty()) {
    calls.emplace(kAtMost);
  }
  for (const Flat& part : c->parts) {
    add_calls(elements, part, calls);
  }
}

}  // namespace

bool is_float(Element element) { return element == Element::F32 || element == Element::F64; }
bool is_whole(Element element) { return element == Element::I32 || element == Element::I64 || element == Element::U64; }
bool has_sign(Element element) {
  return element != Element::U8 && element != Element::U16 && element != Element::U32 && element != Element::U64;
}
bool castable(Element from, Element to) {
  auto computes = [](Element element) { return is_float(element) || is_whole(element); };
  auto is_half = [](Element element) { return element == Element::F16 || element == Element::BF16; };
  if (is_half(from) || is_half(to)) {
    return is_float(from) || is_float(to);
  }
  return from != to && (computes(from) || computes(to));
}

std::string_view c_type(Element element) { return row_of(element).type; }
std::string_view c_held(Element element) {
  return c_type(element == Element::F16 || element == Element::BF16 ? Element::U16 : element);
}

std::string c_typedefs(const std::vector<Element>& stored) {
  std::string text;
  for (Element element : {Element::F16, Element::BF16}) {
    if (std::find(stored.begin(), stored.end(), element) != stored.end()) {
      text += fmt::format("typedef {} {};\n", c_held(element), c_type(element));
    }
  }
  return text;
}

unsigned bytes_of(Element element) { return row_of(element).bytes; }
std::string c_allocator_name(Element element) { return fmt::format("new_{}s", word_of(element)); }

std::string c_position(Element element) { return fmt::format("{}_of_index", word_of(element)); }

std::string c_literal(Element element, const Const& c) {
  if (c.infinite) {
    return c.negative ? "(-INFINITY)" : "INFINITY";
  }
  Integer positive = -c.mantissa;
  return c.mantissa < 0 ? "(-" + magnitude(element, positive, c.exponent) + ")" : magnitude(element, c.mantissa, c.exponent);
}

std::string c_operation(Element element, Op op, const std::vector<std::string>& x) {
  std::string nought = magnitude(element, 0, 0);
  switch (op) {
    case Op::Neg:
      if (is_float(element)) {
        return "(-" + x[0] + ")";
      }
      break;
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
      if (is_float(element)) {
        return fmt::format("({} {} {})", x[0], float_operator(op), x[1]);
      }
      break;
    case Op::Less:
    case Op::LessEq:
    case Op::Equal: return fmt::format("({} {} {} ? {} : {})", x[0], float_operator(op), x[1], magnitude(element, 1, 0), nought);
    case Op::Sel: return fmt::format("({} != {} ? {} : {})", x[0], nought, x[1], x[2]);
    default: break;
  }
  return fmt::format("{}({})", function_name(element, op), fmt::join(x, ", "));
}

std::vector<std::string> c_definitions(const Elements& elements, const Flat& body) {
  static const std::vector<Definition> kAll = all_definitions();
  std::set<std::string> calls;
  add_calls(elements, body, calls);
  std::vector<std::string> out;
  for (const Definition& definition : kAll) {
    if (calls.contains(definition.name)) {
      out.push_back(definition.text);
    }
  }
  return out;
}

bool has_operation(Element element, Op op) {
  switch (op) {
    case Op::Neg:
    case Op::Abs:
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Max:
    case Op::Min:
    case Op::Less:
    case Op::LessEq:
    case Op::Equal:
    case Op::Sel: return is_float(element) || is_whole(element);
    case Op::ExpLanes:
    case Op::TanhLanes:
    case Op::ErfLanes: return element == Element::F32;
    default: return is_float(element);
  }
}

}  // namespace vouch::array
