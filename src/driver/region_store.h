// Verdicts of the regions of `vouch equiv`, kept between runs and shared (driver/sealed_folder.h): a region proven once is known.
#pragma once

#include <string>

#include "driver/sealed_folder.h"
#include "equiv/region_prover.h"

namespace vouch {

class RegionStore : public RegionVerdicts {
 public:
  // `again`: what is kept is not believed, but compared with what is found. `queries`: proofs are wanted with theirs, so all are
  // made anew. Errors: see SealedFolder.
  RegionStore(const std::string& folder, bool again, bool queries, Diagnostics& diagnostics)
      : folder_(folder, ".region", diagnostics), again_(again), queries_(queries) {}

  const Outcome* find(const std::string& text) override;
  const Outcome& keep(const std::string& text, Outcome outcome, bool lasting) override;
  bool wants_queries() const override { return queries_; }

  // What could not be kept, and verdicts that are not those that were: errors.
  const Diagnostics& troubles() const { return troubles_; }

 private:
  std::optional<Outcome> kept(const std::string& text) const;

  SealedFolder folder_;
  bool again_;
  bool queries_;
  std::mutex troubled_;
  Diagnostics troubles_;
};

}  // namespace vouch
