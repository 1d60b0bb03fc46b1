#include "equiv/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "equiv/affine.h"
#include "equiv/coefficients.h"
#include "instance/stores.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

constexpr std::size_t kMostDepth = 64;          // of functions within functions
constexpr std::size_t kMostComparisons = 4096;  // of terms, in one claim

// What the affine form looks into; all else is a function of its arguments.
bool is_affine(TermKind kind) {
  switch (kind) {
    case TermKind::RealConst:
    case TermKind::RealVar:
    case TermKind::RealOf:
    case TermKind::Read:
    case TermKind::RealAdd:
    case TermKind::RealSub:
    case TermKind::RealMul:
    case TermKind::RealDiv:
    case TermKind::RealNeg: return true;
    default: return false;
  }
}

// Compares two scalar terms: affine in what depends on data, or the same function of arguments that compare.
class Folding {
 public:
  Folding(const Instance& instance, const std::map<Symbol, Tensor>& values, const FoldOptions& how)
      : values_(values),
        coefficients_(values, how.tolerance.of(values), how.steps),
        stores_(instance),
        output_(instance.outputs.at(0)) {
    for (std::size_t axis = 0; axis < output_.source_body.indices.size(); ++axis) {
      note_extent(output_.source_body.indices[axis], output_.source_type.extents()[axis]);
    }
  }

  FoldProof run() {
    if (!compare(plain(output_.source_body), plain(output_.target_body), 0)) {
      return {false, 0, reason_.empty() ? coefficients_.reason() : reason_};
    }
    Rational worst = coefficients_.worst();
    // Upwards: the bound is a promise.
    return {true, worst == 0 ? 0 : std::nextafter(double_of(worst), 1.0), ""};
  }

 private:
  // Over the reals, with the indices that have one value replaced by it. Integers wrap around.
  Term plain(const Body& body) const {
    Substitution single;
    for (std::size_t axis = 0; axis < body.indices.size(); ++axis) {
      if (output_.source_type.extents()[axis] == Term(1)) {
        single.emplace(body.indices[axis], Term(0));
      }
    }
    return substitute(stores_.without_roundings(body.value), single);
  }

  void note_extent(Symbol name, Term extent) {
    if (auto number = const_int(extent)) {
      extents_.insert_or_assign(name, *number);
    }
  }

  bool fail(std::string why) {
    reason_ = std::move(why);
    return false;
  }

  bool compare(Term a, Term b, std::size_t depth) {
    if (a == b || equal_.contains({a.id(), b.id()})) {
      return true;
    }
    if (depth > kMostDepth || ++comparisons_ > kMostComparisons) {
      return fail("no affine form: functions within functions");
    }
    bool holds = same_function(a, b, depth) || (a.sort() == Sort::Real && b.sort() == Sort::Real && compare_forms(a, b, depth));
    if (holds) {
      equal_.emplace(a.id(), b.id());
      reason_.clear();
    }
    return holds;
  }

  // One head, and arguments that compare.
  bool same_function(Term a, Term b, std::size_t depth) {
    bool same_head = a.kind() == b.kind() && a->symbol == b->symbol && a->fn == b->fn && a->reduction == b->reduction &&
                     a->value == b->value && a->bound.size() == b->bound.size() && a.args().size() == b.args().size();
    if (!same_head || a.sort() == Sort::Int || is_affine(a.kind()) || a.args().empty() ||
        !tried_.emplace(a.id(), b.id()).second) {
      return a == b || equal_.contains({a.id(), b.id()});
    }
    Substitution of_a;
    Substitution of_b;
    for (std::size_t k = 0; k < a->bound.size(); ++k) {
      Term index = common_index(depth, k, a.arg(2 + k));
      of_a.emplace(a->bound[k], index);
      of_b.emplace(b->bound[k], index);
    }
    for (std::size_t k = 0; k < a.args().size(); ++k) {
      // Extents are not under the indices that they bound.
      bool under = !of_a.empty() && k < 2;
      if (!compare(under ? substitute(a.arg(k), of_a) : a.arg(k), under ? substitute(b.arg(k), of_b) : b.arg(k), depth + 1)) {
        return false;
      }
    }
    equal_.emplace(a.id(), b.id());
    return true;
  }

  // A name that both sides' k-th index has at this depth: what is around it has other depths.
  Term common_index(std::size_t depth, std::size_t k, Term extent) {
    Symbol name(fmt::format("%{}.{}<{}", depth, k, print_term(extent)));
    note_extent(name, extent);
    return int_var(name);
  }

