// What `vouch verify` says of the chain of a library's steps.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "driver/verify_report.h"

namespace vouch {

// `proven`, `none` (with the reason in `chain.why`), `undecided`.
std::string chain_verdict(const ChainFound& found);
// What is left to believe where the chain is proven: claims of rewrites, folds and other passes.
std::string chain_claims(const Chain& chain);

std::string chain_rows(const VerifyFindings& found);
nlohmann::ordered_json chains_json(const VerifyFindings& found);

}  // namespace vouch
