#include "equiv/settled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "equiv/widen.h"
#include "support/hash.h"

namespace vouch {
namespace {

std::string content_of(const Tensor& value) {
  std::string_view bytes(reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size());
  return fmt::format("{} {}", fmt::join(value.extents(), ","), content_hash(bytes));
}

// How often each number or parameter stands in a graph, in those of attributes, too.
std::map<std::string, std::size_t> counted(const Graph& graph) {
  std::map<std::string, std::size_t> out;
  auto count = [&](Tensor value) {
    ++out[content_of(value)];
    return value;
  };
  static_cast<void>(widened(graph, {count, {}, true}));
  return out;
}

}  // namespace

SettledNumbers::SettledNumbers(const ModelPair& pair) {
  std::map<std::string, std::size_t> first = counted(prefix(pair.graph, pair.first_of_b));
  for (const auto& [content, count] : counted(pair.graph)) {
    auto found = first.find(content);
    if (found != first.end() && count == 2 * found->second) {
      contents_.insert(content);
    }
  }
}

bool SettledNumbers::contains(const Tensor& wide) const { return contents_.contains(content_of(wide)); }

}  // namespace vouch
