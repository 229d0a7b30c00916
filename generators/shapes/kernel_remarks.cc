#include "generators/shapes/kernel_remarks.h"

#include <algorithm>

#include "corpora/kernel_backend.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reduced_rows.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/sentence_writer.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

bool IsElementwise(const OperatorCall& call) {
  const OperatorRow* const row = OperatorCalled(call.name);
  using enum OperatorFamily;
  return row != nullptr && call.outputs.size() == 1 && row->words.like_family &&
         (row->family == kActivation || row->family == kElementwise || row->family == kComparison ||
          row->family == kSelection || row->family == kCast);
}

bool IsContraction(const OperatorCall& call) {
  const OperatorRow* const row = OperatorCalled(call.name);
  using enum OperatorFamily;
  return row != nullptr && call.outputs.size() == 1 &&
         (row->family == kMatmul || row->family == kConvolution ||
          row->family == kTransposedConvolution);
}

bool IsDense(const TensorFacts& tensor) {
  const std::vector<std::int64_t> dense = RowMajorStrides(tensor.shape);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    // The stride of a dimension of size 1 does not matter.
    if (tensor.shape[i] > 1 && (i >= tensor.stride.size() || tensor.stride[i] != dense[i])) {
      return false;
    }
  }
  return true;
}

std::int64_t Bytes(const TensorFacts& tensor) { return BytesIn(tensor.shape, tensor.dtype); }

std::string NamesOf(const std::vector<const OperatorCall*>& calls) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> names;
  for (const OperatorCall* call : calls) {
    const std::string name = "`" + call->name + "`";
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.size() <= kMost) return Listed(names);
  names.resize(kMost - 1);
  names.push_back("others");
  return Listed(names);
}

}  // namespace

std::string LargestResult(const Task& task, const Annotation& annotation, const ValueStyle& style) {
  std::int64_t most = 0;
  for (const InputSpec& input : task.inputs) {
    most = std::max(most, BytesIn(input.shape, input.dtype));
  }
  for (const TensorFacts& output : annotation.outputs) most = std::max(most, Bytes(output));
  const TensorFacts* largest = nullptr;
  const OperatorCall* call_of_largest = nullptr;
  for (const OperatorCall& call : annotation.operators) {
    // A view takes no memory of its own.
    if (ComputesNothing(call.name) || SometimesCopies(call.name)) continue;
    for (const TensorFacts& output : call.outputs) {
      if (Bytes(output) <= most || !IsDense(output)) continue;
      most = Bytes(output);
      largest = &output;
      call_of_largest = &call;
    }
  }
  if (largest == nullptr) return "";
  std::string what = "the result of `" + call_of_largest->name + "`";
  for (const LineValue& value : annotation.values) {
    if (value.line == call_of_largest->line && value.tensor.shape == largest->shape &&
        value.name != "return") {
      what = "`" + value.name + "`";
    }
  }
  std::string text =
      "The largest intermediate tensor is " + what + ", " + ShapeText(largest->shape) + " with " +
      style.Count(ElementsIn(largest->shape)) + " elements (" + style.Bytes(most) + ")";
  const auto next = static_cast<std::size_t>(call_of_largest - annotation.operators.data()) + 1;
  if (next < annotation.operators.size() && !IsContraction(*call_of_largest)) {
    const OperatorCall& user = annotation.operators[next];
    const OperatorRow* const row = OperatorCalled(user.name);
    if (row != nullptr && row->family == OperatorFamily::kReduction && user.outputs.size() == 1 &&
        ReducedDimension(largest->shape, user.outputs[0].shape)) {
      return text + "; `" + user.name +
             "` reduces it at once, so a kernel that computes its elements in the loop of `" +
             user.name + "` never stores it.";
    }
  }
  return text + ".";
}

std::string FusibleRun(const Annotation& annotation, const ValueStyle& style) {
  const std::vector<OperatorCall>& calls = annotation.operators;
  std::vector<const OperatorCall*> best;
  const OperatorCall* epilogue = nullptr;  // The contraction in front of it.
  for (std::size_t at = 0; at < calls.size();) {
    if (!IsElementwise(calls[at])) {
      ++at;
      continue;
    }
    std::vector<const OperatorCall*> run;
    std::size_t end = at;
    for (; end < calls.size(); ++end) {
      const bool view = ComputesNothing(calls[end].name) && calls[end].outputs.empty();
      if (view) continue;
      if (!IsElementwise(calls[end]) || calls[end].outputs[0].shape != calls[at].outputs[0].shape) {
        break;
      }
      run.push_back(&calls[end]);
    }
    const bool behind = at > 0 && IsContraction(calls[at - 1]) &&
                        calls[at - 1].outputs[0].shape == calls[at].outputs[0].shape;
    if (run.size() + behind > best.size() + (epilogue != nullptr) && run.size() + behind > 1) {
      best = run;
      epilogue = behind ? &calls[at - 1] : nullptr;
    }
    at = std::max(end, at + 1);
  }
  if (best.empty()) return "";
  const TensorFacts& result = best.back()->outputs[0];
  const std::string names = NamesOf(best);
  const bool one = names.find(' ') == names.npos;
  const std::string size = style.Bytes(Bytes(result));
  if (epilogue != nullptr) {
    return names + (one ? " depends" : " depend") + " on the result of `" + epilogue->name +
           "` only at the same position, so the kernel of `" + epilogue->name + "` can apply " +
           (one ? "it" : "them") + " before it stores: each intermediate result of shape " +
           ShapeText(result.shape) + " that stays in registers saves writing " + size +
           " and reading them again.";
  }
  return (one ? "The calls of " : "") + names + " work element by element on " +
         ShapeText(result.shape) +
         ", so one kernel can compute them all: each intermediate result that stays in registers "
         "saves writing " +
         size + " and reading them again.";
}

