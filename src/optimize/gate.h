// Only proven rules fire: the verdict on a rule is looked up (or worked out, and kept) when it first matches, and what it proved
// decides, match by match (rewrite/admission.h). Where one has to be worked out, so are those of the other rules that match then,
// on several threads: a rule's verdict does not depend on the others.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "optimize/verdict_store.h"
#include "rewrite/engine.h"

namespace vouch {

class Gate {
 public:
  // The rules must outlive the gate, and the gate what it admits to.
  Gate(const std::vector<Rule>& rules, bool allow_unproven)
      : rules_(rules), allow_unproven_(allow_unproven), own_(std::in_place), store_(*own_) {}
  // Only proven rules, with verdicts of a store that several gates share; it must outlive them.
  Gate(const std::vector<Rule>& rules, VerdictStore& store) : rules_(rules), allow_unproven_(false), store_(store) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  Admission& admission(std::size_t rule);
  Admissions admissions();
  // Has the verdicts of these rules, as many at a time as there are processors.
  void prove(const std::vector<std::size_t>& rules);
  // Spent on proving what was not known.
  double seconds() const { return store_.seconds(); }

 private:
  Admission& admit_as(std::size_t rule, const KeptVerdict& kept);

  const std::vector<Rule>& rules_;
  bool allow_unproven_;
  std::optional<VerdictStore> own_;
  VerdictStore& store_;
  std::map<std::size_t, Admission> known_;
};

}  // namespace vouch
