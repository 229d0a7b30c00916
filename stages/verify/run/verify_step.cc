#include "stages/verify/run/verify_step.h"

#include <map>
#include <utility>

#include "corpora/kernel_backend.h"
#include "manifests/json_bytes.h"
#include "manifests/json_fields.h"
#include "stages/engine/interrupt.h"
#include "stages/verify/judge/judging_secret.h"

namespace kernelmill {
namespace {

// The most candidates of one task per input. With fewer, references would run more often; with
// more, lanes would idle while one lane is busy with a large task.
constexpr std::size_t kCandidatesPerInput = 16;
constexpr std::size_t kPlaceDigits = 8;

struct VerifyLane : Lane {
  explicit VerifyLane(StoreUse store_use) : judges(store_use) {}
  JudgePool judges;
};

// The positions of up to kCandidatesPerInput candidates of one task, or of one malformed item.
using ItemGroup = std::vector<std::size_t>;

// Groups the items. The groups are in the order of their first items.
std::vector<ItemGroup> GroupsOf(const std::vector<VerifyItem>& items) {
  // From each reference to its last group, which may be incomplete.
  std::map<const std::string*, std::size_t> last;
  std::vector<ItemGroup> groups;
  for (std::size_t place = 0; place < items.size(); ++place) {
    if (!items[place].problem.empty()) {
      groups.push_back({place});
      continue;
    }
    const auto [group, added] = last.try_emplace(items[place].reference.get(), groups.size());
    if (!added && groups[group->second].size() == kCandidatesPerInput) {
      group->second = groups.size();
    }
    if (group->second == groups.size()) groups.emplace_back();
    groups[group->second].push_back(place);
  }
  return groups;
}

// `before`: how many items were proposed before these.
Result<Input> InputOf(const std::vector<VerifyItem>& items, const ItemGroup& group,
                      std::size_t before) {
  const std::string place = VerifyStep::PlaceKey(before + group.front());
  const VerifyItem& first = items[group.front()];
  if (!first.problem.empty()) {
    KM_ASSIGN(const std::optional<std::string> bytes, first.read_code());
    return Input{place, Json(Json::Object{{"reason", first.reason},
                                          {"problem", first.problem},
                                          {"bytes", JsonOfBytes(bytes.value_or(""))}})
                            .Dump()};
  }
  Json::Array candidates;
  for (const std::size_t at : group) {
    const VerifyItem& item = items[at];
    KM_ASSIGN(const std::optional<std::string> code, item.read_code());
    candidates.push_back(
        Json::Object{{"place", VerifyStep::PlaceKey(before + at)},
                     {"item", item.Identity()},
                     {"contract", item.contract.Text()},
                     {"backend", item.backend != nullptr ? Json(item.backend->name) : Json()},
                     {"code", code ? Json(JsonOfBytes(*code)) : Json()}});
  }
  return Input{place, Json(Json::Object{{"reference", *first.reference},
                                        {"candidates", std::move(candidates)}})
                          .Dump()};
}

struct PlacedCandidate {
  std::string place, contract;
  Json item, backend, code;
};

Result<PlacedCandidate> CandidateOf(const Json& json) {
  PlacedCandidate candidate;
  JsonFields fields(json, "verify input");
  fields.Read("place", &candidate.place);
  fields.Read("item", &candidate.item);
  fields.Read("contract", &candidate.contract);
  fields.Read("backend", &candidate.backend);
  fields.Read("code", &candidate.code);
  KM_RETURN_IF_ERROR(fields.Finish());
  return candidate;
}

Result<Outcome> Rejected(const Json& json) {
  KM_ASSIGN(std::string bytes, BytesOfJson(*json.Find("bytes")));
  return Outcome::Reject(json.TextAt("reason"), json.TextAt("problem"), std::move(bytes));
}

}  // namespace

Json VerifyStep::Parameters() const {
  return Json::Object{{"source", source_},
                      {"judging", judging_.ToJson()},
                      {"secret", CommitmentTo(judging_.secret)}};
}

Result<std::unique_ptr<VerifyStep>> VerifyStep::FromParameters(const Json& parameters,
                                                               const std::string& secret,
                                                               StoreUse store_use) {
  JudgingChoice judging;
  std::string commitment;
  Json source;
  JsonFields fields(parameters, "the parameters of the step verify");
  fields.Read("source", &source);
  fields.ReadValue("judging", &judging, JudgingChoice::FromJson);
  fields.Read("secret", &commitment);
  KM_RETURN_IF_ERROR(fields.Finish());
  judging.secret = secret;
  if (CommitmentTo(secret) != commitment) {
    return Status(ErrorCode::kCorrupt, "the secret is not the one that the step was planned with");
  }
  return std::make_unique<VerifyStep>(std::move(judging), store_use, std::move(source));
}

Result<std::unique_ptr<Lane>> VerifyStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<VerifyLane>(store_use_));
}

