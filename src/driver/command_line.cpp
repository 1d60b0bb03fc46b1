#include "driver/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <vector>

#include "driver/help_text.h"
#include "driver/model.h"
#include "driver/ninja_file.h"
#include "support/diagnostic.h"

namespace vouch {
namespace {

using Apps = std::vector<const CLI::App*>;

Apps subcommands(const CLI::App& app) {
  Apps all = app.get_subcommands([](const CLI::App*) { return true; });
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->get_name() < b->get_name(); });
  return all;
}

// `MODEL`, `RULES...`
std::string placeholder(const CLI::Option& option) {
  std::string name = option.get_name(true, false);
  std::string shown;
  for (char c : name) {
    shown += c == '-' ? '\0' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  std::erase(shown, '\0');
  return option.get_items_expected_max() > 1 ? shown + "..." : shown;
}

std::string default_of(const CLI::Option& option) {
  return option.get_default_str().empty() ? "" : fmt::format(" (otherwise {})", option.get_default_str());
}

std::string usage(const CLI::App& app) {
  std::string out = "vouch " + app.get_name();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      out += option->get_required() ? " " + placeholder(*option) : fmt::format(" [{}]", placeholder(*option));
    }
  }
  return out + " [OPTIONS]";
}

// roff takes a dot or a quote at the beginning of a line, and a backslash anywhere, for its own.
std::string roff(std::string_view text) {
  std::string out = text.empty() || (text[0] != '.' && text[0] != '\'') ? "" : "\\&";
  for (char c : text) {
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return out;
}

std::vector<std::string> option_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (std::string& name : option_names(*option)) {
      words.push_back(std::move(name));
    }
  }
  return words;
}

std::string bash_script(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* sub : subcommands(app)) {
    names.push_back(sub->get_name());
    cases += fmt::format("    {}) words=\"{}\" ;;\n", sub->get_name(), fmt::join(option_words(*sub), " "));
  }
  return fmt::format(
      "# bash completion for vouch: source <(vouch completions bash)\n"
      "_vouch() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  if [ \"${{word#-}}\" != \"$word\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _vouch vouch\n",
      fmt::join(names, " "), cases);
}

std::string zsh_script(const CLI::App& app) {
  std::string names;
  std::string cases;
  for (const CLI::App* sub : subcommands(app)) {
    names += fmt::format("    {}\n", shell_word(sub->get_name() + ":" + sub->get_description()));
    cases += fmt::format("    {}) compadd -- {} ;;\n", sub->get_name(), fmt::join(option_words(*sub), " "));
  }
  return fmt::format(
      "#compdef vouch\n"
      "# zsh completion for vouch: vouch completions zsh > a folder of $fpath, as _vouch\n"
      "_vouch() {{\n"
      "  local -a commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'subcommand' commands\n"
      "    return\n"
      "  fi\n"
      "  if [[ \"$PREFIX\" != -* ]]; then\n"
      "    _files\n"
      "    return\n"
      "  fi\n"
      "  case \"$words[2]\" in\n{}  esac\n"
      "}}\n"
      "compdef _vouch vouch\n",
      names, cases);
}

std::string fish_script(const CLI::App& app) {
  std::string out = "# fish completion for vouch: vouch completions fish > ~/.config/fish/completions/vouch.fish\n";
  for (const CLI::App* sub : subcommands(app)) {
    out += fmt::format("complete -c vouch -n __fish_use_subcommand -f -a {} -d {}\n", sub->get_name(),
                       shell_word(sub->get_description()));
    for (const CLI::Option* option : sub->get_options()) {
      std::string names;
      for (const std::string& name : option->get_snames()) {
        names += " -s " + name;
      }
      for (const std::string& name : option->get_lnames()) {
        names += " -l " + name;
      }
      if (!names.empty()) {
        out += fmt::format("complete -c vouch -n '__fish_seen_subcommand_from {}'{}{} -d {}\n", sub->get_name(), names,
                           takes_value(*option) ? " -r" : "", shell_word(option->get_description()));
      }
    }
  }
  return out;
}

std::string near_option(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> words = option_words(app);
  for (int k = 2; k < argc; ++k) {
    std::string word = std::string(argv[k]).substr(0, std::string(argv[k]).find('='));
    bool known = std::find(words.begin(), words.end(), word) != words.end();
    auto near = word.starts_with("--") && !known ? suggest(word, words) : std::nullopt;
    if (near) {
      return fmt::format("did you mean '{}'?", *near);
    }
  }
  std::vector<std::string> left = app.remaining();
  bool output = app.get_option_no_throw("--output") != nullptr;
  return output && !left.empty() && !left[0].starts_with("-") ? fmt::format("what is written is named by -o {}", left[0]) : "";
}

}  // namespace

std::string suggestion(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> names;
  for (const CLI::App* sub : subcommands(app)) {
    names.push_back(sub->get_name());
    if (argc > 1 && sub->get_name() == argv[1]) {
      return near_option(*sub, argc, argv);
    }
  }
  std::string word = argc > 1 ? argv[1] : "";
  if (std::string takers = takers_of(word); !takers.empty()) {
    return takers;
  }
  if (word == "version" || word == "-v" || word == "-V") {
    return "the version is told by 'vouch --version'";
  }
  auto near = suggest(word, names);
  return near ? fmt::format("did you mean '{}'?", *near) : "";
}

