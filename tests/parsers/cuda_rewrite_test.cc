#include "parsers/cuda_rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "parsers/macro_items.h"
#include "tests/corpora/hip_backend.h"

namespace kernelmill {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Rewritten(std::string_view source, const KernelBackend& backend = kCudaBackend) {
  return RewriteForCpu(source, backend).text;
}

std::string InFunction(const std::string& body) { return "void f() {\n" + body + "\n}\n"; }

TEST(CudaRewrite, LaunchBecomesACall) {
  const std::string text = Rewritten(InFunction("k<float, 4><<<g, 256, 0, s>>>(x, n + 1);"));
  EXPECT_THAT(text, HasSubstr("::kernelmill::Launch(\"k<float, 4>\", KM_CALLEE(k<float, 4>), "
                              "::kernelmill::Configuration(g, 256, 0, s), "
                              "[=](auto... km_arguments) { k<float, 4>(km_arguments...); })"
                              "(x, n + 1);"));
}

TEST(CudaRewrite, NumbersOfADeviceWithoutAValueGetOne) {
  const auto kernel = [](const std::string& body) {
    return Rewritten("__global__ void k(float* y) {\n" + body + "\n}\n");
  };
  EXPECT_THAT(kernel("float m, s = 0.f, a[4], *p; unsigned int n;"),
              HasSubstr("float m = ::kernelmill::Unset(), s = 0.f, a[4], *p; "
                        "unsigned int n = ::kernelmill::Unset();"));
  for (const std::string body :
       {"extern float m;", "static int m;", "bool m;", "T m;", "goto end; end: int m;",
        "switch (n) { case 0: int m; m = 1; }", "struct S { float m; };"}) {
    EXPECT_THAT(kernel(body), HasSubstr(body));
  }
  EXPECT_THAT(Rewritten(InFunction("float m;")), HasSubstr("float m;"));
}

TEST(CudaRewrite, RoundsOfLoopsThatMayWaitAreCounted) {
  const auto counted = [](const std::string& body) {
    return RewriteForCpu("__device__ void f(volatile int* p) {\n" + body + "\n}\n", kCudaBackend,
                         AccessRewrite::kNone, WaitRewrite::kCounted)
        .text;
  };
  EXPECT_THAT(counted("while (*p == 0);"),
              HasSubstr("while (*p == 0){ ::kernelmill::CountRound(); ; }"));
  EXPECT_THAT(counted("do { v = *p; } while (v == 0);"),
              HasSubstr("do { ::kernelmill::CountRound(); v = *p; } while (v == 0);"));
  EXPECT_THAT(counted("for (;;) { if (*p) break; }"),
              HasSubstr("for (;;) { ::kernelmill::CountRound(); if (*p) break; }"));
  EXPECT_THAT(counted("for (int i = 0; i < 4; ++i) a += p[i];"), Not(HasSubstr("CountRound")));
  EXPECT_THAT(RewriteForCpu("constexpr int f(int n) { while (n > 1) n /= 2; return n; }",
                            kCudaBackend, AccessRewrite::kNone, WaitRewrite::kCounted)
                  .text,
              Not(HasSubstr("CountRound")));
  EXPECT_THAT(Rewritten(InFunction("while (*p == 0);")), Not(HasSubstr("CountRound")));
}

TEST(CudaRewrite, VariablesThatAreReadAsOtherNumbersHaveTheBitsOfADevice) {
  const auto kernel = [](const std::string& body) {
    return Rewritten("__global__ void k(float* y) {\n" + body + "\n}\n");
  };
  EXPECT_THAT(
      kernel("const unsigned bits = *reinterpret_cast<const unsigned*>(&x);"),
      HasSubstr("bits = ::kernelmill::BitsAsRead(reinterpret_cast<const unsigned*>(&x), x);"));
  EXPECT_THAT(kernel("if ((*(int*)&x >> 31) != 0) y[0] = 1;"),
              HasSubstr("(::kernelmill::BitsAsRead((int*)&x, x) >> 31)"));
  for (const std::string same :
       {"*(int*)&x = 4;", "int& bits = *(int*)&x;", "int* bits = (int*)&x;", "++*(int*)&x;"}) {
    EXPECT_THAT(kernel(same), Not(HasSubstr("BitsAsRead"))) << same;
  }
  EXPECT_THAT(Rewritten(InFunction("int bits = *(int*)&x;")), Not(HasSubstr("BitsAsRead")));
}

TEST(CudaRewrite, FunctionsThatCallThemselvesNoteTheirFrames) {
  EXPECT_THAT(Rewritten("__device__ int f(int n) { return n ? f(n - 1) : 0; }"),
              HasSubstr("{ KM_NOTE_FRAME(); return"));
  EXPECT_THAT(Rewritten("__device__ int g(int n);\n"
                        "__device__ int f(int n) { return g(n); }\n"
                        "__device__ int g(int n) { return n ? f(n - 1) : 0; }\n"),
              HasSubstr("f(int n) { KM_NOTE_FRAME(); return"));
  for (const std::string same :
       {"__device__ int f(int n) { return g(n); }", "int f(int n) { return n ? f(n - 1) : 0; }",
        "template <int N> __device__ int f() { return f<N - 1>(); }"}) {
    EXPECT_THAT(Rewritten(same), Not(HasSubstr("KM_NOTE_FRAME"))) << same;
  }
}

TEST(CudaRewrite, WhatIsReadAndWrittenWholeIsNamed) {
  const auto whole = [](const std::string& body) {
    return RewriteForCpu(InFunction(body), kCudaBackend, AccessRewrite::kWhole).text;
  };
  EXPECT_THAT(whole("const Pack<T> a = *reinterpret_cast<const Pack<T>*>(x + i);"),
              HasSubstr("a = ::kernelmill::Loaded(*reinterpret_cast<const Pack<T>*>(x + i));"));
  EXPECT_THAT(whole("*reinterpret_cast<Pack<T>*>(y) = a;"),
              HasSubstr("::kernelmill::Stored(*reinterpret_cast<Pack<T>*>(y)) = a;"));
  EXPECT_THAT(whole("s[i] = x[i + 1];"),
              HasSubstr("::kernelmill::Stored(s[i]) = ::kernelmill::Loaded(x[i + 1]);"));
  EXPECT_THAT(whole("return p[0];"), HasSubstr("return ::kernelmill::Loaded(p[0]);"));
  for (const std::string same : {"float& a = x[i];", "x[i] += y[i];", "a = b;", "f(x[i]);",
                                 "float a[2] = {x[0], x[1]};", "p = &x[i];",
                                 // Only the location's type determines the type of an initializer
                                 // list.
                                 "s[i] = {};", "*p = {0, x[1]};",
                                 // These are or may be references.
                                 "decltype(auto) a = x[i];", "typename T::reference a = *p;",
                                 // These do not access memory through a pointer but use the object
                                 // itself.
                                 "auto a = *this;", "*this = a;", "return *this;"}) {
    EXPECT_EQ(whole(same), InFunction(same));
    EXPECT_EQ(Rewritten(InFunction(same)), InFunction(same));
  }
}

TEST(CudaRewrite, OnlyWhatIsReadWholeIsNamedForChecksOfMemory) {
  const auto whole = [](const std::string& body) {
    return RewriteForCpu(InFunction(body), kCudaBackend, AccessRewrite::kReadsWhole).text;
  };
  EXPECT_EQ(whole("float4 v = p[i], w;"), InFunction("float4 v = KM_READ_WHOLE(p[i]), w;"));
  EXPECT_EQ(whole("*q = reinterpret_cast<const float4*>(x)[i];"),
            InFunction("*q = KM_READ_WHOLE(reinterpret_cast<const float4*>(x)[i]);"));
  for (const std::string same : {"float4& v = p[i];", "*q = v;", "s[i] = {};", "f(p[i]);"}) {
    EXPECT_EQ(whole(same), InFunction(same));
  }
}

TEST(CudaRewrite, PlacesInMemoryOfADeviceAreCheckedForAlignment) {
  const auto in_kernel = [](const std::string& body) {
    return "__global__ void k() { " + body + " }";
  };
  const auto aligned = [](const std::string& place) {
    return "::kernelmill::Aligned(" + place + ")";
  };
  EXPECT_EQ(Rewritten(in_kernel("f(*p, q[i]);")),
            in_kernel("f(" + aligned("*p") + ", " + aligned("q[i]") + ");"));
  EXPECT_EQ(Rewritten(in_kernel("a[i][j] = *(T*)b[j];")),
            in_kernel(aligned("a[i][j]") + " = " + aligned("*(T*)" + aligned("b[j]")) + ";"));
  EXPECT_EQ(
      Rewritten(in_kernel("v = reinterpret_cast<V&>(x); w = (V&)y;")),
      in_kernel("v = " + aligned("reinterpret_cast<V&>(x)") + "; w = " + aligned("(V&)y") + ";"));
  for (const std::string same :
       {"p = &x[i];", "a = b;", "y = p[i].x;", "f[i](x);", "n = sizeof(p[0]);",
        "n = sizeof(T) * m;", "y = (a) * b;", "float a[4];", "T* p = q;", "auto a = *this;"}) {
    EXPECT_EQ(Rewritten(in_kernel(same)), in_kernel(same));
  }
  // Functions of a device by a macro, and macros that access memory.
  EXPECT_EQ(Rewritten("#define INLINE __device__ inline\nINLINE V f(const V* p) { return *p; }\n"),
            "#define INLINE __device__ inline\nINLINE V f(const V* p) { return " + aligned("*p") +
                "; }\n");
  EXPECT_EQ(Rewritten("#define FOUR(x) (reinterpret_cast<V*>(&(x))[0])\n"),
            "#define FOUR(x) (" + aligned("reinterpret_cast<V*>(&(x))[0]") + ")\n");
}

TEST(CudaRewrite, FunctionsThatReturnReferencesKeepThem) {
  const auto whole = [](const std::string& source) {
    return RewriteForCpu(source, kCudaBackend, AccessRewrite::kWhole).text;
  };
  const std::string body = "{ return p[i]; }", loaded = "{ return ::kernelmill::Loaded(p[i]); }";
  for (const std::string head :
       {"__device__ T& f(int i) ", "const T& operator[](int i) const ", "operator T&() ",
        "auto f(int i) -> T& ", "decltype(auto) f(int i) ", "auto&& f(int i) ",
        "typename V::const_reference f(int i) ",
        "__host__ __device__ __forceinline__ T& at(int i) ",
        "template <typename T> T& f(T* p, int i) "}) {
    const std::string method = "struct A { " + head + body + " };";
    EXPECT_EQ(whole(head + body), head + body);
    EXPECT_EQ(whole(method), method);
  }
  for (const std::string head :
       {"__device__ T f(const T& p, int& i) ", "T operator[](int i) const ",
        "auto f(T* p, int&& i) ", "auto f(const T& p) -> T ", "operator T() const "}) {
    EXPECT_EQ(whole(head + body), head + loaded);
  }
  // A lambda's return statements do not count for the function, and its captures are no types.
  EXPECT_EQ(whole("T& f() { auto g = [&](int i) " + body + "; return *q; }"),
            "T& f() { auto g = [&](int i) " + loaded + "; return *q; }");
  EXPECT_EQ(whole("T f() { auto g = [=](int i) -> T& " + body + "; " + "if (q) " + body + " }"),
            "T f() { auto g = [=](int i) -> T& " + body + "; " + "if (q) " + loaded + " }");
}

TEST(CudaRewrite, CalleeIsTheWholeName) {
  for (const std::string callee : {"k", "a::b::k", "::k", "k<(x > 3)>", "a::k<b<c>, d>", "k < T >",
                                   "object.kernel", "(*table[3])"}) {
    const std::string text = Rewritten(InFunction("  " + callee + "<<<1, 2>>>(x);"));
    EXPECT_THAT(text, HasSubstr("{\n  ::kernelmill::Launch(\"")) << callee;
    EXPECT_THAT(text, HasSubstr("{ " + callee + "(km_arguments...); }")) << callee;
  }
}

TEST(CudaRewrite, CommentsBeforeALaunchAreNoPartOfIt) {
  const std::string text =
      Rewritten(InFunction("int b = 1; // a thread in the group.\n  k<<<1, 2>>>(x);"));
  EXPECT_THAT(text, HasSubstr("in the group.\n  ::kernelmill::Launch(\"k\""));
}

TEST(CudaRewrite, LinesKeepTheirNumbers) {
  const std::string source =
      "#define L(T) \\\n  k<T> \\\n    <<<1, \\\n 2>>>(x)\n"
      "__global__ void k(float* x) {\n  __shared__\n  float a[4],\n  b;\n  x[0] = a[1];\n}\n"
      "void f() {\n  k<int,\n    float>\n  <<<1,\n  2>>>(\n x);\n}\nint last;\n";
  const CudaRewrite rewrite = RewriteForCpu(source, kMusaBackend);
  EXPECT_EQ(rewrite.launches, 2u);
  EXPECT_EQ(std::count(source.begin(), source.end(), '\n'),
            std::count(rewrite.text.begin(), rewrite.text.end(), '\n'));
  EXPECT_THAT(rewrite.text, Not(HasSubstr("<<<")));
  EXPECT_EQ(rewrite.text.find("int last;") == std::string::npos, false);
}

TEST(CudaRewrite, SharedVariablesOfOneDeclaration) {
  const std::string text = Rewritten(
      "__global__ void k() {\n  static volatile __shared__ alignas(16) float a[2][N], b;\n}\n");
  EXPECT_THAT(text, HasSubstr("typedef volatile float km_shared_a[2][N], km_shared_b;"));
  EXPECT_THAT(text, HasSubstr("km_shared_a& a = *km_slot_a.template Get<km_shared_a>();"));
  EXPECT_THAT(text, HasSubstr("km_shared_b& b ="));
  EXPECT_THAT(text, Not(HasSubstr("__shared__")));
}

TEST(CudaRewrite, DynamicSharedMemory) {
  const std::string text =
      Rewritten("__global__ void k() { extern __shared__ __align__(16) char raw[]; }\n");
  EXPECT_THAT(text, HasSubstr("typedef char km_shared_raw[];"));
  EXPECT_THAT(text, HasSubstr("km_shared_raw& raw = "
                              "*static_cast<km_shared_raw*>(::kernelmill::DynamicShared());"));
}

TEST(CudaRewrite, DeviceVariablesBecomeReferences) {
  const auto reference = [](const std::string& name, const std::string& kind) {
    return " static auto& " + name + " = ::kernelmill::DeviceVariable(km_value_" + name +
           ", ::kernelmill::VariableKind::" + kind + ");";
  };
  EXPECT_EQ(Rewritten("__device__ float a[4], b = 1.0f;\n"),
            " float km_value_a[4], km_value_b = 1.0f;" + reference("a", "kDevice") +
                reference("b", "kDevice") + "\n");
  EXPECT_EQ(Rewritten("namespace n {\nstatic __constant__ Pack* t[2];\n}\n"),
            "namespace n {\nstatic  Pack* km_value_t[2];" + reference("t", "kConstant") + "\n}\n");
  EXPECT_EQ(Rewritten("__device__ __managed__ int m;"),
            "  int km_value_m;" + reference("m", "kManaged"));
  for (const std::string same : {"__device__ float f(float);", "__device__ const float* f();",
                                 "template <typename T>\n__device__ T a;", "float a;"}) {
    EXPECT_EQ(Rewritten(same), same);
  }
  // A pointer to constants can change.
  EXPECT_EQ(Rewritten("__device__ const float* p;"),
            " const float* km_value_p;" + reference("p", "kDevice"));
}

// The executor's headers let the words stand before functions only.
TEST(CudaRewrite, ConstantsOfTheDeviceBecomeOrdinaryOnes) {
  EXPECT_EQ(Rewritten("extern __device__ int a;"), "extern  int a;");
  EXPECT_EQ(Rewritten("__constant__ const int c = 2;"), " const int c = 2;");
  EXPECT_EQ(Rewritten("__device__ constexpr int c = 2;"), " constexpr int c = 2;");
  EXPECT_EQ(Rewritten("struct S { static constexpr __device__ int c = 2; };"),
            "struct S { static constexpr  int c = 2; };");
  EXPECT_EQ(Rewritten("auto f = [=] __host__ __device__ (int i) { return i; };"),
            "auto f = [=] __host__  (int i) { return i; };");
}

TEST(CudaRewrite, MacrosThatMakeKernelsAndArrays) {
  const std::string text = Rewritten(
      "#define ARRAY(T, name) __shared__ T name[4]\n"
      "#define KERNEL(name) \\\n  __global__ void name##_kernel(int* y) { \\\n"
      "    __shared__ int s[2]; \\\n    y[0] = s[0]; } \\\n"
      "  void name(int* y) { name##_kernel<<<1, 2>>>(y); }\n");
  // The array's name may be a parameter of the macro, whose user writes the semicolon.
  EXPECT_THAT(text, HasSubstr("km_shared_##name& name = *km_slot_##name.template "
                              "Get<km_shared_##name>()\n"));
  EXPECT_THAT(text, HasSubstr("int km_shared_##s[2];"));
  EXPECT_THAT(text, HasSubstr("Launch(KM_NAME(name##_kernel), "));
  EXPECT_THAT(text, HasSubstr("{ name##_kernel(km_arguments...); })(y);"));
}

TEST(CudaRewrite, LaunchesByAddressKeepTheKernelsType) {
  for (const std::string kernel :
       {"(void*)k<int>", "(const void*)k<int>", "reinterpret_cast<void*>(k<int>)", "&k<int>"}) {
    const CudaRewrite rewrite =
        RewriteForCpu(InFunction("cudaLaunchKernel(" + kernel + ", g, b, a, 0, s);"), kCudaBackend);
    EXPECT_EQ(rewrite.launches, 1u);
    EXPECT_THAT(rewrite.text, HasSubstr("::kernelmill::LaunchByAddress(\"k<int>\", "
                                        "KM_CALLEE(k<int>), k<int>, g, b,"))
        << kernel;
  }
}

TEST(CudaRewrite, DeviceNamesAnswerForTheDevice) {
  EXPECT_EQ(RewriteDeviceNames("x.type().is_cuda() && x.type() == y.type()", kCudaBackend),
            "x.device().is_cpu() && x.type() == y.type()");
  EXPECT_EQ(RewriteDeviceNames("x.is_cuda() && torch::kCUDA == at::DeviceType::CUDA", kCudaBackend),
            "x.is_cpu() && torch::kCPU == at::DeviceType::CPU");
  EXPECT_EQ(RewriteDeviceNames("x.cuda(); at::cuda::f(); Device(\"cuda:0\")", kCudaBackend),
            "x.cpu(); at::cuda::f(); Device(\"cpu\")");
  EXPECT_EQ(RewriteDeviceNames("TORCH_LIBRARY_IMPL(a, CUDA, m)", kCudaBackend),
            "TORCH_LIBRARY_IMPL(a, CPU, m)");
}

TEST(CudaRewrite, TextIsNoCode) {
  for (const std::string source :
       {"// is_cuda <<<1, 2>>>\n", "/* kCUDA */", "auto s = \"must be is_cuda()\";",
        "auto r = R\"(k<<<1, 2>>>(x); is_cuda)\";", "#include <ATen/cuda/CUDAContext.h>\n"}) {
    EXPECT_EQ(Rewritten(source, kMusaBackend), source);
  }
}

TEST(CudaRewrite, MusaBecomesTheSameText) {
  const std::string musa =
      "#include <musa_runtime.h>\n#include \"torch_musa/csrc/core/MUSAStream.h\"\n"
      "void f() { musaMalloc(&p, n); auto s = c10::musa::getCurrentMUSAStream();\n"
      "  k<<<1, 2, 0, s>>>(p); __mt_bfloat16 b; musaError_t e = musaSuccess; }\n";
  const std::string cuda =
      "#include <cuda_runtime.h>\n#include \"c10/cuda/CUDAStream.h\"\n"
      "void f() { cudaMalloc(&p, n); auto s = c10::cuda::getCurrentCUDAStream();\n"
      "  k<<<1, 2, 0, s>>>(p); __nv_bfloat16 b; cudaError_t e = cudaSuccess; }\n";
  EXPECT_EQ(Rewritten(musa, kMusaBackend), Rewritten(cuda));
  EXPECT_THAT(Rewritten(musa), HasSubstr("musaMalloc"));
}

// The names of the parameters of which the rewrite says that they are read as they were at the
// launch.
std::vector<std::string> ReadAtLaunch(const std::string& source) {
  const std::string text = Rewritten(source), word = "KM_AT_LAUNCH(";
  std::vector<std::string> names;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t first = at + word.size();
    names.push_back(text.substr(first, text.find(')', first) - first));
  }
  return names;
}

