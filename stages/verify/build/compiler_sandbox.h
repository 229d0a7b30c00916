// Runs compilers in a bubblewrap sandbox without network or other processes, because they compile
// sources that candidates wrote. They can read /usr and given folders and write one folder; time,
// memory and output are limited. CudaToolchain runs clang in it, DeviceCompiler NVIDIA's compiler.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

struct CompilerMount {
  std::filesystem::path outside;
  std::string inside;  // The same on every machine, so that the compiler's output is the same too.
};

struct CompilerRun {
  int exit_status = 0;     // 128 + the signal if a signal ended it.
  bool hit_limit = false;  // It reached a limit of ours; never an end that came from elsewhere.
  std::string output;  // Standard output and error, the first 256 KiB.
};

class CompilerSandbox {
 public:
  static constexpr char kOutput[] = "/km/output";
  static constexpr char kCompiler[] = "/usr/bin/clang++-19";

  // `cpu_seconds` bounds the processor time of each process in the sandbox. Wall time is bounded by
  // ten times that plus ten seconds, because a loaded machine gives only a fraction of a core.
  CompilerSandbox(std::vector<CompilerMount> readable, std::filesystem::path output,
                  int cpu_seconds);

  // Runs `arguments` (the first is a program's path inside) in the output folder. kEnvironment when
  // bubblewrap or the program is missing, kSandbox when the machine allows no namespaces,
  // kInterrupted as soon as the run is asked to stop. A compiler that ends for a reason that is
  // neither its source nor a limit of ours (another program kills it, memory or processes run out)
  // runs again; kWorker if that goes on.
  Result<CompilerRun> Run(const std::vector<std::string>& arguments) const;

 private:
  // Returns why the end says nothing of the source; empty when it does.
  Result<std::string> RunOnce(const std::vector<std::string>& command, CompilerRun* run) const;

  std::vector<CompilerMount> readable_;
  std::filesystem::path output_;
  int cpu_seconds_;
};

}  // namespace kernelmill
