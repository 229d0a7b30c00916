#include "stages/recall/recall_step.h"

#include <gtest/gtest.h>

#include "corpora/records/task.h"

namespace kernelmill {
namespace {

Record TaskFrom(const std::vector<std::string>& urls) {
  Record task;
  task.payload = Task{.code = "class Model: pass\n"}.ToJson();
  for (const std::string& url : urls) {
    task.origins.push_back({.url = url, .commit = std::string(40, 'c'), .path = "net.py"});
  }
  return task;
}

Outcome Recalled(const Record& task, const std::vector<std::string>& excluded) {
  RecallStep step(excluded);
  Lane lane;
  const Json input = Json::Object{{"record", task.Encode()}, {"asked", true}, {"protected", ""}};
  return step.Process({std::string(task.ContentId().AsKey()), input.Dump()}, lane).value();
}

TEST(RecallStep, ExcludedSourcesHoldForTasksOfDatasets) {
  const Record task = TaskFrom({"https://example.org/a", "https://example.org/b"});
  EXPECT_EQ(Recalled(task, {"https://other.org/"}).outputs.at(0).body, task.Encode());
  const Outcome none = Recalled(task, {"https://example.org/"});
  EXPECT_EQ(none.fate, Fate::kDropped);
  EXPECT_EQ(none.reason, "source_excluded");
  // Equal code of another source stays, and no longer names the excluded one.
  const Outcome some = Recalled(task, {"https://example.org/a"});
  ASSERT_EQ(some.fate, Fate::kKept);
  EXPECT_EQ(Record::Decode(some.outputs.at(0).body)->origins,
            TaskFrom({"https://example.org/b"}).origins);
}

TEST(RecallStep, ItsParametersAreThoseOfBeforeWhileNothingIsExcluded) {
  EXPECT_EQ(RecallStep().Parameters().Dump(), "{}");
  EXPECT_NE(RecallStep({"https://example.org/"}).Parameters().Dump(), "{}");
}

}  // namespace
}  // namespace kernelmill
