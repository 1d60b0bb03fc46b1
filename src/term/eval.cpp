#include "term/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "support/fault.h"
#include "term/elementary.h"
#include "term/print.h"

namespace vouch {
namespace {

// Thrown within this file only.
struct Failed {
  EvalFailure failure;
};

[[noreturn]] void fail(EvalProblem problem, std::string message) { throw Failed{{problem, std::move(message)}}; }

// What grows exponentially may have no value that can be written down beyond this; up to it, no value means not defined.
constexpr int kLargestGrowing = 1000;

std::string shown(Term term) {
  constexpr std::uint32_t kDeepest = 12;
  return term->depth <= kDeepest ? print_term(term) : "a larger term";
}

// A term in the scope of its binders. Its value is valid while the binder it depends on most closely stands still.
struct Node {
  Term term;
  std::vector<std::size_t> args;
  std::size_t level = 0;     // of the innermost binder that it depends on; 0: none
  std::size_t inner = 0;     // of a reduction: the level of its own indices
  std::size_t position = 0;  // of a bound index: its place at its level
  std::uint64_t stamp = 0;   // of the level when the value was computed; 0: never
  bool truth = false;
  ExactNumber number;  // of an integer or a scalar
};

struct Scope {
  const Scope* outer = nullptr;
  std::size_t level = 0;
  std::span<const Symbol> names;
  std::unordered_map<Term, std::size_t>* nodes = nullptr;
};

class Machine {
 public:
  Machine(Term term, std::span<const Symbol> indices, const EvalEnvironment& environment)
      : environment_(environment), steps_(environment.steps) {
    std::unordered_map<Term, std::size_t> outermost;
    std::unordered_map<Term, std::size_t> at_point;
    Scope nothing{nullptr, 0, {}, &outermost};
    Scope point{&nothing, 1, indices, &at_point};
    levels_ = {{}, {std::vector<std::int64_t>(indices.size()), 1}};
    levels_[0].stamp = 1;
    root_ = compile(term, point);
  }

  void move_to(std::span<const std::int64_t> point) {
    for (std::size_t i = 0; i < point.size(); ++i) {
      levels_[1].values[i] = point[i];
    }
    levels_[1].stamp = ++clock_;
    indices_.clear();
  }
  Integer root_integer() { return integer(root_).integer(); }
  bool root_truth() { return truth(root_); }
  const ExactNumber& root_scalar() { return scalar(root_); }

 private:
  struct Level {
    std::vector<std::int64_t> values;
    std::uint64_t stamp = 0;
  };

  // --- compilation
  std::size_t compile(Term term, const Scope& scope) {
    if (auto known = scope.nodes->find(term); known != scope.nodes->end()) {
      return known->second;
    }
    Node node;
    node.term = term;
    if (term.kind() == TermKind::IntVar) {
      locate(node, scope);
    } else if (term.kind() == TermKind::Reduce) {
      compile_reduction(node, scope);
    } else {
      for (Term arg : term.args()) {
        node.args.push_back(compile(arg, scope));
        node.level = std::max(node.level, nodes_[node.args.back()].level);
      }
    }
    std::size_t at = shared(std::move(node), scope);
    scope.nodes->emplace(term, at);
    return at;
  }

  static void locate(Node& node, const Scope& scope) {
    for (const Scope* s = &scope; s != nullptr; s = s->outer) {
      for (std::size_t i = s->names.size(); i-- > 0;) {
        if (s->names[i] == node.term->symbol) {
          node.level = s->level;
          node.position = i;
          return;
        }
      }
    }
  }

  void compile_reduction(Node& node, const Scope& scope) {
    std::unordered_map<Term, std::size_t> inside;
    Scope inner{&scope, scope.level + 1, node.term->bound, &inside};
    node.inner = inner.level;
    if (levels_.size() <= inner.level) {
      levels_.resize(inner.level + 1);
    }
    levels_[inner.level].values.resize(std::max(levels_[inner.level].values.size(), node.term->bound.size()));
    for (std::size_t i = 0; i < node.term.args().size(); ++i) {
      std::size_t arg = compile(node.term.arg(i), i < 2 ? inner : scope);
      node.args.push_back(arg);
      // What depends on the own indices may depend on any index outside as well.
      std::size_t level = nodes_[arg].level;
      node.level = std::max(node.level, level == inner.level ? outer_level(arg, inner.level) : level);
    }
  }

