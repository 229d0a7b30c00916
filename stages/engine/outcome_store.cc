#include "stages/engine/outcome_store.h"

#include <string_view>

#include "corpora/shards/zstd_codec.h"
#include "manifests/json_fields.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{4} << 30;
constexpr std::string_view kSuffix = ".outcome";
constexpr int kLevel = 1;  // Of zstd.

// The texts of an outcome, which may hold any bytes, in a fixed order.
template <class OfOutcome, class Visit>
void ForEachText(OfOutcome& outcome, const Visit& visit) {
  visit(outcome.reason);
  visit(outcome.detail);
  visit(outcome.original);
  for (auto& output : outcome.outputs) {
    visit(output.key);
    visit(output.body);
  }
  for (auto& item : outcome.rejected_items) {
    visit(item.key);
    visit(item.reason);
    visit(item.detail);
    visit(item.original);
  }
}

// One line of JSON, a line break, and the texts one after the other.
std::string Encode(const Outcome& outcome) {
  Json::Array sizes, origins, counters;
  std::string texts;
  ForEachText(outcome, [&](const std::string& text) {
    sizes.emplace_back(static_cast<std::int64_t>(text.size()));
    texts += text;
  });
  for (const Origin& origin : outcome.origins) origins.push_back(origin.ToJson());
  for (const auto& [name, count] : outcome.counters) {
    counters.emplace_back(Json::Object{{"name", name}, {"count", count}});
  }
  const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  return Json(Json::Object{{"fate", static_cast<std::int64_t>(outcome.fate)},
                           {"outputs", count(outcome.outputs)},
                           {"rejected_items", count(outcome.rejected_items)},
                           {"origins", std::move(origins)},
                           {"counters", std::move(counters)},
                           {"sizes", std::move(sizes)}})
             .Dump() +
         "\n" + texts;
}

using Counter = std::pair<std::string, std::int64_t>;
Result<Counter> CounterOf(const Json& json) {
  Counter counter;
  JsonFields fields(json, "counter");
  fields.Read("name", &counter.first);
  fields.Read("count", &counter.second);
  KM_RETURN_IF_ERROR(fields.Finish());
  return counter;
}

Result<std::int64_t> SizeOf(const Json& json) {
  if (json.is_int() && json.as_int() >= 0) return json.as_int();
  return Status(ErrorCode::kCorrupt, "a size is no whole number");
}

Result<Outcome> Decode(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == bytes.npos) return Status(ErrorCode::kCorrupt, "an outcome has no header");
  KM_ASSIGN(const Json header, Json::Parse(bytes.substr(0, end)));
  Outcome outcome;
  std::int64_t fate = 0, outputs = 0, items = 0;
  std::vector<std::int64_t> sizes;
  JsonFields fields(header, "outcome");
  fields.Read("fate", &fate);
  fields.Read("outputs", &outputs);
  fields.Read("rejected_items", &items);
  fields.ReadArray("origins", &outcome.origins, Origin::FromJson);
  fields.ReadArray("counters", &outcome.counters, CounterOf);
  fields.ReadArray("sizes", &sizes, SizeOf);
  KM_RETURN_IF_ERROR(fields.Finish());
  const auto most = static_cast<std::int64_t>(sizes.size());
  if (fate < 0 || fate > static_cast<std::int64_t>(Fate::kRejected) || outputs < 0 ||
      outputs > most || items < 0 || items > most) {
    return Status(ErrorCode::kCorrupt, "the header of an outcome is none");
  }
  outcome.fate = static_cast<Fate>(fate);
  outcome.outputs.resize(static_cast<std::size_t>(outputs));
  outcome.rejected_items.resize(static_cast<std::size_t>(items));
  std::string_view texts = bytes.substr(end + 1);
  auto size = sizes.begin();
  bool fits = true;
  ForEachText(outcome, [&](std::string& text) {
    fits = fits && size != sizes.end() && static_cast<std::size_t>(*size) <= texts.size();
    if (!fits) return;
    text = texts.substr(0, static_cast<std::size_t>(*size));
    texts.remove_prefix(static_cast<std::size_t>(*size++));
  });
  if (!fits || !texts.empty() || size != sizes.end()) {
    return Status(ErrorCode::kCorrupt, "the texts of an outcome are not those of its header");
  }
  return outcome;
}

}  // namespace

Result<OutcomeStore> OutcomeStore::Open(const std::filesystem::path& folder) {
  KM_ASSIGN(auto shared, SharedEntries::OfEnvironment("outcomes"));
  KM_ASSIGN(EntryStore entries, EntryStore::Open(folder, kMaxBytes, std::move(shared)));
  return OutcomeStore(std::move(entries));
}

std::filesystem::path OutcomeStore::DefaultFolder() {
  return CheckoutRoot() / ".cache" / "outcomes";
}

Result<std::optional<Outcome>> OutcomeStore::Find(const std::string& key) const {
  KM_ASSIGN(const std::optional<std::string> frame, entries_.Find(key, kSuffix));
  std::string bytes;
  const std::optional<Outcome> none;
  if (!frame || !ZstdDecompressor().Decompress(*frame, &bytes).ok()) return none;
  Result<Outcome> outcome = Decode(bytes);
  if (!outcome.ok()) return none;
  return std::optional<Outcome>(*std::move(outcome));
}

Status OutcomeStore::Keep(const std::string& key, const Outcome& outcome) const {
  std::string frame;
  KM_RETURN_IF_ERROR(ZstdCompressor(kLevel).Compress(Encode(outcome), &frame));
  return entries_.Keep(key, kSuffix, frame);
}

}  // namespace kernelmill
