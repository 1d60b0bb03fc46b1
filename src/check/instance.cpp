// The enumeration of a rule's instances: depth first over what has to be fixed, inputs before their users;
// what is ill-typed is cut off at the latest choice that its error speaks of.
#include "check/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "check/instance_options.h"
#include "check/instance_state.h"

namespace vouch {
namespace {

// One pattern to instantiate, in one branch of a variadic if it is a template.
struct Task {
  PatternId pattern = kNone;
  PatternId variadic = kNone;
  std::int64_t branch = 0;
};
// The branch that stands for all of a family, and a second one.
constexpr std::int64_t kEveryBranch = -1;
constexpr std::int64_t kOtherBranch = -2;

class Enumerator {
 public:
  Enumerator(const Rule& rule, const InstanceOptions& options, const std::function<bool(const Instance&)>& visit)
      : rule_(rule), options_(options), visit_(visit), state_(rule), roles_(element_roles(rule)) {
    for (PatternId id : rule.source_order) {
      if (state_.owner[id] == kNone) {
        tasks_.push_back({id, kNone, 0});
      }
    }
    bound_at_.assign(rule.patterns.size(), 0);
    most_rank_ = options.max_rank;
    for (const RankClaim& claim : rule.ranks) {
      most_rank_ = std::max<std::size_t>(most_rank_, claim.to);
    }
    find_forms();
    state_.of_any_length = options.symbolic_length;
  }

  Enumeration run() {
    step(0);
    result_.not_covered = state_.not_covered;
    return result_;
  }

 private:
  // --- backtracking

  struct Mark {
    std::size_t symbols, inputs, nodes, assumptions, obligations, label, ranges;
    std::string unsupported;
  };

  Mark mark() const {
    const Instance& i = state_.instance;
    return {i.symbols.size(),     i.inputs.size(),     i.nodes.size(),       i.assumptions.size(),
            i.obligations.size(), state_.label.size(), state_.book.ranges(), i.unsupported};
  }

  void undo(const Mark& m) {
    Instance& i = state_.instance;
    i.symbols.resize(m.symbols);
    i.inputs.resize(m.inputs);
    i.nodes.resize(m.nodes);
    i.assumptions.resize(m.assumptions);
    i.obligations.resize(m.obligations);
    i.unsupported = m.unsupported;
    state_.label.resize(m.label);
    state_.book.keep_ranges(m.ranges);
  }

  // After one option of task `at`: whether to go on with its next one.
  bool more(std::size_t at) {
    if (stopped_) {
      return false;
    }
    if (jump_ && *jump_ < at) {
      return false;
    }
    jump_.reset();
    return true;
  }

  // As `reject`, where the source may match all the same.
  void not_covered(std::string_view what) {
    state_.note_not_covered(what);
    reject(std::string(what));
  }

  void reject(std::string error, std::optional<std::size_t> back_to = {}) {
    if (result_.first_error.empty()) {
      result_.first_error = std::move(error);
    }
    jump_ = back_to;
  }

  InstanceNodeId* slot(const Task& task) {
    return task.variadic == kNone
               ? &state_.node_of[task.pattern]
               : &state_.branches[task.variadic][task.branch >= 0              ? static_cast<std::size_t>(task.branch)
                                                 : task.branch == kEveryBranch ? 0U
                                                                               : 1U][state_.place[task.pattern]];
  }

  void bind(const Task& task, InstanceNodeId node, std::size_t at) {
    *slot(task) = node;
    // Templates are looked up by pattern while their branch is matched.
    state_.node_of[task.pattern] = node;
    bound_at_[task.pattern] = at;
  }

  SymbolTerms symbols_of(const Task& task) const {
    if (task.variadic == kNone) {
      return {};
    }
    Term number = is_every(task) ? int_var(index_of(task)) : Term(task.branch);
    return {{rule_.pattern(task.variadic).index, number}};
  }

  static bool is_every(const Task& task) { return task.variadic != kNone && task.branch < 0; }

  Symbol index_of(const Task& task) const {
    const FamilyOf& family = state_.families.at(task.variadic);
    return task.branch == kEveryBranch ? family.index : family.other;
  }

  // A number of its own, or one of a family with a number for each branch.
  Term new_symbol_of(const Task& task, std::string name, SymbolKind kind, std::optional<std::int64_t> at_least = {}) {
    if (!is_every(task)) {
      return new_symbol(std::move(name), kind, at_least);
    }
    Symbol family(name);
    Term branch = int_var(index_of(task));
    if (kind == SymbolKind::Real) {
      return read(family, {branch});
    }
    Term item = family_item(family, branch);
    state_.book.add_item(family);
    if (at_least) {
      state_.book.declare_item(family, *at_least);
      assume(ge(item, *at_least), "the domain of what a branch has");
    }
    return item;
  }

  std::string name_of(const Task& task) const {
    const Pattern& p = rule_.pattern(task.pattern);
    std::string own = p.name.empty() ? fmt::format("_{}", task.pattern) : p.name.name();
    return task.variadic == kNone ? own
           : is_every(task)       ? fmt::format("{}.{}", rule_.pattern(task.variadic).name.name(), own)
                                  : fmt::format("{}[{}].{}", rule_.pattern(task.variadic).name.name(), task.branch, own);
  }

  // --- tasks

