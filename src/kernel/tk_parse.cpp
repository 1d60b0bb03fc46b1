#include "kernel/tk_parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/tk_addends.h"
#include "kernel/tk_domain.h"
#include "kernel/tk_expression.h"
#include "support/fault.h"
#include "term/substitute.h"

namespace vouch {

const TkTensor& TkKernel::tensor(Symbol version) const {
  auto found = std::find_if(tensors.begin(), tensors.end(), [&](const TkTensor& t) { return t.name == version; });
  ensure(found != tensors.end(), "a kernel's tensor has no declaration");
  return *found;
}

Extents TkTensor::extents() const {
  Extents out;
  for (Term extent : shape) {
    auto number = const_int(extent);
    ensure(number.has_value(), "the extents of a kernel without named sizes are numbers");
    out.push_back(*number);
  }
  return out;
}

std::vector<Term> shape_of(const Extents& extents) { return {extents.begin(), extents.end()}; }

namespace {

class KernelParser {
 public:
  KernelParser(SourceRef source, TkHeader header, const SizeValues& sizes, Diagnostics& diagnostics)
      : source_(source), header_(std::move(header)), diagnostics_(diagnostics), reader_(source, sizes, diagnostics) {}

  std::optional<TkKernel> run() {
    while (!reader_.failed() && !diagnostics_.has_errors() && reader_.peek().kind != TkTokenKind::End) {
      TkToken first = reader_.take();
      if (first.kind != TkTokenKind::Name) {
        reader_.fail(first.span, fmt::format("expected a statement `A<…>[…] = …;`, found '{}'", first.text));
      } else if (is_requirement(first)) {
        reader_.require();
        reader_.expect(";");
      } else if (reader_.peek().kind == TkTokenKind::Name) {
        header(first);
      } else {
        statement(first);
      }
    }
    if (!reader_.failed() && !diagnostics_.has_errors() && kernel_.statements.empty()) {
      reader_.fail(reader_.peek().span, "a kernel without statements");
    }
    return !reader_.failed() && !diagnostics_.has_errors() && finish() ? std::optional(std::move(kernel_)) : std::nullopt;
  }

 private:
  // What follows may begin with a number, a sign or a parenthesis; a tensor of this name is followed by neither.
  bool is_requirement(const TkToken& word) const {
    const TkToken& next = reader_.peek();
    bool begins = next.kind == TkTokenKind::Name || next.kind == TkTokenKind::Whole || next.text == "-" || next.text == "(";
    return word.text == "require" && begins;
  }

  void header(const TkToken& word) {
    std::vector<std::string> names;
    do {
      TkToken name = reader_.take();
      if (name.kind != TkTokenKind::Name) {
        reader_.fail(name.span, fmt::format("expected a name, found '{}'", name.text));
        return;
      }
      if (word.text == "size" && !reader_.name_size(name)) {
        return;
      }
      names.emplace_back(name.text);
    } while (reader_.accept(","));
    if (word.text == "in") {
      header_.inputs = names;
    } else if (word.text == "out") {
      header_.outputs = names;
    } else if (word.text == "grad") {
      header_.grad_to = names;
    } else if (word.text == "kernel") {
      header_.name = names[0];
    } else if (word.text == "type") {
      header_.dtype = names[0];
    } else if (word.text != "size") {
      reader_.fail(word.span,
                   fmt::format("unknown header '{}': expected kernel, in, out, type, grad, size or require", word.text));
    }
    reader_.expect(";");
  }

  // The version that a name stands for now; an input if nothing has defined it.
  Symbol current(Symbol name) {
    auto [at, fresh] = versions_.emplace(name, name);
    if (fresh) {
      kernel_.inputs.push_back(name);
      add_tensor(name, name);
    }
    return at->second;
  }

  void add_tensor(Symbol version, Symbol name) {
    auto known = std::find_if(reader_.tensors.begin(), reader_.tensors.end(), [&](const TkTensor& t) { return t.name == name; });
    kernel_.tensors.push_back({version, name, known->shape});
  }

  std::vector<Symbol> plain_indices(const TkAccess& left) {
    std::vector<Symbol> indices;
    for (std::size_t a = 0; a < left.subscripts.size(); ++a) {
      Term subscript = left.subscripts[a];
      bool scalar = subscript == Term(0) && left.shape[a] == Term(1);
      Symbol name = scalar ? Symbol(fmt::format("o{}", a)) : subscript.kind() == TermKind::IntVar ? subscript->symbol : Symbol();
      if (reader_.named_sizes.has(name)) {
        reader_.fail(left.spans[a], fmt::format("'{}' is both a size and an index", name.name()));
        return {};
      }
      if (name.empty() || std::find(indices.begin(), indices.end(), name) != indices.end()) {
        reader_.fail(left.spans[a], "subscripts on the left must be distinct plain indices");
        return {};
      }
      indices.push_back(name);
    }
    return indices;
  }

