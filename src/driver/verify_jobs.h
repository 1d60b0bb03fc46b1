// `vouch verify --emit ninja`: each certificate a job; the answers meet in a store (driver/certificate_cache.h).
#pragma once

#include <string>
#include <vector>

#include "driver/kernel_commands.h"

namespace vouch {

struct VerifyJob {
  std::string folder;
  std::string name;   // of the kernel, or of the rule
  std::string entry;  // the file that its answer makes
};

// The last job verifies the folders as a whole, and finds these answers.
bool emit_verify_jobs(const std::vector<VerifyJob>& jobs, const VerifyCommand& command, Diagnostics& diagnostics);

}  // namespace vouch
