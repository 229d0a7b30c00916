#include "stages/sample/sample_step.h"

#include <algorithm>
#include <map>

#include "corpora/records/mined_module.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kNoLimit = 0;

// Modules are equal if their names and texts are equal, wherever they were found.
Digest ContentOf(const MinedModule& module) {
  return Sha256().Field(module.name).Field(module.code).Finish();
}

Result<MinedModule> Decode(std::string_view text) {
  KM_ASSIGN(const Json json, Json::Parse(text));
  return MinedModule::FromJson(json);
}

// The body of an input: a module with its rank among all and among those of its source.
std::string Ranked(std::string_view module, std::int64_t rank, std::int64_t rank_in_source) {
  return Json(Json::Object{
                  {"candidate", module}, {"rank", rank}, {"rank_in_source", rank_in_source}})
      .Dump();
}

// Modules without repeats, in key order, each with the origins of all its copies.
Result<ShardSorter> SortModules(const Run& run, const std::string& step) {
  const auto merge = [](std::string_view a, std::string_view b) -> Result<std::string> {
    KM_ASSIGN(MinedModule first, Decode(std::min(a, b)));
    KM_ASSIGN(const MinedModule second, Decode(std::max(a, b)));
    first.Merge(second);
    return first.ToJson().Dump();
  };
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(run.StatePath("steps"), merge));
  KM_RETURN_IF_ERROR(
      run.ForEachOutput(step, [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const MinedModule module, Decode(body));
        return sorter.Put(ContentOf(module).AsKey(), body);
      }));
  return sorter;
}

}  // namespace

std::vector<ConfigKey> SampleKeys() {
  return {{"limit", ConfigType::kInteger, 0, "modules",
           "Take at most this many mined modules in all, chosen by the seed; 0 means all.",
           kNotNegative},
          {"max_per_source", ConfigType::kInteger, 0, "modules",
           "Take at most this many mined modules from one source; 0 means all.", kNotNegative}};
}

SampleStep::SampleStep(const Config& config, std::string input_step)
    : input_step_(std::move(input_step)),
      seed_(config.Integer("seed")),
      limit_(config.Integer("limit")),
      max_per_source_(config.Integer("max_per_source")) {}

Json SampleStep::Parameters() const {
  return Json::Object{{"seed", seed_}, {"limit", limit_}, {"max_per_source", max_per_source_}};
}

Run::Propose SampleStep::Inputs(const Run& run, const OriginFilter& wanted) const {
  return [this, &run, wanted](const Run::Emit& emit) -> Status {
    KM_ASSIGN(ShardSorter sorter, SortModules(run, input_step_));
    if (wanted) {
      return sorter.ForEach([&](std::string_view key, std::string_view body, bool*) -> Status {
        KM_ASSIGN(const MinedModule module, Decode(body));
        return wanted(module.origins) ? emit(std::string(key), Ranked(body, 0, 0)) : Status::Ok();
      });
    }
    // A module counts for the source of its first origin.
    std::map<std::string, std::vector<Digest>> by_source;
    std::vector<Digest> all;
    const auto order = [this](std::string_view key) {
      return Sha256().Field(std::to_string(seed_)).Field(key).Finish();
    };
    const auto visit = [&](const std::function<Status(std::string_view key, std::string_view body,
                                                      const std::string& source)>& use) {
      return sorter.ForEach([&](std::string_view key, std::string_view body, bool*) -> Status {
        KM_ASSIGN(const MinedModule module, Decode(body));
        return use(key, body, module.origins.front().url);
      });
    };
    KM_RETURN_IF_ERROR(
        visit([&](std::string_view key, std::string_view, const std::string& source) {
          by_source[source].push_back(order(key));
          return Status::Ok();
        }));
    for (auto& [source, members] : by_source) {
      std::sort(members.begin(), members.end());
      const std::size_t within =
          max_per_source_ == kNoLimit
              ? members.size()
              : std::min(members.size(), static_cast<std::size_t>(max_per_source_));
      all.insert(all.end(), members.begin(), members.begin() + static_cast<std::ptrdiff_t>(within));
    }
    std::sort(all.begin(), all.end());
    const auto rank = [&](const std::vector<Digest>& sorted, std::string_view key) {
      return std::lower_bound(sorted.begin(), sorted.end(), order(key)) - sorted.begin();
    };
    return visit([&](std::string_view key, std::string_view body, const std::string& source) {
      return emit(std::string(key), Ranked(body, rank(all, key), rank(by_source[source], key)));
    });
  };
}

Result<Outcome> SampleStep::Process(const Input& input, Lane&) {
  std::string module_text;
  std::int64_t rank = 0, rank_in_source = 0;
  KM_ASSIGN(const Json json, Json::Parse(input.body));
  JsonFields fields(json, "sample input");
  fields.Read("candidate", &module_text);
  fields.Read("rank", &rank);
  fields.Read("rank_in_source", &rank_in_source);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(const MinedModule module, Decode(module_text));
  const auto drop = [&](std::string reason) {
    Outcome outcome = Outcome::Drop(std::move(reason));
    outcome.origins = module.origins;
    return outcome;
  };
  if (max_per_source_ != kNoLimit && rank_in_source >= max_per_source_) return drop("source_cap");
  if (limit_ != kNoLimit && rank >= limit_) return drop("limit");
  return Outcome::Keep({{input.key, module_text}});
}

}  // namespace kernelmill
