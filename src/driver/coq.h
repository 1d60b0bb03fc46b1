// Running Coq on certificates.
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

struct CoqAnswer {
  bool accepted = false;
  std::string axioms;   // `none`, or their names; empty if it was not accepted
  std::string message;  // why not
  double seconds = 0;
};

// Whether `certificate` proves, by the library in `library`, that the text `c` is certified.
CoqAnswer check_certificate(const std::string& library, const std::string& certificate, const std::string& c);
// Whether every step of `derivation` holds, and the last one leads to the text `c`.
CoqAnswer check_derivation(const std::string& library, const std::string& derivation, const std::string& c);
// Whether `text` proves theorems of these names; `axioms` is what Coq prints of all of them.
CoqAnswer check_theorems(const std::string& library, const std::string& text, const std::vector<std::string>& theorems);
// The names in what Coq prints of axioms; none for `none`.
std::vector<std::string> axiom_names(const std::string& axioms);

}  // namespace vouch
