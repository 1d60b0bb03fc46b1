#include "build/residues.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "build/index_affine.h"
#include "build/index_shapes.h"
#include "build/interleave.h"
#include "certify/index_lowering.h"
#include "certify/index_names.h"
#include "support/number.h"

namespace vouch {
namespace {

using array::size_const;

constexpr long kLeastTerms = 1 << 12;  // below that, calls cost more than conditions
constexpr long kMostParts = 16;        // each may be a text of its own

// Every so many positions.
struct Step {
  Integer from;
  Integer by;
};

IndexTerm step_term(const Step& step, unsigned variable) {
  return term_sum(term_scaled(step.by, term_variable(variable)), term_constant(step.from));
}

// Terms are there where `modulus` divides axis * (the axis's index) + loop * (the loop's index) + constant; it has no divisor in
// common with `loop`.
struct Split {
  unsigned axis_var = 0;
  unsigned loop_var = 0;
  Integer modulus;
  Integer axis;
  Integer loop;
  Integer constant;
  Integer first = 0;  // at or below 0: residues are counted from there

  // The least index of the loop at which terms are there, for positions that are `at` beyond a multiple of the modulus.
  Integer term(const Integer& at) const {
    Integer t = 0;
    while (floor_mod(Integer(axis * at + loop * t + constant), modulus) != 0) {
      ++t;
    }
    return t;
  }
};

// The whole condition is that all of these hold.
void collect(const IndexCond& c, std::vector<const IndexCond*>& all) {
  if (c.kind != IndexCondKind::And) {
    all.push_back(&c);
    return;
  }
  for (const IndexCond& part : c.parts) {
    collect(part, all);
  }
}

// Two comparisons ask the same.
bool same(const IndexCond& a, const IndexCond& b, const IndexExtents& extents) {
  if (a.kind != IndexCondKind::Le || b.kind != IndexCondKind::Le) {
    return false;
  }
  IndexTerm more = term_sum(a.terms[1], term_scaled(-1, a.terms[0]));
  IndexTerm other = term_sum(b.terms[0], term_scaled(-1, b.terms[1]));
  AffineTerm difference = affine_of(term_sum(more, other), extents);
  return difference.parts.empty() && difference.constant == 0;
}

// Both conditions; what both ask is asked once.
IndexCond with_all_of(const IndexCond& first, const IndexCond& second, const IndexExtents& extents) {
  std::vector<const IndexCond*> known;
  std::vector<const IndexCond*> more;
  collect(first, known);
  collect(second, more);
  IndexCond out = first;
  for (const IndexCond* c : more) {
    if (std::none_of(known.begin(), known.end(), [&](const IndexCond* k) { return same(*k, *c, extents); })) {
      out = {IndexCondKind::And, {}, {out, *c}};
    }
  }
  return out;
}

class Taker {
 public:
  Taker(const IndexKernel& kernel, const IndexSummand& sum)
      : kernel_(kernel), sum_(sum), extents_(extents_of(kernel.output, sum)) {}

  std::optional<Residues> run(const std::function<bool(unsigned)>& finite) {
    if (!find_product() || !finite(weights().tensor) || !find_splits() || !only_in_choice()) {
      return std::nullopt;
    }
    Residues out;
    out.weights = weights().tensor;
    add_parts({}, out.parts);
    std::vector<Interleaved> axes;
    for (const Split& s : splits_) {
      axes.push_back({axis_of(s.axis_var), s.modulus, s.first});
    }
    out.together = interleaved(kernel_.output.extents, out.parts[0].kernel.output.extents, axes, kernel_.output_name);
    return out;
  }

 private:
  std::size_t loops() const { return sum_.loops.size(); }
  const IndexBody& choice() const { return sum_.body.args[choice_]; }
  const IndexBody& weights() const { return sum_.body.args[1 - choice_]; }
  // The output's axis or the loop of the sum that a variable is, the outermost first.
  std::size_t axis_of(unsigned variable) const { return kernel_.output.extents.size() - 1 - (variable - loops()); }
  std::size_t loop_of(unsigned variable) const { return loops() - 1 - variable; }