  void statement(const TkToken& first) {
    reader_.reads.clear();
    reader_.index_places.clear();
    auto left = reader_.access(first);
    if (!left || !reader_.expect("=")) {
      return;
    }
    std::vector<Symbol> indices = plain_indices(*left);
    if (reader_.failed()) {
      return;
    }
    auto value = reader_.scalar();
    auto given = value ? given_domains() : std::nullopt;
    if (!given || !reader_.expect(";")) {
      return;
    }
    left->subscripts.clear();
    for (Symbol index : indices) {
      left->subscripts.push_back(int_var(index));
    }
    std::vector<Symbol> names = index_order(indices, *value);
    given->sizes = reader_.named_sizes;
    auto domains = infer_domains(*left, reader_.reads, names, *given, source_, diagnostics_);
    if (domains && in_bounds_names(names)) {
      reader_.named_sizes = given->sizes;
      define(*left, indices, *value, std::move(*domains),
             std::string(source_->text().substr(first.span.begin, reader_.last_end() - first.span.begin)));
    }
  }

  // Nothing after an error.
  std::optional<Box> given_domains() {
    Box given;
    if (reader_.peek().kind != TkTokenKind::Name || reader_.peek().text != "where") {
      return given;
    }
    do {
      reader_.take();  // `where`, or the comma
      auto begin = reader_.size();
      reader_.expect("<=");
      TkToken name = reader_.take();
      reader_.expect("<");
      auto end = reader_.size();
      if (reader_.failed()) {
        return std::nullopt;
      }
      if (!reader_.index_places.contains(Symbol(name.text)) || nonnegative(*begin - *end, reader_.named_sizes)) {
        reader_.fail(name.span,
                     fmt::format("expected a domain `0 <= i < 8` of an index of this statement, found '{}'", name.text));
        return std::nullopt;
      }
      given[Symbol(name.text)] = {*begin, *end - Term(1)};
    } while (reader_.peek().text == ",");
    return given;
  }

  bool in_bounds_names(const std::vector<Symbol>& names) {
    for (Symbol name : names) {
      bool tensor =
          std::any_of(reader_.tensors.begin(), reader_.tensors.end(), [&](const TkTensor& t) { return t.name == name; });
      if (tensor) {
        diagnostics_.error(source_, reader_.index_places[name], fmt::format("'{}' is both an index and a tensor", name.name()));
        return false;
      }
    }
    return true;
  }

  // Spatial indices, then the others in order of first use.
  std::vector<Symbol> index_order(const std::vector<Symbol>& indices, Term value) {
    std::vector<Symbol> names = indices;
    std::vector<Symbol> rest;
    for (Symbol name : index_variables(value, reader_.named_sizes)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        rest.push_back(name);
      }
    }
    std::sort(rest.begin(), rest.end(),
              [&](Symbol a, Symbol b) { return reader_.index_places[a].begin < reader_.index_places[b].begin; });
    names.insert(names.end(), rest.begin(), rest.end());
    return names;
  }

  void define(const TkAccess& left, const std::vector<Symbol>& indices, Term value, std::vector<TkDomain> domains,
              std::string text) {
    Term body = replace_reads(value, [&](Symbol tensor, std::span<const Term> at) {
      return std::optional<Term>(read(current(tensor), std::vector<Term>(at.begin(), at.end())));
    });
    TkStatement out{Symbol(), indices, {}, domains, std::move(text)};
    Term inside = bool_const(true);
    for (std::size_t a = 0; a < indices.size(); ++a) {
      if (domains[a].begin != Term(0) || domains[a].end != left.shape[a]) {
        inside = both(inside, both(ge(int_var(indices[a]), domains[a].begin), lt(int_var(indices[a]), domains[a].end)));
      }
    }
    std::vector<Symbol> kept = indices;
    kept.insert(kept.end(), reader_.named_sizes.names.begin(), reader_.named_sizes.names.end());
    for (const TkAddend& addend : split_addends(body, kept)) {
      TkSummand summand{{}, inside, addend.term};
      for (const TkDomain& domain : domains) {
        if (std::find(addend.reduced.begin(), addend.reduced.end(), domain.name) != addend.reduced.end()) {
          summand.loops.push_back({domain.name, domain.begin, domain.end});
        }
      }
      out.summands.push_back(std::move(summand));
    }
    keep_outside(left.tensor, indices, inside, out);
    out.target = new_version(left.tensor);
    kernel_.statements.push_back(std::move(out));
  }

