// Steps of training, as ONNX defines them: optimisers of `ai.onnx.preview.training`, and normalisation by the statistics of a
// batch.
#include <algorithm>
#include <cmath>

#include "io/evaluated_node.h"

namespace vouch {
namespace {

// Of a number of tensors X, their gradients G, and states of theirs: rate, count of updates, X…, G…, states….
struct Optimised {
  double rate;
  double updates;
  std::size_t tensors;
  std::size_t states;  // of each tensor
};

std::optional<Optimised> optimised(EvaluatedNode& node, std::size_t states) {
  std::size_t given = 0;
  while (node.has(given)) {
    ++given;
  }
  std::size_t groups = 2 + states;
  bool fit = given > 2 && (given - 2) % groups == 0 && node.operand(0).count() == 1 && node.operand(1).count() == 1;
  std::size_t tensors = fit ? (given - 2) / groups : 0;
  for (std::size_t k = 0; fit && k < given - 2; ++k) {
    const Tensor& first = node.operand(2 + k % tensors);
    const Tensor& other = node.operand(2 + k);
    fit = other.extents() == first.extents() && is_float(other.dtype()) && other.dtype() == first.dtype();
  }
  if (!fit) {
    return node.fail("expected a rate, a count of updates, and tensors, gradients and states of like shapes");
  }
  return Optimised{node.operand(0).double_at(0), static_cast<double>(node.operand(1).int_at(0)), tensors, states};
}

// `step` gives of x, its gradient (with the penalty for large x) and its states the new x and the new states, in place.
template <class Step>
EvaluatedResults optimise(EvaluatedNode& node, const Optimised& form, Step step) {
  std::vector<Tensor> out;
  for (std::size_t group : {std::size_t{0}, std::size_t{2}, std::size_t{3}}) {
    for (std::size_t k = 0; group < 2 + form.states && k < form.tensors; ++k) {
      const Tensor& like = node.operand(2 + group * form.tensors + k);
      if (!node.may_have(like.dtype(), like.extents())) {
        return std::nullopt;
      }
      out.push_back(like);
    }
  }
  double penalty = node.real("norm_coefficient", 0);
  for (std::size_t k = 0; k < form.tensors; ++k) {
    const Tensor& gradients = node.operand(2 + form.tensors + k);
    for (std::int64_t at = 0; at < gradients.count(); ++at) {
      double x = out[k].double_at(at);
      double gradient = penalty * x + gradients.double_at(at);
      std::vector<double> states;
      for (std::size_t s = 0; s < form.states; ++s) {
        states.push_back(out[(1 + s) * form.tensors + k].double_at(at));
      }
      out[k].set_double(at, step(x, gradient, states));
      for (std::size_t s = 0; s < form.states; ++s) {
        out[(1 + s) * form.tensors + k].set_double(at, states[s]);
      }
    }
  }
  return out;
}

}  // namespace

EvaluatedResults evaluate_adagrad(EvaluatedNode& node) {
  auto form = optimised(node, 1);
  if (!form) {
    return std::nullopt;
  }
  double rate = form->rate / (1 + form->updates * node.real("decay_factor", 0));
  double epsilon = node.real("epsilon", 1e-6F);
  return optimise(node, *form, [&](double x, double gradient, std::vector<double>& states) {
    states[0] += gradient * gradient;
    return x - rate * gradient / (std::sqrt(states[0]) + epsilon);
  });
}

EvaluatedResults evaluate_adam(EvaluatedNode& node) {
  auto form = optimised(node, 2);
  if (!form) {
    return std::nullopt;
  }
  double alpha = node.real("alpha", 0.9F);
  double beta = node.real("beta", 0.999F);
  double epsilon = node.real("epsilon", 1e-6F);
  double shrink = 1 - node.real("norm_coefficient_post", 0);
  double warm = std::sqrt(1 - std::pow(beta, form->updates)) / (1 - std::pow(alpha, form->updates));
  double rate = form->rate * (form->updates > 0 ? warm : 1);
  return optimise(node, *form, [&](double x, double gradient, std::vector<double>& states) {
    states[0] = alpha * states[0] + (1 - alpha) * gradient;
    states[1] = beta * states[1] + (1 - beta) * gradient * gradient;
    return shrink * (x - rate * states[0] / (std::sqrt(states[1]) + epsilon));
  });
}

EvaluatedResults evaluate_momentum(EvaluatedNode& node) {
  auto form = optimised(node, 1);
  std::string mode = node.text("mode", "");
  if (!form || (mode != "standard" && mode != "nesterov")) {
    return form ? node.fail("mode must be 'standard' or 'nesterov'") : std::nullopt;
  }
  double alpha = node.real("alpha", 0);
  double beta = form->updates > 0 ? node.real("beta", 0) : 1;
  return optimise(node, *form, [&](double x, double gradient, std::vector<double>& states) {
    states[0] = alpha * states[0] + beta * gradient;
    return x - form->rate * (mode == "nesterov" ? gradient + alpha * states[0] : states[0]);
  });
}

namespace {

struct Moments {
  double mean = 0;
  double variance = 0;
};

// Of the elements of one channel, axis 1.
Moments moments_of(const Tensor& x, const AxisView& view, std::int64_t channel) {
  auto count = static_cast<double>(view.outer * view.inner);
  Moments out;
  for (std::int64_t k = 0; k < view.outer * view.inner; ++k) {
    out.mean += x.double_at(view.at(k / view.inner, channel, k % view.inner)) / count;
  }
  for (std::int64_t k = 0; k < view.outer * view.inner; ++k) {
    double off = x.double_at(view.at(k / view.inner, channel, k % view.inner)) - out.mean;
    out.variance += off * off / count;
  }
  return out;
}

}  // namespace

// By the statistics of this batch, of which a share goes into the running ones. Where it does not train it is in the table.
EvaluatedResults evaluate_batch_normalization(EvaluatedNode& node) {
  if (!node.needs({2, 1, 1, 1, 1}) || node.before(14) || node.integer("training_mode", 0) == 0) {
    return node.why().empty() ? node.fail("only one that trains, as from opset 14 on, is evaluated so") : std::nullopt;
  }
  const Tensor& x = node.operand(0);
  std::int64_t channels = x.extents()[1];
  bool fit = is_float(x.dtype()) && x.count() > 0;
  for (std::size_t k = 1; k < 5; ++k) {
    fit = fit && is_float(node.operand(k).dtype()) && node.operand(k).extents() == Extents{channels};
  }
  if (!fit || !node.may_have(x.dtype(), x.extents())) {
    return fit ? std::nullopt : node.fail("expected a batch of floats, and a scale, a bias and moments for each channel");
  }
  double epsilon = node.real("epsilon", 1e-5F);
  double kept = node.real("momentum", 0.9F);
  AxisView view(x.extents(), 1);
  std::vector<Tensor> out{x, node.operand(3), node.operand(4)};
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    Moments found = moments_of(x, view, channel);
    double scale = node.operand(1).double_at(channel) / std::sqrt(found.variance + epsilon);
    for (std::int64_t k = 0; k < view.outer * view.inner; ++k) {
      std::int64_t at = view.at(k / view.inner, channel, k % view.inner);
      out[0].set_double(at, (x.double_at(at) - found.mean) * scale + node.operand(2).double_at(channel));
    }
    out[1].set_double(channel, kept * node.operand(3).double_at(channel) + (1 - kept) * found.mean);
    out[2].set_double(channel, kept * node.operand(4).double_at(channel) + (1 - kept) * found.variance);
  }
  return out;
}

}  // namespace vouch
