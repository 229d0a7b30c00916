#include "stages/recipes/mine_listing.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "corpora/reject.h"
#include "manifests/commit_file.h"
#include "manifests/dataset_manifest.h"
#include "manifests/file_writer.h"
#include "stages/engine/tool_identity.h"
#include "stages/recipes/configured_sources.h"
#include "stages/recipes/run_steps.h"
#include "stages/recipes/step_table.h"

namespace kernelmill {
namespace {

// Writes a file with one JSON document per line, replacing an existing file.
class Lines {
 public:
  static Result<Lines> Create(const std::string& path) {
    if (unlink(path.c_str()) != 0 && errno != ENOENT) {
      return Status::FromErrno("cannot remove", path);
    }
    KM_ASSIGN(FileWriter file, FileWriter::Create(path));
    return Lines(std::move(file));
  }
  Status Add(std::string_view line) {
    ++count_;
    KM_RETURN_IF_ERROR(file_.Append(line));
    return file_.Append("\n");
  }
  Result<std::int64_t> Finish() {
    KM_RETURN_IF_ERROR(file_.Finish());
    return count_;
  }

 private:
  explicit Lines(FileWriter file) : file_(std::move(file)) {}
  FileWriter file_;
  std::int64_t count_ = 0;
};

// Writes the outputs of a step; none if it did not run.
Result<std::int64_t> WriteOutputs(const Run& run, std::string_view step, const std::string& path) {
  KM_ASSIGN(Lines lines, Lines::Create(path));
  const bool ran = std::any_of(run.finished().begin(), run.finished().end(),
                               [&](const Run::Finished& one) { return one.plan.step == step; });
  if (ran) {
    KM_RETURN_IF_ERROR(run.ForEachOutput(
        step, [&](std::string_view, std::string_view body) { return lines.Add(body); }));
  }
  return lines.Finish();
}

Result<std::int64_t> WriteRejects(const Run& run, const std::string& path) {
  KM_ASSIGN(Lines lines, Lines::Create(path));
  for (const auto& [plan, counts] : run.finished()) {
    KM_RETURN_IF_ERROR(
        run.ForEachReject(plan.step, [&](std::string_view, std::string_view bytes) -> Status {
          KM_ASSIGN(const Reject reject, Reject::Decode(bytes));
          Json::Array origins;
          for (const Origin& origin : reject.origins) origins.push_back(origin.ToJson());
          return lines.Add(Json(Json::Object{{"step", reject.step},
                                             {"reason", reject.reason},
                                             {"detail", reject.detail},
                                             {"origins", std::move(origins)}})
                               .Dump());
        }));
  }
  return lines.Finish();
}

}  // namespace

Result<Json> WriteMineListing(const Config& config, const BuildOptions& options) {
  if (access((options.output + "/" + std::string(kManifestName)).c_str(), F_OK) == 0) {
    return Status(ErrorCode::kExists,
                  options.output + " holds a finished dataset; give --output another folder");
  }
  const std::vector<StepSpec> steps = StepsOf("mine");
  KM_ASSIGN(const ToolIdentity tool, ReadToolIdentity());
  KM_ASSIGN(const ResolvedSources sources, ResolveSources(config, SourceOptionsOf(options)));
  KM_ASSIGN(Run run, Run::Open({.output = options.output,
                                .jobs = options.jobs,
                                .partitions = config.Integer("partitions"),
                                .tool = tool.digest,
                                .shuffle = options.shuffle,
                                .shuffle_seed = options.shuffle_seed}));
  if (options.restart) KM_RETURN_IF_ERROR(run.DiscardSteps());
  KM_RETURN_IF_ERROR(HoldSources(run, sources));
  KM_RETURN_IF_ERROR(RunSteps(run, steps, config, sources));

  const std::string folder = options.output + "/";
  KM_ASSIGN(const std::int64_t candidates,
            WriteOutputs(run, "sample", folder + "candidates.jsonl"));
  KM_ASSIGN(const std::int64_t kernels,
            WriteOutputs(run, "slice_kernels", folder + "kernels.jsonl"));
  KM_ASSIGN(const std::int64_t ports, WriteOutputs(run, "slice_ports", folder + "ports.jsonl"));
  KM_ASSIGN(const std::int64_t rejects, WriteRejects(run, folder + "rejects.jsonl"));
  Json::Object counts;
  for (const auto& [plan, step_counts] : run.finished()) counts[plan.step] = step_counts.ToJson();
  Json::Array read;
  for (const ResolvedSource& source : sources.repositories) {
    read.push_back(Json::Object{{"url", source.url}, {"commit", source.commit}});
  }
  Json summary = Json::Object{{"candidates", candidates}, {"counts", std::move(counts)},
                              {"kernels", kernels},       {"ports", ports},
                              {"rejects", rejects},       {"sources", std::move(read)}};
  KM_RETURN_IF_ERROR(ReplaceFile(folder + "mining.json", summary.Pretty()));
  return summary;
}

}  // namespace kernelmill
