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

// The rules of a document, as an editor's outline has them.
nlohmann::ordered_json symbols(const Document& document);

// A lens above each rule: its verdict, which is asked for when the lens is shown, and kept while the rule means the same.
class VerdictLenses {
 public:
  nlohmann::ordered_json of(const Document& document);
  // The rule that a lens of ours is of; empty for any other.
  std::string rule_of(const nlohmann::ordered_json& lens) const;
  // The lens with its verdict. May run on another thread than the above, but one at a time.
  nlohmann::ordered_json resolve(nlohmann::ordered_json lens, const std::string& rule);

 private:
  std::map<std::string, std::string> rules_;     // by content hash
  std::map<std::string, std::string> verdicts_;  // by the rule's text
};

}  // namespace vouch