  void step(std::size_t at) {
    if (at == tasks_.size()) {
      return finish();
    }
    Task task = tasks_[at];
    switch (rule_.pattern(task.pattern).kind) {
      case PatternKind::Wildcard:
      case PatternKind::Variable:
      case PatternKind::Const: return step_input(task, at);
      case PatternKind::Call: return step_call(task, at);
      case PatternKind::Tuple: return step_tuple(task, at);
      case PatternKind::Projection: return step_projection(task, at);
      case PatternKind::Variadic: return step_variadic(task, at);
      case PatternKind::Instance: return step_instance(task, at);
      case PatternKind::Alternative: return step_alternative(task, at);
      case PatternKind::Conditional: return step_conditional(task, at);
    }
  }

  // The next task, unless a condition that can be judged by now fails.
  void advance(std::size_t at) {
    Mark here = mark();
    if (conditions_may_hold(at) && assume_block_conditions(tasks_[at])) {
      step(at + 1);
    }
    undo(here);
  }

  // `where` in a variadic's block, kept at its field: as in matching, asked of each branch that is an
  // instance of the block (not of a first instance, which is another pattern), and false if it has no value.
  bool assume_block_conditions(const Task& task) {
    for (AttrId condition : rule_.pattern(task.pattern).conditions) {
      auto guard = symbolic_condition(rule_, condition, symbols_of(task), state_.access_with());
      if (!guard || is_false(*guard)) {
        reject("a condition of a branch does not hold");
        return false;
      }
      assume(*guard, "a condition of the rule on a branch");
    }
    return true;
  }

  bool conditions_may_hold(std::size_t at) {
    for (AttrId condition : rule_.constraints) {
      if (!is_ready(condition, at)) {
        continue;
      }
      auto guard = symbolic_condition(rule_, condition, {}, state_.access_with());
      if (!guard || is_false(*guard)) {
        return false;
      }
    }
    return true;
  }

  // All that it speaks of is matched, the last by this task.
  bool is_ready(AttrId condition, std::size_t at) const {
    bool last = false;
    std::vector<AttrId> pending{condition};
    while (!pending.empty()) {
      const AttrExpr& e = rule_.attr(pending.back());
      pending.pop_back();
      pending.insert(pending.end(), e.args.begin(), e.args.end());
      if (e.kind == AttrKind::Access) {
        if (rule_.pattern(e.pattern).kind == PatternKind::Instance || state_.node_of[e.pattern] == kNoInstanceNode) {
          return false;
        }
        last = last || e.pattern == tasks_[at].pattern;
      }
    }
    return last;
  }

  Term new_symbol(std::string name, SymbolKind kind, std::optional<std::int64_t> at_least = {}) {
    Symbol symbol(name);
    state_.instance.symbols.push_back({symbol, kind, at_least});
    return kind == SymbolKind::Real ? real_var(symbol) : int_var(symbol);
  }

  void assume(Term guard, std::string why) {
    if (!is_true(guard)) {
      state_.instance.assumptions.push_back({guard, std::move(why)});
    }
  }

  // --- inputs

  std::optional<AttrValue> demanded(const Task& task, std::string_view name) {
    for (const PatternAttr& attr : rule_.pattern(task.pattern).attributes) {
      if (attr.name == Symbol(name)) {
        auto value = eval_symbolic(rule_, attr.value, symbols_of(task), state_.access_with());
        if (!value) {
          impossible_ = true;
        }
        return value;
      }
    }
    return std::nullopt;
  }

  void step_input(const Task& task, std::size_t at) {
    const Pattern& p = rule_.pattern(task.pattern);
    InputNeeds needs;
    needs.kind = p.kind;
    needs.role = roles_[task.pattern];
    needs.max_rank = options_.max_rank;
    impossible_ = false;
    auto shape = demanded(task, "shape");
    auto dtype = demanded(task, "dtype");
    auto rank = demanded(task, "rank");
    needs.value = demanded(task, "value");
    if (impossible_ || (shape && !is_any(*shape) && !shape->tuple())) {
      return reject(fmt::format("what {} demands has no value", name_of(task)));
    }
    if (shape && shape->tuple()) {
      needs.shape = *shape->tuple();
    }
    if (dtype && !is_any(*dtype)) {
      needs.dtype = dtype->string() ? parse_dtype(*dtype->string()) : std::nullopt;
    }
    if (rank && rank->int64()) {
      needs.min_rank = needs.max_rank = static_cast<std::uint32_t>(*rank->int64());
    }
    for (const RankClaim& claim : rule_.ranks) {
      if (claim.input == task.pattern) {
        needs.min_rank = claim.from;
        needs.max_rank = claim.to;
      }
    }
    if (is_list_of_sizes(task)) {
      return step_sizes(task, at);
    }
    Mark here = mark();
    for (const InputOption& option : input_options(needs, options_)) {
      add_input(task, option, at);
      advance(at);
      undo(here);
      state_.node_of[task.pattern] = kNoInstanceNode;
      if (!more(at)) {
        return;
      }
    }
  }

