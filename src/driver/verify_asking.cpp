#include "driver/verify_asking.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>

#include "build/calls_coq.h"
#include "driver/chain_coq.h"
#include "driver/verify_findings.h"
#include "support/parallel.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kMostStepTime{20};

}  // namespace

VerifyAsking::VerifyAsking(const std::string& library, const std::string& version, const VerifyCommand& command,
                           VerifyFindings& found)
    : library_(library),
      cache_(command.store, library, version, command.folders, command.again),
      found_(found),
      progress_("verify") {
  jobs_.jobs = jobs_for(command.jobs);
  jobs_.limits.time = std::chrono::seconds(command.timeout);
  jobs_.finished = [this](const std::string& name) { finished(name); };
}

void VerifyAsking::ask() {
  std::vector<CallsFound*> calls = calls_to_ask();
  std::vector<KernelFound*> kernels = kernels_to_ask(calls);
  std::vector<RuleFound*> rules = rules_to_ask();
  total_ = kernels.size() + calls.size() + rules.size();
  for (const StepsFound& one : found_.steps) {
    total_ += one.regions.size();
  }
  total_ += found_.chains.size();
  ask_kernels(kernels, calls);
  for_all(rules.size(), jobs_.jobs, [&](std::size_t at) {
    RuleFound& one = *rules[at];
    one.answer = verify_rule_proof(library_, *one.check.coq, jobs_.limits);
    if (one.answer.message.empty()) {  // not one that holds in part
      cache_.keep(key(one), one.answer);
    }
    finished(one.check.rule);
  });
  for (StepsFound& one : found_.steps) {
    ask_steps(one);
  }
  for_all(found_.chains.size(), jobs_.jobs, [&](std::size_t at) { ask_chain(found_.chains[at]); });
}

std::vector<VerifyJob> VerifyAsking::jobs() const {
  std::vector<VerifyJob> all;
  for (const KernelFound& one : found_.kernels) {
    if (one.check.differences.empty()) {
      all.push_back({one.check.folder, one.check.kernel, cache_.path(key(one))});
    }
  }
  for (const RuleFound& one : found_.rules) {
    if (one.check.differences.empty() && one.has_proof()) {
      all.push_back({one.check.folder, one.check.rule, cache_.path(key(one))});
    }
  }
  return all;
}

void VerifyAsking::mark_made() const {
  for (const VerifyJob& job : jobs()) {
    std::error_code ignored;  // not there, or not ours: then Ninja asks again
    fs::last_write_time(job.entry, fs::file_time_type::clock::now(), ignored);
  }
}

std::string VerifyAsking::key(const KernelFound& one) const {
  return cache_.key({"kernel", one.check.texts->certificate, one.check.texts->c, one.check.texts->derivation.value_or(""),
                     one.check.texts->adjoint.value_or("")});
}

std::string VerifyAsking::key(const CallsFound& one) const {
  std::vector<std::string> parts{"calls", calls_certificate(one.plan, {})};
  for (std::size_t kernel : one.kernels) {
    parts.push_back(found_.kernels[kernel].check.texts->certificate);
  }
  return cache_.key(parts);
}

// Those whose kernels are as they should be, and whose answer was not kept.
std::vector<CallsFound*> VerifyAsking::calls_to_ask() {
  std::vector<CallsFound*> out;
  for (CallsFound& one : found_.calls) {
    if (!are_as_they_should_be(one.kernels, found_)) {
      one.answer.message = kKernelsDiffer;
    } else if (auto kept = cache_.find(key(one))) {
      one.answer = *kept;
      one.kept = true;
    } else {
      out.push_back(&one);
    }
  }
  return out;
}

