#include <unordered_map>

#include "rule/scope_bytes.h"
#include "support/bytes.h"
#include "term/print.h"

namespace vouch {
namespace {

// Each text once, by its place.
class Table {
 public:
  std::size_t place(std::string text) {
    auto [at, fresh] = places_.emplace(std::move(text), items_.size());
    if (fresh) {
      items_.push_back(&at->first);
    }
    return at->second;
  }
  void write(ByteWriter& out) const {
    out.number(items_.size());
    for (const std::string* item : items_) {
      out.text(*item);
    }
  }

 private:
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<const std::string*> items_;
};

class Writer {
 public:
  std::string write(const std::vector<Scope>& scopes) {
    ByteWriter body;
    body.number(scopes.size());
    for (const Scope& scope : scopes) {
      this->scope(body, scope);
    }
    ByteWriter out;
    words_.write(out);
    nodes_.write(out);
    out.raw(body.bytes());
    return out.bytes();
  }

 private:
  void word(ByteWriter& out, std::string text) { out.number(words_.place(std::move(text))); }
  void term(ByteWriter& out, Term term) { word(out, print_term(term)); }
  void terms(ByteWriter& out, const std::vector<Term>& terms) {
    out.number(terms.size());
    for (Term term : terms) {
      this->term(out, term);
    }
  }
  void may_be(ByteWriter& out, const std::optional<Term>& term) {
    out.number(term ? 1 : 0);
    if (term) {
      this->term(out, *term);
    }
  }

  // Tensors and graphs never stand in a scope.
  void value(ByteWriter& out, const AttrValue& value) {
    if (value.number()) {
      out.number(static_cast<std::uint64_t>(ScopeValueKind::Number));
      term(out, *value.number());
    } else if (value.string()) {
      out.number(static_cast<std::uint64_t>(ScopeValueKind::String));
      word(out, *value.string());
    } else {
      out.number(static_cast<std::uint64_t>(ScopeValueKind::Tuple));
      out.number(value.tuple()->size());
      for (const AttrValue& item : *value.tuple()) {
        this->value(out, item);
      }
    }
  }

  void scope(ByteWriter& out, const Scope& scope) {
    out.number(static_cast<std::uint64_t>(scope.proven));
    out.number(scope.axis_numbers.size());
    for (std::uint32_t number : scope.axis_numbers) {
      out.number(number);
    }
    out.number(scope.stands_for.size());
    for (const auto& [type, others] : scope.stands_for) {
      out.number(static_cast<std::uint64_t>(type));
      out.number(others.types().size());
      for (DType other : others.types()) {
        out.number(static_cast<std::uint64_t>(other));
      }
    }
    out.number(scope.axis_by_axis ? 1 : 0);
    out.number(scope.distinct_types ? 1 : 0);
    out.number(scope.nodes.size());
    for (const ScopeNode& node : scope.nodes) {
      out.number(nodes_.place(this->node(node)));
    }
    out.number(scope.bounds.size());
    for (const Scope::Bound& bound : scope.bounds) {
      word(out, bound.symbol.name());
      out.number(static_cast<std::uint64_t>(bound.least));
    }
    out.number(scope.ranges.size());
    for (const Scope::Range& range : scope.ranges) {
      word(out, range.index.name());
      term(out, range.length);
      out.number(static_cast<std::uint64_t>(range.from));
    }
    terms(out, scope.conditions);
  }

  std::string node(const ScopeNode& node) {
    ByteWriter out;
    out.number(node.position);
    out.number(static_cast<std::uint64_t>(node.branch));
    out.number(static_cast<std::uint64_t>(node.kind));
    out.number(node.types.size());
    for (const ScopeType& type : node.types) {
      out.number(static_cast<std::uint64_t>(type.dtype));
      terms(out, type.extents);
    }
    out.number(node.elements ? 1 : 0);
    if (node.elements) {
      terms(out, *node.elements);
    }
    may_be(out, node.fill);
    out.number(node.axes_of_rank ? *node.axes_of_rank + std::uint64_t{1} : 0);
    out.number(node.any_order ? 1 : 0);
    terms(out, node.every);
    word(out, node.element.name());
    may_be(out, node.list_element);
    word(out, node.list_index.name());
    if (node.kind == ScopeNode::Kind::Call) {
      call(out, node);
    }
    out.number(node.count);
    may_be(out, node.length);
    word(out, node.index.name());
    return out.bytes();
  }

  void call(ByteWriter& out, const ScopeNode& node) {
    word(out, std::string(op_def(node.op).name));
    out.number(node.attributes.size());
    for (const ScopeAttribute& attr : node.attributes) {
      word(out, attr.name.name());
      out.number(static_cast<std::uint64_t>(attr.kind));
      value(out, attr.value);
      out.number(attr.rank);
    }
  }

  Table words_;
  Table nodes_;
};

}  // namespace

std::string scope_bytes(const std::vector<Scope>& scopes) { return Writer().write(scopes); }

}  // namespace vouch