  // A constant of which nothing is said, and that a Split takes as its sizes.
  bool is_list_of_sizes(const Task& task) const {
    if (!options_.symbolic_length || task.variadic != kNone || rule_.pattern(task.pattern).kind != PatternKind::Const) {
      return false;
    }
    for (const PatternAttr& attr : rule_.pattern(task.pattern).attributes) {
      if (rule_.attr(attr.value).kind != AttrKind::Any) {
        return false;
      }
    }
    return std::any_of(rule_.source_order.begin(), rule_.source_order.end(), [&](PatternId id) {
      const Pattern& p = rule_.pattern(id);
      return p.kind == PatternKind::Call && p.op && op_def(*p.op).name == "Split" && p.operands.size() == 2 &&
             p.operands[1] == task.pattern;
    });
  }

  void step_sizes(const Task& task, std::size_t at) {
    Mark here = mark();
    ListFamily sizes = any_sizes(name_of(task));
    InputTensor input;
    input.name = Symbol(name_of(task));
    input.pattern = task.pattern;
    input.type = Type::tensor(DType::Int64, {sizes.length});
    state_.label.push_back(fmt::format("{}: int64 rank 1, of any length", input.name.name()));
    InstanceNode node;
    node.type = input.type;
    node.input = state_.instance.inputs.size();
    node.list = std::move(sizes);
    state_.instance.inputs.push_back(std::move(input));
    bind(task, state_.add(std::move(node)), at);
    advance(at);
    undo(here);
    state_.node_of[task.pattern] = kNoInstanceNode;
  }

  void add_input(const Task& task, const InputOption& option, std::size_t at) {
    InputTensor input;
    input.name = Symbol(name_of(task));
    input.pattern = task.pattern;
    if (is_every(task)) {
      input.family = index_of(task);
      input.again = task.branch == kOtherBranch;
    } else if (task.variadic != kNone) {
      input.branch = task.branch;
    }
    std::vector<Term> extents;
    for (std::size_t axis = 0; axis < option.extents.size(); ++axis) {
      extents.push_back(option.extents[axis]
                            ? *option.extents[axis]
                            : new_symbol_of(task, fmt::format("{}.{}", input.name.name(), axis), SymbolKind::Size, 1));
      assume(ge(extents.back(), option.extents[axis] && is_const(extents.back()) ? 0 : 1), "sizes are at least 1");
    }
    input.type = Type::tensor(option.dtype, extents);
    input.fill = option.fill;
    if (option.contents) {
      input.contents = known_elements(task, option, input.name.name());
    }
    std::string known;
    for (std::size_t k = 0; input.contents && k < input.contents->size(); ++k) {
      Term element = (*input.contents)[k];
      known += (k == 0 ? " (" : ", ") + (is_const(element) ? to_text(element->value) : std::string("?"));
    }
    state_.label.push_back(fmt::format("{}: {} rank {}{}", input.name.name(), dtype_name(option.dtype), extents.size(),
                                       known.empty() ? known : known + ")"));
    InstanceNode node;
    node.type = input.type;
    node.input = state_.instance.inputs.size();
    node.contents = input.contents;
    state_.instance.inputs.push_back(std::move(input));
    bind(task, state_.add(std::move(node)), at);
  }

  std::vector<Term> known_elements(const Task& task, const InputOption& option, const std::string& name) {
    std::vector<Term> out;
    for (std::size_t k = 0; k < option.contents->size(); ++k) {
      const auto& given = (*option.contents)[k];
      if (given) {
        out.push_back(*given);
        continue;
      }
      std::string symbol = fmt::format("{}[{}]", name, k);
      if (is_float(option.dtype)) {
        out.push_back(new_symbol_of(task, symbol, SymbolKind::Real));
        continue;
      }
      out.push_back(new_symbol_of(task, symbol, SymbolKind::Element));
      if (option.dtype == DType::Bool) {
        assume(in_range(out.back(), 2), "truth values are 0 or 1");
      }
      if (roles_[task.pattern] == ElementRole::Shape) {
        assume(ge(out.back(), 1), "sizes are at least 1");
      }
    }
    return out;
  }

  // --- calls

  void step_call(const Task& task, std::size_t at) {
    const Pattern& p = rule_.pattern(task.pattern);
    auto known = p.op ? std::optional(*p.op) : operator_of(p);
    if (known) {
      return step_operator(task, *known, at);
    }
    for (std::size_t op = 0; op < op_count(); ++op) {
      const OpDef& def = op_def(static_cast<OpId>(op));
      bool fits = !def.opaque && (p.trait != OpTrait::Elementwise || def.traits.elementwise) &&
                  (p.trait != OpTrait::Commutative || def.traits.commutative) && takes(def, p.operands.size());
      if (!fits) {
        continue;
      }
      state_.operators[p.op_variable] = static_cast<OpId>(op);
      state_.label.push_back(fmt::format("{} = {}", p.op_variable.name(), def.name));
      step_operator(task, static_cast<OpId>(op), at);
      state_.label.pop_back();
      state_.operators.erase(p.op_variable);
      if (!more(at)) {
        return;
      }
    }
  }

  std::optional<OpId> operator_of(const Pattern& p) const {
    auto found = state_.operators.find(p.op_variable);
    return found == state_.operators.end() ? std::nullopt : std::optional(found->second);
  }

  static bool takes(const OpDef& def, std::size_t count) {
    auto needed = static_cast<std::size_t>(std::count_if(def.operands.begin(), def.operands.end(), [](const auto& o) {
      return o.kind == OperandKind::Required || o.kind == OperandKind::Tuple;
    }));
    return count >= needed && count <= def.operands.size();
  }

