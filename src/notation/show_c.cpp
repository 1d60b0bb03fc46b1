#include <fmt/format.h>

#include <algorithm>

#include "notation/c_terms.h"
#include "notation/c_tiles.h"
#include "notation/show_tk.h"

namespace vouch {
namespace {

constexpr const char* kHelpers =
    "static inline int64_t vouch_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }\n"
    "static inline int64_t vouch_mod(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }\n"
    "static inline int64_t vouch_min(int64_t a, int64_t b) { return a < b ? a : b; }\n"
    "static inline int64_t vouch_max(int64_t a, int64_t b) { return a > b ? a : b; }\n";

class CPrinter : private CTerms {
 public:
  using CTerms::CTerms;

  std::string signature() const {
    std::vector<std::string> parameters;
    for (Symbol input : kernel_.inputs) {
      parameters.push_back(parameter(input, style_ == CStyle::C));
    }
    for (Symbol output : kernel_.outputs) {
      parameters.push_back(parameter(output, false));
    }
    return fmt::format("{} {}({})", style_ == CStyle::C ? "int" : "void", c_function_name(kernel_), fmt::join(parameters, ", "));
  }

  // The order of the parameters, and names that C or C++ do not leave to them.
  std::string parameters_comment() const {
    std::string renamed;
    auto list = [&](const std::vector<Symbol>& tensors) {
      std::vector<std::string> out;
      std::unordered_map<Symbol, std::string> plain = plain_names(kernel_);
      for (Symbol tensor : tensors) {
        out.push_back(names_.at(tensor));
        renamed += plain.at(tensor) == out.back() ? "" : fmt::format(" {} is called {} here.", plain.at(tensor), out.back());
      }
      return out.empty() ? std::string("none") : fmt::format("{}", fmt::join(out, ", "));
    };
    std::string inputs = list(kernel_.inputs);
    std::string outputs = list(kernel_.outputs);
    return fmt::format("/* Inputs: {}; outputs: {}.{} */\n", inputs, outputs, renamed);
  }

  bool has_tiles() const {
    return std::any_of(kernel_.statements.begin(), kernel_.statements.end(),
                       [&](const TkStatement& s) { return plan_tiles(kernel_, s).has_value(); });
  }

  std::string body() const {
    std::string out;
    std::string freed;
    for (const TkStatement& statement : kernel_.statements) {
      if (is_local(statement.target)) {
        out += allocation(statement.target);
        freed += fmt::format("  free({});\n", names_.at(statement.target));
      }
    }
    for (const TkStatement& statement : kernel_.statements) {
      out += print_statement(statement);
    }
    return out + freed + (style_ == CStyle::C ? "  return 0;\n" : "");
  }

 private:
  std::string dims(Symbol tensor, std::size_t from = 0) const {
    std::string out;
    const Extents extents = kernel_.tensor(tensor).extents();
    for (std::size_t a = from; a < extents.size(); ++a) {
      out += fmt::format("[{}]", extents[a]);
    }
    return out;
  }

  std::string parameter(Symbol tensor, bool constant) const {
    std::string name = names_.at(tensor);
    if (style_ == CStyle::Cpp) {
      bool scalar = kernel_.tensor(tensor).extents() == Extents{1};
      return scalar ? fmt::format("{} &{}", kernel_.dtype, name) : fmt::format("{} (&{}){}", kernel_.dtype, name, dims(tensor));
    }
    return fmt::format("{}{} {}{}", constant ? "const " : "", kernel_.dtype, name, dims(tensor));
  }

  std::string allocation(Symbol tensor) const {
    std::string name = names_.at(tensor);
    std::string type = fmt::format("{} (*){}", kernel_.dtype, dims(tensor, 1));
    std::string no_memory = style_ == CStyle::C ? "return 1" : "std::abort()";
    return fmt::format("  {} (*{}){} = ({})malloc(sizeof({}) * {}u);\n  if (!{}) {};\n", kernel_.dtype, name, dims(tensor, 1),
                       type, kernel_.dtype + dims(tensor, 1), kernel_.tensor(tensor).extents()[0], name, no_memory);
  }

