#include "notation/tk_foreign.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <utility>

namespace vouch {
namespace {

using Meant = std::pair<std::string_view, std::string_view>;

constexpr std::string_view kPower = "a power is written pow(x, 2), a square x * x";
constexpr std::string_view kChoice = "a choice is written select(condition, then, else)";
constexpr std::string_view kStatement = "a statement says what an element is: `Y<n>[i] = X<n, m>[i, j];` sums over j";

constexpr Meant kNotations[] = {
    {"^", kPower},
    {"if", kChoice},
    {"?", kChoice},
    {"and", "conditions are joined by &&"},
    {"&", "conditions are joined by &&"},
    {"or", "conditions are joined by ||"},
    {"|", "conditions are joined by ||"},
    {"@", "a product of matrices is written C<m, n>[i, j] = A<m, k>[i, p] * B<k, n>[p, j];"},
    {"//", "comments begin with #"},
};

constexpr Meant kFunctions[] = {
    {"relu", "it is written max(x, 0)"},
    {"sigmoid", "it is written 1 / (1 + exp(-x))"},
    {"square", "it is written x * x"},
    {"fabs", "it is written abs(x)"},
    {"clip", "it is written max(a, min(x, b))"},
    {"where", kChoice},
    {"if", kChoice},
    {"rsqrt", "it is written 1 / sqrt(x)"},
    {"mean", "a mean is a sum over an index, divided by its size: X<n>[i] / n"},
    {"sum", "an index that is not on the left is summed over: `Z<m>[i] = X<m, n>[i, j];`"},
};

constexpr Meant kTypes[] = {
    {"float32", "float"}, {"f32", "float"},   {"fp32", "float"},   {"num", "float"},     {"float64", "double"}, {"f64", "double"},
    {"fp64", "double"},   {"int32", "int"},   {"i32", "int"},      {"integer", "int"},   {"long", "int64"},     {"i64", "int64"},
    {"half", "float16"},  {"f16", "float16"}, {"fp16", "float16"}, {"bf16", "bfloat16"}, {"char", "int8"},      {"i8", "int8"},
    {"byte", "uint8"},    {"u8", "uint8"},    {"short", "int16"},  {"boolean", "bool"},
};

constexpr Meant kWords[] = {
    {"for", kStatement},
    {"let", kStatement},
    {"def", "a kernel's name is written: kernel k;"},
    {"var", kStatement},
    {"input", "inputs are named by: in A, B;"},
    {"inputs", "inputs are named by: in A, B;"},
    {"output", "outputs are named by: out C;"},
    {"outputs", "outputs are named by: out C;"},
    {"float", "the type that is computed: type float; of a tensor: type float A;"},
    {"double", "the type that is computed: type double; of a tensor: type double A;"},
    {"int", "the type that is computed: type int; of a tensor: type int A;"},
    {"sizes", "sizes are named by: size n, m; or by where they are written"},
};

std::string_view in(std::span<const Meant> table, std::string_view name) {
  auto at = std::find_if(table.begin(), table.end(), [&](const Meant& row) { return row.first == name; });
  return at == table.end() ? std::string_view() : at->second;
}

}  // namespace

std::string_view tk_meant_by(std::string_view expected, std::string_view found, char before) {
  if (expected == "=" && found == "+") {
    return kStatement;
  }
  if (expected == ";" && found == "<") {
    return "extents stand where a tensor is written in a statement: Y<n>[i] = A<n>[i];";
  }
  if (expected == ";" && found == "(") {
    return "headers name tensors: kernel k; in A, B; out C;";
  }
  if (expected == "=" && found == ":") {
    return "a statement is written Y<n>[i] = …;";
  }
  if (expected.empty() && found == "*" && before == '*') {
    return kPower;
  }
  bool word = !found.empty() && (std::isalpha(static_cast<unsigned char>(found[0])) != 0);
  if (word && std::isdigit(static_cast<unsigned char>(before)) != 0) {
    return found == "f" ? "numbers have no suffix: 0.5" : "a product is written 2 * x";
  }
  return in(kNotations, found);
}

std::string_view tk_meant_by_function(std::string_view name) { return in(kFunctions, name); }
std::string_view tk_meant_by_type(std::string_view name) { return in(kTypes, name); }
std::string_view tk_meant_by_word(std::string_view name) { return in(kWords, name); }

}  // namespace vouch