std::string ReductionRemark(const Annotation& annotation, const ValueStyle& style) {
  const std::vector<OperatorCall>& calls = annotation.operators;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const OperatorRow* const row = OperatorCalled(calls[i].name);
    if (row == nullptr || row->family != OperatorFamily::kReduction ||
        calls[i].outputs.size() != 1 || calls[i - 1].outputs.size() != 1 ||
        !IsDense(calls[i - 1].outputs[0])) {
      continue;
    }
    const std::vector<std::int64_t>& from = calls[i - 1].outputs[0].shape;
    const auto dimension = ReducedDimension(from, calls[i].outputs[0].shape);
    if (!dimension) continue;
    const std::int64_t length = from[*dimension], results = ElementsIn(calls[i].outputs[0].shape);
    std::int64_t stride = 1;
    for (std::size_t d = *dimension + 1; d < from.size(); ++d) stride *= from[d];
    const std::string start = "`" + calls[i].name + "` reduces " + style.Count(results) +
                              (stride == 1    ? results == 1 ? " row of " : " rows of "
                               : results == 1 ? " column of "
                                              : " columns of ") +
                              style.Count(length) + " elements";
    constexpr std::int64_t kWarpRow = 1024, kFew = 64;
    if (stride > 1) {
      return start + ", which lie " + style.Count(stride) +
             " elements apart; neighbouring results lie side by side, so neighbouring threads "
             "should take neighbouring results.";
    }
    if (results < kFew && length > kWarpRow) {
      return start +
             ": too few rows to fill a device with one block for each, so several blocks "
             "have to share a row.";
    }
    return start + (length <= kWarpRow
                        ? ": a warp per row reads neighbouring elements and needs no barrier."
                        : ": a block per row keeps enough loads in flight.");
  }
  return "";
}

std::string StridedValue(const Annotation& annotation) {
  for (const LineValue& value : annotation.values) {
    const TensorFacts& tensor = value.tensor;
    if (tensor.stride.size() != tensor.shape.size() || IsDense(tensor)) continue;
    const std::string name =
        value.name == "return" ? "The returned tensor" : "`" + value.name + "`";
    const std::string start =
        name + " is not contiguous, with strides " + ShapeText(tensor.stride) + ": ";
    const std::size_t last = tensor.shape.size() - 1;
    for (std::size_t d = 0; d <= last; ++d) {
      if (tensor.stride[d] != 0 || tensor.shape[d] < 2) continue;
      return start + "along dimension " + std::to_string(d) + " of size " +
             std::to_string(tensor.shape[d]) +
             " all elements share one place in memory, so a kernel that uses the strides reads "
             "each of them from the cache, and a copy would only add traffic.";
    }
    if (tensor.shape[last] < 2 || tensor.stride[last] == 1) {
      return start +
             "its rows are contiguous and only farther apart than their length, so a kernel that "
             "uses the strides reads it coalesced and needs no copy.";
    }
    for (std::size_t d = 0; d <= last; ++d) {
      if (tensor.stride[d] != 1 || tensor.shape[d] < 2) continue;
      return start + "neighbours along its last dimension lie " +
             std::to_string(tensor.stride[last]) +
             " elements apart, so neighbouring threads should go along dimension " +
             std::to_string(d) + ", or the tensor has to be transposed by way of shared memory.";
    }
    return start + "neighbours along its last dimension lie " +
           std::to_string(tensor.stride[last]) +
           " elements apart, so a warp does not use all of the sectors that it loads; a copy pays "
           "only where the tensor is read several times.";
  }
  return "";
}

std::string LeastTraffic(const Task& task, const Annotation& annotation, const ValueStyle& style) {
  const std::int64_t bytes = BoundaryBytes(task, annotation);
  if (bytes <= 0) return "";
  const std::vector<std::string> computing = ComputingOperators(annotation);
  std::string start;
  for (const OperatorCall& call : annotation.operators) {
    if (computing.size() != 1 || call.name != computing[0] || !IsElementwise(call)) continue;
    start =
        "`" + call.name + "` is one kernel over the " +
        style.Count(ElementsIn(call.outputs[0].shape)) +
        " elements of its result, for which only their number counts and not the shape, as long "
        "as its operands are contiguous and of one shape. ";
    break;
  }
  const KnownDevice& device = KnownDeviceOf(kCudaBackend.name);
  const double time = LeastTime(0, bytes, device);
  constexpr double kShortLaunch = 2, kLongLaunch = 5;
  return start + "Inputs, parameters and outputs together are " + style.Bytes(bytes) +
         "; to move each of them once takes at least " + LeastMicroseconds(0, bytes, device) +
         " µs on an A100 (1.56 TB/s), " +
         (time < kShortLaunch ? "less than a launch, so the number of launches decides the time."
          : time < kLongLaunch
              ? "about as long as a launch, so the number of launches counts as much as the bytes."
              : "longer than a launch, so the bytes that the kernels move decide the time.");
}

}  // namespace kernelmill
