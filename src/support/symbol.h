// Interned names: equality is identity, copying is free.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

namespace vouch {

// A name, interned for the life of the process. Thread-safe.
class Symbol {
 public:
  Symbol();
  explicit Symbol(std::string_view name);

  const std::string& name() const { return *name_; }
  bool empty() const { return name_->empty(); }
  friend bool operator==(Symbol a, Symbol b) { return a.name_ == b.name_; }
  // Alphabetical, so that every order derived from it is the same in each run.
  friend std::strong_ordering operator<=>(Symbol a, Symbol b) { return *a.name_ <=> *b.name_; }

 private:
  friend struct std::hash<Symbol>;
  const std::string* name_;
};

}  // namespace vouch

template <>
struct std::hash<vouch::Symbol> {
  std::size_t operator()(vouch::Symbol symbol) const noexcept { return std::hash<const void*>()(symbol.name_); }
};