TEST(CudaRewrite, ConstantRestrictedPointersOfKernelsAreRead) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(ReadAtLaunch("__global__ void k(const float* __restrict__ a, float* __restrict__ b,\n"
                         "    const int *__restrict n, const float* c, int m) { b[0] = a[0]; }\n"),
            (Names{"a", "n"}));
  EXPECT_EQ(ReadAtLaunch("template <typename T> __global__ void __launch_bounds__(256)\n"
                         "k(T const* __restrict__ a, const T* const __restrict__ b) {}\n"),
            (Names{"a"}));
  EXPECT_EQ(ReadAtLaunch("__device__ void f(const float* __restrict__ a) {}\n"
                         "void g(const float* __restrict__ a) {}\n"
                         "__global__ void k(const float* const* __restrict__ a);\n"),
            Names());
}

TEST(CudaRewrite, ARowIsAllThatABackendNeeds) {
  const std::string hip =
      "#include <hip/hip_runtime.h>\n#include <c10/hip/HIPStream.h>\n"
      "void f() { hipMalloc(&p, n); auto s = c10::hip::getCurrentHIPStream();\n"
      "  k<<<1, 2, 0, s>>>(p); __hip_bfloat16 b; hiprandState r; x.hip(); hip_tensor t;\n"
      "  x.is_hip() && torch::kHIP == at::DeviceType::HIP && d == \"hip:0\"; }\n";
  const std::string cuda =
      "#include <cuda_runtime.h>\n#include <c10/cuda/CUDAStream.h>\n"
      "void f() { cudaMalloc(&p, n); auto s = c10::cuda::getCurrentCUDAStream();\n"
      "  k<<<1, 2, 0, s>>>(p); __nv_bfloat16 b; curandState r; x.cuda(); hip_tensor t;\n"
      "  x.is_cuda() && torch::kCUDA == at::DeviceType::CUDA && d == \"cuda:0\"; }\n";
  EXPECT_EQ(Rewritten(hip, kHipBackend), Rewritten(cuda));
}

