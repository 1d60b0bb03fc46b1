// Verdicts on rules that many processes share (driver/sealed_folder.h), each under the options that it was found with.
#pragma once

#include <optional>
#include <string>

#include "driver/check_report.h"
#include "driver/sealed_folder.h"

namespace vouch {

class CheckStore {
 public:
  // `options` names all but the rule that a verdict depends on. Without a name for the folder nothing is kept. Errors: see
  // SealedFolder.
  CheckStore(const std::string& folder, const CheckOptions& options, bool repair, Diagnostics& diagnostics);

  bool is_open() const { return folder_.is_open(); }
  // The entry's file, in the folder.
  std::string path(const Rule& rule) const { return folder_.path(subject(rule)); }
  // What is kept of the rule: its verdict and its repair.
  std::optional<CheckedRule> find(const Rule& rule) const;
  bool keep(const CheckedRule& checked, Diagnostics& diagnostics) const;

 private:
  std::string subject(const Rule& rule) const;

  SealedFolder folder_;
  std::string common_;
};

}  // namespace vouch
