// Instances of a rule: both of its sides as graphs over symbolic sizes and attributes, with what they mean.
//
// A rule speaks about graphs of many ranks, element types and lists. An instance fixes what the operator table wants to
// be concrete: the rank and element type of each input, the length of lists that are data (the operand `shape` of a
// Reshape), axes and permutations, flags and words (`auto_pad`), the operator that an operator variable stands for,
// the number of branches of a variadic. All else stays symbolic: sizes, strides, pads, groups, elements of lists,
// epsilons. `for_each_instance` enumerates them, in the same order in every run.
//
// The meaning of each side is composed from the operator table alone: `type_call` types each call and states its
// conditions, `call_meaning` gives its kernel, and a side is the substitution of kernels into each other. So one
// output is a scalar term over its indices, sizes, attributes and the rule's tensors.
//
// What a proof has to show, for every instance and every value of `symbols` within its domain:
//   all assumptions  ==>  target_error is empty, every obligation holds, and for each output the types agree and,
//                         for indices in the box of the output, source == target.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "instance/family_book.h"
#include "rule/ast.h"
#include "rule/scope.h"

namespace vouch {

using InstanceNodeId = std::uint32_t;
inline constexpr InstanceNodeId kNoInstanceNode = 0xffffffffU;

// One element of a tensor: `value` is a scalar term over `indices` (one per axis, named `@0`, `@1`, …).
struct Body {
  std::vector<Symbol> indices;
  Term value;
};
// The body with these indices.
Term element_at(const Body& body, const std::vector<Term>& indices);

enum class SymbolKind : std::uint8_t {
  Size,       // of an input tensor, at least 1
  Attribute,  // an integer attribute; what limits it stands among the assumptions
  Element,    // an integer element of a list that is data
  Branches,   // the number of branches of a variadic of symbolic length
  Real,       // a scalar: an epsilon, an element of a float constant
};

struct FreeSymbol {
  Symbol name;
  SymbolKind kind = SymbolKind::Size;
  std::optional<std::int64_t> at_least;  // the domain; nothing: every integer
};

// An input of the rule: a wildcard, variable or constant of the source, in one branch if it is part of a variadic.
struct InputTensor {
  Symbol name;  // as reads in bodies name it
  PatternId pattern = kNone;
  std::optional<std::int64_t> branch;
  // The number of its branch, if it stands for all of them: it is read at that number first.
  std::optional<Symbol> family;
  bool again = false;  // the same input, of a second branch
  Type type;
  // The elements (row-major) if they are known terms: integer terms for integers, else scalar terms. A tensor with
  // contents, or with a `fill` that all its elements are, is not read: bodies hold the terms instead.
  std::optional<std::vector<Term>> contents;
  std::optional<Term> fill;
  bool rounded = false;  // its elements are those of this type that are nearest to numbers of the rule, which it does not have
};

struct InstanceNode {
  // Family: a tuple of as many items as there are branches. Branch: a node of one branch, for another. Cut: a call that gives as
  // many pieces as there are branches; each piece is a call of its own.
  enum class Kind : std::uint8_t { Input, Constant, Call, Tuple, Projection, Family, Branch, Cut } kind = Kind::Input;
  std::size_t input = 0;  // Input: position in `Instance::inputs`
  OpId op = 0;            // Call, Cut
  // Call and Cut (kNoInstanceNode: absent), Tuple, Projection (the tuple), Family (the item, and in a source that
  // of a second branch), Branch (the node)
  std::vector<InstanceNodeId> operands;
  AttrDict attributes;             // Call, Cut: as given, symbolic; Branch: as its node, of that branch
  std::uint32_t item = 0;          // Projection
  Symbol index;                    // Family, and a call that joins one: the number of a branch. Branch: of its node's
  Term length;                     // Family, Cut: how many
  Term branch;                     // Branch: its number
  std::optional<ListFamily> list;  // Constant of symbolic length: its elements. Cut: its sizes
  std::vector<Type> lumps;         // a call that joins a family: what is before a branch, the branch, and after it
  Type type;
  std::optional<std::vector<Term>> contents;  // known elements, as in CallTyping
  std::vector<Body> bodies;                   // one for each tensor of the result
  bool converts = false;                      // Call: elements of one type become elements of another
  bool of_target = false;
  SizeDomain sizes = SizeDomain::AtLeastOne;  // Call
  bool rounded = false;                       // Constant: as of an input
};

struct InstanceCondition {
  // Legality: wherever the rule matches, since the graph there is well-typed. Choice: of the enumeration, or a condition of the
  // rule; what fires is compared with it.
  enum class Origin : std::uint8_t { Legality, Choice };
  Term guard;
  std::string why;  // `Conv: pads must not be negative`
  Origin origin = Origin::Legality;
};

// Of every element of an input that is read: what the rule says of all of them. `element` stands for any.
struct ElementCondition {
  std::size_t input = 0;  // position in `Instance::inputs`
  Symbol element;
  Term guard;
};

// One tensor of an output; an output that is a tuple gives one for each of its tensors.
struct InstanceOutput {
  InstanceNodeId source = kNoInstanceNode;
  InstanceNodeId target = kNoInstanceNode;
  std::size_t part = 0;  // position among the bodies of both nodes
  Type source_type;
  Type target_type;
  Body source_body;
  Body target_body;
};

struct Instance {
  std::string label;  // what is fixed: `x: float32 rank 4, auto_pad NOTSET`
  std::vector<FreeSymbol> symbols;
  std::vector<InputTensor> inputs;
  std::vector<InstanceNode> nodes;  // operands before users; the source's, then what the target adds
  // Domains of symbols, legality of the source's calls, non-negative sizes of its results, attribute equations and
  // `where` conditions.
  std::vector<InstanceCondition> assumptions;
  std::vector<ElementCondition> every;  // conditions of the rule
  // Legality of what the target adds, non-negative sizes of its results, agreement of the outputs' sizes.
  std::vector<InstanceCondition> obligations;
  std::vector<InstanceOutput> outputs;
  // Not empty: the target is ill-typed, or of another type, whatever the sizes are (if the assumptions can be met at all).
  // Outputs without bodies stand there if their types alone are at fault.
  std::string target_error;
  // Not empty: something here has no kernel (an opaque operator) or no symbolic form; nothing can be proven.
  std::string unsupported;
  Families families;
  // Where what is proven of it holds; nothing: nowhere. Only of instances whose bodies are composed.
  std::optional<Scope> scope;
  // What is proven of it is claimed of its element types alone: a proof may look at how large their numbers are.
  bool own_types = false;
};

// All that a proof may assume: the domains of the symbols, and the assumptions.
std::vector<Term> assumed(const Instance& instance);

struct InstanceOptions {
  std::uint32_t max_rank = 4;             // ranks 0 to this, unless the rule claims others
  std::uint32_t claimed_rank = kMaxRank;  // and of those that it claims none above this, but for the least
  std::vector<DType> dtypes =
      {};  // of inputs that may have any; none: as many as the rule can tell apart (instance/type_classes.h)
  std::vector<std::uint32_t> lengths = {1, 2, 3};  // of variadics (at least their minimum)
  bool symbolic_length = false;                    // instead of these, any number of branches at once
  std::size_t most = 20000;                        // instances before giving up
  bool compose = true;                             // false: the bodies of calls and outputs are left empty
};

struct Enumeration {
  std::size_t instances = 0;
  bool complete = true;          // false: stopped by `most` or by the visitor
  bool gave_up = false;          // stopped after more choices that are not legal than are gone through
  bool lengths = false;          // the number of a variadic's branches was fixed
  std::string first_error;       // why a source was ill-typed, for rules without any instance
  std::string not_covered;       // not empty: matches may exist that no instance stands for, and why
  std::set<std::string> bounds;  // besides ranks: where there is more than was tried
};

// Calls `visit` with each instance whose source is well-typed, until it returns false. Its scope may be taken.
Enumeration for_each_instance(const Rule& rule, const InstanceOptions& options, const std::function<bool(Instance&)>& visit);

// How many there are, or `most` if there are more, without a target built for any.
std::size_t count_instances(const Rule& rule, const InstanceOptions& options);

}  // namespace vouch