  InstanceNodeId operand_node(PatternId operand) const { return state_.node_of[operand]; }

  void step_operator(const Task& task, OpId op, std::size_t at) {
    std::vector<InstanceNodeId> operands;
    for (PatternId operand : rule_.pattern(task.pattern).operands) {
      operands.push_back(operand_node(operand));
      if (operands.back() == kNoInstanceNode) {
        return reject("an operand is not matched");
      }
    }
    for (int attempt = 0; attempt < 8; ++attempt) {
      Mark here = mark();
      std::vector<std::vector<std::optional<AttrValue>>> choices;
      if (!attribute_choices(task, op, operands, choices)) {
        undo(here);
        return;
      }
      wants_number_.reset();
      culprit_ = culprit_of_choices(task, op, operands, at);
      std::vector<AttrDict::Entry> entries;
      choose_attributes(task, op, operands, choices, entries, 0, at);
      undo(here);
      state_.node_of[task.pattern] = kNoInstanceNode;
      // An attribute that was left open turned out to be wanted as a number: once more, with numbers.
      if (!wants_number_ || !numbers_.insert({op, *wants_number_}).second) {
        jump_ = wants_number_ || jump_ ? jump_ : std::exchange(culprit_, {});
        return;
      }
    }
  }

  // Where there are other values for attributes to be chosen from: the latest task that they follow from. Nothing: the one
  // before, or not known.
  std::optional<std::size_t> culprit_of_choices(const Task& task, OpId op, const std::vector<InstanceNodeId>& operands,
                                                std::size_t at) const {
    Blame blame{0, true};
    for (std::size_t k = 0; k < op_def(op).attributes.size(); ++k) {
      AttributeNeeds needs{&op_def(op).attributes[k], first_rank(operands), most_rank_, numbers_.contains({op, k}), false, false};
      switch (choices_follow_from(needs)) {
        case ChoicesFollowFrom::Nothing: break;
        case ChoicesFollowFrom::FirstOperand: blame.operands |= 1; break;
        case ChoicesFollowFrom::LargestRank:
          if (!of_plain_inputs(task)) {
            return std::nullopt;
          }
          break;
        case ChoicesFollowFrom::AllOperands: return std::nullopt;
      }
    }
    return latest(task, blame, at, spoken_of(rule_.pattern(task.pattern)));
  }

  // The last task that bound what the attributes of the pattern speak of.
  std::size_t spoken_of(const Pattern& p) const {
    std::size_t last = p.attributes_as == kNone ? 0 : bound_at_[p.attributes_as];
    std::vector<AttrId> pending;
    for (const PatternAttr& attr : p.attributes) {
      pending.push_back(attr.value);
    }
    while (!pending.empty()) {
      const AttrExpr& e = rule_.attr(pending.back());
      pending.pop_back();
      last = e.kind == AttrKind::Access ? std::max(last, bound_at_[e.pattern]) : last;
      pending.insert(pending.end(), e.args.begin(), e.args.end());
    }
    return last;
  }

  // Are all operands inputs of at most `most_rank_`, whichever are chosen?
  bool of_plain_inputs(const Task& task) const {
    const std::vector<PatternId>& operands = rule_.pattern(task.pattern).operands;
    return task.variadic == kNone && std::all_of(operands.begin(), operands.end(), [&](PatternId id) {
             const Pattern& p = rule_.pattern(id);
             bool input = p.kind == PatternKind::Wildcard || p.kind == PatternKind::Variable || p.kind == PatternKind::Const;
             return input && p.attributes.empty();
           });
  }

  // The last task that bound one of these operands; nothing if it is the task before, or not known.
  std::optional<std::size_t> latest(const Task& task, const Blame& blame, std::size_t at, std::size_t last = 0) const {
    if (!rule_.pattern(task.pattern).op || blame.operands == Blame{}.operands) {
      return std::nullopt;  // another operator may do
    }
    const std::vector<PatternId>& operands = rule_.pattern(task.pattern).operands;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      bool asked = ((blame.operands >> std::min<std::size_t>(k, 63)) & 1U) != 0;
      last = asked ? std::max(last, bound_at_[operands[k]]) : last;
    }
    return last + 1 >= at ? std::nullopt : std::optional(last);
  }

  std::size_t first_rank(const std::vector<InstanceNodeId>& operands) const {
    for (InstanceNodeId operand : operands) {
      std::vector<Type> types = flat_types(state_.instance.nodes[operand].type);
      if (!types.empty()) {
        return types[0].rank();
      }
    }
    return options_.max_rank;
  }

  std::size_t largest_rank(const std::vector<InstanceNodeId>& operands) const {
    std::size_t most = 0;
    for (InstanceNodeId operand : operands) {
      for (Type type : flat_types(state_.instance.nodes[operand].type)) {
        most = std::max(most, type.rank());
      }
    }
    return operands.empty() ? options_.max_rank : most;
  }

  // For inputs: of any, so that what is chosen by it need not be chosen again for others.
  std::size_t rank_to_choose_by(const Task& task, const std::vector<InstanceNodeId>& operands) const {
    return of_plain_inputs(task) ? most_rank_ : largest_rank(operands);
  }

