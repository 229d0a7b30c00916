#include "stages/select/select_step.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "corpora/records/candidate.h"
#include "manifests/commit_file.h"
#include "manifests/json_fields.h"
#include "parsers/samples/message_code.h"
#include "stages/samples/joined_sample.h"
#include "stages/select/judged_samples.h"

namespace kernelmill {
namespace {

constexpr char kSelected[] = "selected", kRepaired[] = "repaired", kDropped[] = "dropped",
               kRejected[] = "rejected";

// What was decided about one sample.
struct Decision {
  std::string fate = kDropped;
  std::string reason;
  PooledSample pooled;         // If selected.
  std::int64_t pool_size = 0;  // If selected.
};

// Reasons for which a correct sample must not be trained. Other unselected samples are valid.
bool MustNotBeTrained(const std::string& reason) {
  static const std::set<std::string> kValid = {"not_judged",  "not_correct", "same_structure",
                                               "pool_full",   "balance",     "protected",
                                               "not_admitted"};
  return !kValid.contains(reason);
}

// Whether a mistake can be shown to a model. Code that breaks the rules must not enter a context.
bool CanBeRepaired(const JudgedSample& sample, const JudgedSamples::Entry& entry) {
  return sample.judged && !sample.correct && !sample.fails_on_device && sample.objection.empty() &&
         entry.verdict.status != VerdictStatus::kIllegal &&
         entry.verdict.status != VerdictStatus::kNoAnswer;
}

// Marks up to `most` mistakes of each pool with a selected sample: one of each status and reason
// first, then by content_id.
void ChooseRepairs(const JudgedSamples& all, std::int64_t most, std::vector<Decision>* decisions) {
  using Pool = std::pair<std::string, std::string>;
  std::set<Pool> pools;
  std::map<Pool, std::map<std::pair<VerdictStatus, std::string>, std::vector<std::size_t>>> wrong;
  std::set<Digest> seen;
  std::vector<std::size_t> order(all.judged.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(all.judged[a].id, a) < std::tie(all.judged[b].id, b);
  });
  for (const std::size_t i : order) {
    const JudgedSample& sample = all.judged[i];
    const Pool pool = {sample.task, sample.backend};
    if ((*decisions)[i].fate == kSelected) pools.insert(pool);
    const JudgedSamples::Entry& entry = all.entries[i];
    if (!entry.excluded.empty() || !CanBeRepaired(sample, entry)) continue;
    if (seen.insert(sample.id).second) {
      wrong[pool][{entry.verdict.status, entry.verdict.reason}].push_back(i);
    }
  }
  for (const Pool& pool : pools) {
    std::int64_t left = most;
    for (std::size_t round = 0, taken = 1; taken > 0 && left > 0; ++round) {
      taken = 0;
      for (const auto& [kind, samples] : wrong[pool]) {
        if (round >= samples.size() || left == 0) continue;
        (*decisions)[samples[round]].fate = kRepaired;
        ++taken;
        --left;
      }
    }
  }
}

std::vector<Decision> Decide(const JudgedSamples& all, const SelectOptions& options,
                             SampleSelection* selection) {
  std::vector<Decision> decisions(all.judged.size());
  std::vector<JudgedSample> taking_part;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < all.judged.size(); ++i) {
    decisions[i].reason = all.entries[i].excluded;
    if (!decisions[i].reason.empty()) continue;
    taking_part.push_back(all.judged[i]);
    places.push_back(i);
  }
  *selection = SelectSamples(taking_part, options.selection);
  std::map<Digest, std::int64_t> pool_sizes;
  for (const PooledSample& one : selection->selected) ++pool_sizes[one.pool_id];
  for (const PooledSample& one : selection->selected) {
    Decision& decision = decisions[places[one.sample]];
    decision.fate = kSelected;
    decision.pooled = one;
    decision.pool_size = pool_sizes[one.pool_id];
  }
  for (const UnselectedSample& one : selection->unselected) {
    Decision& decision = decisions[places[one.sample]];
    decision.reason = one.reason;
    if (MustNotBeTrained(one.reason)) decision.fate = kRejected;
  }
  ChooseRepairs(all, options.repairs, &decisions);
  return decisions;
}

