// Shared immutable nodes of syntax trees, compared by structure.
#pragma once

#include <memory>
#include <utility>

namespace vouch::array {

// Null only when default-constructed: "there is none", for fields that other kinds of node use.
template <class Node>
class Ref {
 public:
  Ref() = default;
  explicit Ref(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}

  const Node* operator->() const { return node_.get(); }
  const Node& operator*() const { return *node_; }
  explicit operator bool() const { return node_ != nullptr; }
  const void* id() const { return node_.get(); }
  friend bool operator==(const Ref& a, const Ref& b) {
    return a.node_ == b.node_ || (a.node_ && b.node_ && *a.node_ == *b.node_);
  }

 private:
  std::shared_ptr<const Node> node_;
};

}  // namespace vouch::array
