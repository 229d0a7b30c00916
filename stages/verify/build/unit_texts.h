// The texts of the translation units that a candidate's extension is built of: the macros that its
// compilers' flags leave, the rewritten sources and the binding. extension_build.h compiles them.
#pragma once

#include <string>
#include <vector>

#include "stages/verify/build/cuda_toolchain.h"
#include "stages/verify/build/extension.h"
#include "stages/verify/build/extension_cache.h"

namespace kernelmill {

struct SourceFile {
  std::string name;  // The file's name in diagnostics.
  std::string text;  // The rewritten text.
};

struct Rewritten {
  std::vector<SourceFile> cpp, cuda;
  std::vector<SourceFile> headers;
  // What the units of the C++ compiler and of the device's begin with. A unit of all files is the
  // device's.
  std::string cpp_macros, macros;
  std::string extension;  // The name that __FILE__ shows.
  std::string binding;
  LibraryChoice choice;
  // Whether a file could see that it shares a unit with files of the other compiler.
  bool sides_differ = false;
};

// The sources as the executor runs them.
Rewritten RewriteSources(const ExtensionSources& sources, BuildKind kind);

// The sources without a rewrite. `for_cuda`: names of the device and inline PTX are replaced, as
// CUDA's compiler needs it here.
Rewritten SourcesAsWritten(const ExtensionSources& sources, bool for_cuda);

struct UnitText {
  std::string text;
  std::string extension;  // The name that __FILE__ shows.
};

// One unit of all files, which takes half the time, or one for each as torch builds them.
std::vector<UnitText> UnitsOf(const Rewritten& rewritten, bool one_unit);

}  // namespace kernelmill
