#include "generators/reasoning/performance_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {

double LeastTime(std::int64_t flops, std::int64_t bytes, const KnownDevice& device) {
  return 1e6 * std::max(static_cast<double>(flops) / device.flops,
                        static_cast<double>(bytes) / device.bandwidth);
}

std::string LeastMicroseconds(std::int64_t flops, std::int64_t bytes, const KnownDevice& device) {
  return MicrosecondsText(LeastTime(flops, bytes, device));
}

double CacheTime(std::int64_t sectors, const KnownDevice& device) {
  if (device.cache_bandwidth <= 0) return 0;
  return 1e6 * static_cast<double>(sectors * kSectorBytes) / device.cache_bandwidth;
}

double SharedTime(std::int64_t passes, const KnownDevice& device) {
  if (device.clock <= 0 || device.multiprocessors <= 0) return 0;
  return 1e6 * static_cast<double>(passes) /
         (device.clock * static_cast<double>(device.multiprocessors));
}

std::string MicrosecondsText(double microseconds) {
  constexpr double kLeast = 1e-3;
  const double micro = std::max(kLeast, microseconds);
  const int place = static_cast<int>(std::floor(std::log10(micro))) - 1;  // Of the second digit.
  const double unit = std::pow(10.0, place);
  char text[40];
  // A part of a unit that only rounding has taken away is no reason to go one lower.
  std::snprintf(text, sizeof text, "%.*f", std::max(0, -place),
                std::floor(micro / unit + 1e-9) * unit);
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

std::string Short(double number) {
  std::string text = Decimal(number);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string CostlyCall(const AnswerCode& code) {
  for (const std::string_view name :
       {"tanhf", "erff", "powf", "expf", "logf", "sinf", "cosf", "expm1f", "log1pf"}) {
    if (code.HasName(name)) return std::string(name);
  }
  return "";
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