// The grammar takes two uses in a row for the head of a function.
TEST(CudaRewrite, WhatFollowsUsesOfMacrosThatDefineFunctionsIsRead) {
  const std::string source =
      "#define KERNEL(name, type, by) \\\n"
      "  __global__ void name(type* x) { x[0] += by; }\n"
      "namespace a {\n"
      "KERNEL(one, float, 1)\n"
      "KERNEL(two, float,\n"
      "       2)  // (\n"
      "__device__ float sum(float v) {\n"
      "  float w = v;\n"
      "  return w;\n"
      "}\n"
      "struct Mean { int x; };\n"
      "__global__ void last(float* x) {\n"
      "  __shared__ float ring[2];\n"
      "  KERNEL(x, int, 2);\n"
      "}\n"
      "}\n"
      "extern \"C\" {\n"
      "KERNEL(three, float, 3) static KERNEL(four, float, 4)\n"
      "void run(float* x) { last<<<1, 2>>>(x); }\n"
      "}\n";
  const std::string text = Rewritten(source);
  EXPECT_EQ(text.find("__shared__"), text.npos) << text;
  EXPECT_EQ(text.find("<<<"), text.npos) << text;
  for (const std::string_view kept : {"KERNEL(one, float, 1)", "KERNEL(two, float,\n       2)",
                                      "static KERNEL(four, float, 4)"}) {
    EXPECT_NE(text.find(kept), text.npos) << text;
  }
  EXPECT_EQ(std::count(source.begin(), source.end(), '\n'),
            std::count(text.begin(), text.end(), '\n'));
}

