#include "stages/admit/admit_keys.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kMillisecondsASecond = 1000;
constexpr std::int64_t kBytesAMebibyte = 1 << 20;
constexpr std::int64_t kFlopsAGigaflop = 1'000'000'000;

}  // namespace

std::vector<ConfigKey> AdmitKeys() {
  const WorkerLimits limits;
  return {
      {"admit.wall_limit", ConfigType::kInteger, limits.idle_ms / kMillisecondsASecond, "seconds",
       "Time in which one module neither computes nor waits for a processor; the elapsed time is "
       "limited to ten times as much. A module that reaches a limit is retried once with ten times "
       "as much.",
       kAtLeastOne},
      {"admit.cpu_limit", ConfigType::kInteger, limits.cpu_ms / kMillisecondsASecond, "seconds",
       "Processor time for one module, with the same retry.", kAtLeastOne},
      {"admit.memory_limit", ConfigType::kInteger, limits.memory_bytes / kBytesAMebibyte, "MiB",
       "Memory for one module. A module that reaches the limit is retried once with four times as "
       "much.",
       kAtLeastOne},
      {"admit.output_limit", ConfigType::kInteger, limits.output_bytes, "bytes",
       "Output that one module may print.", kAtLeastOne},
      {"admit.flop_limit", ConfigType::kInteger, limits.flops / kFlopsAGigaflop, "GFLOP",
       "Modules whose forward() is estimated to cost more are not run.", kAtLeastOne},
      {"admit.traffic_limit", ConfigType::kInteger, limits.bytes / kBytesAMebibyte, "MiB",
       "Modules whose operators are estimated to move more are not run.", kAtLeastOne},
      {"admit.repairs", ConfigType::kInteger, AdmitOptions().repairs, "attempts",
       "How many repairs of its arguments are tried for a module that fails. Each repair follows "
       "from the previous error.",
       kNotNegative},
      {"admit.symbolic_operators", ConfigType::kInteger, AdmitOptions().symbolic_operators,
       "operators",
       "Modules that call more operators are annotated with concrete shapes only, without symbolic "
       "ones.",
       kNotNegative}};
}

AdmitOptions AdmitOptionsOf(const Config& config, Derivation mined) {
  AdmitOptions options;
  options.seed = static_cast<std::uint64_t>(config.Integer("seed"));
  options.limits.idle_ms = config.Integer("admit.wall_limit") * kMillisecondsASecond;
  options.limits.cpu_ms = config.Integer("admit.cpu_limit") * kMillisecondsASecond;
  options.limits.memory_bytes = config.Integer("admit.memory_limit") * kBytesAMebibyte;
  options.limits.output_bytes = config.Integer("admit.output_limit");
  options.limits.flops = config.Integer("admit.flop_limit") * kFlopsAGigaflop;
  options.limits.bytes = config.Integer("admit.traffic_limit") * kBytesAMebibyte;
  options.repairs = static_cast<int>(config.Integer("admit.repairs"));
  options.symbolic_operators = config.Integer("admit.symbolic_operators");
  options.mined = std::move(mined);
  return options;
}

}  // namespace kernelmill
