// The enumeration of a rule's instances: depth first over what has to be fixed, inputs before their users; what is ill-typed is
// cut off at the latest choice that its error speaks of. For the files enumerate*.cpp alone.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instance/attribute_options.h"
#include "instance/input_options.h"
#include "instance/instance_state.h"
#include "instance/number_names.h"
#include "instance/type_classes.h"
#include "instance/unmet_conditions.h"

namespace vouch {

class Enumerator {
 public:
  Enumerator(const Rule& rule, const InstanceOptions& options, const std::function<bool(Instance&)>& visit);

  Enumeration run();
  // Sources are found and counted; `visit` sees none.
  std::size_t count() {
    counting_ = true;
    return run().instances;
  }

 private:
  // One pattern to instantiate, in one branch of a variadic if it is a template.
  struct Task {
    PatternId pattern = kNone;
    PatternId variadic = kNone;
    std::int64_t branch = 0;
  };
  // The branch that stands for all of a family, and a second one.
  static constexpr std::int64_t kEveryBranch = -1;
  static constexpr std::int64_t kOtherBranch = -2;
  // Makes the symbol of an open number, from a suffix of its name.
  using NewSymbol = std::function<Term(const std::string& suffix, Sort sort)>;

  struct Conjunct {
    AttrId condition;
    std::vector<PatternId> spoken_of;
    std::unordered_map<std::uint64_t, bool> known;  // whether it may hold, by the options of the inputs that it speaks of
  };

  struct Mark {
    std::size_t symbols, inputs, nodes, assumptions, every, obligations, label, ranges;
    std::string unsupported;
    std::size_t supposed, stated;
  };

  std::uint32_t most_claimed(const RankClaim& claim) const {
    return std::max(claim.from, std::min(claim.to, options_.claimed_rank));
  }

  // --- tasks and going back (enumerate.cpp)
  void choose_axis_numbers();
  Mark mark() const;
  void undo(const Mark& m);
  // After one option of task `at`: whether to go on with its next one.
  bool more(std::size_t at);
  // As `reject`, where the source may match all the same.
  void not_covered(std::string_view what);
  // The first error is what a rule without any instance is told of; hundreds of thousands more may come, so it is said if asked.
  template <class Say>
  void reject_saying(Say say, std::optional<std::size_t> back_to) {
    if (result_.first_error.empty()) {
      result_.first_error = say();
    }
    go_back(back_to);
  }
  void reject(std::string_view error) {
    reject_saying([&] { return std::string(error); }, std::nullopt);
  }
  void go_back(std::optional<std::size_t> to);
  InstanceNodeId* slot(const Task& task);
  void bind(const Task& task, InstanceNodeId node, std::size_t at);
  SymbolTerms symbols_of(const Task& task) const;
  static bool is_every(const Task& task) { return task.variadic != kNone && task.branch < 0; }
  Symbol index_of(const Task& task) const;
  // A number of its own, or one of a family with a number for each branch.
  Term new_fraction_of(const Task& task, Symbol symbol);
  Term new_symbol_of(const Task& task, Symbol family, SymbolKind kind, std::optional<std::int64_t> at_least = {});
  std::string name_of(const Task& task) const;
  void step(std::size_t at);
  // The next task, unless a condition that can be judged by now fails.
  void advance(std::size_t at);
  Term new_symbol(Symbol symbol, SymbolKind kind, std::optional<std::int64_t> at_least = {});
  void assume(Term guard, std::string why);
  void note_supposed(std::size_t first_of_rule);
  void finish();
  void show(Instance& finished);
  void note_instance(bool go_on);
  void forget_target(const Mark& here);

  // --- conditions (enumerate_conditions.cpp)
  // `where` in a variadic's block, kept at its field: as in matching, asked of each branch that is an
  // instance of the block (not of a first instance, which is another pattern), and false if it has no value.
  bool assume_block_conditions(const Task& task);
  bool conditions_may_hold(std::size_t at);
  void add_conjuncts(AttrId condition);
  // All that it speaks of is matched, the last by this task.
  bool is_ready(const Conjunct& conjunct, std::size_t at) const;
  // All but what this task matches.
  bool waits_for(const Conjunct& conjunct, std::size_t at) const;
  // The options of what it speaks of, where these are at most two inputs whose options are fixed: all that it depends on.
  std::optional<std::uint64_t> options_spoken_of(const Conjunct& conjunct) const;
  // Options and what is known of them are those of one choice of how many axes roles have.
  void forget_options();
  // With the option that this task is about to take, a condition fails that has failed with it before.
  bool is_ruled_out(std::size_t at);
  // The patterns that a condition speaks of.
  std::vector<PatternId> spoken_of(AttrId condition) const;
  // A condition of the rule: of sizes, attributes and known elements, or of every element of a constant. False: it says more.
  bool assume_condition(Term guard);

