#include "kernel/c_names.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "kernel/show_tk.h"
#include "term/print.h"

namespace vouch {
namespace {

// Of C11 and C++20.
constexpr std::array<std::string_view, 107> kWords = {"alignas",
                                                      "alignof",
                                                      "and",
                                                      "and_eq",
                                                      "asm",
                                                      "auto",
                                                      "bitand",
                                                      "bitor",
                                                      "bool",
                                                      "break",
                                                      "case",
                                                      "catch",
                                                      "char",
                                                      "char8_t",
                                                      "char16_t",
                                                      "char32_t",
                                                      "class",
                                                      "compl",
                                                      "concept",
                                                      "const",
                                                      "consteval",
                                                      "constexpr",
                                                      "constinit",
                                                      "const_cast",
                                                      "continue",
                                                      "co_await",
                                                      "co_return",
                                                      "co_yield",
                                                      "decltype",
                                                      "default",
                                                      "delete",
                                                      "do",
                                                      "double",
                                                      "dynamic_cast",
                                                      "else",
                                                      "enum",
                                                      "explicit",
                                                      "export",
                                                      "extern",
                                                      "false",
                                                      "float",
                                                      "for",
                                                      "friend",
                                                      "goto",
                                                      "if",
                                                      "inline",
                                                      "int",
                                                      "long",
                                                      "mutable",
                                                      "namespace",
                                                      "new",
                                                      "noexcept",
                                                      "not",
                                                      "not_eq",
                                                      "nullptr",
                                                      "operator",
                                                      "or",
                                                      "or_eq",
                                                      "private",
                                                      "protected",
                                                      "public",
                                                      "register",
                                                      "reinterpret_cast",
                                                      "requires",
                                                      "restrict",
                                                      "return",
                                                      "short",
                                                      "signed",
                                                      "sizeof",
                                                      "static",
                                                      "static_assert",
                                                      "static_cast",
                                                      "struct",
                                                      "switch",
                                                      "template",
                                                      "this",
                                                      "thread_local",
                                                      "throw",
                                                      "true",
                                                      "try",
                                                      "typedef",
                                                      "typeid",
                                                      "typename",
                                                      "union",
                                                      "unsigned",
                                                      "using",
                                                      "virtual",
                                                      "void",
                                                      "volatile",
                                                      "wchar_t",
                                                      "while",
                                                      "xor",
                                                      "xor_eq",
                                                      "main",
                                                      "std",
                                                      "NULL",
                                                      "malloc",
                                                      "free",
                                                      "abort",
                                                      "memcpy",
                                                      "int64_t",
                                                      "uint32_t",
                                                      "uint64_t",
                                                      "size_t",
                                                      "linux",
                                                      "unix",
                                                      "typeof"};

// Declared by the headers, and never called by our texts: a parameter may hide them.
constexpr std::array<std::string_view, 22> kDeclared = {
    "abs",  "labs", "div",    "y0",     "y1",   "yn",   "j0",     "j1",     "jn",     "gamma", "signgam",
    "rand", "exit", "system", "getenv", "atoi", "atof", "random", "select", "lgamma", "hypot", "cbrt"};

// What texts may call, in double and in single precision.
bool is_function(std::string_view name) {
  static const std::set<std::string, std::less<>> functions = [] {
    std::set<std::string, std::less<>> out{"fabs", "fmin", "fmax", "rint", "fabsf", "fminf", "fmaxf", "rintf"};
    for (int f = 0; f < kFnCount; ++f) {
      std::string function(fn_name(static_cast<Fn>(f)));
      out.insert({function, function + "f"});
    }
    return out;
  }();
  return functions.contains(name);
}

bool starts_as_ours(std::string_view name) {
  return name.starts_with("_") || name.starts_with("vouch_") || name.starts_with("VOUCH_") || name.starts_with("i_");
}

bool is_unusable(std::string_view name) {
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end() || is_function(name) || starts_as_ours(name);
}

}  // namespace

std::unordered_map<Symbol, std::string> c_names(const TkKernel& kernel) {
  std::unordered_map<Symbol, std::string> out = plain_names(kernel);
  std::set<std::string> taken{c_function_name(kernel)};
  for (const auto& [version, name] : out) {
    taken.insert(name);
  }
  for (const TkTensor& tensor : kernel.tensors) {
    std::string& name = out.at(tensor.name);
    bool renamed = is_unusable(name) || name == c_function_name(kernel);
    name = starts_as_ours(name) ? "t" + name : name;
    while (renamed && (is_unusable(name) || !taken.insert(name).second)) {
      name += "_";
    }
  }
  return out;
}

std::string c_function_name(const TkKernel& kernel) {
  std::string name = starts_as_ours(kernel.name) ? "k" + kernel.name : kernel.name;
  bool declared = std::find(kDeclared.begin(), kDeclared.end(), name) != kDeclared.end();
  return declared || is_unusable(name) ? name + "_" : name;
}

}  // namespace vouch
