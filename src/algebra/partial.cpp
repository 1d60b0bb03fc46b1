#include "algebra/partial.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "facts/index_terms.h"
#include "term/comparison.h"
#include "term/partial_function.h"
#include "term/print.h"
#include "term/uninterpreted.h"

namespace vouch {

namespace {

constexpr std::string_view kPosition = "element of ";

// The scalars that have a value wherever this one does. (The power of NaN to 0 is 1; of what a reduction is there may be none.)
void add_needed(Term scalar, std::unordered_set<Term>& out) {
  if (!out.insert(scalar).second || scalar.kind() == TermKind::Reduce) {
    return;
  }
  if (scalar.kind() == TermKind::Select) {
    std::unordered_set<Term> both[2];
    add_needed(scalar.arg(1), both[0]);
    add_needed(scalar.arg(2), both[1]);
    std::copy_if(both[0].begin(), both[0].end(), std::inserter(out, out.end()), [&](Term one) { return both[1].contains(one); });
  } else if (scalar.kind() != TermKind::Call || (scalar->fn != Fn::Pow && !uninterpreted_number(scalar->fn))) {
    for (Term arg : scalar.args()) {
      if (arg.sort() == Sort::Real) {
        add_needed(arg, out);
      }
    }
  }
}

}  // namespace

bool is_told_by_data(Term index, const Families& families) {
  const std::vector<Term> atoms = deep_atoms(index);
  return std::any_of(atoms.begin(), atoms.end(),
                     [&](Term atom) { return atom.kind() == TermKind::IntOf && !families.has(atom); });
}

bool is_position(std::string_view name) { return name.starts_with(kPosition); }

PartialUses::PartialUses(FormBuilder& forms, const Families& families, Term scalar, Fate fate)
    : forms_(forms), families_(families), fate_(fate) {
  visit(scalar, {}, {});
}

PartialUses PartialUses::that_fail(FormBuilder& forms, const Families& families) { return {forms, families, true}; }

void PartialUses::add(const std::vector<Symbol>& indices, const std::vector<Term>& extents, Term scalar) {
  Substitution rename;
  std::vector<Symbol> bound;
  std::vector<Literal> box;
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    bound.push_back(forms_.fresh(indices[axis]));
    Term index = int_var(bound.back());
    rename.emplace(indices[axis], index);
    box.push_back({le(0, index), nullptr, 0});
    box.push_back({lt(index, without_remainders(extents[axis])), nullptr, 0});
  }
  visit(substitute(scalar, rename), bound, box);
}

const std::vector<Equality::Piece>& PartialUses::of(const std::string& name) const {
  static const std::vector<Equality::Piece> kNothing;
  auto found = pieces_.find(name);
  return found == pieces_.end() ? kNothing : found->second;
}

void PartialUses::add(const std::string& name, Term arg, const std::vector<Symbol>& bound, const std::vector<Literal>& guards) {
  if (arg.kind() == TermKind::RealConst && arg->value > 0) {
    return;
  }
  if (is_asked_for()) {
    pieces_[name].push_back({bound, guards, forms_.of(arg)});
  }
}

std::optional<Term> power_by_roots(Term power) {
  constexpr int kMost = 16;
  const bool constant = power.kind() == TermKind::Call && power->fn == Fn::Pow && power.arg(1).kind() == TermKind::RealConst;
  const Rational halves = constant ? power.arg(1)->value * 2 : Rational(0);
  const bool whole = is_integral(halves / 2);
  const Rational times = abs(whole ? Rational(halves / 2) : halves);
  if (halves == 0 || !is_integral(halves) || times > kMost || is_whole_power(power)) {
    return std::nullopt;
  }
  Term base = whole ? power.arg(0) : call(Fn::Sqrt, {power.arg(0)});
  Term magnitude = times == 1 ? base : call(Fn::Pow, {base, real_const(times)});
  return halves < 0 ? real_const(1) / magnitude : magnitude;
}

void PartialUses::visit(Term term, const std::vector<Symbol>& bound, const std::vector<Literal>& guards) {
  if (compared_ && kept_.contains(term)) {
    compared_ = false;
    visit(term, bound, guards);
    compared_ = true;
    return;
  }
  switch (term.kind()) {
    case TermKind::Reduce: return visit_reduce(term, bound, guards);
    case TermKind::Select:
      visit_condition(term, bound, guards);
      for (bool wanted : {true, false}) {
        for (const std::vector<Literal>& taken : forms_.split(term.arg(0), wanted)) {
          std::vector<Literal> inner = guards;
          inner.insert(inner.end(), taken.begin(), taken.end());
          visit(term.arg(wanted ? 1 : 2), bound, inner);
        }
      }
      break;
    case TermKind::RealDiv:
      if (!failing_) {
        add("division", term.arg(1), bound, guards);
      }
      break;
    case TermKind::Read: add_element(term, bound, guards); break;
    case TermKind::Call:
      if (failing_) {
        if (auto divisor = integer_divisor_of(term)) {
          add("division", *divisor, bound, guards);
        }
        break;
      }
      if (auto root = power_by_roots(term)) {
        return visit(*root, bound, guards);
      }
      visit_function(term, bound, guards);
      break;
    default: break;
  }
  if (term.kind() == TermKind::Select) {
    return;
  }
  for (Term arg : term.args()) {
    visit_scalars_of(arg, bound, guards);
  }
}

