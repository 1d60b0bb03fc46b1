// Coq's library, and Coq's word on certificates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/diagnostic.h"

namespace vouch {

// The compiled Coq library: $VOUCH_COQ_LIBRARY, or beside the command in the build tree, or where it was installed. An
// error says how to make it.
std::optional<std::string> find_coq_library(Diagnostics& diagnostics);
// `coqc` can be run.
bool has_coq();
// Coq's name and version, as it states them.
std::string coq_version();
// What Coq prints on a file with this text; nothing if it rejects the file.
std::optional<std::string> coq_says(const std::string& library, const std::string& text);

struct CoqQuestion {
  std::string certificate;
  std::string c;                          // the C text that is to be certified
  std::optional<std::string> derivation;  // every step of it must hold, and the last one lead to `c`
};

struct CoqAnswer {
  bool accepted = false;
  std::string axioms;   // `none`, or their names; empty if it was not accepted
  std::string message;  // why not
  double seconds = 0;   // of processor time that Coq took for its files
};

// Whether each certificate proves, by the library in `library`, that its C text is certified; `jobs` at once. What the
// accepted ones rest on is asked of all together, which takes `together` seconds; one by one only where that does not hold.
std::vector<CoqAnswer> check_certificates(const std::string& library, const std::vector<CoqQuestion>& questions, unsigned jobs,
                                          double& together);

// Whether `text` proves theorems of these names; `axioms` is what Coq prints of all of them.
CoqAnswer check_theorems(const std::string& library, const std::string& text, const std::vector<std::string>& theorems);
// The names in what Coq prints of axioms; none for `none`.
std::vector<std::string> axiom_names(const std::string& axioms);

}  // namespace vouch