  bool attribute_choices(const Task& task, OpId op, const std::vector<InstanceNodeId>& operands,
                         std::vector<std::vector<std::optional<AttrValue>>>& choices) {
    const OpDef& def = op_def(op);
    const Pattern& p = rule_.pattern(task.pattern);
    for (std::size_t k = 0; k < def.attributes.size(); ++k) {
      const AttrDef& attr = def.attributes[k];
      auto given = std::find_if(p.attributes.begin(), p.attributes.end(),
                                [&](const PatternAttr& a) { return a.name.name() == attr.name; });
      AttributeNeeds needs{&attr,
                           first_rank(operands),
                           attr.type == AttrType::Int ? rank_to_choose_by(task, operands) : largest_rank(operands),
                           numbers_.contains({op, k}),
                           given != p.attributes.end(),
                           forms_.contains({task.pattern, Symbol(attr.name)})};
      auto symbol = [&](const std::string& suffix, Sort sort) {
        return new_symbol_of(task, fmt::format("{}.{}{}", name_of(task), attr.name, suffix),
                             sort == Sort::Real ? SymbolKind::Real : SymbolKind::Attribute);
      };
      if (given == p.attributes.end() && p.attributes_as != kNone) {
        choices.push_back({same_attribute(p.attributes_as, attr.name)});
        continue;
      }
      if (given == p.attributes.end() && is_any_cut(task, op, attr)) {
        choices.push_back(cut_options(task));
      } else if (given == p.attributes.end()) {
        choices.push_back(attribute_options(needs, symbol));
      } else if (!demanded_attribute(task, *given, needs, symbol, choices)) {
        return false;
      }
      if (choices.back().empty()) {
        choices.back().emplace_back(std::nullopt);
        if (std::holds_alternative<Required>(attr.otherwise)) {
          reject(fmt::format("{} needs {}", def.name, attr.name));
          return false;
        }
      }
    }
    return true;
  }

  // Where a call is cut, of which a rule with any number of branches does not say.
  bool is_any_cut(const Task& task, OpId op, const AttrDef& attr) const {
    return options_.symbolic_length && task.variadic == kNone && op_def(op).name == "split" && attr.name == "indices_or_sections";
  }

  // A list of sizes of any length, each at least 0.
  ListFamily any_sizes(const std::string& name) {
    Symbol index(name + ".k");
    Symbol sizes(name + ".sizes");
    Term length = new_symbol(name + ".length", SymbolKind::Attribute, 1);
    state_.book.declare_item(sizes, 0);
    Symbol every(name + ".k#");
    state_.book.add_range(every, length, 0);
    assume(in_range(int_var(every), length), "the number of a piece");
    assume(ge(family_item(sizes, int_var(every)), 0), "a size is not negative");
    return {index, length, AttrValue(family_item(sizes, int_var(index)))};
  }

  // At points of any number, which are sums of sizes; or into a number of equal sections.
  std::vector<std::optional<AttrValue>> cut_options(const Task& task) {
    ListFamily sizes = any_sizes(name_of(task));
    Term points = *state_.book.prefix_sum(sizes.index, *sizes.item.number(), int_var(sizes.index) + 1);
    AttrValue list = state_.book.list({sizes.index, sizes.length - 1, AttrValue(points)});
    return {list, AttrValue(new_symbol(name_of(task) + ".sections", SymbolKind::Attribute, 1))};
  }

  // `* as p`: the attribute as that call has it; absent there, absent here.
  std::optional<AttrValue> same_attribute(PatternId call, std::string_view name) const {
    InstanceNodeId node = operand_node(call);
    const AttrValue* value = node == kNoInstanceNode ? nullptr : state_.instance.nodes[node].attributes.find(name);
    return value ? std::optional(*value) : std::nullopt;
  }

  // `tuple[k](any)`: every tuple that the operator may have; items that a source restricts one by one are not
  // understood.
  bool any_tuple(const AttrExpr& demand, const AttributeNeeds& needs, const auto& symbol,
                 std::vector<std::vector<std::optional<AttrValue>>>& choices) {
    if (rule_.attr(demand.args[0]).kind != AttrKind::Any) {
      not_covered("a tuple of any length whose items are restricted");
      return false;
    }
    choices.push_back(attribute_options(needs, symbol));
    std::erase_if(choices.back(), [](const auto& option) { return !option || option->tuple() == nullptr; });
    return true;
  }

  bool demanded_attribute(const Task& task, const PatternAttr& given, const AttributeNeeds& needs, const auto& symbol,
                          std::vector<std::vector<std::optional<AttrValue>>>& choices) {
    const AttrExpr& demand = rule_.attr(given.value);
    if (demand.kind == AttrKind::VarTuple && demand.args.size() == 1) {
      return any_tuple(demand, needs, symbol, choices);
    }
    auto value = eval_symbolic(rule_, given.value, symbols_of(task), state_.access_with());
    if (!value) {
      if (demand.kind == AttrKind::Access && std::holds_alternative<Absent>(needs.def->otherwise)) {
        choices.push_back({std::nullopt});  // absent there, absent here
        return true;
      }
      reject(fmt::format("attribute {} of {} has no value", given.name.name(), name_of(task)));
      return false;
    }
    if (is_any(*value)) {
      choices.push_back(attribute_options(needs, symbol));
    } else {
      choices.push_back({filled(std::move(*value), symbol, "", needs)});
    }
    return true;
  }