// Those that are as they should be, and whose answer was not kept, or is needed for `calls`.
std::vector<KernelFound*> VerifyAsking::kernels_to_ask(const std::vector<CallsFound*>& calls) {
  std::set<const KernelFound*> needed;
  for (const CallsFound* one : calls) {
    for (std::size_t kernel : one->kernels) {
      needed.insert(&found_.kernels[kernel]);
    }
  }
  std::vector<KernelFound*> out;
  for (KernelFound& one : found_.kernels) {
    if (!one.check.differences.empty()) {
      continue;
    }
    auto kept = needed.contains(&one) ? std::nullopt : cache_.find(key(one));
    if (kept) {
      one.answer = *kept;
      one.kept = true;
    } else {
      out.push_back(&one);
    }
  }
  return out;
}

std::vector<RuleFound*> VerifyAsking::rules_to_ask() {
  std::vector<RuleFound*> out;
  for (RuleFound& one : found_.rules) {
    if (!one.has_proof()) {
      one.answer.message = why_no_proof(one);
    } else if (auto kept = one.check.differences.empty() ? cache_.find(key(one)) : std::nullopt) {
      one.answer = *kept;
      one.kept = true;
    } else if (one.check.differences.empty()) {
      out.push_back(&one);
    }
  }
  return out;
}

void VerifyAsking::ask_kernels(const std::vector<KernelFound*>& kernels, const std::vector<CallsFound*>& calls) {
  std::vector<CoqQuestion> questions;
  for (const KernelFound* one : kernels) {
    const KernelTexts& texts = *one->check.texts;
    questions.push_back({texts.name, texts.certificate, texts.refutation, texts.c, texts.derivation, texts.adjoint});
  }
  std::vector<CoqComposition> compositions;
  for (const CallsFound* one : calls) {
    compositions.push_back(
        {one->library, {}, [one](const auto& certificates) { return calls_certificate(one->plan, certificates); }});
    for (std::size_t kernel : one->kernels) {
      auto at = std::find(kernels.begin(), kernels.end(), &found_.kernels[kernel]);
      compositions.back().of.push_back(static_cast<std::size_t>(at - kernels.begin()));
    }
  }
  CoqAnswers answers = check_certificates(library_, questions, compositions, jobs_);
  found_.together = answers.together;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i]->answer = std::move(answers.compositions[i]);
    cache_.keep(key(*calls[i]), calls[i]->answer);
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i]->answer = std::move(answers.questions[i]);
    if (!kernels[i]->leaves_gradient_open()) {
      cache_.keep(key(*kernels[i]), kernels[i]->answer);
    }
  }
}

// A step without theorem is left to the solver's proof of its rule, as one is that Coq takes long for.
void VerifyAsking::ask_steps(StepsFound& steps) {
  CoqLimits limits = jobs_.limits;
  limits.time = std::min(limits.time, kMostStepTime);
  std::atomic<bool> asked = false;
  for_all(steps.regions.size(), jobs_.jobs, [&](std::size_t at) {
    CoqRule theorem = step_theorem(steps.regions[at]);
    CoqAnswer& answer = steps.answers[at];
    if (theorem.text.empty()) {
      answer.message = theorem.reason;
    } else if (auto kept = cache_.find(cache_.key({"rule", theorem.text}))) {
      answer = *kept;
    } else {
      answer = verify_rule_proof(library_, theorem, limits);
      cache_.keep(cache_.key({"rule", theorem.text}), answer);
      asked = true;
      if (answer.word != CoqWord::Holds) {
        answer.message = fmt::format("a proof was found, but none that Coq accepts within {} s", limits.time.count());
      }
    }
    finished(steps.library);
  });
  for (const CoqAnswer& answer : steps.answers) {
    steps.seconds += answer.seconds;
  }
  steps.kept = !asked;
}

void VerifyAsking::ask_chain(ChainFound& one) {
  if (one.chain.why.empty()) {
    std::string text = chain_certificate(one.chain);
    std::string key = cache_.key({"chain", text});
    auto known = cache_.find(key);
    one.kept = known.has_value();
    one.answer = known ? *known : check_theorems(library_, text, {"chained"}, jobs_.limits);
    cache_.keep(key, one.answer);
  }
  finished(one.library);
}

void VerifyAsking::finished(const std::string& name) {
  std::lock_guard lock(drawing_);
  progress_.update(++done_, total_, name);
}

}  // namespace vouch
