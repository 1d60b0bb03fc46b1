// The first instance of a variadic stands for its first branch.
#include <algorithm>

#include "facts/index_terms.h"
#include "graph/with_terms.h"
#include "instance/instance_state.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// What is read of the first instance's inputs is read of the family's, at branch 0.
struct FirstBranch {
  Substitution sizes;
  std::map<Symbol, Symbol> tensors;               // the first's to the family's
  std::vector<std::pair<Term, Term>> equal = {};  // the family's, the first's: to be shown

  Term operator()(Term term) const {
    Term sized = substitute(term, sizes);
    return replace_reads(sized, [&](Symbol tensor, std::span<const Term> indices) -> std::optional<Term> {
      auto found = tensors.find(tensor);
      if (found == tensors.end()) {
        return std::nullopt;
      }
      std::vector<Term> at{0};
      at.insert(at.end(), indices.begin(), indices.end());
      return read(found->second, std::move(at));
    });
  }
};

const InputTensor* input_of(const Instance& instance, InstanceNodeId id) {
  bool is_input = id != kNoInstanceNode && instance.nodes[id].kind == InstanceNode::Kind::Input;
  const InputTensor* input = is_input ? &instance.inputs[instance.nodes[id].input] : nullptr;
  return input && !input->contents && !input->fill ? input : nullptr;
}

// False: the first instance differs in form. Two sizes of it may stand where the branches have one: they have to be equal.
bool add_input(FirstBranch& map, const InputTensor& first, const InputTensor& all, Symbol index) {
  bool taken = std::any_of(map.tensors.begin(), map.tensors.end(),
                           [&](const auto& entry) { return entry.second == all.name && entry.first != first.name; });
  if (first.type.dtype() != all.type.dtype() || first.type.rank() != all.type.rank() || taken) {
    return false;
  }
  map.tensors[first.name] = all.name;
  for (std::size_t axis = 0; axis < all.type.rank(); ++axis) {
    Term here = first.type.extents()[axis];
    Term there = substitute(all.type.extents()[axis], index, Term(0));
    auto item = as_family_item(there);
    bool stands_for_it = item && item->branch == Term(0) && here.kind() == TermKind::IntVar &&
                         std::none_of(map.sizes.begin(), map.sizes.end(),
                                      [&](const auto& entry) { return entry.second == there && entry.first != here->symbol; });
    if (stands_for_it) {
      map.sizes[here->symbol] = there;
    } else if (there != here) {
      map.equal.emplace_back(there, here);
    }
  }
  return true;
}

// As many sizes, which have to be equal.
bool add_sizes(FirstBranch& map, Type first, Type at_first) {
  if (!first.is_tensor() || !at_first.is_tensor()) {
    return with_terms(first, map) == at_first;
  }
  for (std::size_t axis = 0; axis < std::min(first.rank(), at_first.rank()); ++axis) {
    map.equal.emplace_back(at_first.extents()[axis], first.extents()[axis]);
  }
  return first.rank() == at_first.rank() && first.dtype() == at_first.dtype();
}

// Templates, by place, of which the first instance stands for branch 0 of the family: those that were asked for by number, and
// what a variadic yields where it is taken as a whole.
std::vector<std::pair<PatternId, std::size_t>> taken_at_first(const InstanceState& state) {
  auto out = state.asked;
  for (const auto& [variadic, family] : state.families) {
    PatternId of = variadic, field = state.rule.pattern(variadic).operands[0];
    bool whole = std::any_of(state.rule.patterns.begin(), state.rule.patterns.end(), [&](const Pattern& p) {
      return p.kind != PatternKind::Instance && std::find(p.operands.begin(), p.operands.end(), of) != p.operands.end();
    });
    if (family.has_first && whole && state.owner[field] == variadic) {
      out.emplace_back(variadic, state.place[field]);
    }
  }
  return out;
}

class Unifier {
 public:
  explicit Unifier(const InstanceState& state) : state_(state), taken_(taken_at_first(state)) {}

  // False: the first instances differ in form from the other branches.
  bool run(const Instance& instance) {
    for (const auto& [variadic, family] : state_.families) {
      for (std::size_t place = 0; family.has_first && place < state_.rule.pattern(variadic).templates.size(); ++place) {
        auto [first, all] = nodes_of(variadic, place);
        const InputTensor* a = input_of(instance, first);
        const InputTensor* b = input_of(instance, all);
        if (a && b && !add_input(map_, *a, *b, family.index)) {
          return false;
        }
      }
    }
    return std::all_of(taken_.begin(), taken_.end(), [&](const auto& at) { return add_taken(instance, at.first, at.second); });
  }

  bool is_of_nothing() const { return map_.tensors.empty() && taken_.empty(); }
  const FirstBranch& map() const { return map_; }

 private:
  std::pair<InstanceNodeId, InstanceNodeId> nodes_of(PatternId variadic, std::size_t place) const {
    const Pattern& p = state_.rule.pattern(variadic);
    bool named = place < p.first.size() && p.first[place] != kNone;
    return {named ? state_.node_of[p.first[place]] : kNoInstanceNode, state_.branches.at(variadic)[0][place]};
  }

  bool add_taken(const Instance& instance, PatternId variadic, std::size_t place) {
    auto [first, all] = nodes_of(variadic, place);
    if (first == kNoInstanceNode || all == kNoInstanceNode) {
      return false;
    }
    const auto& a = instance.nodes[first].bodies;
    const auto& b = instance.nodes[all].bodies;
    Symbol index = state_.families.at(variadic).index;
    auto at_first = [&](Term t) { return map_(substitute(t, index, Term(0))); };
    return a.size() == b.size() && add_sizes(map_, instance.nodes[first].type, with_terms(instance.nodes[all].type, at_first)) &&
           std::equal(a.begin(), a.end(), b.begin(),
                      [&](const Body& mine, const Body& other) { return map_(mine.value) == at_first(other.value); });
  }

  const InstanceState& state_;
  std::vector<std::pair<PatternId, std::size_t>> taken_;
  FirstBranch map_;
};

void apply(const FirstBranch& map, Instance& instance) {
  for (const auto& [there, here] : map.equal) {
    instance.obligations.push_back({eq(there, here), "a first instance has the sizes of the other branches"});
  }
  for (auto* conditions : {&instance.assumptions, &instance.obligations}) {
    for (InstanceCondition& condition : *conditions) {
      condition.guard = map(condition.guard);
    }
  }
  for (InstanceOutput& output : instance.outputs) {
    for (Type* type : {&output.source_type, &output.target_type}) {
      *type = with_terms(*type, map);
    }
    for (Body* body : {&output.source_body, &output.target_body}) {
      body->value = map(body->value);
    }
  }
  for (FreeSymbol& symbol : instance.symbols) {
    if (auto found = map.sizes.find(symbol.name); found != map.sizes.end() && symbol.at_least) {
      instance.assumptions.push_back({ge(found->second, *symbol.at_least), "sizes are at least 1"});
    }
  }
}

}  // namespace

void unify_first_branches(const InstanceState& state, Instance& instance) {
  Unifier unifier(state);
  if (unifier.run(instance)) {
    if (!unifier.is_of_nothing()) {
      apply(unifier.map(), instance);
    }
  } else if (instance.unsupported.empty()) {
    instance.unsupported = "first instances that differ in form from the other branches";
  }
}

}  // namespace vouch