  void keep_outside(Symbol name, const std::vector<Symbol>& indices, Term inside, TkStatement& out) {
    if (is_true(inside) || !versions_.contains(name)) {
      return;
    }
    std::vector<Term> at;
    for (Symbol index : indices) {
      at.push_back(int_var(index));
    }
    out.summands.push_back({{}, negate(inside), read(versions_.at(name), at)});
  }

  Symbol new_version(Symbol name) {
    int& count = counts_[name];
    bool input = std::find(kernel_.inputs.begin(), kernel_.inputs.end(), name) != kernel_.inputs.end();
    Symbol version = count == 0 && !input ? name : Symbol(fmt::format("{}@{}", name.name(), count + (input ? 1 : 0)));
    ++count;
    versions_[name] = version;
    add_tensor(version, name);
    return version;
  }

  bool finish() {
    kernel_.name = header_.name.empty() ? "kernel" : header_.name;
    kernel_.dtype = header_.dtype.empty() ? "float" : header_.dtype;
    kernel_.sizes = reader_.named_sizes;
    if (!distinct_sizes()) {
      return false;
    }
    std::vector<std::string> outputs = header_.outputs;
    if (outputs.empty()) {
      outputs.push_back(kernel_.tensor(kernel_.statements.back().target).written.name());
    }
    for (const std::string& name : outputs) {
      bool defined = counts_.contains(Symbol(name));
      if (!defined) {
        diagnostics_.error(source_, {}, fmt::format("output '{}' is assigned by no statement", name));
        return false;
      }
      kernel_.outputs.push_back(versions_.at(Symbol(name)));
    }
    return check_inputs(outputs);
  }

  // A name that a later shape makes a size may be an index, or a tensor, of a statement before.
  bool distinct_sizes() {
    for (Symbol size : kernel_.sizes.names) {
      bool index = std::any_of(kernel_.statements.begin(), kernel_.statements.end(), [&](const TkStatement& s) {
        return std::any_of(s.domains.begin(), s.domains.end(), [&](const TkDomain& d) { return d.name == size; });
      });
      bool tensor =
          std::any_of(kernel_.tensors.begin(), kernel_.tensors.end(), [&](const TkTensor& t) { return t.written == size; });
      if (index || tensor) {
        diagnostics_.error(source_, {}, fmt::format("'{}' is both a size and {}", size.name(), tensor ? "a tensor" : "an index"));
        return false;
      }
    }
    return true;
  }

  bool check_inputs(const std::vector<std::string>& outputs) {
    std::vector<Symbol> ordered;
    for (const std::string& name : header_.inputs) {
      if (std::find(kernel_.inputs.begin(), kernel_.inputs.end(), Symbol(name)) != kernel_.inputs.end()) {
        ordered.push_back(Symbol(name));
      }
    }
    for (Symbol input : kernel_.inputs) {
      bool listed = std::find(ordered.begin(), ordered.end(), input) != ordered.end();
      bool accumulates = std::find(outputs.begin(), outputs.end(), input.name()) != outputs.end();
      if (!listed && !header_.inputs.empty() && !accumulates) {
        diagnostics_.error(source_, {}, fmt::format("'{}' is read but is neither an input nor assigned before", input.name()));
        return false;
      }
      if (!listed) {
        ordered.push_back(input);
      }
    }
    kernel_.inputs = std::move(ordered);
    for (const std::string& name : header_.grad_to) {
      if (std::find(kernel_.inputs.begin(), kernel_.inputs.end(), Symbol(name)) == kernel_.inputs.end()) {
        diagnostics_.error(source_, {}, fmt::format("gradient asked for '{}', which is no input that the kernel reads", name));
        return false;
      }
      kernel_.grad_to.emplace_back(name);
    }
    return true;
  }

  SourceRef source_;
  TkHeader header_;
  Diagnostics& diagnostics_;
  TkReader reader_;
  TkKernel kernel_;
  std::unordered_map<Symbol, Symbol> versions_;
  std::unordered_map<Symbol, int> counts_;
};

}  // namespace

std::optional<TkKernel> parse_tk(SourceRef source, TkHeader header, const SizeValues& sizes, Diagnostics& diagnostics) {
  return KernelParser(std::move(source), std::move(header), sizes, diagnostics).run();
}

}  // namespace vouch
