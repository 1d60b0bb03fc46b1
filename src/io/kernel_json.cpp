#include "io/kernel_json.h"

#include <fmt/format.h>

#include <filesystem>

#include "io/json_text.h"
#include "notation/show_tk.h"

namespace vouch {
namespace {

std::vector<TkName> names_at(const JsonValue& root, const char* key, bool required, const SourceRef& source,
                             Diagnostics& diagnostics) {
  std::vector<TkName> out;
  auto member = required ? root.member(key, diagnostics) : root.find(key);
  auto items = member ? member->array(diagnostics) : std::nullopt;
  for (const JsonValue& item : items ? *items : std::vector<JsonValue>{}) {
    if (auto name = item.string(diagnostics)) {
      out.push_back({*name, source, item.span()});
    }
    if (const TkName* again = given_twice(out)) {
      item.error(diagnostics, fmt::format("'{}' is given twice", again->text), "name it once");
      return {};
    }
  }
  return out;
}

bool is_identifier(const std::string& name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  bool good = !name.empty() && letter(name[0]);
  for (char c : name) {
    good = good && (letter(c) || (c >= '0' && c <= '9'));
  }
  return good;
}

// `conv-2d.tk` is the kernel `conv_2d`.
std::string name_of_file(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  for (char& c : name) {
    c = is_identifier(std::string("_") + c) ? c : '_';
  }
  return is_identifier(name) ? name : name.empty() ? "kernel" : "kernel_" + name;
}

std::string quoted_list(const std::vector<Symbol>& tensors, const std::unordered_map<Symbol, std::string>& names) {
  std::vector<std::string> out;
  for (Symbol tensor : tensors) {
    out.push_back(json_quote(names.at(tensor)));
  }
  return fmt::format("[{}]", fmt::join(out, ", "));
}

}  // namespace

std::optional<TkKernel> read_kernel(SourceRef source, const SizeValues& sizes, Diagnostics& diagnostics) {
  TkHeader header;
  if (!source->name().ends_with(".json")) {
    header.otherwise = name_of_file(source->name());
    return parse_tk(source, std::move(header), sizes, diagnostics);
  }
  auto text = JsonText::parse(source, diagnostics);
  if (!text) {
    return std::nullopt;
  }
  JsonValue root = text->root();
  auto name = root.member("name", diagnostics);
  auto kernel = root.member("kernel", diagnostics);
  auto named = name ? name->string(diagnostics) : std::nullopt;
  auto body = kernel ? kernel->string(diagnostics) : std::nullopt;
  if (!named || !body) {
    return std::nullopt;
  }
  if (!is_identifier(*named)) {
    name->error(diagnostics, fmt::format("expected an identifier, found '{}'", *named));
  }
  root.refuse_unknown_members({"name", "ins", "outs", "data_type", "kernel", "grad_to"}, diagnostics);
  header.name = *named;
  header.left_may_be_part = true;
  header.inputs = names_at(root, "ins", true, source, diagnostics);
  header.outputs = names_at(root, "outs", true, source, diagnostics);
  header.grad_to = names_at(root, "grad_to", false, source, diagnostics);
  if (auto type = root.find("data_type")) {
    header.dtype = type->string(diagnostics).value_or("");
    if (!is_element_type(header.dtype)) {
      type->error(diagnostics, fmt::format("expected float, double, int or int64, found '{}'", header.dtype));
    }
  }
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  return parse_tk(std::make_shared<Source>(source->name() + ":kernel", *body), std::move(header), sizes, diagnostics);
}

std::string kernel_json(const TkKernel& kernel) {
  std::unordered_map<Symbol, std::string> names = plain_names(kernel);
  return fmt::format("{{\n  \"name\": {},\n  \"ins\": {},\n  \"outs\": {},\n  \"data_type\": {},\n  \"kernel\": {}\n}}\n",
                     json_quote(kernel.name), quoted_list(kernel.inputs, names), quoted_list(kernel.outputs, names),
                     json_quote(kernel.dtype), json_quote(print_sizes(kernel) + print_stored(kernel) + print_tk(kernel)));
}

}  // namespace vouch
