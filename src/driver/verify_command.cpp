#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "driver/coq.h"
#include "driver/json_output.h"
#include "driver/kernel_commands.h"
#include "driver/manifest.h"
#include "driver/parallel.h"
#include "driver/rule_proofs.h"
#include "io/file.h"
#include "support/hash.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

struct Subject {
  std::string folder;
  std::string kernel;
  KernelEntry entry;
  CoqAnswer answer;
};

// What is on disk differs from what the manifest says, or nothing. The C text is left to Coq.
std::string changed_files(const Subject& subject) {
  std::string changed;
  for (const auto& [file, hash] : subject.entry.files) {
    Diagnostics diagnostics;
    std::optional<std::string> bytes = read_file(subject.folder + "/" + file, diagnostics);
    if (!bytes) {
      changed += file + " is missing; ";
    } else if (content_hash(*bytes) != hash) {
      changed += file + " is not as it was compiled; ";
    }
  }
  return changed;
}

bool has_derivation(const Subject& subject) {
  return subject.entry.files.contains(subject.kernel + std::string(kDerivationEnding));
}

// What Coq is asked; nothing, with the reason, if a file is not there.
std::optional<CoqQuestion> question(Subject& subject) {
  Diagnostics diagnostics;
  std::string base = subject.folder + "/" + subject.kernel;
  std::optional<std::string> certificate = read_file(base + ".v", diagnostics);
  std::optional<std::string> c = read_file(base + ".c", diagnostics);
  std::optional<std::string> derivation;
  if (has_derivation(subject)) {
    derivation = read_file(base + std::string(kDerivationEnding), diagnostics);
  }
  if (diagnostics.has_errors()) {
    subject.answer.message = diagnostics.text();
    return std::nullopt;
  }
  return CoqQuestion{*certificate, *c, derivation};
}

// The kernels of a folder; C files and certificates that the manifest does not know are errors.
void find_subjects(const std::string& folder, std::vector<Subject>& subjects, std::vector<RuleProof>& proofs,
                   Diagnostics& diagnostics) {
  std::optional<Manifest> manifest = read_manifest(folder + "/manifest.json", diagnostics);
  if (!manifest) {
    return;
  }
  std::vector<RuleProof> here = read_rule_proofs(folder, diagnostics);
  proofs.insert(proofs.end(), here.begin(), here.end());
  if (manifest->empty() && here.empty()) {
    diagnostics.error_at(folder, "there are no certificates here", "'vouch compile' writes them");
  }
  for (const auto& [kernel, entry] : *manifest) {
    subjects.push_back({folder, kernel, entry, {}});
  }
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder, ignored)) {
    std::string extension = file.path().extension().string();
    std::string name = file.path().filename().string();
    bool listed = std::any_of(here.begin(), here.end(), [&](const RuleProof& proof) { return proof.file == name; });
    bool known = listed || std::any_of(manifest->begin(), manifest->end(),
                                       [&](const auto& kernel) { return kernel.second.files.contains(name); });
    if ((extension == ".c" || extension == ".v") && !known) {
      diagnostics.error_at(file.path().string(), "the manifest does not know this file");
    }
  }
}

void verify_proofs(const std::string& library, std::vector<RuleProof>& proofs, unsigned jobs) {
  for_all(proofs.size(), jobs, [&](std::size_t at) { verify_rule_proof(library, proofs[at]); });
}

// The seconds that Coq took for all of them together.
double verify_all(const std::string& library, std::vector<Subject>& subjects, unsigned jobs) {
  std::vector<CoqQuestion> questions;
  std::vector<Subject*> asked;
  for (Subject& subject : subjects) {
    if (std::optional<CoqQuestion> complete = question(subject)) {
      questions.push_back(std::move(*complete));
      asked.push_back(&subject);
    }
  }
  double together = 0;
  std::vector<CoqAnswer> answers = check_certificates(library, questions, jobs, together);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    asked[i]->answer = std::move(answers[i]);
  }
  for (Subject& subject : subjects) {
    if (std::string changed = changed_files(subject); !changed.empty()) {
      subject.answer.accepted = false;
      subject.answer.message = changed + subject.answer.message;
    }
  }
  return together;
}

