#include "rule/foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace vouch {
namespace {

constexpr std::pair<std::string_view, std::string_view> kNotations[] = {
    {"&&", "'and' joins conditions: where a and b;"},
    {"&", "'and' joins conditions: where a and b;"},
    {"||", "'or' joins conditions: where a or b;"},
    {"|", "'or' joins conditions: where a or b;"},
    {"!", "'not' denies a condition: where not (a == b);"},
    {"<>", "unequal is written !="},
    {"is", "equal is written =="},
    {"in", "one of several values is written: where x.rank == 1 or x.rank == 2;"},
    {"?", "an input is named first: let x = *; a choice is written if (condition) value else value"},
    {"'", "text is written in double quotes; element types are plain words: float32"},
    {"“", "text is written in straight double quotes"},
    {"”", "text is written in straight double quotes"},
    {"‘", "text is written in straight double quotes; element types are plain words: float32"},
    {"’", "text is written in straight double quotes; element types are plain words: float32"},
    {"×", "a product is written x * y"},
    {"·", "a product is written x * y"},
    {"−", "a difference is written x - y, with the sign of the keyboard"},
    {"≤", "at most is written <="},
    {"≥", "at least is written >="},
    {"≠", "unequal is written !="},
    {"→", "the two sides are written: source p; target q;"},
    {"`", "names are written without quotes"},
    {"/", "comments start with # or // and end with the line"},
    {"$", "names are written without a sign: let x = *;"},
    {"@", "the product of matrices is written MatMul(x, y)"},
    {"~", "'not' denies a condition: where not (a == b);"},
    {"[", "a tuple is written with parentheses: (1, 0)"},
    {"(", "an item of a tuple is written with brackets: x.shape[0]"},
    {"**", "a power is written Pow(x, y), a square x * x"},
    {"^", "a power is written Pow(x, y), a square x * x"},
    {"=>", "the two sides are written: source p; target q;"},
    {"->", "the two sides are written: source p; target q;"},
    {"if", "a condition of the rule is written: where a == b;"},
    {"when", "a condition of the rule is written: where a == b;"},
    {"require", "a condition of the rule is written: where a == b;"},
    {"assert", "a condition of the rule is written: where a == b;"},
    {"given", "a condition of the rule is written: where a == b;"},
    {"var", "a pattern is named by: let x = *;"},
    {"val", "a pattern is named by: let x = *;"},
    {"def", "a rule begins with: rule name { let x = *; source …; target …; }"},
    {"pattern", "a rule begins with: rule name { let x = *; source …; target …; }"},
    {"return", "the new graph is written: target q;"},
    {"replace", "the new graph is written: target q;"},
    {"True", "it is written true"},
    {"TRUE", "it is written true"},
    {"False", "it is written false"},
    {"FALSE", "it is written false"},
    {"None", "what is not given is written _"},
    {"none", "what is not given is written _"},
    {"null", "what is not given is written _"},
    {"nullptr", "what is not given is written _"},
};

// Names of element types elsewhere: NumPy, PyTorch, ONNX, MLIR, C.
constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {"fp32", "float32"},   {"f32", "float32"},  {"float", "float32"}, {"single", "float32"}, {"fp16", "float16"},
    {"f16", "float16"},    {"half", "float16"}, {"bf16", "bfloat16"}, {"fp64", "float64"},   {"f64", "float64"},
    {"double", "float64"}, {"int", "int32"},    {"i8", "int8"},       {"i16", "int16"},      {"i32", "int32"},
    {"i64", "int64"},      {"long", "int64"},   {"u8", "uint8"},      {"byte", "uint8"},     {"u16", "uint16"},
    {"u32", "uint32"},     {"u64", "uint64"},   {"boolean", "bool"},  {"i1", "bool"},        {"str", "string"},
};

}  // namespace

std::string_view meant_by(std::string_view notation) {
  const auto* found =
      std::find_if(std::begin(kNotations), std::end(kNotations), [&](const auto& n) { return n.first == notation; });
  return found == std::end(kNotations) ? std::string_view() : found->second;
}

std::string dtype_meant_by(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& t) { return t.first == lower; });
  return found == std::end(kTypes) ? std::string() : fmt::format("this element type is written {}", found->second);
}

}  // namespace vouch
