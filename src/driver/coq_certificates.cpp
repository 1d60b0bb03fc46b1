#include <fmt/format.h>

#include "certify/certificate.h"
#include "driver/coq.h"
#include "driver/parallel.h"
#include "support/at_signal.h"

namespace vouch {
namespace {

constexpr std::string_view kClosed = "Closed under the global context\n";

// The certificate is compiled as Subject.sN.Kernel, its derivation as Subject.sN.Derivation, each in a process of its own,
// and then another file speaks of them: what their texts define or print cannot touch it.
class Checker {
 public:
  Checker(const std::string& library, const std::vector<CoqQuestion>& questions, const CoqJobs& jobs)
      : library_(library), questions_(questions), jobs_(jobs), answers_(questions.size()) {}

  CoqAnswers answers(const std::vector<CoqComposition>& compositions) {
    CoqAnswers out;
    ask_questions(out.together);
    out.compositions.resize(compositions.size());
    for_all(compositions.size(), jobs_.jobs, [&](std::size_t i) {
      out.compositions[i] = composed(compositions[i], fmt::format("c{}", i));
      jobs_.finished(compositions[i].name);
    });
    out.questions = std::move(answers_);
    return out;
  }

 private:
  void ask_questions(double& together) {
    for_all(questions_.size(), jobs_.jobs, [&](std::size_t i) {
      compile(i);
      jobs_.finished(questions_[i].name);
    });
    std::vector<std::size_t> compiled;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      if (answers_[i].word == CoqWord::Holds) {
        compiled.push_back(i);
      }
    }
    if (compiled.empty()) {
      return;
    }
    CoqRun all = check(compiled, "all", true);
    together = all.seconds;
    if (all.end == CoqEnd::Accepted && all.said == kClosed) {
      for (std::size_t i : compiled) {
        answers_[i].axioms = "none";
      }
    } else {
      for_all(compiled.size(), jobs_.jobs, [&](std::size_t i) { check_alone(compiled[i]); });
    }
  }

  CoqAnswer composed(const CoqComposition& composition, const std::string& name) {
    CoqAnswer answer;
    std::vector<std::string> modules;
    std::vector<std::string> paths;
    for (std::size_t i : composition.of) {
      if (answers_[i].word != CoqWord::Holds) {
        answer.message = fmt::format("the kernel {} is not certified", questions_[i].name);
        return answer;
      }
      modules.push_back(module(i) + ".Kernel");
      paths.insert(paths.end(), {"-Q", folder(fmt::format("s{}", i)), module(i)});
    }
    CoqRun run = coqc(name, "Subject." + name, "Composition", composition.text(modules), paths);
    settle(answer, run, "it is not accepted");
    answer.seconds = run.seconds;
    set_axioms(answer, run);
    return answer;
  }

  static std::string module(std::size_t i) { return fmt::format("Subject.s{}", i); }
  std::string folder(const std::string& name) const { return fmt::format("{}/{}", scratch_.path(), name); }

  CoqRun coqc(const std::string& name, const std::string& subject, const std::string& file, const std::string& text,
              const std::vector<std::string>& paths) {
    if (scratch_.path().empty()) {
      return {CoqEnd::NotHad, "", "no scratch folder can be made", 0};
    }
    return run_coq_file(library_, folder(name), subject, file, text, paths, jobs_.limits);
  }

  // So far as its text goes: what that rests on is not looked at yet.
  void compile(std::size_t i) {
    std::string name = fmt::format("s{}", i);
    const CoqQuestion& question = questions_[i];
    CoqAnswer& answer = answers_[i];
    CoqRun run = coqc(name, module(i), "Kernel", question.certificate, {});
    answer.seconds = run.seconds;
    if (run.end == CoqEnd::Refused) {
      return refute(i, run);
    }
    bool derives = run.end == CoqEnd::Accepted && question.derivation;
    if (derives) {
      run = coqc(name, module(i), "Derivation", *question.derivation, {});
      answer.seconds += run.seconds;
    }
    settle(answer, run, derives ? "the derivation is not accepted" : "the certificate is not accepted");
    if (question.adjoint && answer.word == CoqWord::Holds) {
      compile_adjoint(i);
    }
  }

