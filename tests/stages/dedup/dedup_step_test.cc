#include "stages/dedup/dedup_step.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "corpora/records/kernel_source.h"
#include "manifests/commit_file.h"
#include "tests/corpora/described_module.h"
#include "tests/stages/pack/synthetic_dataset.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;

// Outputs the records that it is given, in the place of "admit".
class AdmittedStep : public Step {
 public:
  std::string_view Name() const override { return "admit"; }
  int Version() const override { return 1; }
  Json Parameters() const override { return Json::Object{}; }
  Result<Outcome> Process(const Input& input, Lane&) override {
    return Outcome::Keep({{input.key, input.body}});
  }
};

// The text of a module with a layer for each of some sizes.
std::string ModuleText(const std::vector<int>& sizes) {
  std::string text = "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n";
  for (const int size : sizes) {
    const std::string number = std::to_string(size);
    text += "        self.layer_" + number + " = nn.Linear(" + number + ", 8)\n";
  }
  return text;
}

Record TaskOf(const std::string& code, const std::string& url = "https://example.org/a") {
  DescribedModule module{.url = url};
  std::map<Digest, std::string> records;
  module.AddTo(&records);
  module.task.payload["code"] = code;
  return module.task;
}

Record AnnotationOf(const Record& task) {
  DescribedModule module;
  std::map<Digest, std::string> records;
  module.AddTo(&records);
  module.annotation.payload["task"] = task.ContentId().Hex();
  module.annotation.lineage.back().inputs = {task.ContentId()};
  return module.annotation;
}

Record KernelOf(const std::string& code) {
  Record kernel = TaskOf("");
  kernel.kind = RecordKind::kKernel;
  kernel.payload = KernelSource{.name = "scale", .code = code}.ToJson();
  return kernel;
}

class DedupStepTest : public testing::Test {
 protected:
  // Runs the step on the outputs of "admit", which are these records.
  StepCounts RunOn(const std::vector<Record>& records, double similarity,
                   const OriginFilter& wanted = nullptr) {
    std::filesystem::remove_all(folder_.path() + "/run");
    run_.emplace(
        kernelmill::Run::Open({.output = folder_.path() + "/run", .jobs = 2, .partitions = 3})
            .value());
    AdmittedStep admitted;
    EXPECT_TRUE(run_->Do(admitted, [&](const Run::Emit& emit) -> Status {
                      for (const Record& record : records) {
                        KM_RETURN_IF_ERROR(emit(std::string(record.ContentId().AsKey()),
                                                record.Encode()));
                      }
                      return Status::Ok();
                    }).ok());
    DedupStep step(similarity);
    const Result<StepCounts> counts =
        run_->Do(step, step.Inputs(*run_, {"admit"}, wanted), MergeDedupInputs);
    EXPECT_TRUE(counts.ok()) << counts.status().message();
    kept_.clear();
    EXPECT_TRUE(run_->ForEachOutput("dedup", [&](std::string_view, std::string_view body) {
                      kept_.push_back(Record::Decode(body).value().ContentId());
                      return Status::Ok();
                    }).ok());
    return *counts;
  }
  std::vector<Json> List() {
    EXPECT_TRUE(WriteDuplicateList(*run_, folder_.path()).ok());
    std::vector<Json> lines;
    std::istringstream text(ReadFile(folder_.path() + "/near_duplicates.jsonl").value());
    for (std::string line; std::getline(text, line);) lines.push_back(Json::Parse(line).value());
    return lines;
  }

  TemporaryFolder folder_;
  std::optional<kernelmill::Run> run_;
  std::vector<Digest> kept_;
};