TEST(MacroItems, OnlyUsesBetweenFunctionsAreBlank) {
  const std::string define = "#define ITEM(x) int x;\n#define TYPE(x) x\n";
  const std::string_view unchanged[] = {
      "TYPE(int) a;\nint f() {\n  ITEM(b)\n  return b;\n}\n",
      "int a = ITEM(3)\n;\n",
      "#define OTHER ITEM(a)\n",
      "inline int f() { ITEM(c) return c; }\n",
      "OTHER(x)\nOTHER(y)\n",
      "ITEM(a",
      "ITEM",
      "ITEM(k<<<1, 2>>>())\n",
      "ITEM([] { int a; })\n",
      "ITEM(__shared__ float a)\n",
      "inline auto f = [] {\n  ITEM(b)\n};\n",
      "#undef ITEM\nITEM(a)\n",
      "#define ITEM(x) void x\nITEM(a)(int) {}\n",
      "void f() {\n  if (a) {\n#if A\n  }\n#else\n  }\n#endif\n  ITEM(b)\n}\n"};
  for (const std::string_view text : unchanged) {
    EXPECT_EQ(WithoutMacroItems(define + std::string(text)), define + std::string(text));
  }
  EXPECT_EQ(WithoutMacroItems(define + "inline namespace n {\nITEM(a)ITEM(b);\n}"),
            define + "inline namespace n {\n              ;\n}");
  // A macro is unknown before its definition.
  EXPECT_EQ(WithoutMacroItems("ITEM(a)\n" + define), "ITEM(a)\n" + define);
}