  // Plain loops; before them tiles of vectors, where there are any, which leave them some lanes or none.
  std::string print_statement(const TkStatement& statement) const {
    auto plan = plan_tiles(kernel_, statement);
    if (!plan) {
      return plain_loops(statement, "0");
    }
    std::int64_t tiled = tiled_lanes(kernel_, statement, *plan);
    std::int64_t extent = kernel_.tensor(statement.target).extents().back();
    return fmt::format(
        "  {{\n    int vouch_done = 0;\n#ifdef VOUCH_VECTORS\n{}#endif\n    const int64_t vouch_from = vouch_done ? {} : 0;\n"
        "    if (vouch_from < {}) {{\n{}    }}\n  }}\n",
        print_tiles(kernel_, statement, *plan, *this), tiled, extent, plain_loops(statement, "vouch_from"));
  }

  std::string plain_loops(const TkStatement& statement, const std::string& first_lane) const {
    const Extents extents = kernel_.tensor(statement.target).extents();
    std::string out = fmt::format("#pragma omp parallel for collapse({}) schedule(static)\n", extents.size());
    std::string pad = "  ";
    for (std::size_t a = 0; a < extents.size(); ++a, pad += "  ") {
      std::string i = index(statement.indices[a]);
      bool last = a + 1 == extents.size();
      out += fmt::format("{}for (int64_t {} = {}; {} < {}; ++{}){}\n", pad, i, last ? first_lane : "0", i, extents[a], i,
                         last ? " {" : "");
    }
    out += fmt::format("{}{} vouch_sum = 0;\n", pad, kernel_.dtype);
    for (const TkSummand& summand : statement.summands) {
      out += print_summand(summand, pad);
    }
    std::vector<Term> at;
    for (Symbol name : statement.indices) {
      at.push_back(int_var(name));
    }
    out += fmt::format("{}{} = vouch_sum;\n{}}}\n", pad, element(statement.target, at), pad.substr(2));
    return out;
  }

  std::string print_summand(const TkSummand& summand, std::string pad) const {
    std::string out;
    std::vector<Symbol> loops;
    for (const TkLoop& loop : summand.loops) {
      loops.push_back(loop.name);
    }
    // A part of the guard stands outside of every loop that it does not name.
    std::vector<Term> parts;
    if (summand.guard.kind() == TermKind::And) {
      parts.assign(summand.guard.args().begin(), summand.guard.args().end());
    } else if (!is_true(summand.guard)) {
      parts.push_back(summand.guard);
    }
    for (std::size_t depth = 0; depth <= loops.size(); ++depth) {
      for (Term part : parts) {
        if (level(part, loops) == depth) {
          out += fmt::format("{}if ({})\n", pad, guard(part));
          pad += "  ";
        }
      }
      if (depth < loops.size()) {
        const TkLoop& loop = summand.loops[depth];
        std::string i = index(loop.name);
        out += fmt::format("{}for (int64_t {} = {}; {} < {}; ++{})\n", pad, i, integer(loop.begin), i, integer(loop.end), i);
        pad += "  ";
      }
    }
    return out + fmt::format("{}vouch_sum += {};\n", pad, scalar(summand.body));
  }

  static std::size_t level(Term part, const std::vector<Symbol>& loops) {
    std::size_t deepest = 0;
    for (Symbol name : free_variables(part)) {
      auto at = std::find(loops.begin(), loops.end(), name);
      deepest = at == loops.end() ? deepest : std::max(deepest, static_cast<std::size_t>(at - loops.begin()) + 1);
    }
    return deepest;
  }
};

}  // namespace

CText print_c(const TkKernel& kernel, CStyle style, const std::string& header_name) {
  CPrinter printer(kernel, style);
  CText out;
  std::string declaration = printer.signature();
  bool c = style == CStyle::C;
  const char* plain = "/* The loops of this text have exact bounds. No certificate covers it. */\n";
  out.header = plain + printer.parameters_comment();
  out.header += c ? fmt::format("#pragma once\n#ifdef __cplusplus\nextern \"C\"\n#endif\n{};\n", declaration)
                  : fmt::format("#pragma once\n{};\n", declaration);
  out.source = fmt::format(
      "{}#include \"{}\"\n\n#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n{}\n{}{}\n{} "
      "{{\n{}}}\n",
      plain, header_name, c ? "" : "#include <cstdlib>\n", kHelpers, printer.has_tiles() ? tile_declarations(kernel.dtype) : "",
      declaration, printer.body());
  return out;
}

}  // namespace vouch
