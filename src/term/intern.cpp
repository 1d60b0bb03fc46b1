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

std::size_t structure_hash(const TermNode& node) {
  std::size_t h = mix(static_cast<std::size_t>(node.kind), static_cast<std::size_t>(node.fn));
  h = mix(h, static_cast<std::size_t>(node.reduction));
  h = mix(h, std::hash<Symbol>()(node.symbol));
  if (holds_value(node.kind)) {
    h = mix(h, std::hash<Rational>()(node.value));
  }
  for (Term arg : node.args) {
    h = mix(h, std::hash<Term>()(arg));
  }
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

Term make_node(TermKind kind, Sort sort, std::vector<Term> args) {
  TermNode node{.kind = kind, .sort = sort, .symbol = {}, .value = {}, .args = std::move(args), .bound = {}};
  return intern(std::move(node));
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
