#include "driver/check_jobs.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "driver/model.h"
#include "driver/ninja_file.h"
#include "io/file.h"
#include "rule/parse.h"
#include "rule/print.h"
#include "support/hash.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

struct Group {
  std::string text;
  std::string names;  // of the entries
  std::vector<std::string> entries;
};

std::string job_name(const std::string& entries) { return content_hash(entries); }

std::string entry_name(const CheckStore& store, const Rule& rule) {
  return fs::path(store.path(rule)).filename().string() + "\n";
}

// The text reads back to the same rule under the same name.
bool reads_back(const Rule& rule, const std::string& text) {
  Diagnostics unread;
  auto again = parse_rules(std::make_shared<Source>(rule.name, text), unread);
  return again && again->size() == 1 && print_rule(again->front()) == text;
}

std::vector<std::string> option_words(const CheckCommand& command) {
  std::vector<std::string> words{"--max-rank", std::to_string(command.max_rank), "--seed", std::to_string(command.seed)};
  if (!command.refute) {
    words.emplace_back("--no-refute");
  }
  if (!command.repair) {
    words.emplace_back("--no-repair");
  }
  return words;
}

// Left as it is where it is there: Ninja goes by times.
bool write_once(const std::string& path, const std::string& text, Diagnostics& diagnostics) {
  auto found = read_regular(path, kMostKeptBytes).bytes;
  return (found && *found == text) || replace_file(path, text, diagnostics);
}

class Emission {
 public:
  Emission(const CheckCommand& command, const CheckStore& store, Diagnostics& diagnostics)
      : command_(command), store_(store), diagnostics_(diagnostics) {
    file_.launcher = command.launcher;
  }

  bool emit(const std::vector<const Rule*>& rules) {
    for (const Rule* rule : rules) {
      if (!add(*rule)) {
        return false;
      }
    }
    if (!end_group()) {
      return false;
    }
    set_last();
    auto text = print_ninja(file_, diagnostics_);
    return text && write_file(command_.emit.back(), *text, diagnostics_);
  }

  std::size_t jobs() const { return file_.jobs.size(); }

 private:
  bool add(const Rule& rule) {
    std::string text = print_rule(rule);
    if (!reads_back(rule, text)) {
      diagnostics_.error_at(rule.name, "this rule does not read back from its text, and cannot be a job");
      return false;
    }
    if (!known_.insert(store_.path(rule)).second) {
      return true;
    }
    group_.text += text + "\n";
    group_.names += entry_name(store_, rule);
    group_.entries.push_back(absolute_path(store_.path(rule)));
    return group_.entries.size() < command_.per_job || end_group();
  }

  bool end_group() {
    Group group = std::exchange(group_, {});
    if (group.entries.empty()) {
      return true;
    }
    std::string path = absolute_path(fmt::format("{}/jobs/{}.gsl", command_.store, job_name(group.names)));
    std::error_code failed;
    fs::create_directories(fs::path(path).parent_path(), failed);
    NinjaJob job{
        {this_program(), "check", "--fill", "--store", absolute_path(command_.store)}, {path}, std::move(group.entries), ""};
    for (std::string& word : option_words(command_)) {
      job.words.push_back(std::move(word));
    }
    job.words.insert(job.words.end(), {"--", path});
    job.what = fmt::format("check {} rule(s), job {}", job.makes.size(), file_.jobs.size() + 1);
    file_.jobs.push_back(std::move(job));
    return write_once(path, group.text, diagnostics_);
  }

  void set_last() {
    std::string report = absolute_path(command_.emit.back() + ".verdicts.json");
    file_.last = {
        {this_program(), "check", "--store", absolute_path(command_.store), "--json", report}, {}, {report}, "verdicts of all"};
    for (std::string& word : option_words(command_)) {
      file_.last.words.push_back(std::move(word));
    }
    if (!command_.only.empty()) {
      file_.last.words.insert(file_.last.words.end(), {"--rule", command_.only});
    }
    file_.last.words.emplace_back("--");
    for (const std::string& path : command_.rules) {
      file_.last.words.push_back(absolute_path(path));
    }
    for (const std::string& path : rule_files(command_.rules, diagnostics_)) {
      file_.last.reads.push_back(absolute_path(path));
    }
  }

  const CheckCommand& command_;
  const CheckStore& store_;
  Diagnostics& diagnostics_;
  NinjaFile file_;
  Group group_;
  std::set<std::string> known_;
};

}  // namespace

bool emit_check_jobs(const std::vector<const Rule*>& rules, const CheckCommand& command, const CheckStore& store,
                     Diagnostics& diagnostics) {
  Emission emission(command, store, diagnostics);
  if (!emission.emit(rules)) {
    return false;
  }
  fmt::print("{}: {} rules in {} jobs, answers in {}\n", command.emit.back(), rules.size(), emission.jobs(), command.store);
  return true;
}

bool is_own_job(const std::vector<const Rule*>& rules, const CheckCommand& command, const CheckStore& store,
                Diagnostics& diagnostics) {
  std::string names;
  for (const Rule* rule : rules) {
    names += entry_name(store, *rule);
  }
  bool own = command.rules.size() == 1 && fs::path(command.rules[0]).stem().string() == job_name(names);
  if (!own) {
    diagnostics.error_at(command.rules[0],
                         "this job was not written by this program for this user's key: nobody would find its answer",
                         "run the same 'vouch', with the same $VOUCH_KEY, on every machine");
  }
  return own;
}

}  // namespace vouch