Result<std::vector<AskedCandidate>> VerifyStep::CandidatesOf(const Input& input) const {
  KM_ASSIGN(const Json json, Json::Parse(input.body));
  std::vector<AskedCandidate> all;
  if (json.Find("problem") != nullptr) return all;
  for (const Json& item : json.Find("candidates")->as_array()) {
    KM_ASSIGN(PlacedCandidate candidate, CandidateOf(item));
    AskedCandidate& asked = all.emplace_back();
    asked.place = std::move(candidate.place);
    asked.item = std::move(candidate.item);
    asked.reference = json.TextAt("reference");
    if (!candidate.code.is_null()) {
      KM_ASSIGN(asked.code, BytesOfJson(candidate.code));
    }
    asked.judging = judging_;
    KM_ASSIGN(const TaskContract contract, TaskContract::Parse(candidate.contract));
    asked.judging.contract = asked.judging.contract.With(contract);
    if (candidate.backend.is_string()) {
      KM_ASSIGN(asked.judging.backend, KernelBackendNamed(candidate.backend.as_string()));
      if (asked.judging.backend != judging_.backend) asked.judging.target.clear();
    }
  }
  return all;
}

Result<Outcome> VerifyStep::Process(const Input& input, Lane& lane) {
  JudgePool& judges = static_cast<VerifyLane&>(lane).judges;
  KM_ASSIGN(const std::vector<AskedCandidate> candidates, CandidatesOf(input));
  if (candidates.empty()) {
    KM_ASSIGN(const Json json, Json::Parse(input.body));
    return Rejected(json);
  }
  std::vector<Output> outputs;
  std::map<std::string, std::int64_t> counters;
  for (const AskedCandidate& asked : candidates) {
    if (Interrupted()) return InterruptedStatus();
    KM_ASSIGN(const JudgePool::Judged judged,
              judges.JudgeCandidate(asked.judging, asked.reference, asked.code));
    if (!judged.from_store) ++judged_;
    ++counters[std::string(StatusName(judged.verdict.status))];
    Json line = asked.item;
    line["fingerprint"] = judged.key;
    line["reward"] = judged.verdict.RewardJson();
    line["verdict"] = judged.verdict.ToJson();
    outputs.push_back({asked.place, line.Dump()});
  }
  Outcome outcome = Outcome::Keep(std::move(outputs));
  outcome.counters.assign(counters.begin(), counters.end());
  return outcome;
}

std::int64_t VerifyStep::CountInputs(const std::vector<VerifyItem>& items) {
  return static_cast<std::int64_t>(GroupsOf(items).size());
}

Run::Propose VerifyStep::Inputs(const std::vector<VerifyItem>& items, std::size_t first) {
  return [&items, first](const Run::Emit& emit) -> Status {
    for (const ItemGroup& group : GroupsOf(items)) {
      KM_ASSIGN(Input input, InputOf(items, group, first));
      KM_RETURN_IF_ERROR(emit(std::move(input.key), std::move(input.body)));
    }
    return Status::Ok();
  };
}

std::string VerifyStep::PlaceKey(std::size_t place) {
  const std::string digits = std::to_string(place);
  return std::string(kPlaceDigits - std::min(kPlaceDigits, digits.size()), '0') + digits;
}

}  // namespace kernelmill