  // The innermost level below `inner` on which the node depends.
  std::size_t outer_level(std::size_t at, std::size_t inner) const {
    std::size_t level = 0;
    std::vector<std::size_t> open{at};
    std::vector<bool> seen(nodes_.size());
    while (!open.empty()) {
      std::size_t next = open.back();
      open.pop_back();
      if (seen[next]) {
        continue;
      }
      seen[next] = true;
      if (nodes_[next].level < inner) {
        level = std::max(level, nodes_[next].level);
      } else {
        open.insert(open.end(), nodes_[next].args.begin(), nodes_[next].args.end());
      }
    }
    return level;
  }

  // A node is kept with the scope of its own level, so that terms that do not depend on an inner binder are shared.
  std::size_t shared(Node node, const Scope& scope) {
    const Scope* own = &scope;
    while (own->level > node.level) {
      own = own->outer;
    }
    auto [found, added] = own->nodes->emplace(node.term, nodes_.size());
    if (added) {
      nodes_.push_back(std::move(node));
    }
    return found->second;
  }

  // --- evaluation
  // True if the node's value has to be computed now.
  bool stale(std::size_t at) {
    Node& node = nodes_[at];
    if (node.stamp == levels_[node.level].stamp) {
      return false;
    }
    count_steps(1);
    node.stamp = 0;
    return true;
  }
  // Long numbers take longer.
  static constexpr std::int64_t kBitsPerStep = 256;
  void count_steps(std::int64_t count) {
    if ((steps_ -= count) < 0) {
      fail(EvalProblem::TooLarge, "more steps of evaluation than allowed");
    }
  }
  void fresh(std::size_t at) { nodes_[at].stamp = levels_[nodes_[at].level].stamp; }

  const ExactNumber& integer(std::size_t at) {
    if (stale(at)) {
      nodes_[at].number = compute_integer(nodes_[at]);
      fresh(at);
    }
    return nodes_[at].number;
  }
  bool truth(std::size_t at) {
    if (stale(at)) {
      nodes_[at].truth = compute_truth(nodes_[at]);
      fresh(at);
    }
    return nodes_[at].truth;
  }
  const ExactNumber& scalar(std::size_t at) {
    if (stale(at)) {
      nodes_[at].number = compute_scalar(nodes_[at]);
      fresh(at);
      count_steps(nodes_[at].number.bits() / kBitsPerStep);
    }
    return nodes_[at].number;
  }

  ExactNumber variable(const Node& node) const {
    if (node.level != 0) {
      return ExactNumber(levels_[node.level].values[node.position]);
    }
    auto found = environment_.integers.find(node.term->symbol);
    if (found == environment_.integers.end()) {
      fail(EvalProblem::Unbound, fmt::format("`{}` has no value", node.term->symbol.name()));
    }
    return ExactNumber(found->second);
  }

  ExactNumber divided(const Node& node) {
    const ExactNumber& divisor = integer(node.args[1]);
    if (divisor.is_zero()) {
      fail(EvalProblem::DivisionByZero, fmt::format("division by zero in `{}`", shown(node.term)));
    }
    const ExactNumber& dividend = integer(node.args[0]);
    return node.term.kind() == TermKind::FloorDiv ? floor_div(dividend, divisor) : floor_mod(dividend, divisor);
  }

  ExactNumber from_data(const Node& node) {
    const ExactNumber& value = scalar(node.args[0]);
    if (!value.exact() || !value.is_integral()) {
      fail(EvalProblem::Undefined, fmt::format("`{}` is {}, no integer", shown(node.term), to_text(value)));
    }
    return value;
  }

