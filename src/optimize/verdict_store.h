// Verdicts, kept between runs: in `$VOUCH_CACHE`, else `$XDG_CACHE_HOME/vouch`, else `~/.cache/vouch`, a file for each rule
// (support/bytes.h, below its seal).
//
// An entry is found by a hash, but believed only if the rule's canonical text, the checker's version and the program in it are
// those asked for, and if its seal is ours: an HMAC under a key that lies in `$XDG_STATE_HOME/vouch`, else
// `~/.local/state/vouch`, for this user alone. So an entry that was edited, copied to another name or made on another machine is
// as good as none.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "rule/scope.h"

namespace vouch {

// What is kept of a verdict; the counterexample of a refuted rule is found anew by `vouch check`.
struct KeptVerdict {
  Verdict kind = Verdict::Unknown;
  std::string reason;
  std::shared_ptr<const std::vector<Scope>> scopes;
};

class VerdictStore {
 public:
  VerdictStore();
  // From the store, or checked now and stored. Safe between processes: files are written whole or not at all. Callers on several
  // threads wait for each other; the answer stays where it is as long as the store.
  const KeptVerdict& verdict(const Rule& rule);
  void keep(const Rule& rule, const RuleVerdict& verdict);
  // The verdict if it is here or in the store, else null.
  const KeptVerdict* find(const Rule& rule);
  // Has the verdicts on all of these; those that are not in the store are checked as many at a time as there are processors.
  void prove(const std::vector<const Rule*>& rules);
  // Spent on checking, by this object: time that passed.
  double seconds() const { return seconds_; }

 private:
  std::string path(const std::string& canonical) const;
  std::optional<KeptVerdict> read(const std::string& canonical) const;
  const KeptVerdict* known(const std::string& canonical);  // null: neither here nor in the store
  std::optional<KeptVerdict> read_body(std::string_view body, const std::string& canonical) const;
  void keep(const std::string& canonical, const std::string& name, const RuleVerdict& verdict);

  std::string folder_;
  std::string program_;                       // io/program.h
  std::string key_;                           // empty: nothing is kept
  std::map<std::string, KeptVerdict> known_;  // by canonical text
  double seconds_ = 0;
  std::mutex one_at_a_time_;  // of those who ask
};

}  // namespace vouch
