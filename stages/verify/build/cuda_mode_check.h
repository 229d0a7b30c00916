// Checks what only a compiler that knows CUDA can say of a candidate: which code is the host's and
// which the device's. BuildExtension() (extension_build.h) asks for it once a library is built,
// because for that build all code is the host's: the compiler reads the candidate's own text in
// clang's CUDA mode (CudaToolchain::CompileInCudaMode), with its macros and templates.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/kernel_backend.h"
#include "manifests/status.h"
#include "stages/verify/build/cuda_toolchain.h"
#include "stages/verify/build/unit_texts.h"

namespace kernelmill {

struct CudaModeCheck {
  // Why the candidate is no CUDA program, with files and lines; empty if it is one.
  std::string refused;
  // Why the executor cannot run it although it may be one; empty if it can.
  std::string unsupported;
};

// The units as the host's compiler gets them: their macros are expanded, and __CUDA_ARCH__, which
// only a compilation for a device defines, is not among them. Code of the host must be legal in
// this form too (CandidateLibraries). Headers that do not lie in `folder` are left out.
Result<std::string> TextForHost(const std::vector<UnitText>& units, const CudaToolchain& toolchain,
                                const std::filesystem::path& folder);

// The headers that the units include, and nothing else, lie in `folder`, which the compiler may
// write to. `language`: that of the candidate's flags. All builds are C++20; where the candidate
// asks for an earlier one, its device code must be the same in that.
Result<CudaModeCheck> CheckInCudaMode(const std::vector<UnitText>& units,
                                      const KernelBackend& backend, const CudaToolchain& toolchain,
                                      const CudaRuntime& runtime,
                                      const std::filesystem::path& folder,
                                      const std::string& language);

// What the device's code does with addresses of functions.
struct PointerCalls {
  std::string caller;          // A function that calls by a pointer, or by a number; or empty.
  bool takes_address = false;  // Whether code or a variable holds the address of a function.
  std::string foreign;         // Such a function that the device's code does not define; or empty.
  bool has_virtual = false;    // Whether it has a table of virtual functions.
};

// Of the parts of the check, for tests: what the compiler's messages say of the sides, and what
// the device's code in LLVM's textual form says.
std::string SideErrorsIn(std::string_view log);
std::string StaticVariableIn(std::string_view device_code);
PointerCalls PointerCallsIn(std::string_view device_code);

}  // namespace kernelmill
