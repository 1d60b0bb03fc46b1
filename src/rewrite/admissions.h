// Who says what may fire of each rule, and may like to know what it will be asked next.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "rewrite/admission.h"

namespace vouch {

class Admissions {
 public:
  // Positions of the rules, among those not asked about yet, that match somewhere in the graph as it is.
  using Matching = std::function<std::vector<std::size_t>()>;

  Admissions() = default;  // of none: nothing fires
  // By rule: what may fire of it.
  template <class OfRule>
  requires std::is_invocable_r_v<Admission&, OfRule, std::size_t> Admissions(OfRule of_rule) : of_rule_(std::move(of_rule)) {}
  // `ahead` is told of a rule before the first question about it, so that what takes long is done for several rules at once.
  template <class OfRule, class Ahead>
  Admissions(OfRule of_rule, Ahead ahead) : of_rule_(std::move(of_rule)), ahead_(std::move(ahead)) {}

  explicit operator bool() const { return static_cast<bool>(of_rule_); }
  Admission& operator()(std::size_t rule) const { return of_rule_(rule); }
  void ask_soon(std::size_t rule, const Matching& matching) const {
    if (ahead_) {
      ahead_(rule, matching);
    }
  }

 private:
  std::function<Admission&(std::size_t rule)> of_rule_;
  std::function<void(std::size_t rule, const Matching& matching)> ahead_;
};

// Whatever matches may fire: for tests and for those who asked for it.
Admissions all_unproven();

}  // namespace vouch
