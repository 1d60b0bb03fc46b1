#include "driver/help_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "driver/command_line.h"

namespace vouch {
namespace {

struct HelpGroup {
  const char* title;
  std::vector<const char*> subcommands;
};

const std::vector<HelpGroup>& groups() {
  static const std::vector<HelpGroup> kGroups = {
      {"Rules", {"check", "refute", "replay", "rules", "import-rules"}},
      {"Models", {"optimize", "equiv", "build", "run", "draw", "diff", "why-not", "ops"}},
      {"Kernels", {"compile", "schedule", "tune", "show", "grad"}},
      {"Certificates", {"verify"}},
      {"Texts and editors", {"fmt", "lsp", "man", "completions", "help"}},
  };
  return kGroups;
}

const CLI::App* subcommand(const CLI::App& app, const std::string& name) {
  auto found = app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == name; });
  return found.empty() ? nullptr : found[0];
}

std::string names_joined(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) {
    names.push_back(option->get_positional() ? option->get_name() : option_names(*option).back());
  }
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

// The interval of `UINT:UINT in [0 - 8]`.
std::string range_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  std::size_t open = type.find('[');
  std::size_t dash = type.find(" - ", open);
  return open == std::string::npos || dash == std::string::npos
             ? ""
             : fmt::format("{} to {}", type.substr(open + 1, dash - open - 1),
                           type.substr(dash + 3, type.find(']', dash) - dash - 3));
}

class HelpText : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    return positional ? option->get_name(true, false) : fmt::format("{}", fmt::join(option_names(*option), ","));
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    bool many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    std::string word = option->get_positional() ? "" : value_word(*option);
    return (word.empty() ? "" : " " + word) + (many ? " ..." : "");
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::vector<std::string> notes;
    if (option->get_required() && !option->get_positional()) {
      notes.emplace_back("required");
    }
    if (std::string range = range_of(*option); !range.empty()) {
      notes.push_back(range);
    }
    if (!option->get_default_str().empty()) {
      notes.push_back("otherwise " + option->get_default_str());
    }
    if (!option->get_needs().empty()) {
      notes.push_back("with " + names_joined(option->get_needs()));
    }
    if (!option->get_excludes().empty()) {
      notes.push_back("not with " + names_joined(option->get_excludes()));
    }
    return option->get_description() + (notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, "; ")));
  }
};

std::string exit_codes() {
  std::string out = "Exit codes:\n";
  for (char c : exit_code_table()) {
    out += c == '\t' ? "  " : c == '\n' ? "\n  " : std::string(1, c);
  }
  out.erase(out.find_last_not_of(" \n") + 1);
  out.insert(out.find('\n') + 1, "  ");
  return out;
}

void add_help_command(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  CLI::App* help = app.add_subcommand("help", "Print what a subcommand does, and its options");
  help->add_option("subcommand", *name, "which; without it the list of all");
  help->callback([&app, name] {
    const CLI::App* of = name->empty() ? &app : subcommand(app, *name);
    if (of == nullptr) {
      throw CLI::ExtrasError("", {*name});
    }
    std::string title = name->empty() ? "vouch" : "vouch " + *name;
    fmt::print("{}", of->get_formatter()->make_help(of, title, CLI::AppFormatMode::Normal));
  });
}

}  // namespace

std::vector<std::string> option_names(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.get_snames()) {
    all.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    all.push_back("--" + name);
  }
  return all;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0 && option.get_type_size() != 0; }

std::string value_word(const CLI::Option& option) {
  if (!takes_value(option)) {
    return "";
  }
  std::string type = option.get_type_name();
  std::size_t colon = type.find(':');
  if (colon != std::string::npos && type.substr(colon + 1, 1) == "{") {
    std::string words = type.substr(colon + 2, type.find('}') - colon - 2);
    std::replace(words.begin(), words.end(), ',', '|');
    return words;
  }
  std::string plain = type.substr(0, colon);
  bool number = plain == "INT" || plain == "UINT";
  return number ? "N" : plain == "FLOAT" ? "NUMBER" : plain.empty() || plain == "TEXT" ? "VALUE" : plain;
}

void shape_help(CLI::App& app) {
  add_help_command(app);
  auto formatter = std::make_shared<HelpText>();
  formatter->column_width(28);
  app.formatter(formatter);
  for (const HelpGroup& group : groups()) {
    for (const char* name : group.subcommands) {
      app.get_subcommand(name)->group(group.title)->formatter(formatter);
    }
  }
  app.footer(exit_codes() + "\n\nvouch help SUBCOMMAND has the options of one; vouch man has all of them.\n");
}

std::string usage_error(const CLI::App& app, const CLI::Error& error, int argc, const char* const* argv) {
  const CLI::App* sub = argc > 1 ? subcommand(app, argv[1]) : nullptr;
  std::string near = suggestion(app, argc, argv);
  std::string place = sub == nullptr ? "vouch" : "vouch " + sub->get_name();
  std::string message = error.what();
  bool asked_for_help = sub != nullptr && sub->get_name() == "help" && argc > 2;
  if (sub == nullptr && argc > 1 && argv[1][0] != '-') {
    message = fmt::format("there is no subcommand '{}'", argv[1]);
  } else if (asked_for_help) {
    message = fmt::format("there is no subcommand '{}'", argv[2]);
    near = suggestion(app, argc - 1, argv + 1);
  } else if (sub == nullptr) {
    message = argc < 2 ? "expected a subcommand" : message;
  } else if (const auto* missing = dynamic_cast<const CLI::RequiredError*>(&error); missing != nullptr) {
    std::string name = message.substr(0, message.find(' '));
    const CLI::Option* option = sub->get_option_no_throw(name);
    message = option == nullptr
                  ? message
                  : fmt::format("expected {}: {}", option->get_positional() ? "'" + name + "'" : name, option->get_description());
  }
  std::string more = sub == nullptr || asked_for_help ? "vouch --help lists the subcommands" : place + " --help has the options";
  return fmt::format("{}: error: {}\n  hint: {}\n", place, message, near.empty() ? more : near + "; " + more);
}

}  // namespace vouch
