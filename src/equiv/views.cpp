#include "equiv/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

constexpr std::size_t kMostPermuted = 4;  // axes

Extents strides_of(const Extents& extents) {
  Extents out(extents.size(), 1);
  for (std::size_t axis = extents.size(); axis-- > 1;) {
    out[axis - 1] = out[axis] * extents[axis];
  }
  return out;
}

std::vector<std::size_t> long_axes(const Extents& extents) {
  std::vector<std::size_t> out;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] != 1) {
      out.push_back(axis);
    }
  }
  return out;
}

// Does axis order[k] of `of` walk as axis axes[k] of `tensor` does?
bool same_elements(const Tensor& tensor, const std::vector<std::size_t>& axes, const Tensor& of,
                   const std::vector<std::size_t>& order) {
  std::size_t width = byte_size(tensor.dtype());
  Extents strides = strides_of(of.extents());
  Extents point(axes.size(), 0);
  std::int64_t there = 0;
  for (std::int64_t here = 0; here < tensor.count(); ++here) {
    if (std::memcmp(tensor.bytes().data() + here * static_cast<std::int64_t>(width),
                    of.bytes().data() + there * static_cast<std::int64_t>(width), width) != 0) {
      return false;
    }
    for (std::size_t k = axes.size(); k-- > 0;) {
      there += strides[order[k]];
      if (++point[k] < tensor.extents()[axes[k]]) {
        break;
      }
      there -= strides[order[k]] * tensor.extents()[axes[k]];
      point[k] = 0;
    }
  }
  return true;
}

std::optional<std::vector<Term>> permuted(const Tensor& tensor, const Tensor& of, const std::vector<Term>& indices) {
  std::vector<std::size_t> axes = long_axes(tensor.extents());
  std::vector<std::size_t> order = long_axes(of.extents());
  if (axes.size() != order.size() || axes.size() > kMostPermuted) {
    return std::nullopt;
  }
  do {
    bool same_form = std::equal(axes.begin(), axes.end(), order.begin(),
                                [&](std::size_t x, std::size_t y) { return tensor.extents()[x] == of.extents()[y]; });
    if (same_form && same_elements(tensor, axes, of, order)) {
      std::vector<Term> out(of.rank(), Term(0));
      for (std::size_t k = 0; k < axes.size(); ++k) {
        out[order[k]] = indices[axes[k]];
      }
      return out;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return std::nullopt;
}

std::optional<std::vector<Term>> reshaped(const Tensor& tensor, const Tensor& of, const std::vector<Term>& indices) {
  if (!std::equal(tensor.bytes().begin(), tensor.bytes().end(), of.bytes().begin(), of.bytes().end())) {
    return std::nullopt;
  }
  Extents strides = strides_of(tensor.extents());
  Term position(0);
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    position = position + indices[axis] * Term(strides[axis]);
  }
  std::vector<Term> out;
  Extents of_strides = strides_of(of.extents());
  for (std::size_t axis = 0; axis < of.rank(); ++axis) {
    out.push_back(floor_mod(floor_div(position, Term(of_strides[axis])), Term(of.extents()[axis])));
  }
  return out;
}

}  // namespace

std::optional<std::vector<Term>> view_indices(const Tensor& tensor, const Tensor& of, const std::vector<Term>& indices) {
  if (tensor.dtype() != of.dtype() || tensor.count() != of.count() || tensor.count() == 0) {
    return std::nullopt;
  }
  auto found = permuted(tensor, of, indices);
  return found ? found : reshaped(tensor, of, indices);
}

std::vector<ParameterView> parameter_views(const std::vector<const Tensor*>& values) {
  std::vector<ParameterView> out;
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::vector<Term> indices;
    for (std::size_t axis = 0; values[k] != nullptr && axis < values[k]->rank(); ++axis) {
      indices.push_back(int_var(fmt::format("@{}", axis)));
    }
    for (std::size_t j = 0; values[k] != nullptr && j < k; ++j) {
      auto view = values[j] != nullptr ? view_indices(*values[k], *values[j], indices) : std::nullopt;
      if (view) {
        out.push_back({k, j, std::move(*view)});
        break;
      }
    }
  }
  return out;
}

std::string views_text(const std::vector<ParameterView>& views) {
  std::string out;
  for (const ParameterView& view : views) {
    std::string indices;
    for (Term index : view.indices) {
      indices += (indices.empty() ? "" : ", ") + print_term(index);
    }
    out += fmt::format("x{} = x{}[{}]\n", view.input, view.of, indices);
  }
  return out;
}

Instance viewed_instance(const Region& region, const std::vector<ParameterView>& views) {
  Instance instance = region_instance(region);
  std::map<Symbol, const ParameterView*> by_name;
  for (const ParameterView& view : views) {
    by_name.emplace(instance.inputs[view.input].name, &view);
  }
  auto through = [&](Symbol tensor, std::span<const Term> at) -> std::optional<Term> {
    auto view = by_name.find(tensor);
    if (view == by_name.end()) {
      return std::nullopt;
    }
    Substitution here;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      here.emplace(Symbol(fmt::format("@{}", axis)), at[axis]);
    }
    std::vector<Term> indices;
    for (Term index : view->second->indices) {
      indices.push_back(substitute(index, here));
    }
    return read(instance.inputs[view->second->of].name, std::move(indices));
  };
  for (InstanceOutput& output : instance.outputs) {
    for (Body* body : {&output.source_body, &output.target_body}) {
      body->value = body->value && !views.empty() ? replace_reads(body->value, through) : body->value;
    }
  }
  return instance;
}

}  // namespace vouch
