// GSL, the graph substitution language: rules as data.
//
// A rule holds its patterns and attribute expressions in two arrays; ids are positions. A pattern that is used twice is
// one entry (identity, not structure, as in graphs). Both sides of a rule share the arrays: the target refers to what
// the source matched by using its patterns. Nothing in a rule is code, so the matcher (concrete attributes) and the
// checker (symbolic attributes) read the same object.
//
// What a rule means, where the thesis leaves it open:
//  * Attributes that a call does not mention. In the source: any value, the default included. In the target: the
//    operator's default. `strides as c` on a call that has no strides: both absent is equal, absent and given is not.
//    `strides = _`: a call that gives none, or says what their absence means.
//  * Operands that a call does not mention are absent in the matched graph, too; `kNone` (text: `_`) stands for an
//    absent optional operand before a present one, and never comes last.
//  * Positions and indices count from 0, as in the published library (the thesis' figures count from 1). A negative
//    position in a tuple counts from the end.
//  * `value = 2.0` of a source constant: all its elements are 2.0; its rank is whatever `rank` or `shape` say. A tuple
//    means rank 1. In the target a number fills `shape` (rank 0 if none is given); the dtype is int64 if all elements
//    are integers and float32 otherwise, unless `dtype` is given. A number written as an operand of arithmetic takes
//    the other operand's dtype in the target.
//  * Inputs are the wildcards and variables of the source. A target creates none. It may leave one out only if the rule
//    says so by `drop`: definition `subst_rule` demands equal inputs, but rules such as `x - x => 0` are wanted, and a
//    forgotten operand is a frequent mistake. Constants may be left out; an access `x.shape` does not use x.
//  * An output of the source may be a part of another one. It then must stand after it, or before it, but once.
//  * Templates. Every pattern written in a variadic's block is a template of it, instantiated once per branch; those of
//    a nested variadic belong to the inner one (`owner`), which is itself a template of the outer. Patterns outside are
//    shared by all branches.
//  * First instances. In branch 0 a template with a first instance is that pattern; its own form does not apply there.
//  * A variadic that is an output stands for that many outputs, and is then the only output of its side.
//  * `tuple[i](a)` in the source matches a tuple of any length (AM-Var); `tuple[i < n](a)` one of n items.
//  * Truth values are the integers 0 and 1.
//
// Form of the thesis                               here                          text
//   p ::= *                                        PatternKind::Wildcard         `*`, `* {rank = 4}`
//       | Const a                                  Const, attribute `value`      `const {value = 1.0}`, `2.0`
//       | Variable {shape = a, dtype = a}          Variable                      `variable {shape = (any, 3)}`
//       | Call op (p, …) {l = a, …}                Call                          `Conv(x, w) {group = 1}`, `x + y`
//       | Tuple (p, …)                             Tuple                         `(x, y)`, `(x,)`
//       | Proj p {index = a}                       Projection, attribute `index` `p[0]`
//       | Variadic p {p, …} f s a                  Variadic                      `variadic v[i] from a min 2 {…}`
//       | Inst pV p a                              Instance                      `v[i]`, `v[i].w`
//       | operator variable (published library)    Call without op               `operator f elementwise;`
//       | alternatives (published library)         Alternative                   `first(p, q)`
//       | conditional (published library)          Conditional                   `if (a) p else q`
//   a ::= v                                        AttrKind::Value               `1`, `0.5`, `"NHWC"`, `float32`
//       | any                                      Any                           `any`
//       | absence (of this project)                Absent                        `_`, an attribute that is not given
//       | p.l                                      Access                        `x.shape`, `v[i].w.dtype`
//       | a bop a                                  Binary, Unary                 `a + b`, `a == b`, `-a`, `len(a)`
//       | (a, …)                                   Tuple                         `(1, any)`
//       | a.a                                      Project                       `t[k]`
//       | s                                        Symbol                        `i`
//       | var a s a                                VarTuple                      `tuple[i < n](a)`
//       | Σ a s a, and its kin                     Reduce                        `sum[k <= j](a)`, product, …
//       | conditional (published library)          Conditional                   `if (a) b else c`
//       | of every element (of this project)       Each                          `all[v in c](a)`, a condition
//       | axes of a role (of this project)         Axes                          `x.batch`, after `axes x = (batch, k)`
// Each row is tested by name in tests/unit/rule/forms_test.cpp.
//
// Inference rule                           function                              test
//   AE-Value … AE-Sum                      rule/attr_eval.cpp, by name there     tests/unit/rule/attr_eval_test.cpp
//   AM-Any, AM-Eval, AM-Tuple, AM-Var      match_guard                           tests/unit/rule/attr_eval_test.cpp
//   DS-Call, DS-Tuple, DS-Proj             direct_subpatterns                    tests/unit/rule/order_test.cpp
//   alg:rev_post, alg:succ_seq             finish_rule                           tests/unit/rule/order_test.cpp
//   PM-…, PE-…                             room rewrite
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

