// The state in which one instance grows: for the files instance*.cpp alone.
#pragma once

#include <list>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "instance/axis_forms.h"
#include "instance/instance.h"
#include "instance/symbolic_attr.h"

namespace vouch {

// Nodes of one branch of a source variadic, in the order of its templates.
using BranchNodes = std::vector<InstanceNodeId>;

// A source variadic of symbolic length. With first instances, the branch that stands for all is not the
// first. A second one is instantiated beside it, to see whether branches can differ in kind (ranks, element
// types, alternatives) where all is legal.
struct FamilyOf {
  Symbol index;
  Symbol other;
  Term length;
  bool has_first = false;
};

// What is known of the operands of a call. It refers to the nodes of the instance, and is valid until one is added.
struct KnownOperands {
  KnownOperands(const Instance& instance, const std::vector<InstanceNodeId>& operands);
  std::vector<Type> types;
  KnownContents contents;

 private:
  std::list<std::vector<Term>> joined_;  // of tuples, the elements of all items
};

struct CallError {
  std::string text;
  Blame blame;
  bool undecided = false;     // for all that is known here it may be legal
  std::string number_wanted;  // the attribute that has to be a number
};
// How a call was typed: sizes that nothing says to be at least 1 may be 0.
struct TypedCall {
  std::shared_ptr<const CallTyping> typing;
  SizeDomain sizes = SizeDomain::AtLeastOne;
};
using MadeNode = std::variant<InstanceNodeId, CallError>;

struct InstanceState {
  explicit InstanceState(const Rule& the_rule);

  const Rule& rule;
  Instance instance;
  std::vector<InstanceNodeId> node_of;                     // per pattern; kNoInstanceNode if not matched yet
  std::map<PatternId, std::vector<BranchNodes>> branches;  // per source variadic
  std::map<PatternId, FamilyOf> families;                  // per source variadic of symbolic length; `branches` has two
  FamilyBook book;
  // Attributes of source calls whose value the rule uses beyond handing it on to where it means the same.
  LookedAt looked_at;
  bool of_any_length = false;                            // lists and variadics have symbolic lengths
  std::vector<std::pair<PatternId, std::size_t>> asked;  // templates (by place) that were asked for by number
  std::map<Symbol, OpId> operators;                      // what operator variables stand for
  AxisNumbers axis_numbers;                              // of the rule's roles of axes
  std::vector<PatternId> owner;                          // the source variadic whose template a pattern is, or kNone
  std::vector<std::size_t> place;                        // its position among the templates
  std::vector<std::string> label;
  // What definitions may suppose of open elements: other instances have what it rules out.
  std::unordered_set<Term> tried_otherwise;
  std::vector<OpContext::Condition> taken_for_granted;  // supposed by source calls, and tried in one way only
  std::vector<Term> stated;                             // conditions of the rule, as far as what they speak of is there
  // Matches may exist that no instance stands for: why. The first reason stays.
  std::string not_covered;
  void note_not_covered(std::string_view why);