  // `any` inside of a tuple is a symbol of its own. A long tuple of positions is cut to the list that the
  // operator has.
  static AttrValue filled(AttrValue value, const auto& symbol, const std::string& suffix, const AttributeNeeds& needs) {
    if (const Term* number = value.number(); number && number->sort() == Sort::Bool) {
      return AttrValue(int_select(*number, 1, 0));
    }
    if (is_any(value)) {
      return AttrValue(symbol(suffix, Sort::Int));
    }
    if (!value.tuple()) {
      return value;
    }
    AttrTuple items;
    for (std::size_t k = 0; k < value.tuple()->size(); ++k) {
      items.push_back(filled((*value.tuple())[k], symbol, fmt::format("{}[{}]", suffix, k), needs));
    }
    // A variable-length tuple takes its length from the value (rule AM-Var).
    if (needs.def->length == AttrLength::Rank && items.size() > needs.rank) {
      items.resize(needs.rank);
    }
    return AttrValue(std::move(items));
  }

  void choose_attributes(const Task& task, OpId op, const std::vector<InstanceNodeId>& operands,
                         const std::vector<std::vector<std::optional<AttrValue>>>& choices, std::vector<AttrDict::Entry>& entries,
                         std::size_t k, std::size_t at) {
    if (k == choices.size()) {
      return call_with(task, op, operands, entries, at);
    }
    const AttrDef& attr = op_def(op).attributes[k];
    for (const auto& option : choices[k]) {
      std::size_t labels = state_.label.size();
      if (option) {
        entries.emplace_back(Symbol(attr.name), *option);
        bool shown = choices[k].size() > 1;
        if (shown) {
          state_.label.push_back(fmt::format("{}.{} = {}", name_of(task), attr.name, option->text()));
        }
      }
      choose_attributes(task, op, operands, choices, entries, k + 1, at);
      if (option) {
        entries.pop_back();
      }
      state_.label.resize(labels);
      if (!more(at) || wants_number_) {
        return;
      }
    }
  }

  void call_with(const Task& task, OpId op, const std::vector<InstanceNodeId>& operands,
                 const std::vector<AttrDict::Entry>& entries, std::size_t at) {
    Mark here = mark();
    AttrDict attributes(entries);
    Diagnostics diagnostics;
    if (!verify_call_form(op_def(op), operands.size(), state_.without_lists(attributes), "call", diagnostics)) {
      return reject(diagnostics.all()[0].message);
    }
    auto made = state_.add_call(op, operands, attributes, false, state_.instance.assumptions);
    if (auto* error = std::get_if<CallError>(&made)) {
      undo(here);
      for (std::size_t k = 0; k < op_def(op).attributes.size(); ++k) {
        std::string_view name = op_def(op).attributes[k].name;
        if (!numbers_.contains({op, k}) && (error->text == fmt::format("attribute {} must be a number here", name) ||
                                            error->text == fmt::format("attribute {} must consist of numbers here", name))) {
          wants_number_ = k;
          return;
        }
      }
      std::optional<std::size_t> back_to = latest(task, error->blame, at);
      culprit_ = culprit_ && back_to ? std::optional(std::max(*culprit_, *back_to)) : std::nullopt;
      return reject(fmt::format("{}: {}", op_def(op).name, error->text), error->blame.attributes ? std::nullopt : back_to);
    }
    bind(task, std::get<InstanceNodeId>(made), at);
    advance(at);
    undo(here);
    culprit_.reset();  // this choice was legal, whatever the tasks after it left here
    state_.node_of[task.pattern] = kNoInstanceNode;
  }

  // --- tuples, projections, variadics

  void step_tuple(const Task& task, std::size_t at) {
    std::vector<InstanceNodeId> items;
    for (PatternId item : rule_.pattern(task.pattern).operands) {
      items.push_back(operand_node(item));
    }
    Mark here = mark();
    bind(task, state_.add_tuple(std::move(items), false), at);
    advance(at);
    undo(here);
    state_.node_of[task.pattern] = kNoInstanceNode;
  }

  void step_projection(const Task& task, std::size_t at) {
    const Pattern& p = rule_.pattern(task.pattern);
    InstanceNodeId tuple = operand_node(p.operands[0]);
    Type type = state_.instance.nodes[tuple].type;
    if (!type.is_tuple()) {
      return reject("a projection of what is no tuple");
    }
    auto demanded_index = p.attributes.empty()
                              ? std::optional(any_value())
                              : eval_symbolic(rule_, p.attributes[0].value, symbols_of(task), state_.access_with());
    std::int64_t from = 0;
    std::int64_t to = static_cast<std::int64_t>(type.items().size()) - 1;
    InstanceNode::Kind kind = state_.instance.nodes[tuple].kind;
    if (kind == InstanceNode::Kind::Family || kind == InstanceNode::Kind::Cut) {
      return step_piece(task, tuple, demanded_index, at);
    }
    if (demanded_index && demanded_index->number() && !demanded_index->int64()) {
      return not_covered("an item of a tuple whose number depends on sizes");
    }
    if (!demanded_index || (!is_any(*demanded_index) && !demanded_index->int64())) {
      return reject("the index of a projection has no value");
    }
    if (!is_any(*demanded_index)) {
      from = std::max<std::int64_t>(*demanded_index->int64(), 0);
      to = std::min(to, *demanded_index->int64());
    }
    Mark here = mark();
    for (std::int64_t item = from; item <= to; ++item) {
      bind(task, *state_.add_projection(tuple, static_cast<std::uint32_t>(item), false), at);
      advance(at);
      undo(here);
      state_.node_of[task.pattern] = kNoInstanceNode;
      if (!more(at)) {
        return;
      }
    }
  }

