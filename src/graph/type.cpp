#include "graph/type.h"

#include <deque>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "graph/foreign.h"
#include "support/fault.h"
#include "support/recent.h"
#include "term/print.h"

namespace vouch {

struct Type::Node {
  bool is_tuple = false;
  DType dtype = DType::Float32;
  std::vector<Term> extents;
  std::vector<Type> items;
  // Of a foreign type (graph/foreign.h), which has no items: what it is called, and how its file spells it.
  std::string text;
  std::string spelling;
  std::size_t hash = 0;

  friend bool operator==(const Node& a, const Node& b) {
    return a.is_tuple == b.is_tuple && a.dtype == b.dtype && a.extents == b.extents && a.items == b.items && a.text == b.text &&
           a.spelling == b.spelling;
  }
};

struct TypeTable {
  struct Hash {
    std::size_t operator()(const Type::Node* node) const { return node->hash; }
  };
  struct Same {
    bool operator()(const Type::Node* a, const Type::Node* b) const { return *a == *b; }
  };

  static const Type::Node* node_of(Type type) { return type.node_; }

  static Type foreign(std::string text, std::string spelling) {
    Type::Node node;
    node.is_tuple = true;
    node.text = std::move(text);
    node.spelling = std::move(spelling);
    return intern(std::move(node));
  }

  static Type intern(Type::Node&& node) {
    static auto* table = new TypeTable();  // never freed: types outlive statics
    node.hash = static_cast<std::size_t>(node.dtype) * 31 + (node.is_tuple ? 7 : 0);
    for (Term extent : node.extents) {
      node.hash = node.hash * 1000003 ^ std::hash<Term>()(extent);
    }
    for (Type item : node.items) {
      node.hash = node.hash * 1000003 ^ std::hash<Type>()(item);
    }
    if (!node.text.empty()) {
      node.hash ^= std::hash<std::string>()(node.text) + std::hash<std::string>()(node.spelling) * 3;
    }
    const Type::Node*& slot = recent<Type::Node, 12>(node.hash);
    if (slot != nullptr && *slot == node) {
      return Type(slot);
    }
    std::lock_guard lock(table->mutex);
    if (auto found = table->nodes.find(&node); found != table->nodes.end()) {
      slot = *found;
      return Type(slot);
    }
    table->storage.push_back(std::move(node));
    const Type::Node* kept = &table->storage.back();
    table->nodes.insert(kept);
    slot = kept;
    return Type(kept);
  }

  std::mutex mutex;
  std::unordered_set<const Type::Node*, Hash, Same> nodes;
  std::deque<Type::Node> storage;
};

Type Type::tensor(DType dtype, std::vector<Term> extents) {
  Node node;
  node.dtype = dtype;
  node.extents = std::move(extents);
  return TypeTable::intern(std::move(node));
}

Type Type::tensor(DType dtype, const Extents& extents) {
  return tensor(dtype, std::vector<Term>(extents.begin(), extents.end()));
}

Type Type::tuple(std::vector<Type> items) {
  Node node;
  node.is_tuple = true;
  node.items = std::move(items);
  return TypeTable::intern(std::move(node));
}

Type foreign_type(std::string text, std::string spelling) {
  ensure(!text.empty(), "a foreign type has a text");
  return TypeTable::foreign(std::move(text), std::move(spelling));
}

bool is_foreign(Type type) { return type && !TypeTable::node_of(type)->text.empty(); }

const std::string& foreign_spelling(Type type) {
  ensure(is_foreign(type), "the spelling of a type that is not foreign");
  return TypeTable::node_of(type)->spelling;
}

bool Type::is_tuple() const { return node_ != nullptr && node_->is_tuple; }

DType Type::dtype() const {
  ensure(is_tensor(), "the element type of a type that is no tensor");
  return node_->dtype;
}

const std::vector<Term>& Type::extents() const {
  ensure(is_tensor(), "the extents of a type that is no tensor");
  return node_->extents;
}

std::optional<Extents> Type::concrete_extents() const {
  Extents out;
  for (Term extent : extents()) {
    auto known = const_int(extent);
    if (!known) {
      return std::nullopt;
    }
    out.push_back(*known);
  }
  return out;
}

const std::vector<Type>& Type::items() const {
  ensure(is_tuple(), "the items of a type that is no tuple");
  return node_->items;
}

// Tensors come back, in messages about tuples above all.
static const std::string& text_of_tensor(Type tensor) {
  constexpr std::size_t kMost = 4096;
  thread_local std::unordered_map<Type, std::string> known;
  if (known.size() >= kMost) {
    known.clear();
  }
  auto [at, is_new] = known.try_emplace(tensor);
  if (is_new) {
    at->second = std::string(dtype_name(tensor.dtype())) + "[";
    std::string_view separator;
    for (Term extent : tensor.extents()) {
      at->second.append(separator).append(print_term(extent));
      separator = ", ";
    }
    at->second += "]";
  }
  return at->second;
}

std::string Type::text() const {
  if (node_ == nullptr) {
    return "nothing";
  }
  if (!node_->text.empty()) {
    return node_->text;
  }
  if (!is_tuple()) {
    return text_of_tensor(*this);
  }
  std::string out = "(";
  std::string_view separator;
  for (Type item : items()) {
    out.append(separator).append(item.text());
    separator = ", ";
  }
  return out + ")";
}

}  // namespace vouch
