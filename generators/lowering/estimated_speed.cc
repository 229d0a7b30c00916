#include "generators/lowering/estimated_speed.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "generators/lowering/measured_speed.h"

namespace kernelmill {
namespace {

// Figures of the GPU on which the speeds were measured (bench/README): float32 throughput of
// cuBLAS, bandwidth of a copy, and the shortest time between two launches.
constexpr double kFlopsASecond = 51e12, kBytesASecond = 3e12, kLaunchSeconds = 5e-6;
// The number of threads that saturates the memory: 512 on each of its 132 multiprocessors.
constexpr double kFull = 132 * 512;
// The share of a sector's 32 bytes that an uncoalesced access effectively transfers, as
// neighbouring threads find the rest in the cache.
constexpr double kPartOfSector = 0.25;

double SecondsOf(const OperatorCost& cost) {
  return std::max(static_cast<double>(cost.flops) / kFlopsASecond,
                  static_cast<double>(cost.bytes) / kBytesASecond);
}

// The operator that takes most of the time of a call.
const Node& MainNode(const OperatorGraph& graph, const CallPlan& plan) {
  if (plan.head >= 0) return graph.nodes()[plan.head];
  const auto dearest = std::max_element(plan.nodes.begin(), plan.nodes.end(), [&](int a, int b) {
    return SecondsOf(graph.Cost(graph.nodes()[a])) < SecondsOf(graph.Cost(graph.nodes()[b]));
  });
  return graph.nodes()[*dearest];
}

double ModelledSeconds(const CallPlan& plan) {
  double device = plan.uncoalesced ? kPartOfSector : 1;
  if (plan.busy_threads > 0) {
    device *= std::min(1.0, static_cast<double>(plan.busy_threads) / kFull);
  }
  return SecondsOf(plan.cost) / device;
}

double MeasuredSpeedOf(const OperatorGraph& graph, const CallPlan& plan) {
  const Node& node = MainNode(graph, plan);
  bool sixteen_bits = false;
  for (const ValueId id : graph.operands(node)) {
    if (id == kAbsent) continue;
    sixteen_bits = IsHalfPrecision(graph.value(id).type.dtype);
    break;
  }
  return FindMeasuredSpeed(plan.strategy, node.op->name, sixteen_bits).value_or(1.0);
}

double Rounded(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", number);
  return std::strtod(text, nullptr);
}

}  // namespace

SpeedEstimate EstimateSpeed(const OperatorGraph& graph, const std::vector<CallPlan>& calls) {
  if (calls.empty()) return {};
  double eager = 0, modelled = 0, calibrated = 0;
  for (const CallPlan& plan : calls) {
    for (const int node : plan.nodes) {
      eager += kLaunchSeconds + SecondsOf(graph.Cost(graph.nodes()[node]));
    }
    const double seconds = ModelledSeconds(plan);
    modelled += kLaunchSeconds + seconds;
    calibrated += kLaunchSeconds + seconds / MeasuredSpeedOf(graph, plan);
  }
  return {Rounded(eager / modelled), Rounded(eager / calibrated)};
}

}  // namespace kernelmill