  ExactNumber compute_integer(const Node& node) {
    switch (node.term.kind()) {
      case TermKind::IntConst: return node.term->value;
      case TermKind::IntVar: return variable(node);
      case TermKind::IntAdd:
      case TermKind::IntMul: {
        bool adds = node.term.kind() == TermKind::IntAdd;
        ExactNumber value(std::int64_t{adds ? 0 : 1});
        for (std::size_t arg : node.args) {
          value = *(adds ? add(value, integer(arg), 0) : multiply(value, integer(arg), 0));
        }
        return value;
      }
      case TermKind::FloorDiv:
      case TermKind::FloorMod: return divided(node);
      case TermKind::IntMin: return least(integer(node.args[0]), integer(node.args[1]));
      case TermKind::IntMax: return greatest(integer(node.args[0]), integer(node.args[1]));
      case TermKind::IntSelect: return integer(node.args[truth(node.args[0]) ? 1 : 2]);
      case TermKind::IntOf: return from_data(node);
      default: fault("an integer term is expected");
    }
  }

  bool decided(std::optional<bool> answer, const Node& node) {
    if (!answer) {
      fail(EvalProblem::Undecided, fmt::format("`{}` is not decided at {} bits: {} against {}", shown(node.term),
                                               environment_.bits, to_text(scalar(node.args[0])), to_text(scalar(node.args[1]))));
    }
    return *answer;
  }

  bool junction(const Node& node, bool until) {
    for (std::size_t arg : node.args) {
      if (truth(arg) == until) {
        return until;
      }
    }
    return !until;
  }

  bool compute_truth(const Node& node) {
    switch (node.term.kind()) {
      case TermKind::BoolConst: return node.term->value != 0;
      case TermKind::IntLe: return *less_equal(integer(node.args[0]), integer(node.args[1]));
      case TermKind::IntEq: return *equal(integer(node.args[0]), integer(node.args[1]));
      case TermKind::RealLt: return decided(less(scalar(node.args[0]), scalar(node.args[1])), node);
      case TermKind::RealLe: return decided(less_equal(scalar(node.args[0]), scalar(node.args[1])), node);
      case TermKind::RealEq:
        return node.args[0] == node.args[1] || decided(equal(scalar(node.args[0]), scalar(node.args[1])), node);
      case TermKind::And: return junction(node, false);
      case TermKind::Or: return junction(node, true);
      case TermKind::Not: return !truth(node.args[0]);
      default: fault("a guard is expected");
    }
  }

  ExactNumber defined(std::optional<ExactNumber> value, const Node& node) {
    if (!value) {
      fail(EvalProblem::Undefined, fmt::format("`{}` has no value", shown(node.term)));
    }
    return std::move(*value);
  }

  ExactNumber scalar_variable(const Node& node) const {
    auto found = environment_.scalars.find(node.term->symbol);
    if (found == environment_.scalars.end()) {
      fail(EvalProblem::Unbound, fmt::format("`{}` has no value", node.term->symbol.name()));
    }
    return found->second;
  }

  ExactNumber element(const Node& node) {
    // An index may be an element itself: those in `indices_` are of reads under way.
    std::size_t first = indices_.size();
    bool words = true;
    for (std::size_t arg : node.args) {
      auto index = integer(arg).word();
      words = words && index;
      indices_.push_back(index.value_or(0));
    }
    bool readable = words && environment_.read;
    auto value = readable ? environment_.read(node.term->symbol, std::span(indices_).subspan(first)) : std::nullopt;
    indices_.resize(first);
    if (!value) {
      std::string at;
      for (std::size_t arg : node.args) {
        at += (at.empty() ? "" : ", ") + to_text(integer(arg));
      }
      fail(EvalProblem::OutOfRange, fmt::format("`{}` has no element [{}]", node.term->symbol.name(), at));
    }
    return std::move(*value);
  }