// No attribute expression is deeper than this, so functions over them may recurse; nor has one, its shared parts
// counted at each use, more nodes. Patterns may be as deep as the rule is large: walk them with a stack of your own.
inline constexpr std::uint32_t kMaxAttrDepth = 1000;
inline constexpr std::uint32_t kMaxAttrSize = 100000;
// No rule speaks of a tensor of more axes than this.
inline constexpr std::uint32_t kMaxRank = 16;

enum class PatternKind : std::uint8_t {
  Wildcard,
  Const,
  Variable,
  Call,
  Tuple,
  Projection,
  Variadic,
  Instance,
  Alternative,
  Conditional,
};

// What an operator variable may stand for; the same operator at each use of one variable.
enum class OpTrait : std::uint8_t { Any, Elementwise, Commutative };

struct PatternAttr {
  Symbol name;
  AttrId value = kNone;
  Span span;  // of the name in the text
};

struct Pattern {
  PatternKind kind = PatternKind::Wildcard;
  Span span;
  Symbol name;  // of its `let`; empty for a pattern written in place; carries no meaning
  // Call: operands. Tuple: items. Projection: the tuple. Variadic: the field. Instance: the variadic (or an Instance
  // that denotes one), the template. Alternative: the options, tried in order. Conditional: then, else.
  std::vector<PatternId> operands;
  // Call: the operator's. Projection: `index`. Wildcard, Const, Variable: `shape`, `dtype`, `rank`; Const: `value`.
  std::vector<PatternAttr> attributes;  // sorted by name, none twice
  // Call
  std::optional<OpId> op;  // nothing for an operator variable
  Symbol op_variable;
  OpTrait trait = OpTrait::Any;
  PatternId attributes_as = kNone;  // all attributes not given here equal those of this call (`* as p`)
  // Variadic
  std::vector<PatternId> templates;  // the field first, unless all branches share it
  std::vector<PatternId> first;      // empty, or for each template its first instance; kNone for none, not the field's
  Symbol index;                      // bound in the templates; unique among nested binders
  AttrId length = kNone;             // Variadic of a target; an output's may be left out: as many as the source's
  std::uint32_t min_length = 1;
  // Instance: which one. Conditional: the condition.
  AttrId selector = kNone;
  // `where` in a variadic's block, kept at the field: each must be true once this pattern is matched.
  std::vector<AttrId> conditions;

  // --- filled in by `finish_rule`
  PatternId owner = kNone;  // the innermost variadic of which this is a template
};

enum class AttrKind : std::uint8_t {
  Value,
  Any,
  Absent,
  Access,
  Unary,
  Binary,
  Tuple,
  Project,
  Symbol,
  VarTuple,
  Reduce,
  Each,
  Axes,
  Conditional,
};

enum class UnaryOp : std::uint8_t { Neg, Not, Length, Abs, Ceil, Floor, Sqrt };
// Div is exact; FloorDiv and Mod are floor division and its remainder. `divides(a, b)`: b % a == 0.
// `permute(t, p)[k] == t[p[k]]`. And and Or do not need their second operand if the first decides.
enum class BinaryOp : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Min,
  Max,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,
  Or,
  Concat,
  Divides,
  Permute,
};

// Of every pattern that stands for a tensor: `shape`, `rank`, `dtype`. Of what is a tuple, and of a Variadic: `length`.
// Of a Const: `value`. Of a Projection: `index`. Of a Call: the operator's attributes, which win over these.
struct AttrExpr {
  AttrKind kind = AttrKind::Any;
  Span span;
  AttrValue value;            // Value
  PatternId pattern = kNone;  // Access, Axes: of this pattern
  Symbol name;                // Access: the attribute; Axes: the role; Symbol: its name; VarTuple, Reduce, Each: the bound symbol
  UnaryOp unary = UnaryOp::Neg;
  BinaryOp binary = BinaryOp::Add;
  Reduction reduction = Reduction::Sum;
  // Unary: operand. Binary: both. Tuple: items. Project: tuple, position. VarTuple, Reduce: body, number of steps. Each: body,
  // `value` of a constant. Conditional: condition, then, else.
  std::vector<AttrId> args;
  Symbol let_name;  // of `attr n = …`; carries no meaning

