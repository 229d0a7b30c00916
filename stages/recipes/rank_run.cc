#include "stages/recipes/rank_run.h"

#include <unistd.h>

#include <functional>
#include <utility>

#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "manifests/json_fields.h"
#include "stages/engine/outcome_store.h"
#include "stages/engine/progress.h"
#include "stages/engine/tool_identity.h"
#include "stages/fetch/source_spec.h"
#include "stages/launch/rank_share.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/rft_pipeline.h"
#include "stages/recipes/run_steps.h"
#include "stages/recipes/sampled_sources.h"
#include "stages/recipes/sft_pipeline.h"
#include "stages/recipes/step_table.h"
#include "stages/verify/run/verify_rank.h"

namespace kernelmill {
namespace {

// In the state of a run; it goes with the steps.
constexpr char kRecordName[] = "steps/ranks.json";

struct RankRecord {
  std::string recipe;
  Digest tool;
  bool outcomes = true;                      // Whether the run uses the outcome store.
  Json configuration;                        // Config::Freeze().
  std::vector<ResolvedSource> repositories;  // Not found again, because a branch may have moved.
};

// How a recipe reads its configuration again.
struct RankRecipe {
  std::string_view name;
  std::vector<ConfigKey> (*keys)();
  // All but the repositories. Files are hashed again.
  std::function<Result<ResolvedSources>(const Config&)> sources;
};

const std::vector<RankRecipe>& RankRecipes() {
  static const std::vector<RankRecipe> recipes = {
      {"sft", SftKeys,
       [](const Config& config) -> Result<ResolvedSources> {
         ResolvedSources sources;
         KM_ASSIGN(sources.tasks, ResolveTaskSources(config));
         return sources;
       }},
      {"rft", RftKeys, ResolveSampledSources},
  };
  return recipes;
}

Result<ResolvedSource> ReadRepository(const Json& json) {
  ResolvedSource source;
  JsonFields fields(json, "repository");
  fields.Read("url", &source.url);
  fields.Read("git_dir", &source.git_dir);
  fields.Read("commit", &source.commit);
  fields.Read("trouble", &source.trouble);
  KM_RETURN_IF_ERROR(fields.Finish());
  return source;
}

Result<RankRecord> ReadRecord(const std::string& path) {
  KM_ASSIGN(const std::string text, ReadFile(path));
  const Result<Json> json = Json::Parse(text);
  if (!json.ok()) return Status(ErrorCode::kCorrupt, path + ": " + json.status().message());
  RankRecord record;
  JsonFields fields(*json, path);
  fields.Read("recipe", &record.recipe);
  fields.Read("tool", &record.tool);
  fields.Read("outcomes", &record.outcomes);
  fields.Read("configuration", &record.configuration);
  fields.ReadArray("repositories", &record.repositories, ReadRepository);
  KM_RETURN_IF_ERROR(fields.Finish());
  return record;
}

// A rank fetches nothing, and credentials are written nowhere.
Json FrozenWithoutCredentials(const Config& config) {
  Json frozen = config.Freeze();
  Json& values = frozen["values"];
  if (values.Find("sources") == nullptr) return frozen;
  for (Json& source : values["sources"].as_array()) {
    for (const char* key : {"git", "url"}) source[key] = WithoutCredentials(source.TextAt(key));
  }
  return frozen;
}

}  // namespace

Status RecordForRanks(const Run& run, std::string_view recipe, const Config& config,
                      const ResolvedSources& sources) {
  Json::Array repositories;
  for (const ResolvedSource& source : sources.repositories) {
    repositories.push_back(Json::Object{{"url", source.url},
                                        {"git_dir", source.git_dir},
                                        {"commit", source.commit},
                                        {"trouble", source.trouble}});
  }
  const Json record = Json::Object{{"recipe", recipe},
                                   {"tool", run.options().tool.Hex()},
                                   {"outcomes", !run.options().outcomes.empty()},
                                   {"configuration", FrozenWithoutCredentials(config)},
                                   {"repositories", std::move(repositories)}};
  return ReplaceFile(run.StatePath(kRecordName), record.Pretty());
}

Status RunRank(const RankOptions& options) {
  KM_RETURN_IF_ERROR(CheckShare(options.share));
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  const std::string path = options.output + "/" + std::string(kRunFolderName) + "/" + kRecordName;
  if (AdmitsVerifyRanks(options.output) && access(path.c_str(), F_OK) != 0) {
    if (options.step != "verify") {
      return Status(ErrorCode::kUsage,
                    options.output + " is a run of verify, whose one step is verify");
    }
    return RunVerifyRank(options.output, options.share, options.jobs, tool.digest);
  }
  const Result<RankRecord> record = ReadRecord(path);
  if (record.status().code() == ErrorCode::kNotFound) {
    if (access((options.output + "/" + std::string(kManifestName)).c_str(), F_OK) == 0) {
      Say(options.output + " holds the complete dataset; nothing is left to do");
      return Status::Ok();
    }
    return Status(
        ErrorCode::kNotFound,
        options.output + " holds no unfinished run of sft, rft or verify that ranks may join");
  }
  KM_RETURN_IF_ERROR(record.status());
  if (tool.digest != record->tool) {
    return Status(ErrorCode::kPlanChanged,
                  options.output +
                      ": the run was started by another version of kernelmill, its "
                      "worker or torch; use the same one for all ranks");
  }
  for (const RankRecipe& recipe : RankRecipes()) {
    if (recipe.name != record->recipe) continue;
    Result<Config> config = Config::Thaw(recipe.keys(), record->configuration);
    if (!config.ok()) return config.status().Within(path);
    KM_ASSIGN(ResolvedSources sources, recipe.sources(*config));
    sources.repositories = record->repositories;
    KM_ASSIGN(Run run,
              Run::Join({.output = options.output,
                         .jobs = options.jobs,
                         .tool = tool.digest,
                         .outcomes = record->outcomes ? OutcomeStore::DefaultFolder() : ""}));
    KM_RETURN_IF_ERROR(CheckHeldSources(run, sources));
    return RunShare(run, StepsOf(recipe.name), *config, sources, options.step, options.share);
  }
  return Status(ErrorCode::kCorrupt, path + ": there is no recipe " + record->recipe);
}

}  // namespace kernelmill
