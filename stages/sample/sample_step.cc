#include "stages/sample/sample_step.h"

#include <algorithm>
#include <map>

#include "corpora/records/module_candidate.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kNoCap = 0;

// Candidates are equal if their texts are equal, wherever they were found.
Digest ContentOf(const ModuleCandidate& candidate) {
  return Sha256().Field(candidate.name).Field(candidate.code).Finish();
}

Result<ModuleCandidate> Decode(std::string_view text) {
  KM_ASSIGN(const Json json, Json::Parse(text));
  return ModuleCandidate::FromJson(json);
}

// The body of an input: a candidate with its rank among all and among those of its source.
std::string Ranked(std::string_view candidate, std::int64_t rank, std::int64_t rank_in_source) {
  return Json(Json::Object{{"candidate", candidate},
                           {"rank", rank},
                           {"rank_in_source", rank_in_source}})
      .Dump();
}

// Candidates without repeats, in key order, each with the origins of all its copies.
Result<ShardSorter> SortCandidates(const Run& run, const std::string& step) {
  const auto merge = [](std::string_view a, std::string_view b) -> Result<std::string> {
    KM_ASSIGN(ModuleCandidate first, Decode(std::min(a, b)));
    KM_ASSIGN(const ModuleCandidate second, Decode(std::max(a, b)));
    first.Merge(second);
    return first.ToJson().Dump();
  };
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(run.StatePath("steps"), merge));
  KM_RETURN_IF_ERROR(
      run.ForEachOutput(step, [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(const ModuleCandidate candidate, Decode(body));
        return sorter.Put(ContentOf(candidate).AsKey(), body);
      }));
  return sorter;
}

}  // namespace

std::vector<ConfigKey> SampleKeys() {
  return {{"limit", ConfigType::kInteger, 0, "modules",
           "Take at most this many module candidates in all, chosen by the seed; 0 means all.",
           kNotNegative},
          {"max_per_source", ConfigType::kInteger, 0, "modules",
           "Take at most this many module candidates from one source; 0 means all.",
           kNotNegative}};
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
    KM_ASSIGN(ShardSorter sorter, SortCandidates(run, input_step_));
    if (wanted) {
      return sorter.ForEach([&](std::string_view key, std::string_view body, bool*) -> Status {
        KM_ASSIGN(const ModuleCandidate candidate, Decode(body));
        return wanted(candidate.origins) ? emit(std::string(key), Ranked(body, 0, 0))
                                         : Status::Ok();
      });
    }
    // A candidate counts for the source of its first origin.
    std::map<std::string, std::vector<Digest>> by_source;
    std::vector<Digest> all;
    const auto order = [this](std::string_view key) {
      return Sha256().Field(std::to_string(seed_)).Field(key).Finish();
    };
    const auto visit = [&](const std::function<Status(std::string_view key, std::string_view body,
                                                      const std::string& source)>& use) {
      return sorter.ForEach([&](std::string_view key, std::string_view body, bool*) -> Status {
        KM_ASSIGN(const ModuleCandidate candidate, Decode(body));
        return use(key, body, candidate.origins.front().url);
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
          max_per_source_ == kNoCap
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
  std::string candidate_text;
  std::int64_t rank = 0, rank_in_source = 0;
  KM_ASSIGN(const Json json, Json::Parse(input.body));
  JsonFields fields(json, "sample input");
  fields.Read("candidate", &candidate_text);
  fields.Read("rank", &rank);
  fields.Read("rank_in_source", &rank_in_source);
  KM_RETURN_IF_ERROR(fields.Finish());
  KM_ASSIGN(const ModuleCandidate candidate, Decode(candidate_text));
  const auto drop = [&](std::string reason) {
    Outcome outcome = Outcome::Drop(std::move(reason));
    outcome.origins = candidate.origins;
    return outcome;
  };
  if (max_per_source_ != kNoCap && rank_in_source >= max_per_source_) return drop("source_cap");
  if (limit_ != kNoCap && rank >= limit_) return drop("limit");
  return Outcome::Keep({{input.key, candidate_text}});
}

}  // namespace kernelmill
