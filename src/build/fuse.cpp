#include "build/fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "build/index_shapes.h"
#include "build/kernels.h"
#include "certify/index_finish.h"
#include "certify/index_lowering.h"
#include "certify/index_names.h"

namespace vouch {
namespace {

constexpr std::size_t kSmall = 8;  // operations that may be done twice

std::size_t operations(const IndexBody& b) {
  std::size_t out = b.kind == IndexBodyKind::Op ? 1 : 0;
  for (const IndexBody& arg : b.args) {
    out += operations(arg);
  }
  return out;
}

// Reads of that tensor, if all of them are at the statement's own indices.
std::optional<std::size_t> own_reads(const IndexBody& b, unsigned tensor, const std::vector<array::Size>& extents) {
  if (b.kind == IndexBodyKind::Gather) {
    return std::nullopt;
  }
  if (b.kind == IndexBodyKind::Read) {
    return b.tensor != tensor ? std::optional<std::size_t>(0) : is_own(b, extents) ? std::optional<std::size_t>(1) : std::nullopt;
  }
  std::size_t out = 0;
  for (const IndexBody& arg : b.args) {
    auto inside = own_reads(arg, tensor, extents);
    if (!inside) {
      return std::nullopt;
    }
    out += *inside;
  }
  return out;
}

bool divides(const IndexTerm& t) {
  return t.kind == IndexTermKind::Div || t.kind == IndexTermKind::Mod || std::any_of(t.args.begin(), t.args.end(), divides);
}

bool divides(const IndexBody& b) {
  return std::any_of(b.at.begin(), b.at.end(), [](const IndexTerm& t) { return divides(t); }) ||
         std::any_of(b.args.begin(), b.args.end(), [](const IndexBody& arg) { return divides(arg); });
}

// The indices of one row-major tensor, outermost first, from those of another with as many cells, whose variable 0 is the last.
std::vector<IndexTerm> same_cell(const std::vector<array::Size>& to, const std::vector<array::Size>& from) {
  IndexTerm cell = term_constant(0);
  Integer stride = 1;
  for (std::size_t a = from.size(); a-- > 0;) {
    cell = term_sum(cell, term_scaled(stride, term_variable(static_cast<unsigned>(from.size() - 1 - a))));
    stride *= from[a]->value;
  }
  std::vector<IndexTerm> out;
  for (const array::Size& n : to) {
    stride /= n->value;
    out.push_back({IndexTermKind::Mod, 0, n->value, {}, {{IndexTermKind::Div, 0, stride, {}, {cell}}}});
  }
  return out;
}

// `after` reads what `before` leaves as its input `place`, at its own indices only.
class Fuser {
 public:
  Fuser(const LoweredCall& before, const LoweredCall& after, std::size_t place)
      : before_(before), after_(after), place_(static_cast<unsigned>(place)) {}

  std::optional<LoweredCall> run() {
    bool plain = before_.tiling && !is_reordered(before_.tiling) && after_.kernel.locals.empty() && only_floats(before_.kernel) &&
                 only_floats(after_.kernel) &&
                 extent_product(before_.kernel.output.extents) == extent_product(after_.kernel.output.extents);
    if (!plain || !finishes()) {
      return std::nullopt;
    }
    LoweredCall out = before_;
    out.kernel.output = output();
    if (std::any_of(out.kernel.output.summands.begin(), out.kernel.output.summands.end(),
                    [](const IndexSummand& s) { return divides(s.body); })) {
      return std::nullopt;
    }
    if (before_.tiling->plan.kind != IndexPlanKind::Finish) {
      out.kernel.locals = {before_.kernel.output};
      out.tiling->plan = finishing(before_.tiling->plan);
    }
    add_inputs(out);
    out.kernel.formula = before_.kernel.formula + after_.kernel.formula;
    out.result = after_.result;
    out.nodes.insert(out.nodes.end(), after_.nodes.begin(), after_.nodes.end());
    out.wish = before_.wish + "_" + after_.wish;
    return unfinished(out.kernel) && !takes_memory(lower_index(out.kernel, out.tiling)) ? std::optional(std::move(out))
                                                                                        : std::nullopt;
  }

