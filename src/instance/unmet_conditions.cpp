#include "instance/unmet_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "facts/arithmetic.h"
#include "instance/symbolic_attr.h"
#include "rule/print.h"

namespace vouch {
namespace {

const Symbol kRank("rank");

// Sums, products and comparisons of ranks and numbers: these have a value whatever the ranks are.
bool is_of_ranks(const Rule& rule, AttrId id) {
  constexpr std::array kTotal{BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Eq,  BinaryOp::Ne, BinaryOp::Lt,
                              BinaryOp::Le,  BinaryOp::Gt,  BinaryOp::Ge,  BinaryOp::And, BinaryOp::Or};
  const AttrExpr& e = rule.attr(id);
  bool itself = e.kind == AttrKind::Value    ? e.value.number() != nullptr
                : e.kind == AttrKind::Access ? e.name == kRank && rule.pattern(e.pattern).kind != PatternKind::Instance
                : e.kind == AttrKind::Unary
                    ? e.unary == UnaryOp::Not || e.unary == UnaryOp::Neg
                    : e.kind == AttrKind::Binary && std::find(kTotal.begin(), kTotal.end(), e.binary) != kTotal.end();
  return itself && std::all_of(e.args.begin(), e.args.end(), [&](AttrId arg) { return is_of_ranks(rule, arg); });
}

// Ranks as unknown numbers, and nothing else.
class UnknownRanks final : public SymbolicSource {
 public:
  std::optional<AttrValue> access(PatternId pattern, Symbol name, const SymbolEnv& /*symbols*/) const override {
    return name == kRank ? std::optional(AttrValue(rank_of(pattern))) : std::nullopt;
  }
  static Term rank_of(PatternId pattern) { return int_var(Symbol(fmt::format("rank {}", pattern))); }
};

}  // namespace

std::optional<UnmetConditions::Unmet> UnmetConditions::find() const {
  auto unmet = std::find_if(asked_.begin(), asked_.end(), [](const Asked& one) { return one.ever && !one.held; });
  if (unmet == asked_.end()) {
    return std::nullopt;
  }
  std::string condition = print_attr(rule_, unmet->conjunct);
  std::string beside = unmet == asked_.begin() ? "" : ", beside the conditions before it";
  if (ranks_contradict()) {
    return Unmet{fmt::format("no ranks meet `{}`{}", condition, beside), true};
  }
  bool of_form = speaks_of_form();
  return Unmet{fmt::format("no {} meet `{}`{}", of_form ? "ranks" : "element types or attributes", condition, beside), !of_form};
}

bool UnmetConditions::speaks_of_form() const {
  return std::any_of(rule_.attrs.begin(), rule_.attrs.end(), [](const AttrExpr& e) {
    return e.kind == AttrKind::Access &&
           (e.name == kRank || e.name == Symbol("shape") || e.name == Symbol("length") || e.name == Symbol("value"));
  });
}

bool UnmetConditions::ranks_contradict() const {
  Facts facts;
  for (const Asked& one : asked_) {
    auto guard = is_of_ranks(rule_, one.conjunct) ? eval_condition(rule_, one.conjunct, {}, UnknownRanks()) : std::nullopt;
    if (guard) {
      facts.push_back(*guard);
    }
  }
  if (facts.empty()) {
    return false;
  }
  for (PatternId id = 0; id < rule_.patterns.size(); ++id) {
    facts.push_back(ge(UnknownRanks::rank_of(id), 0));
    for (const PatternAttr& attr : rule_.pattern(id).attributes) {
      const AttrExpr& e = rule_.attr(attr.value);
      bool number = attr.name == kRank && e.kind == AttrKind::Value && e.value.int64().has_value();
      if (number) {
        facts.push_back(eq(UnknownRanks::rank_of(id), Term(*e.value.int64())));
      }
    }
  }
  return Arithmetic(facts).contradicts({});
}

}  // namespace vouch
