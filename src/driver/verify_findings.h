// What the folders of `vouch verify` hold, before Coq is asked.
#pragma once

#include <string>
#include <string_view>

#include "driver/verify_report.h"
#include "support/diagnostic.h"

namespace vouch {

inline constexpr std::string_view kKernelsDiffer = "not all of its kernels are certified";

// Whether the folder can be read; if not, that is reported.
bool is_there(const std::string& folder, Diagnostics& diagnostics);

// Where below the folder the file lies that this run is to write; empty if it lies elsewhere.
std::string own_file(const std::string& folder, const std::string& json);

// Of one folder: what it lists, and what it does not account for.
void find_all(const std::string& folder, const std::string& own, VerifyFindings& found, Diagnostics& diagnostics);

bool are_as_they_should_be(const std::vector<std::size_t>& kernels, const VerifyFindings& found);

// Something is left that only Coq can say.
bool asks_coq(const VerifyFindings& found);

// Why a rule has no theorem; empty if its text was not read.
std::string why_no_proof(const RuleFound& one);

// Where Coq cannot be asked, nothing is decided but what differs.
void leave_open(VerifyFindings& found, const std::string& why);

// All but the kernels and rules of this name; that there are none is reported.
void leave_out_others(VerifyFindings& found, const std::string& only, Diagnostics& diagnostics);

}  // namespace vouch