  // --- filled in by `finish_rule`
  std::vector<Symbol> free;  // symbols that decide the value, sorted; an access to a template has its owners' indices
  bool closed = true;        // none: its value in a rewrite may be remembered by its id (section 4.5)
  std::uint32_t depth = 1;
  std::uint32_t size = 1;
};

// The verdict that the author expects; checked by tests of the rule library, not by the engine. Sound leaves the
// algebra open.
enum class Expectation : std::uint8_t { None, Sound, SoundExact, SoundReal, Unsound, IllTyped, Vacuous, Unknown };

// When a rule has its turn. Text: `phase late;`. Rules of `first` say what older operators mean in those of today, before any
// other; those of `enter` write a model in another dialect, those of `leave` bring it back; `late` ones (merges, expansions) wait
// until no other fires, so that they pre-empt nothing.
enum class Phase : std::uint8_t { First, Enter, Main, Late, Leave };

// What a match must make strictly less of, or the rule does not fire there. Text: `saves calls;`.
enum class Saving : std::uint8_t { None, Calls, Elements, Products };

// Ranks for which a rule claims to hold: of one input, from and to inclusive.
struct RankClaim {
  PatternId input = kNone;
  std::uint32_t from = 1;
  std::uint32_t to = 4;
  Span span;
};

// A group of adjacent axes, as many in each tensor that has it (rule/axes.h).
struct AxisRole {
  Symbol name;
  std::uint32_t from = 0;
  std::uint32_t to = kMaxRank;
  Span span;
};
// `axes x = (batch, k)`: the axes of a tensor of the source, from the first to the last.
struct AxisLayout {
  PatternId pattern = kNone;
  std::vector<std::uint32_t> roles;  // positions in `Rule::roles`
  AttrId condition = kNone;          // among `Rule::constraints`: that it has as many axes
  Span span;
};
// How many axes each role has, in a match or an instance.
using AxisNumbers = std::vector<std::uint32_t>;

struct Rule {
  std::string name;
  std::string doc;
  SourceRef source;  // null if the rule was not read from a text
  Span span;         // of the name
  std::vector<Pattern> patterns;
  std::vector<AttrExpr> attrs;  // parts before what is made of them
  std::vector<PatternId> source_outputs;
  std::vector<PatternId> target_outputs;  // one for each source output, in order
  std::vector<AttrId> constraints;        // `where`: each must be true
  std::vector<RankClaim> ranks;
  std::vector<AxisRole> roles;
  std::vector<AxisLayout> layouts;
  std::vector<PatternId> dropped;  // inputs that the target leaves out
  Expectation expectation = Expectation::None;
  Phase phase = Phase::Main;  // neither decides what the rule means
  Saving saves = Saving::None;

  // --- filled in by `finish_rule`
  std::vector<PatternId> source_order;  // reverse post-order from the source outputs: operands before users
  // Of what the target adds; a pattern also stands after those whose attributes it accesses.
  std::vector<PatternId> target_order;
  std::vector<bool> in_source;                     // per pattern: matched by the source
  std::vector<std::vector<PatternId>> successors;  // per pattern, in source order (algorithm succ_seq)

  const Pattern& pattern(PatternId id) const { return patterns[id]; }
  const AttrExpr& attr(AttrId id) const { return attrs[id]; }
  bool is_input(PatternId id) const;  // a wildcard, variable or constant of the source
};

// The patterns that a pattern is made of, in matching order: first instances, then operands; absent ones left out.
std::vector<PatternId> direct_subpatterns(const Rule& rule, PatternId pattern);

// The attribute expressions that a pattern holds itself.
std::vector<AttrId> held_attributes(const Pattern& pattern);

// Every pattern that the expression accesses, each once, in order of writing.
std::vector<PatternId> accessed_patterns(const Rule& rule, AttrId attr);

// The variadics of which the pattern is, directly or through their nesting, a template: outermost first.
std::vector<PatternId> enclosing_variadics(const Rule& rule, PatternId pattern);

// The variadic that an Instance's first operand denotes: that operand, or the template it is an instance of.
PatternId denoted_variadic(const Rule& rule, PatternId pattern);

// The template that an Instance is an instance of; any other pattern itself.
PatternId denoted_template(const Rule& rule, PatternId pattern);

// Computes orders, owners, successors and free symbols. Sorts the attributes of each pattern.
void finish_rule(Rule& rule);

std::string_view phase_name(Phase phase);
std::string_view saving_name(Saving saving);
std::string_view binary_op_text(BinaryOp op);
std::string_view trait_name(OpTrait trait);

}  // namespace vouch
