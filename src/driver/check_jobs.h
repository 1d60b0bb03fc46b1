// `vouch check --emit ninja`: rules as jobs whose answers meet in a store (driver/check_store.h).
#pragma once

#include <vector>

#include "driver/check_command.h"
#include "driver/check_store.h"

namespace vouch {

// Writes each group of rules as a file of its own into the store, under the hash of its entries' names, and FILE with a job for
// each. A job whose entries are there and newer than its rules is not run by Ninja. The last job gathers what the store then
// holds.
bool emit_check_jobs(const std::vector<const Rule*>& rules, const CheckCommand& command, const CheckStore& store,
                     Diagnostics& diagnostics);

// Of a job, before it is run: its file is named by the entries that this program will make of its rules. If it is not, another
// program or another user's key wrote it, and whoever waits for the entries would wait in vain.
bool is_own_job(const std::vector<const Rule*>& rules, const CheckCommand& command, const CheckStore& store,
                Diagnostics& diagnostics);

}  // namespace vouch
