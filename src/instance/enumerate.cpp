#include "instance/enumerate.h"

#include <fmt/format.h>

#include <algorithm>

#include "facts/index_terms.h"
#include "instance/empty_inputs.h"
#include "instance/scope_of.h"
#include "rule/axes.h"

namespace vouch {

static InstanceOptions with_types(const TypeClasses& classes, const InstanceOptions& options) {
  InstanceOptions out = options;
  out.dtypes = classes.tried();
  return out;
}

Enumerator::Enumerator(const Rule& rule, const InstanceOptions& options, const std::function<bool(Instance&)>& visit)
    : rule_(rule),
      classes_(options.dtypes.empty() ? TypeClasses::of(rule) : TypeClasses::apart(options.dtypes)),
      options_(with_types(classes_, options)),
      visit_(visit),
      state_(rule),
      unmet_(rule),
      own_names_(own_names(rule)),
      roles_(element_roles(rule)),
      spoken_of_as_empty_(inputs_spoken_of_as_empty(rule)) {
  for (PatternId id : rule.source_order) {
    if (state_.owner[id] == kNone) {
      tasks_.push_back({id, kNone, 0});
    }
  }
  bound_at_.assign(rule.patterns.size(), 0);
  option_of_.assign(rule.patterns.size(), kNoOption);
  most_rank_ = options.max_rank;
  for (const RankClaim& claim : rule.ranks) {
    most_rank_ = std::max<std::size_t>(most_rank_, most_claimed(claim));
    if (most_claimed(claim) < claim.to) {
      result_.bounds.insert(fmt::format("{} to rank {} of {}", own_names_[claim.input], most_claimed(claim), claim.to));
    }
  }
  for (const AxisLayout& layout : rule.layouts) {
    auto claim =
        std::find_if(rule.ranks.begin(), rule.ranks.end(), [&](const RankClaim& one) { return one.input == layout.pattern; });
    axes_tried_.push_back(most_axes(rule, layout, claim == rule.ranks.end() ? options.max_rank : most_claimed(*claim)));
    most_rank_ = std::max<std::size_t>(most_rank_, axes_tried_.back());
  }
  for (AttrId condition : rule.constraints) {
    add_conjuncts(condition);
  }
  state_.looked_at = looked_at(rule);
  find_choices();
  state_.of_any_length = options.symbolic_length;
}

Enumeration Enumerator::run() {
  // Each pattern is a step of a recursion, and terms become as deep as the rule.
  constexpr std::size_t kMostPatterns = 400;
  if (rule_.patterns.size() > kMostPatterns) {
    not_covered(fmt::format("the rule has {} patterns, and no more than {} are tried", rule_.patterns.size(), kMostPatterns));
  } else {
    choose_axis_numbers();
  }
  result_.not_covered = state_.not_covered;
  auto unmet = result_.instances == 0 && result_.first_error.empty() ? unmet_.find() : std::nullopt;
  if (unmet) {
    result_.first_error = unmet->reason;
    if (!unmet->at_any_rank) {
      result_.bounds.insert(fmt::format("ranks to {}", most_rank_));
    }
  }
  return result_;
}

void Enumerator::choose_axis_numbers() {
  bool all = for_each_axis_numbers(rule_, axes_tried_, [&](const AxisNumbers& numbers) {
    state_.axis_numbers = numbers;
    forget_options();
    const std::size_t labels = state_.label.size();
    if (!numbers.empty()) {
      state_.label.push_back("axes: " + axes_text(rule_, numbers));
    }
    step(0);
    state_.label.resize(labels);
    jump_.reset();  // other numbers are another beginning
    return !stopped_;
  });
  if (!all) {
    result_.bounds.insert(fmt::format("roles to {} axes", *std::max_element(axes_tried_.begin(), axes_tried_.end())));
  }
}

Enumerator::Mark Enumerator::mark() const {
  const Instance& i = state_.instance;
  return {i.symbols.size(),     i.inputs.size(),     i.nodes.size(),       i.assumptions.size(), i.every.size(),
          i.obligations.size(), state_.label.size(), state_.book.ranges(), i.unsupported,        state_.taken_for_granted.size(),
          state_.stated.size()};
}

void Enumerator::undo(const Mark& m) {
  Instance& i = state_.instance;
  i.symbols.resize(m.symbols);
  i.inputs.resize(m.inputs);
  i.nodes.resize(m.nodes);
  i.assumptions.resize(m.assumptions);
  i.every.resize(m.every);
  i.obligations.resize(m.obligations);
  i.unsupported = m.unsupported;
  state_.label.resize(m.label);
  state_.taken_for_granted.resize(m.supposed);
  state_.stated.resize(m.stated);
  state_.book.keep_ranges(m.ranges);
}

bool Enumerator::more(std::size_t at) {
  if (stopped_) {
    return false;
  }
  if (jump_ && *jump_ < at) {
    return false;
  }
  jump_.reset();
  return true;
}

void Enumerator::not_covered(std::string_view what) {
  state_.note_not_covered(what);
  reject(what);
}

void Enumerator::go_back(std::optional<std::size_t> to) {
  jump_ = to;
  if (++rejected_ >= kMostRejected) {
    stopped_ = true;
    result_.complete = false;
    result_.gave_up = true;
  }
}

InstanceNodeId* Enumerator::slot(const Task& task) {
  return task.variadic == kNone ? &state_.node_of[task.pattern]
                                : &state_.branches[task.variadic][task.branch >= 0 ? static_cast<std::size_t>(task.branch)
                                                                  : task.branch == kEveryBranch ? 0U
                                                                                                : 1U][state_.place[task.pattern]];
}

void Enumerator::bind(const Task& task, InstanceNodeId node, std::size_t at) {
  *slot(task) = node;
  // Templates are looked up by pattern while their branch is matched.
  state_.node_of[task.pattern] = node;
  bound_at_[task.pattern] = at;
}

SymbolTerms Enumerator::symbols_of(const Task& task) const {
  if (task.variadic == kNone) {
    return {};
  }
  Term number = is_every(task) ? int_var(index_of(task)) : Term(task.branch);
  return {{rule_.pattern(task.variadic).index, number}};
}

Symbol Enumerator::index_of(const Task& task) const {
  const FamilyOf& family = state_.families.at(task.variadic);
  return task.branch == kEveryBranch ? family.index : family.other;
}

Term Enumerator::new_symbol_of(const Task& task, Symbol family, SymbolKind kind, std::optional<std::int64_t> at_least) {
  if (!is_every(task)) {
    return new_symbol(family, kind, at_least);
  }
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

std::string Enumerator::name_of(const Task& task) const {
  const std::string& own = own_names_[task.pattern];
  return task.variadic == kNone ? own
         : is_every(task)       ? fmt::format("{}.{}", own_names_[task.variadic], own)
                                : fmt::format("{}[{}].{}", own_names_[task.variadic], task.branch, own);
}

void Enumerator::step(std::size_t at) {
  if (at == tasks_.size()) {
    return finish();
  }
  Task task = tasks_[at];
  if (auto choice = open_choice(task)) {
    return choose_option(*choice, task, at);
  }
  if (!is_active(task.pattern, task.branch)) {
    *slot(task) = kNoInstanceNode;
    state_.node_of[task.pattern] = kNoInstanceNode;
    return advance(at);
  }
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

void Enumerator::advance(std::size_t at) {
  Mark here = mark();
  if (conditions_may_hold(at) && assume_block_conditions(tasks_[at])) {
    step(at + 1);
  }
  undo(here);
}

Term Enumerator::new_symbol(Symbol symbol, SymbolKind kind, std::optional<std::int64_t> at_least) {
  state_.instance.symbols.push_back({symbol, kind, at_least});
  state_.book.declare_number(symbol, at_least);
  return kind == SymbolKind::Real ? real_var(symbol) : int_var(symbol);
}

void Enumerator::assume(Term guard, std::string why) {
  if (!is_true(guard)) {
    state_.instance.assumptions.push_back({guard, std::move(why), InstanceCondition::Origin::Choice});
  }
}

void Enumerator::finish() {
  Mark here = mark();
  for (AttrId condition : rule_.constraints) {
    auto guard = symbolic_condition(rule_, condition, {}, state_.access_with());
    if (!guard || is_false(*guard)) {
      undo(here);
      return reject("a condition does not hold");
    }
    if (!assume_condition(*guard)) {
      undo(here);
      return not_covered("a condition on every element of two constants");
    }
  }
  note_supposed(here.assumptions);
  state_.asked.clear();
  if (counting_) {
    undo(here);
    return note_instance(true);
  }
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
  if (state_.families.empty()) {
    // What the source's calls mean is kept for the instances that follow.
    show(state_.instance);
    forget_target(here);
    return;
  }
  Instance finished = state_.instance;
  forget_target(here);
  show(finished);
}

void Enumerator::forget_target(const Mark& here) {
  state_.instance.target_error.clear();
  state_.instance.outputs.clear();
  undo(here);
}

void Enumerator::show(Instance& finished) {
  if (options_.compose && finished.target_error.empty() && finished.unsupported.empty()) {
    compose_bodies(finished, state_.book);
    unify_first_branches(state_, finished);
  }
  finished.families = state_.book.families();
  finished.scope = options_.compose ? scope_of(state_) : std::nullopt;
  if (finished.scope) {
    set_types(classes_, finished, *finished.scope);
  }
  finished.label = fmt::format("{}", fmt::join(state_.label, ", "));
  note_instance(visit_(finished));
}

void Enumerator::note_instance(bool go_on) {
  if (++result_.instances >= options_.most || !go_on) {
    stopped_ = true;
    result_.complete = false;
  }
}

Enumeration for_each_instance(const Rule& rule, const InstanceOptions& options, const std::function<bool(Instance&)>& visit) {
  return Enumerator(rule, options, visit).run();
}

std::size_t count_instances(const Rule& rule, const InstanceOptions& options) {
  return Enumerator(rule, options, nullptr).count();
}

}  // namespace vouch
