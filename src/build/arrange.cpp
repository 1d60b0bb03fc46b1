#include "build/arrange.h"

#include <algorithm>
#include <functional>
#include <set>

#include "build/index_affine.h"
#include "build/index_shapes.h"
#include "certify/index_lowering.h"

namespace vouch {
namespace {

using array::Size;
using array::size_const;

bool is_number(const Size& n) { return n->kind == array::SizeKind::Const && n->value >= 1; }

bool all_numbers(const IndexBody& b) {
  return std::all_of(b.extents.begin(), b.extents.end(), is_number) && std::all_of(b.args.begin(), b.args.end(), all_numbers);
}

bool all_numbers(const IndexKernel& kernel) {
  const IndexStatement& s = kernel.output;
  return kernel.locals.empty() && kernel.sizes.empty() && std::all_of(s.extents.begin(), s.extents.end(), is_number) &&
         std::all_of(s.summands.begin(), s.summands.end(), [](const IndexSummand& summand) {
           return std::all_of(summand.loops.begin(), summand.loops.end(), is_number) && all_numbers(summand.body);
         });
}

// v / k and v % k: variable and divisor.
using Quotients = std::set<std::pair<unsigned, Integer>>;

void find_quotients(const IndexTerm& t, Quotients& found) {
  bool divides = t.kind == IndexTermKind::Div || t.kind == IndexTermKind::Mod;
  if (divides && t.args[0].kind == IndexTermKind::Var) {
    found.emplace(t.args[0].var, t.number);
  }
  for (const IndexTerm& arg : t.args) {
    find_quotients(arg, found);
  }
}

void find_quotients(const IndexCond& c, Quotients& found) {
  for (const IndexTerm& t : c.terms) {
    find_quotients(t, found);
  }
  for (const IndexCond& part : c.parts) {
    find_quotients(part, found);
  }
}

void find_quotients(const IndexBody& b, Quotients& found) {
  for (const IndexTerm& t : b.at) {
    find_quotients(t, found);
  }
  find_quotients(b.condition, found);
  for (const IndexBody& arg : b.args) {
    find_quotients(arg, found);
  }
}

class Arranger {
 public:
  explicit Arranger(IndexKernel kernel) : kernel_(std::move(kernel)), shapes_(kernel_) {}

  IndexKernel run() {
    replace_axes(kernel_.output.extents, identity(rank()));
    while (split_one()) {
    }
    drop_units();
    shapes_.drop_units();
    shapes_.split();
    while (merge_axes() || merge_loops()) {
    }
    return std::move(kernel_);
  }

 private:
  IndexStatement& output() { return kernel_.output; }
  std::size_t rank() const { return kernel_.output.extents.size(); }

  // The variables themselves, for axes or loops from the outermost on.
  static std::vector<IndexTerm> identity(std::size_t count) {
    std::vector<IndexTerm> out;
    for (std::size_t k = 0; k < count; ++k) {
      out.push_back(term_variable(static_cast<unsigned>(count - 1 - k)));
    }
    return out;
  }

  void simplify(IndexSummand& s) {
    IndexExtents extents = extents_of(output(), s);
    s.condition = simpler(s.condition, extents);
    s.body = simpler(std::move(s.body), extents);
  }

  // `terms`: what stands for each axis, the outermost first, where the variables are those of the new axes.
  void replace_axes(std::vector<Size> extents, const std::vector<IndexTerm>& terms) {
    output().extents = std::move(extents);
    for (IndexSummand& s : output().summands) {
      s = replaced(Standins(terms.rbegin(), terms.rend()), std::move(s));
      simplify(s);
    }
  }

  // The same for the loops of one summand.
  void replace_loops(IndexSummand& s, std::vector<Size> loops, const std::vector<IndexTerm>& terms) {
    Standins standins(terms.rbegin(), terms.rend());
    for (std::size_t axis = 0; axis < rank(); ++axis) {
      standins.push_back(term_variable(static_cast<unsigned>(loops.size() + axis)));
    }
    s.loops = std::move(loops);
    s.condition = replaced(standins, std::move(s.condition));
    s.body = replaced(standins, std::move(s.body));
    simplify(s);
  }

