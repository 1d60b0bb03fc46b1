#include "graph/default_attribute.h"

#include <algorithm>
#include <variant>

namespace vouch {

bool is_default(const AttrDef& declared, const AttrValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&declared.otherwise)) {
    return value == AttrValue(*number);
  }
  if (const auto* number = std::get_if<double>(&declared.otherwise)) {
    return value == AttrValue::of_float(*number);
  }
  if (const auto* text = std::get_if<std::string_view>(&declared.otherwise)) {
    return value == AttrValue(std::string(*text));
  }
  const AttrTuple* items = value.tuple();
  return declared.each_if_absent && items != nullptr && std::all_of(items->begin(), items->end(), [&](const AttrValue& item) {
           return item == AttrValue(*declared.each_if_absent);
         });
}

std::string text_without_defaults(const OpDef& def, const AttrDict& attributes) {
  std::vector<AttrDict::Entry> kept;
  for (const AttrDict::Entry& entry : attributes.entries()) {
    auto declared = std::find_if(def.attributes.begin(), def.attributes.end(),
                                 [&](const AttrDef& one) { return one.name == entry.first.name(); });
    if (declared == def.attributes.end() || !is_default(*declared, entry.second)) {
      kept.push_back(entry);
    }
  }
  return AttrDict(std::move(kept)).text();
}

}  // namespace vouch
