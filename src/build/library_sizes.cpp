#include "build/library_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "imp/elements.h"
#include "support/fault.h"
#include "support/hash.h"

namespace vouch {
namespace {

// What one choice of sizes has as `text` of each.
template <class Text>
std::vector<std::string> of_each(const std::vector<LibrarySize>& sizes, const std::vector<std::int64_t>& at, Text text) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    out.push_back(text(sizes[k], at[k]));
  }
  return out;
}

// The weights of all plans, each that several have once. Two of one plan never share a place: a plan is proven for any weights.
class CommonWeights {
 public:
  explicit CommonWeights(Library& common) : common_(common) {}

  void place(Library& plan) {
    std::map<Bytes, std::size_t> seen;
    for (ValueId value = 0; value < plan.plan.values.size(); ++value) {
      auto& at = plan.memory.places[value];
      if (at && at->buffer == Buffer::Weights) {
        const PlanValue& about = plan.plan.values[value];
        auto bytes = about.weights->bytes();
        Bytes key{at->number, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
        std::vector<std::int64_t>& offsets = offsets_[key];
        std::size_t which = seen[key]++;
        if (which == offsets.size()) {
          offsets.push_back(common_.memory.weights[at->number]);
          add(key, cells_taken(about));
        }
        at->offset = offsets[which];
      }
    }
  }

 private:
  using Bytes = std::pair<std::size_t, std::string_view>;  // type of element, content

  void add(const Bytes& bytes, std::int64_t cells) {
    const auto& [type, text] = bytes;
    common_.memory.weights[type] += cells;
    std::string& all = common_.weights[type];
    std::size_t width = array::bytes_of(static_cast<array::Element>(type));
    all += text;
    all.resize(static_cast<std::size_t>(common_.memory.weights[type]) * width, '\0');
  }

  Library& common_;
  std::map<Bytes, std::vector<std::int64_t>> offsets_;
};

// As large as it is in any plan.
std::vector<PlanTensor> largest(const std::vector<Library>& plans, std::vector<PlanTensor> CallPlan::*tensors, CallPlan& common) {
  std::vector<PlanTensor> out;
  for (std::size_t k = 0; k < (plans[0].plan.*tensors).size(); ++k) {
    auto cells = [&](const Library& plan) { return plan.plan.values[(plan.plan.*tensors)[k].value].cells; };
    auto most = std::max_element(plans.begin(), plans.end(), [&](const auto& a, const auto& b) { return cells(a) < cells(b); });
    const PlanTensor& tensor = (most->plan.*tensors)[k];
    PlanValue value = most->plan.values[tensor.value];
    value.pieces.clear();
    out.push_back({tensor.name, tensor.extents, static_cast<ValueId>(common.values.size())});
    common.values.push_back(std::move(value));
  }
  return out;
}

void enlarge(MemoryPlan& memory, const MemoryPlan& plan) {
  for (std::size_t type = 0; type < memory.arena.size(); ++type) {
    memory.arena[type] = std::max(memory.arena[type], plan.arena[type]);
  }
  memory.arena_bytes = std::max(memory.arena_bytes, plan.arena_bytes);
  memory.least_bytes = std::max(memory.least_bytes, plan.least_bytes);
}

}  // namespace

std::size_t how_many_plans(const SizeChoices& choices) {
  std::size_t plans = 1;
  for (const auto& [name, values] : choices) {
    plans = std::min(plans * std::min(values.size(), kMostPlans + 1), kMostPlans + 1);
  }
  return plans;
}

std::vector<LibrarySize> library_sizes(const std::string& library, const SizeChoices& choices) {
  std::vector<LibrarySize> out;
  std::vector<std::string> taken = own_names(library);
  for (const auto& [name, values] : choices) {
    if (values.size() > 1) {
      out.push_back({name, parameter_name(name, library, taken), values});
    }
  }
  return out;
}

std::vector<std::vector<std::int64_t>> choices_of(const std::vector<LibrarySize>& sizes) {
  std::vector<std::vector<std::int64_t>> out{{}};
  for (const LibrarySize& size : sizes) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const auto& at : out) {
      for (std::int64_t value : size.values) {
        longer.push_back(at);
        longer.back().push_back(value);
      }
    }
    out = std::move(longer);
  }
  return out;
}

std::string choice_name(const std::vector<LibrarySize>& sizes, const std::vector<std::int64_t>& at) {
  auto text = [](const LibrarySize& size, std::int64_t value) {
    return fmt::format("{}_{}", size.parameter.substr(0, size.parameter.find_last_not_of('_') + 1), value);
  };
  return fmt::format("{}", fmt::join(of_each(sizes, at, text), "_"));
}

std::string choice_text(const std::vector<LibrarySize>& sizes, const std::vector<std::int64_t>& at) {
  auto text = [](const LibrarySize& size, std::int64_t value) { return fmt::format("{}={}", size.name, value); };
  return fmt::format("{}", fmt::join(of_each(sizes, at, text), ", "));
}

Library join_plans(const std::string& name, std::vector<CallPlan> plans, std::vector<PlanKernel> kernels,
                   std::vector<LibrarySize> sizes, const LibraryOptions& options) {
  Library out;
  out.plan.name = name;
  out.plan.kernels = std::move(kernels);
  out.options = options;
  std::vector<std::vector<std::int64_t>> choices = choices_of(sizes);
  ensure(choices.size() == plans.size(), "each choice of sizes has a plan");
  CommonWeights weights(out);
  out.plans.resize(plans.size());  // what is common refers to the weights of plans: they stay where they are
  for (std::size_t k = 0; k < plans.size(); ++k) {
    Library& plan = out.plans[k];
    plan.memory = plan_memory(plans[k]);
    plan.plan = std::move(plans[k]);
    plan.options = options;
    plan.at = choices[k];
    name_tensors(plan, name, sizes);
    weights.place(plan);
    enlarge(out.memory, plan.memory);
  }
  for (Library& plan : out.plans) {
    plan.memory.weights = out.memory.weights;
    for (PlanValue& value : plan.plan.values) {
      value.weights.reset();
    }
  }
  out.plan.inputs = largest(out.plans, &CallPlan::inputs, out.plan);
  out.plan.outputs = largest(out.plans, &CallPlan::outputs, out.plan);
  out.sizes = std::move(sizes);
  name_tensors(out, name, out.sizes);
  out.weights_hash = content_hash(out.weights[0]);
  return out;
}

std::vector<const Library*> plans_of(const Library& library) {
  std::vector<const Library*> out;
  for (const Library& plan : library.plans) {
    out.push_back(&plan);
  }
  return out.empty() ? std::vector{&library} : out;
}

}  // namespace vouch
