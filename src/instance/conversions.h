// Elements that a call makes those of another type: which type they had.
#pragma once

#include <optional>
#include <vector>

#include "instance/instance.h"
#include "kernel/kernel.h"

namespace vouch {

const TensorDecl* declared(const std::vector<TensorDecl>& tensors, Symbol name);

class Conversions {
 public:
  // Of a call with this kernel, operands of these types, and what these compute.
  Conversions(const InstanceNode& call, const Kernel& kernel, const std::vector<Type>& operands,
              const std::vector<const Body*>& bodies);

  // Of the elements that a statement gives; nothing where they are elements of the new type as they were.
  std::optional<DType> from(const Statement& statement) const { return type_had(statement, computed_); }
  // Of these, too: which type holds which is known of what only widens them alone.
  bool is_any(const Statement& statement) const { return type_had(statement, true).has_value(); }

 private:
  std::optional<DType> type_had(const Statement& statement, bool computed) const;

  const Kernel& kernel_;
  bool converts_;
  bool computed_;
};

}  // namespace vouch