  // --- nodes
  // Of an operand that is absent: no type.
  Type type_of(InstanceNodeId node) const { return node == kNoInstanceNode ? Type() : instance.nodes[node].type; }
  InstanceNodeId add(InstanceNode node);
  InstanceNodeId add_tuple(std::vector<InstanceNodeId> items, bool of_target);
  // Nothing if the item does not exist.
  std::optional<InstanceNodeId> add_projection(InstanceNodeId tuple, std::uint32_t item, bool of_target);
  std::optional<InstanceNodeId> same_call_of_source(OpId op, const std::vector<InstanceNodeId>& operands,
                                                    const AttrDict& attributes) const;
  bool is_sized_by_data(const std::vector<Type>& results) const;
  bool is_known_not_empty(Term size) const;
  TypedCall typed_call(OpId op, const std::vector<Type>& types, AttrDict attributes, const KnownContents& contents) const;
  // Types a call. Conditions go to `conditions`.
  MadeNode add_call(OpId op, std::vector<InstanceNodeId> operands, AttrDict attributes, bool of_target,
                    std::vector<InstanceCondition>& conditions);
  // --- families (instance_family.cpp)
  InstanceNodeId add_family(InstanceNodeId item, Symbol index, Term length, bool of_target);
  InstanceNodeId at_branch(InstanceNodeId node, Symbol index, Term branch);
  AttrDict without_lists(AttrDict attributes) const;  // with `()` for lists of symbolic length: of the same form
  bool is_of_family(OpId op, const std::vector<InstanceNodeId>& operands, const AttrDict& attributes) const;
  MadeNode add_family_call(OpId op, const std::vector<InstanceNodeId>& operands, AttrDict attributes, bool of_target,
                           std::vector<InstanceCondition>& conditions);
  MadeNode add_family_cut(OpId op, const std::vector<InstanceNodeId>& operands, AttrDict attributes, bool of_target,
                          std::vector<InstanceCondition>& conditions);
  MadeNode add_family_join(OpId op, InstanceNodeId joined, AttrDict attributes, bool of_target,
                           std::vector<InstanceCondition>& conditions);
  // The piece of a Cut, or the item of a Family, of this number.
  MadeNode family_piece(InstanceNodeId node, Term number, bool of_target, std::vector<InstanceCondition>& conditions);
  // `value` is what the attribute `value` of a constant says.
  std::optional<InstanceNodeId> add_constant(const AttrValue& value, DType dtype, const AttrValue* shape);

  // --- attributes of nodes, as rewriting sees them
  std::optional<AttrValue> attribute(InstanceNodeId node, Symbol name) const;
  std::optional<AttrValue> access(PatternId pattern, Symbol name, const SymbolTerms& symbols,
                                  const std::vector<InstanceNodeId>* made = nullptr) const;
  // The node that an instance pattern `v[a].t` names.
  std::optional<InstanceNodeId> matched_instance(PatternId pattern, const SymbolTerms& symbols,
                                                 const std::vector<InstanceNodeId>* made = nullptr) const;
  std::optional<InstanceNodeId> matched_of_family(const Pattern& p, const FamilyOf& family, const Term* number) const;
  // What a variadic yields in this branch.
  InstanceNodeId field_node(PatternId variadic, std::size_t branch) const;
  class InstanceAttributes access_with(const std::vector<InstanceNodeId>* made = nullptr);
};

// What attribute expressions see of an instance. `made`: what the target has made so far; null while the source is matched.
class InstanceAttributes final : public SymbolicSource {
 public:
  InstanceAttributes(InstanceState& state, const std::vector<InstanceNodeId>* made)
      : state_(state), made_(made), lists_(state.book) {}
  std::optional<AttrValue> access(PatternId pattern, Symbol name, const SymbolTerms& symbols) const override;
  void not_expressible(std::string_view what) const override;
  const AxisNumbers* axis_numbers() const override { return &state_.axis_numbers; }
  bool divides_by(Term divisor) const override;
  OpenLists* lists() const override { return state_.of_any_length ? &lists_ : nullptr; }
  std::optional<Term> any_element(PatternId constant) const override;
  std::optional<Term> of_every_element(PatternId constant, Term element, Term condition) const override;

 private:
  const InputTensor* input(PatternId constant) const;
  InstanceState& state_;
  const std::vector<InstanceNodeId>* made_;
  mutable FamilyLists lists_;
};

// Builds the target upon a finished source: nodes, obligations, outputs; or says why it cannot be.
void build_target(InstanceState& state);
// Whether both branches of a family are of one kind.
bool branches_are_alike(const InstanceState& state, PatternId variadic, const FamilyOf& family);
// Makes first instances the first branches of their families, in all that a proof looks at; says in
// `unsupported` where they are not of one form.
void unify_first_branches(const InstanceState& state, Instance& instance);
// The indices of a body: `@0`, `@1`, …
std::vector<Symbol> index_symbols(std::size_t rank);
// Gives every node its bodies.
void compose_bodies(Instance& instance, FamilyBook& book);

// The tensors of a type, tuples flattened.
std::vector<Type> flat_types(Type type);

// Is the number one that a float type has the nearest of only?
bool is_rounded(DType dtype, Term number);

}  // namespace vouch
