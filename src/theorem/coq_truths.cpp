// Truth values by cases: what is chosen by them, and compared with 0 and 1, whatever else scalars are.
#include <fmt/format.h>

#include <algorithm>

#include "term/substitute.h"
#include "theorem/coq_proof.h"

namespace vouch {
namespace {

bool is_zero_or_one(Term term) { return term.kind() == TermKind::RealConst && (term->value == 0 || term->value == 1); }

constexpr std::size_t kMostAtoms = 6;

}  // namespace

const std::string& CoqProof::TruthCase::known_as(const std::string& text) const {
  auto found = aliases.find(text);
  return found == aliases.end() ? text : found->second;
}

// What is not decided by others, by its text: a truth value that is read, a comparison.
bool CoqProof::TruthCase::decided(const std::string& given) {
  const std::string& text = known_as(given);
  auto at = std::find(atoms.begin(), atoms.end(), text);
  std::size_t place = static_cast<std::size_t>(at - atoms.begin());
  if (at == atoms.end()) {
    atoms.push_back(text);
  }
  return ((holds >> place) & 1U) != 0;
}

std::string CoqProof::element_text(const CoqSide& read) {
  bool truth = printer_.is_truth(read.term->symbol);
  return truth ? printer_.truth(read.term, environment(read.by)) : scalar(read) + "%R";
}

// Elements that are written in more than one way get one name.
void CoqProof::name_elements(TruthCase& at, const CoqSide& side, std::vector<CoqSide>& known, const Facts& facts) {
  if (side.term.kind() != TermKind::Read) {
    if (side.term.kind() != TermKind::Reduce) {
      std::for_each(side.term.args().begin(), side.term.args().end(), [&](Term arg) {
        name_elements(at, {arg, side.by}, known, facts);
      });
    }
    return;
  }
  const std::string text = element_text(side);
  for (const CoqSide& one : known) {
    if (element_text(one) == text) {
      return;
    }
  }
  for (const CoqSide& one : known) {
    if (one.term->symbol != side.term->symbol || at.aliases.contains(text)) {
      continue;
    }
    bool same = true;
    for (std::size_t k = 0; same && k < side.term.args().size(); ++k) {
      same = facts_.equal(substitute(one.term.arg(k), one.by), substitute(side.term.arg(k), side.by), facts);
    }
    if (same) {
      std::string name = fresh("same");
      line(fmt::format("assert ({} : {} = {}) by same_read. use {}.", name, element_text(one), text, name));
      at.aliases.emplace(text, element_text(one));
      return;
    }
  }
  known.push_back(side);
}

bool CoqProof::guard_in(TruthCase& at, const CoqSide& g) {
  switch (g.term.kind()) {
    case TermKind::BoolConst: return is_true(g.term);
    case TermKind::Not: return !guard_in(at, {g.term.arg(0), g.by});
    case TermKind::And:
      return std::all_of(g.term.args().begin(), g.term.args().end(), [&](Term part) { return guard_in(at, {part, g.by}); });
    case TermKind::Or:
      return std::any_of(g.term.args().begin(), g.term.args().end(), [&](Term part) { return guard_in(at, {part, g.by}); });
    case TermKind::RealEq: {
      CoqSide x = value_in(at, {g.term.arg(0), g.by});
      CoqSide y = value_in(at, {g.term.arg(1), g.by});
      bool truths = is_zero_or_one(x.term) && is_zero_or_one(y.term);
      return truths ? x.term == y.term : at.decided(guard(g));
    }
    default: return at.decided(guard(g));
  }
}

// The branch that is taken, down to what is no choice.
CoqSide CoqProof::value_in(TruthCase& at, const CoqSide& side) {
  if (side.term.kind() == TermKind::Select) {
    return value_in(at, {side.term.arg(guard_in(at, {side.term.arg(0), side.by}) ? 1 : 2), side.by});
  }
  if (side.term.kind() == TermKind::Read && printer_.is_truth(side.term->symbol)) {
    return {real_const(at.decided(printer_.truth(side.term, environment(side.by))) ? 1 : 0), {}};
  }
  return side;
}

// Are both sides the same, whatever is true of what they are decided by?
bool CoqProof::by_truths(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  TruthCase at;
  std::vector<CoqSide> known;
  name_elements(at, a, known, facts);
  name_elements(at, b, known, facts);
  auto named_value = [&](const CoqSide& side) {
    CoqSide value = value_in(at, side);
    return at.known_as(value.term.kind() == TermKind::Read ? element_text(value) : scalar(value));
  };
  do {
    if (named_value(a) != named_value(b) || at.atoms.size() > kMostAtoms) {
      return false;
    }
    ++at.holds;
  } while (at.holds < (std::size_t{1} << at.atoms.size()));
  std::string one = scalar({real_const(1), {}});
  std::string zero = scalar({real_const(0), {}});
  laws_.emplace("the_truths_compare", fmt::format("truths_compare {} {} {}", printer_.operation(TermKind::RealEq), one, zero));
  line("truth_cases the_truths_compare.");
  return true;
}

}  // namespace vouch
