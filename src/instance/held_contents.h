// Which known elements of a call's result may be relied on.
#pragma once

#include "graph/op_table.h"
#include "instance/instance.h"

namespace vouch {

// The elements that are known of the first result, if its type holds them whatever the constants and attributes of the rule are
// within what is stated of them: `k + 1` is 2^63 too little where `k` is the largest element of int64, a cast to int32 keeps 32
// bits of it, and of a size. Numbers of int64 that sizes alone make are taken not to overflow. What was moved is what it was.
std::optional<std::vector<Term>> held_contents(const Instance& instance, const std::vector<Term>& stated,
                                               const CallTyping& typing, const std::vector<Type>& operands,
                                               const KnownContents& contents);

}  // namespace vouch
