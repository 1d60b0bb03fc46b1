// What the language server says of a document.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "driver/format_text.h"
#include "driver/text_position.h"

namespace vouch {

struct Document {
  const std::string& uri;
  TextLanguage language;
  const std::string& text;
};

// What an editor calls a language (`gsl`, `vouch-tk`, …); where it is no name of ours, by the ending of the document's name.
TextLanguage language_called(std::string_view name, std::string_view uri);

// Each as the protocol has it (Language Server Protocol 3.17).
nlohmann::ordered_json document_diagnostics(const Document& document);
nlohmann::ordered_json hover(const Document& document, TextPosition position);       // null where nothing is known
nlohmann::ordered_json definition(const Document& document, TextPosition position);  // null where nothing is defined
nlohmann::ordered_json completions(const Document& document);
nlohmann::ordered_json formatting_edits(const Document& document);

// A lens above each rule: its verdict, which is asked for when the lens is shown, and kept while the rule means the same.
class VerdictLenses {
 public:
  nlohmann::ordered_json of(const Document& document);
  nlohmann::ordered_json resolve(const nlohmann::ordered_json& lens);

 private:
  std::map<std::string, std::string> texts_;     // of rules, by content hash
  std::map<std::string, std::string> verdicts_;  // by content hash
};

}  // namespace vouch
