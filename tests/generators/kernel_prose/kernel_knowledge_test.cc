#include "generators/kernel_prose/kernel_knowledge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

namespace kernelmill {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kCode[] = R"cuda(constexpr int kTile = 32;

__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int rows, int cols) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) {
    tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  }
  __syncthreads();
  int row = blockIdx.x * kTile + threadIdx.y;
  int col = blockIdx.y * kTile + threadIdx.x;
  if (row < cols && col < rows) {
    out[row * rows + col] = tile[threadIdx.x][threadIdx.y];
  }
}
)cuda";

KernelSource Transpose() {
  KernelSource kernel;
  kernel.name = "transpose";
  kernel.backend = "cuda";
  kernel.code = kCode;
  kernel.line = 3;
  KernelLaunch launch;
  launch.function = "run_transpose";
  launch.grid = "grid";
  launch.block = "block";
  launch.stream = "stream";
  launch.shared = "0";
  launch.setup = {"dim3 block(32, 32);", "dim3 grid((cols + 32 - 1) / 32, (rows + 32 - 1) / 32);"};
  kernel.launches.push_back(launch);
  kernel.bindings.push_back({"transpose", "transpose_cuda", "run_transpose"});
  return kernel;
}

std::vector<TrainingRecord> Write(std::string_view id, std::int64_t seed) {
  const KernelSource kernel = Transpose();
  const auto facts = ReadKernelFacts(kernel.code, kernel.name, kernel.line);
  EXPECT_TRUE(facts);
  return WriteKernelKnowledge(DigestOf(id), kernel, *facts, seed);
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Each "`text` (line N)" and "line N: `text`" names a line that contains the first token of the
// text.
TEST(KernelKnowledge, EveryQuotedLineHoldsWhatIsQuoted) {
  const std::vector<std::string> lines = LinesOf(kCode);
  const std::regex quoted(R"(`([^`]+)` \(line (\d+)[):,])");
  int seen = 0;
  for (int seed = 0; seed < 20; ++seed) {
    for (const TrainingRecord& row : Write("a", seed)) {
      const std::string& answer = row.messages.back().content;
      for (std::sregex_iterator at(answer.begin(), answer.end(), quoted), end; at != end; ++at) {
        const std::size_t line = std::stoul((*at)[2]);
        ASSERT_GE(line, 1u);
        ASSERT_LE(line, lines.size());
        const std::string text = (*at)[1];
        const std::string token = text.substr(0, text.find_first_of(" [("));
        EXPECT_THAT(lines[line - 1], HasSubstr(token)) << answer;
        ++seen;
      }
      for (std::size_t at = answer.find("ine "); at != std::string::npos;
           at = answer.find("ine ", at + 1)) {
        const int number = std::atoi(answer.c_str() + at + 4);
        EXPECT_LE(number, static_cast<int>(lines.size())) << answer;
      }
    }
  }
  EXPECT_GT(seen, 20);
}

// Maps each topic that a question can ask for to a fact that the answer has to contain.
TEST(KernelKnowledge, SaysWhatTheKernelDoes) {
  const std::vector<std::pair<std::string, std::string>> facts = {
      {"Everything", "__syncthreads()"},
      {"Everything", "x < cols && y < rows"},
      {"Everything", "different banks"},
      {"Everything", "in[y * cols + x]"},
      {"barriers", "__syncthreads()"},
      {"synchronisation", "__syncthreads()"},
      {"do threads exchange", "__syncthreads()"},
      {"guards", "x < cols && y < rows"},
      {"out-of-range", "x < cols && y < rows"},
      {"which bounds are", "x < cols && y < rows"},
      {"memory", "in[y * cols + x]"},
      {"read and write", "in[y * cols + x]"},
      {"thread mapping", "blockIdx.x * blockDim.x + threadIdx.x"},
      {"parallel structure", "blockIdx.x * blockDim.x + threadIdx.x"}};
  std::set<std::string> told;
  int rows = 0;
  for (int seed = 0; seed < 200; ++seed) {
    for (const TrainingRecord& row : Write("a", seed)) {
      ++rows;
      EXPECT_EQ(row.family, Family::kKnowledge);
      EXPECT_EQ(row.backend, "cuda");
      const std::string& question = row.messages.front().content;
      const std::string& answer = row.messages.back().content;
      EXPECT_THAT(question, HasSubstr(kCode));
      EXPECT_GE(answer.size(), 100u) << question.substr(0, 200);
      const std::string asked = question.substr(0, question.find("```"));
      const bool everything = asked.find("understand it") != asked.npos ||
                              asked.find("line by line") != asked.npos;
      for (const auto& [about, fact] : facts) {
        if (asked.find(about) == asked.npos && !(about == "Everything" && everything)) continue;
        EXPECT_THAT(answer, HasSubstr(fact)) << asked;
        told.insert(about + fact);
      }
      if (row.prompt_template.starts_with("kernel-launch")) {
        EXPECT_THAT(answer, HasSubstr("<<<grid, block, 0, stream>>>"));
        EXPECT_THAT(answer, HasSubstr("transpose_cuda"));
        EXPECT_THAT(answer, HasSubstr("run_transpose"));
      }
      EXPECT_THAT(answer, Not(HasSubstr("{")));
      EXPECT_THAT(answer, Not(HasSubstr("  ")));
      EXPECT_THAT(answer, Not(HasSubstr("``.")));
    }
  }
  EXPECT_EQ(rows, 400);
  for (const auto& [about, fact] : facts) EXPECT_TRUE(told.contains(about + fact)) << about;
}

TEST(KernelKnowledge, OneKernelAlwaysReadsTheSameAndKernelsDiffer) {
  EXPECT_EQ(Write("a", 7)[0].ToJson(), Write("a", 7)[0].ToJson());
  std::set<std::string> answers, questions;
  for (int i = 0; i < 12; ++i) {
    const auto rows = Write(std::to_string(i), 7);
    answers.insert(rows[0].messages.back().content);
    questions.insert(rows[0].prompt_template);
  }
  EXPECT_GE(answers.size(), 11u);
  EXPECT_GE(questions.size(), 4u);
}

TEST(KernelKnowledge, AFenceInTheCodeEndsNoMessage) {
  KernelSource kernel = Transpose();
  kernel.code = "// ``` and ````\n" + kernel.code;
  kernel.line = 4;
  const auto facts = ReadKernelFacts(kernel.code, kernel.name, kernel.line);
  ASSERT_TRUE(facts);
  const auto rows = WriteKernelKnowledge(DigestOf("a"), kernel, *facts, 7);
  ASSERT_FALSE(rows.empty());
  EXPECT_THAT(rows[0].messages.front().content, HasSubstr("\n`````cuda\n"));
}

TEST(KernelKnowledge, NothingIsSaidOfAKernelThatDoesNothing) {
  KernelSource kernel;
  kernel.name = "null_kernel";
  kernel.backend = "cuda";
  kernel.code = "__global__ void null_kernel() {}\n";
  kernel.line = 1;
  const auto facts = ReadKernelFacts(kernel.code, kernel.name, kernel.line);
  ASSERT_TRUE(facts);
  EXPECT_TRUE(WriteKernelKnowledge(DigestOf("a"), kernel, *facts, 7).empty());
}

}  // namespace
}  // namespace kernelmill
