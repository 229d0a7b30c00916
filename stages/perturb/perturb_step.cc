#include "stages/perturb/perturb_step.h"

#include <algorithm>
#include <optional>

#include "corpora/records/candidate.h"
#include "corpora/records/task.h"
#include "stages/engine/subject_records.h"
#include "stages/perturb/proof_judges.h"

namespace kernelmill {
namespace {

struct JudgeLane : Lane {
  explicit JudgeLane(StoreUse store_use) : judges(store_use) {}
  ProofJudges judges;
};

struct RightAnswer {
  Digest id;
  Record record;
  Candidate candidate;
};

// The task and its right answers, from the records about the task.
struct TaskAnswers {
  std::optional<Record> task;
  std::vector<RightAnswer> answers;  // Sorted by content_id.
};

Result<TaskAnswers> ReadAnswers(std::string_view body) {
  KM_ASSIGN(std::vector<Record> records, ReadSubjectRecords(body));
  TaskAnswers read;
  for (Record& record : records) {
    if (record.kind == RecordKind::kTask) read.task = record;
    if (record.kind != RecordKind::kCandidate) continue;
    KM_ASSIGN(Candidate candidate, Candidate::FromJson(record.payload));
    if (!candidate.IsTaught()) continue;  // A repair must not lead to an answer that is not taught.
    const Digest id = record.ContentId();
    read.answers.push_back({id, std::move(record), std::move(candidate)});
  }
  std::sort(read.answers.begin(), read.answers.end(),
            [](const RightAnswer& a, const RightAnswer& b) { return a.id < b.id; });
  return read;
}

// Whether the recorded verdict has counts, so that the answer need not be judged again with
// counting.
bool IsCounted(const Verdict& verdict) {
  return !verdict.launches.empty() &&
         std::all_of(verdict.launches.begin(), verdict.launches.end(),
                     [](const VerdictLaunch& launch) { return launch.counts.has_value(); });
}

// Tries the bugs that were drawn for answers to one task.
class MutantMaker {
 public:
  MutantMaker(const Record& task, std::string reference, Derivation made, ProofJudges* judges)
      : task_(task.ContentId()),
        reference_(std::move(reference)),
        made_(std::move(made)),
        judges_(*judges) {}

  // Tries the draws for one answer, and adds the mutants that are proved.
  Status Make(const RightAnswer& answer, const std::vector<std::vector<DrawnBug>>& draws) {
    right_.reset();
    for (const std::vector<DrawnBug>& tries : draws) {
      for (const DrawnBug& drawn : tries) {
        KM_ASSIGN(const bool proved, Try(answer, drawn));
        if (proved) break;
      }
    }
    return Status::Ok();
  }

  std::vector<Output> outputs;
  std::map<std::string, std::int64_t> counters;

 private:
  Result<bool> Try(const RightAnswer& answer, const DrawnBug& drawn) {
    const BugClass& bug = *drawn.bug;
    const std::string& backend = answer.candidate.backend;
    if (bug.proof == BugProof::kCounts && !right_ && IsCounted(answer.candidate.verdict)) {
      right_ = answer.candidate.verdict;
    } else if (bug.proof == BugProof::kCounts && !right_) {
      KM_ASSIGN(right_, judges_.Verify(bug.proof, backend, reference_, answer.candidate.code));
    }
    KM_ASSIGN(const Verdict verdict, judges_.Verify(bug.proof, backend, reference_, drawn.code));
    const bool proved = ProvesBug(bug, verdict, right_.value_or(Verdict()));
    const std::string_view fate = proved                                      ? "proved."
                                  : !IsAboutCandidate(verdict.status)         ? "undecided."
                                  : verdict.status == VerdictStatus::kCorrect ? "survived."
                                                                              : "fails_otherwise.";
    ++counters[std::string(fate) + std::string(FailureClassName(bug.failure))];
    if (!proved) return false;
    Candidate mutant;
    mutant.task = task_;
    mutant.backend = backend;
    mutant.code = drawn.code;
    mutant.author = "perturbation";
    mutant.parent = answer.id.Hex();
    mutant.bug = bug.name;
    mutant.verdict = verdict.Reproducible();
    mutant.memory_checked = bug.proof == BugProof::kMemory;
    mutant.races_checked = bug.proof == BugProof::kRaces;
    Record record;
    record.kind = RecordKind::kCandidate;
    record.payload = mutant.ToJson();
    record.origins = answer.record.origins;
    record.licences = answer.record.licences;
    record.lineage = answer.record.lineage;
    record.lineage.push_back(made_);
    record.lineage.back().inputs = {task_, answer.id};
    outputs.push_back({std::string(record.ContentId().AsKey()), record.Encode()});
    return true;
  }

