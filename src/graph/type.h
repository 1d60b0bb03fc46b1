// Types of graph nodes: a tensor with extents that may be symbolic, or a tuple of types. Interned: equality of
// structure is equality of handles, so a node holds one pointer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/tensor.h"
#include "term/term.h"

namespace vouch {

class Type {
 public:
  Type() = default;  // no type: an absent optional operand
  static Type tensor(DType dtype, std::vector<Term> extents);
  static Type tensor(DType dtype, const Extents& extents);
  static Type tuple(std::vector<Type> items);

  explicit operator bool() const { return node_ != nullptr; }
  bool is_tuple() const;
  bool is_tensor() const { return node_ != nullptr && !is_tuple(); }
  // Of tensors only.
  DType dtype() const;
  const std::vector<Term>& extents() const;
  std::size_t rank() const { return extents().size(); }
  // The extents if all are constants that fit 64 bits.
  std::optional<Extents> concrete_extents() const;
  // Of tuples only.
  const std::vector<Type>& items() const;

  friend bool operator==(Type a, Type b) { return a.node_ == b.node_; }
  const void* id() const { return node_; }
  // `float32[1, n, 3]`, `(float32[2], int64[])`.
  std::string text() const;

 private:
  struct Node;
  friend struct TypeTable;
  explicit Type(const Node* node) : node_(node) {}
  const Node* node_ = nullptr;
};

}  // namespace vouch

template <>
struct std::hash<vouch::Type> {
  std::size_t operator()(vouch::Type type) const noexcept { return std::hash<const void*>()(type.id()); }
};
