// Verdicts, kept between runs: in `$VOUCH_CACHE`, else `$XDG_CACHE_HOME/vouch`, else `~/.cache/vouch`. A file for each rule,
// named by the hash of its content, the checker's version and this very program (so of every operator's definition).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "check/check.h"

namespace vouch {

// What is kept of a verdict; the counterexample of a refuted rule is found anew by `vouch check`.
struct KeptVerdict {
  Verdict kind = Verdict::Unknown;
  std::string reason;
  std::map<SiteKey, Verdict> sites;
};

class VerdictStore {
 public:
  VerdictStore();
  // From the store, or checked now and stored. Safe between processes: files are written whole or not at all.
  const KeptVerdict& verdict(const Rule& rule);
  void keep(const Rule& rule, const RuleVerdict& verdict);

 private:
  std::string path(const Rule& rule) const;
  std::optional<KeptVerdict> read(const Rule& rule) const;

  std::string folder_;
  std::string program_;                       // hash
  std::map<std::string, KeptVerdict> known_;  // by content hash of the rule
};

}  // namespace vouch
