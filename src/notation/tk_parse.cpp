#include "notation/tk_parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "notation/tk_axes.h"
#include "notation/tk_domain.h"
#include "notation/tk_expression.h"
#include "notation/tk_foreign.h"
#include "notation/tk_left_out.h"
#include "notation/tk_meaning.h"
#include "notation/tk_tables.h"
#include "support/fault.h"
#include "support/plain_text.h"
#include "term/substitute.h"

namespace vouch {

const TkTensor& TkKernel::tensor(Symbol version) const {
  auto found = std::find_if(tensors.begin(), tensors.end(), [&](const TkTensor& t) { return t.name == version; });
  ensure(found != tensors.end(), "a kernel's tensor has no declaration");
  return *found;
}

DType TkKernel::computed_type() const { return element_type(dtype).value_or(DType::Float32); }

DType TkKernel::stored_type(Symbol version) const {
  bool local = std::find(inputs.begin(), inputs.end(), version) == inputs.end() &&
               std::find(outputs.begin(), outputs.end(), version) == outputs.end();
  auto named = local ? stored.end() : stored.find(tensor(version).written);
  return named == stored.end() ? computed_type() : named->second;
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
        reader_.fail(first.span, fmt::format("expected a statement `A<…>[…] = …;`, found '{}'", first.text),
                     std::string(tk_meant_by("", first.text, ' ')));
      } else if (is_requirement(first)) {
        reader_.require();
        reader_.expect(";");
        place_conditions({first.span.begin, reader_.last_end()});
      } else if (reader_.peek().kind == TkTokenKind::Name) {
        read_header(reader_, first, source_, header_);
      } else {
        statement(first);
      }
    }
    if (!reader_.failed() && !diagnostics_.has_errors() && kernel_.statements.empty()) {
      reader_.fail(reader_.place(), "a kernel without statements", "a statement is written Y<n>[i] = …;");
    }
    return !reader_.failed() && !diagnostics_.has_errors() && finish() ? std::optional(std::move(kernel_)) : std::nullopt;
  }

 private:
  // What has become known of the sizes since was said here.
  void place_conditions(Span span) { kernel_.condition_places.resize(reader_.named_sizes.conditions.size(), {source_, span}); }

  // What follows may begin with a number, a sign or a parenthesis; a tensor of this name is followed by neither.
  bool is_requirement(const TkToken& word) const {
    const TkToken& next = reader_.peek();
    bool begins = next.kind == TkTokenKind::Name || next.kind == TkTokenKind::Whole || next.text == "-" || next.text == "(";
    return word.text == "require" && begins;
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
        reader_.fail(left.spans[a], "subscripts on the left must be distinct plain indices",
                     "the right is read elsewhere instead, or by a condition: `Y<n>[i] = X<n>[i - 1];`, "
                     "`D<n, n>[i, j] = select(i == j, X<n>[i], 0);`");
        return {};
      }
      indices.push_back(name);
    }
    return indices;
  }

  void statement(const TkToken& first) {
    reader_.reads.clear();
    reader_.index_places.clear();
    reader_.spatial.clear();
    auto left = reader_.access(first);
    if (!left || !reader_.expect("=")) {
      return;
    }
    std::vector<Symbol> indices = plain_indices(*left);
    if (reader_.failed()) {
      return;
    }
    reader_.spatial = indices;
    auto value = reader_.scalar();
    auto given = value ? given_domains() : std::nullopt;
    if (!given || !reader_.expect(";")) {
      return;
    }
    left->subscripts.clear();
    for (Symbol index : indices) {
      left->subscripts.push_back(int_var(index));
    }
    places_.emplace(left->tensor, left->place);
    for (const TkAccess& read : reader_.reads) {
      places_.emplace(read.tensor, read.place);
    }
    places_.insert(reader_.index_places.begin(), reader_.index_places.end());
    std::vector<Symbol> names = index_order(indices, *value);
    given->sizes = reader_.named_sizes;
    bool agree = extents_agree(*left, reader_.reads, names, *given, header_.left_may_be_part, source_, diagnostics_);
    auto domains = agree ? infer_domains(*left, reader_.reads, names, *given, source_, diagnostics_) : std::nullopt;
    if (domains && in_bounds_names(names)) {
      reader_.named_sizes = given->sizes;
      warn_of_left_out(*left, reader_.reads, *domains, *given, has_earlier(left->tensor), source_, diagnostics_);
      place_conditions({first.span.begin, reader_.last_end()});
      define(*left, indices, *value, std::move(*domains), {first.span.begin, reader_.last_end()});
    }
  }

  // Does the tensor, if it is not defined everywhere now, keep what it was?
  bool has_earlier(Symbol tensor) const {
    return versions_.contains(tensor) ||
           std::any_of(reader_.reads.begin(), reader_.reads.end(), [&](const TkAccess& read) { return read.tensor == tensor; });
  }

  // Nothing after an error.
  std::optional<Box> given_domains() {
    Box given;
    if (reader_.peek().kind != TkTokenKind::Name || reader_.peek().text != "where") {
      return given;
    }
    do {
      reader_.take();  // `where`, or the comma
      auto begin = domain_bound(true);
      reader_.expect("<=");
      TkToken name = reader_.take();
      bool inclusive = reader_.accept("<=");
      auto end = inclusive || reader_.expect("<") ? domain_bound(false) : std::nullopt;
      if (!begin || !end || reader_.failed()) {
        return std::nullopt;
      }
      end = inclusive ? *end + Term(1) : *end;
      std::string wrong = !reader_.index_places.contains(Symbol(name.text))
                              ? fmt::format("expected a domain `0 <= i < 8` of an index of this statement, found '{}'", name.text)
                          : given.contains(Symbol(name.text)) ? fmt::format("the domain of '{}' is given twice", name.text)
                          : nonnegative(*begin - *end, reader_.named_sizes)
                              ? fmt::format("the domain of '{}' is empty", name.text)
                              : "";
      if (!wrong.empty()) {
        reader_.fail(name.span, wrong);
        return std::nullopt;
      }
      given[Symbol(name.text)] = {*begin, *end - Term(1)};
    } while (reader_.peek().text == ",");
    return given;
  }

  // A number, or a term over sizes.
  std::optional<Term> domain_bound(bool begins) {
    const TkToken& first = reader_.peek();
    if (first.kind == TkTokenKind::Name && reader_.index_places.contains(Symbol(first.text))) {
      reader_.fail(first.span, fmt::format("a domain begins and ends with sizes, found the index '{}'", first.text),
                   begins ? fmt::format("the whole domain: where 0 <= {} < n", first.text)
                          : fmt::format("a bound by another index is a condition: `select({} <= {}, …, 0)`",
                                        first.text == "j" ? "k" : "j", first.text));
    }
    return reader_.failed() ? std::nullopt : reader_.size();
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
  std::vector<Symbol> index_order(const std::vector<Symbol>& indices, const std::vector<TkAddend>& value) {
    std::vector<Symbol> names = indices;
    std::vector<Symbol> rest;
    for (const TkAddend& addend : value) {
      for (Symbol name : addend.reduced) {
        if (std::find(rest.begin(), rest.end(), name) == rest.end()) {
          rest.push_back(name);
        }
      }
    }
    std::sort(rest.begin(), rest.end(),
              [&](Symbol a, Symbol b) { return reader_.index_places[a].begin < reader_.index_places[b].begin; });
    names.insert(names.end(), rest.begin(), rest.end());
    return names;
  }

  void define(const TkAccess& left, const std::vector<Symbol>& indices, const std::vector<TkAddend>& value,
              std::vector<TkDomain> domains, Span whole) {
    std::string text(source_->text().substr(whole.begin, whole.end - whole.begin));
    TkStatement out{Symbol(), indices, {}, domains, std::move(text), {source_, whole}};
    Term inside = bool_const(true);
    for (std::size_t a = 0; a < indices.size(); ++a) {
      if (domains[a].begin != Term(0) || domains[a].end != left.shape[a]) {
        inside = both(inside, both(ge(int_var(indices[a]), domains[a].begin), lt(int_var(indices[a]), domains[a].end)));
      }
    }
    for (const TkAddend& addend : value) {
      Term body = replace_reads(addend.term, [&](Symbol tensor, std::span<const Term> at) {
        return std::optional<Term>(read(current(tensor), std::vector<Term>(at.begin(), at.end())));
      });
      TkSummand summand{{}, inside, body};
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
    out.summands.push_back({{}, opposite(inside), read(versions_.at(name), at)});
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
    kernel_.name = header_.name.empty() ? header_.otherwise : header_.name;
    kernel_.dtype = header_.dtype.empty() ? "float" : header_.dtype;
    kernel_.sizes = reader_.named_sizes;
    if (!distinct_sizes()) {
      return false;
    }
    if (header_.outputs.empty()) {
      header_.outputs.push_back({kernel_.tensor(kernel_.statements.back().target).written.name(), source_, {}});
    }
    for (const TkName& name : header_.outputs) {
      if (!counts_.contains(Symbol(name.text))) {
        return refuse(name, fmt::format("output '{}' is assigned by no statement", name.text));
      }
      kernel_.outputs.push_back(versions_.at(Symbol(name.text)));
    }
    if (!order_inputs() || !find_stored() || !are_whole() || !find_targets()) {
      return false;
    }
    convert_tables(kernel_);
    return true;
  }

  bool refuse(const TkName& name, std::string message) {
    diagnostics_.error(name.source, name.span, std::move(message));
    return false;
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
        diagnostics_.error(source_, places_[size],
                           fmt::format("'{}' is both a size and {}", size.name(), tensor ? "a tensor" : "an index"));
        return false;
      }
    }
    return true;
  }

  static bool among(const std::vector<TkName>& names, Symbol name) {
    return std::any_of(names.begin(), names.end(), [&](const TkName& n) { return n.text == name.name(); });
  }

  // Inputs that the header lists, as it orders them, then those that are also outputs.
  bool order_inputs() {
    std::vector<Symbol> ordered;
    for (const TkName& name : header_.inputs) {
      if (std::find(kernel_.inputs.begin(), kernel_.inputs.end(), Symbol(name.text)) != kernel_.inputs.end()) {
        ordered.emplace_back(name.text);
      } else {
        diagnostics_.add({Severity::Warning,
                          fmt::format("no statement reads the input '{}': the C function does not take it", name.text), source_,
                          name.span, "", ""});
      }
    }
    for (Symbol input : kernel_.inputs) {
      bool listed = among(header_.inputs, input);
      if (!listed && !header_.inputs.empty() && !among(header_.outputs, input)) {
        diagnostics_.error(source_, places_[input],
                           fmt::format("'{}' is read but is neither an input nor assigned before", input.name()),
                           "inputs are named by: in A, B;");
        return false;
      }
      if (!listed) {
        ordered.push_back(input);
      }
    }
    kernel_.inputs = std::move(ordered);
    return true;
  }

  bool find_stored() {
    for (const auto& [type, names] : header_.stored) {
      for (const TkName& name : names) {
        bool input = std::find(kernel_.inputs.begin(), kernel_.inputs.end(), Symbol(name.text)) != kernel_.inputs.end();
        if (!input && !among(header_.outputs, Symbol(name.text))) {
          return refuse(name, fmt::format("'{}' has a type of its own, but is neither an input nor an output", name.text));
        }
        if (!kernel_.stored.emplace(Symbol(name.text), *element_type(type)).second) {
          return refuse(name, fmt::format("'{}' is given a type twice", name.text));
        }
      }
    }
    return true;
  }

  // What is an index elsewhere holds integers.
  bool are_whole() {
    for (const TkAccess& read : reader_.indices_from) {
      auto stored = kernel_.stored.find(read.tensor);
      DType type = stored == kernel_.stored.end() ? kernel_.computed_type() : stored->second;
      if (type != DType::Int32 && type != DType::Int64) {
        diagnostics_.error(source_, read.place,
                           fmt::format("'{}' is an index here, but does not hold integers", read.tensor.name()),
                           fmt::format("say so: `type int64 {};`", read.tensor.name()));
        return false;
      }
    }
    return true;
  }

  bool find_targets() {
    for (const TkName& name : header_.grad_to) {
      if (std::find(kernel_.inputs.begin(), kernel_.inputs.end(), Symbol(name.text)) == kernel_.inputs.end()) {
        return refuse(name, fmt::format("gradient asked for '{}', which is no input that the kernel reads", name.text));
      }
      kernel_.grad_to.emplace_back(name.text);
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
  std::unordered_map<Symbol, Span> places_;  // where a tensor or an index stands first
};

}  // namespace

std::optional<TkKernel> parse_tk(SourceRef source, TkHeader header, const SizeValues& sizes, Diagnostics& diagnostics) {
  return reads_as_it_looks(source, diagnostics) ? KernelParser(std::move(source), std::move(header), sizes, diagnostics).run()
                                                : std::nullopt;
}

}  // namespace vouch
