#include "io/whole_json.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "io/json_text.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

// Calls nest no deeper than the text, which is `kDeepestJson` at most.
Json value_of(const JsonValue& value, Diagnostics& diagnostics) {
  switch (value.kind()) {
    case JsonKind::Null: return nullptr;
    case JsonKind::False: return false;
    case JsonKind::True: return true;
    case JsonKind::Number: return Json::parse(value.text());
    case JsonKind::String: return *value.string(diagnostics);
    case JsonKind::Array: {
      Json::array_t items;
      items.reserve(value.size());
      for (const JsonValue& item : value.items()) {
        items.push_back(value_of(item, diagnostics));
      }
      return items;
    }
    case JsonKind::Object: break;
  }
  Json::object_t members;
  // Past the map's own insertion, which looks for the key: JsonText has seen that no key comes twice.
  std::vector<Json::object_t::value_type>& all = members;
  all.reserve(value.size());
  for (const JsonValue& item : value.items()) {
    all.emplace_back(item.key(), value_of(item, diagnostics));
  }
  return members;
}

}  // namespace

Json whole_json(const std::string& name, const std::string& text, Diagnostics& diagnostics) {
  auto read = JsonText::parse(std::make_shared<Source>(name, text), diagnostics);
  return read ? value_of(read->root(), diagnostics) : Json();
}

Json whole_json(const std::string& text) {
  Diagnostics untold;
  return whole_json("", text, untold);
}

}  // namespace vouch