  const Digest task_;
  const std::string reference_;
  const Derivation made_;
  ProofJudges& judges_;
  std::optional<Verdict> right_;  // The verdict on the current answer, with counts.
};

}  // namespace

std::vector<ConfigKey> PerturbKeys() {
  return {
      {"perturb.mutants", ConfigType::kInteger, 1, "mutants",
       "How many bugs are put into each right answer, one at a time; 0 makes none.", kNotNegative},
      {"perturb.tries", ConfigType::kInteger, 3, "bugs",
       "How many bugs are tried for each mutant until a run proves one.", kAtLeastOne},
      {"perturb.shares", ConfigType::kWeights,
       Json(Json::Object{{"build", 25},
                         {"interface", 10},
                         {"legality", 10},
                         {"numerics", 30},
                         {"bounds", 10},
                         {"race", 5},
                         {"slowness", 10}}),
       "",
       "The relative frequency of each kind of failure among the mutants. The defaults follow "
       "failed answers of models, of which 35 of 100 do not build or have a wrong interface.",
       kNotNegative}};
}

Result<PerturbOptions> PerturbOptions::Of(const Config& config) {
  PerturbOptions options{.seed = config.Integer("seed"),
                         .mutants = config.Integer("perturb.mutants"),
                         .tries = config.Integer("perturb.tries")};
  for (const auto& [name, share] : config.Value("perturb.shares").as_object()) {
    const auto& all = AllFailureClasses();
    const auto failure = std::find_if(
        all.begin(), all.end(), [&](FailureClass one) { return FailureClassName(one) == name; });
    if (failure == all.end()) {
      std::string names;
      for (const FailureClass one : all) names += ' ' + std::string(FailureClassName(one));
      return Status(ErrorCode::kConfig, "perturb.shares: '" + name + "' must be one of" + names);
    }
    options.shares[*failure] = share.as_double();
  }
  return options;
}

Json PerturbStep::Parameters() const {
  Json::Object shares;
  for (const auto& [failure, share] : options_.shares)
    shares.emplace(FailureClassName(failure), share);
  return Json::Object{{"seed", options_.seed},
                      {"perturb.mutants", options_.mutants},
                      {"perturb.tries", options_.tries},
                      {"perturb.shares", std::move(shares)}};
}

Result<std::unique_ptr<Lane>> PerturbStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<JudgeLane>(store_use_));
}

Result<Outcome> PerturbStep::Process(const Input& input, Lane& lane) {
  KM_ASSIGN(const TaskAnswers read, ReadAnswers(input.body));
  if (!read.task || read.answers.empty()) return Outcome::Drop("not_answered");
  KM_ASSIGN(const Task task, Task::FromJson(read.task->payload));
  MutantMaker maker(*read.task, task.code,
                    {.step = std::string(Name()),
                     .version = Version(),
                     .parameters = DigestOf(Parameters().Dump()),
                     .inputs = {}},
                    &static_cast<JudgeLane&>(lane).judges);
  for (const RightAnswer& answer : read.answers) {
    const auto trees = AnswerTrees::Parse(answer.candidate.code, task.code);
    if (trees == nullptr) continue;
    KM_RETURN_IF_ERROR(
        maker.Make(answer, DrawBugs(*trees, answer.id, options_.seed, options_.shares,
                                    options_.mutants, options_.tries)));
  }
  Outcome outcome = maker.outputs.empty() ? Outcome::Drop("no_bug_shows")
                                          : Outcome::Keep(std::move(maker.outputs));
  outcome.origins = read.task->origins;
  outcome.counters.assign(maker.counters.begin(), maker.counters.end());
  return outcome;
}

}  // namespace kernelmill