  std::vector<Term> common_indices(std::size_t depth, const std::vector<Term>& extents) {
    std::vector<Term> out;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      out.push_back(common_index(depth, k, extents[k]));
    }
    return out;
  }

  // The part with these for its bound indices; `coefficients` likewise.
  static DataPart renamed(const DataPart& part, const std::vector<Term>& indices, std::vector<Coefficient>& coefficients) {
    Substitution names;
    for (std::size_t k = 0; k < part.extents.size(); ++k) {
      names.emplace(Symbol(fmt::format("%{}", k)), indices[k]);
    }
    DataPart out = part;
    for (auto* terms : {&out.factors, &coefficients}) {
      std::transform(terms->begin(), terms->end(), terms->begin(), [&](Term term) { return substitute(term, names); });
    }
    out.guard = substitute(out.guard, names);
    return out;
  }

  bool compare_forms(Term a, Term b, std::size_t depth) {
    return compare_forms(a, b, depth, GuardsOf::Data) || compare_forms(a, b, depth, GuardsOf::Coefficients);
  }

  bool compare_forms(Term a, Term b, std::size_t depth, GuardsOf guards) {
    auto is_data = [this](Symbol tensor) { return !values_.contains(tensor); };
    const bool whole = stores_.is_whole(a) && stores_.is_whole(b);
    auto x = affine_form(a, is_data, guards);
    auto y = affine_form(b, is_data, guards);
    if (!x || !y) {
      return fail("no affine form: too many summands");
    }
    for (auto& [part, coefficients] : *x) {
      auto other = y->find(part);
      bool is_paired = other != y->end();
      if (!is_paired) {
        other = std::find_if(y->begin(), y->end(),
                             [&](const auto& entry) { return !x->contains(entry.first) && same_part(part, entry.first, depth); });
      }
      if (!compare_part(part, coefficients, other == y->end() ? std::vector<Coefficient>() : other->second, depth, whole)) {
        return false;
      }
      if (other != y->end()) {
        y->erase(other);
      }
    }
    return std::all_of(y->begin(), y->end(),
                       [&](const auto& entry) { return compare_part(entry.first, {}, entry.second, depth, whole); });
  }

  // Factors that are not affine may differ in the parameters within.
  bool same_part(const DataPart& a, const DataPart& b, std::size_t depth) {
    if (a.factors.size() != b.factors.size() || a.extents != b.extents || a.factors.empty()) {
      return false;
    }
    std::vector<Term> indices = common_indices(depth, a.extents);
    std::vector<Coefficient> none;
    DataPart x = renamed(a, indices, none);
    DataPart y = renamed(b, indices, none);
    if (x.guard != y.guard) {
      return false;
    }
    for (std::size_t k = 0; k < x.factors.size(); ++k) {
      if (x.factors[k] != y.factors[k] && !same_function(x.factors[k], y.factors[k], depth + 1)) {
        return false;
      }
    }
    return true;
  }

  // `whole`: numbers that have no fraction are no parameters that were rounded: nothing is off.
  bool compare_part(const DataPart& part, std::vector<Coefficient> a, std::vector<Coefficient> b, std::size_t depth, bool whole) {
    bool is_total = std::all_of(part.factors.begin(), part.factors.end(), [](Term f) { return f.kind() == TermKind::Read; });
    if ((a.empty() || b.empty()) && !is_total) {
      return fail("a function of data is on one side alone");  // it may be undefined, even times 0
    }
    std::vector<Term> indices = common_indices(depth, part.extents);
    renamed(part, indices, a);
    renamed(part, indices, b);
    return coefficients_.compare(std::move(a), std::move(b), extents_, whole);
  }

  const std::map<Symbol, Tensor>& values_;
  Coefficients coefficients_;
  Stores stores_;
  const InstanceOutput& output_;
  IndexExtents extents_;
  std::set<std::pair<const void*, const void*>> equal_;
  std::set<std::pair<const void*, const void*>> tried_;
  std::size_t comparisons_ = 0;
  std::string reason_;
};

}  // namespace

FoldProof prove_fold(const Instance& instance, const std::map<Symbol, Tensor>& values, const FoldOptions& how,
                     const ProveOptions& options) {
  if (!instance.unsupported.empty() || !instance.target_error.empty() || instance.outputs.size() != 1) {
    return {false, 0, instance.unsupported + instance.target_error};
  }
  if (instance.outputs[0].source_type.dtype() == DType::Bool) {
    return {false, 0, "parameters are folded in numbers alone"};
  }
  FoldProof fold = Folding(instance, values, how).run();
  if (fold.holds) {
    // Sizes and legality are the prover's: the same claim with nothing to show of the elements.
    Instance legal = instance;
    legal.outputs[0].target_body = legal.outputs[0].source_body;
    Proof proof = prove_instance(legal, options);
    if (proof.result != ProofResult::Exact) {
      return {false, 0, proof.reason};
    }
    fold.scripts = std::move(proof.scripts);
  }
  return fold;
}

}  // namespace vouch
