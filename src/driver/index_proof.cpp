#include "driver/index_proof.h"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/equality.h"
#include "driver/index_points.h"
#include "facts/arithmetic.h"
#include "notation/tk_bounds.h"
#include "notation/tk_meaning.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

bool mentions_data(Term term) {
  return !tensors_read(term).empty() || term.kind() == TermKind::RealLt || term.kind() == TermKind::RealLe ||
         term.kind() == TermKind::RealEq;
}

// The conjuncts that speak of indices alone; leaving others out makes less provable.
void add_facts(Term guard, Facts& facts) {
  if (guard.kind() == TermKind::And) {
    for (Term part : guard.args()) {
      add_facts(part, facts);
    }
  } else if (!mentions_data(guard) && !is_true(guard)) {
    facts.push_back(without_remainders(guard));
  }
}

void add_loops(const std::vector<TkLoop>& loops, Facts& facts) {
  for (const TkLoop& loop : loops) {
    add_facts(loop_bounds(loop), facts);
  }
}

void add_box(const std::vector<Symbol>& names, const std::vector<Term>& shape, Facts& facts) {
  for (std::size_t a = 0; a < names.size(); ++a) {
    add_facts(in_range(int_var(names[a]), shape[a]), facts);
  }
}

Facts facts_of(const SizeFacts& sizes) {
  Facts facts;
  for (Symbol name : sizes.names) {
    add_facts(ge(int_var(name), Term(1)), facts);
  }
  for (Term condition : sizes.conditions) {
    add_facts(ge(condition, Term(0)), facts);
  }
  return facts;
}

bool entails(Arithmetic& arithmetic, const Facts& facts, Term goal) {
  if (goal.kind() == TermKind::And) {
    return std::all_of(goal.args().begin(), goal.args().end(), [&](Term part) { return entails(arithmetic, facts, part); });
  }
  return is_true(goal) || arithmetic.entails(facts, without_remainders(goal));
}

class Reads {
 public:
  Reads(const TkKernel& kernel, const TkStatement& statement, Box box, Diagnostics& diagnostics)
      : kernel_(kernel), statement_(statement), box_(std::move(box)), diagnostics_(diagnostics), arithmetic_({}) {}

  void visit(Term term, const Facts& facts) {
    if (term.kind() == TermKind::Read) {
      inside(term, facts);
    }
    if (term.kind() == TermKind::Select) {
      visit(term.arg(0), facts);
      for (std::size_t k : {1, 2}) {
        Facts more = facts;
        add_facts(k == 1 ? term.arg(0) : opposite(term.arg(0)), more);
        visit(term.arg(k), more);
      }
      return;
    }
    for (Term part : term.args()) {
      visit(part, facts);
    }
  }

 private:
  void inside(Term at, const Facts& facts) {
    const TkTensor& tensor = kernel_.tensor(at->symbol);
    for (std::size_t a = 0; a < tensor.shape.size(); ++a) {
      if (at.arg(a).kind() == TermKind::IntOf) {
        continue;  // asked when it is read: element_at of notation/tk_meaning.h
      }
      Term good = in_range(at.arg(a), tensor.shape[a]);
      if (!decided(good, box_).value_or(false) && !entails(arithmetic_, facts, good) &&
          !holds_at_every_point(facts, good, box_)) {
        diagnostics_.error_at(statement_.text.empty() ? tensor.written.name() : statement_.text,
                              fmt::format("the conditions around '{}' do not keep subscript '{}' within axis {} of extent {}",
                                          print_term(at), print_term(at.arg(a)), a, print_term(tensor.shape[a])));
        return;
      }
    }
  }

  const TkKernel& kernel_;
  const TkStatement& statement_;
  Box box_;
  Diagnostics& diagnostics_;
  Arithmetic arithmetic_;
};

