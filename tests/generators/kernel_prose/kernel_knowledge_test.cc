#include "generators/kernel_prose/kernel_knowledge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

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

std::string CodeAlone(const std::string& text) {
  std::string spaced;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space || !spaced.ends_with(' ')) spaced += space ? ' ' : c;
  }
  return spaced;
}

// Whatever an answer quotes stands in its question.
TEST(KernelKnowledge, QuotesOnlyWhatTheQuestionShows) {
  const std::regex quoted("`([^`]+)`");
  int seen = 0;
  for (int seed = 0; seed < 40; ++seed) {
    for (const TrainingRecord& row : Write("a", seed)) {
      const std::string question = CodeAlone(row.messages.front().content);
      const std::string& answer = row.messages.back().content;
      EXPECT_THAT(answer, Not(HasSubstr(" line "))) << "the question does not number its lines";
      for (std::sregex_iterator at(answer.begin(), answer.end(), quoted), end; at != end; ++at) {
        const std::string code = (*at)[1];
        EXPECT_THAT(question, HasSubstr(code)) << answer;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 100);
}

// Maps each question to facts that its answer has to contain.
TEST(KernelKnowledge, AnswersWhatIsAsked) {
  const std::map<std::string, std::vector<std::string>> facts = {
      {"kernel-explain",
       {"reads `in` and writes `out`", "x < cols && y < rows", "is coalesced", "no bank conflict"}},
      {"kernel-work", {"`out[row * rows + col] = tile[threadIdx.x][threadIdx.y]`"}},
      {"kernel-launch",
       {"`(cols + 32 - 1) / 32` divides and rounds up", "dim3 block(32, 32)", "If `cols` is 0"}},
      {"kernel-exchange",
       {"`tile[threadIdx.y][threadIdx.x]`, wait at `__syncthreads()`", "33 words apart"}},
      {"kernel-memory", {}},
      {"kernel-hazards", {}}};
  std::set<std::string> asked;
  for (int seed = 0; seed < 200; ++seed) {
    const auto rows = Write("a", seed);
    EXPECT_EQ(rows.size(), 2u);
    for (const TrainingRecord& row : rows) {
      EXPECT_EQ(row.family, Family::kKnowledge);
      EXPECT_EQ(row.backend, "cuda");
      const std::string& question = row.messages.front().content;
      const std::string& answer = row.messages.back().content;
      EXPECT_THAT(question, HasSubstr(kCode));
      const std::string name = row.prompt_template.substr(0, row.prompt_template.find_last_of('-'));
      ASSERT_TRUE(facts.contains(name)) << name;
      asked.insert(name);
      for (const std::string& fact : facts.at(name)) EXPECT_THAT(answer, HasSubstr(fact)) << name;
      EXPECT_EQ(name == "kernel-launch", question.find("<<<grid, block") != question.npos);
      EXPECT_THAT(answer, Not(HasSubstr("  ")));
    }
  }
  // The shared array hides accesses from the question about all of them.
  EXPECT_EQ(asked, (std::set<std::string>{"kernel-explain", "kernel-work", "kernel-launch",
                                          "kernel-exchange"}));
}

// A launch whose number of blocks a macro of another file computes cannot be explained.
TEST(KernelKnowledge, SaysNothingOfALaunchThatTheQuestionDoesNotShow) {
  KernelSource kernel = Transpose();
  kernel.launches[0].setup.clear();
  kernel.launches[0].grid = "BLOCKS(rows * cols)";
  const auto facts = ReadKernelFacts(kernel.code, kernel.name, kernel.line);
  for (int seed = 0; seed < 40; ++seed) {
    for (const TrainingRecord& row : WriteKernelKnowledge(DigestOf("a"), kernel, *facts, seed)) {
      EXPECT_THAT(row.prompt_template, Not(HasSubstr("launch")));
    }
  }
}

TEST(KernelKnowledge, OneKernelAlwaysReadsTheSame) {
  EXPECT_EQ(Write("a", 7)[0].ToJson(), Write("a", 7)[0].ToJson());
  std::set<std::string> answers, questions;
  for (int i = 0; i < 12; ++i) {
    const auto rows = Write(std::to_string(i), 7);
    answers.insert(rows[0].messages.back().content);
    questions.insert(rows[0].prompt_template);
  }
  // The words follow from the kernel and the question; only the layout varies besides.
  EXPECT_EQ(answers.size(), 4u);
  EXPECT_GE(questions.size(), 3u);
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

// All answers about a kernel of this text, by the name of the question.
std::map<std::string, std::string> AnswersAbout(const std::string& code) {
  KernelSource kernel;
  kernel.name = "k";
  kernel.backend = "cuda";
  kernel.code = code;
  kernel.line = 1;
  const auto facts = ReadKernelFacts(kernel.code, kernel.name, kernel.line);
  EXPECT_TRUE(facts);
  std::map<std::string, std::string> answers;
  for (int seed = 0; seed < 60; ++seed) {
    for (const TrainingRecord& row : WriteKernelKnowledge(DigestOf("a"), kernel, *facts, seed)) {
      const std::string& name = row.prompt_template;
      answers[name.substr(0, name.find_last_of('-'))] = row.messages.back().content;
    }
  }
  return answers;
}

constexpr char kTwoPhases[] = R"cuda(__global__ void k(const float* x, float* y, int n) {
  __shared__ float sums[32];
  int warp = threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  float sum = x[blockIdx.x * blockDim.x + threadIdx.x];
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  sum = sums[lane];
  BARRIER
  if (lane == 0) sums[warp] = sum * sum;
  __syncthreads();
  sum = sums[lane];
  RETURN
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
)cuda";

std::string TwoPhases(const std::string& barrier, const std::string& leaves) {
  std::string code = std::regex_replace(std::string(kTwoPhases), std::regex("BARRIER"), barrier);
  return std::regex_replace(code, std::regex("RETURN"), leaves);
}

TEST(KernelKnowledge, SaysWhereABarrierIsMissing) {
  const std::string racy = AnswersAbout(TwoPhases("", ""))["kernel-exchange"];
  EXPECT_THAT(racy, HasSubstr("A barrier is missing between the read of `sums[lane]` and the next "
                              "write of `sums[warp]`"));
  const std::string safe = AnswersAbout(TwoPhases("__syncthreads();", ""))["kernel-exchange"];
  EXPECT_THAT(safe, HasSubstr("a barrier between the reads and that write"));
  EXPECT_THAT(safe, Not(HasSubstr("is missing")));
  // Under a condition only some threads may wait.
  const auto unknown = AnswersAbout(TwoPhases("if (n > 3) { __syncthreads(); }", ""));
  EXPECT_THAT(unknown.contains("kernel-exchange") ? unknown.at("kernel-exchange") : "",
              Not(HasSubstr("a barrier between the reads")));
}

TEST(KernelKnowledge, SaysOnWhichSideOfTheBarriersThreadsReturn) {
  const std::string leaves = "if (lane >= n) return;";
  EXPECT_THAT(AnswersAbout(TwoPhases("__syncthreads();", leaves))["kernel-exchange"],
              HasSubstr("return only after the last `__syncthreads`"));
  EXPECT_THAT(AnswersAbout(TwoPhases(leaves + " __syncthreads();", ""))["kernel-exchange"],
              HasSubstr("return before a later `__syncthreads`"));
}

TEST(KernelKnowledge, AsksWhatAKernelDoesOnlyIfItsStatementsSaySo) {
  const std::string start =
      "__global__ void k(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n  if (i >= 2 * n) return;\n";
  const auto told = AnswersAbout(start +
                                 "  float v = x[i] * 2.0f;\n  v = tanhf(v);\n"
                                 "  y[i] = v;\n}\n");
  EXPECT_THAT(told.at("kernel-work"), HasSubstr("```cuda\ny[i] = tanhf(x[i] * 2.0f);\n```"));
  EXPECT_THAT(told.at("kernel-work"), HasSubstr("Threads with `i >= n` or `i >= 2 * n` return"));
  const auto untold = AnswersAbout(start +
                                   "  float v;\n  if (i > 7) { v = x[i]; } else { v = 3; }\n"
                                   "  y[i] = v;\n}\n");
  EXPECT_FALSE(untold.contains("kernel-work"));
  EXPECT_FALSE(untold.contains("kernel-explain"));
}

TEST(KernelKnowledge, PutsAChainOfStatementsTogether) {
  const std::string start =
      "__global__ void k(const float* x, float* y, int n, float s) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n";
  const auto work = [&](const std::string& body) {
    return AnswersAbout(start + body + "  y[i] = v;\n}\n").at("kernel-work");
  };
  EXPECT_THAT(work("  float v = x[i];\n  v += s;\n  v *= s - 1.0f;\n"),
              HasSubstr("```cuda\ny[i] = (x[i] + s) * (s - 1.0f);\n```"));
  EXPECT_THAT(work("  float v = x[i];\n  v = fmaxf(v, s);\n  v /= s;\n"),
              HasSubstr("y[i] = fmaxf(x[i], s) / s;"));
  EXPECT_THAT(work("  float v = x[i] - s;\n  v = v * v;\n"),
              HasSubstr("y[i] = (x[i] - s) * (x[i] - s);"));
  EXPECT_THAT(work("  float v = x[i] - s;\n  v = (float)v;\n"),
              HasSubstr("y[i] = (float)(x[i] - s);"));
  // An integer cuts what it is given, and a loop repeats it.
  EXPECT_THAT(work("  int v = x[i];\n  v += s;\n"), Not(HasSubstr("```cuda\ny[i] = ")));
  EXPECT_THAT(work("  float v = x[i];\n  for (int j = 0; j < n; ++j) { v += s; }\n"),
              Not(HasSubstr("```cuda\ny[i] = ")));
}

TEST(KernelKnowledge, SaysWhatTheStatementsMean) {
  const auto work = [&](const std::string& parameters, const std::string& body) {
    return AnswersAbout("__global__ void k(" + parameters +
                        ") {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "  if (i >= n) return;\n" +
                        body + "}\n")
        .at("kernel-work");
  };
  const std::string cap = work("float* x, int n, float s",
                               "  float v = x[i];\n  v /= s;\n  v = tanhf(v);\n  v *= s;\n"
                               "  x[i] = v;\n");
  EXPECT_THAT(cap, HasSubstr("This is a soft cap"));
  EXPECT_THAT(cap, HasSubstr("in place"));
  EXPECT_THAT(work("float* x, int n, float s, float t",
                   "  float v = x[i];\n  v /= s;\n  v = tanhf(v);\n  v *= t;\n  x[i] = v;\n"),
              Not(HasSubstr("soft cap")));
  const std::string row =
      work("const float* h, const float* w, float* y, int c, int n",
           "  float d = h[c * n + c];\n  int idx = c * n + i;\n  y[idx] = w[idx] / d;\n");
  EXPECT_THAT(row, HasSubstr("`h[c * n + c]` is element `c` of the diagonal"));
  EXPECT_THAT(row, HasSubstr("one launch works on row `c` alone"));
}

TEST(KernelKnowledge, DecidesWhatConstantsDecide) {
  const std::string start = "const int kRows = ROWS;\nconst int kMost = 32;\n";
  const std::string body =
      "__global__ void k(const float* x, float* y, int rows, int size) {\n"
      "  int m = blockIdx.y * kRows + threadIdx.y;\n  if (m >= rows) return;\n"
      "  __shared__ float part[kMost];\n"
      "  if (threadIdx.x < size) part[threadIdx.x] = x[m * size + threadIdx.x];\n"
      "  __syncthreads();\n  float sum = 0;\n"
      "  for (int j = 0; j < size; ++j) sum += part[j];\n  y[m] = sum;\n}\n";
  const auto exchange = [&](const std::string& rows) {
    return AnswersAbout(std::regex_replace(start, std::regex("ROWS"), rows) + body)
        .at("kernel-exchange");
  };
  EXPECT_THAT(exchange("1"), HasSubstr("They do: `kRows` is 1"));
  EXPECT_THAT(exchange("1"), HasSubstr("`size` must not exceed `kMost`, which is 32."));
  EXPECT_THAT(exchange("4"), HasSubstr("safe only if whole blocks return together"));
}

TEST(KernelKnowledge, CountsTheSectorsOfAStride) {
  const auto memory = [](const std::string& type, const std::string& index) {
    return AnswersAbout("__global__ void k(const " + type +
                        "* x, float* y, int n) {\n"
                        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
                        "  float v = 0;\n  for (int j = 0; j < 4; ++j) v += x[" +
                        index + "];\n  y[i] = v;\n}\n")["kernel-memory"];
  };
  const std::string floats = memory("float", "i * 4 + j");
  EXPECT_THAT(floats, HasSubstr("are 4 elements apart, 16 bytes, so 32 lanes side by side touch 16 "
                                "sectors with one request, where 4 sectors would hold"));
  EXPECT_THAT(floats, HasSubstr("One vector access of 16 bytes"));
  EXPECT_THAT(memory("double", "i * 4 + j"), Not(HasSubstr("One vector access")));
  EXPECT_THAT(memory("double", "i * 4 + j"), HasSubstr("touch 32 sectors"));
  EXPECT_THAT(memory("float", "i * 5 + j"), Not(HasSubstr("The loop over `j`")));
}

}  // namespace
}  // namespace kernelmill