  // A read that is zero where the condition does not hold, times a read.
  bool find_product() {
    const IndexBody& b = sum_.body;
    if (b.kind != IndexBodyKind::Op || b.op != array::Op::Mul) {
      return false;
    }
    choice_ = b.args[0].kind == IndexBodyKind::If ? 0 : 1;
    return choice().kind == IndexBodyKind::If && choice().args[0].kind == IndexBodyKind::Read && is_zero(choice().args[1]) &&
           weights().kind == IndexBodyKind::Read && weights().tensor != choice().args[0].tensor;
  }

  bool find_splits() {
    std::vector<const IndexCond*> all;
    collect(choice().condition, all);
    std::set<unsigned> taken;
    Integer parts = 1;
    for (const IndexCond* c : all) {
      auto split = c->kind == IndexCondKind::Eq ? split_of(*c) : std::nullopt;
      if (split && taken.insert(split->axis_var).second && taken.insert(split->loop_var).second) {
        parts *= split->modulus;
        splits_.push_back(*split);
      }
    }
    std::sort(splits_.begin(), splits_.end(), [](const Split& a, const Split& b) { return a.axis_var > b.axis_var; });
    return !splits_.empty() && parts <= kMostParts;
  }

  std::optional<Split> split_of(const IndexCond& c) const {
    bool turned = c.terms[0].kind == IndexTermKind::Mod;
    const IndexTerm& asked = c.terms[turned ? 0 : 1];
    AffineTerm is = affine_of(c.terms[turned ? 1 : 0], extents_);
    if (asked.kind != IndexTermKind::Mod || !is.parts.empty() || is.constant < 0 || is.constant >= asked.number) {
      return std::nullopt;
    }
    AffineTerm inside = affine_of(asked.args[0], extents_);
    auto plain = [](const AffineTerm::Part& p) { return p.term.kind == IndexTermKind::Var; };
    if (inside.parts.size() != 2 || !std::all_of(inside.parts.begin(), inside.parts.end(), plain)) {
      return std::nullopt;
    }
    bool loop_first = inside.parts[0].term.var < loops();
    const AffineTerm::Part& loop = inside.parts[loop_first ? 0 : 1];
    const AffineTerm::Part& axis = inside.parts[loop_first ? 1 : 0];
    bool fits = loop.term.var < loops() && axis.term.var >= loops() && asked.number <= kMostParts &&
                asked.number <= extents_[loop.term.var] && gcd(asked.number, loop.factor) == 1;
    return fits ? std::optional(counted(
                      {axis.term.var, loop.term.var, asked.number, axis.factor, loop.factor, inside.constant - is.constant}))
                : std::nullopt;
  }

  // From where the loop begins at 0, so that the residues of one stride read the same positions.
  static Split counted(Split s) {
    Integer first = 0;
    while (first > -s.modulus && s.term(first) != 0) {
      --first;
    }
    s.first = first == -s.modulus ? Integer(0) : first;
    return s;
  }

  // Positions of the axes that are taken apart occur in the choice alone; the weights' loops are subscripts of their own.
  bool only_in_choice() const {
    return std::all_of(splits_.begin(), splits_.end(), [&](const Split& split) {
      bool elsewhere = uses(weights(), split.axis_var);
      for (const IndexSummand& s : kernel_.output.summands) {
        auto variable = static_cast<unsigned>(split.axis_var - loops() + s.loops.size());
        elsewhere = elsewhere || (&s != &sum_ && (uses(s.body, variable) || uses(s.condition, variable)));
      }
      return !elsewhere && std::all_of(weights().at.begin(), weights().at.end(), [&](const IndexTerm& t) {
        return is_variable(t, split.loop_var) || !uses(t, split.loop_var);
      });
    });
  }

