#include "driver/check_commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "driver/check_command.h"
#include "driver/rule_proofs.h"

namespace vouch {

void add_check_commands(CLI::App& app, ExitCode& code) {
  auto command = std::make_shared<CheckCommand>();
  CLI::App* check = app.add_subcommand("check", "Prove rules for all shapes, attributes and values, or refute them");
  check->add_option("rules", command->rules, "rule files or folders")->required();
  check->add_option("--rule", command->only, "this rule alone");
  check->add_option("--json", command->json, "write the verdicts to this file (- for standard output)");
  check->add_option("--sarif", command->sarif, "write what does not pass as SARIF 2.1.0, for code scanning");
  check->add_option("--junit", command->junit, "write the verdicts as JUnit XML, for continuous integration");
  check->add_option("--badge", command->badge, "write a badge for shields.io's endpoint (JSON)");
  check->add_option("--smt", command->smt, "folder for every query that a proof rests on, as SMT-LIB 2");
  check->add_option("--recheck", command->recheck, "a second solver that must agree on these queries (cvc5)")
      ->check(CLI::IsMember({"cvc5"}));
  check->add_option("--coq", command->coq,
                    "folder for Coq theorems about the sound rules, with proofs ('vouch verify' checks them)");
  check->add_option("--coq-instances", command->coq_most, "instances of a rule that these theorems state, at most")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{0}, kMostRecipe.theorems));
  check->add_option("-j,--jobs", command->jobs, "rules at a time; 0: as many as there are processors")->capture_default_str();
  check->add_option("--max-rank", command->max_rank, "ranks 0 to this for inputs that may have any")
      ->capture_default_str()
      ->check(CLI::Range(0U, kMostRecipe.max_rank));
  check->add_flag("!--no-refute", command->refute, "do not look for counterexamples");
  check->add_option("--seed", command->seed, "the solver's seed: no verdict may depend on it")->capture_default_str();
  check->add_flag("!--no-repair", command->repair, "do not look for conditions that repair refuted rules");
  auto* store = check->add_option("--store", command->store,
                                  "folder of verdicts that processes and machines share: what it knows is not proven again");
  check->add_flag("--again", command->again, "prove also what the store knows, and say where it differs")->needs(store);
  auto* emit = check
                   ->add_option("--emit", command->emit,
                                "'ninja FILE': write the rules as jobs for Ninja, with their answers in the store")
                   ->type_size(2)
                   ->expected(1)
                   ->allow_extra_args(false)
                   ->needs(store);
  check->add_option("--launcher", command->launcher, "what runs the command of each job, such as 'srun -n1 -c1 --quiet'")
      ->needs(emit);
  check->add_option("--per-job", command->per_job, "rules of one job")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->needs(emit);
  check->add_flag("--fill", command->fill, "a job: put the verdicts into the store, and end with 0 whatever they are")
      ->needs(store)
      ->excludes(emit);
  check->add_flag("--watch", command->watch, "check again whenever a rule file changes; ends with Ctrl-C");
  check->add_flag("--verbose", command->verbose, "show what is left to prove of undecided rules");
  check->callback([command, &code] {
    if (!command->emit.empty() && command->emit.front() != "ninja") {
      throw CLI::ValidationError("--emit", "expected 'ninja FILE', found '" + command->emit.front() + "'");
    }
    code = check_rules(*command);
  });
}

}  // namespace vouch
