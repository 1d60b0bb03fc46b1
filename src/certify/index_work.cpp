#include "certify/index_work.h"

#include "certify/index_lowering.h"
#include "support/fault.h"

namespace vouch {

using array::size_const;

namespace {

// A size as an index; multiples are seen.
IndexTerm position_term(const array::Size& s) {
  if (s->kind == array::SizeKind::Const) {
    return term_constant(s->value);
  }
  bool multiple = s->kind == array::SizeKind::Mul && s->args[0]->kind == array::SizeKind::Const;
  IndexTerm size{IndexTermKind::Size, 0, 0, multiple ? s->args[1] : s, {}};
  return multiple ? term_scaled(s->args[0]->value, size) : size;
}

void append_variables(Standins& standins, std::size_t from, std::size_t count) {
  for (std::size_t k = from; k < from + count; ++k) {
    standins.push_back(term_variable(static_cast<unsigned>(k)));
  }
}

}  // namespace

const IndexSummand& Work::sum() const {
  ensure(has_sum(), "the plan cuts a sum");
  return summands[0];
}

Work work_at(const Standins& standins, Work w) {
  for (IndexSummand& s : w.summands) {
    s = replaced(standins, s);
  }
  w.end = replaced(standins, std::move(w.end));
  return w;
}

Work part_at(const Standins& standins, const Integer& n, IndexSummand s, IndexBody end) {
  s.loops.erase(s.loops.begin());
  s = replaced(standins, s);
  s.loops.insert(s.loops.begin(), size_const(n));
  return {false, {s}, std::move(end)};
}

Standins variables(std::size_t from, std::size_t count) {
  Standins out;
  append_variables(out, from, count);
  return out;
}

Standins moved(std::size_t n, std::size_t distance, std::size_t outer) {
  Standins out;
  std::size_t inside = n - 1 - distance;
  append_variables(out, 0, inside);
  append_variables(out, n - 1, 1);
  append_variables(out, inside, distance);
  append_variables(out, n, outer);
  return out;
}

Standins blocked(std::size_t n, std::size_t outer, const Integer& width) {
  Standins out = variables(0, n - 1);
  out.push_back(
      term_sum(term_scaled(width, term_variable(static_cast<unsigned>(n))), term_variable(static_cast<unsigned>(n - 1))));
  append_variables(out, n + 1, outer);
  return out;
}

Standins merged(std::size_t n, std::size_t outer, const Integer& width) {
  Standins out = variables(0, n - 2);
  IndexTerm both = term_variable(static_cast<unsigned>(n - 2));
  out.push_back({IndexTermKind::Mod, 0, width, {}, {both}});
  out.push_back({IndexTermKind::Div, 0, width, {}, {both}});
  append_variables(out, n - 1, outer);
  return out;
}

// Where the first of n axes begins elsewhere.
static Standins shifted(std::size_t n, std::size_t outer, const IndexTerm& by) {
  Standins out = variables(0, n - 1);
  out.push_back(term_sum(term_variable(static_cast<unsigned>(n - 1)), by));
  append_variables(out, n, outer);
  return out;
}

Standins after(std::size_t n, std::size_t outer, const array::Size& low) { return shifted(n, outer, position_term(low)); }

Standins before(std::size_t n, std::size_t outer, const Integer& width) { return shifted(n, outer, term_constant(-width)); }

Standins cut(std::size_t n, std::size_t outer, const Integer& width) {
  Standins out{term_sum(term_scaled(width, term_variable(static_cast<unsigned>(n + 1))), term_variable(0))};
  append_variables(out, 1, n);
  append_variables(out, n + 2, outer);
  return out;
}

Standins later(std::size_t variables, const Integer& low) {
  Standins out{term_sum(term_variable(0), term_constant(low))};
  append_variables(out, 1, variables);
  return out;
}

}  // namespace vouch
