#include <fmt/format.h>

#include <sstream>

#include "driver/coq.h"
#include "support/at_signal.h"

namespace vouch {
namespace {

// What `Print Assumptions` says at the end of `answer`.
std::string axioms_in(const std::string& answer) {
  constexpr std::string_view kClosed = "Closed under the global context";
  std::string text = answer;
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  if (text.ends_with(kClosed)) {
    return "none";
  }
  constexpr int kMostLines = 40;
  return text.empty() ? "unknown" : first_lines(text, kMostLines);
}

}  // namespace

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
    answer.axioms = is_check ? axioms_in(run.said) : "";
  }
  answer.word = CoqWord::Holds;
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