std::string exit_code_table() {
  return "0\tall is well: sound, equal within the tolerance, certified, written\n"
         "1\trefuted: a rule is wrong or not what its `expect` says, a certificate fails, numbers differ\n"
         "2\tundecided: unknown or out of time, nothing refuted\n"
         "3\tbad input: the message names the file, the line and the column, and nothing is written\n"
         "4\ta fault of ours\n"
         "64\twrong usage: an unknown subcommand or option\n";
}

namespace {

constexpr std::string_view kStreams =
    "In place of a file, `-` is standard input or output; a model there is ONNX, or JSON that begins with `{`. Results go to\n"
    "standard output, diagnostics to standard error. Progress is drawn on terminals alone.\n";

constexpr std::pair<std::string_view, std::string_view> kVariables[] = {
    {"NO_COLOR", "no colours, whatever it is"},
    {"VOUCH_CACHE", "the folder of what was found before; otherwise $XDG_CACHE_HOME/vouch, or ~/.cache/vouch"},
    {"VOUCH_KEY",
     "the file with the key that seals what is kept; otherwise $XDG_STATE_HOME/vouch/key, or ~/.local/state/vouch/key"},
    {"VOUCH_COQ_LIBRARY", "the compiled Coq library, where it does not lie beside the command"},
    {"TMPDIR", "where scratch folders are made; /tmp without it"},
    {"PATH", "where dot (draw), coqc (verify), the second solver (--recheck) and the C compiler (tune) are looked for"},
};

}  // namespace

std::string manual_page(const CLI::App& app) {
  std::string out = fmt::format(
      ".TH VOUCH 1\n.SH NAME\nvouch \\- {}\n.SH SYNOPSIS\n.B vouch\nSUBCOMMAND [OPTIONS]\n.SH DESCRIPTION\n{}.SH SUBCOMMANDS\n",
      roff(app.get_description()), roff(std::string(kStreams)));
  for (const CLI::App* sub : subcommands(app)) {
    out += fmt::format(".SS {}\n{}.\n", roff(usage(*sub)), roff(sub->get_description()));
    for (const CLI::Option* option : sub->get_options()) {
      std::vector<std::string> names = option_names(*option);
      std::string name = option->get_positional() ? placeholder(*option) : fmt::format("{}", fmt::join(names, ", "));
      std::string value = option->get_positional() ? "" : value_word(*option);
      out += fmt::format(".TP\n.B {}{}\n{}{}\n", roff(name), value.empty() ? "" : " " + roff(value),
                         roff(option->get_description()), roff(default_of(*option)));
    }
  }
  out += ".SH ENVIRONMENT\n";
  for (const auto& [name, meaning] : kVariables) {
    out += fmt::format(".TP\n.B {}\n{}\n", name, roff(std::string(meaning)));
  }
  out += ".SH EXIT STATUS\n";
  std::string table = exit_code_table();
  for (std::size_t at = 0; at < table.size(); at = table.find('\n', at) + 1) {
    std::string line = table.substr(at, table.find('\n', at) - at);
    out += fmt::format(".TP\n.B {}\n{}\n", line.substr(0, line.find('\t')), roff(line.substr(line.find('\t') + 1)));
  }
  return out;
}

std::string manual_markdown(const CLI::App& app) {
  std::string out = "# The command line\n\nWritten by `vouch man --markdown` from the options themselves.\n\n";
  out += kStreams;
  out += "\n## Variables\n\n| variable | meaning |\n|---|---|\n";
  for (const auto& [name, meaning] : kVariables) {
    out += fmt::format("| `{}` | {} |\n", name, meaning);
  }
  out += "\n## Exit codes\n\n| code | meaning |\n|---|---|\n";
  std::string table = exit_code_table();
  for (std::size_t at = 0; at < table.size(); at = table.find('\n', at) + 1) {
    std::string line = table.substr(at, table.find('\n', at) - at);
    out += fmt::format("| {} | {} |\n", line.substr(0, line.find('\t')), line.substr(line.find('\t') + 1));
  }
  for (const CLI::App* sub : subcommands(app)) {
    out += fmt::format("\n## vouch {}\n\n{}.\n\n    {}\n\n| option | meaning |\n|---|---|\n", sub->get_name(),
                       sub->get_description(), usage(*sub));
    for (const CLI::Option* option : sub->get_options()) {
      std::string name =
          option->get_positional() ? placeholder(*option) : fmt::format("{}", fmt::join(option_names(*option), "`, `"));
      out += fmt::format("| `{}` | {}{} |\n", name, option->get_description(), default_of(*option));
    }
  }
  return out;
}

std::string completion_script(const CLI::App& app, std::string_view shell) {
  return shell == "bash" ? bash_script(app) : shell == "zsh" ? zsh_script(app) : shell == "fish" ? fish_script(app) : "";
}

void add_manual_commands(CLI::App& app) {
  auto markdown = std::make_shared<bool>(false);
  CLI::App* man = app.add_subcommand("man", "Print the manual page, from the options themselves");
  man->add_flag("--markdown", *markdown, "as Markdown instead of roff");
  man->callback([&app, markdown] { fmt::print("{}", *markdown ? manual_markdown(app) : manual_page(app)); });
  auto shell = std::make_shared<std::string>();
  CLI::App* completions = app.add_subcommand("completions", "Print a completion script for a shell");
  completions->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completions->callback([&app, shell] { fmt::print("{}", completion_script(app, *shell)); });
}

}  // namespace vouch
