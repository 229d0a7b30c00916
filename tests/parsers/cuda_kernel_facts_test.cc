#include "parsers/cuda_kernel_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace kernelmill {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> LinesOf(const std::string& code) {
  std::vector<std::string> lines;
  std::istringstream stream(code);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Checks that every quoted text begins on the line that its fact gives.
class LineCheck {
 public:
  explicit LineCheck(const std::string& code) : lines_(LinesOf(code)) {}

  void Expect(const std::string& text, std::int64_t line) const {
    ASSERT_GE(line, 1) << text;
    ASSERT_LE(line, static_cast<std::int64_t>(lines_.size())) << text;
    const std::string token = text.substr(0, text.find_first_of(" ([<"));
    EXPECT_NE(lines_[static_cast<std::size_t>(line - 1)].find(token), std::string::npos)
        << "line " << line << " has no '" << token << "'";
  }

  void ExpectAll(const KernelFacts& facts) const {
    for (const ThreadIndex& index : facts.indices) Expect(index.name, index.line);
    for (const KernelLoop& loop : facts.loops) Expect(loop.variable, loop.line);
    for (const KernelGuard& guard : facts.guards) Expect(guard.condition, guard.line);
    for (const SharedArray& array : facts.shared) Expect(array.text, array.line);
    for (const auto* calls :
         {&facts.barriers, &facts.warp_calls, &facts.atomics, &facts.cached_loads}) {
      for (const KernelCall& call : *calls) Expect(call.first_call, call.line);
    }
    for (const auto* statements : {&facts.pointers, &facts.offsets}) {
      for (const KernelStatement& statement : *statements) {
        Expect(statement.text, statement.line);
      }
    }
    for (const auto* accesses : {&facts.loads, &facts.stores}) {
      for (const MemoryAccess& access : *accesses) Expect(access.array, access.line);
    }
  }

 private:
  std::vector<std::string> lines_;
};

TEST(KernelFacts, ReadsAReductionWithSharedMemory) {
  const std::string code = R"cuda(
template <typename T>
__global__ void __launch_bounds__(256)
sum(const T* __restrict__ in, T* out, int n) {
  __shared__ float part[8];
  extern __shared__ float more[];
  const int lane = threadIdx.x % 32;
  float total = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    total += __ldg(&in[i]);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    total += __shfl_down_sync(0xffffffff, total, offset);
  }
  if (lane == 0) part[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x >= 8) return;
  more[threadIdx.x] = part[threadIdx.x];
  atomicAdd(out, part[threadIdx.x]);
}
)cuda";
  const auto facts = ReadKernelFacts(code, "sum", 2);
  ASSERT_TRUE(facts);
  LineCheck(code).ExpectAll(*facts);
  EXPECT_THAT(facts->template_parameters, ElementsAre("typename T"));
  EXPECT_EQ(facts->launch_bounds, "__launch_bounds__(256)");
  ASSERT_EQ(facts->parameters.size(), 3u);
  EXPECT_TRUE(facts->parameters[0].pointer && facts->parameters[0].constant);
  EXPECT_TRUE(facts->parameters[1].pointer && !facts->parameters[1].constant);
  EXPECT_FALSE(facts->parameters[2].pointer);
  ASSERT_EQ(facts->indices.size(), 2u);  // The loop's variable counts as well.
  EXPECT_EQ(facts->indices[0].expression, "threadIdx.x % 32");
  EXPECT_EQ(facts->indices[0].line, 7);
  ASSERT_EQ(facts->loops.size(), 1u);
  EXPECT_EQ(facts->loops[0].kind, KernelLoop::Kind::kGridStride);
  EXPECT_EQ(facts->loops[0].condition, "i < n");
  ASSERT_EQ(facts->shared.size(), 2u);
  EXPECT_FALSE(facts->shared[0].dynamic);
  EXPECT_TRUE(facts->shared[1].dynamic);
  ASSERT_EQ(facts->barriers.size(), 1u);
  EXPECT_EQ(facts->barriers[0].line, 16);
  ASSERT_EQ(facts->warp_calls.size(), 1u);
  EXPECT_EQ(facts->warp_calls[0].in_loops, 1);
  ASSERT_EQ(facts->atomics.size(), 1u);
  EXPECT_EQ(facts->atomics[0].first_call, "atomicAdd(out, part[threadIdx.x])");
}