class Bijection {
 public:
  explicit Bijection(const OccurrenceChange& occurrence) : change_(occurrence.change), occurrence_(occurrence), arithmetic_({}) {
    // The iteration's variables may have the names of z.
    for (Symbol name : change_.variables) {
      own_[name] = int_var("x$" + name.name());
    }
    iteration_ = facts_of(occurrence.sizes);
    add_loops_of_iteration();
    add_facts(substitute(change_.guard, own_), iteration_);
  }

  // What is not proven; empty if all is.
  std::string open() {
    if (!occurrence_.changed) {
      bool reads_nothing = arithmetic_.contradicts(iteration_);
      return reads_nothing || is_false(change_.guard) ? "" : "that no iteration reads it";
    }
    const ChangedIndices& changed = *occurrence_.changed;
    return !forwards(changed) ? "that every point is an iteration" : !backwards(changed) ? "that every iteration is a point" : "";
  }

 private:
  void add_loops_of_iteration() {
    for (const TkLoop& loop : change_.domain) {
      add_facts(substitute(loop_bounds(loop), own_), iteration_);
    }
  }

  // From a point (z, t) within loops and guard: the solution is an iteration that reads z, and gives back t.
  bool forwards(const ChangedIndices& changed) {
    Facts facts = facts_of(occurrence_.sizes);
    add_box(occurrence_.z, occurrence_.shape, facts);
    add_loops(changed.loops, facts);
    add_facts(changed.guard, facts);
    Substitution solution(changed.solution.begin(), changed.solution.end());
    bool good = true;
    for (const TkLoop& loop : change_.domain) {
      good = good && entails(arithmetic_, facts, substitute(loop_bounds(loop), solution));
    }
    good = good && entails_guard(facts, substitute(change_.guard, solution), changed.guard);
    for (std::size_t a = 0; good && a < occurrence_.z.size(); ++a) {
      good = entails(arithmetic_, facts, eq(substitute(change_.subscripts[a], solution), int_var(occurrence_.z[a])));
    }
    for (std::size_t k = 0; good && k < changed.loops.size(); ++k) {
      good = entails(arithmetic_, facts, eq(substitute(changed.inverse[k], solution), int_var(changed.loops[k].name)));
    }
    return good;
  }

  // From an iteration: its element z, and t by the inverse, lie within loops and guard, and the solution gives it back.
  bool backwards(const ChangedIndices& changed) {
    Substitution point;
    for (std::size_t a = 0; a < occurrence_.z.size(); ++a) {
      point[occurrence_.z[a]] = substitute(change_.subscripts[a], own_);
    }
    for (std::size_t k = 0; k < changed.loops.size(); ++k) {
      point[changed.loops[k].name] = substitute(changed.inverse[k], own_);
    }
    bool good = true;
    for (std::size_t a = 0; a < occurrence_.z.size(); ++a) {
      good = good && entails(arithmetic_, iteration_, in_range(point[occurrence_.z[a]], occurrence_.shape[a]));
    }
    for (const TkLoop& loop : changed.loops) {
      good = good && entails(arithmetic_, iteration_, substitute(loop_bounds(loop), point));
    }
    good = good && entails_guard(iteration_, substitute(changed.guard, point), substitute(change_.guard, own_));
    for (Symbol name : change_.variables) {
      good = good && entails(arithmetic_, iteration_, eq(substitute(changed.solution.at(name), point), own_.at(name)));
    }
    return good;
  }

  // Conditions on data must be the same on both sides, after the substitution.
  bool entails_guard(const Facts& facts, Term goal, Term given) {
    std::vector<Term> parts;
    if (goal.kind() == TermKind::And) {
      parts.assign(goal.args().begin(), goal.args().end());
    } else {
      parts.push_back(goal);
    }
    return std::all_of(parts.begin(), parts.end(), [&](Term part) {
      return mentions_data(part) ? has_part(given, part) : entails(arithmetic_, facts, part);
    });
  }

  static bool has_part(Term given, Term part) {
    return given == part ||
           (given.kind() == TermKind::And && std::find(given.args().begin(), given.args().end(), part) != given.args().end());
  }

