// Parses the worker's reply to a request of kind "capture"
// (stages/worker/torch_worker/requests/capture.py): the values and calls of one forward() of a
// module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corpora/operators/tensor_type.h"
#include "manifests/json.h"
#include "manifests/status.h"
#include "stages/verify/reference/size_sets.h"

namespace kernelmill {

struct CapturedValue {
  enum class Role { kInput, kParameter, kBuffer, kConstant, kResult };
  // Absent if graphs do not support its dtype or its number of dimensions.
  std::optional<TensorType> type;
  std::vector<std::int64_t> stride;
  std::int64_t memory = 0;  // Identifies its storage: values with the same number may overlap.
  Role role = Role::kResult;
  // For parameters and buffers their name, such as "blocks.0.weight". For an input that is itself
  // an argument of forward(), the argument's position, such as "0".
  std::string name;
};

struct CapturedArgument {
  std::string name;  // Empty if unknown.
  Json value;
  bool is_default = false;
};

struct CapturedCall {
  std::string function;                     // "torch.nn.functional.gelu", "torch.Tensor.add".
  std::vector<CapturedArgument> arguments;  // In order.
  std::vector<int> results;                 // Indices into CapturedRun::values.
  bool writes = false;                      // The results are operands that the call modifies in
                                            // place.
};

struct CapturedRun {
  std::string obstacle;  // Why torch could not run it without data, so that nothing is captured.
  std::vector<CapturedValue> values;
  std::vector<CapturedCall> calls;
  std::vector<int> outputs;
  std::int64_t arguments = 0;   // Number of arguments of forward(), tensors or not.
  std::vector<SizeSite> sites;  // Numbers in the module's text that can be changed to capture it at
                                // other sizes.
  // Integer attributes of the module and its submodules, by their Python path.
  std::vector<std::pair<std::string, std::int64_t>> module_integers;

  // kWorker if the reply is malformed.
  static Result<CapturedRun> FromJson(const Json& reply);
  // Removes the calls that no output depends on, such as shape checks and batch counters. Returns
  // false if a value is used after its memory was modified through another value: the captured
  // values then do not describe the computation.
  bool KeepWhatOutputsNeed();

 private:
  bool ReadsOldValues(const CapturedCall& write, const std::vector<bool>& needed) const;
};

// The indices of the values in an argument, in order, including those inside lists.
std::vector<int> ValuesIn(const Json& argument);

}  // namespace kernelmill
