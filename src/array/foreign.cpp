#include "array/foreign.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vouch::array {
namespace {

constexpr std::string_view kHead = "a file begins with: kernel f(sizes n; xs: num[n]) -> out: num[n] = …";
constexpr std::string_view kReduce = "reduce x in xs with acc = 0 { acc + x }";
constexpr std::string_view kMap = "map x in xs { 2 * x }; with its position: map x@i in xs { … }";
constexpr std::string_view kZip =
    "two arrays at once: map p in zip(xs, ys) { p.fst + p.snd }; with its position: map x@i in xs { … }";
constexpr std::string_view kSelect = "numbers are compared by < <= ==, which give 1 or 0, and chosen by select(c, a, b)";
constexpr std::string_view kPower = "a power is written pow(x, 2), a square x * x";
constexpr std::string_view kOutput = "the output has a name and a type: -> out: num[n]";

struct Notation {
  std::string_view expected;  // "": wherever it is found
  std::string_view found;     // "": whatever is found
  std::string_view hint;
};

// The first that fits.
constexpr Notation kNotations[] = {
    {":", ";", "sizes stand first, after their word: kernel f(sizes n; xs: num[n])"},
    {";", ":", "the sizes end with ';': kernel f(sizes m, n; xs: num[n])"},
    {"in", ";", "a value is named for what follows 'in': let y = x * x in y + 1"},
    {"in", ",", kZip},
    {"<", "in", "positions: generate i < n { xs[i] }; elements: map x in xs { … }"},
    {"=", "{", "the head ends with '=': … -> out: num[n] = map x in xs { x }"},
    {"with", "", kReduce},
    {"->", "", kOutput},
    {"kernel", "//", "comments begin with #"},
    {"kernel", "", kHead},
    {",", "[", "an array of arrays is written num[m, n]"},
    {"{", ":", "what is done to each element stands between braces: map x in xs { 2 * x }"},
    {"{", ",", kZip},
    {"the end", ";", "a kernel is one term, and nothing ends it"},
    {"a name for the element", "(", "one name: map x in xs { 2 * x }; of two arrays: map p in zip(xs, ys) { p.fst + p.snd }"},
    {"a name for the element", "", "map x in xs { … }: a name, then 'in'"},
    {"", "&", kSelect},
    {"", "|", kSelect},
    {"", "!", kSelect},
    {"", ">", "the smaller number stands left: y < x; numbers are chosen by select(y < x, a, b)"},
    {"", "=", "nothing is assigned: a term is the value, in a reduction the next one: acc + x"},
    {"", "?", "a choice of numbers is written select(x < y, a, b)"},
    {"", "**", kPower},
    {"", "^", kPower},
    {"", "//", "comments begin with #, quotients are written x / y"},
};

constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"for", kMap},
    {"while", "the number of steps is a size: fold i < n with acc = 0 { … }"},
    {"return", "a body is one term, which is its value"},
    {"lambda", kMap},
    {"relu", "max(x, 0)"},
    {"clip", "max(a, min(x, b))"},
    {"sigmoid", "1 / (1 + exp(-x))"},
    {"square", "x * x"},
    {"where", "a choice of numbers is written select(x < y, a, b)"},
    {"len", "the length of an array is a size of the kernel: kernel f(sizes n; xs: num[n])"},
    {"range", "generate i < n { … }"},
};

}  // namespace

std::string_view meant_by(std::string_view expected, std::string_view found) {
  const auto* at = std::find_if(std::begin(kNotations), std::end(kNotations), [&](const Notation& n) {
    return (n.expected.empty() || n.expected == expected) && (n.found.empty() || n.found == found);
  });
  return at == std::end(kNotations) ? std::string_view() : at->hint;
}

std::string_view meant_by_name(std::string_view name) {
  const auto* at = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& n) { return n.first == name; });
  return at == std::end(kNames) ? std::string_view() : at->second;
}

}  // namespace vouch::array
