#include "rule/scope_bytes.h"

#include <memory>

#include "support/bytes.h"
#include "support/diagnostic.h"
#include "term/parse.h"

namespace vouch {
namespace {

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
    switch (kind(in, ScopeValueKind::Tuple)) {
      case ScopeValueKind::Number: return AttrValue(term(in));
      case ScopeValueKind::String: return AttrValue(std::string(at(words_, in.number()).text));
      case ScopeValueKind::Tuple: break;
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
    out.axis_numbers.resize(in_.count());
    for (std::uint32_t& number : out.axis_numbers) {
      number = static_cast<std::uint32_t>(in_.number());
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
    out.every = terms(in);
    out.element = symbol(in);
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

std::optional<std::vector<Scope>> read_scope_bytes(std::string_view bytes) {
  try {
    return Reader(bytes).read();
  } catch (const BadBytes&) {
    return std::nullopt;
  }
}

}  // namespace vouch
