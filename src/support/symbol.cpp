#include "support/symbol.h"

#include <mutex>
#include <unordered_set>

namespace vouch {

Symbol::Symbol() {
  static const Symbol nameless{std::string_view()};
  name_ = nameless.name_;
}

Symbol::Symbol(std::string_view name) {
  static std::mutex mutex;
  static auto* names = new std::unordered_set<std::string>();  // never freed: symbols outlive statics
  std::lock_guard lock(mutex);
  name_ = &*names->emplace(name).first;
}

}  // namespace vouch
