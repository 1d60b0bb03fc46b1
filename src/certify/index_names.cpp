#include "certify/index_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace vouch {
namespace {

bool part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::optional<Span> first_place(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); !name.empty() && at != std::string_view::npos; at = text.find(name, at + 1)) {
    std::size_t end = at + name.size();
    if ((at == 0 || !part_of_name(text[at - 1])) && (end == text.size() || !part_of_name(text[end]))) {
      return Span{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
    }
  }
  return std::nullopt;
}

}  // namespace

bool check_c_names(const TkKernel& kernel, const SourceRef& source, Diagnostics& diagnostics) {
  bool good = true;
  auto check = [&](const std::string& name, std::string_view role, CNameUse use) {
    std::optional<std::string_view> fault = c_name_fault(name, use);
    if (!fault) {
      return;
    }
    good = false;
    std::string message = fmt::format("'{}' cannot name {}: it {}", name, role, *fault);
    std::string hint = fmt::format("another name, such as '{}'", c_name_like(name, use));
    if (std::optional<Span> place = first_place(source->text(), name)) {
      diagnostics.error(source, *place, message, hint);
    } else {
      diagnostics.error_at(source->name(), message, hint);
    }
  };
  check(kernel.name, "a C function", CNameUse::Function);
  for (Symbol size : kernel.sizes.names) {
    check(size.name(), "a parameter of a C function", CNameUse::Parameter);
  }
  for (const std::vector<Symbol>* tensors : {&kernel.inputs, &kernel.outputs}) {
    for (Symbol version : *tensors) {
      check(kernel.tensor(version).written.name(), "a parameter of a C function", CNameUse::Parameter);
    }
  }
  return good;
}

std::string usable_c_name(const std::string& name, const std::vector<std::string>& taken, CNameUse use) {
  auto free = [&](const std::string& candidate) {
    return !c_name_fault(candidate, use) && std::find(taken.begin(), taken.end(), candidate) == taken.end();
  };
  std::string candidate = name;
  for (unsigned number = 2; !free(candidate); ++number) {
    candidate = free(name + "_") ? name + "_" : c_name_like(fmt::format("{}_{}", name, number), use);
  }
  return candidate;
}

}  // namespace vouch
