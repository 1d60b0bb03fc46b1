#include "io/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "support/displayable.h"

namespace vouch {

// Receives the parser's events and follows the text in lockstep: between two events lie only white space, commas and
// colons, so the place of each token is found without help from the parser.
class JsonBuilder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  JsonBuilder(JsonText& out, Diagnostics& diagnostics) : out_(out), diagnostics_(diagnostics) {
    text_ = out.source_->text();
    if (text_.substr(0, 3) == "\xef\xbb\xbf") {
      cursor_ = 3;
    }
  }

  bool null() { return add(JsonKind::Null, skip_word()); }
  bool boolean(bool value) { return add(value ? JsonKind::True : JsonKind::False, skip_word()); }
  bool number_integer(number_integer_t) { return add(JsonKind::Number, skip_word()); }
  bool number_unsigned(number_unsigned_t) { return add(JsonKind::Number, skip_word()); }
  bool number_float(number_float_t, const string_t&) { return add(JsonKind::Number, skip_word()); }
  bool binary(binary_t&) { return false; }

  bool string(string_t& value) {
    Span span = skip_string();
    if (!add(JsonKind::String, span)) {
      return false;
    }
    out_.nodes_.back().text = keep(std::move(value));
    return true;
  }

  bool key(string_t& value) {
    Span span = skip_string();
    if (!keys_.back().insert(value).second) {
      diagnostics_.error(out_.source_, span, fmt::format("the key '{}' is given twice", value));
      return false;
    }
    pending_key_ = keep(std::move(value));
    return true;
  }

  bool start_object(std::size_t) { return open(JsonKind::Object); }
  bool start_array(std::size_t) { return open(JsonKind::Array); }
  bool end_object() { return shut(); }
  bool end_array() { return shut(); }

  template <class Exception>
  bool parse_error(std::size_t position, const std::string& token, const Exception&) {
    auto at = static_cast<std::uint32_t>(std::min(position > 0 ? position - 1 : 0, text_.size()));
    diagnostics_.error(out_.source_, {at, at + 1}, "no JSON: " + what_stands_at(at, token), hint_at(at));
    return false;
  }

 private:
  std::string what_stands_at(std::uint32_t at, const std::string& token) const {
    if (at >= text_.size()) {
      return open_.empty() ? "expected a value, found the end of the text" : "the text ends within a value";
    }
    auto byte = static_cast<unsigned char>(text_[at]);
    if (byte < 0x20 || byte >= 0x80) {
      return fmt::format("the byte {:#04x} is not allowed here", byte);
    }
    return fmt::format("'{}' is not expected here", shortened(token.empty() ? text_.substr(at, 1) : std::string_view(token), 40));
  }

  std::string hint_at(std::uint32_t at) const {
    char c = at < text_.size() ? text_[at] : '\0';
    return c == '\''              ? "strings are in double quotes"
           : c == ']' || c == '}' ? "no comma stands before a closing bracket"
           : c == '/' || c == '#' ? "JSON has no comments"
                                  : "";
  }

  std::uint32_t keep(std::string text) {
    out_.strings_.push_back(std::move(text));
    return static_cast<std::uint32_t>(out_.strings_.size() - 1);
  }

  std::uint32_t skip_space() {
    while (cursor_ < text_.size() && std::string_view(" \t\r\n,:").find(text_[cursor_]) != std::string_view::npos) {
      ++cursor_;
    }
    return cursor_;
  }

  Span skip_word() {
    std::uint32_t begin = skip_space();
    while (cursor_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[cursor_])) ||
                                      std::string_view("+-.").find(text_[cursor_]) != std::string_view::npos)) {
      ++cursor_;
    }
    return {begin, cursor_};
  }

  Span skip_string() {
    std::uint32_t begin = skip_space();
    ++cursor_;
    while (cursor_ < text_.size() && text_[cursor_] != '"') {
      cursor_ += text_[cursor_] == '\\' ? 2 : 1;
    }
    return {begin, ++cursor_};
  }

  bool add(JsonKind kind, Span span) {
    auto id = static_cast<std::uint32_t>(out_.nodes_.size());
    JsonText::Node node;
    node.kind = kind;
    node.span = span;
    node.end = span.end;
    node.key = std::exchange(pending_key_, JsonText::kNone);
    if (!open_.empty()) {
      JsonText::Node& parent = out_.nodes_[open_.back().node];
      node.parent = open_.back().node;
      ++parent.count;
      (open_.back().last == JsonText::kNone ? parent.first : out_.nodes_[open_.back().last].next) = id;
      open_.back().last = id;
    }
    out_.nodes_.push_back(node);
    return true;
  }

  bool open(JsonKind kind) {
    std::uint32_t begin = skip_space();
    ++cursor_;
    if (open_.size() >= kDeepestJson) {
      diagnostics_.error(out_.source_, {begin, begin + 1}, fmt::format("nested more than {} levels deep", kDeepestJson));
      return false;
    }
    add(kind, {begin, begin + 1});
    open_.push_back({static_cast<std::uint32_t>(out_.nodes_.size() - 1), JsonText::kNone});
    keys_.emplace_back();
    return true;
  }

  bool shut() {
    skip_space();
    ++cursor_;
    out_.nodes_[open_.back().node].end = cursor_;
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  struct Open {
    std::uint32_t node;
    std::uint32_t last;
  };

  JsonText& out_;
  Diagnostics& diagnostics_;
  std::string_view text_;
  std::uint32_t cursor_ = 0;
  std::uint32_t pending_key_ = JsonText::kNone;
  std::vector<Open> open_;
  std::vector<std::unordered_set<std::string>> keys_;
};