  ExactNumber quotient(const Node& node) {
    const ExactNumber& divisor = scalar(node.args[1]);
    if (divisor.is_zero()) {
      fail(EvalProblem::DivisionByZero, fmt::format("division by zero in `{}`", shown(node.term)));
    }
    if (divisor.contains_zero()) {
      fail(EvalProblem::Undecided, fmt::format("the divisor of `{}` may be zero", shown(node.term)));
    }
    return defined(divide(scalar(node.args[0]), divisor, environment_.bits), node);
  }

  ExactNumber function(const Node& node) {
    Fn fn = node.term->fn;
    if (fn == Fn::Min || fn == Fn::Max) {
      const ExactNumber& a = scalar(node.args[0]);
      const ExactNumber& b = scalar(node.args[1]);
      return fn == Fn::Min ? least(a, b) : greatest(a, b);
    }
    std::vector<Enclosure> args;
    for (std::size_t arg : node.args) {
      args.push_back(scalar(arg).enclosure());
    }
    bool divides = fn == Fn::Mod || fn == Fn::Fmod || fn == Fn::TruncDiv;
    if (divides && args[1].exact() && args[1].low == 0) {
      fail(EvalProblem::DivisionByZero, fmt::format("division by zero in `{}`", shown(node.term)));
    }
    auto value = eval_fn(fn, args, environment_.bits);
    bool exact = std::all_of(args.begin(), args.end(), [](const Enclosure& a) { return a.exact() || a.infinite != 0; });
    if (!value && !exact) {
      fail(EvalProblem::Undecided, fmt::format("`{}` is not decided at {} bits", shown(node.term), environment_.bits));
    }
    bool grows = fn == Fn::Exp || fn == Fn::Sinh || fn == Fn::Cosh || fn == Fn::Pow;
    if (!value && grows && (abs(args[0].low) > kLargestGrowing || (args.size() > 1 && abs(args[1].low) > kLargestGrowing))) {
      fail(EvalProblem::TooLarge, fmt::format("`{}` is too large to write down", shown(node.term)));
    }
    return defined(std::optional<ExactNumber>(std::move(value)), node);
  }

  ExactNumber compute_scalar(const Node& node) {
    int bits = environment_.bits;
    auto arg = [&](std::size_t i) -> const ExactNumber& { return scalar(node.args[i]); };
    switch (node.term.kind()) {
      case TermKind::RealConst: return node.term->value;
      case TermKind::RealVar: return scalar_variable(node);
      case TermKind::RealOf: return integer(node.args[0]);
      case TermKind::Read: return element(node);
      case TermKind::RealAdd: return defined(add(arg(0), arg(1), bits), node);
      case TermKind::RealSub: return defined(add(arg(0), negate(arg(1)), bits), node);
      case TermKind::RealMul: return defined(multiply(arg(0), arg(1), bits), node);
      case TermKind::RealDiv: return quotient(node);
      case TermKind::RealNeg: return negate(arg(0));
      case TermKind::Call: return function(node);
      case TermKind::Select: return scalar(node.args[truth(node.args[0]) ? 1 : 2]);
      case TermKind::Reduce: return reduction(node);
      default: fault("a scalar term is expected");
    }
  }

  static ExactNumber neutral(Reduction reduction) {
    switch (reduction) {
      case Reduction::Sum: return ExactNumber(std::int64_t{0});
      case Reduction::Product: return ExactNumber(std::int64_t{1});
      case Reduction::Max: return ExactNumber::infinity(-1);
      case Reduction::Min: return ExactNumber::infinity(1);
    }
    return {};
  }

  ExactNumber combined(const ExactNumber& so_far, const ExactNumber& next, const Node& node) {
    switch (node.term->reduction) {
      case Reduction::Sum: return defined(add(so_far, next, environment_.bits), node);
      case Reduction::Product: return defined(multiply(so_far, next, environment_.bits), node);
      case Reduction::Max: return greatest(so_far, next);
      case Reduction::Min: return least(so_far, next);
    }
    return so_far;
  }

