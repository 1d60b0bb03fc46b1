#include <fmt/format.h>

#include <sstream>

#include "driver/coq.h"
#include "driver/coq_process.h"
#include "io/file.h"

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

// The text is compiled as Subject.Kernel; a file of ours then speaks of its theorems, each by its name.
CoqAnswer check_theorems(const std::string& library, const std::string& text, const std::vector<std::string>& theorems) {
  std::string all;
  for (const std::string& name : theorems) {
    all += (all.empty() ? "" : ", ") + ("@Subject.Kernel." + name);
  }
  std::string check = fmt::format("From Subject Require Kernel.\nDefinition everything := ({}).\nPrint Assumptions everything.\n",
                                  all.empty() ? "I" : all);
  CoqAnswer answer;
  ScratchFolder scratch;
  Diagnostics diagnostics;
  for (const std::string* content : {&text, static_cast<const std::string*>(&check)}) {
    bool is_check = content == &check;
    const char* name = is_check ? "Check" : "Kernel";
    std::string file = fmt::format("{}/{}.v", scratch.path(), name);
    if (scratch.path().empty() || !write_file(file, *content, diagnostics)) {
      answer.accepted = false;
      answer.message = "no scratch folder can be written\n" + diagnostics.text();
      return answer;
    }
    std::string output = scratch.path() + "/output";
    double seconds = 0;
    auto status = run_coqc({"-q", "-w", "none", "-Q", library, "Vouch", "-Q", scratch.path(), "Subject", file}, output, &seconds);
    answer.seconds += seconds;
    std::string said = read_file(output, diagnostics).value_or("");
    answer.accepted = status == 0;
    if (!answer.accepted) {
      answer.message = !status    ? "coqc could not be run, or ran too long"
                       : is_check ? "a theorem is missing: " + first_lines(said, 6)
                                  : "Coq rejects the proof: " + first_lines(said, 6);
      return answer;
    }
    answer.axioms = is_check ? axioms_in(said) : "";
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