  // `at`: the residues of the first axes.
  void add_parts(const std::vector<Integer>& at, std::vector<Residue>& out) const {
    if (at.size() == splits_.size()) {
      out.push_back(part(at));
      return;
    }
    for (Integer j = 0; j < splits_[at.size()].modulus; ++j) {
      std::vector<Integer> more = at;
      more.push_back(j);
      add_parts(more, out);
    }
  }

  static Integer count(const Step& step, const Integer& extent) {
    return floor_div(Integer(extent - 1 - step.from), step.by) + 1;
  }

  Residue part(const std::vector<Integer>& at) const {
    Residue out;
    out.kernel = kernel_;
    out.kernel.formula = "one residue of: " + kernel_.formula;
    IndexStatement& statement = out.kernel.output;
    IndexSummand& sum = statement.summands[static_cast<std::size_t>(&sum_ - kernel_.output.summands.data())];
    Standins standins;
    for (unsigned v = 0; v < extents_.size(); ++v) {
      standins.push_back(term_variable(v));
    }
    std::map<unsigned, Step> of_loops;
    for (std::size_t k = 0; k < splits_.size(); ++k) {
      const Split& s = splits_[k];
      Step axis{s.first + at[k], s.modulus};
      Step loop{s.term(axis.from), s.modulus};
      standins[s.axis_var] = step_term(axis, s.axis_var);
      standins[s.loop_var] = step_term(loop, s.loop_var);
      statement.extents[axis_of(s.axis_var)] = size_const(count({s.first, s.modulus}, extents_[s.axis_var]));
      sum.loops[loop_of(s.loop_var)] = size_const(count(loop, extents_[s.loop_var]));
      of_loops.emplace(s.loop_var, loop);
    }
    IndexBody& choice = sum.body.args[choice_];
    choice = replaced(standins, std::move(choice));
    IndexExtents extents = extents_of(statement, sum);
    choice.condition = with_all_of(inside(choice.args[0], extents), simpler(choice.condition, extents), extents);
    out.slice = slice(of_loops);
    IndexBody& read = sum.body.args[1 - choice_];
    read.extents = out.slice.output.extents;
    out.kernel.inputs[read.tensor] = {out.slice.output_name, type_of(read.extents, 0)};
    sum.body = simpler(std::move(sum.body), extents);
    return out;
  }

  // Every so many positions from the first one on, on the axes that these loops walk.
  IndexKernel slice(const std::map<unsigned, Step>& of_loops) const {
    IndexKernel out;
    out.inputs = {kernel_.inputs[weights().tensor]};
    out.output_name = usable_c_name(out.inputs[0].name + "_slice", {out.inputs[0].name}, CNameUse::Parameter);
    out.formula = fmt::format("{}: some of {}\n", out.output_name, out.inputs[0].name);
    IndexSummand all;
    all.body.kind = IndexBodyKind::Read;
    all.body.extents = weights().extents;
    for (std::size_t a = 0; a < all.body.extents.size(); ++a) {
      const IndexTerm& at = weights().at[a];
      auto found = at.kind == IndexTermKind::Var ? of_loops.find(at.var) : of_loops.end();
      Step step = found == of_loops.end() ? Step{0, 1} : found->second;
      out.output.extents.push_back(size_const(count(step, all.body.extents[a]->value)));
      all.body.at.push_back(step_term(step, static_cast<unsigned>(all.body.extents.size() - 1 - a)));
    }
    IndexExtents extents = extents_of(out.output, all);
    all.body = simpler(std::move(all.body), extents);
    out.output.summands = {all};
    return out;
  }

  const IndexKernel& kernel_;
  const IndexSummand& sum_;
  IndexExtents extents_;
  std::size_t choice_ = 0;
  std::vector<Split> splits_;
};

}  // namespace

std::optional<Residues> in_residues(const IndexKernel& kernel, const std::function<bool(unsigned)>& finite) {
  const IndexSummand* sum = long_sum(kernel, kLeastTerms);
  return sum == nullptr ? std::nullopt : Taker(kernel, *sum).run(finite);
}

}  // namespace vouch
