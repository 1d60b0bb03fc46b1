#include "notation/tk_meaning.h"

#include <algorithm>

#include "notation/tk_bounds.h"
#include "term/substitute.h"

namespace vouch {

namespace {

constexpr std::int64_t kLargestCoefficient = std::int64_t{1} << 31;

// `x` is at least (or below) a bound, whose maxima (or minima) are told apart.
Term within(Term bound, Term x, TermKind extremum) {
  if (bound.kind() == extremum) {
    return both(within(bound.arg(0), x, extremum), within(bound.arg(1), x, extremum));
  }
  return extremum == TermKind::IntMax ? le(bound, x) : lt(x, bound);
}

// Without the parts that hold everywhere in the box.
Term simplified_in(Term guard, const Box& box) {
  if (guard.kind() != TermKind::And) {
    return decided(guard, box).value_or(false) ? bool_const(true) : guard;
  }
  Term out = bool_const(true);
  for (Term part : guard.args()) {
    out = both(out, simplified_in(part, box));
  }
  return out;
}

}  // namespace

Term opposite(Term guard) {
  bool conjunction = guard.kind() == TermKind::And;
  if (!conjunction && guard.kind() != TermKind::Or) {
    return negate(guard);
  }
  std::vector<Term> parts;
  for (Term part : guard.args()) {
    parts.push_back(opposite(part));
  }
  return conjunction ? any_of(parts) : all_of(parts);
}

Term element_at(Symbol tensor, const std::vector<Term>& at, const std::vector<Term>& shape) {
  Term out = read(tensor, at);
  for (std::size_t a = 0; a < at.size(); ++a) {
    if (at[a].kind() == TermKind::IntOf) {
      Term position = at[a].arg(0);
      Term extent = is_const(shape[a]) ? real_const(shape[a]->value) : real_of(shape[a]);
      out = select(both(real_le(real_const(0), position), real_lt(position, extent)), out, real_const(0));
    }
  }
  return out;
}

std::optional<Term> gathered_read(const TkKernel& kernel, Term value) {
  if (value.kind() != TermKind::Select || value.arg(1).kind() != TermKind::Read) {
    return std::nullopt;
  }
  Term element = value.arg(1);
  std::vector<Term> at(element.args().begin(), element.args().end());
  auto by_data = std::count_if(at.begin(), at.end(), [](Term t) { return t.kind() == TermKind::IntOf; });
  bool same = by_data == 1 && element_at(element->symbol, at, kernel.tensor(element->symbol).shape) == value;
  return same ? std::optional(element) : std::nullopt;
}

bool is_linear(Term subscript) { return why_not_linear(subscript).empty(); }

std::string_view why_not_linear(Term subscript) {
  constexpr std::string_view kNot = "is not linear";
  for (const Monomial& monomial : monomials(subscript)) {
    if (monomial.atoms.size() > 1) {
      return kNot;
    }
    if (abs(monomial.coefficient) > kLargestCoefficient) {
      return "has a number beyond 2^31";
    }
    for (Term atom : monomial.atoms) {
      bool division = atom.kind() == TermKind::FloorDiv || atom.kind() == TermKind::FloorMod;
      auto by = division ? const_int(atom.arg(1)) : std::nullopt;
      std::string_view why = atom.kind() == TermKind::IntVar ? "" : by && *by > 0 ? why_not_linear(atom.arg(0)) : kNot;
      if (!why.empty()) {
        return why;
      }
    }
  }
  return {};
}

Term loop_bounds(const TkLoop& loop) {
  Term x = int_var(loop.name);
  return both(within(loop.begin, x, TermKind::IntMax), within(loop.end, x, TermKind::IntMin));
}

BoxedSummand boxed(const TkKernel& kernel, const TkStatement& statement, const TkSummand& summand) {
  Box box = statement_box(kernel, statement);
  Box framed = box;
  BoxedSummand out{{}, summand.guard, {}, {}};
  Substitution shifted;
  for (const TkLoop& loop : summand.loops) {
    LoopFrame frame = shortest_frame(loop, box);
    Term begin = substitute(frame.begin, shifted);
    box[loop.name] = loop_range(loop, box);
    framed[loop.name] = {Term(0), frame.count - Term(1)};
    out.loops.push_back({loop.name, frame.count});
    out.begins.push_back(frame.begin);
    if (begin != Term(0)) {
      shifted[loop.name] = begin + int_var(loop.name);
    }
    if (!is_const(loop.begin) || !is_const(loop.end)) {
      out.guard = both(loop_bounds(loop), out.guard);
    }
  }
  out.guard = simplified_in(substitute(out.guard, shifted), framed);
  out.body = substitute(summand.body, shifted);
  return out;
}

Term statement_value(const TkKernel& kernel, const TkStatement& statement) {
  Term value;
  for (const TkSummand& summand : statement.summands) {
    BoxedSummand part = boxed(kernel, statement, summand);
    Term term = part.loops.empty() ? select(part.guard, part.body, real_const(0))
                                   : reduce(Reduction::Sum, part.loops, part.guard, part.body);
    value = value ? value + term : term;
  }
  return value ? value : real_const(0);
}

Kernel as_kernel(const TkKernel& kernel) {
  auto declared = [&](Symbol name) {
    TensorDecl out{name, kernel.stored_type(name), {}};
    out.extents = kernel.tensor(name).shape;
    return out;
  };
  Kernel out;
  out.name = kernel.name;
  for (Symbol input : kernel.inputs) {
    out.inputs.push_back(declared(input));
  }
  for (const TkStatement& statement : kernel.statements) {
    bool output = std::find(kernel.outputs.begin(), kernel.outputs.end(), statement.target) != kernel.outputs.end();
    if (!output) {
      out.locals.push_back(declared(statement.target));
    }
    out.statements.push_back({statement.target, statement.indices, statement_value(kernel, statement)});
  }
  for (Symbol output : kernel.outputs) {
    out.outputs.push_back(declared(output));
  }
  return out;
}

}  // namespace vouch
