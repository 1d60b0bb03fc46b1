// What is stated of an instance a second time: of its operators by name, as index kernels applied to one another.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "theorem/coq_instance.h"
#include "theorem/coq_operators.h"

namespace vouch {

class CoqNamed {
 public:
  explicit CoqNamed(CoqInstance& of) : of_(of), operators_(of.instance, of.number, of.names, of.printer, of.facts) {}

  // The theorem about elements quantifies over these, in this order.
  void quantify(const std::string& name, SymbolKind kind) { symbols_.emplace_back(name, kind); }
  void quantify(const InputTensor& input) { tensors_.push_back(&input); }

  // Of an output whose theorem about elements has this suffix and supposes this of scalars; `legal` is the theorem that the
  // target is, or nothing.
  void state(const InstanceOutput& output, const std::string& suffix, const std::string& of_scalars, const std::string& legal);
  // All of it, once everything is printed, with what the instance supposes.
  std::string text(const std::string& hypotheses);
  const std::vector<std::string>& theorems() const { return theorems_; }
  // Why not all outputs have one.
  const std::string& why_unnamed() const { return why_unnamed_; }

 private:
  // What theorems about elements quantify over, of index kernels over scalars `K`.
  struct Instantiated {
    std::string binders;
    std::string hypotheses;
    std::string let;  // names that binders give a value
    std::string arguments;

    void bind(const std::string& name, const std::string& type) { binders += " (" + name + " : " + type + ")"; }
    void define(const std::string& name, const std::string& value);
  };
  Instantiated instantiated();
  std::string last_indices(const InstanceOutput& output, const std::vector<std::pair<std::size_t, Term>>& stretched);
  void bind_scalars(Instantiated& out) const;
  void bind_tensor(const InputTensor& input, Instantiated& out);

  CoqInstance& of_;
  CoqOperators operators_;
  std::vector<std::pair<std::string, SymbolKind>> symbols_;
  std::vector<const InputTensor*> tensors_;
  std::string text_;
  std::vector<std::string> theorems_;
  std::string why_unnamed_;
};

void replace_all(std::string& text, const std::string& what, const std::string& by);

}  // namespace vouch
