#include "check/verdict.h"

#include <fmt/format.h>

#include <algorithm>

namespace vouch {
namespace {

constexpr std::pair<VerdictKind, std::string_view> kVerdicts[] = {
    {VerdictKind::SoundExact, "sound (exact)"}, {VerdictKind::SoundReal, "sound (real)"}, {VerdictKind::Unsound, "unsound"},
    {VerdictKind::IllTyped, "ill-typed"},       {VerdictKind::Vacuous, "vacuous"},        {VerdictKind::Unknown, "unknown"},
};

class RuleCheck {
 public:
  RuleCheck(const Rule& rule, const CheckOptions& options) : rule_(rule), options_(options) {}

  Verdict run() {
    if (refuted(options_.quick)) {
      return std::move(verdict_);
    }
    Enumeration all = for_each_instance(rule_, options_.instances, [&](const Instance& instance) {
      prove(instance);
      return verdict_.unknown < options_.most_unknown;
    });
    verdict_.fixed_lengths = all.lengths;
    if (!all.complete) {
      verdict_.sites.clear();  // an instance that was not tried may have any of these keys
    }
    bool proven = verdict_.unknown == 0 && all.complete && verdict_.exact + verdict_.real > 0;
    if (proven && !all.lengths) {
      verdict_.kind = verdict_.real == 0 ? VerdictKind::SoundExact : VerdictKind::SoundReal;
      return std::move(verdict_);
    }
    if (proven) {
      verdict_.reason = "proven for the tried numbers of branches only";
    } else if (verdict_.unknown == 0 && all.complete) {
      return vacuous(all);
    } else if (!all.complete && verdict_.unknown == 0) {
      verdict_.reason = fmt::format("the rule has more than {} instances", options_.instances.most);
    }
    refuted(options_.thorough);
    return std::move(verdict_);
  }

 private:
  bool refuted(RefuteOptions options) {
    options.instances = options_.instances;
    Refutation found = refute_rule(rule_, options);
    if (!found.counterexample) {
      return false;
    }
    verdict_.kind = found.counterexample->failing == Failing::IllTyped ? VerdictKind::IllTyped : VerdictKind::Unsound;
    verdict_.counterexample = std::move(found.counterexample);
    verdict_.sites.clear();
    verdict_.reason.clear();
    return true;
  }

  void prove(const Instance& instance) {
    Proof proof = prove_instance(instance, options_.prove);
    ++verdict_.instances;
    verdict_.queries += proof.queries;
    verdict_.slowest_query_ms = std::max(verdict_.slowest_query_ms, proof.slowest_query_ms);
    switch (proof.result) {
      case ProofResult::Exact:
        ++verdict_.exact;
        return note(instance, VerdictKind::SoundExact);
      case ProofResult::Real:
        ++verdict_.real;
        return note(instance, VerdictKind::SoundReal);
      case ProofResult::Vacuous:
        ++verdict_.vacuous;
        return;
      case ProofResult::IllTyped:
      case ProofResult::Unknown:
        break;
    }
    if (verdict_.unknown++ == 0) {
      verdict_.reason = fmt::format("at {}: {}{}", instance.label, proof.reason,
                                    proof.remainder.empty() ? "" : "; left: " + proof.remainder.substr(0, 300));
    }
    note(instance, VerdictKind::Unknown);
  }

  // The weakest verdict of a combination stays.
  void note(const Instance& instance, VerdictKind kind) {
    std::vector<SiteInput> inputs;
    for (const InputTensor& input : instance.inputs) {
      inputs.push_back({input.pattern, input.branch, input.type});
    }
    auto [at, is_new] = verdict_.sites.emplace(site_key(inputs), kind);
    if (!is_new) {
      at->second = std::max(at->second, kind);
    }
  }

  Verdict vacuous(const Enumeration& all) {
    verdict_.kind = VerdictKind::Vacuous;
    verdict_.reason = !all.first_error.empty() ? "the source is never well-typed: " + all.first_error
                                               : "no sizes and attributes make the source legal";
    return std::move(verdict_);
  }

  const Rule& rule_;
  const CheckOptions& options_;
  Verdict verdict_;
};

}  // namespace

std::string_view verdict_text(VerdictKind kind) {
  for (const auto& [known, text] : kVerdicts) {
    if (known == kind) {
      return text;
    }
  }
  return {};
}

std::optional<VerdictKind> find_verdict(std::string_view text) {
  for (const auto& [kind, known] : kVerdicts) {
    if (known == text) {
      return kind;
    }
  }
  return std::nullopt;
}

SiteKey site_key(const std::vector<SiteInput>& inputs) {
  std::vector<std::string> parts;
  for (const SiteInput& input : inputs) {
    std::string part = fmt::format("{}", input.pattern);
    part += input.branch ? fmt::format(".{}:", *input.branch) : ":";
    if (!input.type.is_tensor()) {
      parts.push_back(part + "tuple;");
      continue;
    }
    part += fmt::format("{}[", dtype_name(input.type.dtype()));
    for (std::size_t axis = 0; axis < input.type.rank(); ++axis) {
      auto number = const_int(input.type.extents()[axis]);
      part += (axis == 0 ? "" : ", ") + (number ? fmt::format("{}", *number) : std::string("*"));
    }
    parts.push_back(part + "];");
  }
  std::sort(parts.begin(), parts.end());
  std::string key;
  for (const std::string& part : parts) {
    key += part;
  }
  return key;
}

bool covers(const SiteKey& of_instances, const SiteKey& site) {
  std::size_t at = 0;
  for (char expected : of_instances) {
    if (expected != '*' || (at < site.size() && site[at] == '*')) {
      if (at == site.size() || site[at++] != expected) {
        return false;
      }
      continue;
    }
    std::size_t digits = 0;
    while (at + digits < site.size() && site[at + digits] >= '0' && site[at + digits] <= '9') {
      ++digits;
    }
    if (digits == 0 || site.substr(at, digits) == "0") {
      return false;
    }
    at += digits;
  }
  return at == site.size();
}

std::optional<VerdictKind> verdict_at(const std::map<SiteKey, VerdictKind>& sites, const SiteKey& site) {
  std::optional<VerdictKind> weakest;
  for (const auto& [key, kind] : sites) {
    if (covers(key, site)) {
      weakest = std::max(weakest.value_or(kind), kind);
    }
  }
  return weakest;
}

Verdict check_rule(const Rule& rule, const CheckOptions& options) { return RuleCheck(rule, options).run(); }

}  // namespace vouch
