#include "build/movement.h"

#include <algorithm>

#include "imp/elements.h"
#include "support/fault.h"

namespace vouch {
namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 26;

std::optional<std::int64_t> number(const Integer& value) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  bool small = value <= kMost && value >= -kMost;
  return small ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

std::optional<std::int64_t> number(const array::Size& size) {
  return size->kind == array::SizeKind::Const ? number(size->value) : std::nullopt;
}

std::int64_t quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

bool is_zero(const array::Const& c) { return c.mantissa == 0 && !c.infinite && !c.ordinal; }

// Elements and zeros, of which all that is done is to take them to `computed`; each is that exactly.
std::optional<IndexBody> as_stored(const IndexKernel& kernel, const IndexBody& body) {
  array::Element stored = kernel.output_element;
  if (body.kind == IndexBodyKind::Con && is_zero(body.constant)) {
    return body;
  }
  if (body.kind == IndexBodyKind::If) {
    auto first = as_stored(kernel, body.args[0]);
    auto second = first ? as_stored(kernel, body.args[1]) : std::nullopt;
    if (second) {
      IndexBody out = body;
      out.args = {std::move(*first), std::move(*second)};
      return out;
    }
  }
  bool taken = body.kind == IndexBodyKind::Op && body.op == array::cast_op({stored, kernel.computed}) &&
               body.args[0].kind == IndexBodyKind::Read && kernel.inputs[body.args[0].tensor].element == stored;
  return taken ? std::optional(body.args[0]) : std::nullopt;
}

// A cell of that input; negative: zero.
struct MovedCell {
  unsigned input = 0;
  std::int64_t cell = -1;
};

std::int64_t cells_of(const array::Parameter& input) {
  Integer cells = 1;
  for (array::Type type = input.type; type->kind == array::TypeKind::Array; type = type->parts[0]) {
    cells *= type->size->value;
  }
  return static_cast<std::int64_t>(cells);
}

// Index terms with numbers of 64 bits.
class Moves {
 public:
  explicit Moves(const IndexKernel& kernel) : kernel_(kernel) {}

  // For each cell, what it is a copy of.
  std::optional<std::vector<MovedCell>> run() {
    const IndexStatement& s = kernel_.output;
    bool one = kernel_.locals.empty() && s.summands.size() == 1 && s.summands[0].loops.empty();
    if (!one || !moves(s.summands[0].body) || !small(s.summands[0].condition)) {
      return std::nullopt;
    }
    std::int64_t cells = 1;
    for (const array::Size& extent : s.extents) {
      auto n = number(extent);
      if (!n || *n < 1 || *n > kMostCells || (cells *= *n) > kMostCells) {
        return std::nullopt;
      }
      extents_.push_back(*n);
    }
    at_.assign(extents_.size(), 0);
    std::vector<MovedCell> out(static_cast<std::size_t>(cells));
    for (MovedCell& cell : out) {
      cell = condition(s.summands[0].condition) ? source(s.summands[0].body) : MovedCell{};
      next();
    }
    return out;
  }

 private:
  static bool small(const IndexTerm& t) {
    return number(t.number) && t.kind != IndexTermKind::Size &&
           std::all_of(t.args.begin(), t.args.end(), [](const IndexTerm& a) { return small(a); });
  }
  static bool small(const IndexCond& c) {
    return std::all_of(c.terms.begin(), c.terms.end(), [](const IndexTerm& t) { return small(t); }) &&
           std::all_of(c.parts.begin(), c.parts.end(), [](const IndexCond& p) { return small(p); });
  }

  bool moves(const IndexBody& b) const {
    switch (b.kind) {
      case IndexBodyKind::Con: return is_zero(b.constant);
      case IndexBodyKind::Index:
      case IndexBodyKind::Gather:
      case IndexBodyKind::Op: return false;
      case IndexBodyKind::If: return small(b.condition) && moves(b.args[0]) && moves(b.args[1]);
      case IndexBodyKind::Read:
        return std::all_of(b.at.begin(), b.at.end(), [](const IndexTerm& t) { return small(t); }) &&
               std::all_of(b.extents.begin(), b.extents.end(), [](const array::Size& n) { return number(n).has_value(); });
    }
    fault("no such body");
  }

