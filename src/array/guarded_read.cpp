#include "array/guarded_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "support/fault.h"

namespace vouch::array {
namespace {

// Index variables by their levels, since a condition and a read below it may stand under different loops.
Term variable_at(std::size_t level) { return int_var(fmt::format("i{}", level)); }

// Where typing finds the index safe, naturals and integers agree.
Term index_term(const Index& index, std::size_t bound) {
  if (index->kind == IndexKind::Var) {
    ensure(index->var < bound, "an index variable left its loop");
    return variable_at(bound - 1 - index->var);
  }
  if (index->kind == IndexKind::Extent) {
    return size_term(index->size);
  }
  Term a = index_term(index->args[0], bound);
  Term b = index_term(index->args[1], bound);
  switch (index->kind) {
    case IndexKind::Add: return a + b;
    case IndexKind::Sub: return a - b;
    case IndexKind::Mul: return a * b;
    case IndexKind::Div: return floor_div(a, b);
    case IndexKind::Mod: return floor_mod(a, b);
    case IndexKind::Var:
    case IndexKind::Extent: break;
  }
  fault("no such index term");
}

// Terms that are not negative where the guard holds, or where it does not.
void add_facts(const Guard& guard, bool holds, std::size_t bound, std::vector<Term>& facts) {
  switch (guard->kind) {
    case GuardKind::Not: return add_facts(guard->parts[0], !holds, bound, facts);
    case GuardKind::And:
    case GuardKind::Or:
      if (holds == (guard->kind == GuardKind::And)) {
        add_facts(guard->parts[0], holds, bound, facts);
        add_facts(guard->parts[1], holds, bound, facts);
      }
      return;
    case GuardKind::Less:
    case GuardKind::Equal: break;
  }
  Term difference = index_term(guard->terms[1], bound) - index_term(guard->terms[0], bound);
  if (guard->kind == GuardKind::Less) {
    facts.push_back(holds ? difference - Term(1) : -difference);
  } else if (holds) {
    facts.insert(facts.end(), {difference, -difference});
  }
}

// Pairs of facts are tried: of many conditions the innermost ones have to do.
constexpr std::size_t kMostFacts = 100;

std::vector<Term> known(const IndexContext& context, const std::vector<Assumption>& assumed) {
  std::vector<Term> facts;
  for (std::size_t i = assumed.size(); i-- > 0 && facts.size() < kMostFacts;) {
    add_facts(assumed[i].guard, assumed[i].holds, assumed[i].indices, facts);
  }
  facts.resize(std::min(facts.size(), kMostFacts));
  for (std::size_t i = 0; i < context.bounds.size(); ++i) {
    facts.push_back(size_term(context.bounds[i]) - Term(1) - variable_at(context.bounds.size() - 1 - i));
  }
  for (const SizeFact& fact : context.facts) {
    facts.push_back(size_term(fact.second) - size_term(fact.first));
  }
  return facts;
}

bool implied(const std::vector<Term>& facts, Term polynomial, unsigned most = 2) {
  return coefficients_nonnegative(polynomial) || (most > 0 && std::any_of(facts.begin(), facts.end(), [&](Term fact) {
                                                    return implied(facts, polynomial - fact, most - 1);
                                                  }));
}

// What an index is the difference of: sums of terms without subtraction.
struct Difference {
  std::vector<Index> plus;
  std::vector<Index> minus;
};

void split(const Index& index, bool positive, Difference& out) {
  if (index->kind == IndexKind::Add || index->kind == IndexKind::Sub) {
    split(index->args[0], positive, out);
    split(index->args[1], positive == (index->kind == IndexKind::Add), out);
  } else {
    (positive ? out.plus : out.minus).push_back(index);
  }
}

Index sum_of_indices(const std::vector<Index>& terms) {
  Index sum;
  for (const Index& term : terms) {
    sum = sum ? index_op(IndexKind::Add, sum, term) : term;
  }
  return sum ? sum : index_size(size_const(0));
}

// A size that is not below the index.
Size upper(const IndexContext& context, const Index& index) {
  switch (index->kind) {
    case IndexKind::Var: return context.bounds.at(index->var);
    case IndexKind::Extent: return index->size;
    case IndexKind::Add: return size_add(upper(context, index->args[0]), upper(context, index->args[1]));
    case IndexKind::Mul: return size_mul(upper(context, index->args[0]), upper(context, index->args[1]));
    case IndexKind::Sub:
    case IndexKind::Div: return upper(context, index->args[0]);
    case IndexKind::Mod: return upper(context, index->args[1]);
  }
  fault("no such index term");
}

Size sum_of_sizes(const IndexContext& context, const std::vector<Index>& terms, bool extents_alone, int more) {
  Size sum = size_const(more);
  for (const Index& term : terms) {
    if (!extents_alone || term->kind == IndexKind::Extent) {
      sum = is_const(sum, 0) ? upper(context, term) : size_add(sum, upper(context, term));
    }
  }
  return worked_out(sum);
}

// The index among as many elements more as lie before the array's.
Index moved(const Difference& index, const Size& before) {
  Index sum = sum_of_indices(index.plus);
  bool cancels = std::all_of(index.minus.begin(), index.minus.end(), [](const Index& i) { return i->kind == IndexKind::Extent; });
  return cancels ? sum : index_op(IndexKind::Sub, index_op(IndexKind::Add, sum, index_size(before)), sum_of_indices(index.minus));
}

}  // namespace

Built guarded_read(Builder& builder, const Built& array, const Index& index, const std::vector<Assumption>& assumed) {
  const IndexContext& context = builder.indices();
  std::vector<Term> facts = known(context, assumed);
  Term at = index_term(index, context.bounds.size());
  const Size& n = array->type->size;
  if (!implied(facts, at) || !implied(facts, size_term(n) - Term(1) - at)) {
    return std::nullopt;
  }
  Difference parts;
  split(index, true, parts);
  Size before = sum_of_sizes(context, parts.minus, false, 0);
  Index inside = moved(parts, before);
  // As few zeros behind as typing needs.
  for (bool extents_alone : {true, false}) {
    for (int more : {0, 1}) {
      Size behind = sum_of_sizes(context, parts.plus, extents_alone, more);
      if (index_below(context, inside, size_add(size_add(before, n), behind))) {
        return builder.at(builder.pad(before, behind, Const{}, array), inside);
      }
    }
  }
  return std::nullopt;
}

}  // namespace vouch::array
