// Step "compile_ports": compiles both versions of a mined port with NVRTC, in the compiler's
// sandbox, as the judge does with answers. Runs in the recipe "sft" after "slice_ports"; "dedup"
// reads the ports that it keeps.
#pragma once

#include <memory>

#include "stages/engine/step.h"
#include "stages/verify/judge/cpu_judge.h"

namespace kernelmill {

// Input: the records about one port (stages/engine/subject_records.h). Outputs them, or rejects the
// port where a kernel of a version is refused or cannot be compiled. Names of the other platform
// become CUDA's first. Nothing runs. Counter: compiled "kernels".
class CompilePortsStep : public Step {
 public:
  std::string_view Name() const override { return "compile_ports"; }
  int Version() const override { return 1; }
  Json Parameters() const override { return Json::Object{}; }
  Result<std::string> Surroundings() const override { return ExecutorKey(); }
  Result<std::unique_ptr<Lane>> OpenLane() override;
  Result<Outcome> Process(const Input& input, Lane& lane) override;
};

}  // namespace kernelmill
