// What `vouch verify` asks of Coq, or of the answers that were kept.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "driver/certificate_cache.h"
#include "driver/coq.h"
#include "driver/kernel_commands.h"
#include "driver/progress.h"
#include "driver/verify_jobs.h"
#include "driver/verify_report.h"

namespace vouch {

// Of everything that is as it should be; the answers are put beside it in `found`.
class VerifyAsking {
 public:
  VerifyAsking(const std::string& library, const std::string& version, const VerifyCommand& command, VerifyFindings& found);
  void ask();
  // Whether answers can be kept.
  bool keeps() const { return cache_.is_open(); }
  // What could be asked of Coq, one by one. A library's calls are no job of their own: they need all of its certificates at once.
  std::vector<VerifyJob> jobs() const;
  // Ninja goes by times: what was known already is as new as what was worked out now.
  void mark_made() const;

 private:
  std::string key(const KernelFound& one) const;
  std::string key(const RuleFound& one) const { return cache_.key({"rule", one.check.coq->text + one.check.coq->operators}); }
  std::string key(const CallsFound& one) const;
  std::vector<CallsFound*> calls_to_ask();
  std::vector<KernelFound*> kernels_to_ask(const std::vector<CallsFound*>& calls);
  std::vector<RuleFound*> rules_to_ask();
  void ask_kernels(const std::vector<KernelFound*>& kernels, const std::vector<CallsFound*>& calls);
  void ask_steps(StepsFound& steps);
  void ask_chain(ChainFound& one);
  void finished(const std::string& name);

  const std::string& library_;
  CertificateCache cache_;
  VerifyFindings& found_;
  CoqJobs jobs_;
  Progress progress_;
  std::mutex drawing_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
};

}  // namespace vouch
