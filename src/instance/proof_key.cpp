#include "instance/proof_key.h"

#include <algorithm>

#include "algebra/partial.h"
#include "facts/shape_of_terms.h"
#include "instance/stores.h"
#include "instance/wrapping.h"
#include "tensor/dtype.h"

namespace vouch {
namespace {

// Is there an output that is not the same in integers that wrap around as over the reals? Sums, differences and products are, and
// what computes nothing.
bool wrapping_matters(const Instance& instance) {
  return std::any_of(instance.outputs.begin(), instance.outputs.end(), [](const InstanceOutput& output) {
    Term source = output.source_body.value;
    Term target = output.target_body.value;
    return !(is_ring_only(source) && is_ring_only(target)) && !(computes_nothing(source) && computes_nothing(target));
  });
}

// Is there an output that is more than sums, differences and products?
bool is_more_than_ring(const Instance& instance) {
  return std::any_of(instance.outputs.begin(), instance.outputs.end(), [](const InstanceOutput& output) {
    return !is_ring_only(output.source_body.value) || !is_ring_only(output.target_body.value);
  });
}

// Elements of one type become elements of another: which types decides what is lost.
bool converts(const Instance& instance) {
  return std::any_of(instance.outputs.begin(), instance.outputs.end(), [](const InstanceOutput& output) {
    return has_conversions(output.source_body.value) || has_conversions(output.target_body.value);
  });
}

}  // namespace

bool claims_own_types(const Instance& instance) {
  auto stands_for_another = [&](const InputTensor& input) {
    return std::any_of(instance.scope->stands_for.begin(), instance.scope->stands_for.end(),
                       [&](const auto& entry) { return entry.second.contains(input.type.dtype()); });
  };
  const bool own =
      instance.own_types || (instance.scope && std::none_of(instance.inputs.begin(), instance.inputs.end(), stands_for_another));
  return own && is_more_than_ring(instance);
}

namespace {

class Key {
 public:
  explicit Key(bool wrapping_matters) : wrapping_matters_(wrapping_matters) {}

  void add(Term term) { parts_.push_back(reinterpret_cast<std::uintptr_t>(term.id())); }
  void add(Symbol symbol) { parts_.push_back(reinterpret_cast<std::uintptr_t>(&symbol.name())); }  // interned
  void add(std::uint64_t number) { parts_.push_back(static_cast<std::uintptr_t>(number)); }
  void add(const Body& body) {
    add(body.indices.size());
    for (Symbol index : body.indices) {
      add(index);
    }
    add(body.value);
  }
  void add(const std::vector<InstanceCondition>& conditions) {
    add(conditions.size());
    for (const InstanceCondition& condition : conditions) {
      add(condition.guard);
    }
  }
  void add(Type tensor) {
    add(static_cast<std::uint64_t>(wraps(tensor) ? 1 : 0));
    add(tensor.extents().size());
    for (Term extent : tensor.extents()) {
      add(extent);
    }
  }
  bool wraps(Type tensor) const { return wrapping_matters_ && is_integer(tensor.dtype()); }
  // At what it may end a run.
  void add_failing(const InstanceNode& call) {
    for (std::size_t k = 0; k < call.bodies.size(); ++k) {
      if (has_some_that_fail(call.bodies[k].value)) {
        add(static_cast<std::uint64_t>(call.of_target ? 1 : 0));
        add(call.type.is_tensor() ? call.type : call.type.items()[k]);
        add(call.bodies[k]);
      }
    }
  }
  std::vector<std::uintptr_t> take() { return std::move(parts_); }

 private:
  bool wrapping_matters_;
  std::vector<std::uintptr_t> parts_;
};

}  // namespace

std::vector<std::uintptr_t> proof_key(const Instance& instance) {
  bool wraps = wrapping_matters(instance);
  Key key(wraps);
  Stores stores(instance);
  const bool own = claims_own_types(instance);
  key.add(converts(instance) ? stores.key()[0] : wraps ? stores.integers() : std::uint64_t{0});
  key.add(converts(instance) ? stores.key()[1] : std::uint64_t{0});
  key.add(instance.symbols.size());
  for (const FreeSymbol& symbol : instance.symbols) {
    key.add(symbol.name);
    key.add(symbol.at_least ? static_cast<std::uint64_t>(*symbol.at_least) * 2 + 1 : 0);
  }
  key.add(instance.assumptions);
  key.add(instance.every.size());
  for (const ElementCondition& condition : instance.every) {
    key.add(condition.input);
    key.add(condition.guard);
  }
  key.add(instance.obligations);
  key.add(instance.inputs.size());
  for (const InputTensor& input : instance.inputs) {
    key.add(input.name);
    bool is_read = !input.contents && !input.fill;
    key.add((input.type.dtype() == DType::Bool ? 1U : 0U) + (is_read && key.wraps(input.type) ? 2U : 0U));
    bool bounded = is_integer(input.type.dtype()) || is_float8(input.type.dtype());
    key.add(own && bounded ? static_cast<std::uint64_t>(input.type.dtype()) + 1 : std::uint64_t{0});
  }
  key.add(instance.families.ranges.size());
  for (const Families::Range& range : instance.families.ranges) {
    key.add(range.index);
    key.add(range.length);
    key.add(static_cast<std::uint64_t>(range.from));
  }
  key.add(instance.outputs.size());
  for (const InstanceOutput& output : instance.outputs) {
    key.add(output.source_type);
    key.add(output.target_type);
    key.add(output.source_body);
    key.add(output.target_body);
  }
  for (const InstanceNode& node : instance.nodes) {
    if (node.kind == InstanceNode::Kind::Call) {
      key.add_failing(node);
    }
  }
  return key.take();
}

}  // namespace vouch
