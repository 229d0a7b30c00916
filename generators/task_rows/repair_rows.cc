#include <algorithm>

#include "corpora/token_estimate.h"
#include "generators/known_task/difficulty.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/task_rows/bug_words.h"
#include "generators/task_rows/mutant_facts.h"
#include "generators/task_rows/repair_conversation.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

// What was wrong and how it is mended, with the changed lines first. The conversation does not
// number the lines of a program, so code is quoted.
std::string Explanation(const KnownTask& known, const MutantFacts& facts, bool asks_for_speed) {
  constexpr double kSlower = 0.9;
  const double speed = facts.right->candidate.estimated_speed;
  const std::string on_speed =
      asks_for_speed && speed > 0 && speed < kSlower
          ? "\n\nThe correction keeps the design, which is estimated at " + SpeedText(speed) +
                " times the speed of eager PyTorch: to be faster, the program needs another design "
                "as well."
          : "";
  return MistakeText(known, facts, false) + "\n\n" + FixText(facts) + OtherRemarks(facts) +
         on_speed + "\n\nThe corrected program:\n\n";
}

class RowWriter {
 public:
  RowWriter(const KnownTask& known, const MutantFacts& last)
      : known_(known), last_(last), wording_(known.WordingFor(last.mutant->id, Family::kRepair)) {}

  // `tries`: mutants of one correct answer, in the order of the conversation.
  WrittenRow Row(const std::vector<const MutantFacts*>& tries) const {
    const Candidate& right = last_.right->candidate;
    std::vector<FailedAnswer> failed;
    for (const MutantFacts* facts : tries) {
      const Candidate& mutant = facts->mutant->candidate;
      failed.push_back({facts->mutant->id, mutant.code, &mutant.verdict});
    }
    RepairConversation conversation =
        WriteRepairConversation(known_, right.backend, failed, wording_);
    WrittenRow row;
    TrainingRecord& training = row.training;
    training.family = Family::kRepair;
    training.backend = right.backend;
    training.prompt_template = conversation.prompt.name;
    training.task_id = known_.id;
    training.candidate = last_.right->id.Hex();
    training.estimated_speed = right.estimated_speed;
    const bool asks_for_speed = conversation.prompt.asks_for_speed;
    training.messages = std::move(conversation.messages);
    row.inputs = {known_.id, known_.annotation, last_.right->id};
    Sha256 trajectory;
    trajectory.Field(last_.right->id.AsKey());
    for (const MutantFacts* facts : tries) {
      row.inputs.push_back(facts->mutant->id);
      trajectory.Field(facts->mutant->id.AsKey());
    }
    training.reasoning = kReasoningPlan;
    training.reasoning_author = kReasonedByRule;
    training.messages.push_back(
        {"assistant", Explanation(known_, last_, asks_for_speed) + Fenced("python", right.code)});
    training.trajectory_id = trajectory.Finish().Hex();
    training.turn = training.n_turns = static_cast<std::int64_t>(tries.size()) + 1;
    row.difficulty = DifficultyOf(DifficultyFactsOf(known_.task, known_.facts, &right),
                                  EstimateTokens(training).answer);
    return row;
  }

 private:
  const KnownTask& known_;
  const MutantFacts& last_;
  Wording wording_;
};

}  // namespace

// The wrong answers of a conversation are context: only its last message is trained on.
void WriteRepairRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  std::vector<MutantFacts> mutants = MutantsOf(known);
  std::erase_if(mutants, [](const MutantFacts& facts) {
    return facts.bug->failure == FailureClass::kSlowness || facts.changes.empty();
  });
  // Mutants that fail to build come first.
  std::stable_sort(mutants.begin(), mutants.end(), [](const auto& a, const auto& b) {
    return std::pair(a.right->id, a.bug->failure) < std::pair(b.right->id, b.bug->failure);
  });
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    std::vector<const MutantFacts*> tries = {&mutants[i]};
    // Every second mutant of an answer becomes the second attempt after the mutant before it.
    if (i % 2 == 1 && mutants[i - 1].right == mutants[i].right) {
      tries.insert(tries.begin(), &mutants[i - 1]);
    }
    rows->push_back(RowWriter(known, mutants[i]).Row(tries));
  }
}

}  // namespace kernelmill