TEST(CudaRewrite, HostileTextIsLeftToTheCompiler) {
  const std::string deep(20'000, '(');
  for (const std::string& source :
       {std::string("<<<>>>"), std::string("k<<<"), std::string(">>>(x)"), "f(" + deep,
        InFunction(deep + "k<<<1, 2>>>(x)"), std::string("__shared__"),
        std::string("__shared__ float"), std::string("extern __shared__;"), std::string(1, '\0'),
        std::string("#define L k<<<\n"), std::string("\"unclosed k<<<1,2>>>(x)")}) {
    const std::string text = Rewritten(source, kMusaBackend);
    EXPECT_EQ(std::count(source.begin(), source.end(), '\n'),
              std::count(text.begin(), text.end(), '\n'));
  }
}

TEST(CudaRewrite, FindsWhatTheExecutorLacks) {
  const auto feature = FindUnsupportedFeature("// cute\n\nauto g = cg::this_grid();\n");
  ASSERT_TRUE(feature.has_value());
  EXPECT_EQ(feature->name, "this_grid");
  EXPECT_EQ(feature->line, 3u);
  EXPECT_TRUE(FindUnsupportedFeature("cublasCreate(&handle);").has_value());
  EXPECT_FALSE(FindUnsupportedFeature("int cutlass_count; // cute\n").has_value());
}

}  // namespace
}  // namespace kernelmill
