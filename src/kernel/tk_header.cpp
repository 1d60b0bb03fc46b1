#include "kernel/tk_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/tk_expression.h"

namespace vouch {
namespace {

// Nothing after an error.
std::vector<TkName> read_names(TkReader& reader, const TkToken& word, const SourceRef& source) {
  std::vector<TkName> names;
  do {
    TkToken name = reader.take();
    if (name.kind != TkTokenKind::Name) {
      reader.fail(name.span, fmt::format("expected a name, found '{}'", name.text));
      return {};
    }
    if (word.text == "size" && !reader.name_size(name)) {
      return {};
    }
    names.push_back({std::string(name.text), source, name.span});
  } while (reader.accept(","));
  if (const TkName* again = given_twice(names)) {
    reader.fail(again->span, fmt::format("'{}' is given twice", again->text), "name it once");
    return {};
  }
  return names;
}

void set_list(TkReader& reader, const TkToken& word, std::vector<TkName>& list, std::vector<TkName> names) {
  if (!list.empty()) {
    reader.fail(word.span, fmt::format("the header '{}' is given twice", word.text), "name all after one header");
    return;
  }
  list = std::move(names);
}

void set_one(TkReader& reader, const TkToken& word, std::string& value, const std::vector<TkName>& names) {
  if (names.size() != 1) {
    reader.fail(names[1].span, fmt::format("the header '{}' takes one name, found {}", word.text, names.size()));
  } else if (!value.empty()) {
    reader.fail(word.span, fmt::format("the header '{}' is given twice", word.text));
  } else if (word.text == "type" && !is_element_type(names[0].text)) {
    reader.fail(names[0].span, fmt::format("expected float, double or int, found '{}'", names[0].text));
  } else {
    value = names[0].text;
  }
}

}  // namespace

bool is_element_type(std::string_view name) { return name == "float" || name == "double" || name == "int"; }

const TkName* given_twice(const std::vector<TkName>& names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::any_of(names.begin(), name, [&](const TkName& before) { return before.text == name->text; })) {
      return &*name;
    }
  }
  return nullptr;
}

void read_header(TkReader& reader, const TkToken& word, const SourceRef& source, TkHeader& header) {
  std::vector<TkName> names = read_names(reader, word, source);
  if (reader.failed()) {
    return;
  }
  if (word.text == "in") {
    set_list(reader, word, header.inputs, std::move(names));
  } else if (word.text == "out") {
    set_list(reader, word, header.outputs, std::move(names));
  } else if (word.text == "grad") {
    set_list(reader, word, header.grad_to, std::move(names));
  } else if (word.text == "kernel") {
    set_one(reader, word, header.name, names);
  } else if (word.text == "type") {
    set_one(reader, word, header.dtype, names);
  } else if (word.text != "size") {
    reader.fail(word.span, fmt::format("unknown header '{}': expected kernel, in, out, type, grad, size or require", word.text));
  }
  reader.expect(";");
}

}  // namespace vouch
