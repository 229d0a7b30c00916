#include <gmock/gmock.h>

#include "corpora/records/kernel_port.h"
#include "corpora/records/record.h"
#include "stages/compile/compile_ports_step.h"
#include "stages/engine/subject_records.h"
#include "tests/stages/mine/mined_repository.h"

namespace kernelmill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::string Kernel(const std::string& platform, const std::string& name, const std::string& body) {
  return "#include <" + platform + "_runtime.h>\n__global__ void " + name + "_" + platform +
         "(float* x, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) "
         "x[i] " +
         body + ";\n}\nvoid " + name + "(float* x, int n) {\n  " + name + "_" + platform +
         "<<<(n + 255) / 256, 256>>>(x, n);\n  " + platform + "GetLastError();\n}\n";
}

void WritePort(const GitFixture& git, const std::string& name, const std::string& body,
               const std::string& other_body) {
  git.Write("ops/cuda/" + name + "_cuda.cu", Kernel("cuda", name, body));
  git.Write("ops/musa/" + name + "_musa.mu", Kernel("musa", name, other_body));
}

struct MinedPorts {
  std::map<std::string, Record> records;  // By the name of the CUDA kernel.
  std::map<std::string, StepCounts> counts;
};

// Mines the last commit.
MinedPorts MineCommit(const GitFixture& git, std::int64_t partitions) {
  const Result<ResolvedSource> source = Resolve({git.folder().string(), "", "https://x.org/r"});
  EXPECT_TRUE(source.ok()) << source.status().message();
  RunOptions options;
  options.output = (git.folder() / (".git/out" + std::to_string(partitions))).string();
  options.jobs = static_cast<int>(partitions);
  options.partitions = partitions;
  Result<Run> run = Run::Open(options);
  EXPECT_TRUE(run.ok()) << run.status().message();
  const Status status = MineInThisProcess(&*run, *source);
  EXPECT_TRUE(status.ok()) << status.message();
  MinedPorts mined;
  for (const auto& [plan, counts] : run->finished()) mined.counts[plan.step] = counts;
  const Status outputs =
      run->ForEachOutput("slice_ports", [&](std::string_view, std::string_view body) -> Status {
        KM_ASSIGN(Record record, Record::Decode(body));
        mined.records.emplace(record.attributes.at("name").as_string(), std::move(record));
        return Status::Ok();
      });
  EXPECT_TRUE(outputs.ok()) << outputs.message();
  return mined;
}

MinedPorts MinePorts(const GitFixture& git) {
  git.Write("LICENSE", kMitLicence);
  git.CommitAll();
  return MineCommit(git, 1);
}

TEST(MinePorts, APairOfFilesBecomesOneRecordWithTheOriginsOfBoth) {
  const GitFixture git;
  WritePort(git, "scale", "*= 2", "*= 2");
  const MinedPorts mined = MinePorts(git);
  ASSERT_EQ(mined.records.size(), 1u);
  const Record& record = mined.records.at("scale_cuda");
  EXPECT_EQ(record.kind, RecordKind::kPort);
  std::vector<std::pair<std::string, std::string>> places;
  for (const Origin& origin : record.origins) places.emplace_back(origin.path, origin.symbol);
  EXPECT_THAT(places, UnorderedElementsAre(Pair("ops/cuda/scale_cuda.cu", "scale_cuda"),
                                           Pair("ops/musa/scale_musa.mu", "scale_musa")));
  ASSERT_EQ(record.licences.size(), 1u);
  EXPECT_EQ(record.licences[0].spdx, "MIT");
  const Result<KernelPort> port = KernelPort::FromJson(record.payload);
  ASSERT_TRUE(port.ok());
  EXPECT_THAT(port->code, HasSubstr("scale_cuda<<<"));
  EXPECT_THAT(port->port_code, HasSubstr("musaGetLastError"));
  EXPECT_THAT(mined.counts.at("index_ports").counters, ElementsAre(Pair("ports", 1)));
}

