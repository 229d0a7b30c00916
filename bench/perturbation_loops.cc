// Produces the figures that bench/perturbation.py tabulates:
//   perturbation_loops TASKS SEED EACH WAYS [FOLDER]
// Tries every bug class EACH times on up to WAYS answers to each of TASKS generated tasks of levels
// 1 and 2, with the sites spread over the answers and over each answer's text. Prints one JSON
// object: tasks, answers, right answers, and for each bug the sites in the answers and the verdicts
// on those that were tried.
#include <cstdio>
#include <cstdlib>
#include <map>

#include "generators/graphs/generated_task.h"
#include "generators/lowering/lower_graph.h"
#include "generators/wording/wording.h"
#include "manifests/commit_file.h"
#include "manifests/json.h"
#include "stages/perturb/proof_judges.h"

namespace kernelmill {
namespace {

struct Tried {
  std::int64_t sites = 0, answers = 0, tried = 0, proved = 0;
  std::map<std::string, std::int64_t> verdicts;
};

class Table {
 public:
  // Mutants that are not proved are written to `folder`, unless it is empty.
  Table(std::int64_t each, std::uint64_t seed, std::string folder)
      : each_(each), seed_(seed), folder_(std::move(folder)) {}

  Status AddTask(const std::string& reference, const std::vector<LoweredAnswer>& answers) {
    ++tasks_;
    for (const LoweredAnswer& answer : answers) {
      ++answers_;
      KM_ASSIGN(const Verdict plain,
                judges_.Verify(BugProof::kRun, "cuda", reference, answer.text));
      if (plain.status != VerdictStatus::kCorrect) continue;
      ++right_;
      const auto trees = AnswerTrees::Parse(answer.text, reference);
      if (trees == nullptr) return Status(ErrorCode::kInternal, "an answer that does not parse");
      counted_.reset();
      for (const BugClass& bug : AllBugs()) KM_RETURN_IF_ERROR(TryOne(bug, *trees));
    }
    return Status::Ok();
  }

  Json ToJson() const {
    Json::Object bugs;
    for (const BugClass& bug : AllBugs()) {
      const auto found = bugs_.find(bug.name);
      const Tried tried = found == bugs_.end() ? Tried() : found->second;
      Json::Object verdicts;
      for (const auto& [name, count] : tried.verdicts) verdicts[name] = count;
      bugs[std::string(bug.name)] = Json::Object{{"failure", FailureClassName(bug.failure)},
                                                 {"sites", tried.sites},
                                                 {"answers", tried.answers},
                                                 {"tried", tried.tried},
                                                 {"proved", tried.proved},
                                                 {"verdicts", std::move(verdicts)}};
    }
    return Json::Object{
        {"tasks", tasks_}, {"answers", answers_}, {"right", right_}, {"bugs", std::move(bugs)}};
  }

 private:
  Status TryOne(const BugClass& bug, const AnswerTrees& answer) {
    Tried& tried = bugs_[bug.name];
    const std::vector<std::string> mutants = MutantTexts(bug, answer);
    if (mutants.empty()) return Status::Ok();
    tried.sites += static_cast<std::int64_t>(mutants.size());
    ++tried.answers;
    if (tried.tried >= each_) return Status::Ok();
    if (bug.proof == BugProof::kCounts && !counted_) {
      KM_ASSIGN(counted_, judges_.Verify(bug.proof, "cuda", answer.reference(), answer.code()));
    }
    const Wording choice(DigestOf(answer.code()), static_cast<std::int64_t>(seed_));
    const std::string& mutant = mutants[choice.Index(bug.name, mutants.size())];
    KM_ASSIGN(const Verdict verdict, judges_.Verify(bug.proof, "cuda", answer.reference(), mutant));
    ++tried.tried;
    const bool proved = ProvesBug(bug, verdict, counted_.value_or(Verdict()));
    tried.proved += proved;
    ++tried.verdicts[std::string(StatusName(verdict.status)) +
                     (verdict.reason.empty() ? "" : ": " + verdict.reason)];
    std::fprintf(stderr, "%s%s: %s %s\n",
                 proved ? "" : "not proved: ", std::string(bug.name).c_str(),
                 std::string(StatusName(verdict.status)).c_str(), verdict.reason.c_str());
    if (!proved && !folder_.empty()) {
      const std::string path =
          folder_ + '/' + std::string(bug.name) + '_' + std::to_string(tried.tried) + ".py";
      KM_RETURN_IF_ERROR(ReplaceFile(path, mutant + "\n# " + verdict.ToJson().Dump() + '\n'));
    }
    return Status::Ok();
  }

  std::int64_t each_;
  std::uint64_t seed_;
  std::string folder_;
  std::int64_t tasks_ = 0, answers_ = 0, right_ = 0;
  std::optional<Verdict> counted_;
  ProofJudges judges_{StoreUse::kIgnore};
  std::map<std::string_view, Tried> bugs_;
};

Status Run(std::int64_t count, std::uint64_t seed, std::int64_t each, int ways,
           const std::string& folder) {
  TaskGenerator tasks({.seed = seed, .levels = {1, 2}});
  Table table(each, seed, folder);
  for (std::int64_t i = 0; i < count && tasks.Next(); ++i) {
    std::string reference;
    tasks.AppendSource(SourceSizes::kSmall, &reference);
    const OperatorGraph& graph = tasks.sampler().small();
    const ModuleText module = ModuleTextOfPlan(
        tasks.sampler().large(), graph, tasks.source().plan(), reference, SourceSizes::kSmall);
    KM_RETURN_IF_ERROR(
        table.AddTask(reference, LowerInVariants(graph, module, kCudaBackend, ways)));
  }
  std::printf("%s\n", table.ToJson().Dump().c_str());
  return Status::Ok();
}

}  // namespace
}  // namespace kernelmill

int main(int count, char** arguments) {
  if (count != 5 && count != 6) {
    std::fprintf(stderr, "usage: perturbation_loops TASKS SEED EACH WAYS [FOLDER]\n");
    return 1;
  }
  const kernelmill::Status status = kernelmill::Run(
      std::atoll(arguments[1]), std::strtoull(arguments[2], nullptr, 10), std::atoll(arguments[3]),
      std::atoi(arguments[4]), count == 6 ? arguments[5] : "");
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
