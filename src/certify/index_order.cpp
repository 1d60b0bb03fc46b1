#include "certify/index_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "certify/index_lowering.h"
#include "certify/index_standins.h"
#include "certify/index_work.h"
#include "support/fault.h"

namespace vouch {
namespace {

using array::Size;
using array::SizeKind;
using array::SizePart;

constexpr unsigned kFirstNumber = 1000;  // loops that came later: a summand as it was written has fewer
constexpr unsigned kMostPartials = 32;   // what is checked of each piece grows with those before it

// Full blocks of `width` in an extent, and what they leave; nothing where sizes have no such parts.
struct Parts {
  Size count;
  Size rest;
};
std::optional<Parts> parts_of(const Size& n, const Integer& width) {
  if (width == 1) {
    return Parts{n, array::size_const(0)};
  }
  if (n->kind == SizeKind::Const) {
    Integer count = floor_div(n->value, width);
    return Parts{array::size_const(count), array::size_const(n->value - count * width)};
  }
  if (n->kind == SizeKind::Var) {
    return Parts{array::size_part(SizePart::Quotient, n->var, width), array::size_part(SizePart::Remainder, n->var, width)};
  }
  if (n->kind == SizeKind::Part && n->part == SizePart::Quotient) {
    Integer both = n->value * width;
    return Parts{array::size_part(SizePart::Quotient, n->var, both), array::size_part(SizePart::Digit, n->var, n->value, width)};
  }
  return std::nullopt;
}

bool has_rest(const Parts& parts) { return !array::is_const(parts.rest, 0); }

// The position that begins what is left.
IndexTerm rest_begin(const Parts& parts, const Integer& width) {
  if (parts.count->kind == SizeKind::Const) {
    return term_constant(parts.count->value * width);
  }
  return term_scaled(width, {IndexTermKind::Size, 0, 0, parts.count, {}});
}

IndexTerm quotient(const IndexTerm& t, const Integer& by) { return {IndexTermKind::Div, 0, by, {}, {t}}; }
IndexTerm remainder(const IndexTerm& t, const Integer& by) { return {IndexTermKind::Mod, 0, by, {}, {t}}; }

// Of a loop that is taken apart: by the loop that is left and the new axis.
IndexTerm joined(const IndexSplit& split, const IndexTerm& loop, const IndexTerm& axis) {
  return split.lanes ? term_sum(term_scaled(split.width, loop), axis) : term_sum(term_scaled(split.width, axis), loop);
}

// Where `first_sum` is.
std::optional<std::size_t> place_of_sum(const IndexStatement& s) {
  const IndexSummand* sum = first_sum(s);
  return sum == nullptr ? std::nullopt : std::optional<std::size_t>(sum - s.summands.data());
}

// Tensors from number `from` on are one further.
void make_room(IndexBody& b, std::size_t from) {
  bool reads = b.kind == IndexBodyKind::Read || b.kind == IndexBodyKind::Gather;
  b.tensor += reads && b.tensor >= from ? 1 : 0;
  for (IndexBody& arg : b.args) {
    make_room(arg, from);
  }
}

void make_room(IndexStatement& s, std::size_t from) {
  for (IndexSummand& one : s.summands) {
    make_room(one.body, from);
  }
}

IndexSummand with_standins(IndexSummand s, const Standins& standins, std::size_t loop, const Size& extent) {
  s.condition = replaced(standins, std::move(s.condition));
  s.body = replaced(standins, std::move(s.body));
  s.loops[loop] = extent;
  return s;
}

// Of the partial sums, which have one axis more than the statement.
IndexSummand summed_apart(const IndexSummand& s, const IndexSplit& split, std::size_t axes, const Size& extent) {
  std::size_t loops = s.loops.size();
  std::size_t taken = loops - 1 - split.loop;
  Standins standins = variables(0, loops);
  for (const IndexTerm& axis : variables(loops + 1, axes)) {
    standins.push_back(axis);
  }
  standins[taken] = joined(split, standins[taken], term_variable(static_cast<unsigned>(loops)));
  return with_standins(s, standins, split.loop, extent);
}

// What the partial sums leave over.
IndexSummand left_over(const IndexSummand& s, const IndexSplit& split, std::size_t axes, const Parts& parts) {
  std::size_t loops = s.loops.size();
  Standins standins = variables(0, loops + axes);
  IndexTerm& taken = standins[loops - 1 - split.loop];
  taken = term_sum(taken, rest_begin(parts, split.width));
  return with_standins(s, standins, split.loop, parts.rest);
}

// The sum of the partial sums, which are tensor 0.
IndexSummand added_up(const IndexStatement& partial) {
  IndexSummand out;
  out.loops = {partial.extents.back()};
  out.body.kind = IndexBodyKind::Read;
  out.body.extents = partial.extents;
  for (std::size_t axis = partial.extents.size(); axis-- > 0;) {
    out.body.at.push_back(term_variable(static_cast<unsigned>(axis)));
  }
  return out;
}

bool is_identifier(const std::string& name) {
  return !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_') &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

IndexTerm by_map(const std::map<unsigned, IndexTerm>& terms, IndexTerm t) {
  if (t.kind == IndexTermKind::Var) {
    auto found = terms.find(t.var);
    return found == terms.end() ? t : found->second;
  }
  for (IndexTerm& arg : t.args) {
    arg = by_map(terms, std::move(arg));
  }
  return t;
}

IndexCond all_of(const std::vector<IndexCond>& conditions) {
  IndexCond out;
  for (const IndexCond& c : conditions) {
    out = out.kind == IndexCondKind::True ? c : IndexCond{IndexCondKind::And, {}, {out, c}};
  }
  return out;
}

}  // namespace

const IndexSummand* first_sum(const IndexStatement& s) {
  auto found = std::find_if(s.summands.begin(), s.summands.end(), [](const IndexSummand& one) { return !one.loops.empty(); });
  return found == s.summands.end() ? nullptr : &*found;
}

bool is_taken(const IndexKernel& kernel, const std::string& name) {
  auto called = [&](const auto& one) { return one.name == name; };
  return name == kernel.output_name || std::any_of(kernel.locals.begin(), kernel.locals.end(), called) ||
         std::any_of(kernel.inputs.begin(), kernel.inputs.end(), called) ||
         std::find(kernel.sizes.begin(), kernel.sizes.end(), name) != kernel.sizes.end();
}

std::optional<std::size_t> statement_named(const IndexKernel& kernel, const std::string& name) {
  if (name == kernel.output_name) {
    return kernel.locals.size();
  }
  auto called = [&](const IndexStatement& s) { return s.name == name; };
  auto found = std::find_if(kernel.locals.begin(), kernel.locals.end(), called);
  bool once = found != kernel.locals.end() && std::none_of(found + 1, kernel.locals.end(), called);
  return once ? std::optional<std::size_t>(found - kernel.locals.begin()) : std::nullopt;
}

Reordering::Statement Reordering::as_written(const IndexStatement& s) {
  Statement out;
  for (const IndexSummand& one : s.summands) {
    Sum sum{out.sums.size(), {}, {}, {}, {}};
    for (std::size_t k = one.loops.size(); k-- > 0;) {
      unsigned number = static_cast<unsigned>(k);
      sum.loops.push_back(number);
      sum.back[number] = term_variable(number);
    }
    out.sums.push_back(std::move(sum));
    out.written.push_back(one.loops.size());
  }
  return out;
}

Reordering::Reordering(const IndexKernel& kernel) : kernel_(kernel) {
  for (std::size_t at = 0; at <= kernel_.locals.size(); ++at) {
    notes_.push_back(as_written(statement(at)));
  }
}

std::string Reordering::why_not(const IndexSplit& split) const {
  auto at = statement_named(kernel_, split.sum);
  if (!at) {
    return fmt::format("there is no tensor '{}' to add, or more than one", split.sum);
  }
  auto which = place_of_sum(statement(*at));
  if (!which) {
    return fmt::format("'{}' is no sum", split.sum);
  }
  const std::vector<Size>& loops = statement(*at).summands[*which].loops;
  if (split.loop >= loops.size()) {
    return fmt::format("the sum of '{}' has {} loops, and no loop {}: they count from 0", split.sum, loops.size(), split.loop);
  }
  if (split.width < (split.lanes ? 2 : 1)) {
    return split.lanes ? "partial sums by lanes are two or more" : "a block has one term or more";
  }
  const Size& terms = loops[split.loop];
  if (!parts_of(terms, split.width)) {
    return fmt::format("the loop has {} terms: only a number, a size, or a quotient of one is taken apart",
                       array::print_size(terms, kernel_.sizes));
  }
  if (terms->kind == SizeKind::Const && terms->value < split.width) {
    return fmt::format("the loop has {} terms, fewer than {}", terms->value.str(), split.width.str());
  }
  if (!is_identifier(split.partial) || is_taken(kernel_, split.partial)) {
    return fmt::format("'{}' is no new name", split.partial);
  }
  return partials_ == kMostPartials ? fmt::format("a schedule has at most {} partial sums", kMostPartials) : "";
}

void Reordering::apply(const IndexSplit& split) {
  std::size_t at = *statement_named(kernel_, split.sum);
  std::size_t which = *place_of_sum(statement(at));
  split_notes(at, which, split);
  split_statement(at, which, split);
}

void Reordering::split_statement(std::size_t at, std::size_t which, const IndexSplit& split) {
  const IndexSummand whole = statement(at).summands[which];
  Parts parts = *parts_of(whole.loops[split.loop], split.width);
  Size width = array::size_const(split.width);
  std::size_t axes = statement(at).extents.size();
  IndexStatement partial{statement(at).extents, {}, statement(at).names, split.partial};
  partial.extents.push_back(split.lanes ? width : parts.count);
  partial.summands.push_back(summed_apart(whole, split, axes, split.lanes ? parts.count : width));
  for (std::size_t later = at; later <= kernel_.locals.size(); ++later) {
    make_room(statement(later), later - at);
  }
  std::vector<IndexSummand>& summands = statement(at).summands;
  IndexSummand rest = left_over(summands[which], split, axes, parts);
  summands[which] = added_up(partial);
  if (has_rest(parts)) {
    summands.insert(summands.begin() + static_cast<std::ptrdiff_t>(which) + 1, std::move(rest));
  }
  kernel_.locals.insert(kernel_.locals.begin() + static_cast<std::ptrdiff_t>(at), std::move(partial));
}

IndexTerm Reordering::forward(unsigned number) const {
  return number < kFirstNumber ? term_variable(number) : forward_[number - kFirstNumber];
}

unsigned Reordering::numbered(IndexTerm value) {
  forward_.push_back(std::move(value));
  return kFirstNumber + static_cast<unsigned>(forward_.size()) - 1;
}

void Reordering::split_notes(std::size_t at, std::size_t which, const IndexSplit& split) {
  const Sum whole = notes_[at].sums[which];
  Parts parts = *parts_of(statement(at).summands[which].loops[split.loop], split.width);
  IndexTerm begin = rest_begin(parts, split.width);
  unsigned taken = whole.loops[split.loop];
  IndexTerm value = forward(taken);
  unsigned loop = numbered(split.lanes ? quotient(value, split.width) : remainder(value, split.width));
  unsigned axis = numbered(split.lanes ? remainder(value, split.width) : quotient(value, split.width));
  auto with = [&](unsigned number, const IndexTerm& term) {
    Sum out = whole;
    out.loops[split.loop] = number;
    for (auto& [variable, back] : out.back) {
      back = by_map({{taken, term}}, back);
    }
    out.back[taken] = term;
    return out;
  };
  Sum apart = with(loop, joined(split, term_variable(loop), term_variable(axis)));
  apart.where.clear();
  Sum reader{whole.source, {axis}, whole.where, {{axis, term_variable(axis)}}, partials_};
  std::vector<Sum>& sums = notes_[at].sums;
  if (has_rest(parts)) {
    reader.where.push_back({IndexCondKind::Le, {term_sum(value, term_constant(1)), begin}, {}});
    unsigned left = numbered(term_sum(value, term_scaled(-1, begin)));
    sums.insert(sums.begin() + static_cast<std::ptrdiff_t>(which) + 1, with(left, term_sum(term_variable(left), begin)));
  }
  sums[which] = std::move(reader);
  notes_.insert(notes_.begin() + static_cast<std::ptrdiff_t>(at), {partials_++, {}, {std::move(apart)}});
}

// The sums that stand in place of one that reads partial sums; `around`: those that read it.
std::vector<Reordering::Sum> Reordering::leaves(const Sum& sum, const Sum& around) const {
  Sum here = around;
  here.loops.insert(here.loops.end(), sum.loops.begin(), sum.loops.end());
  here.where.insert(here.where.end(), sum.where.begin(), sum.where.end());
  for (const auto& [variable, back] : sum.back) {
    here.back[variable] = by_map(around.back, back);
  }
  if (!sum.reads) {
    return {here};
  }
  auto read = std::find_if(notes_.begin(), notes_.end(), [&](const Statement& s) { return s.partial == sum.reads; });
  ensure(read != notes_.end(), "a partial sum is a local");
  std::vector<Sum> out;
  for (const Sum& inner : read->sums) {
    for (Sum& leaf : leaves(inner, here)) {
      out.push_back(std::move(leaf));
    }
  }
  return out;
}

IndexPiece Reordering::piece(const Sum& leaf, std::size_t loops) const {
  IndexPiece out;
  out.where = all_of(leaf.where);
  std::map<unsigned, IndexTerm> variables;
  for (std::size_t k = leaf.loops.size(); k-- > 0;) {
    variables[leaf.loops[k]] = term_variable(static_cast<unsigned>(leaf.loops.size() - 1 - k));
    out.to.push_back(forward(leaf.loops[k]));
  }
  for (std::size_t k = 0; k < loops; ++k) {
    out.from.push_back(by_map(variables, leaf.back.at(static_cast<unsigned>(k))));
  }
  out.there = quotients(leaf, out, variables);
  return out;
}

// Of each loop that is a quotient, that it is one, from the first split on: without the one before, the next does not follow.
std::vector<IndexCond> Reordering::quotients(const Sum& leaf, const IndexPiece& piece,
                                             const std::map<unsigned, IndexTerm>& here) const {
  std::map<unsigned, IndexTerm> values = leaf.back;
  for (unsigned loop : leaf.loops) {
    values.try_emplace(loop, term_variable(loop));
  }
  std::vector<IndexCond> out;
  for (const auto& [number, value] : values) {
    if (forward(number).kind == IndexTermKind::Div) {
      out.push_back({IndexCondKind::Eq, {replaced(piece.from, forward(number)), by_map(here, value)}, {}});
    }
  }
  return out;
}

std::vector<std::vector<IndexPiece>> Reordering::pieces(std::size_t at) const {
  const Statement& notes = notes_[at];
  std::vector<std::vector<IndexPiece>> out(notes.written.size());
  for (const Sum& sum : notes.sums) {
    for (const Sum& leaf : leaves(sum, {})) {
      out[sum.source].push_back(piece(leaf, notes.written[sum.source]));
    }
  }
  return out;
}

IndexRegrouping Reordering::regrouping() const {
  IndexRegrouping out;
  std::size_t locals = kernel_.locals.size();
  for (std::size_t at = locals; at-- > 0;) {
    if (!notes_[at].partial) {
      out.places.push_back(locals - 1 - at);
      out.locals.push_back(pieces(at));
    }
  }
  out.output = pieces(locals);
  return out;
}

std::string print_split(const IndexSplit& split) {
  return fmt::format("add {}{} by {} of {} as {}", split.sum, split.loop > 0 ? fmt::format(" loop {}", split.loop) : "",
                     split.lanes ? "lanes" : "blocks", split.width.str(), split.partial);
}

Reordering reordered(const IndexKernel& kernel, const std::vector<IndexSplit>& splits) {
  Reordering out(kernel);
  for (const IndexSplit& split : splits) {
    ensure(out.why_not(split).empty(), "a split applies");
    out.apply(split);
  }
  return out;
}

}  // namespace vouch
