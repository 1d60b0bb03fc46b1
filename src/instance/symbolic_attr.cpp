#include "instance/symbolic_attr.h"

#include "term/substitute.h"

namespace vouch {

static const std::string kAny =
    "\x01"
    "any";

AttrValue any_value() { return AttrValue(kAny); }
bool is_any(const AttrValue& value) { return value.string() && *value.string() == kAny; }

std::optional<Term> FamilyLists::length(const AttrValue& list) const {
  const ListFamily* family = book_.list_of(list);
  return family ? std::optional(family->length) : std::nullopt;
}

std::optional<AttrValue> FamilyLists::item(const AttrValue& list, Term position) const {
  const ListFamily* family = book_.list_of(list);
  const Term* item = family ? family->item.number() : nullptr;
  return item ? std::optional(AttrValue(substitute(*item, family->index, position))) : std::nullopt;
}

}  // namespace vouch
