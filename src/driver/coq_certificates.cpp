#include <fmt/format.h>

#include <filesystem>

#include "certify/certificate.h"
#include "certify/coq_text.h"
#include "driver/coq.h"
#include "driver/coq_process.h"
#include "driver/parallel.h"
#include "io/file.h"

namespace vouch {
namespace {

constexpr std::string_view kClosed = "Closed under the global context\n";

struct Said {
  bool accepted = false;
  std::string text;
  double seconds = 0;
};

// The certificate is compiled as Subject.sN.Kernel, its derivation as Subject.sN.Derivation, each in a process of its own,
// and then a file of ours speaks of them: what their texts define or print cannot touch it.
class Checker {
 public:
  Checker(const std::string& library, const std::vector<CoqQuestion>& questions, unsigned jobs)
      : library_(library), questions_(questions), jobs_(jobs), answers_(questions.size()) {}

  std::vector<CoqAnswer> answers(double& together) {
    for_all(questions_.size(), jobs_, [&](std::size_t i) { compile(i); });
    std::vector<std::size_t> likely;
    std::vector<std::size_t> alone;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      if (answers_[i].accepted) {
        // One whose certificate does not have its text would only spoil it for the others.
        bool has_text = questions_[i].certificate.find(array::coq_text(questions_[i].c)) != std::string::npos;
        (has_text ? likely : alone).push_back(i);
      }
    }
    Said all = likely.empty() ? Said{true, std::string(kClosed), 0} : check(likely, "all", true);
    together = all.seconds;
    if (all.accepted && all.text == kClosed) {
      for (std::size_t i : likely) {
        answers_[i].axioms = "none";
      }
    } else {
      alone.insert(alone.end(), likely.begin(), likely.end());
    }
    for_all(alone.size(), jobs_, [&](std::size_t i) { check_alone(alone[i]); });
    return answers_;
  }

 private:
  static std::string module(std::size_t i) { return fmt::format("Subject.s{}", i); }
  std::string folder(const std::string& name) const { return fmt::format("{}/{}", scratch_.path(), name); }

  Said coqc(const std::string& name, const std::string& file, const std::string& text, const std::vector<std::string>& paths) {
    std::error_code failed;
    std::filesystem::create_directories(folder(name), failed);
    std::string path = fmt::format("{}/{}.v", folder(name), file);
    std::string output = folder(name) + "/output";
    Diagnostics diagnostics;
    if (scratch_.path().empty() || !write_file(path, text, diagnostics)) {
      return {false, "no scratch folder can be written\n" + diagnostics.text(), 0};
    }
    std::vector<std::string> words{"-q", "-w", "none", "-Q", library_, "Vouch"};
    words.insert(words.end(), paths.begin(), paths.end());
    words.push_back(path);
    double seconds = 0;
    std::optional<int> status = run_coqc(words, output, &seconds);
    std::string said = status ? read_file(output, diagnostics).value_or("") : "coqc could not be run, or ran too long";
    return {status == 0, said, seconds};
  }

  // Accepted so far: what its text proves is not looked at yet.
  void compile(std::size_t i) {
    std::string name = fmt::format("s{}", i);
    std::vector<std::string> path{"-Q", folder(name), module(i)};
    CoqAnswer& answer = answers_[i];
    Said said = coqc(name, "Kernel", questions_[i].certificate, path);
    answer.accepted = said.accepted;
    answer.seconds = said.seconds;
    answer.message = said.accepted ? "" : "Coq rejects the certificate: " + first_lines(said.text, 6);
    if (said.accepted && questions_[i].derivation) {
      said = coqc(name, "Derivation", *questions_[i].derivation, path);
      answer.accepted = said.accepted;
      answer.seconds += said.seconds;
      answer.message = said.accepted ? "" : "the derivation does not hold: " + first_lines(said.text, 6);
    }
  }

  Said check(const std::vector<std::size_t>& which, const std::string& name, bool derivations) {
    std::vector<array::ToCheck> subjects;
    std::vector<std::string> paths;
    for (std::size_t i : which) {
      bool derived = derivations && questions_[i].derivation;
      subjects.push_back(
          {module(i) + ".Kernel", questions_[i].certificate, questions_[i].c, derived ? module(i) + ".Derivation" : ""});
      paths.insert(paths.end(), {"-Q", folder(fmt::format("s{}", i)), module(i)});
    }
    return coqc("check_" + name, "Check", array::certificates_check(subjects), paths);
  }

  void refuse(CoqAnswer& answer, const std::string& why) {
    answer.accepted = false;
    answer.message = why;
  }

  void check_alone(std::size_t i) {
    CoqAnswer& answer = answers_[i];
    for (bool derivation : {false, true}) {
      if (derivation && !questions_[i].derivation) {
        continue;
      }
      Said said = check({i}, fmt::format("{}{}", i, derivation ? "_derivation" : ""), derivation);
      answer.seconds += said.seconds;
      if (!said.accepted) {
        answer.axioms.clear();
        return refuse(answer, (derivation ? "the derivation does not hold: " : "the C text is not the certified one: ") +
                                  first_lines(said.text, 6));
      }
      answer.axioms = said.text == kClosed ? "none" : said.text.empty() ? "unknown" : first_lines(said.text, 20);
      if (answer.axioms != "none") {
        return refuse(answer, derivation ? "the derivation does not hold: it rests on axioms" : "it rests on axioms");
      }
    }
  }

  const std::string& library_;
  const std::vector<CoqQuestion>& questions_;
  unsigned jobs_;
  std::vector<CoqAnswer> answers_;
  ScratchFolder scratch_;
};

}  // namespace

std::vector<CoqAnswer> check_certificates(const std::string& library, const std::vector<CoqQuestion>& questions, unsigned jobs,
                                          double& together) {
  return Checker(library, questions, jobs).answers(together);
}

}  // namespace vouch
