#include "certify/index_axes.h"

#include <algorithm>

#include "certify/index_tile.h"
#include "support/fault.h"

namespace vouch {

using array::Size;

namespace {

std::optional<Linear> linear(const IndexTerm& t) {
  switch (t.kind) {
    case IndexTermKind::Var: return Linear{0, {{t.var, 1}}};
    case IndexTermKind::Con: return Linear{t.number, {}};
    case IndexTermKind::Add:
    case IndexTermKind::Scale: {
      Linear out;
      for (const IndexTerm& arg : t.args) {
        auto part = linear(arg);
        if (!part) {
          return std::nullopt;
        }
        Integer by = t.kind == IndexTermKind::Scale ? t.number : Integer(1);
        out.constant += by * part->constant;
        for (const auto& [var, factor] : part->factors) {
          out.factors[var] += by * factor;
        }
      }
      std::erase_if(out.factors, [](const auto& f) { return f.second == 0; });
      return out;
    }
    case IndexTermKind::Size:
    case IndexTermKind::Div:
    case IndexTermKind::Mod: return std::nullopt;
  }
  fault("no such index term");
}

Linear minus(Linear a, const Linear& b) {
  a.constant -= b.constant;
  for (const auto& [var, factor] : b.factors) {
    a.factors[var] -= factor;
  }
  std::erase_if(a.factors, [](const auto& f) { return f.second == 0; });
  return a;
}

}  // namespace

Axes::Axes(const IndexStatement& s) : summand_(*only_looped(s.summands)) {
  for (const Size& loop : summand_.loops) {
    loops_.push_back(loop->value);
  }
  for (const Size& extent : s.extents) {
    extents_.push_back(extent->value);
  }
  for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
    inside_.push_back({0, extents_[axis]});
  }
  look_at(summand_.condition);
  look_at(summand_.body);
}

IndexRange Axes::inside(std::size_t axis) const {
  const IndexRange& range = inside_[axis];
  return range.from < range.to ? range : IndexRange{0, 0};
}

std::optional<Integer> Axes::stride(const IndexBody& read, std::size_t axis) const {
  Integer stride = 0;
  Integer row = 1;
  for (std::size_t a = read.at.size(); a-- > 0;) {
    auto t = linear(read.at[a]);
    if (!t) {
      return std::nullopt;
    }
    auto at = t->factors.find(variable(axis));
    stride += at != t->factors.end() ? Integer(at->second * row) : Integer(0);
    row *= read.extents[a]->value;
  }
  return stride;
}

std::optional<IndexRange> Axes::values(const IndexTerm& subscript) const {
  auto t = linear(subscript);
  if (!t) {
    return std::nullopt;
  }
  IndexRange out{t->constant, t->constant};
  for (const auto& [var, factor] : t->factors) {
    bool loop = var < loops_.size();
    Integer last = (loop ? loops_[loops_.size() - 1 - var] : extents_[loops_.size() + extents_.size() - 1 - var]) - 1;
    (factor < 0 ? out.from : out.to) += factor * last;
  }
  return out;
}

std::optional<unsigned> Axes::follows(const IndexBody& read, std::size_t axis) const {
  std::optional<unsigned> out;
  for (unsigned a = 0; a < read.at.size(); ++a) {
    auto t = linear(read.at[a]);
    if (!t || (t->factors.contains(variable(axis)) && (out || t->factors.at(variable(axis)) != 1))) {
      return std::nullopt;
    }
    out = t->factors.contains(variable(axis)) ? std::optional(a) : out;
  }
  return out;
}

bool Axes::slides(const IndexBody& read, std::size_t axis) const {
  std::optional<Linear> moving;
  for (const IndexTerm& at : read.at) {
    auto t = linear(at);
    if (!t || (t->factors.contains(variable(axis)) && moving)) {
      return false;
    }
    moving = t->factors.contains(variable(axis)) ? t : moving;
  }
  Integer step = moving ? moving->factors.at(variable(axis)) : Integer(0);
  return step > 0 && std::any_of(moving->factors.begin(), moving->factors.end(), [&](const auto& f) {
           return f.first < loops_.size() && f.second == 1 && loops_[loops_.size() - 1 - f.first] > step;
         });
}

void Axes::bound(const std::optional<Linear>& difference) {
  if (!difference) {
    return;
  }
  Integer least = difference->constant;
  std::optional<std::size_t> axis;
  Integer factor;
  for (const auto& [var, by] : difference->factors) {
    if (var < loops_.size()) {
      least += by < 0 ? Integer(by * (loops_[loops_.size() - 1 - var] - 1)) : Integer(0);
    } else if (axis) {
      return;
    } else {
      axis = loops_.size() + extents_.size() - 1 - var;
      factor = by;
    }
  }
  if (axis && factor > 0) {
    inside_[*axis].from = std::max(inside_[*axis].from, Integer(-floor_div(least, factor)));
  } else if (axis) {
    inside_[*axis].to = std::min(inside_[*axis].to, Integer(floor_div(least, -factor) + 1));
  }
}

void Axes::look_at(const IndexCond& c) {
  if (c.kind == IndexCondKind::And) {
    look_at(c.parts[0]);
    look_at(c.parts[1]);
  } else if (c.kind == IndexCondKind::Le) {
    auto low = linear(c.terms[0]);
    auto high = linear(c.terms[1]);
    bound(low && high ? std::optional(minus(*high, *low)) : std::nullopt);
  }
}

void Axes::look_at(const IndexBody& b) {
  if (b.kind == IndexBodyKind::Read) {
    reads_.push_back(&b);
    for (std::size_t a = 0; a < b.at.size(); ++a) {
      auto at = linear(b.at[a]);
      bound(at);
      bound(at ? std::optional(minus({b.extents[a]->value - 1, {}}, *at)) : std::nullopt);
    }
  }
  for (const IndexBody& arg : b.args) {
    look_at(arg);
  }
}

}  // namespace vouch