  void step_piece(const Task& task, InstanceNodeId tuple, const std::optional<AttrValue>& number, std::size_t at) {
    if (!number || !number->number() || number->number()->sort() != Sort::Int) {
      return not_covered("any item of a tuple of symbolic length");
    }
    Mark here = mark();
    auto piece = state_.family_piece(tuple, *number->number(), false, state_.instance.assumptions);
    if (auto* error = std::get_if<CallError>(&piece)) {
      undo(here);
      return not_covered(error->text);
    }
    bind(task, std::get<InstanceNodeId>(piece), at);
    advance(at);
    undo(here);
    state_.node_of[task.pattern] = kNoInstanceNode;
  }

  // Opening: the number of branches is chosen, and the templates of each become tasks before the variadic
  // itself.
  void step_variadic(const Task& task, std::size_t at) {
    if (opened_.contains(task.pattern)) {
      return close_variadic(task, at);
    }
    const Pattern& p = rule_.pattern(task.pattern);
    if (task.variadic != kNone) {
      return not_covered("a variadic inside of a variadic");
    }
    if (options_.symbolic_length) {
      return open_family(task, at);
    }
    result_.lengths = true;
    opened_.insert(task.pattern);
    std::vector<Task> before = tasks_;
    for (std::uint32_t length : options_.lengths) {
      if (length < std::max<std::uint32_t>(p.min_length, 1)) {
        continue;
      }
      state_.branches[task.pattern].assign(length, BranchNodes(p.templates.size(), kNoInstanceNode));
      std::vector<Task> inner = templates_of(task.pattern, length);
      tasks_ = before;
      tasks_.insert(tasks_.begin() + static_cast<std::ptrdiff_t>(at), inner.begin(), inner.end());
      state_.label.push_back(fmt::format("{}.length = {}", p.name.name(), length));
      step(at);
      state_.label.pop_back();
      tasks_ = before;
      if (!more(at)) {
        break;
      }
    }
    state_.branches.erase(task.pattern);
    opened_.erase(task.pattern);
  }

  // One branch that stands for all; with first instances, for all but the first.
  void open_family(const Task& task, std::size_t at) {
    const Pattern& p = rule_.pattern(task.pattern);
    std::string name = p.name.empty() ? fmt::format("_{}", task.pattern) : p.name.name();
    bool has_first = !p.first.empty();
    auto least = std::max<std::int64_t>(p.min_length, has_first ? 2 : 1);
    Mark here = mark();
    FamilyOf family{Symbol(name + "#"), Symbol(name + "##"), new_symbol(name + ".length", SymbolKind::Branches, least),
                    has_first};
    for (Symbol index : {family.index, family.other}) {
      assume(le(has_first ? 1 : 0, int_var(index)), "the number of a branch");
      assume(lt(int_var(index), family.length), "the number of a branch");
    }
    state_.book.add_range(family.index, family.length, has_first ? 1 : 0);
    state_.families.emplace(task.pattern, family);
    state_.branches[task.pattern].assign(2, BranchNodes(p.templates.size(), kNoInstanceNode));
    opened_.insert(task.pattern);
    std::vector<Task> before = tasks_;
    std::vector<Task> inner;
    for (std::int64_t branch : {kEveryBranch, kOtherBranch}) {
      for (PatternId id : rule_.source_order) {
        if (state_.owner[id] == task.pattern) {
          inner.push_back({id, task.pattern, branch});
        }
      }
    }
    tasks_.insert(tasks_.begin() + static_cast<std::ptrdiff_t>(at), inner.begin(), inner.end());
    state_.label.push_back(fmt::format("{}.length = n", p.name.name()));
    step(at);
    tasks_ = before;
    state_.branches.erase(task.pattern);
    state_.families.erase(task.pattern);
    opened_.erase(task.pattern);
    undo(here);
  }

  std::vector<Task> templates_of(PatternId variadic, std::uint32_t length) {
    const Pattern& p = rule_.pattern(variadic);
    std::vector<Task> inner;
    for (std::int64_t branch = 0; branch < length; ++branch) {
      if (branch == 0 && !p.first.empty()) {
        for (std::size_t k = 0; k < p.first.size(); ++k) {
          state_.branches[variadic][0][k] = state_.node_of[p.first[k]];
        }
        continue;
      }
      for (PatternId id : rule_.source_order) {
        if (state_.owner[id] == variadic) {
          inner.push_back({id, variadic, branch});
        }
      }
    }
    return inner;
  }

