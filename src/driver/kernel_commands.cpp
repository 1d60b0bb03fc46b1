#include "driver/kernel_commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "driver/library_trust.h"
#include "driver/option_values.h"
#include "driver/processor.h"
#include "driver/trust.h"

namespace vouch {
namespace {

void add_reorder(CLI::App& app, bool& reorder) {
  app.add_flag(
      "--reorder", reorder,
      "sums that wait for memory by several partial sums: another order, equal over the reals; the certificate says which");
}

void add_tune_command(CLI::App& app, ExitCode& code) {
  auto tune = std::make_shared<TuneCommand>();
  CLI::App* tune_app = app.add_subcommand("tune", "Measure schedules of a kernel on this machine, and write the fastest");
  tune_app->add_option("kernel", tune->kernel, "the kernel (.json, .tk or .fun)")->required();
  tune_app->add_option("--size", tune->sizes, "NAME=VALUE, for a size that has a name");
  tune_app->add_option("-o,--output", tune->out, "write to this file instead of KERNEL.sched, which compile takes");
  tune_app->add_option("--json", tune->json, "write what was measured to this file (- for standard output)");
  tune_app->add_option("--seconds", tune->seconds, "how long; what was measured is kept, and another run goes on from there")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  tune_app->add_option("--threads", tune->threads, "threads of the kernel; as many as there are processors, if not said")
      ->check(CLI::Range(1, 1024));
  tune_app->add_option("--compiler", tune->compiler, "the C compiler")->capture_default_str();
  tune_app->add_option("--flags", tune->flags, "its options, in one word")->capture_default_str();
  add_reorder(*tune_app, tune->reorder);
  tune_app->add_flag("--again", tune->again, "measure also what was measured before");
  tune_app->callback([tune, &code] { code = tune_kernel(*tune); });
}

}  // namespace

void add_kernel_commands(CLI::App& app, ExitCode& code) {
  auto compile = std::make_shared<CompileCommand>();
  CLI::App* compile_app = app.add_subcommand("compile", "Compile kernels to C with certificates");
  compile_app->add_option("kernel", compile->kernels, "kernels (.fun; .json or .tk in index notation), or folders of them")
      ->required();
  compile_app->add_option("-o,--output", compile->out, "the folder for NAME.c, NAME.h, NAME.v, manifest.json")
      ->required()
      ->check(refusal_as_folder, "");
  compile_app->add_option("--size", compile->sizes,
                          "NAME=VALUE, for a size that has a name: of a kernel in index notation, or with --plan");
  auto* derivation =
      compile_app->add_flag("--derivation", compile->derivation, "also the translation rule by rule, NAME_derivation.v");
  compile_app
      ->add_flag(
          "--plan", compile->plan,
          "functional programs (.fun) by plans for caches and lanes, like kernels in index notation, not by their own loops")
      ->excludes(derivation);
  compile_app->add_flag("--fma", compile->fma,
                        "kernels in index notation: products are not rounded before they are added; the certificate says so");
  compile_app->add_flag(
      "--lanes", compile->lanes,
      "exp, tanh and erf of floats by polynomials of which compilers make lanes, off by less than 1.4 units in the "
      "last place; the certificate says so");
  add_reorder(*compile_app, compile->reorder);
  auto* one_target = add_target(*compile_app, compile->target, "tiles for the registers of that processor; the same bits by all");
  one_target->capture_default_str();
  auto* versions = compile_app->add_option(
      "--targets", compile->targets,
      "kernels in index notation, and with --plan functional programs: a version for each of these processors in one text, "
      "chosen when it is called; with commas, from generic, avx2, avx512");
  versions->excludes(one_target);
  compile_app->callback([compile, &code] { code = compile_kernels(*compile); });

  auto schedule = std::make_shared<ScheduleCommand>();
  CLI::App* schedule_app = app.add_subcommand("schedule", "Print how a kernel is made fast, as text that compile takes");
  schedule_app->add_option("kernel", schedule->kernel, "the kernel (.json, .tk or .fun); compile takes KERNEL.sched beside it")
      ->required();
  schedule_app->add_option("--size", schedule->sizes, "NAME=VALUE, for a size that has a name");
  schedule_app->add_option("-o,--output", schedule->out, "write to this file");
  schedule_app->add_flag("--planner", schedule->planner, "the planner's schedule, whatever lies beside the kernel");
  add_reorder(*schedule_app, schedule->reorder);
  schedule_app->add_flag("--fma", schedule->fma, "the schedule of compile --fma, whose tiles have more rows where that pays");
  add_target(*schedule_app, schedule->target,
             "the planner's schedule for processors of that kind; without, for this one, as compile has it");
  schedule_app->add_flag("--explain", schedule->explain, "the functional program after each step instead");
  schedule_app->callback([schedule, &code] { code = show_schedule(*schedule); });

  add_tune_command(app, code);

  auto verify = std::make_shared<VerifyCommand>();
  CLI::App* verify_app = app.add_subcommand("verify", "Check certificates with Coq");
  verify_app->add_option("folder", verify->folders, "folders that 'vouch compile' wrote");
  verify_app->add_option("--json", verify->json, "write the table to this file (- for standard output)");
  verify_app->add_flag("--trust", verify->trust, "print what has to be believed, from the build");
  verify_app->add_option("-j,--jobs", verify->jobs, "certificates checked at once");
  verify_app->add_option("--timeout", verify->timeout, "seconds for one run of Coq")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  verify_app->add_flag("--again", verify->again, "ask Coq also where its answer to the same texts was kept");
  auto* store = verify_app->add_option("--store", verify->store, "folder of Coq's answers that processes and machines share");
  verify_app->add_option("--only", verify->only, "ask Coq about this kernel or rule alone");
  auto* emit = verify_app
                   ->add_option("--emit", verify->emit,
                                "'ninja FILE': write the certificates as jobs for Ninja, with their answers in the store")
                   ->type_size(2)
                   ->expected(1)
                   ->allow_extra_args(false)
                   ->needs(store);
  verify_app->add_option("--launcher", verify->launcher, "what runs the command of each job, such as 'srun -n1 -c1 --quiet'")
      ->needs(emit);
  verify_app->callback([verify, &code] {
    if (verify->folders.empty() && !verify->trust) {
      throw CLI::RequiredError("folder");
    }
    if (!verify->emit.empty() && verify->emit.front() != "ninja") {
      throw CLI::ValidationError("--emit", "expected 'ninja FILE', found '" + verify->emit.front() + "'");
    }
    code = verify->folders.empty() ? ExitCode::Ok : verify_folders(*verify);
    if (verify->trust) {
      for (const std::string& folder : verify->folders) {
        print_library_trust(folder);
      }
      ExitCode trusted = print_trust({verify->folders, verify->store, verify->again});
      code = code == ExitCode::Ok ? trusted : code;
    }
  });
}

}  // namespace vouch
