#include "stages/publishable/excluded_records.h"

#include <gmock/gmock.h>

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::Not;

Record TaskNamed(const std::string& name, std::vector<Digest> inputs = {}) {
  Record record;
  record.payload = Json::Object{{"name", name}};
  record.lineage = {{.step = "admit", .inputs = std::move(inputs)}};
  return record;
}

Output OutputOf(const Record& record) {
  return {std::string(record.ContentId().AsKey()), record.Encode()};
}

TEST(ExcludedRecords, LeavesOutARecordAndWhatWasMadeOfIt) {
  const Record task = TaskNamed("a"), other = TaskNamed("b");
  const Record made = TaskNamed("c", {other.ContentId(), task.ContentId()});
  for (const std::string& name :
       {task.ContentId().Hex(), ExcludedRecords::HashName(task.ContentId())}) {
    const ExcludedRecords excluded = ExcludedRecords::Of({name}).value();
    const Outcome left =
        excluded.Without(Outcome::Keep({OutputOf(task), OutputOf(other), OutputOf(made)}));
    ASSERT_EQ(left.outputs.size(), 1u);
    EXPECT_EQ(left.outputs[0].body, other.Encode());
    EXPECT_EQ(left.fate, Fate::kKept);
    Outcome whole = Outcome::Keep({OutputOf(task), OutputOf(made)});
    whole.counters = {{"repaired", 1}};
    const Outcome none = excluded.Without(std::move(whole));
    EXPECT_EQ(none.fate, Fate::kDropped);
    EXPECT_EQ(none.reason, kRecordExcluded);
    EXPECT_TRUE(none.counters.empty() && none.original.empty() && none.detail.empty());
  }
}

TEST(ExcludedRecords, LeavesTheRestAsItIs) {
  const ExcludedRecords excluded = ExcludedRecords::Of({TaskNamed("a").ContentId().Hex()}).value();
  const Outcome rejected = excluded.Without(Outcome::Reject("licence", "GPL", "text"));
  EXPECT_EQ(rejected.fate, Fate::kRejected);
  EXPECT_EQ(rejected.original, "text");
  // Outputs of mining steps are no records.
  EXPECT_EQ(excluded.Without(Outcome::Keep({{"key", "{}"}})).outputs.size(), 1u);
  EXPECT_EQ(excluded.Without(Outcome::Keep({})).fate, Fate::kKept);
}

TEST(ExcludedRecords, TheNameInADatasetDoesNotHoldTheContentId) {
  const Digest id = TaskNamed("a").ContentId();
  EXPECT_THAT(ExcludedRecords::HashName(id), Not(HasSubstr(id.Hex())));
  for (const char* bad : {"", "3fa0", "sha256:", "sha256:12", "level_1_problem_2"}) {
    const Result<ExcludedRecords> excluded = ExcludedRecords::Of({bad});
    ASSERT_FALSE(excluded.ok()) << bad;
    EXPECT_EQ(excluded.status().code(), ErrorCode::kConfig);
    EXPECT_THAT(excluded.status().message(), HasSubstr("exclude_records"));
  }
}

TEST(ExcludedRecords, StepParametersAreThoseOfThePlanWithoutTheRecords) {
  const Json step = Json::Object{{"contract", "any_shape"}, {"seed", 7}};
  EXPECT_EQ(ExcludedRecords::StepParameters(step), step);
  const Json planned = ExcludedRecords::PlannedParameters(step, Json::Array{"sha256:0"});
  EXPECT_NE(planned, step);
  EXPECT_EQ(ExcludedRecords::StepParameters(planned), step);
  // A step may have a parameter of that name.
  const Json own = Json::Object{{"step", "admit"}};
  EXPECT_EQ(ExcludedRecords::StepParameters(own), own);
}

}  // namespace
}  // namespace kernelmill
