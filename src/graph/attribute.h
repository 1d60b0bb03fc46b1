// Attribute values and dictionaries (definition 2.2 of the thesis: pairs `l = v`).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/tensor.h"
#include "term/term.h"

namespace vouch {

class Graph;
class AttrValue;
using AttrTuple = std::vector<AttrValue>;

// An integer or scalar term (a constant in a model, possibly symbolic in a rule), a string, a tuple, a tensor,
// or a graph (the branches of If).
class AttrValue {
 public:
  AttrValue() : AttrValue(Term(0)) {}
  AttrValue(Term number) : value_(number) {}                                      // NOLINT: numbers read as themselves
  AttrValue(std::int64_t number) : value_(Term(number)) {}                        // NOLINT
  AttrValue(std::string text) : value_(std::move(text)) {}                        // NOLINT
  AttrValue(AttrTuple items) : value_(std::move(items)) {}                        // NOLINT
  AttrValue(std::shared_ptr<const Tensor> tensor) : value_(std::move(tensor)) {}  // NOLINT
  AttrValue(std::shared_ptr<const Graph> graph) : value_(std::move(graph)) {}     // NOLINT
  static AttrValue of_ints(std::span<const std::int64_t> values);
  static AttrValue of_float(double value);

  const Term* number() const { return std::get_if<Term>(&value_); }
  const std::string* string() const { return std::get_if<std::string>(&value_); }
  const AttrTuple* tuple() const { return std::get_if<AttrTuple>(&value_); }
  const Tensor* tensor() const;
  const Graph* graph() const;
  std::shared_ptr<const Graph> shared_graph() const;  // null for anything else
  // A constant integer within 64 bits; a tuple of such.
  std::optional<std::int64_t> int64() const;
  std::optional<std::vector<std::int64_t>> int64s() const;

  // Structural; tensors by content, graphs by identity.
  friend bool operator==(const AttrValue& a, const AttrValue& b);
  std::size_t hash() const;
  std::string text() const;

 private:
  std::variant<Term, std::string, AttrTuple, std::shared_ptr<const Tensor>, std::shared_ptr<const Graph>> value_;
};

// Interned, sorted by name: equality is identity. An empty dictionary costs nothing.
class AttrDict {
 public:
  using Entry = std::pair<Symbol, AttrValue>;

  AttrDict() = default;
  explicit AttrDict(std::vector<Entry> entries);  // a repeated name is a fault

  const AttrValue* find(Symbol name) const;
  const AttrValue* find(std::string_view name) const { return find(Symbol(name)); }
  std::span<const Entry> entries() const;
  AttrDict with(Symbol name, AttrValue value) const;

  friend bool operator==(AttrDict a, AttrDict b) { return a.entries_ == b.entries_; }
  const void* id() const { return entries_; }
  // `{axis = 1, pads = (0, 0)}`, empty text for none.
  std::string text() const;

 private:
  const std::vector<Entry>* entries_ = nullptr;
};

}  // namespace vouch