std::optional<JsonText> JsonText::parse(SourceRef source, Diagnostics& diagnostics) {
  if (source->text().size() >= kNone) {
    diagnostics.error_at(source->name(), "the text is longer than 4 GiB");
    return std::nullopt;
  }
  JsonText out;
  out.source_ = source;
  JsonBuilder builder(out, diagnostics);
  std::string_view text = source->text();
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    return std::nullopt;
  }
  return out;
}

JsonValue JsonText::root() const { return {this, 0}; }

namespace {

std::string_view kind_words(JsonKind kind) {
  switch (kind) {
    case JsonKind::Null: return "null";
    case JsonKind::False: return "false";
    case JsonKind::True: return "true";
    case JsonKind::Number: return "a number";
    case JsonKind::String: return "a string";
    case JsonKind::Array: return "an array";
    case JsonKind::Object: return "an object";
  }
  return "a value";
}

std::string escape_pointer(const std::string& key) {
  std::string out;
  for (char c : key) {
    out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return out;
}

}  // namespace

std::string JsonValue::pointer() const {
  std::string out;
  std::uint32_t id = id_;
  while (owner_->nodes_[id].parent != JsonText::kNone) {
    const JsonText::Node& here = owner_->nodes_[id];
    std::string step;
    if (here.key != JsonText::kNone) {
      step = escape_pointer(owner_->strings_[here.key]);
    } else {
      std::size_t position = 0;
      for (std::uint32_t at = owner_->nodes_[here.parent].first; at != id; at = owner_->nodes_[at].next) {
        ++position;
      }
      step = std::to_string(position);
    }
    out = "/" + step + out;
    id = here.parent;
  }
  return out;
}

void JsonValue::error(Diagnostics& diagnostics, std::string message, std::string hint) const {
  std::string at = pointer();
  if (!at.empty()) {
    message += fmt::format(" (at {})", at);
  }
  diagnostics.add({Severity::Error, std::move(message), owner_->source_, span(), at, std::move(hint)});
}

std::vector<JsonValue> JsonValue::items() const {
  std::vector<JsonValue> out;
  out.reserve(size());
  for (std::uint32_t id = node().first; id != JsonText::kNone; id = owner_->nodes_[id].next) {
    out.push_back({owner_, id});
  }
  return out;
}

const std::string& JsonValue::key() const { return owner_->strings_[node().key]; }

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  if (kind() == JsonKind::Object) {
    for (const JsonValue& item : items()) {
      if (item.key() == key) {
        return item;
      }
    }
  }
  return std::nullopt;
}

std::optional<JsonValue> JsonValue::member(std::string_view key, Diagnostics& diagnostics) const {
  if (!expect(JsonKind::Object, diagnostics)) {
    return std::nullopt;
  }
  auto found = find(key);
  if (!found) {
    error(diagnostics, fmt::format("expected a member '{}'", key));
  }
  return found;
}

void JsonValue::refuse_unknown_members(const std::vector<std::string>& known, Diagnostics& diagnostics) const {
  for (const JsonValue& item : kind() == JsonKind::Object ? items() : std::vector<JsonValue>{}) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
      auto near = suggest(item.key(), known);
      item.error(diagnostics, fmt::format("unknown member '{}'", item.key()),
                 near ? fmt::format("did you mean '{}'?", *near) : fmt::format("expected one of: {}", fmt::join(known, ", ")));
    }
  }
}

std::optional<std::string> JsonValue::string(Diagnostics& diagnostics) const {
  return expect(JsonKind::String, diagnostics) ? std::optional(owner_->strings_[node().text]) : std::nullopt;
}

std::optional<std::int64_t> JsonValue::integer(Diagnostics& diagnostics) const {
  if (!expect(JsonKind::Number, diagnostics)) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  auto [end, failure] = std::from_chars(text().data(), text().data() + text().size(), value);
  if (failure != std::errc() || end != text().data() + text().size()) {
    error(diagnostics, fmt::format("expected an integer within 64 bits, found {}", text()));
    return std::nullopt;
  }
  return value;
}

std::optional<std::vector<JsonValue>> JsonValue::array(Diagnostics& diagnostics) const {
  return expect(JsonKind::Array, diagnostics) ? std::optional(items()) : std::nullopt;
}

bool JsonValue::expect(JsonKind expected, Diagnostics& diagnostics) const {
  if (kind() != expected) {
    error(diagnostics, fmt::format("expected {}, found {}", kind_words(expected), kind_words(kind())));
    return false;
  }
  return true;
}

std::string_view JsonValue::text() const { return owner_->source_->text().substr(span().begin, node().end - span().begin); }

std::string json_quote(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace vouch