  // What is not accepted is open, not refuted: the check does not decide what it checks.
  void compile_adjoint(std::size_t i) {
    CoqRun run = coqc(fmt::format("s{}", i), module(i), "Adjoint", *questions_[i].adjoint, {});
    CoqAnswer& answer = answers_[i];
    answer.seconds += run.seconds;
    answer.adjoint = run.end == CoqEnd::Accepted ? CoqWord::Holds : CoqWord::Undecided;
    answer.adjoint_message = run.end == CoqEnd::Accepted ? "" : run.end == CoqEnd::NotHad ? run.why : first_lines(run.said, 6);
  }

  // A certificate that Coq rejects fails only where Coq proves the opposite: there are other reasons to reject a file.
  void refute(std::size_t i, const CoqRun& rejected) {
    CoqRun run = coqc(fmt::format("s{}", i), module(i), "Refutation", questions_[i].refutation, {});
    CoqAnswer& answer = answers_[i];
    answer.seconds += run.seconds;
    settle(answer, rejected, "the certificate is not accepted");
    if (run.end == CoqEnd::Accepted) {
      answer.word = CoqWord::Fails;
      answer.message = "Coq proves that this C text is not certified for this kernel";
    }
  }

  static void settle(CoqAnswer& answer, const CoqRun& run, const std::string& otherwise) {
    answer.word = run.end == CoqEnd::Accepted ? CoqWord::Holds : CoqWord::Undecided;
    answer.message =
        run.end == CoqEnd::Accepted ? "" : otherwise + ": " + (run.end == CoqEnd::NotHad ? run.why : first_lines(run.said, 6));
  }

  CoqRun check(const std::vector<std::size_t>& which, const std::string& name, bool derivations) {
    std::vector<array::ToCheck> subjects;
    std::vector<std::string> paths;
    for (std::size_t i : which) {
      bool derived = derivations && questions_[i].derivation;
      bool adjoint = questions_[i].adjoint && answers_[i].adjoint == CoqWord::Holds;
      subjects.push_back({module(i) + ".Kernel", questions_[i].certificate, questions_[i].c,
                          derived ? module(i) + ".Derivation" : "", adjoint ? module(i) + ".Adjoint" : "",
                          adjoint ? *questions_[i].adjoint : ""});
      paths.insert(paths.end(), {"-Q", folder(fmt::format("s{}", i)), module(i)});
    }
    return coqc("check_" + name, "Subject.check_" + name, "Check", array::certificates_check(subjects), paths);
  }

  void check_alone(std::size_t i) {
    CoqAnswer& answer = answers_[i];
    CoqRun run = check({i}, fmt::format("{}", i), true);
    answer.seconds += run.seconds;
    settle(answer, run, "what it rests on is not known");
    set_axioms(answer, run);
  }

  static void set_axioms(CoqAnswer& answer, const CoqRun& run) {
    if (run.end != CoqEnd::Accepted) {
      return;
    }
    answer.axioms = run.said == kClosed ? "none" : run.said.empty() ? "unknown" : first_lines(run.said, 20);
    if (answer.axioms != "none") {
      answer.word = CoqWord::Fails;
      answer.message = "it rests on axioms";
    }
  }

  const std::string& library_;
  const std::vector<CoqQuestion>& questions_;
  const CoqJobs& jobs_;
  std::vector<CoqAnswer> answers_;
  ScratchFolder scratch_;
};

}  // namespace

CoqAnswers check_certificates(const std::string& library, const std::vector<CoqQuestion>& questions,
                              const std::vector<CoqComposition>& compositions, const CoqJobs& jobs) {
  return Checker(library, questions, jobs).answers(compositions);
}

}  // namespace vouch
