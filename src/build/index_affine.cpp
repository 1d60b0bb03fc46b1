#include "build/index_affine.h"

#include <algorithm>
#include <optional>

#include "certify/index_lowering.h"
#include "support/fault.h"
#include "support/number.h"

namespace vouch {
namespace {

bool same(const IndexTerm& a, const IndexTerm& b) {
  return a.kind == b.kind && a.var == b.var && a.number == b.number && a.size == b.size &&
         std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(), same);
}

void add(AffineTerm& sum, const AffineTerm& more, const Integer& by) {
  sum.constant += by * more.constant;
  for (const AffineTerm::Part& part : more.parts) {
    auto there = std::find_if(sum.parts.begin(), sum.parts.end(), [&](const auto& p) { return same(p.term, part.term); });
    if (there == sum.parts.end()) {
      sum.parts.push_back({part.term, by * part.factor});
    } else {
      there->factor += by * part.factor;
    }
  }
  std::erase_if(sum.parts, [](const auto& part) { return part.factor == 0; });
}

// n * (t / n) + t % n is t.
void join_quotients(AffineTerm& sum, const IndexExtents& extents) {
  for (std::size_t q = 0; q < sum.parts.size(); ++q) {
    for (std::size_t r = 0; r < sum.parts.size(); ++r) {
      const AffineTerm::Part whole = sum.parts[q];
      const AffineTerm::Part rest = sum.parts[r];
      if (whole.term.kind == IndexTermKind::Div && rest.term.kind == IndexTermKind::Mod &&
          whole.term.number == rest.term.number && whole.factor == rest.factor * rest.term.number &&
          same(whole.term.args[0], rest.term.args[0])) {
        sum.parts.erase(sum.parts.begin() + static_cast<std::ptrdiff_t>(std::max(q, r)));
        sum.parts.erase(sum.parts.begin() + static_cast<std::ptrdiff_t>(std::min(q, r)));
        add(sum, affine_of(whole.term.args[0], extents), rest.factor);
        return join_quotients(sum, extents);
      }
    }
  }
}

bool within(const IndexRange& range, const Integer& from, const Integer& to) { return range.from >= from && range.to <= to; }

AffineTerm divided(const IndexTerm& t, const IndexExtents& extents) {
  auto [whole, rest] = parted(affine_of(t.args[0], extents), t.number);
  bool small = within(range_of(rest, extents), 0, t.number);
  AffineTerm atom{{{IndexTerm{t.kind, 0, t.number, {}, {term_of(rest)}}, 1}}, 0};
  if (t.kind == IndexTermKind::Mod) {
    return small ? rest : atom;
  }
  if (!small) {
    add(whole, atom, 1);
  }
  return whole;
}

IndexRange range_of_part(const IndexTerm& t, const IndexExtents& extents) {
  if (t.kind == IndexTermKind::Var) {
    return {0, extents.at(t.var)};
  }
  if (t.kind == IndexTermKind::Mod) {
    return {0, t.number};
  }
  ensure(t.kind == IndexTermKind::Div, "sums have been taken apart");
  IndexRange inside = range_of(affine_of(t.args[0], extents), extents);
  return {floor_div(inside.from, t.number), floor_div(Integer(inside.to - 1), t.number) + 1};
}

IndexCond never() { return {IndexCondKind::Not, {}, {IndexCond()}}; }
bool holds(const IndexCond& c) { return c.kind == IndexCondKind::True; }
bool fails(const IndexCond& c) { return c.kind == IndexCondKind::Not && holds(c.parts[0]); }

IndexCond compared(const IndexCond& c, const IndexExtents& extents) {
  AffineTerm difference = affine_of(c.terms[1], extents);
  add(difference, affine_of(c.terms[0], extents), -1);
  IndexRange range = range_of(difference, extents);
  bool le = c.kind == IndexCondKind::Le;
  if (le ? range.from >= 0 : range.from == 0 && range.to == 1) {
    return {};
  }
  if (le ? range.to <= 0 : range.from > 0 || range.to <= 0) {
    return never();
  }
  return {c.kind, {simpler(c.terms[0], extents), simpler(c.terms[1], extents)}, {}};
}

}  // namespace

AffineTerm affine_of(const IndexTerm& t, const IndexExtents& extents) {
  AffineTerm out;
  switch (t.kind) {
    case IndexTermKind::Var:
      if (extents.at(t.var) > 1) {
        out.parts.push_back({t, 1});
      }
      return out;
    case IndexTermKind::Con: out.constant = t.number; return out;
    case IndexTermKind::Size: out.constant = t.size->value; return out;
    case IndexTermKind::Add:
    case IndexTermKind::Scale:
      for (const IndexTerm& arg : t.args) {
        add(out, affine_of(arg, extents), t.kind == IndexTermKind::Scale ? t.number : Integer(1));
      }
      join_quotients(out, extents);
      return out;
    case IndexTermKind::Div:
    case IndexTermKind::Mod: return divided(t, extents);
  }
  fault("no such index term");
}

