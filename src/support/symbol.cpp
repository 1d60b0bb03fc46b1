#include "support/symbol.h"

#include <mutex>
#include <string>
#include <unordered_set>

#include "support/recent.h"

namespace vouch {

namespace {

// Names are looked up as they come: most are there already.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};

}  // namespace

Symbol::Symbol() {
  static const Symbol nameless{std::string_view()};
  name_ = nameless.name_;
}

Symbol::Symbol(std::string_view name) {
  static std::mutex mutex;
  static auto* names = new std::unordered_set<std::string, NameHash, std::equal_to<>>();  // never freed: symbols outlive statics
  const std::string*& slot = recent<std::string, 10>(NameHash()(name));
  if (slot == nullptr || *slot != name) {
    std::lock_guard lock(mutex);
    auto found = names->find(name);
    slot = found != names->end() ? &*found : &*names->emplace(name).first;
  }
  name_ = slot;
}

}  // namespace vouch
