#include "generators/shapes/kernel_remarks.h"

#include <algorithm>

#include "corpora/kernel_backend.h"
#include "corpora/operators/operator_table.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reduced_rows.h"
#include "generators/wording/operator_words.h"
#include "generators/wording/sentence_writer.h"
#include "generators/wording/symbolic_shape_text.h"
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

namespace {

// Calls that one kernel can compute: elementwise ones, and the contraction in front of them.
struct Run {
  std::vector<const OperatorCall*> calls;
  const OperatorCall* epilogue_of = nullptr;
  TensorFacts result;      // The largest shape, to which all others broadcast.
  std::int64_t saved = 0;  // Bytes of intermediate results, written and read.
};

// Whether every dimension of `one`, counted from the last, is that of `other` or 1.
bool Broadcasts(const std::vector<std::int64_t>& one, const std::vector<std::int64_t>& other) {
  if (one.size() > other.size()) return false;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    const std::int64_t size = one[one.size() - i];
    if (size != 1 && size != other[other.size() - i]) return false;
  }
  return true;
}

// Whether it may be a reduction: torch.max is one of a tensor, and elementwise of two.
bool IsNamedLikeReduction(const OperatorCall& call) {
  const OperatorRow* const row = FindOperator(call.name);
  return row != nullptr && row->family == OperatorFamily::kReduction;
}

// The run that begins with this call, and the index of the call behind it.
std::pair<Run, std::size_t> RunAt(const std::vector<OperatorCall>& calls, std::size_t at) {
  Run run;
  std::size_t end = at;
  for (; end < calls.size(); ++end) {
    const bool view = ComputesNothing(calls[end].name) && calls[end].outputs.empty();
    if (view) continue;
    if (!IsElementwise(calls[end])) break;
    const TensorFacts& result = calls[end].outputs[0];
    const bool grows = run.calls.empty() || Broadcasts(run.result.shape, result.shape);
    if (!grows && (!Broadcasts(result.shape, run.result.shape) || IsNamedLikeReduction(calls[end])))
      break;
    if (grows) run.result = result;
    run.calls.push_back(&calls[end]);
  }
  if (run.calls.empty()) return {run, end};
  for (std::size_t i = 0; i + 1 < run.calls.size(); ++i) {
    run.saved += 2 * Bytes(run.calls[i]->outputs[0]);
  }
  if (at > 0 && IsContraction(calls[at - 1]) &&
      calls[at - 1].outputs[0].shape == run.result.shape) {
    run.epilogue_of = &calls[at - 1];
    run.saved += 2 * Bytes(calls[at - 1].outputs[0]);
  }
  return {run, end};
}

}  // namespace

std::string FusibleRun(const Annotation& annotation, const ValueStyle& style) {
  const std::vector<OperatorCall>& calls = annotation.operators;
  Run best;
  for (std::size_t at = 0; at < calls.size();) {
    auto [run, end] = RunAt(calls, at);
    if (run.saved > best.saved) best = std::move(run);
    at = std::max(end, at + 1);
  }
  if (best.saved == 0) return "";
  const std::string names = NamesOf(best.calls);
  const bool one = names.find(' ') == names.npos;
  // What an A100 moves in less time than that is less than what a launch costs.
  constexpr double kMicrosecond = 1;
  const std::size_t launches = best.calls.size() - (best.epilogue_of == nullptr);
  const std::string gain =
      LeastTime(0, best.saved, KnownDeviceOf(kCudaBackend.name)) < kMicrosecond
          ? "that saves " +
                (launches == 1 ? "a launch, which counts"
                               : std::to_string(launches) + " launches, which count") +
                " more here than the up to " + style.Bytes(best.saved) + " of traffic"
          : "intermediate results that stay in registers save up to " + style.Bytes(best.saved) +
                " of writing and reading";
  if (best.epilogue_of != nullptr) {
    const std::string& contraction = best.epilogue_of->name;
    return names + (one ? " depends" : " depend") + " on the result of `" + contraction +
           "` only at the same position, so the kernel of `" + contraction + "` can apply " +
           (one ? "it" : "them") + " to the " + ShapeText(best.result.shape) +
           " elements before it stores: " + gain + ".";
  }
  return (one ? "The calls of " : "") + names + " work element by element on " +
         ShapeText(best.result.shape) + ", so one kernel can compute them all: " + gain + ".";
}

