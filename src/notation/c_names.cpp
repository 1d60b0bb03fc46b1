#include "notation/c_names.h"

#include <set>
#include <string_view>

#include "notation/show_tk.h"
#include "support/c_words.h"

namespace vouch {
namespace {

// What these texts keep for themselves besides.
bool starts_as_ours(std::string_view name) {
  return name.starts_with("_") || name.starts_with("vouch_") || name.starts_with("VOUCH_") || name.starts_with("i_");
}

bool is_unusable(std::string_view name, CNameUse use) { return c_name_fault(name, use) || starts_as_ours(name); }

std::string renamed(const std::string& name, CNameUse use) {
  return is_unusable(name + "_", use) ? c_name_like("t_" + name, use) : name + "_";
}

}  // namespace

std::unordered_map<Symbol, std::string> c_names(const TkKernel& kernel) {
  std::unordered_map<Symbol, std::string> out = plain_names(kernel);
  std::set<std::string> taken{c_function_name(kernel)};
  for (const auto& [version, name] : out) {
    taken.insert(name);
  }
  for (const TkTensor& tensor : kernel.tensors) {
    std::string& name = out.at(tensor.name);
    bool unusable = is_unusable(name, CNameUse::Parameter) || name == c_function_name(kernel);
    name = starts_as_ours(name) ? "t" + name : name;
    while (unusable && (is_unusable(name, CNameUse::Parameter) || !taken.insert(name).second)) {
      name = renamed(name, CNameUse::Parameter);
    }
  }
  return out;
}

std::string c_function_name(const TkKernel& kernel) {
  std::string name = starts_as_ours(kernel.name) ? "k" + kernel.name : kernel.name;
  return is_unusable(name, CNameUse::Function) ? renamed(name, CNameUse::Function) : name;
}

}  // namespace vouch
