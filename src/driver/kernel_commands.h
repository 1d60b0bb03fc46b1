// The subcommands `compile`, `schedule`, `tune` and `verify`: kernels to C with certificates, and the certificates to a verdict.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "driver/exit_code.h"
#include "imp/compiler_flags.h"

namespace CLI {
class App;
}

namespace vouch {

struct CompileCommand {
  std::vector<std::string> kernels;  // .fun files, kernels in index notation (.json, .tk), or folders of them
  std::string out;
  std::vector<std::string> sizes;  // NAME=VALUE, of kernels in index notation, and of functional programs by a plan
  bool plan = false;               // functional programs by a plan, not by the loops they are written with
  bool fma = false;                // of kernels in index notation: products are added by `fma`
  bool lanes = false;              // exp, tanh and erf of floats are approximations of which compilers make lanes
  bool reorder = false;            // sums may be in another order; the certificate says which
  std::string targets;             // of kernels in index notation: versions, `generic,avx2`; empty: one text
  std::string target = "native";   // of kernels in index notation, without versions: whose tiles (driver/processor.h)
  bool derivation = false;         // also NAME_derivation.v, the translation rule by rule
};
// NAME.c, NAME.h, NAME.v, NAME.fun and an entry of manifest.json for each kernel. A C file appears last: there is never one
// without its certificate.
ExitCode compile_kernels(const CompileCommand& command);

struct ScheduleCommand {
  std::string kernel;              // .tk or .json; or .fun, as with `compile --plan`
  std::vector<std::string> sizes;  // NAME=VALUE
  std::string out;                 // empty: standard output
  bool planner = false;            // not what lies beside the kernel
  bool reorder = false;            // the planner may add in another order
  bool fma = false;                // as `compile` with products that are not rounded before they are added
  std::string target;              // what the planner makes tiles for; not empty: as with `planner`
  bool explain = false;            // the program after each step instead
};
// The schedule by which `compile` makes C of the kernel, as text that it takes.
ExitCode show_schedule(const ScheduleCommand& command);

struct TuneCommand {
  std::string kernel;              // as of `schedule`
  std::vector<std::string> sizes;  // NAME=VALUE
  std::string out;                 // empty: KERNEL.sched beside the kernel
  std::string json;
  std::string compiler = "gcc";
  std::string flags = fmt::format("-O3 {} {} {}", kThisProcessor, kOpenMp, kRoundedOneByOne);
  unsigned threads = 0;  // 0: as many as there are processors
  double seconds = 60;   // for all of it; the planner's schedule is measured in any case
  bool reorder = false;  // sums in another order, too
  bool again = false;    // measure also what was measured before
};
// Measures schedules of the kernel on this machine, and writes the fastest, as text that `compile` takes. Without `reorder` it
// changes no bit of what is computed; candidates whose bits differ from others of the same order are named and left out.
// Undecided, where nothing could be measured.
ExitCode tune_kernel(const TuneCommand& command);

struct VerifyCommand {
  std::vector<std::string> folders;
  std::string json;
  unsigned jobs = 0;              // 0: as many as there are processors
  unsigned timeout = 600;         // seconds for one run of Coq
  bool again = false;             // ask Coq also where its answer was kept
  std::string store;              // the folder of answers that processes share; empty: the user's own
  std::string only;               // this kernel or rule alone; the files of the folders are looked at all the same
  std::vector<std::string> emit;  // `ninja` and a file: jobs are written instead of done
  std::string launcher;           // before the command of each
  bool trust = false;             // also, or with no folder only, what has to be believed
};
// Makes every file anew from the sources in the folder, names what differs, and asks Coq whether the C texts are certified;
// prints a table. Refuted if anything differs, fails, or rests on an axiom; Undecided where Coq's word could not be had.
ExitCode verify_folders(const VerifyCommand& command);

// Adds the subcommands to the command; they set `code`.
void add_kernel_commands(CLI::App& app, ExitCode& code);

}  // namespace vouch
