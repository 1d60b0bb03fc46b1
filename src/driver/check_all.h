// Verdicts of many rules, on several threads, from a store where it knows them.
#pragma once

#include <functional>
#include <vector>

#include "driver/check_command.h"
#include "driver/check_store.h"

namespace vouch {

using ShowRule = std::function<void(const CheckedRule&)>;

// In the order of the rules, whatever the number of threads. Each verdict is shown as soon as it and all before it are known.
// Repairs are looked for when all verdicts are known, and shown likewise. What is worked out is kept in the store. Errors: what
// cannot be kept, and, where all is proven again, a verdict that differs from the store's.
std::vector<CheckedRule> check_all(const std::vector<const Rule*>& rules, const CheckCommand& command,
                                   const CheckOptions& options, const CheckStore& store, Diagnostics& diagnostics,
                                   const ShowRule& show_verdict, const ShowRule& show_repair);

}  // namespace vouch
