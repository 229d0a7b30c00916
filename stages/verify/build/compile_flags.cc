#include "stages/verify/build/compile_flags.h"

#include "stages/verify/build/executor_sources.h"

namespace kernelmill {

// x86-64-v3 has fused multiply-add, which CUDA's compiler uses too.
std::vector<std::string> LanguageFlags() {
  return {"-std=c++20", "-O2", "-march=x86-64-v3", "-ffp-contract=fast", "-fPIC", "-w",
          "-fno-math-errno", "-fno-strict-aliasing",
          // On a device, integers wrap around, and address 0 is an invalid address like others.
          "-fwrapv", "-fno-delete-null-pointer-checks",
          // As in CUDA's compiler, calls on the two sides of a branch stay two calls:
          // __activemask() tells them apart.
          "-fconvergent-functions", "-mllvm", "-enable-tail-merge=false",
          // In a kernel, `new` returns a null pointer where the heap of the device has no room.
          "-fcheck-new",
          // On a device, conversions to integers saturate. The compiler must not assume that a
          // variable which only one lane sets, before all lanes read it with a shuffle, is set in
          // all lanes. Uninitialised floats are NaN.
          "-fno-strict-float-cast-overflow", "-ftrivial-auto-var-init=pattern", "-fno-finite-loops",
          // As in CUDA's compiler, dim3{n, 1} with an int is not an error.
          "-Wno-c++11-narrowing", "-fvisibility-inlines-hidden", "-ferror-limit=20",
          "-fno-caret-diagnostics", "-fmacro-backtrace-limit=1", "-ftemplate-backtrace-limit=3"};
}

// Flags for precompiled headers. They do not record file times; otherwise a header of a reinstalled
// torch with the same bytes would be taken for another one, and its contents would be defined
// twice.
const std::vector<std::string>& PrecompiledFlags() {
  static const std::vector<std::string> kFlags = {"-x", "c++-header", "-Xclang",
                                                  "-fno-pch-timestamp"};
  return kFlags;
}

// The flags that instrument kernels. Failed checks call functions of runtime/compiler_checks.cc.
// The check of alignment is that of the plain build, in which every candidate runs (AccessesOf() in
// extension_build.cc). Debug information is limited to line tables, in the version that
// runtime/line_table.cc reads.
std::vector<std::string> KindFlags(BuildKind kind) {
  if (kind == BuildKind::kPlain) return {"-fsanitize=alignment"};
  std::vector<std::string> flags = {"-gline-tables-only", "-gdwarf-4"};
  if (kind == BuildKind::kRaces || kind == BuildKind::kCounts) {
    flags.insert(
        flags.end(),
        {"-DKERNELMILL_TRACE_ACCESSES", "-fsanitize-coverage=trace-loads,trace-stores,func",
         // Accesses of more than 16 bytes, and those of memset, have no callback.
         "-fno-vectorize", "-fno-slp-vectorize", "-mllvm", "-disable-loop-idiom-all"});
  }
  if (kind == BuildKind::kCounts) {
    // Accesses of different branches are not merged, so that each access of the source is counted
    // once.
    flags.insert(flags.end(),
                 {std::string("-D") + MacroOfKind(kind), "-O1", "-fno-unroll-loops", "-mllvm",
                  "-sink-common-insts=false", "-mllvm", "-hoist-common-insts=false"});
  }
  if (kind == BuildKind::kMemory) {
    flags.insert(flags.end(),
                 {// The optimiser must not exploit the undefined behaviour that the checks find.
                  "-O1", "-fsanitize=address", "-fsanitize-recover=address",
                  "-fsanitize=array-bounds,alignment,shift-exponent,integer-divide-by-zero,"
                  "float-cast-overflow",
                  // Failed checks are not merged, so that each has its own line.
                  "-mllvm", "-ubsan-unique-traps",
                  // In functions with more accesses than this, which are unrolled loops, calls
                  // check them: they run briefly here, and compile in half the time.
                  "-mllvm", "-asan-instrumentation-with-call-threshold=100"});
  }
  return flags;
}

// Flags for candidates' own sources. Assembly that is not empty is an error, in host code and in
// kernels alike: its bytes would be instructions that the compiler did not choose. A device's has
// become calls by then (parsers/inline_assembly.h). Empty assembly, which orders accesses, has no
// instructions, and the precompiled headers may have assembly. library_symbols.h closes the other
// way to such bytes, data in a section of code; allowed_symbols.h says what no check of a library
// can close.
const std::vector<std::string>& CandidateFlags() {
  static const std::vector<std::string> kFlags = {"-fno-gnu-inline-asm"};
  return kFlags;
}

std::string SourceFolderFlag(const std::string& extension) {
  return std::string("-fmacro-prefix-map==") + kSourcesRoot + extension + "/";
}

std::vector<std::string> LinkFlags(BuildKind kind) {
  std::vector<std::string> flags = {
      std::string(kPrelude) + "/prelude.o", "-shared", "-fuse-ld=lld", "-ffunction-sections",
      "-Wl,--gc-sections", "-Wl,--threads=1",
      // A library with TORCH_LIBRARY does not define kernelmill_bind.
      "-Wl,--undefined-version",
      std::string("-Wl,--version-script=") + kRuntime + "/exported_symbols",
      // No byte of a constant lies on a page that is executed.
      "-Wl,-z,separate-code", std::string("-L") + kTorch + "/lib", "-ltorch_cpu", "-lc10",
      std::string("-L") + kRuntime, std::string("-l:") + kExecutorLibrary};
  // Functions that a device has in another way than the C library: the heap and printf() are those
  // of the device where a kernel calls them (runtime/device); those of single precision are as
  // exact as a device's (runtime/device_functions.cc); fmaxf() and the others of its kind may be
  // called by their addresses.
  for (const char* function : {"expf",
                               "exp2f",
                               "exp10f",
                               "expm1f",
                               "logf",
                               "log2f",
                               "log10f",
                               "log1pf",
                               "sinf",
                               "cosf",
                               "tanf",
                               "sincosf",
                               "asinf",
                               "acosf",
                               "atanf",
                               "atan2f",
                               "sinhf",
                               "coshf",
                               "tanhf",
                               "asinhf",
                               "acoshf",
                               "atanhf",
                               "cbrtf",
                               "powf",
                               "hypotf",
                               "erff",
                               "erfcf",
                               "tgammaf",
                               "lgammaf",
                               "fmaxf",
                               "fminf",
                               "fmax",
                               "fmin",
                               "printf",
                               "malloc",
                               "free",
                               "_Znwm",
                               "_Znam",
                               "_ZnwmRKSt9nothrow_t",
                               "_ZnamRKSt9nothrow_t",
                               "_ZdlPv",
                               "_ZdaPv",
                               "_ZdlPvm",
                               "_ZdaPvm"}) {
    flags.push_back(std::string("-Wl,--wrap=") + function);
  }
  for (const char* check :
       {"type_mismatch_v1", "out_of_bounds", "shift_out_of_bounds", "divrem_overflow",
        "float_cast_overflow"}) {
    flags.push_back(std::string("-Wl,--wrap=__ubsan_handle_") + check);
  }
  if (kind == BuildKind::kMemory) {
    // The sanitizer's functions come from its library, which the process has loaded already.
    flags.insert(flags.end(), {"-fsanitize=address", "-shared-libasan"});
  } else {
    flags.insert(flags.end(), {"-Wl,-z,defs", "-fno-sanitize-link-runtime"});
  }
  return flags;
}

std::vector<std::string> TorchIncludes() {
  const std::string include = std::string(kTorch) + "/include";
  return {"-isystem", include, "-isystem", include + "/torch/csrc/api/include"};
}

std::vector<std::string> CudaIncludes() { return {std::string("-I") + kRuntime + "/include"}; }
std::vector<std::string> VendorIncludes() { return {std::string("-I") + kRuntime + "/vendor"}; }

// Clang's CUDA mode for this machine: neither CUDA's headers nor clang's wrappers of them, but
// clang's own headers, to which those wrappers belong. Device code is checked and emitted, not host
// code. Clang looks for an installed CUDA otherwise, whose version decides how a launch is compiled
// and whether device code may declare functions like fprintf: both must be so on every machine.
std::vector<std::string> CudaModeFlags() {
  return {"-x",
          "cuda",
          "--cuda-host-only",
          "--cuda-path=/no/cuda",
          "-Xclang",
          "-target-sdk-version=12.5",
          "-Xclang",
          "-fcuda-allow-variadic-functions",
          "-nogpuinc",
          "-nogpulib",
          "-nobuiltininc",
          "-Xclang",
          "-fcuda-is-device",
          "-std=c++20",
          "-O2",
          "-march=x86-64-v3",
          "-fPIC",
          "-w",
          "-fwrapv",
          "-fno-sized-deallocation",
          "-Wno-c++11-narrowing",
          "-ferror-limit=0",
          "-fno-caret-diagnostics",
          "-fmacro-backtrace-limit=1",
          "-ftemplate-backtrace-limit=3",
          std::string("-I") + kRuntime + "/include",
          std::string("-I") + kRuntime,
          "-isystem",
          "/usr/lib/llvm-19/lib/clang/19/include"};
}

}  // namespace kernelmill
