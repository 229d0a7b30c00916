#include "stages/verify/legality/native_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kernelmill {
namespace {

// The reason of the first finding in host code with this body, or "".
std::string ReasonOf(const std::string& body, const std::string& before = "") {
  const std::vector<VerdictFinding> findings = RefusedInText(
      before + "\ntorch::Tensor run(torch::Tensor x, c10::optional<torch::Tensor> b, int64_t n) {\n" +
          body + "\n}\n",
      "cuda.cu");
  return findings.empty() ? "" : findings.front().reason;
}

TEST(NativeText, ConditionsMayAskForWhatACallGives) {
  for (const char* body :
       {"if (x.size(0) > 4 && x.scalar_type() == torch::kHalf) return half(x);",
        "const auto p = reinterpret_cast<uintptr_t>(x.data_ptr()); if (p % 16 == 0) go(x);",
        "int limit = 0; cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);"
        " if (n > limit) small(x);",
        "static int64_t room = 0; while (room < n) room = room * 2 + 1; if (room > n) go(x);",
        "while (n > 1) { n /= 2; } for (int i = 0; i < n; ++i) go(x);",
        "if (std::getenv(\"VERBOSE\") != nullptr) printf(\"run\\n\");",
        "cudaError_t error = cudaGetLastError(); if (error != cudaSuccess) throw 1;",
        "cudaFuncAttributes facts; cudaFuncGetAttributes(&facts, kernel);"
        " while (n > facts.maxThreadsPerBlock) n /= 2;",
        "Shape shape; shape.rows = n; shape.rows += 1; if (shape.rows > 2) go(x);"}) {
    EXPECT_EQ(ReasonOf(body, "struct Shape { int rows = 0; };"), "") << body;
  }
}

TEST(NativeText, TheNameOfAFileMayBeToldAndNotRead) {
  const std::string helper =
      "void fail(const char* what, const char* file, int line) {"
      " fprintf(stderr, \"%s at %s:%d\", what, file, line); }\n"
      "constexpr bool holds(const char* text) { return text[1] == 't'; }\n"
      "#define FAIL(what) fail(what, __FILE__, __LINE__)\n"
      "#define CHECKED(call) do { if ((call) != cudaSuccess) {"
      " std::cerr << __FILE__ << \":\" << __LINE__; exit(1); } } while (0)\n";
  for (const char* body :
       {"fprintf(stderr, \"%s:%d\", __FILE__, __LINE__);",
        "TORCH_CHECK(n > 0, \"at \", __FILE__, \":\", __LINE__);",
        "throw std::runtime_error(std::string(__FILE__) + \": no rows\");",
        "std::cerr << \"in \" << __FILE__ << std::endl;", "fail(\"n\", __FILE__, __LINE__);",
        "FAIL(\"n\"); CHECKED(cudaGetLastError());"}) {
    EXPECT_EQ(ReasonOf(body, helper), "") << body;
  }
  for (const char* body :
       {"const char* here = __FILE__;", "go(x, holds(__FILE__));", "go(x, __FILE__[1]);",
        "char text[99]; snprintf(text, 99, __FILE__); go(x, text);",
        "constexpr bool here = sizeof(__FILE__) > 40;"}) {
    EXPECT_EQ(ReasonOf(body, helper), "fallback") << body;
  }
  EXPECT_EQ(ReasonOf("", "#define HERE __FILE__\nconstexpr const char* kHere = HERE;"), "fallback");
  EXPECT_EQ(ReasonOf("told(__FILE__);",
                     "char first(const char* f) { return f[0]; }\n"
                     "void told(const char* f) { first(f); }"),
            "fallback");
}

TEST(NativeText, TraitsMaySayWhatATypeIs) {
  for (const char* body :
       {"if constexpr (std::is_same_v<T, float> || std::is_floating_point<T>::value) go(x);",
        "static_assert(std::is_aggregate_v<Pack>);", "if (Sizes(x).is_empty()) return x;"}) {
    EXPECT_EQ(ReasonOf(body), "") << body;
  }
  for (const char* body : {"if constexpr (std::is_default_constructible_v<Scale>) go(x);",
                           "using Way = std::conditional_t<std::is_aggregate<Pack>::value, A, B>;",
                           "constexpr bool kWide = __is_constructible(Pack, int);",
                           "constexpr bool kWide = Narrow(u8\"a\");"}) {
    EXPECT_EQ(ReasonOf(body), "fallback") << body;
  }
  EXPECT_EQ(
      ReasonOf("", "template <typename T> struct Has<T, std::void_t<decltype(T() == 1)>> {};"),
      "fallback");
}

TEST(NativeText, ConditionsMayAskForNothingElse) {
  for (const char* body :
       {"if (at::globalContext().hasCUDA()) return first(x);",
        "cudaEvent_t e; if (cudaEventQuery(e) == cudaSuccess) return first(x);",
        "const auto p = reinterpret_cast<uintptr_t>(x.data_ptr()); if (p % (1 << 21)) go(x);",
        "size_t f = 0, all = 0; cudaMemGetInfo(&f, &all); return f > 9 ? first(x) : go(x);",
        "cudaFuncAttributes facts; cudaFuncGetAttributes(&facts, kernel);"
        " if (facts.numRegs == 32) return first(x);",
        "auto* const state = Find(); state->calls += 1; if (state->calls > 9) return first(x);",
        "if (Find()->Late()) return first(x);",
        "const bool late = Find()->Late(); if (late) return first(x);",
        "if (std::getenv(\"HOME\") != nullptr) return first(x);"}) {
    EXPECT_EQ(ReasonOf(body,
                       "struct State { int calls = 0; bool Late() { return ++calls > 9; } };\n"
                       "State* Find() { static State state; return &state; }"),
              "fallback")
        << body;
  }
}

TEST(NativeText, OperatorsOnTensorsCallTorch) {
  for (const char* body :
       {"return x + 1;", "auto y = x.contiguous(); y *= 2; return y;",
        "if constexpr (n > 3) { return -x; } return go(x);",
        "#ifdef FAST\nreturn x * x;\n#endif\nreturn go(x);",
        "const auto y = torch::empty_like(x); return (y) / n;"}) {
    EXPECT_EQ(ReasonOf(body), "torch_compute") << body;
  }
  for (const char* body :
       {"if (!x.is_cuda()) { return x + 1; } return go(x);", "return go(x, x.numel() * 2 + n);",
        "float* p = x.data_ptr<float>() + n; return go(p);"}) {
    EXPECT_EQ(ReasonOf(body), "") << body;
  }
}

TEST(NativeText, DirectivesAskForTheTextsOwnMacros) {
  for (const char* name : {"WIDE", "USE_ROCM"}) {
    EXPECT_EQ(ReasonOf("go(x);\n#ifdef " + std::string(name) + "\nlast(x);\n#endif"), "") << name;
  }
  EXPECT_EQ(ReasonOf("return go(x);",
                     "template <int kN> __device__ __forceinline__ int Wide(int a) {\n"
                     "#if __CUDA_ARCH__ >= 800\n  return a;\n#else\n  return kN;\n#endif\n}"),
            "");
  // The host's code has no architecture.
  for (const char* name : {"__CUDA_ARCH__", "__MUSA_ARCH__", "__DRIVER_TYPES_H__", "CUDA_RUNTIME_API_H", "__CUDA_RUNTIME_H__",
                           "CUDART_VERSION", "_OPENMP", "_FOO"}) {
    EXPECT_EQ(ReasonOf("#if defined(" + std::string(name) + ")\nlast(x);\n#endif\n"), "fallback")
        << name;
  }
  EXPECT_EQ(ReasonOf("return go(x);", "#if CUDA_VERSION >= 11000\n#include <cuda_bf16.h>\n#endif"), "");
  EXPECT_EQ(ReasonOf("return go(x);", "#ifndef _TILE\n#define _TILE 16\n#endif"), "");
  EXPECT_EQ(ReasonOf("return go(x);", "#define CALL(x) at::ge##lu(x)"), "torch_compute");
  EXPECT_EQ(ReasonOf("return go(x);", "#define CALL(x, f) (x). f ## _ ()"), "torch_compute");
  EXPECT_EQ(ReasonOf("return go(x);", "#define KERNEL(T) kernel_##T"), "");
  EXPECT_EQ(ReasonOf("return __COUNTER__ > 9 ? go(x) : last(x);"), "fallback");
}

}  // namespace
}  // namespace kernelmill