// The parameters of "verify" that decide on verdicts. The secret is not among them: it differs
// between runs, and the dataset publishes it elsewhere.
Result<Derivation> JudgedBy(const Run& run) {
  KM_ASSIGN(const Plan plan, run.PlanOf("verify"));
  Json parameters = plan.parameters;
  parameters.as_object().erase("secret");
  return Derivation{plan.step, plan.version, DigestOf(parameters.Dump()), {}};
}

}  // namespace

std::vector<ConfigKey> SelectKeys() {
  return {
      {"select.k_max", ConfigType::kInteger, 8, "samples",
       "The most samples that are trained for one task and backend. Easier tasks get fewer.",
       kAtLeastOne},
      {"select.token_budget", ConfigType::kInteger, 0, "tokens",
       "The most tokens of all selected samples together, prompts included. When it binds, the "
       "selection is kept balanced. 0 means no limit.",
       kNotNegative},
      {"select.max_samples", ConfigType::kInteger, 0, "samples",
       "The most selected samples. 0 means no limit.", kNotNegative},
      {"select.repairs", ConfigType::kInteger, 2, "samples",
       "The most wrong samples of one task and backend that become rows of the family repair. "
       "Tasks without a selected sample have none.",
       kNotNegative},
      {kMeasurementsKey, ConfigType::kString, "", "",
       "A measurements.jsonl that `verify --device cuda` has written for these samples, relative "
       "to "
       "this file. Of answers with one structure the fastest is trained, rewards have their term "
       "for speed, and an answer that fails on the device is neither trained nor rewarded."},
  };
}

Result<SelectOptions> SelectOptions::Of(const Config& config) {
  SelectOptions options;
  options.selection.k_max = config.Integer("select.k_max");
  options.selection.token_budget = config.Integer("select.token_budget");
  options.selection.max_samples = config.Integer("select.max_samples");
  options.repairs = config.Integer("select.repairs");
  // Keys of the steps "measure", "recall" and "verify".
  options.selection.max_tokens = config.Integer("max_tokens");
  options.allow_protected = config.Bool("allow_protected");
  KM_ASSIGN(options.measurements, SampleMeasurements::Of(config));
  const std::string sanitize = config.String("judge.sanitize");
  options.memory_checked = sanitize == "memory" || sanitize == "all";
  options.races_checked = sanitize == "race" || sanitize == "all";
  options.seed = config.Integer("seed");
  if (const std::string path = config.Path("tokenizer"); !path.empty()) {
    Result<Tokenizer> tokenizer = Tokenizer::Load(path);
    if (!tokenizer.ok()) return tokenizer.status().Within("tokenizer");
    options.tokenizer.emplace(std::move(tokenizer).value());
  }
  return options;
}

Json SelectStep::Parameters() const {
  return Json::Object{
      {"k_max", options_.selection.k_max},
      {"max_tokens", options_.selection.max_tokens},
      {"token_budget", options_.selection.token_budget},
      {"max_samples", options_.selection.max_samples},
      {"repairs", options_.repairs},
      {"measurements",
       options_.measurements.digest() ? Json(options_.measurements.digest()->Hex()) : Json()},
      {"allow_protected", options_.allow_protected},
      {"seed", options_.seed},
      {"tokenizer", options_.tokenizer ? options_.tokenizer->name() : ""}};
}

