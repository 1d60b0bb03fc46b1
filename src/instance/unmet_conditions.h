// Why no choice of ranks and element types meets a rule's conditions: which one is met by none that meets those before it, and
// whether that is so at every rank or only at those that were tried.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rule/ast.h"

namespace vouch {

class UnmetConditions {
 public:
  // Conjuncts of a rule's conditions, in the order in which they are asked. The rule must outlive this.
  explicit UnmetConditions(const Rule& rule) : rule_(rule) {}

  void add(AttrId conjunct) { asked_.push_back({conjunct}); }
  void note(std::size_t conjunct, bool may_hold) {
    asked_[conjunct].ever = true;
    asked_[conjunct].held = asked_[conjunct].held || may_hold;
  }

  struct Unmet {
    std::string reason;
    bool at_any_rank = false;  // also at ranks that were not tried
  };
  // Once all choices are made, if none came to an instance; nothing if no condition is to blame.
  std::optional<Unmet> find() const;

 private:
  struct Asked {
    AttrId conjunct = kNone;
    bool ever = false;
    bool held = false;
  };

  bool speaks_of_form() const;
  bool ranks_contradict() const;

  const Rule& rule_;
  std::vector<Asked> asked_;
};

}  // namespace vouch
