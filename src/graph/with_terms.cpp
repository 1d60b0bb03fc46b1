#include "graph/with_terms.h"

#include <algorithm>
#include <iterator>

namespace vouch {

Type with_terms(Type type, const MapTerm& map) {
  if (type.is_tensor()) {
    std::vector<Term> extents;
    std::transform(type.extents().begin(), type.extents().end(), std::back_inserter(extents), map);
    return Type::tensor(type.dtype(), std::move(extents));
  }
  std::vector<Type> items;
  std::transform(type.items().begin(), type.items().end(), std::back_inserter(items),
                 [&](Type item) { return with_terms(item, map); });
  return Type::tuple(std::move(items));
}

AttrValue with_terms(const AttrValue& value, const MapTerm& map) {
  if (const Term* number = value.number()) {
    return AttrValue(map(*number));
  }
  if (value.tuple() == nullptr) {
    return value;
  }
  AttrTuple items;
  std::transform(value.tuple()->begin(), value.tuple()->end(), std::back_inserter(items),
                 [&](const AttrValue& item) { return with_terms(item, map); });
  return AttrValue(std::move(items));
}

AttrDict with_terms(AttrDict attributes, const MapTerm& map) {
  std::vector<AttrDict::Entry> entries;
  for (const auto& [name, value] : attributes.entries()) {
    entries.emplace_back(name, with_terms(value, map));
  }
  return AttrDict(std::move(entries));
}

}  // namespace vouch
