#include "notation/tk_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "notation/tk_expression.h"
#include "notation/tk_foreign.h"

namespace vouch {
namespace {

struct TypeName {
  std::string_view name;
  DType dtype;
};
constexpr TypeName kTypeNames[] = {{"float", DType::Float32}, {"double", DType::Float64}, {"int", DType::Int32},
                                   {"int64", DType::Int64},   {"bool", DType::Bool},      {"float16", DType::Float16},
                                   {"int8", DType::Int8},     {"uint8", DType::UInt8},    {"bfloat16", DType::BFloat16},
                                   {"int16", DType::Int16},   {"uint16", DType::UInt16},  {"uint32", DType::UInt32},
                                   {"uint64", DType::UInt64}};

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
  } else {
    value = names[0].text;
  }
}

}  // namespace

std::optional<DType> element_type(std::string_view name) {
  for (const TypeName& row : kTypeNames) {
    if (row.name == name) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

std::string_view element_type_name(DType dtype) {
  for (const TypeName& row : kTypeNames) {
    if (row.dtype == dtype) {
      return row.name;
    }
  }
  return "";
}

bool is_element_type(std::string_view name) {
  auto type = element_type(name);
  return type && *type != DType::UInt32 && byte_size(*type) >= byte_size(DType::Float32);
}

const TkName* given_twice(const std::vector<TkName>& names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::any_of(names.begin(), name, [&](const TkName& before) { return before.text == name->text; })) {
      return &*name;
    }
  }
  return nullptr;
}

namespace {

// `type TYPE;`, or `type TYPE NAME, NAME;`.
void read_type(TkReader& reader, const TkToken& word, const SourceRef& source, TkHeader& header) {
  TkToken type = reader.take();
  bool of_tensors = reader.peek().kind == TkTokenKind::Name;
  std::string_view meant = tk_meant_by_type(type.text);
  if (of_tensors ? !element_type(type.text) : !is_element_type(type.text)) {
    reader.fail(type.span,
                fmt::format("expected float, double, int, int64{}, found '{}'",
                            of_tensors ? ", uint64, bool, float16, bfloat16, int8, uint8, int16, uint16 or uint32" : " or uint64",
                            type.text),
                meant.empty() ? "" : fmt::format("this type is written {}", meant));
  } else if (of_tensors) {
    header.stored.emplace_back(type.text, read_names(reader, word, source));
  } else if (!header.dtype.empty()) {
    reader.fail(word.span, "the header 'type' is given twice");
  } else {
    header.dtype = type.text;
  }
}

}  // namespace

void read_header(TkReader& reader, const TkToken& word, const SourceRef& source, TkHeader& header) {
  if (word.text == "type") {
    read_type(reader, word, source, header);
    if (!reader.failed()) {
      reader.expect(";");
    }
    return;
  }
  std::vector<TkName> names = read_names(reader, word, source);
  if (reader.failed()) {
    return;
  }
  bool typed = (word.text == "in" || word.text == "out") && reader.peek().kind == TkTokenKind::Name;
  if (typed && element_type(names.back().text)) {  // `in float A;`
    const TkToken& tensor = reader.peek();
    reader.fail(tensor.span, fmt::format("expected ';', found '{}'", tensor.text),
                fmt::format("the type of a tensor has a header of its own: type {} {};", names.back().text, tensor.text));
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
  } else if (word.text != "size") {
    reader.fail(word.span, fmt::format("unknown header '{}': expected kernel, in, out, type, grad, size or require", word.text),
                std::string(tk_meant_by_word(word.text)));
  }
  reader.expect(";");
}

}  // namespace vouch
