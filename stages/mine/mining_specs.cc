#include "stages/mine/mining_specs.h"

#include <filesystem>

#include "generators/wording/number_format.h"
#include "stages/engine/joint_derivation.h"
#include "stages/engine/step_context.h"
#include "stages/mine/index_kernels_step.h"
#include "stages/mine/index_ports_step.h"
#include "stages/mine/index_step.h"
#include "stages/mine/mine_keys.h"
#include "stages/mine/read_step.h"
#include "stages/mine/slice_kernels_step.h"
#include "stages/mine/slice_ports_step.h"
#include "stages/mine/slice_step.h"
#include "stages/mine/walk_step.h"

namespace kernelmill {
namespace {

MiningOptions OptionsOf(const StepContext& context) {
  MiningOptions options = MiningOptionsOf(context.config);
  options.child_program = context.child_program;
  return options;
}

Run::Propose Repositories(const StepContext& context) {
  return [&sources = context.sources](const Run::Emit& emit) {
    for (Input& input : RepositoryInputs(sources.repositories)) {
      KM_RETURN_IF_ERROR(emit(std::move(input.key), std::move(input.body)));
    }
    return Status::Ok();
  };
}

Status WriteFiles(const Run& run, const std::string& path) {
  ShardOptions options;
  options.schema = "kernelmill.source_file.v1";
  options.level = 1;
  KM_ASSIGN(ShardWriter writer, ShardWriter::Create(path, options));
  KM_RETURN_IF_ERROR(run.ForEachOutput("read", [&](std::string_view key, std::string_view body) {
    return writer.Append(key, body);
  }));
  return writer.Finish();
}

// Copies the outputs of "read" into one file, in which those of a repository can be found by its
// key. The first process of a run that needs the file writes it for all.
Result<std::shared_ptr<const ShardReader>> GatherFiles(const Run& run) {
  const std::string path = run.StatePath("steps/files.mdb");
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    const Status written = WriteFiles(run, path);
    if (!written.ok() && written.code() != ErrorCode::kExists) return written;
  }
  KM_ASSIGN(ShardReader reader, ShardReader::Open(path));
  return std::make_shared<const ShardReader>(std::move(reader));
}

ReadFiles FilesFrom(std::shared_ptr<const ShardReader> shard) {
  return [shard](const std::string& source, const VisitFile& visit) {
    const std::string prefix = source + "/";
    return shard->ForEach(prefix, [&](std::string_view key, std::string_view body, bool* more) {
      *more = key.starts_with(prefix);
      return *more ? visit(key.substr(prefix.size()), body) : Status::Ok();
    });
  };
}

Result<std::shared_ptr<IndexCache>> IndicesOf(const StepContext& context) {
  if (std::shared_ptr<IndexCache> shared = context.indices.lock()) return shared;
  KM_ASSIGN(const std::shared_ptr<const ShardReader> files, GatherFiles(context.run));
  auto made = std::make_shared<IndexCache>(FilesFrom(files), context.run.options().jobs);
  context.indices = made;
  return made;
}

Result<ReadyStep> MakeWalk(const StepContext& context) {
  return ReadyStep{
      std::make_unique<WalkStep>(FoldersOf(context.sources.repositories), OptionsOf(context)),
      Repositories(context)};
}

Result<ReadyStep> MakeRead(const StepContext& context) {
  return ReadyStep{
      std::make_unique<ReadStep>(FoldersOf(context.sources.repositories), OptionsOf(context)),
      context.run.OutputsOf("walk")};
}

Result<ReadyStep> MakeIndex(const StepContext& context) {
  KM_ASSIGN(std::shared_ptr<IndexCache> indices, IndicesOf(context));
  return ReadyStep{std::make_unique<IndexStep>(std::move(indices)), Repositories(context)};
}

Result<ReadyStep> MakeSlice(const StepContext& context) {
  KM_ASSIGN(std::shared_ptr<IndexCache> indices, IndicesOf(context));
  return ReadyStep{std::make_unique<SliceStep>(std::move(indices), OptionsOf(context)),
                   context.run.OutputsOf("index")};
}

Result<ReadyStep> MakeIndexKernels(const StepContext& context) {
  KM_ASSIGN(std::shared_ptr<IndexCache> indices, IndicesOf(context));
  return ReadyStep{std::make_unique<IndexKernelsStep>(std::move(indices)), Repositories(context)};
}

Result<ReadyStep> MakeSliceKernels(const StepContext& context) {
  KM_ASSIGN(std::shared_ptr<IndexCache> indices, IndicesOf(context));
  Derivation mined = JointDerivation(context.run, "mine", context.steps_up_to("index_kernels"));
  return ReadyStep{
      std::make_unique<SliceKernelsStep>(std::move(indices), OptionsOf(context), std::move(mined)),
      context.run.OutputsOf("index_kernels")};
}

Result<ReadyStep> MakeIndexPorts(const StepContext& context) {
  KM_ASSIGN(std::shared_ptr<IndexCache> indices, IndicesOf(context));
  return ReadyStep{std::make_unique<IndexPortsStep>(std::move(indices)), Repositories(context)};
}

Result<ReadyStep> MakeSlicePorts(const StepContext& context) {
  KM_ASSIGN(std::shared_ptr<IndexCache> indices, IndicesOf(context));
  Derivation mined = JointDerivation(context.run, "mine", context.steps_up_to("index_ports"));
  return ReadyStep{
      std::make_unique<SlicePortsStep>(std::move(indices), OptionsOf(context), std::move(mined)),
      context.run.OutputsOf("index_ports")};
}

std::string WithoutRepositories(const RunForecast& forecast) {
  return forecast.repositories == 0 ? "no source is a repository" : "";
}

std::string WithoutKernels(const RunForecast& forecast) {
  const std::string off = WithoutRepositories(forecast);
  return off.empty() && !forecast.config.Bool("mine.kernels") ? "mine.kernels is false" : off;
}

}  // namespace

