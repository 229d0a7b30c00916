// clang in a bubblewrap: no network, no process of the outside, /usr and the folders it is given to
// read, one folder to write, limits on time, memory and output.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manifests/status.h"

namespace kernelmill {

struct CompilerMount {
  std::filesystem::path outside;
  std::string inside;  // The same on every machine, so that what the compiler writes is too.
};

struct CompilerRun {
  int exit_status = 0;  // 128 + the signal that ended it.
  bool hit_limit = false;
  std::string output;  // Standard output and error, the first 256 KiB.
};

class CompilerSandbox {
 public:
  static constexpr char kOutput[] = "/km/output";
  static constexpr char kCompiler[] = "/usr/bin/clang++-19";

  // `cpu_seconds` bounds the processor time of each process in it, ten times that and ten seconds
  // the time on the clock: a loaded machine gives a fraction of a core.
  CompilerSandbox(std::vector<CompilerMount> readable, std::filesystem::path output,
                  int cpu_seconds);

  // Runs `arguments` (the first is a program's path inside) in the output folder. kNotFound when
  // bubblewrap or the program is missing, kSandbox when the machine allows no namespaces,
  // kInterrupted as soon as the run is asked to stop.
  Result<CompilerRun> Run(const std::vector<std::string>& arguments) const;

 private:
  std::vector<CompilerMount> readable_;
  std::filesystem::path output_;
  int cpu_seconds_;
};

}  // namespace kernelmill