  void close_variadic(const Task& task, std::size_t at) {
    std::vector<InstanceNodeId> items;
    for (const BranchNodes& branch : state_.branches[task.pattern]) {
      items.push_back(branch[0]);
    }
    Mark here = mark();
    auto family = state_.families.find(task.pattern);
    bound_at_[task.pattern] = at;
    state_.node_of[task.pattern] = family == state_.families.end()
                                       ? state_.add_tuple(std::move(items), false)
                                       : state_.add_family(items[0], family->second.index, family->second.length, false);
    if (family != state_.families.end()) {
      state_.instance.nodes[state_.node_of[task.pattern]].operands.push_back(items[1]);
    }
    advance(at);
    undo(here);
    state_.node_of[task.pattern] = kNoInstanceNode;
  }

  void step_instance(const Task& task, std::size_t at) {
    auto node = state_.matched_instance(task.pattern, symbols_of(task));
    if (!node) {
      return reject("an instance that does not exist");
    }
    bound_at_[task.pattern] = at;
    state_.node_of[task.pattern] = *node;
    advance(at);
    state_.node_of[task.pattern] = kNoInstanceNode;
  }

  void step_alternative(const Task& task, std::size_t at) {
    for (PatternId option : rule_.pattern(task.pattern).operands) {
      if (operand_node(option) == kNoInstanceNode) {
        continue;
      }
      bind(task, operand_node(option), at);
      advance(at);
      state_.node_of[task.pattern] = kNoInstanceNode;
      if (!more(at)) {
        return;
      }
    }
  }

  void step_conditional(const Task& task, std::size_t at) {
    const Pattern& p = rule_.pattern(task.pattern);
    auto guard = symbolic_condition(rule_, p.selector, symbols_of(task), state_.access_with());
    for (bool value : {true, false}) {
      // A condition without value counts as false.
      Term taken = guard ? (value ? *guard : negate(*guard)) : bool_const(!value);
      if (is_false(taken)) {
        continue;
      }
      Mark here = mark();
      assume(taken, "the condition of an alternative");
      bind(task, operand_node(p.operands[value ? 0 : 1]), at);
      advance(at);
      undo(here);
      state_.node_of[task.pattern] = kNoInstanceNode;
      if (!more(at)) {
        return;
      }
    }
  }

  // --- the end

  void finish() {
    Mark here = mark();
    for (AttrId condition : rule_.constraints) {
      auto guard = symbolic_condition(rule_, condition, {}, state_.access_with());
      if (!guard || is_false(*guard)) {
        undo(here);
        return reject("a condition does not hold");
      }
      assume(*guard, "a condition of the rule");
    }
    state_.asked.clear();
    for (const auto& [variadic, family] : state_.families) {
      if (state_.instance.unsupported.empty() && !branches_are_alike(state_, variadic, family)) {
        state_.instance.unsupported = "branches of different kinds";
      }
    }
    build_target(state_);
    if (options_.symbolic_length && !state_.instance.target_error.empty()) {
      // What cannot be said of a symbolic number of branches may well be said of each number.
      std::string error = std::exchange(state_.instance.target_error, {});
      state_.instance.unsupported = state_.instance.unsupported.empty() ? error : state_.instance.unsupported;
      state_.instance.outputs.clear();
    }
    Instance finished = state_.instance;
    state_.instance.target_error.clear();
    state_.instance.outputs.clear();
    undo(here);
    if (options_.compose && finished.target_error.empty() && finished.unsupported.empty()) {
      compose_bodies(finished, state_.book);
      unify_first_branches(state_, finished);
    }
    finished.families = state_.book.families();
    finished.label = fmt::format("{}", fmt::join(state_.label, ", "));
    ++result_.instances;
    if (!visit_(finished) || result_.instances >= options_.most) {
      stopped_ = true;
      result_.complete = false;
    }
  }

  // An attribute whose value the rule uses beyond handing it on: its form matters.
  void find_forms() {
    std::vector<bool> handed_on(rule_.attrs.size());
    for (const Pattern& p : rule_.patterns) {
      for (const PatternAttr& attr : p.attributes) {
        const AttrExpr& e = rule_.attr(attr.value);
        handed_on[attr.value] = p.kind == PatternKind::Call && e.kind == AttrKind::Access && e.name == attr.name;
      }
    }
    for (AttrId id = 0; id < rule_.attrs.size(); ++id) {
      const AttrExpr& e = rule_.attr(id);
      if (e.kind == AttrKind::Access && !handed_on[id]) {
        forms_.insert({e.pattern, e.name});
      }
    }
  }

  const Rule& rule_;
  const InstanceOptions& options_;
  const std::function<bool(const Instance&)>& visit_;
  InstanceState state_;
  std::vector<ElementRole> roles_;
  std::vector<Task> tasks_;
  std::size_t most_rank_ = 0;                       // of any input
  std::vector<std::size_t> bound_at_;               // per pattern: the task that bound it last
  std::set<std::pair<OpId, std::size_t>> numbers_;  // attributes that must be numbers
  std::set<std::pair<PatternId, Symbol>> forms_;
  std::set<PatternId> opened_;
  std::optional<std::size_t> wants_number_;
  std::optional<std::size_t> jump_;
  std::optional<std::size_t> culprit_;  // while attributes are chosen: where to go back if none is legal
  bool stopped_ = false;
  bool impossible_ = false;
  Enumeration result_;
};

}  // namespace

Enumeration for_each_instance(const Rule& rule, const InstanceOptions& options,
                              const std::function<bool(const Instance&)>& visit) {
  return Enumerator(rule, options, visit).run();
}

}  // namespace vouch