StepSpec WalkSpec() {
  return {.name = "walk",
          .takes = "repositories",
          .does = "the files of each are listed",
          .keys = MineKeys,  // The keys of all mining steps.
          .off = WithoutRepositories,
          .preview =
              [](const RunForecast& forecast) { return Counted(forecast.repositories, "source"); },
          .make = MakeWalk};
}

StepSpec ReadSpec() {
  return {.name = "read",
          .takes = "source files",
          .does = "each is parsed",
          .reads = {"walk"},
          .off = WithoutRepositories,
          .preview =
              [](const RunForecast& forecast) {
                return Counted(forecast.files, "file") + ", " + Counted(forecast.bytes, "byte") +
                       (forecast.unfetched > 0 ? ", and those of the sources to fetch" : "");
              },
          .make = MakeRead};
}

StepSpec IndexSpec() {
  return {.name = "index",
          .takes = "repositories",
          .does = "the modules in them",
          .reads = {"read"},
          .off = WithoutRepositories,
          .make = MakeIndex};
}

StepSpec SliceSpec() {
  return {.name = "slice",
          .takes = "module classes",
          .does = "each with all it needs, cut out",
          .reads = {"read", "index"},
          .off = WithoutRepositories,
          .preview =
              [](const RunForecast& forecast) {
                return "each with all it needs, cut out; of at most " +
                       Counted(forecast.config.Integer("mine.slice_lines"), "line");
              },
          .make = MakeSlice};
}

StepSpec IndexKernelsSpec() {
  return {.name = "index_kernels",
          .takes = "repositories",
          .does = "the native kernels in them",
          .reads = {"read"},
          .off = WithoutKernels,
          .make = MakeIndexKernels};
}

StepSpec SliceKernelsSpec() {
  return {.name = "slice_kernels",
          .takes = "native kernels",
          .does = "each with what it needs, its launches and bindings, cut out",
          .reads = {"read", "index_kernels"},
          .off = WithoutKernels,
          .preview =
              [](const RunForecast& forecast) {
                return "each with its launches and bindings, and at most " +
                       Counted(forecast.config.Integer("mine.kernel_lines"), "line") +
                       " of what it needs";
              },
          .make = MakeSliceKernels};
}

StepSpec IndexPortsSpec() {
  return {.name = "index_ports",
          .takes = "repositories",
          .does = "the kernels in them that they hold for CUDA and for another platform",
          .reads = {"read"},
          .off = WithoutKernels,
          .make = MakeIndexPorts};
}

StepSpec SlicePortsSpec() {
  return {.name = "slice_ports",
          .takes = "kernels for two platforms",
          .does = "both versions of each, with their host code, cut out",
          .reads = {"read", "index_ports"},
          .off = WithoutKernels,
          .make = MakeSlicePorts};
}

}  // namespace kernelmill