  // --- inputs (enumerate_inputs.cpp)
  // The element types that the calls of the source that take it allow.
  TypeSet types_asked_of(PatternId input) const;
  std::optional<AttrValue> demanded(const Task& task, std::string_view name);
  void step_input(const Task& task, std::size_t at);
  std::vector<InputOption> options_of(const InputNeeds& needs, bool empty_too) const;
  bool is_fixed(AttrId id) const;
  bool demands_are_fixed(const Pattern& input) const;
  // Of an input of which the rule demands nothing that depends on other choices for patterns: the same whenever it is reached.
  const std::vector<InputOption>& fixed_options(PatternId input, const InputNeeds& needs, bool empty_too);
  // A float of another type than those that are there, where this is not tried.
  bool mixes_floats(const InputOption& option) const;
  // Of a list that has one element for each axis of a call: as many as the lists beside it that are there already.
  bool length_fits(const Task& task, const InputOption& option) const;
  // A constant of which nothing is said, and that a Split takes as its sizes.
  bool is_list_of_sizes(const Task& task) const;
  void step_sizes(const Task& task, std::size_t at);
  void add_input(const Task& task, const InputOption& option, std::size_t at);
  std::vector<Term> known_elements(const Task& task, const InputOption& option, Symbol name);

  // --- calls (enumerate_calls.cpp)
  void step_call(const Task& task, std::size_t at);
  std::optional<OpId> operator_of(const Pattern& p) const;
  static bool takes(const OpDef& def, std::size_t count);
  InstanceNodeId operand_node(PatternId operand) const { return state_.node_of[operand]; }
  void step_operator(const Task& task, OpId op, std::size_t at);
  // Where there are other values for attributes to be chosen from: the latest task that they follow from. Nothing: the one
  // before, or not known.
  std::optional<std::size_t> culprit_of_choices(const Task& task, OpId op, const std::vector<InstanceNodeId>& operands,
                                                std::size_t at) const;
  // The last task that bound what the attributes of the pattern speak of.
  std::size_t spoken_of(const Pattern& p) const;
  // Are all operands inputs of at most `most_rank_`, whichever are chosen?
  bool of_plain_inputs(const Task& task) const;
  // The last task that bound one of these operands; nothing if it is the task before, or not known.
  std::optional<std::size_t> latest(const Task& task, const Blame& blame, std::size_t at, std::size_t last = 0) const;
  // Of what an operand is made: a tuple is bound when its items are.
  std::size_t latest_of(PatternId operand, const Blame& blame) const;
  std::size_t first_rank(const std::vector<InstanceNodeId>& operands) const;
  std::size_t largest_rank(const std::vector<InstanceNodeId>& operands) const;
  // For inputs: of any, so that what is chosen by it need not be chosen again for others.
  std::size_t rank_to_choose_by(const Task& task, const std::vector<InstanceNodeId>& operands) const;
  void choose_attributes(const Task& task, OpId op, const std::vector<InstanceNodeId>& operands,
                         const std::vector<std::vector<std::optional<AttrValue>>>& choices, std::vector<AttrDict::Entry>& entries,
                         std::size_t k, std::size_t at);
  void call_with(const Task& task, OpId op, const std::vector<InstanceNodeId>& operands,
                 const std::vector<AttrDict::Entry>& entries, std::size_t at);

