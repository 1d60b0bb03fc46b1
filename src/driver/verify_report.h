// What `vouch verify` found, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "build/library_names.h"
#include "driver/coq.h"
#include "driver/equality_trace.h"
#include "driver/folder_check.h"
#include "driver/rule_proofs.h"
#include "driver/step_theorems.h"
#include "rewrite/chain.h"

namespace vouch {

struct KernelFound {
  KernelCheck check;
  CoqAnswer answer;
  bool kept = false;  // Coq's word is from an earlier run

  CoqWord word() const { return check.differences.empty() ? answer.word : CoqWord::Fails; }
  // The C text is certified, and it is not known whether its kernel is the gradient.
  bool leaves_gradient_open() const {
    return word() == CoqWord::Holds && check.texts->adjoint && answer.adjoint != CoqWord::Holds;
  }
};

struct RuleFound {
  RuleCheck check;
  CoqAnswer answer;
  bool kept = false;

  // A rule without a proof is left to the solver.
  bool has_proof() const { return check.coq && !check.coq->text.empty(); }
  // Proven of fewer ranks or instances than `check` asks of.
  bool is_in_part() const { return check.differences.empty() && answer.word == CoqWord::Holds && !check.asked.fewer.empty(); }
  CoqWord word() const { return !check.differences.empty() ? CoqWord::Fails : is_in_part() ? CoqWord::Undecided : answer.word; }
};

// A library's calls: its kernels together (coq/build).
struct CallsFound {
  std::string folder;
  std::string library;
  Library plan;
  std::vector<std::size_t> kernels;  // positions in `VerifyFindings::kernels`
  CoqAnswer answer;
  bool kept = false;
};

// That a library's steps lead from its model to what is lowered (coq/build/Chain.v).
struct ChainFound {
  std::string folder;
  std::string library;
  Chain chain;
  CoqAnswer answer;
  bool kept = false;

  // There is a chain, and Coq did not say that it is one.
  bool is_open() const { return chain.why.empty() && answer.word != CoqWord::Holds; }
};

struct VerifyFindings {
  std::vector<EqualityCheck> equalities;
  std::vector<KernelFound> kernels;
  std::vector<CallsFound> calls;
  std::vector<StepsFound> steps;
  std::vector<ChainFound> chains;
  std::vector<RuleFound> rules;
  double together = 0;               // seconds for what all certificates rest on
  bool is_own_file_covered = false;  // what this run is to write would go over what it verifies
};

std::string print_found(const VerifyFindings& found);
nlohmann::ordered_json found_json(const VerifyFindings& found);

}  // namespace vouch
