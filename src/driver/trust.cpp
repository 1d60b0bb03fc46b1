#include "driver/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <vector>

#include "driver/coq.h"
#include "graph/op_table.h"
#include "io/file.h"
#include "solver/solver.h"

namespace vouch {
namespace {

// In the order in which Main.v states them.
std::vector<std::string> headline_theorems(const std::string& main_text) {
  static const std::regex kTheorem(R"((?:^|\n)Theorem (\w+))");
  std::vector<std::string> names;
  for (std::sregex_iterator at(main_text.begin(), main_text.end(), kTheorem), end; at != end; ++at) {
    names.push_back((*at)[1]);
  }
  return names;
}

// The library's files that define `name` and whose name ends with `module`, as Coq prints it: only as long as needed.
std::vector<std::string> files_defining(const std::string& library, std::string module, const std::string& name) {
  std::replace(module.begin(), module.end(), '.', '/');
  const std::string ending = "/" + module + ".v";
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& file : std::filesystem::recursive_directory_iterator(library, ignored)) {
    Diagnostics unread;
    if (file.path().string().ends_with(ending) && std::regex_search(read_file(file.path().string(), unread).value_or(""),
                                                                    std::regex("(Definition|Fixpoint|Record) " + name + "\\b"))) {
      files.push_back(std::filesystem::relative(file.path(), library).string());
    }
  }
  return files;
}

// The library's files that define what `certificate_means` concludes: whoever believes it must read these. Its proof and
// what decides its premise, the type checker and the printer among it, take no part.
std::set<std::string> defining_files(const std::string& library) {
  std::optional<std::string> said =
      coq_says(library,
               "From Coq Require String.\nFrom Vouch Require Main certify.Certificate.\n"
               "Definition conclusion (k : Vouch.certify.Certificate.source) (text : String.string) : Prop :=\n"
               "  ltac:(let T := type of (Main.certificate_means k text) in lazymatch T with _ -> ?P => exact P end).\n"
               "Print All Dependencies conclusion.\n");
  static const std::regex kDefined(R"((?:^|\n)((?:\w+\.)*\w+)\.(\w+)\s*:)");
  std::string text = said.value_or("");
  std::set<std::string> files;
  for (std::sregex_iterator at(text.begin(), text.end(), kDefined), end; at != end; ++at) {
    for (const std::string& file : files_defining(library, (*at)[1], (*at)[2])) {
      files.insert(file);
    }
  }
  return files;
}

void line(std::string_view what, std::string_view which) { fmt::print("  {:<24}{}\n", what, which); }

// Whether nothing is assumed.
bool print_kernels(const std::string& library, const std::vector<std::string>& theorems) {
  std::string question = "From Vouch Require Import Main.\n";
  for (const std::string& name : theorems) {
    question += fmt::format("Print Assumptions {}.\n", name);
  }
  std::optional<std::string> said = coq_says(library, question);
  std::string expected;
  for (std::size_t i = 0; i < theorems.size(); ++i) {
    expected += "Closed under the global context\n";
  }
  bool closed = said == expected && !theorems.empty();
  fmt::print("A kernel's certificate:\n");
  line("Coq's kernel", coq_version());
  line("axioms", closed ? fmt::format("none, in {}", fmt::join(theorems, ", ")) : said.value_or("Coq does not answer"));
  line("definitions", fmt::format("{}", fmt::join(defining_files(library), " ")));
  line("the C compiler", "that it compiles C with OpenMP as the standards say, with -ffp-contract=off");
  return closed;
}

void print_rules() {
  fmt::print("A rule that is sound:\n");
  line("operators", fmt::format("the definitions of {} operators, that they mean what people mean", op_count()));
  line("the checker", "vouch " VOUCH_VERSION);
  line("the solver", fmt::format("{}, where there is no Coq theorem and no second solver agreed", solver_version()));
}

}  // namespace

ExitCode print_trust() {
  Diagnostics diagnostics;
  std::optional<std::string> library = has_coq() ? find_coq_library(diagnostics) : std::nullopt;
  std::optional<std::string> main_text = library ? read_file(*library + "/Main.v", diagnostics) : std::nullopt;
  bool closed = true;
  if (main_text) {
    closed = print_kernels(*library, headline_theorems(*main_text));
  } else {
    fmt::print(stderr, "{}", has_coq() ? diagnostics.text() : "coqc was not found: what certificates rest on is not known\n");
  }
  print_rules();
  return !main_text ? ExitCode::Undecided : closed ? ExitCode::Ok : ExitCode::Refuted;
}

}  // namespace vouch
