// Compares all rows about one small task with a golden file that people can read.
#include <gtest/gtest.h>

#include "generators/grounding/row_rules.h"
#include "generators/prompts/write_prompt.h"
#include "generators/task_rows/task_rows.h"
#include "tests/generators/described_dataset.h"
#include "tests/generators/task_rows/small_known_task.h"

namespace kernelmill {
namespace {

TEST(GoldenRows, OfOneTask) {
  std::string text;
  const KnownTask known = SmallTask();
  std::vector<WrittenRow> rows;
  for (const TaskRows& family : AllTaskRows()) family.write(known, &rows);
  for (const WrittenRow& row : rows) {
    const TrainingRecord& training = row.training;
    text += "# " + std::string(FamilyName(training.family)) + " " + training.backend + " " +
            training.prompt_template + ", reasoning " + training.reasoning + ", evidence " +
            training.perf_evidence + ", stage " + std::to_string(training.CurriculumStage()) +
            ", difficulty " + Json(row.difficulty).Dump() + ", weight " + Json(row.weight).Dump() +
            "\n\n";
    // The programs are nearly equal, so their names replace them.
    std::string question, answer = training.messages.back().content;
    for (const Message& message : training.messages) {
      if (message.role == "system") question = "(system) " + message.content + "\n\n";
      if (message.role == "user") question += message.content;
    }
    for (const KnownCandidate& item : known.candidates) {
      const std::string name =
          "(" + item.candidate.backend + ", " + item.candidate.structure + ")\n";
      question = Replaced(question, item.candidate.code, name);
      answer = Replaced(answer, item.candidate.code, name);
    }
    text += question + "\n\n---\n\n" + answer + "\n\n";
    const auto violation = FindRowViolation(known, row);
    EXPECT_FALSE(violation) << (violation ? violation->detail : "");
  }
  ExpectGolden("task_rows.md", text);
}

TEST(FillTemplate, LeavesOutWhatIsEmpty) {
  const PromptFacts facts = {{"a", "A"}, {"none", ""}, {"code", "```\nx  {a}\n```"}};
  EXPECT_EQ(FillTemplate("{a} {none} {a}.", facts), "A A.");
  EXPECT_EQ(FillTemplate("one\n\n{none}\n\ntwo", facts), "one\n\ntwo");
  EXPECT_EQ(FillTemplate("one\n{none}{none}\ntwo {unknown}", facts), "one\ntwo {unknown}");
  EXPECT_EQ(FillTemplate("{code}\n{", facts), "```\nx  {a}\n```\n{");
}

}  // namespace
}  // namespace kernelmill
