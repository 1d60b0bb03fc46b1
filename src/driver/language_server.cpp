#include "driver/language_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "driver/language_features.h"
#include "driver/later_answers.h"
#include "io/whole_json.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = 64 << 20;
// JSON-RPC 2.0
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kUnknownMethod = -32601;
constexpr int kBadParameters = -32602;
constexpr int kInternalError = -32603;
constexpr int kNotInitialized = -32002;  // the Language Server Protocol's own
constexpr int kCancelled = -32800;

// The content of the next message; nothing at the end of the input or where it is no message.
std::optional<std::string> read_message(std::istream& in) {
  constexpr std::string_view kLength = "content-length:";  // names of headers are read in any case
  std::size_t length = 0;
  for (std::string line; std::getline(in, line) && line != "\r" && !line.empty();) {
    std::string name = line.substr(0, kLength.size());
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name == kLength) {
      std::size_t at = line.find_first_not_of(' ', kLength.size());
      const char* end = line.data() + line.size();
      std::from_chars(at == std::string::npos ? end : line.data() + at, end, length);
    }
  }
  if (!in || length == 0 || length > kMostBytes) {
    return std::nullopt;
  }
  std::string content(length, '\0');
  in.read(content.data(), static_cast<std::streamsize>(length));
  return in ? std::optional(std::move(content)) : std::nullopt;
}

// `json["a"]["b"]` where each is there and of this kind.
std::string text_at(const Json& json, std::initializer_list<const char*> path) {
  const Json* at = &json;
  for (const char* name : path) {
    auto found = at->is_object() ? at->find(name) : at->end();
    if (!at->is_object() || found == at->end()) {
      return {};
    }
    at = &*found;
  }
  return at->is_string() ? at->get<std::string>() : std::string();
}

std::optional<TextPosition> position_in(const Json& params) {
  auto position = params.is_object() ? params.find("position") : params.end();
  if (!params.is_object() || position == params.end() || !position->is_object()) {
    return std::nullopt;
  }
  auto number = [&](const char* name) -> std::optional<std::uint32_t> {
    auto found = position->find(name);
    bool good = found != position->end() && found->is_number_unsigned() && found->get<std::uint64_t>() <= UINT32_MAX;
    return good ? std::optional(found->get<std::uint32_t>()) : std::nullopt;
  };
  auto line = number("line");
  auto character = number("character");
  return line && character ? std::optional(TextPosition{*line, *character}) : std::nullopt;
}

Json capabilities() {
  return {{"capabilities",
           {{"textDocumentSync", 1},  // whole texts
            {"hoverProvider", true},
            {"completionProvider", {{"triggerCharacters", {"{", "."}}}},
            {"definitionProvider", true},
            {"documentFormattingProvider", true},
            {"documentSymbolProvider", true},
            {"codeLensProvider", {{"resolveProvider", true}}}}},
          {"serverInfo", {{"name", "vouch"}, {"version", VOUCH_VERSION}}}};
}

class Server {
 public:
  Server(std::istream& in, std::ostream& out) : in_(in), out_(out) {}

  ExitCode run() {
    while (auto content = read_message(in_)) {
      Json message = whole_json(*content);
      std::string method = text_at(message, {"method"});
      if (!message.is_object()) {
        fail(nullptr, kParseError, "no JSON object");
      } else if (method == "exit") {
        break;
      } else if (!message.contains("id")) {
        note(method, message.value("params", Json::object()));
      } else if (message.contains("method")) {  // else it answers what was never asked
        request(message["id"], method, message.value("params", Json::object()));
      }
    }
    ExitCode code = shut_down_ ? ExitCode::Ok : ExitCode::Refuted;
    if (later_.drop_all()) {
      std::quick_exit(static_cast<int>(code));  // nobody waits for the proof that is under way
    }
    return code;
  }

 private:
  void send(Json message) {
    message["jsonrpc"] = "2.0";
    std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::lock_guard lock(sending_);
    out_ << "Content-Length: " << text.size() << "\r\n\r\n" << text << std::flush;
  }
  void fail(const Json& id, int code, const std::string& why) {
    send({{"id", id}, {"error", {{"code", code}, {"message", why}}}});
  }

