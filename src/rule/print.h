// Rules as text; `parse_rules` reads them back to a rule that is `same_rule`.
#pragma once

#include <map>
#include <string>

#include "rule/ast.h"

namespace vouch {

// With the author's names. Patterns used once are written in place up to a few levels.
std::string print_rule(const Rule& rule);
std::string print_attr(const Rule& rule, AttrId attr);
// One line; patterns with a name are shown by it, except `pattern` itself.
std::string print_pattern(const Rule& rule, PatternId pattern);

// A text that depends only on what the rule means: names follow the order of the patterns, conditions are sorted; rule
// name, doc string and expected verdict are left out. It reads back to the same rule but for those.
std::string canonical_text(const Rule& rule);
// Of that text. Most rules that are read are never asked for it.
std::string content_hash(const Rule& rule);

// Of rules that stay where they are, each once.
class ContentHashes {
 public:
  const std::string& of(const Rule& rule);

 private:
  std::map<const Rule*, std::string> known_;
};

// The same patterns with the same sharing, and the same attributes and conditions; rule name, doc string and expected
// verdict as well. Names, places and the sharing of attribute expressions do not count.
bool same_rule(const Rule& a, const Rule& b);

}  // namespace vouch
