#include "rule/operand_order.h"

#include <algorithm>

namespace vouch {
namespace {

bool is_commutative(const Pattern& call) {
  bool commutes = call.op ? op_def(*call.op).traits.commutative : call.trait == OpTrait::Commutative;
  return call.kind == PatternKind::Call && commutes && call.operands.size() == 2 && call.operands[0] != kNone &&
         call.operands[1] != kNone;
}

class OperandOrder {
 public:
  explicit OperandOrder(const Rule& rule) : rule_(rule), position_(rule.patterns.size(), kNone) {
    for (std::size_t k = 0; k < rule.source_order.size(); ++k) {
      position_[rule.source_order[k]] = static_cast<std::uint32_t>(k);
    }
  }

  // A call whose operands are to change places; kNone if there is none.
  PatternId to_exchange() const {
    for (PatternId call : rule_.source_order) {
      if (!is_commutative(rule_.pattern(call))) {
        continue;
      }
      std::vector<bool> first = below(rule_.pattern(call).operands[0]);
      std::vector<bool> second = below(rule_.pattern(call).operands[1]);
      if (needs(first, second) && !needs(second, first)) {
        return call;
      }
    }
    return kNone;
  }

  // Does an attribute speak of what is matched later?
  bool is_violated() const { return needs(rule_.in_source, rule_.in_source); }

 private:
  std::vector<bool> below(PatternId root) const {
    std::vector<bool> out(rule_.patterns.size());
    std::vector<PatternId> pending{root};
    while (!pending.empty()) {
      PatternId id = pending.back();
      pending.pop_back();
      if (!out[id]) {
        out[id] = true;
        std::vector<PatternId> parts = direct_subpatterns(rule_, id);
        pending.insert(pending.end(), parts.begin(), parts.end());
      }
    }
    return out;
  }

  // What its attributes speak of, and the call that it copies them from.
  std::vector<PatternId> accessed_by(const Pattern& p) const {
    std::vector<PatternId> out;
    for (AttrId attr : held_attributes(p)) {
      std::vector<PatternId> accessed = accessed_patterns(rule_, attr);
      out.insert(out.end(), accessed.begin(), accessed.end());
    }
    if (p.attributes_as != kNone) {
      out.push_back(p.attributes_as);
    }
    return out;
  }

  // Does one of these speak of what only the others have?
  bool needs(const std::vector<bool>& these, const std::vector<bool>& others) const {
    for (PatternId id : rule_.source_order) {
      if (!these[id]) {
        continue;
      }
      for (PatternId accessed : accessed_by(rule_.pattern(id))) {
        if (accessed >= position_.size()) {
          continue;
        }
        bool later = position_[accessed] != kNone && position_[accessed] > position_[id];
        bool only_there = others[accessed] && (!these[accessed] || &these == &others);
        // Between operands either order counts; within a whole rule the present one.
        if (only_there && (later || &these != &others)) {
          return true;
        }
      }
    }
    return false;
  }

  const Rule& rule_;
  std::vector<std::uint32_t> position_;
};

}  // namespace

void settle_operand_order(Rule& rule) {
  constexpr int kMostExchanges = 16;
  for (int k = 0; k < kMostExchanges; ++k) {
    OperandOrder order(rule);
    PatternId call = order.is_violated() ? order.to_exchange() : kNone;
    if (call == kNone) {
      return;
    }
    std::swap(rule.patterns[call].operands[0], rule.patterns[call].operands[1]);
    finish_rule(rule);
  }
}

}  // namespace vouch
