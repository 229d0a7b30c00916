#include "stages/retry/repair_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "generators/wording/fenced_code.h"
#include "manifests/is_one_of.h"
#include "tests/generators/task_rows/small_known_task.h"
#include "tests/stages/retry/retry_samples.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

RetryEntry EntryWith(const KnownTask& known, Verdict verdict) {
  RetryEntry entry;
  entry.key = {known.id, "cuda"};
  entry.code = kAnswer;
  entry.verdict = verdict.Reproducible();
  entry.lineage = {DigestOf("sample")};
  return entry;
}

// A share of the conversations begins with a system message.
void WithoutSystem(RepairPrompt* prompt) {
  if (prompt->messages.front().role == "system") prompt->messages.erase(prompt->messages.begin());
}

TEST(RepairPrompt, HasTheQuestionTheFailedCodeAndTheFeedback) {
  const KnownTask known = SmallTask();
  Verdict verdict = NotBuilt();
  verdict.detail = "cuda.cu:3:1: error: expected ';'";
  RepairPrompt prompt = WriteRepairPrompt(EntryWith(known, verdict), known).value();
  WithoutSystem(&prompt);
  ASSERT_EQ(prompt.messages.size(), 3u);
  EXPECT_FALSE(prompt.prompt_template.empty());
  EXPECT_EQ(prompt.messages[0].role, "user");
  EXPECT_THAT(prompt.messages[0].content, HasSubstr("ModelNew"));
  EXPECT_EQ(prompt.messages[1].role, "assistant");
  EXPECT_EQ(prompt.messages[1].content, Fenced("python", kAnswer));
  EXPECT_EQ(prompt.messages[2].role, "user");
  EXPECT_THAT(prompt.messages[2].content, HasSubstr("cuda.cu:3:1: error: expected ';'"));
}

TEST(RepairPrompt, IsWordedAnewForEachAttempt) {
  const KnownTask known = SmallTask();
  std::set<std::string> texts;
  for (int attempts = 0; attempts < 10; ++attempts) {
    RetryEntry entry = EntryWith(known, Wrong(1));
    entry.attempts = attempts;
    RepairPrompt prompt = WriteRepairPrompt(entry, known).value();
    EXPECT_EQ(WriteRepairPrompt(entry, known)->messages, prompt.messages);
    WithoutSystem(&prompt);
    texts.insert(prompt.messages[0].content + prompt.messages[2].content);
  }
  EXPECT_EQ(texts.size(), 10u);
}

// Whatever the words are, a model learns which rule its fallback breaks.
TEST(RepairPrompt, NamesTheViolationOfAFallback) {
  for (const VerdictReason& reason : AllVerdictReasons()) {
    if (reason.status != VerdictStatus::kIllegal) continue;
    KnownTask known = SmallTask();
    Verdict verdict = Illegal(std::string(reason.name));
    verdict.findings = {
        {std::string(reason.name), "candidate.py", 12, "the place of the violation"}};
    for (known.seed = 0; known.seed < 40; ++known.seed) {
      const Result<RepairPrompt> prompt = WriteRepairPrompt(EntryWith(known, verdict), known);
      if (IsOneOf(reason.name,
                  {std::string_view("forbidden_import"), std::string_view("forbidden_symbol"),
                   std::string_view("reaches_interpreter"), std::string_view("patches_torch"),
                   std::string_view("observer_disabled"), std::string_view("tensor_subclass")})) {
        EXPECT_EQ(prompt.status().code(), ErrorCode::kInternal);
        continue;
      }
      ASSERT_TRUE(prompt.ok());
      EXPECT_THAT(prompt->messages.back().content, HasSubstr("the place of the violation"));
    }
    // Without a place, the rule itself.
    verdict.findings.clear();
    for (known.seed = 0; known.seed < 40; ++known.seed) {
      const Result<RepairPrompt> prompt = WriteRepairPrompt(EntryWith(known, verdict), known);
      if (!prompt.ok()) continue;
      const std::string& text = prompt->messages.back().content;
      const std::string why(reason.explanation.substr(1));  // The first letter may be a capital.
      EXPECT_TRUE(text.find(why) != text.npos || text.find(reason.name) != text.npos) << text;
    }
  }
}

TEST(RepairPrompt, RefusesAnotherTask) {
  const KnownTask known = SmallTask();
  RetryEntry entry = EntryWith(known, Wrong(1));
  entry.key.task = DigestOf("another");
  EXPECT_EQ(WriteRepairPrompt(entry, known).status().code(), ErrorCode::kInternal);
}

}  // namespace
}  // namespace kernelmill