Run::Propose SelectStep::Inputs(const Run& run) const {
  return [this, &run](const Run::Emit& emit) -> Status {
    KM_ASSIGN(const JudgedSamples all, JudgedSamples::Of(run, options_));
    SampleSelection selection;
    const std::vector<Decision> decisions = Decide(all, options_, &selection);
    KM_RETURN_IF_ERROR(
        ReplaceFile(run.StatePath(kSelectionStateName), selection.ToJson().Pretty()));
    KM_ASSIGN(const Derivation judged_by, JudgedBy(run));
    std::set<Digest> begun;  // Tasks whose records went along with a sample.
    std::size_t i = 0;
    return run.ForEachOutput("join", [&](std::string_view, std::string_view body) -> Status {
      const JudgedSamples::Entry& entry = all.entries[i];
      const Decision& decision = decisions[i];
      const JudgedSample& judged = all.judged[i++];
      Json input =
          Json::Object{{"sample", body}, {"fate", decision.fate}, {"reason", decision.reason}};
      if (decision.fate == kSelected || decision.fate == kRepaired) {
        KM_ASSIGN(const Json json, Json::Parse(body));
        KM_ASSIGN(const JoinedSample joined, JoinedSample::FromJson(json));
        KM_ASSIGN(const Sample sample, Sample::FromJson(joined.record.payload));
        Candidate candidate;
        candidate.task = sample.task;
        candidate.backend = sample.backend;
        candidate.code = CodeOfSample(sample).value_or("");
        candidate.author = "model";
        candidate.structure = entry.structure;
        candidate.verdict = entry.verdict.Reproducible();
        candidate.memory_checked = options_.memory_checked;
        candidate.races_checked = options_.races_checked;
        Record record = joined.record;
        record.kind = RecordKind::kCandidate;
        record.payload = candidate.ToJson();
        record.attributes.clear();
        record.lineage = {judged_by};
        record.lineage.back().inputs = {sample.task, joined.record.ContentId()};
        Json::Array records = {record.Encode()};
        // Lineage leads to these.
        for (const std::string& repaired : joined.repaired) records.emplace_back(repaired);
        if (begun.insert(entry.task).second) {
          records.emplace_back(all.tasks.records.at(entry.task).Encode());
          records.emplace_back(all.tasks.annotations.at(entry.task).Encode());
        }
        input["records"] = std::move(records);
      }
      if (decision.fate == kSelected) {
        input["pool"] = Json::Object{{kPoolAttribute, decision.pooled.pool_id.Hex()},
                                     {kClusterAttribute, judged.cluster.Hex()},
                                     {kClusterSizeAttribute, decision.pooled.cluster_size},
                                     {kPoolSizeAttribute, decision.pool_size}};
        if (entry.speedup) input["pool"][kSpeedupAttribute] = *entry.speedup;
      }
      return emit(entry.key, input.Dump());
    });
  };
}

Result<Outcome> SelectStep::Process(const Input& input, Lane&) {
  KM_ASSIGN(const Json json, Json::Parse(input.body));
  KM_ASSIGN(const Json sample, Json::Parse(json.TextAt("sample")));
  KM_ASSIGN(JoinedSample joined, JoinedSample::FromJson(sample));
  const std::string fate = json.TextAt("fate");
  if (fate == kDropped || fate == kRejected) {
    const std::string reason = json.TextAt("reason");
    const std::string detail = "sample " + joined.record.ContentId().Hex();
    Outcome outcome = fate == kDropped
                          ? Outcome::Drop(reason, detail)
                          : Outcome::Reject(reason, detail, joined.record.payload.Dump());
    outcome.origins = joined.record.origins;
    return outcome;
  }
  Outcome outcome = Outcome::Keep({});
  if (const Json* pool = json.Find("pool")) joined.record.attributes = pool->as_object();
  const auto put = [&](const Record& record) {
    outcome.outputs.push_back({std::string(record.ContentId().AsKey()), record.Encode()});
  };
  put(joined.record);
  for (const Json& encoded : json.Find("records")->as_array()) {
    KM_ASSIGN(const Record record, Record::Decode(encoded.as_string()));
    put(record);
  }
  outcome.origins = joined.record.origins;
  outcome.counters.emplace_back(fate, 1);
  return outcome;
}

}  // namespace kernelmill
