#include "graph/ops/einsum.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "graph/ops/broadcast.h"
#include "graph/ops/operands.h"

namespace vouch {
namespace {

// A letter for each axis, `...` for axes that broadcast; letters that the result lacks are summed over.

struct Subscript {
  std::string letters;                     // without the ellipsis
  std::optional<std::size_t> ellipsis_at;  // before this letter
};

std::optional<Subscript> parse_subscript(OpContext& c, std::string_view text) {
  Subscript out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    bool letter = (text[k] >= 'a' && text[k] <= 'z') || (text[k] >= 'A' && text[k] <= 'Z');
    if (letter) {
      out.letters += text[k];
    } else if (text.substr(k, 3) == "..." && !out.ellipsis_at) {
      out.ellipsis_at = out.letters.size();
      k += 2;
    } else {
      c.fail(fmt::format("'{}' is no subscript of Einsum", text));
      return std::nullopt;
    }
  }
  return out;
}

struct Equation {
  std::vector<Subscript> inputs;
  Subscript output;
};

// Without an arrow, the result has the broadcast axes and then every letter that occurs once, in order.
Subscript implied_output(const std::vector<Subscript>& inputs) {
  std::map<char, int> uses;
  Subscript out;
  for (const Subscript& input : inputs) {
    out.ellipsis_at = input.ellipsis_at ? std::optional<std::size_t>(0) : out.ellipsis_at;
    for (char letter : input.letters) {
      ++uses[letter];
    }
  }
  for (auto [letter, count] : uses) {
    out.letters.append(count == 1 ? 1 : 0, letter);
  }
  return out;
}

std::optional<Equation> parse_equation(OpContext& c) {
  std::string text = c.attr_string("equation");
  std::erase(text, ' ');
  std::size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  Equation equation;
  for (std::size_t begin = 0; begin <= left.size();) {
    std::size_t end = std::min(left.find(',', begin), left.size());
    auto input = parse_subscript(c, std::string_view(left).substr(begin, end - begin));
    if (!input) {
      return std::nullopt;
    }
    equation.inputs.push_back(*input);
    begin = end + 1;
  }
  auto output =
      arrow == std::string::npos ? implied_output(equation.inputs) : parse_subscript(c, std::string_view(text).substr(arrow + 2));
  if (!output || equation.inputs.size() != c.item_count(0)) {
    c.fail(fmt::format("{} subscripts for {} operands", equation.inputs.size(), c.item_count(0)));
    return std::nullopt;
  }
  equation.output = *output;
  return equation;
}

// The extent of each letter, and of the axes under the ellipses.
struct EinsumSizes {
  std::map<char, Term> letters;
  Terms broadcast;
};

Terms under_ellipsis(const Subscript& input, const Terms& list) {
  if (!input.ellipsis_at) {
    return {};
  }
  auto begin = list.begin() + static_cast<std::ptrdiff_t>(*input.ellipsis_at);
  return {begin, begin + static_cast<std::ptrdiff_t>(list.size() - input.letters.size())};
}

// A letter stands for one size everywhere; a size of 1 broadcasts to it.
std::optional<EinsumSizes> einsum_sizes(OpContext& c, const Equation& equation) {
  EinsumSizes sizes;
  std::vector<Terms> broadcast;
  for (std::size_t k = 0; k < equation.inputs.size(); ++k) {
    const Subscript& input = equation.inputs[k];
    const Terms& extents = c.item_type(0, k).extents();
    bool fits = input.ellipsis_at ? extents.size() >= input.letters.size() : extents.size() == input.letters.size();
    if (!fits) {
      c.fail(fmt::format("operand {} has rank {}, its subscript '{}'", k + 1, extents.size(), input.letters));
      return std::nullopt;
    }
    broadcast.push_back(under_ellipsis(input, extents));
    Terms named = extents;
    if (input.ellipsis_at) {
      auto begin = named.begin() + static_cast<std::ptrdiff_t>(*input.ellipsis_at);
      named.erase(begin, begin + static_cast<std::ptrdiff_t>(broadcast.back().size()));
    }
    for (std::size_t n = 0; n < named.size(); ++n) {
      Term& size = sizes.letters.try_emplace(input.letters[n], named[n]).first->second;
      size = broadcast_extents(c, {{size}, {named[n]}})[0];
    }
  }
  sizes.broadcast = broadcast_extents(c, broadcast);
  return c.failed() ? std::nullopt : std::optional(std::move(sizes));
}

Term einsum_factor(const OpContext& c, std::size_t item, const Subscript& input, const EinsumSizes& sizes,
                   std::map<char, Term>& index, const Terms& broadcast) {
  const Terms& extents = c.item_type(0, item).extents();
  std::size_t hidden = extents.size() - input.letters.size();
  Terms under = broadcast_indices(under_ellipsis(input, extents), sizes.broadcast, broadcast);
  Terms at;
  for (std::size_t n = 0; n <= input.letters.size(); ++n) {
    if (input.ellipsis_at == n) {
      at.insert(at.end(), under.begin(), under.end());
    }
    if (n < input.letters.size()) {
      char letter = input.letters[n];
      Term own = extents[n + (input.ellipsis_at && *input.ellipsis_at <= n ? hidden : 0)];
      at.push_back(broadcast_indices({own}, {sizes.letters.at(letter)}, {index.at(letter)})[0]);
    }
  }
  return c.read_item(0, item, at);
}

void define_einsum(OpContext& c) {
  if (!require_like_items(c, 0)) {
    return;
  }
  auto equation = parse_equation(c);
  auto sizes = equation ? einsum_sizes(c, *equation) : std::nullopt;
  if (!sizes) {
    return;
  }
  const Subscript& output = equation->output;
  Terms extents;
  std::string seen;
  for (char letter : output.letters) {
    if (!sizes->letters.contains(letter) || seen.find(letter) != std::string::npos) {
      return c.fail(fmt::format("'{}' in the result is no axis of an operand, or given twice", letter));
    }
    seen += letter;
    extents.push_back(sizes->letters.at(letter));
  }
  std::size_t at = output.ellipsis_at.value_or(0);
  std::size_t hidden = output.ellipsis_at ? sizes->broadcast.size() : 0;
  if (!output.ellipsis_at && !sizes->broadcast.empty()) {
    return c.fail("an ellipsis of the operands is missing in the result");
  }
  extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(at), sizes->broadcast.begin(), sizes->broadcast.end());
  c.result(c.item_type(0, 0).dtype(), extents, [&](const Terms& i) {
    std::map<char, Term> index;
    for (std::size_t n = 0; n < output.letters.size(); ++n) {
      index.emplace(output.letters[n], i[n < at ? n : n + hidden]);
    }
    std::vector<BoundIndex> bound;
    for (const auto& [letter, size] : sizes->letters) {
      if (!index.contains(letter)) {
        bound.push_back(c.bound(fmt::format("k_{}", letter), size));
        index.emplace(letter, int_var(bound.back().name));
      }
    }
    Terms broadcast(i.begin() + static_cast<std::ptrdiff_t>(at), i.begin() + static_cast<std::ptrdiff_t>(at + hidden));
    Term product;
    for (std::size_t k = 0; k < equation->inputs.size(); ++k) {
      Term factor = einsum_factor(c, k, equation->inputs[k], *sizes, index, broadcast);
      product = k == 0 ? factor : product * factor;
    }
    return bound.empty() ? product : reduce(Reduction::Sum, bound, bool_const(true), product);
  });
}

}  // namespace

OpDef einsum_op() {
  return {.name = "Einsum",
          .operands = {{"xs", OperandKind::Tuple}},
          .attributes = {{.name = "equation", .type = AttrType::String}},
          .define = define_einsum};
}

}  // namespace vouch
