// Finds results that torch's operators have made of the inputs and parameters alone: a candidate
// whose kernel only copies such a result, or launches beside it, has not computed it.
//
// An operator's result is torch's own if the memory that each tensor among its operands lies in
// holds what a given tensor holds, or what is torch's own already. So a kernel that copies a value
// does not make it the candidate's, and one that changes memory does. Contents are compared by a
// hash. That of floating-point numbers does not depend on their order; numbers of other types,
// which tell less, are hashed with their places.
//
// Used by the thread that calls forward(); bounded by kMostBytes and kMostOfAll.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kernelmill {

class TorchResults {
 public:
  // Begins to follow operators. `given`: the inputs and parameters.
  void Begin(const std::vector<at::Tensor>& given);
  bool active() const { return active_; }

  // What an operator takes, before it runs.
  struct Operands {
    bool torchs_own = true;            // As far as memory tells that the operator changes.
    std::vector<at::Tensor> read;      // Whose values it does not change.
    std::vector<at::Tensor> written;
  };
  Operands Before(c10::ArrayRef<const c10::IValue> inputs, const std::vector<bool>& written,
                  bool overwrites);
  // What it has made: tensors in memory of its own, and those that it has written.
  void After(const char* name, const Operands& operands, const std::vector<at::Tensor>& made);

  // Ends. The operator that has made one of the outputs; "" if none has.
  std::string MakerOf(const std::vector<at::Tensor>& outputs);
  // The operators that have made what was not given, in order: calls that go the same way have the
  // same trace.
  const std::string& trace() const { return trace_; }

 private:
  struct Content {
    std::uint64_t hash = 0;
    bool constant = true;
    auto operator<=>(const Content&) const = default;
  };
  // Nothing for a tensor whose content is not followed.
  std::optional<Content> ContentOf(const at::Tensor& tensor);
  std::optional<Content> ContentOfMemory(const at::Tensor& tensor);
  std::vector<Content> ContentsOf(const at::Tensor& tensor);
  bool IsKnown(const at::Tensor& tensor);
  // Finds conversions of what conversions have rounded (torch_moves.h).
  void FollowRounded(const char* name, const std::vector<at::Tensor>& read,
                     const std::vector<at::Tensor>& made);

  bool active_ = false;
  std::size_t hashed_ = 0;
  std::set<Content> given_;
  std::map<Content, std::string> made_;  // Torch's own results, and what has made each.
  std::set<Content> rounded_;
  std::string trace_;
};
TorchResults& TheTorchResults();

}  // namespace kernelmill