  const IndexChange& change_;
  const OccurrenceChange& occurrence_;
  Arithmetic arithmetic_;
  Substitution own_;
  Facts iteration_;
};

}  // namespace

bool prove_sizes(const TkKernel& kernel, Diagnostics& diagnostics) {
  Arithmetic arithmetic({});
  if (kernel.sizes.conditions.empty() || !arithmetic.contradicts(facts_of(kernel.sizes))) {
    return true;
  }
  SizeFacts until{kernel.sizes.names, {}};
  std::size_t k = 0;
  do {
    until.conditions.push_back(kernel.sizes.conditions[k++]);
  } while (k < kernel.sizes.conditions.size() && !arithmetic.contradicts(facts_of(until)));
  std::string known;
  for (Term condition : until.conditions) {
    known += fmt::format("{}{} >= 0", known.empty() ? "" : ", ", print_term(condition));
  }
  TkPlace place = k <= kernel.condition_places.size() ? kernel.condition_places[k - 1] : TkPlace{};
  diagnostics.error(place.source, place.span, fmt::format("no sizes satisfy all conditions: {}", known));
  return false;
}

void prove_reads(const TkKernel& kernel, Diagnostics& diagnostics) {
  for (const TkStatement& statement : kernel.statements) {
    for (const TkSummand& summand : statement.summands) {
      Facts facts = facts_of(kernel.sizes);
      add_box(statement.indices, kernel.tensor(statement.target).shape, facts);
      add_loops(summand.loops, facts);
      add_facts(summand.guard, facts);
      Reads(kernel, statement, summand_box(kernel, statement, summand), diagnostics).visit(summand.body, facts);
    }
  }
}

BijectionProof prove_index_changes(const std::vector<OccurrenceChange>& changes) {
  BijectionProof out;
  for (const OccurrenceChange& change : changes) {
    ++out.changes;
    std::string open = Bijection(change).open();
    if (open.empty()) {
      ++out.proven;
    } else {
      out.open.push_back(fmt::format("of '{}': {}", print_term(change.read), open));
    }
  }
  return out;
}

bool prove_equal(const TkKernel& a, const TkKernel& b, std::string& remainder) {
  bool alike =
      a.outputs.size() == b.outputs.size() && a.statements.size() == a.outputs.size() && b.statements.size() == b.outputs.size();
  if (!alike) {
    remainder = "kernels with locals, or with different outputs, are not compared";
    return false;
  }
  Arithmetic arithmetic({});
  for (std::size_t o = 0; o < a.outputs.size(); ++o) {
    auto defining = [&](const TkKernel& kernel) {
      return *std::find_if(kernel.statements.begin(), kernel.statements.end(),
                           [&](const TkStatement& s) { return s.target == kernel.outputs[o]; });
    };
    TkStatement left = defining(a);
    TkStatement right = defining(b);
    if (a.tensor(left.target).shape != b.tensor(right.target).shape) {
      remainder = "outputs of different shapes";
      return false;
    }
    Substitution own_left;
    Substitution own_right;
    std::vector<Symbol> names;
    for (std::size_t axis = 0; axis < left.indices.size(); ++axis) {
      names.emplace_back(fmt::format("out{}", axis));
      own_left[left.indices[axis]] = int_var(names.back());
      own_right[right.indices[axis]] = int_var(names.back());
    }
    FormBuilder forms(Algebra::Real, {});
    Equality equality(forms, arithmetic);
    Context context;
    context.facts = facts_of(a.sizes);
    add_box(names, a.tensor(left.target).shape, context.facts);
    bool equal = equality.equal(forms.of(substitute(statement_value(a, left), own_left)),
                                forms.of(substitute(statement_value(b, right), own_right)), context);
    if (!equal || !forms.cancelled().empty()) {
      remainder = equality.remainder();
      return false;
    }
  }
  return true;
}

}  // namespace vouch
