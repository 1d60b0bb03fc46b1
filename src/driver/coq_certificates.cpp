#include <fmt/format.h>

#include <set>

#include "certify/certificate.h"
#include "driver/coq.h"
#include "driver/coq_together.h"
#include "support/at_signal.h"
#include "support/parallel.h"

namespace vouch {
namespace {

// Certificates are compiled together (driver/coq_together.h), or, where such a file is not accepted, each alone: the certificate
// as Subject.sN.Kernel, its derivation as Subject.sN.Derivation. Then another file, in a process of its own, speaks of them: what
// their texts define or print cannot touch it.
class Checker {
 public:
  Checker(const std::string& library, const std::vector<CoqQuestion>& questions, const CoqJobs& jobs)
      : library_(library),
        questions_(questions),
        jobs_(jobs),
        answers_(questions.size()),
        compiled_(questions.size()),
        folders_(questions.size()) {}

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
    std::vector<std::vector<std::size_t>> groups = questions_together(questions_, jobs_.jobs);
    for_all(groups.size(), jobs_.jobs, [&](std::size_t g) {
      bool accepted = compile_together(groups[g], fmt::format("g{}", g));
      for (std::size_t i : groups[g]) {
        if (!accepted) {
          compile(i);
        }
        jobs_.finished(questions_[i].name);
      }
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
    CoqRun all = check(compiled, "all");
    together = all.seconds;
    CoqAnswer of_all;
    if (all.end == CoqEnd::Accepted && tell_axioms(all.said, of_all) && of_all.axioms == "none") {
      for (std::size_t i : compiled) {
        answers_[i].axioms = of_all.axioms;
      }
    } else {
      for_all(compiled.size(), jobs_.jobs, [&](std::size_t i) { check_alone(compiled[i]); });
    }
  }

  CoqAnswer composed(const CoqComposition& composition, const std::string& name) {
    CoqAnswer answer;
    std::vector<array::CompiledText> certificates;
    for (std::size_t i : composition.of) {
      if (answers_[i].word != CoqWord::Holds) {
        answer.message = fmt::format("the kernel {} is not certified", questions_[i].name);
        return answer;
      }
      certificates.push_back(compiled_[i].certificate);
    }
    CoqRun run = coqc(name, "Composition", composition.text(certificates), paths_of(composition.of));
    settle(answer, run, "it is not accepted");
    answer.seconds = run.seconds;
    set_axioms(answer, run);
    return answer;
  }

  std::string folder(const std::string& name) const { return fmt::format("{}/{}", scratch_.path(), name); }

  // Words for coqc by which the questions' compiled files are found.
  std::vector<std::string> paths_of(const std::vector<std::size_t>& which) const {
    std::set<std::string> names;
    for (std::size_t i : which) {
      names.insert(folders_[i]);
    }
    std::vector<std::string> paths;
    for (const std::string& name : names) {
      paths.insert(paths.end(), {"-Q", folder(name), subject(name)});
    }
    return paths;
  }

  static std::string subject(const std::string& name) { return "Subject." + name; }

  // A file in the folder NAME, compiled as Subject.NAME.FILE.
  CoqRun coqc(const std::string& name, const std::string& file, const std::string& text, const std::vector<std::string>& paths) {
    if (scratch_.path().empty()) {
      return {CoqEnd::NotHad, "", no_scratch_folder(), 0};
    }
    return run_coq_file(library_, folder(name), subject(name), file, text, paths, jobs_.limits);
  }

  // Whether they are answered by this. A group that is not accepted says nothing of any of them, and one text gains nothing.
  bool compile_together(const std::vector<std::size_t>& which, const std::string& name) {
    const CoqQuestion& first = questions_[which[0]];
    if (which.size() == 1 && !first.derivation && !first.adjoint) {
      return false;
    }
    CoqRun run = coqc(name, "Kernels", text_together(questions_, which), {});
    bool accepted = run.end == CoqEnd::Accepted;
    for (std::size_t i : which) {
      answers_[i].seconds = run.seconds / static_cast<double>(which.size());
      if (accepted) {
        compiled_[i] = compiled_together(questions_[i], i, subject(name) + ".Kernels");
        folders_[i] = name;
        answers_[i].word = CoqWord::Holds;
        answers_[i].adjoint = questions_[i].adjoint ? CoqWord::Holds : CoqWord::Undecided;
      }
    }
    return accepted;
  }

  // So far as its text goes: what that rests on is not looked at yet.
  void compile(std::size_t i) {
    const CoqQuestion& question = questions_[i];
    CoqAnswer& answer = answers_[i];
    CoqRun run = compile_alone(i, "Kernel", question.certificate, compiled_[i].certificate);
    if (run.end == CoqEnd::Refused) {
      return refute(i, run);
    }
    bool derives = run.end == CoqEnd::Accepted && question.derivation;
    if (derives) {
      run = compile_alone(i, "Derivation", *question.derivation, compiled_[i].derivation);
    }
    settle(answer, run, derives ? "the derivation is not accepted" : "the certificate is not accepted");
    if (question.adjoint && answer.word == CoqWord::Holds) {
      compile_adjoint(i);
    }
  }

  CoqRun compile_alone(std::size_t i, const std::string& file, const std::string& text, array::CompiledText& compiled) {
    folders_[i] = fmt::format("s{}", i);
    CoqRun run = coqc(folders_[i], file, text, {});
    answers_[i].seconds += run.seconds;
    if (run.end == CoqEnd::Accepted) {
      compiled.file = compiled.module = subject(folders_[i]) + "." + file;
    }
    return run;
  }

  // What is not accepted is open, not refuted: the check does not decide what it checks.
  void compile_adjoint(std::size_t i) {
    CoqRun run = compile_alone(i, "Adjoint", *questions_[i].adjoint, compiled_[i].adjoint);
    CoqAnswer& answer = answers_[i];
    answer.adjoint = run.end == CoqEnd::Accepted ? CoqWord::Holds : CoqWord::Undecided;
    answer.adjoint_message = run.end == CoqEnd::Accepted ? "" : run.end == CoqEnd::NotHad ? run.why : first_lines(run.said, 6);
  }

  // A certificate that Coq rejects fails only where Coq proves the opposite: there are other reasons to reject a file.
  void refute(std::size_t i, const CoqRun& rejected) {
    array::CompiledText refuted;
    CoqRun run = compile_alone(i, "Refutation", questions_[i].refutation, refuted);
    CoqAnswer& answer = answers_[i];
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

  CoqRun check(const std::vector<std::size_t>& which, const std::string& name) {
    std::vector<array::ToCheck> subjects;
    for (std::size_t i : which) {
      const CompiledQuestion& compiled = compiled_[i];
      subjects.push_back({compiled.certificate, questions_[i].certificate, questions_[i].c, compiled.derivation, compiled.adjoint,
                          questions_[i].adjoint.value_or("")});
    }
    return coqc("check_" + name, "Check", array::certificates_check(subjects), paths_of(which));
  }

  void check_alone(std::size_t i) {
    CoqAnswer& answer = answers_[i];
    CoqRun run = check({i}, fmt::format("{}", i));
    answer.seconds += run.seconds;
    settle(answer, run, "what it rests on is not known");
    set_axioms(answer, run);
  }

  static void set_axioms(CoqAnswer& answer, const CoqRun& run) {
    if (run.end == CoqEnd::Accepted && tell_axioms(run.said, answer) && answer.axioms != "none") {
      answer.word = CoqWord::Fails;
      answer.message = "it rests on axioms";
    }
  }

  const std::string& library_;
  const std::vector<CoqQuestion>& questions_;
  const CoqJobs& jobs_;
  std::vector<CoqAnswer> answers_;
  std::vector<CompiledQuestion> compiled_;
  std::vector<std::string> folders_;  // where that lies in the scratch folder
  ScratchFolder scratch_;
};

}  // namespace

CoqAnswers check_certificates(const std::string& library, const std::vector<CoqQuestion>& questions,
                              const std::vector<CoqComposition>& compositions, const CoqJobs& jobs) {
  return Checker(library, questions, jobs).answers(compositions);
}

}  // namespace vouch
