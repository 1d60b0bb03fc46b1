#include "certify/loop_names.h"

#include <algorithm>
#include <map>
#include <set>

#include "imp/print_c.h"
#include "lower/lower.h"
#include "support/c_words.h"

namespace vouch::array {
namespace {

class LoopNames {
 public:
  explicit LoopNames(const Program& program) : taken_(program.sizes.begin(), program.sizes.end()) {
    taken_.insert({program.name, c_tried_name(program.name), c_checked_name(program.name)});
    taken_.insert(program.output.name);
    for (const Parameter& input : program.inputs) {
      taken_.insert(input.name);
    }
  }

  // The names that loops of each number have.
  void collect(const Flat& c) {
    if (c->kind == FlatKind::For) {
      const std::string& name = c->index_name.text;
      auto [known, is_new] = names_.emplace(c->var, name);
      bool free = !c_name_fault(name, CNameUse::Parameter) && !taken_.contains(name);
      known->second = free && known->second == name ? name : "";
    }
    std::for_each(c->parts.begin(), c->parts.end(), [&](const Flat& part) { collect(part); });
  }

  // No loop has the name of one around it.
  void part_nested(const Flat& c, std::set<std::string> around) {
    if (c->kind == FlatKind::For) {
      std::string& name = names_.at(c->var);
      if (!name.empty() && !around.insert(name).second) {
        name.clear();
      }
    }
    std::for_each(c->parts.begin(), c->parts.end(), [&](const Flat& part) { part_nested(part, around); });
  }

  std::vector<std::string> from(unsigned first) const {
    std::vector<std::string> out;
    for (const auto& [number, name] : names_) {
      if (!name.empty()) {
        out.resize(number - first + 1);
        out[number - first] = name;
      }
    }
    return out;
  }

 private:
  std::set<std::string> taken_;
  std::map<unsigned, std::string> names_;
};

}  // namespace

std::vector<std::string> loop_names(const Program& program) {
  Flat flat = flat_program(program);
  LoopNames names(program);
  names.collect(flat);
  names.part_nested(flat, {});
  return names.from(static_cast<unsigned>(program.inputs.size()) + 1);
}

}  // namespace vouch::array
