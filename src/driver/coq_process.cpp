#include "driver/coq_process.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "support/at_signal.h"

namespace vouch {
namespace {

// Most of a short run is memory that Coq asks for: its heap is collected seldom and grows by large steps, in huge pages where the
// kernel gives them. Both together take 40 % off the loading of a library.
constexpr const char* kHeap[] = {"OCAMLRUNPARAM=s=8M,i=16M,o=1000", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"};

// Nothing of ours: no load paths (COQPATH, OCAMLPATH, XDG_DATA_*), no other library (COQLIB), no settings of the user's.
std::vector<std::string> environment(const std::string& home) {
  std::vector<std::string> all(std::begin(kHeap), std::end(kHeap));
  all.insert(all.end(), {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"});
  for (const char* name :
       {"HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CACHE_HOME"}) {
    all.push_back(fmt::format("{}={}", name, home));
  }
  return all;
}

}  // namespace

CoqRun run_coqc(std::vector<std::string> words, const CoqLimits& limits) {
  static const std::string coqc = find_program("coqc");
  CoqRun out;
  if (coqc.empty()) {
    out.why = "coqc was not found";
    return out;
  }
  ScratchFolder empty;
  if (empty.path().empty()) {
    out.why = no_scratch_folder();
    return out;
  }
  words.insert(words.begin(), coqc);
  ProcessRun run = run_process({std::move(words), environment(empty.path()), empty.path(), {}, limits});
  bool accepted = run.ended && run.status == 0;
  out.said = accepted ? std::move(run.said) : run.said + run.errors;
  out.why = std::move(run.why);
  out.seconds = run.seconds;
  out.end = accepted ? CoqEnd::Accepted : run.ended ? CoqEnd::Refused : CoqEnd::NotHad;
  return out;
}

std::string first_lines(const std::string& text, int count) {
  std::size_t end = 0;
  while (count-- > 0 && end != std::string::npos && end < text.size()) {
    end = text.find('\n', end + 1);
  }
  return text.substr(0, end);
}

}  // namespace vouch