  ExactNumber reduction(const Node& node) {
    std::vector<std::int64_t> extents;
    for (std::size_t i = 2; i < node.args.size(); ++i) {
      extents.push_back(extent(node.args[i]));
      if (extents.back() <= 0) {
        return neutral(node.term->reduction);
      }
    }
    // A reduction that several scopes share may run while another one of its level is under way.
    Level under_way = levels_[node.inner];
    ExactNumber total = reduced(node, extents);
    levels_[node.inner] = std::move(under_way);
    return total;
  }

  // One beyond any word is beyond the steps as well.
  std::int64_t extent(std::size_t at) {
    const ExactNumber& value = integer(at);
    bool negative = *less(value, ExactNumber());
    return value.word().value_or(negative ? 0 : std::numeric_limits<std::int64_t>::max());
  }

  ExactNumber reduced(const Node& node, const std::vector<std::int64_t>& extents) {
    ExactNumber total = neutral(node.term->reduction);
    std::vector<std::int64_t> at(extents.size());
    for (bool more = true; more;) {
      for (std::size_t i = 0; i < at.size(); ++i) {
        levels_[node.inner].values[i] = at[i];
      }
      levels_[node.inner].stamp = ++clock_;
      count_steps(1);
      if (truth(node.args[1])) {
        total = combined(total, scalar(node.args[0]), node);
      }
      more = false;
      for (std::size_t i = at.size(); i-- > 0 && !more;) {
        more = ++at[i] < extents[i];
        at[i] = more ? at[i] : 0;
      }
    }
    return total;
  }

  const EvalEnvironment& environment_;
  std::vector<Node> nodes_;
  std::vector<Level> levels_;
  std::vector<std::int64_t> indices_;
  std::uint64_t clock_ = 1;
  std::int64_t steps_;
  std::size_t root_ = 0;
};

template <class T, class F>
Evaluated<T> caught(F compute) {
  try {
    return Evaluated<T>(std::in_place_index<0>, compute());
  } catch (Failed& failed) {
    return std::move(failed.failure);
  }
}

}  // namespace

Evaluated<Integer> eval_int(Term term, const EvalEnvironment& environment) {
  ensure(term.sort() == Sort::Int, "an integer term is expected");
  return caught<Integer>([&] { return Machine(term, {}, environment).root_integer(); });
}

Evaluated<bool> eval_guard(Term guard, const EvalEnvironment& environment) {
  ensure(guard.sort() == Sort::Bool, "a guard is expected");
  return caught<bool>([&] { return Machine(guard, {}, environment).root_truth(); });
}

Evaluated<Enclosure> eval_scalar(Term term, const EvalEnvironment& environment) {
  ensure(term.sort() == Sort::Real, "a scalar term is expected");
  return caught<Enclosure>([&] { return Machine(term, {}, environment).root_scalar().enclosure(); });
}

class PointEvaluator::Program : public Machine {
  using Machine::Machine;
};

PointEvaluator::PointEvaluator(Term term, std::span<const Symbol> indices, const EvalEnvironment& environment)
    : program_(std::make_unique<Program>(term, indices, environment)) {
  ensure(term.sort() == Sort::Real, "a scalar term is expected");
}

PointEvaluator::~PointEvaluator() = default;

Evaluated<ExactNumber> PointEvaluator::at(std::span<const std::int64_t> point) {
  return caught<ExactNumber>([&] {
    program_->move_to(point);
    return program_->root_scalar();
  });
}

Told tell_apart(const ScalarAtBits& a, const ScalarAtBits& b, int max_bits) {
  for (int bits = 64; bits <= max_bits; bits *= 2) {
    Evaluated<Enclosure> left = a(bits);
    Evaluated<Enclosure> right = b(bits);
    bool retry = false;
    for (const Evaluated<Enclosure>* side : {&left, &right}) {
      if (const auto* failure = std::get_if<EvalFailure>(side)) {
        if (failure->problem != EvalProblem::Undecided) {
          return Told::Unknown;
        }
        retry = true;
      }
    }
    if (retry) {
      continue;
    }
    if (auto same = equal(std::get<Enclosure>(left), std::get<Enclosure>(right))) {
      return *same ? Told::Equal : Told::Different;
    }
  }
  return Told::Unknown;
}

}  // namespace vouch
