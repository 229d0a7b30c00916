// One forward of a module as the worker saw it: the reply to a request of kind "capture"
// (stages/worker/torch_worker/requests/capture.py), as a struct.
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
  // Nothing where its dtype or its number of dimensions is none that graphs have.
  std::optional<TensorType> type;
  std::vector<std::int64_t> stride;
  std::int64_t memory = 0;  // Values of one number may overlap.
  Role role = Role::kResult;
  // Of parameters and buffers: "blocks.0.weight". Of an input that is an argument of forward()
  // itself, its number: "0".
  std::string name;
};

struct CapturedArgument {
  std::string name;  // Empty where it is not known.
  Json value;
  bool is_default = false;
};

struct CapturedCall {
  std::string function;                     // "torch.nn.functional.gelu", "torch.Tensor.add".
  std::vector<CapturedArgument> arguments;  // In the order of the call.
  std::vector<int> results;                 // Indexes of values.
  bool writes = false;                      // Its results are operands that it has written to.
};

struct CapturedRun {
  std::vector<CapturedValue> values;
  std::vector<CapturedCall> calls;
  std::vector<int> outputs;
  std::int64_t arguments = 0;   // That forward() was given, tensors or not.
  std::vector<SizeSite> sites;  // Of the module's text: what other sizes it may be captured at.
  // Integers that the module and those inside of it hold, as Python reaches them.
  std::vector<std::pair<std::string, std::int64_t>> numbers;

  // kWorker when the reply is none that the worker sends.
  static Result<CapturedRun> FromJson(const Json& reply);
  // Without the calls that no output depends on: checks of shapes, counters of batches. False where
  // a value is used after its memory was written to under another name: then values are no values.
  bool KeepWhatOutputsNeed();

 private:
  bool ReadsOldValues(const CapturedCall& write, const std::vector<bool>& needed) const;
};

// The values that an argument names, in order, those of lists too.
std::vector<int> ValuesIn(const Json& argument);

}  // namespace kernelmill
