#include "rule/scope_bytes.h"

#include <memory>
#include <unordered_map>

#include "support/bytes.h"
#include "support/diagnostic.h"
#include "term/parse.h"
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

enum class ValueKind : std::uint8_t { Number, String, Tuple };

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
      out.number(static_cast<std::uint64_t>(ValueKind::Number));
      term(out, *value.number());
    } else if (value.string()) {
      out.number(static_cast<std::uint64_t>(ValueKind::String));
      word(out, *value.string());
    } else {
      out.number(static_cast<std::uint64_t>(ValueKind::Tuple));
      out.number(value.tuple()->size());
      for (const AttrValue& item : *value.tuple()) {
        this->value(out, item);
      }
    }
  }

  void scope(ByteWriter& out, const Scope& scope) {
    out.number(static_cast<std::uint64_t>(scope.proven));
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

class Reader {
 public:
  explicit Reader(std::string_view bytes) : in_(bytes) {}

  std::vector<Scope> read() {
    words_.resize(in_.count());
    for (Word& word : words_) {
      word.text = in_.text();
    }
    std::size_t nodes = in_.count();
    nodes_.reserve(nodes);
    for (std::size_t k = 0; k < nodes; ++k) {
      ByteReader one(in_.text());
      nodes_.push_back(node(one));
    }
    std::vector<Scope> out(in_.count());
    for (Scope& scope : out) {
      this->scope(scope);
    }
    if (!in_.empty()) {
      throw BadBytes("more than scopes");
    }
    return out;
  }

 private:
  struct Word {
    std::string_view text;
    std::optional<Term> term;  // once one was asked for
    std::optional<Symbol> symbol;
  };

  template <class Items>
  static auto& at(Items& items, std::uint64_t place) {
    if (place >= items.size()) {
      throw BadBytes("no such place");
    }
    return items[place];
  }

  template <class Kind>
  static Kind kind(ByteReader& in, Kind last) {
    std::uint64_t found = in.number();
    if (found > static_cast<std::uint64_t>(last)) {
      throw BadBytes("no such kind");
    }
    return static_cast<Kind>(found);
  }
  static DType dtype(ByteReader& in) { return kind(in, static_cast<DType>(kDTypeCount - 1)); }
  static bool flag(ByteReader& in) { return kind(in, std::uint8_t{1}) != 0; }

  Symbol symbol(ByteReader& in) {
    Word& word = at(words_, in.number());
    if (!word.symbol) {
      word.symbol = Symbol(word.text);
    }
    return *word.symbol;
  }

  Term term(ByteReader& in) {
    Word& word = at(words_, in.number());
    if (!word.term) {
      Diagnostics diagnostics;
      word.term = parse_term(std::make_shared<Source>("scope", std::string(word.text)), diagnostics);
    }
    if (!word.term) {
      throw BadBytes("no term");
    }
    return *word.term;
  }

  std::vector<Term> terms(ByteReader& in) {
    std::vector<Term> out;
    std::size_t count = in.count();
    out.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
      out.push_back(term(in));
    }
    return out;
  }

  std::optional<Term> may_be(ByteReader& in) { return flag(in) ? std::optional(term(in)) : std::nullopt; }

  AttrValue value(ByteReader& in) {
    switch (kind(in, ValueKind::Tuple)) {
      case ValueKind::Number: return AttrValue(term(in));
      case ValueKind::String: return AttrValue(std::string(at(words_, in.number()).text));
      case ValueKind::Tuple: break;
    }
    AttrTuple items(in.count());
    for (AttrValue& item : items) {
      item = value(in);
    }
    return AttrValue(std::move(items));
  }

  void scope(Scope& out) {
    out.proven = kind(in_, Verdict::Unknown);
    if (!is_sound(out.proven)) {
      throw BadBytes("no verdict that lets a rule fire");
    }
    out.stands_for.resize(in_.count());
    for (auto& [type, others] : out.stands_for) {
      type = dtype(in_);
      for (std::size_t left = in_.count(); left != 0; --left) {
        others = others | TypeSet{dtype(in_)};
      }
    }
    out.axis_by_axis = flag(in_);
    out.distinct_types = flag(in_);
    std::size_t nodes = in_.count();
    out.nodes.reserve(nodes);
    for (std::size_t k = 0; k < nodes; ++k) {
      out.nodes.push_back(at(nodes_, in_.number()));
    }
    out.bounds.resize(in_.count());
    for (Scope::Bound& bound : out.bounds) {
      bound.symbol = symbol(in_);
      bound.least = static_cast<std::int64_t>(in_.number());
    }
    ranges(out.ranges);
    out.conditions = terms(in_);
  }

  void ranges(std::vector<Scope::Range>& out) {
    for (std::size_t left = in_.count(); left != 0; --left) {
      Symbol index = symbol(in_);
      Term length = term(in_);
      out.push_back({index, length, static_cast<std::int64_t>(in_.number())});
    }
  }

  ScopeNode node(ByteReader& in) {
    ScopeNode out;
    out.position = static_cast<std::uint32_t>(in.number());
    out.branch = static_cast<std::int64_t>(in.number());
    out.kind = kind(in, ScopeNode::Kind::Instances);
    out.types.resize(in.count());
    for (ScopeType& type : out.types) {
      type.dtype = dtype(in);
      type.extents = terms(in);
    }
    if (flag(in)) {
      out.elements = terms(in);
    }
    out.fill = may_be(in);
    if (std::uint64_t rank = in.number(); rank != 0) {
      out.axes_of_rank = static_cast<std::uint32_t>(rank - 1);
    }
    out.any_order = flag(in);
    out.list_element = may_be(in);
    out.list_index = symbol(in);
    if (out.kind == ScopeNode::Kind::Call) {
      call(in, out);
    }
    out.count = static_cast<std::uint32_t>(in.number());
    out.length = may_be(in);
    out.index = symbol(in);
    return out;
  }

  void call(ByteReader& in, ScopeNode& out) {
    auto op = find_op(at(words_, in.number()).text);
    if (!op) {
      throw BadBytes("no operator");
    }
    out.op = *op;
    out.attributes.resize(in.count());
    for (ScopeAttribute& attr : out.attributes) {
      attr.name = symbol(in);
      attr.kind = kind(in, ScopeAttribute::Kind::AnyOrder);
      attr.value = value(in);
      attr.rank = static_cast<std::uint32_t>(in.number());
    }
  }

  ByteReader in_;
  std::vector<Word> words_;
  std::vector<ScopeNode> nodes_;
};

}  // namespace

std::string scope_bytes(const std::vector<Scope>& scopes) { return Writer().write(scopes); }

std::optional<std::vector<Scope>> read_scope_bytes(std::string_view bytes) {
  try {
    return Reader(bytes).read();
  } catch (const BadBytes&) {
    return std::nullopt;
  }
}

}  // namespace vouch
