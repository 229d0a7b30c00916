#include "generators/reasoning/performance_numbers.h"

#include <algorithm>
#include <cstdio>

#include "corpora/kernel_backend.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kSectorBytes = 32;

}  // namespace

const KnownDevice& KnownDeviceOf(std::string_view backend) {
  static const KnownDevice kA100 = {"A100", "1.56 TB/s, 19.5 TFLOP/s in FP32",
                                    "带宽 1.56 TB/s，FP32 算力 19.5 TFLOP/s", 1.56e12, 19.5e12};
  static const KnownDevice kS4000 = {"MTT S4000", "768 GB/s, 25 TFLOP/s in FP32",
                                     "带宽 768 GB/s，FP32 算力 25 TFLOP/s", 768e9, 25e12};
  return backend == kMusaBackend.name ? kS4000 : kA100;
}

std::string LeastMicroseconds(std::int64_t flops, std::int64_t bytes, const KnownDevice& device) {
  const double micro = 1e6 * std::max(static_cast<double>(flops) / device.flops,
                                      static_cast<double>(bytes) / device.bandwidth);
  char text[40];
  std::snprintf(text, sizeof text, micro < 10 ? "%.1f" : "%.0f", std::max(micro, 0.1));
  return text;
}

std::string SpeedText(double speed) {
  char text[40];
  std::snprintf(text, sizeof text, speed < 1 ? "%.2f" : speed < 10 ? "%.1f" : "%.0f", speed);
  return text;
}

std::string Decimal(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

std::int64_t BoundaryBytes(const Task& task, const Annotation& facts) {
  std::int64_t bytes = 0;
  for (const InputSpec& input : task.inputs) bytes += BytesIn(input.shape, input.dtype);
  for (const ParameterFacts& parameter : facts.parameters) {
    bytes += BytesIn(parameter.shape, parameter.dtype);
  }
  for (const TensorFacts& output : facts.outputs) bytes += BytesIn(output.shape, output.dtype);
  return bytes;
}

double TimesOfPlannedBytes(const Candidate& answer) {
  const CountedWork work = CountedWorkOf(answer.verdict);
  const std::int64_t planned = PlannedBytes(answer);
  if (!work.all_counted || !answer.verdict.sizes.empty() || planned <= 0) return 0;
  return static_cast<double>(work.sectors * kSectorBytes) / static_cast<double>(planned);
}

}  // namespace kernelmill
