#include "rule/foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace vouch {
namespace {

using Meant = std::pair<std::string_view, std::string_view>;

constexpr std::string_view kCondition = "a condition of the rule is written: where a == b;";
constexpr std::string_view kAnyTensor = "any tensor is written *";
constexpr std::string_view kParameter = "a parameter of any value is written variable, one of a known value const {value = 1}";
constexpr std::string_view kComparison =
    "in a graph, operators compare: Less(x, y), Equal(x, y); a condition of the rule is: where a == b;";

constexpr Meant kPatterns[] = {
    {"any", kAnyTensor},
    {"_", "any tensor is written *; _ is an operand that is not given"},
    {"not", "in a graph it is an operator: Not(x)"},
    {"+", "only '-' stands before one pattern"},
    {".", "a number has a digit before its point: 0.5"},
    {":", "no colon follows: source p; target q;"},
    {"true", "as a tensor it is const {value = true, dtype = bool}"},
    {"false", "as a tensor it is const {value = false, dtype = bool}"},
    {"{", "attributes stand after the operands: Op(x) {…}"},
};
constexpr Meant kAfterPatterns[] = {
    {">", kComparison},
    {"<", kComparison},
    {">=", kComparison},
    {"<=", kComparison},
    {"==", kComparison},
    {"!=", kComparison},
    {"%", "the remainder is an operator: Mod(x, y)"},
    {"//", "the quotient is written x / y, its floor Floor(x / y); a comment stands after ';'"},
    {"and", "in a graph it is an operator: And(x, y)"},
    {"or", "in a graph it is an operator: Or(x, y)"},
    {"as", "a pattern is named by an item of its own: let y = Op(x);"},
    {"{", "attributes follow the operands of a call, or *, const, variable"},
    {":", "types stand in braces: let x = * {dtype = float32, rank = 2};"},
};
constexpr Meant kItems[] = {
    {"requires", kCondition},
    {"ensure", kCondition},
    {"condition", kCondition},
    {"cond", kCondition},
    {"with", kCondition},
    {"unless", "a condition of the rule is written: where not (a == b);"},
    {"const", "a constant is named by: let c = const {value = 1};"},
    {"constant", "a constant is named by: let c = const {value = 1};"},
    {"variable", "a parameter is named by: let w = variable;"},
    {"weight", "a parameter is named by: let w = variable;"},
    {"input", "an input is named by: let x = *;"},
    {"inputs", "an input is named by: let x = *;"},
    {"tensor", "an input is named by: let x = *;"},
    {"rewrite", "the two sides are written: source p; target q;"},
    {"match", "the graph that is looked for is written: source p;"},
    {"lhs", "the graph that is looked for is written: source p;"},
    {"from", "the graph that is looked for is written: source p;"},
    {"rhs", "the new graph is written: target q;"},
    {"to", "the new graph is written: target q;"},
    {"result", "the new graph is written: target q;"},
    {";", "one ';' ends an item"},
};
constexpr Meant kNames[] = {
    {"tensor", kAnyTensor},
    {"Tensor", kAnyTensor},
    {"input", kAnyTensor},
    {"Input", kAnyTensor},
    {"wildcard", kAnyTensor},
    {"placeholder", kAnyTensor},
    {"constant", "a constant is written const {value = 1}"},
    {"scalar", "a constant is written const {value = 1}"},
    {"initializer", kParameter},
    {"parameter", kParameter},
    {"param", kParameter},
    {"weight", kParameter},
    {"nan", "no number of a rule is NaN"},
    {"NaN", "no number of a rule is NaN"},
    {"infinity", "it is written inf"},
};
constexpr Meant kTensorAttributes[] = {
    {"ndim", "it is written rank"},   {"dim", "the rank is written rank, the sizes shape"},
    {"ndims", "it is written rank"},  {"dims", "it is written shape"},
    {"sizes", "it is written shape"}, {"size", "it is written shape; of one axis, shape[0]"},
    {"type", "it is written dtype"},  {"elem_type", "it is written dtype"},
};

constexpr Meant kNotations[] = {
    {"implies", "'a implies b' is written: where not a or b;"},
    {"for", "something of every position is written: all[i < len(x.shape)](x.shape[i] > 1)"},
    {"forall", "something of every position is written: all[i < len(x.shape)](x.shape[i] > 1)"},
    {"²", "a power is written Pow(x, y), a square x * x"},
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
    {"if", kCondition},
    {"when", kCondition},
    {"require", kCondition},
    {"assert", kCondition},
    {"given", kCondition},
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

template <std::size_t N>
std::string_view found_in(const Meant (&all)[N], std::string_view notation) {
  const auto* found = std::find_if(std::begin(all), std::end(all), [&](const Meant& m) { return m.first == notation; });
  return found == std::end(all) ? std::string_view() : found->second;
}

}  // namespace

std::string_view meant_by(std::string_view notation) { return found_in(kNotations, notation); }
std::string_view pattern_meant_by(std::string_view notation) { return found_in(kPatterns, notation); }
std::string_view after_pattern_meant_by(std::string_view notation) { return found_in(kAfterPatterns, notation); }
std::string_view item_meant_by(std::string_view notation) { return found_in(kItems, notation); }
std::string_view name_meant_by(std::string_view name) { return found_in(kNames, name); }
std::string_view tensor_attribute_meant_by(std::string_view name) { return found_in(kTensorAttributes, name); }

std::string dtype_meant_by(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& t) { return t.first == lower; });
  return found == std::end(kTypes) ? std::string() : fmt::format("this element type is written {}", found->second);
}

}  // namespace vouch
