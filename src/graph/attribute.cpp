#include "graph/attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_set>

#include "graph/type.h"
#include "support/fault.h"
#include "term/infinity.h"
#include "term/print.h"

namespace vouch {

AttrValue AttrValue::of_ints(std::span<const std::int64_t> values) {
  AttrTuple items;
  for (std::int64_t value : values) {
    items.emplace_back(value);
  }
  return AttrValue(std::move(items));
}

AttrValue AttrValue::of_float(double value) { return AttrValue(real_const(rational_of(value))); }

const Tensor* AttrValue::tensor() const {
  const auto* held = std::get_if<std::shared_ptr<const Tensor>>(&value_);
  return held ? held->get() : nullptr;
}

std::shared_ptr<const Graph> AttrValue::shared_graph() const {
  const auto* held = std::get_if<std::shared_ptr<const Graph>>(&value_);
  return held ? *held : nullptr;
}

const Graph* AttrValue::graph() const {
  const auto* held = std::get_if<std::shared_ptr<const Graph>>(&value_);
  return held ? held->get() : nullptr;
}

std::optional<std::int64_t> AttrValue::int64() const { return number() ? const_int(*number()) : std::nullopt; }

std::optional<std::vector<std::int64_t>> AttrValue::int64s() const {
  if (!tuple()) {
    return std::nullopt;
  }
  std::vector<std::int64_t> out;
  for (const AttrValue& item : *tuple()) {
    auto value = item.int64();
    if (!value) {
      return std::nullopt;
    }
    out.push_back(*value);
  }
  return out;
}

bool operator==(const AttrValue& a, const AttrValue& b) {
  if (a.tensor() && b.tensor()) {
    return *a.tensor() == *b.tensor();
  }
  return a.value_ == b.value_;
}

std::size_t AttrValue::hash() const {
  if (number()) {
    return std::hash<Term>()(*number());
  }
  if (string()) {
    return std::hash<std::string>()(*string());
  }
  if (tensor()) {
    return static_cast<std::size_t>(tensor()->count()) * 31 + static_cast<std::size_t>(tensor()->dtype());
  }
  if (tuple()) {
    std::size_t h = 17;
    for (const AttrValue& item : *tuple()) {
      h = h * 1000003 ^ item.hash();
    }
    return h;
  }
  return std::hash<const void*>()(graph());
}

std::string AttrValue::text() const {
  if (number()) {
    auto positive = infinite_sign(*number());
    return positive ? *positive ? "inf" : "-inf" : print_term(*number());
  }
  if (string()) {
    return fmt::format("\"{}\"", *string());
  }
  if (tensor()) {
    return Type::tensor(tensor()->dtype(), tensor()->extents()).text();
  }
  if (graph()) {
    return "graph";
  }
  std::string out = "(";
  const char* separator = "";
  for (const AttrValue& item : *tuple()) {
    out += separator + item.text();
    separator = ", ";
  }
  return out + ")";
}

namespace {

using Entries = std::vector<AttrDict::Entry>;

struct EntriesHash {
  std::size_t operator()(const Entries* entries) const {
    std::size_t h = 0;
    for (const auto& [name, value] : *entries) {
      h = (h * 1000003 ^ std::hash<Symbol>()(name)) * 1000003 ^ value.hash();
    }
    return h;
  }
};

struct EntriesSame {
  bool operator()(const Entries* a, const Entries* b) const { return *a == *b; }
};

struct DictTable {
  std::mutex mutex;
  std::unordered_set<const Entries*, EntriesHash, EntriesSame> known;
  std::deque<Entries> storage;
};

}  // namespace

AttrDict::AttrDict(std::vector<Entry> entries) {
  if (entries.empty()) {
    return;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    ensure(entries[i - 1].first != entries[i].first, "an attribute is given once");
  }
  static auto* table = new DictTable();  // never freed: dictionaries outlive statics
  std::lock_guard lock(table->mutex);
  if (auto found = table->known.find(&entries); found != table->known.end()) {
    entries_ = *found;
    return;
  }
  table->storage.push_back(std::move(entries));
  entries_ = &table->storage.back();
  table->known.insert(entries_);
}

const AttrValue* AttrDict::find(Symbol name) const {
  for (const Entry& entry : entries()) {
    if (entry.first == name) {
      return &entry.second;
    }
  }
  return nullptr;
}

std::span<const AttrDict::Entry> AttrDict::entries() const {
  return entries_ ? std::span<const Entry>(*entries_) : std::span<const Entry>();
}

AttrDict AttrDict::with(Symbol name, AttrValue value) const {
  std::vector<Entry> entries(this->entries().begin(), this->entries().end());
  for (Entry& entry : entries) {
    if (entry.first == name) {
      entry.second = std::move(value);
      return AttrDict(std::move(entries));
    }
  }
  entries.emplace_back(name, std::move(value));
  return AttrDict(std::move(entries));
}

std::string AttrDict::text() const {
  std::string out;
  for (const auto& [name, value] : entries()) {
    out += fmt::format("{}{} = {}", out.empty() ? "{" : ", ", name.name(), value.text());
  }
  return out.empty() ? out : out + "}";
}

}  // namespace vouch