TEST(KernelFacts, TellsGuardsThatLeaveFromThoseAroundStores) {
  const std::string leaves =
      "__global__ void k(float* x, int n) {\n  int i = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  if (i >= n) return;\n  x[i] = 1;\n}\n";
  const auto first = ReadKernelFacts(leaves, "k", 1);
  ASSERT_TRUE(first);
  LineCheck(leaves).ExpectAll(*first);
  ASSERT_EQ(first->guards.size(), 1u);
  EXPECT_TRUE(first->guards[0].leaves);
  EXPECT_EQ(first->guards[0].condition, "i >= n");
  EXPECT_EQ(first->indices[0].kind, ThreadIndex::Kind::kGlobal);
  EXPECT_EQ(first->indices[0].dimension, 'y');

  const auto second = ReadKernelFacts(
      "__global__ void k(float* x, int n) {\n  int i = threadIdx.x + blockDim.x * blockIdx.x;\n"
      "  if (i < n) { x[i] = 1; }\n}\n",
      "k", 1);
  ASSERT_TRUE(second);
  ASSERT_EQ(second->guards.size(), 1u);
  EXPECT_FALSE(second->guards[0].leaves);
  EXPECT_EQ(second->indices[0].kind, ThreadIndex::Kind::kGlobal);
}

TEST(KernelFacts, DoesNotTakeOtherProductsForAGlobalIndex) {
  const auto facts = ReadKernelFacts(
      "__global__ void k(float* x) {\n  int a = blockIdx.x * blockDim.y + threadIdx.x;\n"
      "  int b = blockIdx.x + blockDim.x * threadIdx.x;\n  x[a + b] = 1;\n}\n",
      "k", 1);
  ASSERT_TRUE(facts);
  ASSERT_EQ(facts->indices.size(), 2u);
  EXPECT_EQ(facts->indices[0].kind, ThreadIndex::Kind::kExpression);
  EXPECT_EQ(facts->indices[1].kind, ThreadIndex::Kind::kExpression);
}

TEST(KernelFacts, SaysNothingOfWhatDoesNotParse) {
  EXPECT_FALSE(ReadKernelFacts("__global__ void k(float* x) { x[0] = = ) 1; }\n", "k", 1));
  EXPECT_FALSE(ReadKernelFacts("__device__ void k() {}\n", "k", 1));
  EXPECT_FALSE(ReadKernelFacts("", "k", 1));
}

TEST(KernelFacts, SaysNothingOfWhatNobodyWrote) {
  std::string stores;
  while (stores.size() < 140'000) stores += "  x[i] = 1;\n";
  const std::string head = "__global__ void k(float* x) {\n  int i = threadIdx.x;\n";
  EXPECT_TRUE(ReadKernelFacts(head + stores.substr(0, 12'000) + "}\n", "k", 1));
  EXPECT_FALSE(ReadKernelFacts(head + stores + "}\n", "k", 1));
}

TEST(KernelFacts, CommentsAndStringsProveNothing) {
  const auto facts = ReadKernelFacts(
      "__global__ void k(const char* s) {\n  // __syncthreads(); atomicAdd(x, 1);\n"
      "  const char* t = \"__shfl_sync(a, b, c)\";\n}\n",
      "k", 1);
  ASSERT_TRUE(facts);
  EXPECT_THAT(facts->barriers, IsEmpty());
  EXPECT_THAT(facts->atomics, IsEmpty());
  EXPECT_THAT(facts->warp_calls, IsEmpty());
}

TEST(KernelFacts, SurvivesDeepNesting) {
  std::string open, close, sum = "threadIdx.x";
  for (int i = 0; i < 3000; ++i) {
    open += "if (threadIdx.x < 4) { ";
    close += "}";
    sum = "(" + sum + ")";
  }
  const auto facts = ReadKernelFacts(
      "__global__ void k(float* x) { int i = " + sum + "; " + open + "x[i] = 1;" + close + " }\n",
      "k", 1);
  if (facts) {
    EXPECT_EQ(facts->name, "k");
  }
}

}  // namespace
}  // namespace kernelmill
