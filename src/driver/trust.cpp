#include "driver/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "driver/certificate_cache.h"
#include "driver/coq.h"
#include "driver/rule_proofs.h"
#include "graph/op_table.h"
#include "imp/compiler_flags.h"
#include "io/file.h"
#include "solver/solver.h"

namespace vouch {
namespace {

// In the order in which Main.v states them.
struct Headline {
  std::string name;
  bool names_reals;  // so it rests on their axioms, one may expect
};

std::vector<Headline> headline_theorems(const std::string& main_text) {
  static const std::regex kTheorem(R"((?:^|\n)Theorem (\w+))");
  std::vector<Headline> theorems;
  for (std::sregex_iterator at(main_text.begin(), main_text.end(), kTheorem), end; at != end; ++at) {
    auto statement = static_cast<std::size_t>(at->position());
    std::size_t length = main_text.find("\nProof", statement) - statement;
    theorems.push_back({(*at)[1], main_text.substr(statement, length).find("RealNumbers") != std::string::npos});
  }
  return theorems;
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

// Coq asked of the library. An answer is kept as those about certificates are: the same library and Coq give the same.
class LibraryQuestions {
 public:
  LibraryQuestions(std::string library, std::string version, const TrustQuestion& asked)
      : library_(std::move(library)),
        version_(std::move(version)),
        kept_(asked.store, library_, version_, asked.folders, asked.again) {}

  const std::string& library() const { return library_; }
  const std::string& version() const { return version_; }

  // Empty, with an error, where Coq does not answer.
  std::string says(const std::string& question, Diagnostics& diagnostics) const {
    std::string key = kept_.key({"a question", question});
    if (auto kept = kept_.find(key)) {
      return kept->axioms;
    }
    std::string said = coq_says(library_, question, diagnostics).value_or("");
    if (!said.empty()) {
      kept_.keep(key, {CoqWord::Holds, said, "", 0, CoqWord::Holds});
    }
    return said;
  }

 private:
  std::string library_;
  std::string version_;
  CertificateCache kept_;
};

// The library's files that define what `certificate_means` concludes: whoever believes it must read these. Its proof and
// what decides its premise, the type checker and the printer among it, take no part.
std::set<std::string> defining_files(const LibraryQuestions& coq, Diagnostics& diagnostics) {
  std::string text = coq.says(
      "From Coq Require String.\nFrom Vouch Require Main certify.Certificate.\n"
      "Definition conclusion (k : Vouch.certify.Certificate.source) (text : String.string) : Prop :=\n"
      "  ltac:(let T := type of (Main.certificate_means k text) in lazymatch T with _ -> ?P => exact P end).\n"
      "Print All Dependencies conclusion.\n",
      diagnostics);
  static const std::regex kDefined(R"((?:^|\n)((?:\w+\.)*\w+)\.(\w+)\s*:)");
  std::set<std::string> files;
  for (std::sregex_iterator at(text.begin(), text.end(), kDefined), end; at != end; ++at) {
    for (const std::string& file : files_defining(coq.library(), (*at)[1], (*at)[2])) {
      files.insert(file);
    }
  }
  return files;
}

void line(std::string_view what, std::string_view which) { fmt::print("  {:<24}{}\n", what, which); }

// Classes of inconsistencies that are known of Coq 8.16 (its makers list them as critical bugs), and why no folder reaches them:
// every sentence that Coq reads is written here, and holds of a folder's data only numbers, constructors, identifiers and
// strings.
constexpr std::pair<std::string_view, std::string_view> kKnownOfCoq[] = {
    {"the guard checker",
     "fixpoints that do not end (a match on a match taken for a smaller argument): no sentence of ours defines one"},
    {"modules, universes", "functors, aliases, polymorphism: no sentence of ours uses them"},
    {"the virtual machine",
     "ill-typed terms, very large records or closures: it computes checked functions of the library on data"},
    {"unsafe flags",
     "Print Assumptions misses some of functors: no sentence of ours sets a flag; coqchk reads the library again (ctest -R "
     "coqchk)"},
    {"native code, .vo files",
     "Declare ML Module, patched files: none is loaded but the library's and Coq's own, from an explicit path"},
};

// The axioms of each of these terms, in their order; nothing if Coq does not answer for each.
std::optional<std::vector<std::vector<std::string>>> axioms_of(const LibraryQuestions& coq, const std::vector<std::string>& terms,
                                                               Diagnostics& diagnostics) {
  std::vector<std::vector<std::string>> all;
  std::string question = "From Vouch Require Import Main.\n";
  for (std::size_t i = 0; i < terms.size(); ++i) {
    question += fmt::format("Definition asked_{0} := {1}.\nPrint Assumptions asked_{0}.\n", i, terms[i]);
  }
  std::istringstream said(coq.says(question, diagnostics));
  for (std::string line; std::getline(said, line);) {
    bool closed = line == "Closed under the global context";
    if (closed || line == "Axioms:") {
      all.emplace_back();
    } else if (all.empty()) {
      return std::nullopt;
    } else {
      for (std::string& name : axiom_names(line)) {
        all.back().push_back(std::move(name));
      }
    }
  }
  return all.size() == terms.size() ? std::optional(all) : std::nullopt;
}

struct HeadlineAxioms {
  std::string theorem;
  std::vector<std::string> axioms;
};

// Coq goes through the library's proofs anew for each term. So those that should rest on nothing are asked of as one; each for
// itself only where that is not so.
std::optional<std::vector<HeadlineAxioms>> axioms_of(const LibraryQuestions& coq, const std::vector<Headline>& theorems,
                                                     Diagnostics& diagnostics) {
  std::vector<std::string> together{"I"};
  std::vector<std::string> alone;
  for (const Headline& one : theorems) {
    (one.names_reals ? alone : together).push_back("@" + one.name);
  }
  std::vector<std::string> terms{fmt::format("({})", fmt::join(together, ", "))};
  terms.insert(terms.end(), alone.begin(), alone.end());
  auto found = axioms_of(coq, terms, diagnostics);
  std::vector<HeadlineAxioms> all;
  if (found && found->front().empty()) {
    for (std::size_t i = 1; i < together.size(); ++i) {
      all.push_back({together[i].substr(1), {}});
    }
    for (std::size_t i = 0; i < alone.size(); ++i) {
      all.push_back({alone[i].substr(1), (*found)[i + 1]});
    }
    return all;
  }
  terms.clear();
  std::transform(theorems.begin(), theorems.end(), std::back_inserter(terms), [](const Headline& one) { return "@" + one.name; });
  found = found ? axioms_of(coq, terms, diagnostics) : std::nullopt;
  for (std::size_t i = 0; found && i < terms.size(); ++i) {
    all.push_back({theorems[i].name, (*found)[i]});
  }
  return found ? std::optional(all) : std::nullopt;
}

// The theorems that rest on nothing, those that rest on the axioms of the standard library's real numbers alone, and others.
struct ByAxioms {
  std::vector<std::string> closed, real, other;
  std::set<std::string> real_axioms, other_axioms;
};

ByAxioms sort_by_axioms(const std::vector<HeadlineAxioms>& all) {
  const std::vector<std::string>& known = axioms_of_reals();
  ByAxioms out;
  for (const HeadlineAxioms& one : all) {
    bool of_reals = true;
    for (const std::string& axiom : one.axioms) {
      bool is_known = std::find(known.begin(), known.end(), axiom) != known.end();
      (is_known ? out.real_axioms : out.other_axioms).insert(axiom);
      of_reals = of_reals && is_known;
    }
    (one.axioms.empty() ? out.closed : of_reals ? out.real : out.other).push_back(one.theorem);
  }
  return out;
}

// Refuted where more is assumed than the axioms of the real numbers, and those by theorems that speak of them alone.
ExitCode print_axioms(const LibraryQuestions& coq, const std::vector<Headline>& theorems, Diagnostics& diagnostics) {
  std::optional<std::vector<HeadlineAxioms>> all = axioms_of(coq, theorems, diagnostics);
  if (!all || all->empty()) {
    line("axioms", "not known: Coq does not answer");
    return ExitCode::Undecided;
  }
  ByAxioms sorted = sort_by_axioms(*all);
  line("axioms", fmt::format("none, in {}", fmt::join(sorted.closed, ", ")));
  if (!sorted.real.empty()) {
    line("over the real numbers", fmt::format("{}, in {}", fmt::join(sorted.real_axioms, ", "), fmt::join(sorted.real, ", ")));
  }
  if (!sorted.other.empty()) {
    line("further axioms", fmt::format("{}, in {}", fmt::join(sorted.other_axioms, ", "), fmt::join(sorted.other, ", ")));
  }
  return sorted.other.empty() ? ExitCode::Ok : ExitCode::Refuted;
}

ExitCode print_kernels(const LibraryQuestions& coq, const std::vector<Headline>& theorems, Diagnostics& diagnostics) {
  fmt::print("A kernel's certificate:\n");
  line("Coq's kernel", coq.version());
  ExitCode code = print_axioms(coq, theorems, diagnostics);
  line("definitions", fmt::format("{}", fmt::join(defining_files(coq, diagnostics), " ")));
  line("compiled library", coq.library() + ", as it was built (ctest -R coqchk checks it again), and Coq's own");
  line("the front end", "that it reads a source as its author means it; NAME.v shows what it read");
  line("kept answers", "in the user's cache folder; --again asks Coq instead");
  line("the C compiler", fmt::format("that it compiles C with OpenMP as the standards say, with {}", kRoundedOneByOne));
  fmt::print("Known of Coq 8.16, and out of reach of what a folder holds:\n");
  for (auto [what, why] : kKnownOfCoq) {
    line(what, why);
  }
  return code;
}

void print_rules() {
  fmt::print("A rule that is sound:\n");
  line("operators", fmt::format("the definitions of {} operators, that they mean what people mean", op_count()));
  line("the checker", "vouch " VOUCH_VERSION);
  line("the solver", fmt::format("{}, where there is no Coq theorem and no second solver agreed", solver_version()));
}

}  // namespace

ExitCode print_trust(const TrustQuestion& asked) {
  Diagnostics diagnostics;
  std::optional<std::string> version = coq_version(CoqLimits{}.time, diagnostics);
  std::optional<std::string> library = version ? find_coq_library(diagnostics) : std::nullopt;
  std::optional<std::string> main_text = library ? read_file(*library + "/Main.v", diagnostics) : std::nullopt;
  ExitCode code = main_text
                      ? print_kernels(LibraryQuestions(*library, *version, asked), headline_theorems(*main_text), diagnostics)
                      : ExitCode::Undecided;
  if (!main_text) {
    fmt::print("What a kernel's certificate rests on is not known: Coq or its library is not there.\n");
  }
  print_rules();
  fmt::print(stderr, "{}", diagnostics.text());
  return code == ExitCode::Ok && diagnostics.has_errors() ? ExitCode::Undecided : code;
}

}  // namespace vouch