std::string ReductionRemark(const Task& task, const Annotation& annotation,
                            const ValueStyle& style) {
  const std::vector<OperatorCall>& calls = annotation.operators;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const OperatorRow* const row = OperatorCalled(calls[i].name);
    if (row == nullptr || row->family != OperatorFamily::kReduction ||
        calls[i].outputs.size() != 1) {
      continue;
    }
    // The first call reads the input of the task, where there is only one.
    if (i == 0 ? task.inputs.size() != 1
               : calls[i - 1].outputs.size() != 1 || !IsDense(calls[i - 1].outputs[0])) {
      continue;
    }
    const std::vector<std::int64_t>& from =
        i == 0 ? task.inputs[0].shape : calls[i - 1].outputs[0].shape;
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
      // What a block reads in a few steps is not worth a second kernel for partial results.
      constexpr std::int64_t kBlockRow = 16 * 1024;
      return start + (length <= kBlockRow
                          ? ": a block per row reads it in a few steps, and the partial results of "
                            "several blocks would need a second kernel."
                          : ": too few rows to fill a device with one block for each, so several "
                            "blocks should share a row.");
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

std::string IntermediateBuffers(const Annotation& annotation, const SymbolicShapeText& symbols,
                                const ValueStyle& style) {
  constexpr std::size_t kMost = 8;
  std::vector<const OperatorCall*> stored;
  for (const OperatorCall& call : annotation.operators) {
    if (!ComputesNothing(call.name) && !SometimesCopies(call.name) && !call.outputs.empty()) {
      stored.push_back(&call);
    }
  }
  if (stored.empty()) return "There is no buffer to allocate: `forward` only creates views.";
  // What forward() returns is allocated for the caller.
  const std::vector<TensorFacts>& results = annotation.outputs;
  const std::string last = stored.back()->name;
  const std::size_t computed = stored.size();
  std::erase_if(stored, [&](const OperatorCall* call) {
    return call == &annotation.operators.back() ||
           (call == stored.back() && call->outputs.size() == 1 && !results.empty() &&
            ElementsIn(call->outputs[0].shape) == ElementsIn(results.back().shape));
  });
  if (stored.empty()) {
    return computed == 1 ? "There is no intermediate buffer to allocate: `" + last +
                               "` is the only operator that computes, and it stores what `forward` "
                               "returns."
                         : "There is no intermediate buffer to allocate.";
  }
  std::int64_t all = 0;
  std::vector<std::string> items;
  for (const OperatorCall* call : stored) {
    const auto index = static_cast<std::size_t>(call - annotation.operators.data());
    std::string shapes;
    for (std::size_t i = 0; i < call->outputs.size(); ++i) {
      all += Bytes(call->outputs[i]);
      shapes += (i > 0 ? " and " : "") + ShapeText(call->outputs[i].shape);
      if (annotation.symbolic.followed()) {
        shapes += symbols.EqualsSuffix(annotation.symbolic.operators[index][i]);
      }
    }
    items.push_back("`" + call->name + "` " + shapes + ", " + style.Bytes(Bytes(call->outputs[0])));
  }
  const std::size_t count = items.size();
  std::string text = count == 1 ? "With one kernel per operator there is one intermediate buffer: "
                                : "With one kernel per operator these intermediate buffers are "
                                  "needed: ";
  if (items.size() > kMost) items.resize(kMost);
  for (const std::string& item : items) text += (&item == &items[0] ? "" : "; ") + item;
  if (count > kMost) text += "; and " + std::to_string(count - kMost) + " more";
  if (count == 1) return text + ".";
  return text + ". Together they take " + style.Bytes(all) +
         "; a buffer is free again after its last reader.";
}

std::string LeastTraffic(const Task& task, const Annotation& annotation, const ValueStyle& style) {
  const std::int64_t bytes = BoundaryBytes(task, annotation), flops = annotation.flops;
  const auto kernels = ComputingOperators(annotation).size();
  // Views move nothing.
  if (bytes <= 0 || kernels == 0) return "";
  const KnownDevice& device = KnownDeviceOf(kCudaBackend.name);
  const double moving = LeastTime(0, bytes, device), computing = LeastTime(flops, 0, device);
  constexpr double kShortLaunch = 2, kLongLaunch = 5;
  const bool arithmetic = computing > moving;
  const std::string start =
      "Inputs, parameters and outputs together are " + style.Bytes(bytes) + ", which an A100 (" +
      std::string(arithmetic ? device.peaks : "1.56 TB/s") + ") moves in no less than " +
      LeastMicroseconds(0, bytes, device) + " µs";
  const std::string computed = "the " + style.Count(flops) + " FLOPs take at least " +
                               LeastMicroseconds(flops, 0, device) + " µs";
  const bool contracts = std::any_of(annotation.operators.begin(), annotation.operators.end(),
                                     [](const OperatorCall& call) { return IsContraction(call); });
  const std::string few =
      kernels > 1 ? "what counts is how few kernels there are."
      : contracts ? "one kernel is enough, if it reuses what it loads and stays near these bounds."
                  : "one kernel is enough, and hardly anything inside it matters.";
  // A contraction needs both bounds, since loads that are not reused keep it far from them.
  const bool both = arithmetic || contracts;
  const double work = std::max(moving, computing);
  if (work < kShortLaunch) {
    return start +
           (both ? "; " + computed + ". Both are less than a launch: " : ", less than a launch: ") +
           few;
  }
  if (work < kShortLaunch * static_cast<double>(kernels)) {
    return start + (both ? "; " + computed + ". Both are" : ",") + " less than the launches of " +
           style.Count(static_cast<std::int64_t>(kernels)) + " kernels: " + few;
  }
  if (arithmetic) {
    return start + ", but " + computed +
           (computing < kLongLaunch ? ", about as long as a launch, so both count."
                                    : ", so arithmetic decides the time.");
  }
  return start + (moving < kLongLaunch
                      ? ", about as long as a launch, so both the launches and the bytes count."
                      : ", longer than the launches: what counts is that each byte moves once.");
}

}  // namespace kernelmill
