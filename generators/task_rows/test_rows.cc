#include "corpora/token_estimate.h"
#include "generators/known_task/difficulty.h"
#include "generators/prompts/write_prompt.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {
namespace {

constexpr std::size_t kPlanInThree = 2;

// What the check tests, and which bugs it finds.
std::string PlanOf(const Check& check, const Wording& wording) {
  SentenceWriter writer(wording, "test plan");
  std::string text = writer.Say({"What I test, and why:", "The check has {count} parts.",
                                 "A wrong kernel can fail in several ways; I test {count} things.",
                                 "Plan of the check:"},
                                {{"count", std::to_string(check.aspects.size())}}) +
                     "\n";
  const std::size_t shape = writer.Index(3);
  int number = 0;
  for (const CheckAspect& aspect : check.aspects) {
    ++number;
    text += shape == 0   ? "\n- **" + Capital(aspect.what) + "**: " + aspect.why + "."
            : shape == 1 ? "\n" + std::to_string(number) + ". " + Capital(aspect.what) + ". " +
                               Capital(aspect.why) + "."
                         : "\n- " + Capital(aspect.what) + ": " + aspect.why + ".";
  }
  return text;
}

}  // namespace

void WriteTestRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  for (const KnownCheck& item : known.checks) {
    const Check& check = item.check;
    const Wording wording = known.WordingFor(item.id, Family::kTest);
    WrittenRow row;
    TrainingRecord& training = row.training;
    training.family = Family::kTest;
    training.backend = check.backend;
    training.task_id = known.id;
    if (wording.Index("test explains", 3) < kPlanInThree) {
      training.reasoning = kReasoningPlan;
      training.reasoning_author = kReasonedByRule;
    }
    const Prompt prompt = WritePrompt({.family = Family::kTest,
                                       .backend = check.backend,
                                       .reasoning = training.reasoning,
                                       .may_be_chinese = training.reasoning == kReasoningNone},
                                      known, wording);
    training.prompt_template = prompt.name;
    std::string answer;
    if (training.reasoning == kReasoningPlan) answer = PlanOf(check, wording) + "\n\n";
    training.messages = prompt.Messages();
    training.messages.push_back({"assistant", answer + Fenced("python", check.code)});
    row.inputs = {known.id, known.annotation, item.id};
    row.difficulty = DifficultyOf(DifficultyFactsOf(known.task, known.facts, nullptr),
                                  EstimateTokens(training).answer);
    rows->push_back(std::move(row));
  }
}

}  // namespace kernelmill
