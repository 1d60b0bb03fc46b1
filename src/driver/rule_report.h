// What `vouch verify` says of theorems about rules: what was asked, and what was proven of it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "driver/verify_report.h"

namespace vouch {

// `proven`; `in part`: of fewer ranks or instances than `check` asks of; `no proof`, `undecided`, `FAILED`.
std::string rule_verdict(const RuleFound& found);

std::string rule_rows(const VerifyFindings& found);
// How many instances the theorems of all rules speak of, and which rules are asked of less than `check` asks of.
std::string asked_summary(const VerifyFindings& found);
// Which rules are proven of operators by name, and why others are of elements alone.
std::string by_name_summary(const VerifyFindings& found);
// Of each rule what was asked, for `--trust`.
std::string asked_of_rules(const VerifyFindings& found);
nlohmann::ordered_json rules_json(const VerifyFindings& found);

}  // namespace vouch