TEST_F(DedupStepTest, NearlyEqualTasksAreDroppedWithTheirRecordsAndListed) {
  const Record one = TaskOf(ModuleText({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  const Record two = TaskOf(ModuleText({1, 2, 3, 4, 5, 6, 7, 8, 9, 11}));
  const Record other = TaskOf(ModuleText({21, 22, 23, 24, 25}));
  const StepCounts counts = RunOn(
      {one, two, other, AnnotationOf(one), AnnotationOf(two), AnnotationOf(other)}, 0.8);
  EXPECT_EQ(counts.in, 3);
  EXPECT_EQ(counts.kept, 2);
  EXPECT_EQ(counts.dropped, (std::map<std::string, std::int64_t>{{"near_duplicate", 1}}));
  EXPECT_EQ(counts.counters.at("tasks"), 2);

  const Record& kept = std::min(one.ContentId(), two.ContentId()) == one.ContentId() ? one : two;
  const Record& removed = &kept == &one ? two : one;
  EXPECT_THAT(kept_, testing::UnorderedElementsAre(
                         kept.ContentId(), AnnotationOf(kept).ContentId(), other.ContentId(),
                         AnnotationOf(other).ContentId()));
  const std::vector<Json> list = List();
  ASSERT_EQ(list.size(), 1);
  EXPECT_EQ(list[0].TextAt("removed"), removed.ContentId().Hex());
  EXPECT_EQ(list[0].TextAt("kept"), kept.ContentId().Hex());
  EXPECT_EQ(list[0].TextAt("kind"), "task");
  EXPECT_GE(std::stod(list[0].TextAt("similarity")), 0.8);
  EXPECT_THAT(list[0].Find("origins")->Dump(), HasSubstr("example.org"));
}

TEST_F(DedupStepTest, KernelsAreComparedAsTasksAre) {
  const std::string body = "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = ";
  const Record one = KernelOf("__global__ void f(float* y, int n) " + body + "1 + y[i]; }");
  const Record two = KernelOf("__global__  void f(float*y,int n) /* note */ " + body + "1+y[i];}");
  const Record other = KernelOf("__global__ void g(double* x) { x[threadIdx.x] = 0; }");
  const StepCounts counts = RunOn({one, two, other}, 1);
  EXPECT_EQ(counts.kept, 2);
  EXPECT_EQ(counts.counters.at("kernels"), 2);
  ASSERT_EQ(List().size(), 1);
  EXPECT_EQ(List()[0].TextAt("similarity"), "1.00");
}

TEST_F(DedupStepTest, ZeroDropsNothing) {
  const Record one = TaskOf("x = 1 + 2 + 3\n"), two = TaskOf("x = 1 + 2 +  3\n");
  EXPECT_EQ(RunOn({one, two}, 0).kept, 2);
  EXPECT_EQ(RunOn({one, two}, 1).kept, 1);
  EXPECT_TRUE((RunOn({one, two}, 0), List().empty()));
}

// An audit that makes some records again asks for those that were kept, one source at a time.
TEST_F(DedupStepTest, AuditsDropNothing) {
  const Record one = TaskOf("x = 1 + 2 + 3\n", "https://example.org/a");
  const Record two = TaskOf("x = 1 + 2 +  3\n", "https://example.org/b");
  const auto wanted = [](const std::vector<Origin>& origins) {
    return origins.front().url == "https://example.org/b";
  };
  EXPECT_EQ(RunOn({one, two}, 0.8, wanted).kept, 1);
  EXPECT_THAT(kept_, testing::ElementsAre(two.ContentId()));
}

TEST_F(DedupStepTest, TasksWithDifferentGraphsAreBothKept) {
  Record one = TaskOf(ModuleText({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  Record two = TaskOf(ModuleText({1, 2, 3, 4, 5, 6, 7, 8, 9, 11}));
  one.attributes[kPatternAttribute] = std::string(64, 'a');  // As generators write it.
  two.attributes[kPatternAttribute] = std::string(32, 'b');
  EXPECT_EQ(RunOn({one, two}, 0.8).kept, 2);
  two.attributes[kPatternAttribute] = std::string(32, 'a');  // As "admit" writes it.
  EXPECT_EQ(RunOn({one, two}, 0.8).kept, 1);
}

TEST(DedupKeysTest, SimilarityMustNotBeTooSmall) {
  const auto check = [](const std::string& value) {
    return CheckDedupKeys(
        Config::Parse(DedupKeys(), "{}", "c.yaml", {"dedup.similarity=" + value}).value());
  };
  EXPECT_TRUE(check("0").ok());
  EXPECT_TRUE(check("0.5").ok());
  EXPECT_TRUE(check("1").ok());
  EXPECT_THAT(check("0.3").message(), HasSubstr("dedup.similarity: must be 0 or lie between 0.50"));
}

TEST(DedupInputTest, PartsJoinInAnyOrder) {
  const Record task = TaskOf("x = 1\n");
  DedupInput subject{.records = {task}}, facts{.records = {AnnotationOf(task)}}, twin;
  twin.twin = NearTwin{DigestOf("kept"), {8, 9}};
  std::vector<std::string> parts = {subject.Encode(), facts.Encode(), twin.Encode()};
  std::sort(parts.begin(), parts.end());
  std::set<std::string> joined;
  do {
    joined.insert(
        MergeDedupInputs(MergeDedupInputs(parts[0], parts[1]).value(), parts[2]).value());
  } while (std::next_permutation(parts.begin(), parts.end()));
  ASSERT_EQ(joined.size(), 1);
  const DedupInput whole = DedupInput::Decode(*joined.begin()).value();
  EXPECT_EQ(whole.records.size(), 2);
  EXPECT_EQ(whole.twin->kept, DigestOf("kept"));
  EXPECT_EQ(whole.twin->similarity.all, 9);
}

}  // namespace
}  // namespace kernelmill
