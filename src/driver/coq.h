// Coq's library, and Coq's word on certificates. Every sentence that Coq reads here is ours.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "certify/certificate.h"
#include "driver/coq_process.h"
#include "support/diagnostic.h"

namespace vouch {

// The compiled Coq library: $VOUCH_COQ_LIBRARY, or beside the command in the build tree, or where it was installed. Its texts
// are those that this command was built with, each older than what was compiled of it. An error says how to make it.
std::optional<std::string> find_coq_library(Diagnostics& diagnostics);
// Coq's name and version, as it states them within a minute, or `most` if that is less; an error says why `coqc` cannot be run.
std::optional<std::string> coq_version(std::chrono::seconds most, Diagnostics& diagnostics);
// What Coq prints on a file with this text; an error says why there is nothing.
std::optional<std::string> coq_says(const std::string& library, const std::string& text, Diagnostics& diagnostics);

// A file with this text, compiled as SUBJECT.NAME in `folder`, where the modules of `paths` (words for coqc) can be required.
CoqRun run_coq_file(const std::string& library, const std::string& folder, const std::string& subject, const std::string& name,
                    const std::string& text, const std::vector<std::string>& paths, const CoqLimits& limits);

struct CoqQuestion {
  std::string name;
  std::string certificate;
  std::string refutation;                 // proves that `c` is not certified; holds only if the certificate does not
  std::string c;                          // the C text that is to be certified
  std::optional<std::string> derivation;  // every step of it must hold, and the last one lead to `c`
  std::optional<std::string> adjoint;     // proves that the kernel is a gradient
};

// What is known in the end. `Undecided`: Coq's word could not be had, or it is neither yes nor no.
enum class CoqWord { Holds, Fails, Undecided };

struct CoqAnswer {
  CoqWord word = CoqWord::Undecided;
  std::string axioms;   // `none`, or their names; empty if there is no proof
  std::string message;  // why it does not hold
  double seconds = 0;   // of processor time that Coq took for its files
  // Of a question that asks for it; `Fails` is no answer to that.
  CoqWord adjoint = CoqWord::Undecided;
  std::string adjoint_message = "";
};

// A theorem about several certificates together.
struct CoqComposition {
  std::string name;
  std::vector<std::size_t> of;  // positions of the questions
  // The file's text, from their compiled certificates; it prints what it rests on.
  std::function<std::string(const std::vector<array::CompiledText>& certificates)> text;
};

struct CoqJobs {
  unsigned jobs = 1;
  CoqLimits limits;
  std::function<void(const std::string&)> finished;  // is told the name of each question that is answered; by any thread
};

struct CoqAnswers {
  std::vector<CoqAnswer> questions;
  std::vector<CoqAnswer> compositions;
  double together = 0;  // seconds
};

// Whether each certificate proves, by the library in `library`, that its C text is certified. Several are compiled by one
// process, and what those that hold rest on is asked of all together; one by one only where that does not hold. Then each
// composition whose certificates all hold.
CoqAnswers check_certificates(const std::string& library, const std::vector<CoqQuestion>& questions,
                              const std::vector<CoqComposition>& compositions, const CoqJobs& jobs);

// Whether `text` proves theorems of these names; `axioms` is what Coq prints of all of them.
CoqAnswer check_theorems(const std::string& library, const std::string& text, const std::vector<std::string>& theorems,
                         const CoqLimits& limits);
// What `Print Assumptions` said; false, and the answer is open, where that is none of its answers.
bool tell_axioms(const std::string& said, CoqAnswer& answer);
// The names in what Coq prints of axioms; none for `none`.
std::vector<std::string> axiom_names(const std::string& axioms);

}  // namespace vouch
