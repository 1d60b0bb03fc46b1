#include <fmt/format.h>

#include <sstream>

#include "driver/coq.h"
#include "driver/folder_check.h"
#include "support/at_signal.h"

namespace vouch {
namespace {

constexpr std::string_view kClosed = "Closed under the global context\n";
constexpr std::string_view kAxioms = "Axioms:\n";
constexpr int kMostLines = 40;

}  // namespace

bool tell_axioms(const std::string& said, CoqAnswer& answer) {
  bool known = said == kClosed || said.starts_with(kAxioms);
  answer.axioms = said == kClosed ? "none" : known ? first_lines(said, kMostLines) : "";
  if (!known) {
    answer.word = CoqWord::Undecided;
    answer.message = "what it rests on is not known: Coq said '" + printable(first_lines(said, 1)) + "'";
  }
  return known;
}

// The text is compiled as Subject.Kernel; another file then speaks of its theorems, each by its name.
CoqAnswer check_theorems(const std::string& library, const std::string& text, const std::vector<std::string>& theorems,
                         const CoqLimits& limits) {
  std::string all;
  for (const std::string& name : theorems) {
    all += (all.empty() ? "" : ", ") + ("@Subject.Kernel." + name);
  }
  std::string check = fmt::format("From Subject Require Kernel.\nDefinition everything := ({}).\nPrint Assumptions everything.\n",
                                  all.empty() ? "I" : all);
  CoqAnswer answer;
  ScratchFolder scratch;
  if (scratch.path().empty()) {
    answer.message = no_scratch_folder();
    return answer;
  }
  for (bool is_check : {false, true}) {
    CoqRun run =
        run_coq_file(library, scratch.path(), "Subject", is_check ? "Check" : "Kernel", is_check ? check : text, {}, limits);
    answer.seconds += run.seconds;
    if (run.end != CoqEnd::Accepted) {
      answer.message = "the proof is not accepted: " + (run.end == CoqEnd::NotHad ? run.why : first_lines(run.said, 6));
      return answer;
    }
    if (is_check && tell_axioms(run.said, answer)) {
      answer.word = CoqWord::Holds;
    }
  }
  return answer;
}

std::vector<std::string> axiom_names(const std::string& axioms) {
  std::vector<std::string> out;
  std::istringstream lines(axioms);
  for (std::string line; std::getline(lines, line);) {
    bool is_name = !line.empty() && line[0] != ' ' && line != "Axioms:" && line != "none";
    if (is_name) {
      out.push_back(line.substr(0, line.find_first_of(" :")));
    }
  }
  return out;
}

}  // namespace vouch