  void next() {
    for (std::size_t axis = extents_.size(); axis-- > 0;) {
      if (++at_[axis] < extents_[axis]) {
        return;
      }
      at_[axis] = 0;
    }
  }

  std::int64_t term(const IndexTerm& t) const {
    switch (t.kind) {
      case IndexTermKind::Var: return at_[at_.size() - 1 - t.var];
      case IndexTermKind::Con: return static_cast<std::int64_t>(t.number);
      case IndexTermKind::Size: break;
      case IndexTermKind::Add: return term(t.args[0]) + term(t.args[1]);
      case IndexTermKind::Scale: return static_cast<std::int64_t>(t.number) * term(t.args[0]);
      case IndexTermKind::Div: return quotient(term(t.args[0]), static_cast<std::int64_t>(t.number));
      case IndexTermKind::Mod: {
        auto by = static_cast<std::int64_t>(t.number);
        std::int64_t a = term(t.args[0]);
        return a - by * quotient(a, by);
      }
    }
    fault("a size where all are numbers");
  }

  bool condition(const IndexCond& c) const {
    switch (c.kind) {
      case IndexCondKind::True: return true;
      case IndexCondKind::Le: return term(c.terms[0]) <= term(c.terms[1]);
      case IndexCondKind::Eq: return term(c.terms[0]) == term(c.terms[1]);
      case IndexCondKind::And: return condition(c.parts[0]) && condition(c.parts[1]);
      case IndexCondKind::Or: return condition(c.parts[0]) || condition(c.parts[1]);
      case IndexCondKind::Not: return !condition(c.parts[0]);
    }
    fault("no such condition");
  }

  // Outside of the tensor there are zeros.
  MovedCell source(const IndexBody& b) const {
    if (b.kind == IndexBodyKind::If) {
      return source(condition(b.condition) ? b.args[0] : b.args[1]);
    }
    if (b.kind == IndexBodyKind::Con) {
      return {};
    }
    std::int64_t flat = 0;
    for (std::size_t a = 0; a < b.at.size(); ++a) {
      std::int64_t index = term(b.at[a]);
      std::int64_t extent = *number(b.extents[a]);
      if (index < 0 || index >= extent) {
        return {};
      }
      flat = flat * extent + index;
    }
    return {b.tensor, flat};
  }

  const IndexKernel& kernel_;
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> at_;
};

}  // namespace

std::optional<std::vector<std::int64_t>> moved_cells(const IndexKernel& kernel) {
  auto moved = kernel.inputs.size() == 1 ? Moves(kernel).run() : std::nullopt;
  if (!moved) {
    return std::nullopt;
  }
  std::vector<std::int64_t> out;
  for (const MovedCell& from : *moved) {
    out.push_back(from.cell);
  }
  return out;
}

bool joins_inputs(const IndexKernel& kernel) {
  auto moved = Moves(kernel).run();
  unsigned input = 0;
  std::int64_t position = 0;
  for (std::size_t k = 0; moved && k < moved->size(); ++k, ++position) {
    if (input < kernel.inputs.size() && position == cells_of(kernel.inputs[input])) {
      ++input;
      position = 0;
    }
    if ((*moved)[k].input != input || (*moved)[k].cell != position) {
      return false;
    }
  }
  return moved && input + 1 == kernel.inputs.size() && position == cells_of(kernel.inputs[input]);
}

bool keeps_cells(const IndexKernel& kernel) { return kernel.inputs.size() == 1 && joins_inputs(kernel); }

IndexKernel moved_as_stored(IndexKernel kernel) {
  const std::vector<IndexSummand>& summands = kernel.output.summands;
  array::Element stored = kernel.output_element;
  bool one = kernel.locals.empty() && summands.size() == 1 && summands[0].loops.empty() && !is_float(stored) && !is_whole(stored);
  if (!one || summands[0].body.kind != IndexBodyKind::Op || summands[0].body.op != array::cast_op({kernel.computed, stored})) {
    return kernel;
  }
  if (auto moved = as_stored(kernel, summands[0].body.args[0])) {
    kernel.output.summands[0].body = std::move(*moved);
  }
  return kernel;
}

}  // namespace vouch
