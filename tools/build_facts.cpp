#include "tools/build_facts.h"

#include <fmt/format.h>

#include "graph/op_table.h"
#include "solver/solver.h"
#include "vouch_commit.h"

namespace vouch {

std::string build_facts() {
  return fmt::format("vouch " VOUCH_VERSION
                     "\n"
                     "commit        " VOUCH_COMMIT
                     "\n"
                     "compiler      " VOUCH_COMPILER
                     "\n"
                     "build         " VOUCH_BUILD
                     "\n"
                     "solver        {}\n"
                     "Coq           {}\n"
                     "operators     {}",
                     solver_version(), std::string_view(VOUCH_COQ_VERSION).empty() ? "none when it was built" : VOUCH_COQ_VERSION,
                     op_count());
}

}  // namespace vouch
