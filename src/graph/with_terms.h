// Types and attributes with other terms in the places of theirs.
#pragma once

#include <functional>

#include "graph/attribute.h"
#include "graph/type.h"

namespace vouch {

using MapTerm = std::function<Term(Term)>;

// The extents, of a tuple those of its items.
Type with_terms(Type type, const MapTerm& map);
// Numbers, within tuples too; all else stays.
AttrValue with_terms(const AttrValue& value, const MapTerm& map);
AttrDict with_terms(AttrDict attributes, const MapTerm& map);

}  // namespace vouch
