// GSL, the graph substitution language: rules as data.
//
// A rule holds its patterns and attribute expressions in two arrays; ids are positions. A pattern that is used twice is
// one entry (identity, as in graphs). Both sides of a rule share the arrays: the target refers to what the source
// matched by using its patterns.
//
// Form of the thesis (figures pat_syn, var_pat_syn, attr_syn, var_attr_syn)   here
//   p ::= *                                   PatternKind::Wildcard
//       | Const a                             Const         attribute `value`
//       | Variable {shape=a, dtype=a}         Variable      attributes `shape`, `dtype`
//       | Call op (p…) {l=a…}                 Call
//       | Tuple (p…)                          Tuple
//       | Proj p {index=a}                    Projection    attribute `index`
//       | Variadic p {p…} f s a               Variadic      templates, first instances, index symbol, length
//       | Inst pV p a                         Instance
//   a ::= v | any | p.l | a bop a | (a…) | a.a   Value, Any, Access, Binary, Tuple, Project
//       | s | var a s a | Σ a s a             Symbol, VarTuple, Reduce
// Beyond the thesis: unary operations, comparisons, operator variables with a trait, alternatives, conditionals,
// reductions by product, minimum and maximum, constraints `where a`.
//
// What a call does not say about an attribute: in the source, nothing is required of it; in the target, it takes the
// operator's default. Wildcards, variables and constants of the source are the rule's inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/op_table.h"
#include "support/source.h"

namespace vouch {

using PatternId = std::uint32_t;
using AttrId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xffffffffU;

enum class PatternKind : std::uint8_t {
  Wildcard, Const, Variable, Call, Tuple, Projection, Variadic, Instance, Alternative, Conditional,
};

// What an operator variable may stand for.
enum class OpTrait : std::uint8_t { Any, Elementwise, Commutative };

struct PatternAttr {
  Symbol name;
  AttrId value = kNone;
  Span span;
};

struct Pattern {
  PatternKind kind = PatternKind::Wildcard;
  Span span;
  Symbol name;  // of its `let`; empty for a pattern written in place
  // Call: operands. Tuple: items. Projection: the tuple. Variadic: the field. Instance: the variadic, the template.
  // Alternative: the options, tried in order. Conditional: then, else.
  std::vector<PatternId> operands;
  std::vector<PatternAttr> attributes;  // of Const, Variable, Call, Projection (`index`)
  // Call
  std::optional<OpId> op;  // nothing for an operator variable
  Symbol op_variable;
  OpTrait trait = OpTrait::Any;
  // Variadic
  std::vector<PatternId> templates;
  std::vector<PatternId> first;  // the first instance of each template, or empty
  Symbol index;                  // bound in the field
  AttrId length = kNone;         // Variadic of a target
  std::uint32_t min_length = 1;
  // Instance: which one. Conditional: the condition.
  AttrId selector = kNone;
};

enum class AttrKind : std::uint8_t {
  Value, Any, Access, Unary, Binary, Tuple, Project, Symbol, VarTuple, Reduce, Conditional,
};

enum class UnaryOp : std::uint8_t { Neg, Not, Length, Abs, Ceil, Floor, Sqrt };
enum class BinaryOp : std::uint8_t {
  Add, Sub, Mul, Div, FloorDiv, Mod, Min, Max, Eq, Ne, Lt, Le, Gt, Ge, And, Or, Concat, Divides, Permute,
};

struct AttrExpr {
  AttrKind kind = AttrKind::Any;
  Span span;
  AttrValue value;              // Value
  PatternId pattern = kNone;    // Access: of this pattern
  Symbol name;                  // Access: the attribute; Symbol: its name; VarTuple, Reduce: the bound symbol
  UnaryOp unary = UnaryOp::Neg;
  BinaryOp binary = BinaryOp::Add;
  Reduction reduction = Reduction::Sum;
  // Unary: operand. Binary: both. Tuple: items. Project: tuple, position. VarTuple, Reduce: body, number of steps.
  // Conditional: condition, then, else.
  std::vector<AttrId> args;
  bool closed = true;  // no free symbol: its value in a rewrite may be remembered (section 4.5)
};

// The verdict that the author expects; checked by tests of the rule library, not by the engine.
enum class Expectation : std::uint8_t { None, Sound, Unsound, IllTyped };

// Ranks for which a rule claims to hold: of one input, from and to inclusive.
struct RankClaim {
  PatternId input = kNone;
  std::uint32_t from = 1;
  std::uint32_t to = 4;
};

struct Rule {
  std::string name;
  std::string doc;
  SourceRef source;
  Span span;
  std::vector<Pattern> patterns;
  std::vector<AttrExpr> attrs;
  std::vector<PatternId> source_outputs;
  std::vector<PatternId> target_outputs;  // one for each source output, in order
  std::vector<AttrId> constraints;        // `where`: each must be true
  std::vector<RankClaim> ranks;
  Expectation expectation = Expectation::None;

  // Filled in by `finish_rule`.
  std::vector<PatternId> source_order;  // reverse post-order from the source outputs: operands before users
  std::vector<PatternId> target_order;  // of what the target adds
  std::vector<bool> in_source;          // per pattern: matched by the source
  std::vector<std::vector<PatternId>> successors;  // per pattern, in source order (algorithm succ_seq)
  std::string content_hash;             // of the canonical text

  const Pattern& pattern(PatternId id) const { return patterns[id]; }
  const AttrExpr& attr(AttrId id) const { return attrs[id]; }
  bool is_input(PatternId id) const;  // a wildcard, variable or constant of the source
};

// The patterns that a pattern is made of, in matching order.
std::vector<PatternId> direct_subpatterns(const Rule& rule, PatternId pattern);

// Computes orders, successors, closedness and hash. The rule has its outputs.
void finish_rule(Rule& rule);

std::string_view binary_op_text(BinaryOp op);
std::string_view trait_name(OpTrait trait);

}  // namespace vouch
