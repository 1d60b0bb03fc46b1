// JSON with places: every value knows its span in the text and its JSON pointer, so that an error names both.
// nlohmann_json's event parser reads the text (it keeps no stack of calls); nesting beyond `kDeepestJson` is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace vouch {

inline constexpr std::size_t kDeepestJson = 200;

enum class JsonKind : std::uint8_t { Null, False, True, Number, String, Array, Object };

class JsonValue;

class JsonText {
 public:
  // Reports syntax errors, repeated keys and nesting that is too deep.
  static std::optional<JsonText> parse(SourceRef source, Diagnostics& diagnostics);
  // Valid while this text lives.
  JsonValue root() const;

 private:
  friend class JsonValue;
  friend class JsonBuilder;
  static constexpr std::uint32_t kNone = 0xffffffffU;
  struct Node {
    JsonKind kind = JsonKind::Null;
    Span span;              // of arrays and objects their first bracket, which errors point to
    std::uint32_t end = 0;  // of the whole value
    std::uint32_t parent = kNone;
    std::uint32_t first = kNone;  // child
    std::uint32_t next = kNone;   // sibling
    std::uint32_t count = 0;      // of children
    std::uint32_t key = kNone;    // in strings_
    std::uint32_t text = kNone;   // in strings_
  };

  SourceRef source_;
  std::vector<Node> nodes_;
  std::vector<std::string> strings_;
};

// A handle into a JsonText.
class JsonValue {
 public:
  JsonKind kind() const { return node().kind; }
  Span span() const { return node().span; }
  // `/nodes/3/op`; empty for the whole text.
  std::string pointer() const;
  void error(Diagnostics& diagnostics, std::string message, std::string hint = {}) const;

  // Of arrays and objects.
  std::size_t size() const { return node().count; }
  std::vector<JsonValue> items() const;
  const std::string& key() const;  // of a member of an object
  std::optional<JsonValue> find(std::string_view key) const;
  // The member, or an error at this value if it is no object or has no such member.
  std::optional<JsonValue> member(std::string_view key, Diagnostics& diagnostics) const;
  // Reports every member that is not among `known`, with a suggestion; what is no object has none.
  void refuse_unknown_members(const std::vector<std::string>& known, Diagnostics& diagnostics) const;

  // The value if it has this kind, otherwise an error that says what was expected and found.
  std::optional<std::string> string(Diagnostics& diagnostics) const;
  std::optional<std::int64_t> integer(Diagnostics& diagnostics) const;
  std::optional<std::vector<JsonValue>> array(Diagnostics& diagnostics) const;
  bool expect(JsonKind kind, Diagnostics& diagnostics) const;
  // As written.
  std::string_view text() const;

 private:
  friend class JsonText;
  JsonValue(const JsonText* owner, std::uint32_t id) : owner_(owner), id_(id) {}
  const JsonText::Node& node() const { return owner_->nodes_[id_]; }

  const JsonText* owner_;
  std::uint32_t id_;
};

// `text` as a JSON string, quotes included; bytes that are no UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

}  // namespace vouch
