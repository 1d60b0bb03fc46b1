// Verdicts that many processes share: a folder with a file for each rule, named by all that its verdict depends on.
//
// An entry is believed only if it is about this very text, under the same options, by this very program, and sealed with the key
// of this user (optimize/seal.h): what was edited, copied or written by somebody else is as good as none, and does not stand in
// the way. Files are written whole or not at all, so any number of processes, on any number of machines, may use one folder.
#pragma once

#include <optional>
#include <string>

#include "driver/check_report.h"

namespace vouch {

class CheckStore {
 public:
  // `options` names all but the rule that a verdict depends on. Without a name for the folder nothing is kept. An error if there
  // is one that cannot be used: it cannot be made, or this user has no key.
  CheckStore(const std::string& folder, const CheckOptions& options, bool repair, Diagnostics& diagnostics);

  bool is_open() const { return !folder_.empty(); }
  // The entry's file, in the folder.
  std::string path(const Rule& rule) const;
  // What is kept of the rule: its verdict and its repair.
  std::optional<CheckedRule> find(const Rule& rule) const;
  bool keep(const CheckedRule& checked, Diagnostics& diagnostics) const;

 private:
  std::string subject(const Rule& rule) const;

  std::string folder_;
  std::string key_;
  std::string common_;
};

}  // namespace vouch