  void note(const std::string& method, const Json& params) {
    std::string uri = text_at(params, {"textDocument", "uri"});
    if (method == "textDocument/didOpen") {
      languages_[uri] = language_called(text_at(params, {"textDocument", "languageId"}), uri);
      set_text(uri, text_at(params, {"textDocument", "text"}));
    } else if (method == "textDocument/didChange") {
      auto changes = params.is_object() ? params.find("contentChanges") : params.end();
      if (params.is_object() && changes != params.end() && changes->is_array() && !changes->empty()) {
        set_text(uri, text_at(changes->back(), {"text"}));
      }
    } else if (method == "textDocument/didClose") {
      texts_.erase(uri);
      languages_.erase(uri);
      publish(uri, Json::array());
    } else if (method == "$/cancelRequest" && params.is_object() && params.contains("id") && later_.drop(params["id"].dump())) {
      fail(params["id"], kCancelled, "cancelled");
    }
  }

  // Verdicts may take seconds: they do not keep what is typed meanwhile from its diagnostics.
  void resolve(const Json& id, const Json& lens) {
    std::string rule = lenses_.rule_of(lens);
    if (rule.empty()) {
      return send({{"id", id}, {"result", lens}});
    }
    later_.add(id.dump(), [this, id, lens, rule] {
      try {
        send({{"id", id}, {"result", lenses_.resolve(lens, rule)}});
      } catch (const std::exception& thrown) {
        fail(id, kInternalError, thrown.what());
      }
    });
  }

  void set_text(const std::string& uri, std::string text) {
    texts_[uri] = std::move(text);
    publish(uri, document_diagnostics(opened(uri, texts_[uri])));
  }

  Document opened(const std::string& uri, const std::string& text) const {
    auto language = languages_.find(uri);
    return {uri, language == languages_.end() ? language_of(uri) : language->second, text};
  }

  void publish(const std::string& uri, Json diagnostics) {
    send({{"method", "textDocument/publishDiagnostics"}, {"params", {{"uri", uri}, {"diagnostics", std::move(diagnostics)}}}});
  }

  void request(const Json& id, const std::string& method, const Json& params) {
    if (shut_down_ || (initialized_ && method == "initialize")) {
      fail(id, kInvalidRequest,
           shut_down_ ? "the server is shut down: it waits for 'exit'" : "the server is initialized already");
    } else if (method == "initialize") {
      initialized_ = true;
      send({{"id", id}, {"result", capabilities()}});
    } else if (!initialized_) {
      fail(id, kNotInitialized, "the first request is 'initialize'");
    } else {
      answer(id, method, params);
    }
  }

  void answer(const Json& id, const std::string& method, const Json& params) {
    if (method == "shutdown") {
      shut_down_ = true;
      return send({{"id", id}, {"result", nullptr}});
    }
    if (method == "codeLens/resolve") {
      return resolve(id, params);
    }
    auto found = texts_.find(text_at(params, {"textDocument", "uri"}));
    if (!method.starts_with("textDocument/")) {
      return fail(id, kUnknownMethod, fmt::format("there is no method '{}'", method));
    }
    if (found == texts_.end()) {
      return fail(id, kBadParameters, "this document is not open");
    }
    const Document document = opened(found->first, found->second);
    auto position = position_in(params);
    if (method == "textDocument/codeLens") {
      send({{"id", id}, {"result", lenses_.of(document)}});
    } else if (method == "textDocument/documentSymbol") {
      send({{"id", id}, {"result", symbols(document)}});
    } else if (method == "textDocument/formatting") {
      send({{"id", id}, {"result", formatting_edits(document)}});
    } else if (method == "textDocument/completion") {
      send({{"id", id}, {"result", completions(document)}});
    } else if (!position) {
      fail(id, kBadParameters, "a position is missing");
    } else if (method == "textDocument/hover") {
      send({{"id", id}, {"result", hover(document, *position)}});
    } else if (method == "textDocument/definition") {
      send({{"id", id}, {"result", definition(document, *position)}});
    } else {
      fail(id, kUnknownMethod, fmt::format("there is no method '{}'", method));
    }
  }

  std::istream& in_;
  std::ostream& out_;
  std::map<std::string, std::string> texts_;       // by URI
  std::map<std::string, TextLanguage> languages_;  // by URI, as they were opened
  VerdictLenses lenses_;
  bool initialized_ = false;
  bool shut_down_ = false;
  std::mutex sending_;
  LaterAnswers later_;  // the last: its thread uses the others
};

}  // namespace

ExitCode serve_language(std::istream& in, std::ostream& out) { return Server(in, out).run(); }

}  // namespace vouch
