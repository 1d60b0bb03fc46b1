#include "term/intern.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "support/recent.h"

namespace vouch {
namespace {

std::size_t mix(std::size_t seed, std::size_t value) {
  return (seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2))) * 0xff51afd7ed558ccdULL;
}

// Only constants hold a value. Part by part: Boost orders rationals by Euclid's algorithm, and tests equality by that order.
bool holds_value(TermKind kind) {
  return kind == TermKind::IntConst || kind == TermKind::BoolConst || kind == TermKind::RealConst;
}

bool same_value(const TermNode& a, const TermNode& b) {
  return numerator(a.value) == numerator(b.value) && denominator(a.value) == denominator(b.value);
}

std::size_t head_hash(TermKind kind, Fn fn, Reduction reduction, Symbol symbol) {
  std::size_t h = mix(static_cast<std::size_t>(kind), static_cast<std::size_t>(fn));
  h = mix(h, static_cast<std::size_t>(reduction));
  return mix(h, std::hash<Symbol>()(symbol));
}

std::size_t with_arguments(std::size_t h, std::span<const Term> args) {
  for (Term arg : args) {
    h = mix(h, std::hash<Term>()(arg));
  }
  return h;
}

std::size_t structure_hash(const TermNode& node) {
  std::size_t h = head_hash(node.kind, node.fn, node.reduction, node.symbol);
  if (holds_value(node.kind)) {
    h = mix(h, std::hash<Rational>()(node.value));
  }
  h = with_arguments(h, node.args);
  for (Symbol name : node.bound) {
    h = mix(h, std::hash<Symbol>()(name));
  }
  return h;
}

struct SameHash {
  std::size_t operator()(const TermNode* node) const { return node->hash; }
};

struct SameStructure {
  bool operator()(const TermNode* a, const TermNode* b) const {
    return a->hash == b->hash && a->kind == b->kind && a->fn == b->fn && a->reduction == b->reduction && a->symbol == b->symbol &&
           a->args == b->args && a->bound == b->bound && (!holds_value(a->kind) || same_value(*a, *b));
  }
};

// Sharded by hash, so that workers seldom wait for each other.
struct Shard {
  std::mutex mutex;
  std::unordered_set<const TermNode*, SameHash, SameStructure> table;
  std::deque<TermNode> storage;
};

// Shards are filled alike; with one load factor all of them would grow at the same moment, and one rule of many pay for it.
std::array<Shard, 64>* new_shards() {
  auto* all = new std::array<Shard, 64>();  // never freed: terms outlive statics
  float load = 0.75F;
  for (Shard& shard : *all) {
    shard.table.max_load_factor(load);
    load += 0.75F / 64;
  }
  return all;
}

std::array<Shard, 64>& shards() {
  static auto* all = new_shards();
  return *all;
}

}  // namespace

Term intern(TermNode&& node) {
  node.hash = structure_hash(node);
  const TermNode*& slot = recent<TermNode, 15>(node.hash);
  if (slot != nullptr && SameStructure()(slot, &node)) {
    return Term(Term::Interned{slot});
  }
  Shard& shard = shards()[(node.hash >> 40) % 64];
  std::lock_guard lock(shard.mutex);
  if (auto found = shard.table.find(&node); found != shard.table.end()) {
    slot = *found;
    return Term(Term::Interned{slot});
  }
  for (Term arg : node.args) {
    node.depth = std::max(node.depth, arg->depth + 1);
  }
  shard.storage.push_back(std::move(node));
  const TermNode* kept = &shard.storage.back();
  shard.table.insert(kept);
  slot = kept;
  return Term(Term::Interned{kept});
}

// Most are there already, and found without making a node: each thread keeps what it made last.
Term make_node(TermKind kind, Sort sort, std::span<const Term> args) {
  constexpr unsigned kLog = 15;
  thread_local constinit std::array<Term, std::size_t{1} << kLog> made{};
  const std::size_t hash = with_arguments(head_hash(kind, Fn::Exp, Reduction::Sum, Symbol()), args);
  Term& slot = made[(hash * 0x9e3779b97f4a7c15ULL) >> (64 - kLog)];
  if (!slot || slot->hash != hash || slot.kind() != kind ||
      !std::equal(args.begin(), args.end(), slot.args().begin(), slot.args().end())) {
    TermNode node{.kind = kind, .sort = sort, .symbol = {}, .value = {}, .args = {args.begin(), args.end()}, .bound = {}};
    slot = intern(std::move(node));
  }
  return slot;
}

static std::strong_ordering order(int sign) {
  return sign < 0 ? std::strong_ordering::less : sign > 0 ? std::strong_ordering::greater : std::strong_ordering::equal;
}

std::strong_ordering compare(Term a, Term b) {
  if (a == b) {
    return std::strong_ordering::equal;
  }
  if (auto c = a->kind <=> b->kind; c != 0) return c;
  if (auto c = a->symbol <=> b->symbol; c != 0) return c;
  if (auto c = a->fn <=> b->fn; c != 0) return c;
  if (auto c = a->reduction <=> b->reduction; c != 0) return c;
  if (holds_value(a->kind) && !same_value(*a, *b)) {
    bool whole = a->kind == TermKind::IntConst;
    return order(whole ? Integer(numerator(a->value)).compare(Integer(numerator(b->value))) : a->value.compare(b->value));
  }
  if (auto c = a->args.size() <=> b->args.size(); c != 0) return c;
  for (std::size_t i = 0; i < a->args.size(); ++i) {
    if (auto c = compare(a->args[i], b->args[i]); c != 0) return c;
  }
  return std::lexicographical_compare_three_way(a->bound.begin(), a->bound.end(), b->bound.begin(), b->bound.end());
}

}  // namespace vouch
