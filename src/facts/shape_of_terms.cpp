#include "facts/shape_of_terms.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "term/parts.h"
#include "term/uninterpreted.h"

namespace vouch {
namespace {

using Shapes = std::set<std::size_t>;  // hashes, one for each choice of branches; empty: too many to tell
constexpr std::size_t kMost = 48;

std::size_t mixed(std::size_t a, std::size_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdULL;
}

class Shaper {
 public:
  const Shapes& of(Term term) {
    auto found = known_.find(term);
    if (found == known_.end()) {
      found = known_.emplace(term, shapes(term)).first;
    }
    return found->second;
  }

 private:
  Shapes shapes(Term term) {
    auto kind = static_cast<std::size_t>(term.kind());
    switch (term.kind()) {
      case TermKind::Read:
      case TermKind::RealVar: return {mixed(kind, std::hash<Symbol>()(term->symbol))};
      case TermKind::RealConst: return {mixed(kind, std::hash<std::string>()(to_text(term->value)))};
      case TermKind::RealOf: return {kind};
      case TermKind::Select: {
        Shapes out = of(term.arg(1));
        const Shapes& other = of(term.arg(2));
        bool open = out.empty() || other.empty();
        out.insert(other.begin(), other.end());
        return open || out.size() > kMost ? Shapes() : out;
      }
      case TermKind::RealNeg: return of(term.arg(0));
      case TermKind::Reduce: return combined(mixed(kind, static_cast<std::size_t>(term->reduction)), {term.arg(0)}, false);
      case TermKind::Call:
        return combined(mixed(kind, static_cast<std::size_t>(term->fn)), {term.args().begin(), term.args().end()},
                        term->fn == Fn::Max || term->fn == Fn::Min);
      default:
        return combined(kind, {term.args().begin(), term.args().end()},
                        term.kind() == TermKind::RealAdd || term.kind() == TermKind::RealMul);
    }
  }

  Shapes combined(std::size_t head, const std::vector<Term>& args, bool commutes) {
    // Extrema are sets of operands, and nest: too much to tell here.
    if (head == mixed(static_cast<std::size_t>(TermKind::Call), static_cast<std::size_t>(Fn::Max)) ||
        head == mixed(static_cast<std::size_t>(TermKind::Call), static_cast<std::size_t>(Fn::Min))) {
      return {};
    }
    std::vector<std::vector<std::size_t>> open{{}};
    for (Term arg : args) {
      if (of(arg).empty()) {
        return {};
      }
      std::vector<std::vector<std::size_t>> next;
      for (const auto& before : open) {
        for (std::size_t h : of(arg)) {
          next.push_back(before);
          next.back().push_back(h);
        }
      }
      open = std::move(next);
      if (open.size() > kMost) {
        return {};
      }
    }
    Shapes out;
    for (std::vector<std::size_t>& parts : open) {
      if (commutes) {
        std::sort(parts.begin(), parts.end());
      }
      std::size_t h = head;
      for (std::size_t part : parts) {
        h = mixed(h, part);
      }
      out.insert(h);
    }
    return out;
  }

  std::unordered_map<Term, Shapes> known_;
};

}  // namespace

bool may_be_exact(Term a, Term b) {
  Shaper shaper;
  const Shapes& x = shaper.of(a);
  const Shapes& y = shaper.of(b);
  return x.empty() || y.empty() || std::any_of(x.begin(), x.end(), [&](std::size_t h) { return y.contains(h); });
}

bool is_ring_only(Term scalar) {
  return everywhere(scalar, [](Term t) {
    switch (t.kind()) {
      case TermKind::Call:
        return uninterpreted_number(t->fn) ||
               (t->fn == Fn::TruncDiv && t.arg(1).kind() == TermKind::RealConst && t.arg(1)->value == 1);
      case TermKind::Reduce: return t->reduction == Reduction::Sum;
      case TermKind::RealDiv:
      case TermKind::RealLt:
      case TermKind::RealLe:
      case TermKind::RealEq:
      case TermKind::IntOf: return false;
      default: return true;
    }
  });
}

bool is_ring_of_integers(Term scalar) {
  return is_ring_only(scalar) && everywhere(scalar, [](Term t) {
           return !(t.kind() == TermKind::Call && uninterpreted_number(t->fn)) &&
                  !(t.kind() == TermKind::RealConst && !is_integral(t->value)) && t.kind() != TermKind::RealVar;
         });
}

bool computes_nothing(Term scalar) {
  return everywhere(scalar, [](Term t) {
    switch (t.kind()) {
      case TermKind::Call: return uninterpreted_number(t->fn) || t->fn == Fn::Max || t->fn == Fn::Min;
      case TermKind::Reduce: return t->reduction == Reduction::Max || t->reduction == Reduction::Min;
      case TermKind::RealAdd:
      case TermKind::RealSub:
      case TermKind::RealMul:
      case TermKind::RealDiv:
      case TermKind::RealNeg: return false;
      default: return true;
    }
  });
}

}  // namespace vouch
