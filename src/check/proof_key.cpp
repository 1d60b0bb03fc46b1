#include "check/proof_key.h"

#include "kernel/dtype.h"

namespace vouch {
namespace {

class Key {
 public:
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
    add(static_cast<std::uint64_t>(is_integer(tensor.dtype()) ? 1 : 0));
    add(tensor.extents().size());
    for (Term extent : tensor.extents()) {
      add(extent);
    }
  }
  std::vector<std::uintptr_t> take() { return std::move(parts_); }

 private:
  std::vector<std::uintptr_t> parts_;
};

}  // namespace

std::vector<std::uintptr_t> proof_key(const Instance& instance) {
  Key key;
  key.add(instance.symbols.size());
  for (const FreeSymbol& symbol : instance.symbols) {
    key.add(symbol.name);
    key.add(symbol.at_least ? static_cast<std::uint64_t>(*symbol.at_least) * 2 + 1 : 0);
  }
  key.add(instance.assumptions);
  key.add(instance.obligations);
  key.add(instance.inputs.size());
  for (const InputTensor& input : instance.inputs) {
    key.add(input.name);
    bool is_read = !input.contents && !input.fill;
    key.add((input.type.dtype() == DType::Bool ? 1U : 0U) + (is_read && is_integer(input.type.dtype()) ? 2U : 0U));
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
  return key.take();
}

}  // namespace vouch
