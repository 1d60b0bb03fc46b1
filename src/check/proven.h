// Which rules may fire where: verdicts kept by content. A rule fires only at sites that its proof covers.
//
// Verdicts are filed under the rule's content hash and the version of operators and checker; a file that says otherwise is
// not used. A verdict holds for non-empty inputs, ranks up to its largest and the element types it names (floats stand for
// each other, and so do integers of any width: see prove.h).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/check.h"

namespace vouch {

struct ProvenScope {
  Verdict verdict = Verdict::Unknown;
  std::uint32_t max_rank = 0;
  std::string reason;
};

class ProvenRules {
 public:
  // The verdict for this rule: remembered, or found now.
  const ProvenScope& scope(const Rule& rule);
  // Nothing: the rule is proven for inputs of these types (those that its patterns match); else why not.
  std::optional<std::string> why_not(const Rule& rule, std::span<const Type> inputs);

  // The text form, one line a rule; lines of another version are left out when read.
  std::string text() const;
  void read(const std::string& text);

 private:
  std::map<std::string, ProvenScope> by_hash_;
};

}  // namespace vouch
