#include <algorithm>
#include <map>
#include <utility>

#include "corpora/operators/operator_table.h"
#include "generators/graphs/generated_task.h"
#include "stages/engine/interrupt.h"
#include "tools/cli/reference_source.h"

namespace kernelmill {
namespace {

// Selects drawn tasks: all, those with certain operators, or in rounds so that all operators get
// equally many tasks.
class TaskFilter {
 public:
  explicit TaskFilter(const DrawOptions& options) : options_(options) {}

  bool Takes(const OperatorGraph& graph) {
    if (!options_.operators.empty() && !HasNamed(graph)) return false;
    if (!options_.every_operator) return true;
    // Some operators occur only once in many thousand tasks. After this many rejected tasks the
    // next round starts.
    constexpr int kPatience = 30'000;
    if (++refused_ > kPatience || IsRoundDone()) {
      ++round_;
      refused_ = 0;
    }
    bool takes = false;
    for (const Node& node : graph.nodes()) takes |= taken_[node.op] <= round_;
    if (!takes) return false;
    refused_ = 0;
    for (const Node& node : graph.nodes()) {
      if (taken_[node.op]++ == round_) ++ahead_[round_];
    }
    return true;
  }

 private:
  bool HasNamed(const OperatorGraph& graph) const {
    return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
      return std::find(options_.operators.begin(), options_.operators.end(), node.op->name) !=
             options_.operators.end();
    });
  }
  bool IsRoundDone() { return ahead_[round_] == static_cast<int>(Operators().size()); }

  const DrawOptions& options_;
  std::map<const OperatorRow*, int> taken_;
  std::map<int, int> ahead_;  // By round: the number of operators that already have a task in it.
  int round_ = 0, refused_ = 0;
};

class DrawnTasks : public ReferenceSource {
 public:
  explicit DrawnTasks(const DrawOptions& options)
      : options_(options),
        tasks_({.seed = options.seed, .levels = options.levels}),
        filter_(options_) {}

  Result<std::optional<ReferenceTask>> Next() override {
    if (drawn_ == options_.count) return std::optional<ReferenceTask>();
    do {
      if (Interrupted()) return InterruptedStatus();
      if (!tasks_.Next()) return std::optional<ReferenceTask>();
    } while (!filter_.Takes(tasks_.sampler().large()));
    ++drawn_;
    ReferenceTask task{.name = tasks_.Id(), .level = tasks_.sampler().level()};
    tasks_.AppendSource(SourceSizes::kLarge, &task.text);
    return std::optional<ReferenceTask>(std::move(task));
  }

 private:
  const DrawOptions options_;
  TaskGenerator tasks_;
  TaskFilter filter_;
  std::int64_t drawn_ = 0;
};

}  // namespace

Result<std::unique_ptr<ReferenceSource>> DrawTasks(const DrawOptions& options) {
  for (const std::string& name : options.operators) {
    if (FindOperator(name) != nullptr) continue;
    return Status(ErrorCode::kUsage, "--operators: the operator table has no '" + name + '\'');
  }
  return std::unique_ptr<ReferenceSource>(std::make_unique<DrawnTasks>(options));
}

}  // namespace kernelmill