// Where both choices are one, nothing of the condition reaches the result.
void PartialUses::visit_condition(Term choice, const std::vector<Symbol>& bound, const std::vector<Literal>& guards) {
  std::unordered_set<Term> outside = kept_;
  if (fate_ != Fate::Any && !compared_) {
    std::unordered_set<Term> needed;
    add_needed(choice, needed);
    kept_.insert(needed.begin(), needed.end());
  }
  if (fate_ == Fate::Any || choice.arg(1) != choice.arg(2)) {
    visit_scalars_of(choice.arg(0), bound, guards);
  }
  kept_ = std::move(outside);
}

void PartialUses::visit_comparison(Term comparison, const std::vector<Symbol>& bound, const std::vector<Literal>& guards) {
  const bool outside = compared_;
  compared_ = true;
  for (Term arg : comparison.args()) {
    visit(arg, bound, guards);
  }
  compared_ = outside;
}

void PartialUses::visit_function(Term term, const std::vector<Symbol>& bound, const std::vector<Literal>& guards) {
  if (auto divisor = divisor_of(term)) {
    const std::vector<Symbol> read = tensors_read(term);
    const bool ends_the_run = std::all_of(read.begin(), read.end(), [&](Symbol tensor) { return forms_.is_of_integers(tensor); });
    if (fate_ != Fate::Any && integer_divisor_of(term) && ends_the_run) {
      return;
    }
    add("division", *divisor, bound, guards);
  } else if (is_partial(term->fn)) {
    add(std::string(fn_name(term->fn)), term.arg(0), bound, guards);
  } else if (term->fn == Fn::Pow && !is_whole_power(term) && is_asked_for()) {
    // Base and exponent together.
    pieces_["power"].push_back({bound, guards, forms_.function("power", {forms_.of(term.arg(0)), forms_.of(term.arg(1))})});
  }
}

// The scalars in a guard or an integer term, which are computed whatever it decides.
void PartialUses::visit_scalars_of(Term term, const std::vector<Symbol>& bound, const std::vector<Literal>& guards) {
  if (term.sort() == Sort::Real) {
    return visit(term, bound, guards);
  }
  if (compares_scalars(term)) {
    return visit_comparison(term, bound, guards);
  }
  for (Term arg : term.args()) {
    visit_scalars_of(arg, bound, guards);
  }
}

// An element whose position is data may lie outside, along each axis by itself: what sizes and indices alone determine is inside
// by the operators' conditions.
void PartialUses::add_element(Term read, const std::vector<Symbol>& bound, const std::vector<Literal>& guards) {
  if (fate_ != Fate::Any) {
    return;
  }
  for (std::size_t axis = 0; axis < read.args().size(); ++axis) {
    if (is_told_by_data(read.args()[axis], families_)) {
      std::string name = fmt::format("{}{} along axis {}", kPosition, read->symbol.name(), axis);
      NormalForm at = forms_.integer(without_remainders(read.args()[axis]));
      pieces_[name].push_back({bound, guards, forms_.function(name, {std::move(at)})});
    }
  }
}

void PartialUses::visit_reduce(Term term, const std::vector<Symbol>& bound, const std::vector<Literal>& guards) {
  Substitution rename;
  std::vector<Symbol> inner = bound;
  std::vector<Literal> box = guards;
  for (std::size_t k = 0; k < term->bound.size(); ++k) {
    inner.push_back(forms_.fresh(term->bound[k]));
    Term index = int_var(inner.back());
    rename.emplace(term->bound[k], index);
    for (Term fact : {le(0, index), lt(index, without_remainders(term.arg(k + 2)))}) {
      box.push_back({fact, nullptr, 0});
    }
  }
  for (const std::vector<Literal>& taken : forms_.split(substitute(term.arg(1), rename), true)) {
    std::vector<Literal> all = box;
    all.insert(all.end(), taken.begin(), taken.end());
    visit(substitute(term.arg(0), rename), inner, all);
  }
  visit_scalars_of(substitute(term.arg(1), rename), inner, box);
}

bool has_some_that_fail(Term scalar) {
  if (is_const(scalar)) {
    return false;
  }
  thread_local std::unordered_map<Term, bool> known;  // calls of many instances have parts in common
  if (auto found = known.find(scalar); found != known.end()) {
    return found->second;
  }
  bool out = scalar.kind() == TermKind::IntOf || integer_divisor_of(scalar) ||
             std::any_of(scalar.args().begin(), scalar.args().end(), has_some_that_fail);
  known.emplace(scalar, out);
  return out;
}

}  // namespace vouch
