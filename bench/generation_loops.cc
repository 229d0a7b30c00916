// The loop that bench/generation.py times:
//   generation_loops COUNT OPERATORS SEED
// Samples COUNT graphs with OPERATORS operators each (0: of all levels), hashes them and writes
// them as PyTorch. Prints one JSON object: processor time in seconds, graphs, operators, bytes of
// text.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "generators/graphs/generated_task.h"

namespace kernelmill {
namespace {

double ProcessorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int Run(std::int64_t count, int operators, std::uint64_t seed) {
  TaskGenerator tasks({.seed = seed, .operators = operators});
  std::string text;
  std::size_t bytes = 0, nodes = 0;
  const double start = ProcessorSeconds();
  for (std::int64_t i = 0; i < count; ++i) {
    if (!tasks.Next()) return 1;
    text.clear();
    tasks.AppendSource(SourceSizes::kLarge, &text);
    bytes += text.size();
    nodes += tasks.sampler().large().nodes().size();
  }
  std::printf(
      "{\"seconds\": %.6f, \"graphs\": %lld, \"operators\": %zu, \"bytes\": %zu, "
      "\"indices\": %llu}\n",
      ProcessorSeconds() - start, static_cast<long long>(count), nodes, bytes,
      static_cast<unsigned long long>(tasks.index() + 1));
  return 0;
}

}  // namespace
}  // namespace kernelmill

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: generation_loops COUNT OPERATORS SEED\n");
    return 1;
  }
  return kernelmill::Run(std::atoll(arguments[1]), std::atoi(arguments[2]),
                         std::strtoull(arguments[3], nullptr, 10));
}