void print_table(const std::vector<Subject>& subjects, double together) {
  std::size_t width = 6;
  for (const Subject& subject : subjects) {
    width = std::max(width, subject.kernel.size());
  }
  fmt::print("{:<{}}  verdict     time  axioms\n", "kernel", width);
  for (const Subject& subject : subjects) {
    const CoqAnswer& answer = subject.answer;
    fmt::print("{:<{}}  {:<9} {:>5.2f} s  {}\n", subject.kernel, width, answer.accepted ? "certified" : "FAILED", answer.seconds,
               answer.axioms.empty() ? "-" : answer.axioms);
    if (!answer.accepted) {
      fmt::print("    {}\n", answer.message);
    }
  }
  fmt::print("{:<{}}  {:<9} {:>5.2f} s\n", "axioms", width, "of all", together);
}

nlohmann::ordered_json table_json(const std::vector<Subject>& subjects, const std::vector<RuleProof>& proofs, double together) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Subject& subject : subjects) {
    const CoqAnswer& answer = subject.answer;
    rows.push_back({{"kernel", subject.kernel},
                    {"folder", subject.folder},
                    {"certified", answer.accepted},
                    {"axioms", answer.axioms},
                    {"time_ms", answer.seconds * 1000},
                    {"message", answer.message}});
  }
  nlohmann::ordered_json rules = nlohmann::ordered_json::array();
  for (const RuleProof& proof : proofs) {
    rules.push_back({{"rule", proof.rule},
                     {"folder", proof.folder},
                     {"proven", proof.answer.accepted},
                     {"has_proof", !proof.file.empty()},
                     {"stated", proof.stated},
                     {"distinct", proof.distinct},
                     {"axioms", axiom_names(proof.answer.axioms)},
                     {"time_ms", proof.answer.seconds * 1000},
                     {"message", proof.answer.message}});
  }
  return {{"kernels", rows}, {"rules", rules}, {"together_ms", together * 1000}};
}

}  // namespace

ExitCode verify_folders(const VerifyCommand& command) {
  Diagnostics diagnostics;
  std::vector<Subject> subjects;
  std::vector<RuleProof> proofs;
  for (const std::string& folder : command.folders) {
    find_subjects(folder, subjects, proofs, diagnostics);
  }
  if (!has_coq()) {
    fmt::print(stderr, "{}coqc was not found: nothing is checked (Coq 8.16 is needed)\n", diagnostics.text());
    return ExitCode::Undecided;
  }
  std::optional<std::string> library = find_coq_library(diagnostics);
  double together = 0;
  if (library) {
    unsigned jobs = command.jobs != 0 ? command.jobs : std::thread::hardware_concurrency();
    together = verify_all(*library, subjects, jobs);
    verify_proofs(*library, proofs, jobs);
    if (!subjects.empty() && !json_alone(command.json)) {
      print_table(subjects, together);
    }
    if (!proofs.empty() && !json_alone(command.json)) {
      print_rule_proofs(proofs);
    }
  }
  bool known = !diagnostics.has_errors();
  bool written = give_json(command.json, table_json(subjects, proofs, together), diagnostics);
  fmt::print(stderr, "{}", diagnostics.text());
  bool all = std::all_of(subjects.begin(), subjects.end(), [](const Subject& s) { return s.answer.accepted; });
  // A rule without a proof is left to the solver; a proof that fails is not.
  bool open = std::any_of(proofs.begin(), proofs.end(), [](const RuleProof& p) { return p.file.empty(); });
  all = all && std::all_of(proofs.begin(), proofs.end(), [](const RuleProof& p) { return p.file.empty() || p.answer.accepted; });
  if (!library || (all && open && known && written)) {
    return ExitCode::Undecided;
  }
  return !all || !known ? ExitCode::Refuted : written ? ExitCode::Ok : ExitCode::BadInput;
}

}  // namespace vouch
