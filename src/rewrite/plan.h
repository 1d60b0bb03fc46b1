// What matching and rewriting want to know of a rule, worked out once: which variadic owns a template, how often a matched
// vertex may be used, along which patterns each further output is found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rewrite/looks.h"
#include "rule/ast.h"

namespace vouch {

inline constexpr OpId kNoOperator = 0xffff;

// One step forward: from the pattern before to one that it is an operand of.
struct Hop {
  PatternId pattern = kNone;
  std::uint32_t operand = 0;  // its position there, if `any_operand` is not set
  bool any_operand = false;   // a commutative operator or a variadic tuple
  bool same_node = false;     // to an alternative or a conditional: they stand for the node of their option
};

// From a pattern that is matched before an output, forward to that output (theorem path_fwd).
struct Route {
  PatternId start = kNone;
  std::vector<Hop> hops;  // the last one arrives
};

struct OutputPlan {
  PatternId output = kNone;          // as the rule names it
  PatternId sought = kNone;          // what is matched backwards from the place found; of a variadic, its first branch
  std::vector<Route> routes;         // to `sought`
  std::vector<Route> branch_routes;  // of a variadic output, from what branches share to the field
  // Any one route finds every match: none leads through an option that need not be chosen.
  bool any_route = true;
  bool any_branch_route = true;
  // A failure at a candidate does not depend on what else is matched, but for the start of a single route.
  bool context_free = false;
  bool branch_context_free = false;
  std::vector<AttrId> conditions;  // `where`s that are decided by the outputs up to this one
  std::optional<Looks> asked;      // by the conditions, where it is words alone
};

// A place in a pattern that is taken in one step: operand `operand` of what step `parent` took. With it, what one look at a node
// tells: kind, operator, number of operands and of uses.
struct SimpleStep {
  enum class Asks : std::uint8_t { Nothing, Value, Tuple, Call };
  PatternId pattern = kNone;
  std::uint32_t parent = 0;
  std::uint32_t operand = 0;
  std::uint32_t first = 0;  // the step of its first operand
  std::uint32_t operands = 0;
  std::uint32_t most_uses = 0;
  OpId op = kNoOperator;
  Asks asks = Asks::Nothing;
  bool again = false;  // an earlier step binds the pattern
  bool input = false;
  bool commutes = false;  // of two operands
};

struct RulePlan {
  static constexpr std::uint32_t kAnyUses = 0xffffffffU;

  const Rule* rule = nullptr;
  std::uint64_t number = 0;          // of this plan and its copies alone, for as long as the process runs
  std::vector<PatternId> owner;      // per pattern: the innermost variadic it is a template of
  std::vector<std::uint32_t> place;  // per pattern: its position among that variadic's templates
  std::vector<PatternId> enclosing;  // per variadic: the variadic around it
  // Per pattern, uses that a matched inner vertex can have at most (condition 4, theorem succ_corres).
  std::vector<std::uint32_t> most_uses;
  std::vector<std::uint32_t> op_variable;  // per call without operator: which variable; kNone for others
  std::uint32_t op_variables = 0;
  // Per pattern of the source: nothing is asked of a node whose head and operands match, so that it may be bound before them.
  std::vector<std::uint8_t> plain;
  std::vector<std::uint8_t> from_source;  // per pattern: what was matched stands for it in the target, instances excepted
  std::vector<OutputPlan> outputs;
  std::vector<SimpleStep> simple;  // parents before operands; empty if the rule asks for more than that

  // The attributes of a call of the target if they are literals, else null.
  const AttrDict* fixed_attributes(PatternId pattern) const { return fixed[pattern] ? &dictionaries[pattern] : nullptr; }
  std::vector<bool> fixed;             // per pattern
  std::vector<AttrDict> dictionaries;  // per pattern, if fixed

  bool is_input(PatternId pattern) const { return input[pattern] != 0; }
  std::vector<std::uint8_t> input;  // per pattern
};

// The rule must outlive the plan.
RulePlan plan_rule(const Rule& rule);
// The steps of a plan whose other parts are there.
std::vector<SimpleStep> simple_steps(const RulePlan& plan);

}  // namespace vouch
