#include "imp/checked.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/fault.h"

namespace vouch::array {
namespace {

constexpr std::string_view kSum =
    "static int64_t size_sum(int64_t a, int64_t b) {\n"
    "  return INT64_MAX - b < a ? INT64_MAX : a + b;\n"
    "}\n";

constexpr std::string_view kProduct =
    "static int64_t size_product(int64_t a, int64_t b) {\n"
    "  return b == 0 ? 0 : INT64_MAX / b < a ? INT64_MAX : a * b;\n"
    "}\n";

constexpr std::string_view kMissing =
    "static int missing(const void *p, int64_t n) {\n"
    "  return p == NULL && 0 < n;\n"
    "}\n";

constexpr std::string_view kOverlap =
    "static int overlap(const void *p, int64_t n, const void *q, int64_t m) {\n"
    "  uintptr_t a = (uintptr_t)p;\n"
    "  uintptr_t b = (uintptr_t)q;\n"
    "  return 0 < n && 0 < m && (a < b ? b - a < (uintptr_t)n : a - b < (uintptr_t)m);\n"
    "}\n";

bool has_sum(const Size& s) {
  return s->kind == SizeKind::Add || (s->kind == SizeKind::Mul && (has_sum(s->args[0]) || has_sum(s->args[1])));
}

bool has_product(const Size& s) {
  return s->kind == SizeKind::Mul || (s->kind == SizeKind::Add && (has_product(s->args[0]) || has_product(s->args[1])));
}

// Sums and products that stop at the largest number.
std::string stopped(const CNames& names, const Size& s) {
  switch (s->kind) {
    case SizeKind::Var: return names.sizes.at(s->var);
    case SizeKind::Const: return s->value.str();
    case SizeKind::Add: return fmt::format("size_sum({}, {})", stopped(names, s->args[0]), stopped(names, s->args[1]));
    case SizeKind::Mul: return fmt::format("size_product({}, {})", stopped(names, s->args[0]), stopped(names, s->args[1]));
    case SizeKind::Part: return c_size(names, s);
  }
  fault("no such size");
}

std::string condition(const CNames& names, const Test& test) {
  auto size = [&](std::size_t i) { return stopped(names, test.sizes.at(i)); };
  switch (test.kind) {
    case TestKind::Negative: return names.sizes.at(test.var) + " < 0";
    case TestKind::TooLarge: return size(0) + " == INT64_MAX";
    case TestKind::Broken: return fmt::format("{} < {}", size(1), size(0));
    case TestKind::Missing: return fmt::format("missing({}, {})", names.variables.at(test.var), size(0));
    case TestKind::Overlap:
      return fmt::format("overlap({}, {}, {}, {})", names.variables.at(test.var), size(0), names.variables.at(test.other),
                         size(1));
  }
  fault("no such test");
}

bool any_size(const std::vector<Test>& tests, bool (*is)(const Size&)) {
  return std::any_of(tests.begin(), tests.end(),
                     [&](const Test& test) { return std::any_of(test.sizes.begin(), test.sizes.end(), is); });
}

}  // namespace

unsigned code_of(const Test& test) { return static_cast<unsigned>(test.kind) + 1; }

std::string print_checked(const std::string& name, const CNames& names, const std::vector<Type>& inputs, bool heap,
                          const std::vector<Test>& tests) {
  std::string text;
  auto add = [&](std::string_view function, bool wanted) { text += wanted ? "\n" + std::string(function) : ""; };
  add(kSum, any_size(tests, has_sum));
  add(kProduct, any_size(tests, has_product));
  add(kMissing, true);
  add(kOverlap, std::any_of(tests.begin(), tests.end(), [](const Test& test) { return test.kind == TestKind::Overlap; }));
  text += fmt::format("\nint {}({}) {{\n", c_checked_name(name), c_parameters(names, inputs, CPointers::Plain));
  for (const Test& test : tests) {
    text += fmt::format("  if ({}) return {};\n", condition(names, test), code_of(test));
  }
  std::string arguments = c_arguments(names);
  text += heap ? fmt::format("  int failed[1] = {{0}};\n  {}({}, failed);\n  return failed[0] ? {} : 0;\n", c_tried_name(name),
                             arguments, kNoMemory)
               : fmt::format("  {}({});\n  return 0;\n", name, arguments);
  return text + "}\n";
}

}  // namespace vouch::array