TEST(MinePorts, EveryPairThatIsNotKeptHasOneReason) {
  const GitFixture git;
  WritePort(git, "kept", "+= 1", "+= 1");
  std::string other = "= 1";
  for (int i = 0; i < 40; ++i) other += ";\n  x[" + std::to_string(i) + "] = n";
  WritePort(git, "another", "+= 2", other);
  // The same text for both.
  git.Write("same.cu", "__global__ void same(float* x) { x[0] = 1; }\n");
  git.Write("same.mu", "__global__ void same(float* x) { x[0] = 1; }\n");
  // The licence of one version is not on the list.
  WritePort(git, "foreign", "+= 3", "+= 3");
  git.Write("ops/musa/foreign_musa.mu",
            "// SPDX-License-Identifier: GPL-3.0-only\n" + Kernel("musa", "foreign", "+= 3"));
  git.Write("ops/cuda/broken_cuda.cu", Kernel("cuda", "broken", "= (1;"));
  git.Write("ops/musa/broken_musa.mu", Kernel("musa", "broken", "= 1"));
  const MinedPorts mined = MinePorts(git);
  const StepCounts& counts = mined.counts.at("slice_ports");
  EXPECT_EQ(counts.in, 5);
  EXPECT_EQ(counts.kept, 1);
  EXPECT_THAT(counts.dropped,
              UnorderedElementsAre(Pair("same_port", 1), Pair("unexplained_port", 1)));
  EXPECT_THAT(counts.rejected, UnorderedElementsAre(Pair("licence", 1), Pair("parse_error", 1)));
}

TEST(MinePorts, PartitionsAndThreadsDoNotMatter) {
  const GitFixture git;
  for (const char* name : {"a", "b", "c", "d"}) WritePort(git, name, "+= 1", "+= 1");
  const MinedPorts one = MinePorts(git), three = MineCommit(git, 3);
  ASSERT_EQ(one.records.size(), 4u);
  ASSERT_EQ(three.records.size(), 4u);
  for (const auto& [name, record] : one.records) {
    EXPECT_EQ(record.Encode(), three.records.at(name).Encode());
  }
}

// What becomes of a port of k_cuda, whose other version has these kernels.
Outcome Compiled(const std::string& code, const std::string& port_code,
                 const std::vector<std::string>& port_kernels = {"k_musa"}) {
  Record record;
  record.kind = RecordKind::kPort;
  record.payload = KernelPort{{"k_cuda"}, port_kernels, code, "musa", port_code}.ToJson();
  CompilePortsStep step;
  Result<std::unique_ptr<Lane>> lane = step.OpenLane();
  EXPECT_TRUE(lane.ok());
  const Result<Outcome> outcome =
      step.Process({"key", Json(Json::Array{record.Encode()}).Dump()}, **lane);
  EXPECT_TRUE(outcome.ok()) << outcome.status().message();
  return outcome.ok() ? *outcome : Outcome();
}

TEST(CompilePorts, BothVersionsMustCompile) {
  const std::string good = Kernel("cuda", "k", "*= 2"), port = Kernel("musa", "k", "*= 2");
  const Outcome kept = Compiled(good, port);
  EXPECT_EQ(kept.fate, Fate::kKept) << kept.detail;
  EXPECT_EQ(kept.outputs.size(), 1u);
  EXPECT_THAT(kept.counters, ElementsAre(Pair("kernels", 2)));

  const Outcome wrong = Compiled(good, Kernel("musa", "k", "= threadIdx.w"));
  EXPECT_EQ(wrong.fate, Fate::kRejected);
  EXPECT_EQ(wrong.reason, "port_not_compiled");
  EXPECT_THAT(wrong.detail, HasSubstr("MUSA"));
  // A kernel that needs what is not there was not checked.
  EXPECT_EQ(Compiled(Kernel("cuda", "k", "= elsewhere(n)"), port).fate, Fate::kRejected);
  EXPECT_EQ(Compiled("int host() { return 1; }\n", port).fate, Fate::kRejected);
  // One version may have more kernels than the other, and each must be compiled.
  EXPECT_EQ(Compiled(good, port + Kernel("musa", "more", "+= 1"), {"k_musa", "more_musa"}).fate,
            Fate::kKept);
  const Outcome no_launch =
      Compiled(good, port + "template <typename T>\n__global__ void idle(T* x) { x[0] = 1; }\n",
               {"idle", "k_musa"});
  EXPECT_EQ(no_launch.reason, "port_not_compiled");
  EXPECT_THAT(no_launch.detail, HasSubstr("MUSA: `idle` is a template"));
}

}  // namespace
}  // namespace kernelmill
