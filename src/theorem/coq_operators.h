// The sides of a rule's instance as operators by name, applied to one another: each is an index kernel, printed from what the
// operator table says of the call alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "instance/instance.h"
#include "instance/own_meaning.h"
#include "theorem/coq_facts.h"
#include "theorem/coq_kernel.h"
#include "theorem/coq_term.h"

namespace vouch {

class CoqOperators {
 public:
  CoqOperators(const Instance& instance, std::size_t number, CoqNames& names, CoqPrinter& printer, CoqFacts& facts)
      : instance_(instance), number_(number), names_(names), printer_(printer), facts_(facts) {}

  struct Sides {
    std::string definitions;  // of operators that were not defined before
    std::string source;
    std::string target;
    // Axes of the output along which one element of a tensor may stand for all, with that tensor's extent there.
    std::vector<std::pair<std::size_t, Term>> stretched;
  };
  // Of a part of the output; nothing, with the reason, where an operator is no index kernel, or where its elements are not
  // those that the instance is proven of.
  std::optional<Sides> sides(const InstanceOutput& output);
  const std::string& reason() const { return reason_; }

 private:
  struct Made {
    std::string text;  // of a tensor
    Body body;         // of which nothing is stored
  };

  std::optional<Made> made(NodePart part);
  std::optional<Made> made_new(NodePart part);
  std::optional<Made> call(const InstanceNode& node, std::size_t part);
  std::optional<Made> input(const InstanceNode& node);
  std::optional<Made> refuse(const std::string& why);
  std::string defined(const InstanceNode& node, const std::string& parameters, const CoqKernel& kernel);

  const Instance& instance_;
  std::size_t number_;
  CoqNames& names_;
  CoqPrinter& printer_;
  CoqFacts& facts_;
  std::map<NodePart, Made> made_;
  std::map<std::pair<std::string, std::string>, std::string> names_of_;  // by operator and text
  std::string definitions_;
  std::vector<std::pair<std::size_t, Term>> stretched_;
  std::string reason_;
};

}  // namespace vouch
