#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "driver/coq.h"
#include "driver/kernel_commands.h"
#include "driver/manifest.h"
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

// The derivation, too, must lead to the C text on disk; the times add up.
void verify_derivation(const std::string& library, const std::string& c, Subject& subject) {
  Diagnostics diagnostics;
  std::optional<std::string> text =
      read_file(subject.folder + "/" + subject.kernel + std::string(kDerivationEnding), diagnostics);
  CoqAnswer answer;
  answer.message = diagnostics.text();
  if (text) {
    answer = check_derivation(library, *text, c);
  }
  subject.answer.seconds += answer.seconds;
  if (!answer.accepted || answer.axioms != "none") {
    subject.answer.accepted = false;
    subject.answer.message = "the derivation does not hold: " + answer.message;
  }
}

void verify_kernel(const std::string& library, Subject& subject) {
  Diagnostics diagnostics;
  std::string base = subject.folder + "/" + subject.kernel;
  std::optional<std::string> certificate = read_file(base + ".v", diagnostics);
  std::optional<std::string> c = read_file(base + ".c", diagnostics);
  if (!certificate || !c) {
    subject.answer.message = diagnostics.text();
    return;
  }
  subject.answer = check_certificate(library, *certificate, *c);
  if (subject.answer.accepted && has_derivation(subject)) {
    verify_derivation(library, *c, subject);
  }
  std::string changed = changed_files(subject);
  if (!changed.empty()) {
    subject.answer.accepted = false;
    subject.answer.message = changed + subject.answer.message;
  }
  if (subject.answer.accepted && subject.answer.axioms != "none") {
    subject.answer.accepted = false;
    subject.answer.message = "it rests on axioms";
  }
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
    bool known = listed || std::any_of(manifest->begin(), manifest->end(), [&](const auto& kernel) {
      return kernel.second.files.contains(name);
    });
    if ((extension == ".c" || extension == ".v") && !known) {
      diagnostics.error_at(file.path().string(), "the manifest does not know this file");
    }
  }
}

void verify_all(const std::string& library, std::vector<Subject>& subjects, std::vector<RuleProof>& proofs, unsigned jobs) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1U, jobs); ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < subjects.size() + proofs.size(); at = next++) {
        if (at < subjects.size()) {
          verify_kernel(library, subjects[at]);
        } else {
          verify_rule_proof(library, proofs[at - subjects.size()]);
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

void print_table(const std::vector<Subject>& subjects) {
  std::size_t width = 6;
  for (const Subject& subject : subjects) {
    width = std::max(width, subject.kernel.size());
  }
  fmt::print("{:<{}}  verdict     time  axioms\n", "kernel", width);
  for (const Subject& subject : subjects) {
    const CoqAnswer& answer = subject.answer;
    fmt::print("{:<{}}  {:<9} {:>5.2f} s  {}\n", subject.kernel, width, answer.accepted ? "certified" : "FAILED",
               answer.seconds, answer.axioms.empty() ? "-" : answer.axioms);
    if (!answer.accepted) {
      fmt::print("    {}\n", answer.message);
    }
  }
}

std::string table_json(const std::vector<Subject>& subjects, const std::vector<RuleProof>& proofs) {
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
  return nlohmann::ordered_json{{"kernels", rows}, {"rules", rules}}.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
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
  if (library) {
    verify_all(*library, subjects, proofs, command.jobs != 0 ? command.jobs : std::thread::hardware_concurrency());
    if (!subjects.empty()) {
      print_table(subjects);
    }
    if (!proofs.empty()) {
      print_rule_proofs(proofs);
    }
  }
  bool written = command.json.empty() || write_file(command.json, table_json(subjects, proofs), diagnostics);
  fmt::print(stderr, "{}", diagnostics.text());
  bool all = std::all_of(subjects.begin(), subjects.end(), [](const Subject& s) { return s.answer.accepted; });
  // A rule without a proof is left to the solver; a proof that fails is not.
  bool open = std::any_of(proofs.begin(), proofs.end(), [](const RuleProof& p) { return p.file.empty(); });
  all = all && std::all_of(proofs.begin(), proofs.end(), [](const RuleProof& p) { return p.file.empty() || p.answer.accepted; });
  if (library && all && open && !diagnostics.has_errors() && written) {
    return ExitCode::Undecided;
  }
  return !library ? ExitCode::Undecided : !all || diagnostics.has_errors() || !written ? ExitCode::Refuted : ExitCode::Ok;
}

}  // namespace vouch