IndexTerm term_of(const AffineTerm& affine) {
  std::vector<AffineTerm::Part> parts = affine.parts;
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.term.var > b.term.var; });
  std::optional<IndexTerm> out;
  for (const AffineTerm::Part& part : parts) {
    IndexTerm one = part.factor == 1 ? part.term : term_scaled(part.factor, part.term);
    out = out ? term_sum(*out, one) : one;
  }
  return !out ? term_constant(affine.constant) : affine.constant == 0 ? *out : term_sum(*out, term_constant(affine.constant));
}

IndexRange range_of(const AffineTerm& affine, const IndexExtents& extents) {
  IndexRange out{affine.constant, affine.constant + 1};
  for (const AffineTerm::Part& part : affine.parts) {
    IndexRange one = range_of_part(part.term, extents);
    out.from += part.factor * (part.factor > 0 ? one.from : Integer(one.to - 1));
    out.to += part.factor * (part.factor > 0 ? Integer(one.to - 1) : one.from);
  }
  return out;
}

std::pair<AffineTerm, AffineTerm> parted(const AffineTerm& affine, const Integer& by) {
  AffineTerm whole{{}, floor_div(affine.constant, by)};
  AffineTerm rest{{}, floor_mod(affine.constant, by)};
  for (const AffineTerm::Part& part : affine.parts) {
    if (part.factor % by == 0) {
      whole.parts.push_back({part.term, part.factor / by});
    } else {
      rest.parts.push_back(part);
    }
  }
  return {std::move(whole), std::move(rest)};
}

bool uses(const IndexBody& b, unsigned variable) {
  return std::any_of(b.at.begin(), b.at.end(), [&](const IndexTerm& t) { return uses(t, variable); }) ||
         uses(b.condition, variable) ||
         std::any_of(b.args.begin(), b.args.end(), [&](const IndexBody& arg) { return uses(arg, variable); });
}

bool is_zero(const IndexBody& b) { return b.kind == IndexBodyKind::Con && b.constant.mantissa == 0 && !b.constant.infinite; }

IndexTerm simpler(const IndexTerm& term, const IndexExtents& extents) { return term_of(affine_of(term, extents)); }

IndexCond simpler(const IndexCond& c, const IndexExtents& extents) {
  if (c.kind == IndexCondKind::Le || c.kind == IndexCondKind::Eq) {
    return compared(c, extents);
  }
  IndexCond out{c.kind, {}, {}};
  for (const IndexCond& part : c.parts) {
    out.parts.push_back(simpler(part, extents));
  }
  if (c.kind == IndexCondKind::Not && out.parts[0].kind == IndexCondKind::Not) {
    return out.parts[0].parts[0];
  }
  if (c.kind != IndexCondKind::And && c.kind != IndexCondKind::Or) {
    return out;
  }
  // The one that decides, the one that does not.
  auto decides = c.kind == IndexCondKind::And ? fails : holds;
  auto neutral = c.kind == IndexCondKind::And ? holds : fails;
  for (std::size_t k = 0; k < 2; ++k) {
    if (decides(out.parts[k]) || neutral(out.parts[1 - k])) {
      return IndexCond(out.parts[k]);
    }
  }
  return out;
}

IndexBody simpler(IndexBody b, const IndexExtents& extents) {
  for (IndexTerm& t : b.at) {
    t = simpler(t, extents);
  }
  for (IndexBody& arg : b.args) {
    arg = simpler(std::move(arg), extents);
  }
  if (b.kind == IndexBodyKind::If) {
    b.condition = simpler(b.condition, extents);
    if (holds(b.condition) || fails(b.condition)) {
      return IndexBody(holds(b.condition) ? b.args[0] : b.args[1]);
    }
  }
  return b;
}

IndexCond inside(const IndexBody& read, const IndexExtents& extents) {
  IndexCond all;
  for (std::size_t a = 0; a < read.at.size(); ++a) {
    IndexTerm last = term_constant(read.extents[a]->value - 1);
    for (const IndexCond& one : {IndexCond{IndexCondKind::Le, {term_constant(0), read.at[a]}, {}},
                                 IndexCond{IndexCondKind::Le, {read.at[a], last}, {}}}) {
      all = simpler({IndexCondKind::And, {}, {all, one}}, extents);
    }
  }
  return all;
}

}  // namespace vouch
