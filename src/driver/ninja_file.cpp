#include "driver/ninja_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace vouch {
namespace {

// In a path of a build line: blanks, colons and dollars are Ninja's own.
std::string path_text(std::string_view path) {
  std::string out;
  for (char c : path) {
    out += c == '$' || c == ' ' || c == ':' ? std::string("$") + c : std::string(1, c);
  }
  return out;
}

// In the value of a variable.
std::string value_text(std::string_view value) {
  std::string out;
  for (char c : value) {
    out += c == '$' ? "$$" : std::string(1, c);
  }
  return out;
}

bool has_line_end(std::string_view text) { return text.find_first_of("\n\r") != std::string_view::npos; }

bool tellable(const NinjaJob& job, Diagnostics& diagnostics) {
  auto refuse = [&](std::string_view what, const std::string& text) {
    diagnostics.error_at("--emit", fmt::format("Ninja takes no name with {} in it: '{}'", what, text));
    return false;
  };
  for (const auto* all : {&job.words, &job.reads, &job.makes}) {
    for (const std::string& text : *all) {
      if (has_line_end(text)) {
        return refuse("a line end", text);
      }
      if (all != &job.words && text.find('|') != std::string::npos) {  // it separates paths, and nothing quotes it
        return refuse("a '|'", text);
      }
    }
  }
  return true;
}

std::string edge(const NinjaJob& job, std::string_view rule, std::string_view after) {
  std::string makes;
  std::string reads;
  std::string words;
  for (const std::string& path : job.makes) {
    makes += " " + path_text(path);
  }
  for (const std::string& path : job.reads) {
    reads += " " + path_text(path);
  }
  for (const std::string& word : job.words) {
    words += " " + value_text(shell_word(word));
  }
  return fmt::format("build{}: {}{}{}\n  words ={}\n  what = {}\n", makes, rule, reads, after, words, value_text(job.what));
}

}  // namespace

std::string absolute_path(const std::string& path) { return std::filesystem::absolute(path).lexically_normal().string(); }

std::string shell_word(std::string_view text) {
  auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("_-./+,:@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) {
    return std::string(text);
  }
  std::string out = "'";
  for (char c : text) {
    out += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return out + "'";
}

std::string this_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

std::optional<std::string> print_ninja(const NinjaFile& file, Diagnostics& diagnostics) {
  if (has_line_end(file.launcher)) {
    diagnostics.error_at("--launcher", "expected one line");
    return std::nullopt;
  }
  std::string out = fmt::format(
      "# Independent jobs: `ninja -k 0 -f THIS_FILE`, and again if some were lost; what is there is not made again.\n"
      "ninja_required_version = 1.5\n"
      "rule job\n  command = {}{}$words\n  description = $what\n"
      "rule last\n  command = $words\n  description = $what\n  pool = console\n",
      value_text(file.launcher), file.launcher.empty() ? "" : " ");
  std::string all;
  for (const NinjaJob& job : file.jobs) {
    if (!tellable(job, diagnostics)) {
      return std::nullopt;
    }
    out += edge(job, "job", "");
    for (const std::string& path : job.makes) {
      all += " " + path_text(path);
    }
  }
  out += fmt::format("build jobs: phony{}\n", all);
  if (!file.last.words.empty()) {
    if (!tellable(file.last, diagnostics)) {
      return std::nullopt;
    }
    out += edge(file.last, "last", file.jobs.empty() ? "" : " | jobs");
  }
  return out;
}

}  // namespace vouch