  // --- their attributes (enumerate_attributes.cpp)
  bool attribute_choices(const Task& task, OpId op, const std::vector<InstanceNodeId>& operands,
                         std::vector<std::vector<std::optional<AttrValue>>>& choices);
  // Where a call is cut, of which a rule with any number of branches does not say.
  bool is_any_cut(const Task& task, OpId op, const AttrDef& attr) const;
  // A list of sizes of any length, each at least 0.
  ListFamily any_sizes(const std::string& name);
  // At points of any number, which are sums of sizes; or into a number of equal sections.
  std::vector<std::optional<AttrValue>> cut_options(const Task& task);
  // `* as p`: the attribute as that call has it; absent there, absent here.
  std::optional<AttrValue> same_attribute(PatternId call, std::string_view name) const;
  // `tuple[k](any)`: every tuple that the operator may have; items that a source restricts one by one are not
  // understood.
  // Adds the options; values that none stands for are matches that are not covered.
  void add_options(const AttributeNeeds& needs, const NewSymbol& symbol,
                   std::vector<std::vector<std::optional<AttrValue>>>& choices);
  bool any_tuple(const Task& task, const AttrExpr& demand, const AttributeNeeds& needs, const NewSymbol& symbol,
                 std::vector<std::vector<std::optional<AttrValue>>>& choices);
  std::optional<AttrValue> with_items(const Task& task, const AttrExpr& demand, const AttrTuple& items);
  bool demanded_attribute(const Task& task, const PatternAttr& given, const AttributeNeeds& needs, const NewSymbol& symbol,
                          std::vector<std::vector<std::optional<AttrValue>>>& choices);
  // `any` inside of a tuple is a symbol of its own. A long tuple of positions is cut to the list that the
  // operator has.
  static AttrValue filled(AttrValue value, const NewSymbol& symbol, const std::string& suffix);

  // --- tuples, projections, variadics (enumerate_branches.cpp)
  void step_tuple(const Task& task, std::size_t at);
  void step_projection(const Task& task, std::size_t at);
  void step_piece(const Task& task, InstanceNodeId tuple, const std::optional<AttrValue>& number, std::size_t at);
  // Opening: the number of branches is chosen, and the templates of each become tasks before the variadic
  // itself.
  void step_variadic(const Task& task, std::size_t at);
  // One branch that stands for all; with first instances, for all but the first.
  void open_family(const Task& task, std::size_t at);
  std::vector<Task> templates_of(PatternId variadic, std::uint32_t length);
  void close_variadic(const Task& task, std::size_t at);
  void step_instance(const Task& task, std::size_t at);
  // Options are chosen before what they are made of is instantiated: what only other options have is not matched, and nothing may
  // be assumed of it.
  void find_choices();
  std::optional<PatternId> open_choice(const Task& task) const;
  void choose_option(PatternId choice, const Task& task, std::size_t at);
  bool is_active(PatternId pattern, std::int64_t branch) const;
  std::optional<std::size_t> chosen(PatternId choice, std::int64_t branch) const;
  void step_alternative(const Task& task, std::size_t at);
  void step_conditional(const Task& task, std::size_t at);

  const Rule& rule_;
  const TypeClasses classes_;
  const InstanceOptions options_;  // with the types that are tried
  const std::function<bool(Instance&)>& visit_;
  InstanceState state_;
  UnmetConditions unmet_;
  std::vector<std::string> own_names_;  // per pattern
  NumberNames names_;
  std::vector<ElementRole> roles_;
  std::vector<bool> spoken_of_as_empty_;  // per pattern
  std::vector<Task> tasks_;
  std::vector<Conjunct> conjuncts_;        // of the rule's conditions: each is asked as soon as all that it speaks of is there
  std::size_t most_rank_ = 0;              // of any input
  std::vector<std::uint32_t> axes_tried_;  // per layout of the rule: the most
  std::vector<std::size_t> bound_at_;      // per pattern: the task that bound it last
  static constexpr std::uint32_t kNoOption = 0xffffffffU;
  std::vector<std::uint32_t> option_of_;            // per pattern: which of `fixed_options`
  std::set<std::pair<OpId, std::size_t>> numbers_;  // attributes that must be numbers
  std::set<PatternId> opened_;
  std::vector<std::vector<PatternId>> choices_above_;  // per pattern: alternatives and conditionals of which it is a part
  std::map<std::pair<PatternId, std::int64_t>, std::size_t> chosen_;  // option, by choice and branch
  std::map<std::pair<PatternId, bool>, std::vector<InputOption>> fixed_options_;
  std::optional<std::size_t> wants_number_;
  std::optional<std::size_t> jump_;
  std::optional<std::size_t> culprit_;  // while attributes are chosen: where to go back if none is legal
  static constexpr std::size_t kMostRejected = 1'000'000;
  std::size_t rejected_ = 0;
  bool counting_ = false;
  bool stopped_ = false;
  bool impossible_ = false;
  Enumeration result_;
};

}  // namespace vouch
