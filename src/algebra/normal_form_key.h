// For the files of the normal form alone.
#pragma once

#include <cstdint>
#include <vector>

#include "algebra/normal_form.h"

namespace vouch {

// What distinguishes a summand but for its coefficient.
AtomKey body_key(const Summand& s);

// As they are written: equal keys, equal in every part and its place.
void add_key(AtomKey& key, const Summand& s);
void add_key(AtomKey& key, const std::vector<Literal>& literals);

}  // namespace vouch
