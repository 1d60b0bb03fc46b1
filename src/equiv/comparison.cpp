#include "equiv/comparison.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace vouch {
namespace {

constexpr double kFewRoundings = 1e-12;  // relative: some thousand roundings of float64
constexpr double kLeast = 1e-9;          // relative: what is nearer is one
constexpr double kNarrow = 1e-3;         // relative: the same where one of the two is computed in narrow floats

}  // namespace

void OutputComparison::use(std::vector<NodeId> stand_ins, bool computes_narrow) {
  stand_ins_ = std::move(stand_ins);
  narrow_ = computes_narrow;
  changed_graph_.reset();
  made_ = false;
}

std::optional<Divergence> OutputComparison::compare(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs,
                                                    double least) {
  ran_ = false;
  changed_prints_.clear();
  for (std::size_t k = 0; k < pair_.outputs.size(); ++k) {
    const Tensor& a = outputs[2 * k];
    const Tensor& b = outputs[2 * k + 1];
    // What is computed from a call of unknown type is no wider than its model has it, beside what both models say the type of.
    bool of_other_width = a.dtype() != b.dtype() && is_float(a.dtype()) && is_float(b.dtype());
    if (a.extents() != b.extents() || (a.dtype() != b.dtype() && !of_other_width)) {
      relative_ = 1;
      return Divergence{k, 0, 0, 0, 0, "it has another shape there"};
    }
    if (a == b) {
      continue;
    }
    Apart found = apart(a, b);
    double floor = is_float(a.dtype()) ? std::max(of_other_width ? kNarrow : kLeast, least) * found.scale : 0;
    if (found.worst > floor && found.worst > allowed(k, inputs, outputs)) {
      relative_ = found.scale > 0 ? found.worst / found.scale : 1;
      return Divergence{k, 0, found.at, a.double_at(found.at), b.double_at(found.at), ""};
    }
  }
  return std::nullopt;
}

OutputComparison::Apart OutputComparison::apart(const Tensor& a, const Tensor& b) const {
  Apart out;
  for (std::int64_t at = 0; at < a.count(); ++at) {
    double x = a.double_at(at);
    double y = b.double_at(at);
    if (ignores_overflow_ && !(std::isfinite(x) && std::isfinite(y))) {
      continue;
    }
    double off = x == y || (std::isnan(x) && std::isnan(y)) ? 0 : std::abs(plain(x) - plain(y));
    out.scale = std::max(out.scale, std::min(std::abs(plain(x)), 1e30));
    if (off > out.worst) {
      out.worst = off;
      out.at = at;
    }
  }
  return out;
}

double OutputComparison::most_apart(const Tensor& a, const Tensor& b) {
  double most = 0;
  for (std::int64_t at = 0; at < a.count(); ++at) {
    double off = std::abs(a.double_at(at) - b.double_at(at));
    most = std::isfinite(off) ? std::max(most, off) : most;
  }
  return most;
}

double OutputComparison::allowed(std::size_t output, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) {
  run_changed(inputs);
  double most = 0;
  for (std::size_t k : {2 * output, 2 * output + 1}) {
    const Tensor& before = outputs[k];
    if (!changed_ || (*changed_)[k].extents() != before.extents()) {
      return 1e-3;
    }
    most = std::max(most, most_apart(before, (*changed_)[k]));
    most = plain_ && (*plain_)[k].extents() == before.extents() ? std::max(most, most_apart(before, (*plain_)[k])) : most;
  }
  return 10 * most;
}

void OutputComparison::run_changed(const std::vector<Tensor>& inputs) {
  if (ran_) {
    return;
  }
  make_changed();
  std::string ignored;
  changed_ = changed_graph_ ? run_wide(*changed_graph_, inputs, pair_.foreign, &changed_prints_, ignored) : std::nullopt;
  plain_ = plain_graph_ ? run_wide(*plain_graph_, inputs, pair_.foreign, nullptr, ignored) : std::nullopt;
  if (!changed_) {
    changed_prints_.clear();
  } else if (!stand_ins_.empty()) {
    for (NodeId node = 0; node < stand_ins_.size(); ++node) {
      changed_prints_[node] = changed_prints_[stand_ins_[node]];
    }
  }
  ran_ = true;
}

void OutputComparison::make_changed() {
  if (made_) {
    return;
  }
  made_ = true;
  std::mt19937_64 random(7);
  std::optional<SettledNumbers> settled;
  if (!narrow_) {
    settled.emplace(pair_);
  }
  auto changed = [&](Tensor value) {
    bool is_number = is_float(value.dtype());
    double most = is_number && settled && settled->contains(value) ? kFewRoundings : parameter_change_.of(value.dtype());
    for (std::int64_t at = 0; is_number && at < value.count(); ++at) {
      double unit = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
      double old = value.double_at(at);
      // A whole number may be what a formula says (a square): it is nothing that was measured.
      value.set_double(at, old == std::floor(old) ? old : old * (1 + most * unit));
    }
    return value;
  };
  changed_graph_ = widened(pair_.graph, {changed, stand_ins_});
  if (narrow_) {
    plain_graph_ = as_it_is(pair_.graph);
  }
}

}  // namespace vouch
