#include "build/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "build/compose.h"
#include "build/stage.h"
#include "certify/index_fuse.h"
#include "certify/index_lanes.h"
#include "certify/index_names.h"
#include "certify/index_reorder.h"
#include "imp/elements.h"
#include "imp/print_c.h"
#include "lower/lower.h"
#include "support/fault.h"

namespace vouch {
namespace {

void for_reads(IndexBody& body, const std::function<void(IndexBody&)>& change) {
  if (body.kind == IndexBodyKind::Read) {
    change(body);
  }
  for (IndexBody& arg : body.args) {
    for_reads(arg, change);
  }
}

void renumber(IndexStatement& statement, const std::map<unsigned, unsigned>& to) {
  for (IndexSummand& summand : statement.summands) {
    for_reads(summand.body, [&](IndexBody& read) { read.tensor = to.at(read.tensor); });
  }
}

std::set<unsigned> tensors_of(IndexStatement statement) {
  std::set<unsigned> all;
  for (IndexSummand& summand : statement.summands) {
    for_reads(summand.body, [&](IndexBody& read) { all.insert(read.tensor); });
  }
  return all;
}

array::Type type_of_extents(const std::vector<array::Size>& extents) {
  array::Type type = array::type_num();
  for (std::size_t a = extents.size(); a-- > 0;) {
    type = array::type_array(extents[a], type);
  }
  return type;
}

// The copy as a kernel of its own; before it `locals` others were made.
IndexKernel copy_kernel(const IndexKernel& kernel, const IndexStatement& copy, std::size_t locals, std::size_t input) {
  IndexKernel out;
  out.inputs = {kernel.inputs[input]};
  out.output = copy;
  renumber(out.output, {{static_cast<unsigned>(locals + input), 0}});
  out.output_name = usable_c_name(kernel.inputs[input].name + "_packed", {kernel.inputs[input].name}, CNameUse::Parameter);
  out.formula = fmt::format("{}: a copy of {}, in another order\n", out.output_name, out.inputs[0].name);
  return out;
}

}  // namespace

bool takes_memory(const array::Program& program) { return array::needs_heap(array::flat_program(program)); }

bool only_floats(const IndexKernel& kernel) {
  return kernel.computed == array::Element::F32 && kernel.output_element == array::Element::F32 &&
         std::all_of(kernel.inputs.begin(), kernel.inputs.end(),
                     [](const array::Parameter& input) { return input.element == array::Element::F32; });
}

PackedKernels planned(const IndexKernel& kernel, const std::set<unsigned>& ahead, const TileTarget& target) {
  ensure(kernel.locals.empty(), "a library's kernel has no locals");
  PackedKernels out;
  out.kernel = kernel;
  out.tiling = plan_index(kernel, {CopyPlace::Before, ahead}, target);
  std::size_t count = out.tiling ? out.tiling->copies.size() : 0;
  if (count > 0) {
    IndexKernel whole = packed(kernel, out.tiling->copies);
    for (std::size_t k = 0; k < count; ++k) {
      std::size_t input = out.tiling->copies[k].input;
      std::size_t before = count - 1 - k;  // `packed` puts each copy in front of those before it
      out.copies.push_back({input, copy_kernel(kernel, whole.locals[before], before, input)});
    }
    out.tiling->copies.clear();
    out.kernel.output = whole.output;
    out.kernel.inputs.clear();
    std::set<unsigned> read = tensors_of(whole.output);
    std::map<unsigned, unsigned> to;
    for (unsigned tensor : read) {
      to.emplace(tensor, static_cast<unsigned>(to.size()));
      bool is_copy = tensor < count;
      std::size_t which = is_copy ? tensor : tensor - count;
      (is_copy ? out.from_copies : out.from_inputs).push_back(which);
      out.kernel.inputs.push_back(is_copy ? array::Parameter{whole.inputs[out.copies[which].input].name + "_packed",
                                                             type_of_extents(whole.locals[count - 1 - which].extents)}
                                          : whole.inputs[which]);
    }
    renumber(out.kernel.output, to);
  } else {
    for (std::size_t k = 0; k < kernel.inputs.size(); ++k) {
      out.from_inputs.push_back(k);
    }
  }
  if (out.tiling && takes_memory(lower_index(out.kernel, out.tiling))) {
    out = {};
    out.kernel = kernel;
    for (std::size_t k = 0; k < kernel.inputs.size(); ++k) {
      out.from_inputs.push_back(k);
    }
  }
  return out;
}

std::optional<IndexTiling> in_another_order(const IndexKernel& kernel) {
  bool fits = std::all_of(std::begin(kTileTargets), std::end(kTileTargets), [&](const TileTarget& target) {
    auto tiling = plan_reordered(kernel, target);
    return tiling && is_reordered(tiling) && !takes_memory(lower_index(kernel, tiling));
  });
  return fits ? plan_reordered(kernel) : std::nullopt;
}

static bool copies_given(const PackedKernels& packed, const std::set<unsigned>& ahead) {
  return std::any_of(packed.copies.begin(), packed.copies.end(),
                     [&](const PackedKernels::Copy& copy) { return !ahead.contains(static_cast<unsigned>(copy.input)); });
}

StagedKernel prepare(const IndexKernel& kernel, const std::set<unsigned>& ahead, const TileTarget& target) {
  StagedKernel out;
  out.stages.resize(kernel.inputs.size());
  IndexKernel plain = kernel;
  std::set<unsigned> unstaged = ahead;
  while (auto stage = staged(plain)) {
    unstaged.erase(static_cast<unsigned>(stage->input));
    ensure(!out.stages[stage->input], "a copy is read plainly");
    out.stages[stage->input] = std::move(stage->copy);
    plain = std::move(stage->kernel);
  }
  out.packed = planned(plain, unstaged, target);
  bool as_given = std::none_of(out.stages.begin(), out.stages.end(), [](const auto& stage) { return stage.has_value(); });
  if (auto stage = as_given ? bordered(kernel, copies_given(out.packed, ahead)) : std::nullopt) {
    out.stages[stage->input] = std::move(stage->copy);
    out.packed = planned(stage->kernel, ahead, target);
  }
  if (!out.packed.tiling) {
    return {planned(kernel, ahead, target), std::vector<std::optional<IndexKernel>>(kernel.inputs.size())};
  }
  for (PackedKernels::Copy& copy : out.packed.copies) {
    if (const auto& stage = out.stages[copy.input]) {
      auto both = composed(copy.kernel, 0, *stage);
      ensure(both.has_value(), "a copy has no sums");
      copy.kernel = std::move(*both);
    }
  }
  return out;
}

std::size_t KernelPool::add(IndexKernel kernel, std::optional<IndexTiling> tiling, const std::string& wish) {
  kernel.name = "kernel";
  std::string key = fmt::format("{}{}:{}:{}", index_certificate(kernel, tiling), kernel.output_name,
                                array::c_type(kernel.output_element), array::c_type(kernel.computed));
  for (const array::Parameter& input : kernel.inputs) {
    key += fmt::format(",{}:{}", input.name, array::c_type(input.element));
  }
  auto [at, is_new] = known_.try_emplace(key, kernels_.size());
  if (is_new) {
    std::string lower;
    for (unsigned char c : wish) {
      lower += std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '_';
    }
    kernel.name = fmt::format("{}_{}_{}", library_, kernels_.size(), lower);
    std::optional<IndexKernel> written;
    if (lanes_ && has_lanes(kernel)) {
      written = kernel;
      kernel = in_lanes(kernel);
    }
    array::Program program = lower_index(kernel, tiling);
    ensure(!takes_memory(program), "a library's kernel needs no memory of its own");
    auto fused = fma_ && !array::is_whole(kernel.computed) && adds_products(program) ? fused_program(program) : std::nullopt;
    bool is_fused = fused.has_value();
    kernels_.push_back({kernel.name, std::move(kernel), std::move(tiling), is_fused ? std::move(*fused) : std::move(program),
                        is_fused, std::move(written)});
  }
  return at->second;
}

}  // namespace vouch