  bool split_one() {
    for (const IndexSummand& s : output().summands) {
      Quotients found;
      find_quotients(s.condition, found);
      find_quotients(s.body, found);
      for (const auto& [var, by] : found) {
        if (var >= s.loops.size() && split(s.loops.size() + rank() - 1 - var, by)) {
          return true;
        }
      }
    }
    return false;
  }

  bool split(std::size_t axis, const Integer& by) {
    std::vector<Size> extents = output().extents;
    Integer extent = extents[axis]->value;
    if (by <= 1 || by >= extent || extent % by != 0) {
      return false;
    }
    extents[axis] = size_const(extent / by);
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1, size_const(by));
    std::vector<IndexTerm> terms = identity(extents.size());
    terms[axis] = term_sum(term_scaled(by, terms[axis]), terms[axis + 1]);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    replace_axes(std::move(extents), terms);
    return true;
  }

  // Without those of one position; one is left.
  static std::pair<std::vector<Size>, std::vector<IndexTerm>> without_units(const std::vector<Size>& extents) {
    std::vector<Size> kept;
    std::vector<std::size_t> place;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      bool keep = extents[k]->value != 1 || (kept.empty() && k + 1 == extents.size());
      place.push_back(keep ? kept.size() : extents.size());
      if (keep) {
        kept.push_back(extents[k]);
      }
    }
    std::vector<IndexTerm> left = identity(kept.size());
    std::vector<IndexTerm> terms;
    for (std::size_t at : place) {
      terms.push_back(at < kept.size() ? left[at] : term_constant(0));
    }
    return {std::move(kept), std::move(terms)};
  }

  void drop_units() {
    auto [extents, terms] = without_units(output().extents);
    replace_axes(std::move(extents), terms);
    for (IndexSummand& s : output().summands) {
      auto [loops, loop_terms] = without_units(s.loops);
      replace_loops(s, std::move(loops), loop_terms);
    }
  }

  // Two neighbours are one: the outer one its quotient, the inner one its remainder.
  static std::pair<std::vector<Size>, std::vector<IndexTerm>> joined(std::vector<Size> extents, std::size_t outer) {
    auto after = extents.begin() + static_cast<std::ptrdiff_t>(outer) + 1;
    Integer inner = (*after)->value;
    extents[outer] = size_const(extents[outer]->value * inner);
    extents.erase(after);
    std::vector<IndexTerm> terms = identity(extents.size());
    IndexTerm both = terms[outer];
    terms[outer] = {IndexTermKind::Div, 0, inner, {}, {both}};
    terms.insert(terms.begin() + static_cast<std::ptrdiff_t>(outer) + 1, {IndexTermKind::Mod, 0, inner, {}, {both}});
    return {std::move(extents), std::move(terms)};
  }

  bool merge_axes() {
    for (std::size_t axis = 0; axis + 1 < rank(); ++axis) {
      auto pairs = [&](const IndexSummand& s) -> std::optional<unsigned> {
        return static_cast<unsigned>(s.loops.size() + rank() - 2 - axis);
      };
      if (shapes_.join(pairs, output().extents[axis + 1]->value)) {
        auto [extents, terms] = joined(output().extents, axis);
        replace_axes(std::move(extents), terms);
        return true;
      }
    }
    return false;
  }

  bool merge_loops() {
    for (IndexSummand& s : output().summands) {
      for (std::size_t loop = 0; loop + 1 < s.loops.size(); ++loop) {
        auto pairs = [&](const IndexSummand& r) {
          return &r == &s ? std::optional(static_cast<unsigned>(s.loops.size() - 2 - loop)) : std::nullopt;
        };
        if (shapes_.join(pairs, s.loops[loop + 1]->value)) {
          auto [loops, terms] = joined(s.loops, loop);
          replace_loops(s, std::move(loops), terms);
          return true;
        }
      }
    }
    return false;
  }

  IndexKernel kernel_;
  TensorShapes shapes_;
};

}  // namespace

IndexKernel arranged(IndexKernel kernel) { return all_numbers(kernel) ? Arranger(std::move(kernel)).run() : kernel; }

}  // namespace vouch