 private:
  bool finishes() const {
    const IndexStatement& s = after_.kernel.output;
    std::size_t reads = 0;
    for (const IndexSummand& summand : s.summands) {
      auto own = own_reads(summand.body, place_, s.extents);
      if (!own || !summand.loops.empty() || summand.condition.kind != IndexCondKind::True) {
        return false;
      }
      reads += *own;
    }
    return reads == 1 || (reads > 1 && operations(done_before()) <= kSmall);
  }

  // What is done to the sum already.
  IndexBody done_before() const {
    if (before_.tiling->plan.kind == IndexPlanKind::Finish) {
      return end_terms(before_.kernel.output.summands);
    }
    IndexBody sum;
    sum.kind = IndexBodyKind::Read;
    sum.extents = before_.kernel.output.extents;
    for (std::size_t a = 0; a < sum.extents.size(); ++a) {
      sum.at.push_back(term_variable(static_cast<unsigned>(sum.extents.size() - 1 - a)));
    }
    return sum;
  }

  IndexStatement output() const {
    IndexStatement out{before_.kernel.output.extents, after_.kernel.output.summands};
    std::vector<IndexTerm> terms = same_cell(after_.kernel.output.extents, out.extents);
    IndexBody done = done_before();
    for (IndexSummand& s : out.summands) {
      IndexExtents extents = extents_of(out, s);
      s.body = simpler(replaced(Standins(terms.rbegin(), terms.rend()), marked(std::move(s.body))), extents);
      put(s.body, done);
    }
    return out;
  }

  // Reads of the sum have no subscripts until they are put in; other tensors are numbered after the local and its inputs.
  IndexBody marked(IndexBody b) const {
    if (b.kind == IndexBodyKind::Read && b.tensor == place_) {
      return itself();
    }
    if (b.kind == IndexBodyKind::Read) {
      b.tensor += 1 + static_cast<unsigned>(before_.kernel.inputs.size()) - (b.tensor > place_ ? 1 : 0);
    }
    for (IndexBody& arg : b.args) {
      arg = marked(std::move(arg));
    }
    return b;
  }

  static void put(IndexBody& b, const IndexBody& done) {
    if (is_itself(b)) {
      b = done;
      return;
    }
    for (IndexBody& arg : b.args) {
      put(arg, done);
    }
  }

  void add_inputs(LoweredCall& out) const {
    out.kernel.output_name = after_.kernel.output_name;
    std::vector<std::string> taken{out.kernel.output_name};
    std::vector<array::Parameter> all = out.kernel.inputs;
    for (std::size_t k = 0; k < after_.kernel.inputs.size(); ++k) {
      if (k != place_) {
        all.push_back(after_.kernel.inputs[k]);
        out.arguments.push_back(after_.arguments[k]);
      }
    }
    for (array::Parameter& input : all) {
      input.name = usable_c_name(input.name, taken, CNameUse::Parameter);
      taken.push_back(input.name);
    }
    out.kernel.inputs = std::move(all);
  }

  const LoweredCall& before_;
  const LoweredCall& after_;
  unsigned place_;
};

}  // namespace

void fuse(std::vector<LoweredCall>& calls, const std::set<ValueId>& kept) {
  std::map<ValueId, std::size_t> reads;
  for (const LoweredCall& call : calls) {
    for (ValueId argument : call.arguments) {
      ++reads[argument];
    }
  }
  std::vector<LoweredCall> out;
  std::map<ValueId, std::size_t> made;  // where in `out`
  std::set<std::size_t> gone;
  for (LoweredCall& call : calls) {
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      auto before = made.find(call.arguments[k]);
      if (before == made.end() || reads[call.arguments[k]] != 1 || kept.contains(call.arguments[k])) {
        continue;
      }
      if (auto both = Fuser(out[before->second], call, k).run()) {
        gone.insert(before->second);
        call = std::move(*both);
        break;
      }
    }
    made[call.result] = out.size();
    out.push_back(std::move(call));
  }
  calls.clear();
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (!gone.contains(k)) {
      calls.push_back(std::move(out[k]));
    }
  }
}

}  // namespace vouch
