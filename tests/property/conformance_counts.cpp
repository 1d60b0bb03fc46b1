#include "property/conformance_counts.h"

#include <fmt/format.h>

#include "driver/conformance_cases.h"

namespace vouch {

std::size_t claimed_too_much(const PassedCases& passed) {
  std::size_t wrong = 0;
  for (const ConformanceCases& cases : kConformanceCases) {
    auto found = passed.find(std::string(cases.op));
    if (found == passed.end() || found->second < cases.passed) {
      ++wrong;
      fmt::print("{}: `vouch verify --trust` says {} cases, {} pass\n", cases.op, cases.passed,
                 found == passed.end() ? 0 : found->second);
    }
  }
  return wrong;
}

std::string operators_text(const PassedCases& passed) {
  std::string out =
      "// How many cases of ONNX's conformance suite each operator's definition passes; written by `conformance --update`.\n"
      "#pragma once\n\n#include <cstddef>\n#include <string_view>\n\nnamespace vouch {\n\n"
      "struct ConformanceCases {\n  std::string_view op;\n  std::size_t passed;\n};\n\n"
      "inline constexpr ConformanceCases kConformanceCases[] = {\n";
  for (const auto& [op, count] : passed) {
    out += fmt::format("    {{\"{}\", {}}},\n", op, count);
  }
  return out + "};\n\n}  // namespace vouch\n";
}

}  // namespace vouch
