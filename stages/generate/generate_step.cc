#include "stages/generate/generate_step.h"

#include <charconv>

#include "generators/graphs/generated_task.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr char kCount[] = "generate.count", kSeed[] = "generate.seed",
               kLevelKey[] = "generate.levels", kTargets[] = "generate.targets",
               kStratify[] = "generate.stratify";

struct GenerateLane : Lane {
  explicit GenerateLane(const SamplerOptions& options) : tasks(options) {}
  TaskGenerator tasks;
};

Status AsConfig(const Status& status, std::string_view key) {
  return status.ok() ? status : Status(ErrorCode::kConfig, status.message()).Within(key);
}

}  // namespace

std::vector<ConfigKey> GenerateKeys() {
  return {
      {kCount, ConfigType::kInteger, 0, "tasks",
       "How many tasks to generate: PyTorch modules drawn at random, no two with the same graph, "
       "at sizes that keep a GPU busy.",
       kNotNegative},
      {kSeed,
       ConfigType::kInteger,
       0,
       "",
       "Equal seeds give equal tasks; a larger count only adds.",
       {0}},
      {kLevelKey, ConfigType::kStrings, ToJson(std::vector<std::string>{"1", "2", "3", "4"}), "",
       "1 one operator, 2 fused patterns, 3 blocks, 4 models. A level that is listed twice is "
       "drawn "
       "twice as often."},
      {kStratify, ConfigType::kBool, false, "",
       "Whether levels 1 and 2 draw every operator equally often, instead of as often as people "
       "use "
       "it."},
      {kTargets, ConfigType::kStrings, Json::Array(), "",
       "Bounds on the cost of generated tasks: NAME=LOW:HIGH, where NAME is flops, bytes or "
       "intensity, such as flops=1e9:1e11 or intensity=10:."},
  };
}

Result<GenerateOptions> GenerateOptions::Of(const Config& config) {
  GenerateOptions options;
  options.count = config.Integer(kCount);
  options.sampler.seed = static_cast<std::uint64_t>(config.Integer(kSeed));
  options.sampler.levels.clear();
  for (const std::string& level : config.Strings(kLevelKey)) {
    if (level.size() != 1 || level[0] < '0' || level[0] > '9') {
      return Status(ErrorCode::kConfig, std::string(kLevelKey) + ": '" + level + "' is no level");
    }
    options.sampler.levels.push_back(level[0] - '0');
  }
  KM_RETURN_IF_ERROR(AsConfig(CheckLevels(options.sampler.levels), kLevelKey));
  options.sampler.stratified = config.Bool(kStratify);
  options.targets = config.Strings(kTargets);
  const Result<CostTargets> targets = CostTargets::Read(options.targets);
  KM_RETURN_IF_ERROR(AsConfig(targets.status(), kTargets));
  options.sampler.targets = *targets;
  return options;
}

Json GenerateStep::OfOneTask() const {
  Json::Array levels;
  for (const int level : options_.sampler.levels) levels.push_back(level);
  return Json::Object{{"generator", kGeneratorVersion},
                      {"seed", static_cast<std::int64_t>(options_.sampler.seed)},
                      {"levels", std::move(levels)},
                      {"stratify", options_.sampler.stratified},
                      {"targets", ToJson(options_.targets)}};
}

Json GenerateStep::Parameters() const {
  Json parameters = OfOneTask();
  parameters["count"] = options_.count;
  return parameters;
}

Result<std::unique_ptr<Lane>> GenerateStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<GenerateLane>(options_.sampler));
}

Run::Propose GenerateStep::Inputs(const OriginFilter& wanted) const {
  return [this, wanted](const Run::Emit& emit) -> Status {
    TaskGenerator tasks(options_.sampler);
    for (std::int64_t i = 0; i < options_.count; ++i) {
      if (!tasks.Next()) {
        return Status(ErrorCode::kConfig,
                      std::string(kTargets) + ": no graph of these levels meets them after " +
                          std::to_string(i) + " tasks; widen them, or lower " + kCount);
      }
      if (wanted && !wanted({tasks.ToOrigin()})) continue;
      const std::string index = std::to_string(tasks.index());
      KM_RETURN_IF_ERROR(emit(index, index));
    }
    return Status::Ok();
  };
}

Result<Outcome> GenerateStep::Process(const Input& input, Lane& lane) {
  TaskGenerator& tasks = static_cast<GenerateLane&>(lane).tasks;
  std::uint64_t index = 0;
  const char* end = input.body.data() + input.body.size();
  if (std::from_chars(input.body.data(), end, index).ptr != end || !tasks.Go(index)) {
    return Status(ErrorCode::kInternal, "generate: index " + input.body + " no longer has a task");
  }
  Record record = tasks.ToRecord();
  record.lineage = {{.step = std::string(Name()),
                     .version = Version(),
                     .parameters = DigestOf(OfOneTask().Dump()),
                     .inputs = {}}};
  return Outcome::Keep({{std::string(record.ContentId().AsKey()), record.Encode()}});
}

}  // namespace kernelmill
