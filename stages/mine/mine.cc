#include "stages/mine/mine.h"

#include <algorithm>
#include <filesystem>

#include "corpora/records/module_candidate.h"
#include "stages/mine/index_step.h"
#include "stages/mine/kernel_index_step.h"
#include "stages/mine/kernel_slice_step.h"
#include "stages/mine/read_step.h"
#include "stages/mine/slice_step.h"
#include "stages/mine/walk_step.h"

namespace kernelmill {
namespace {

// The outputs of "read" in one file that can be entered at any repository.
Result<std::shared_ptr<const ShardReader>> GatherFiles(const Run& run) {
  const std::string path = run.StatePath("files.mdb");
  std::error_code error;
  std::filesystem::remove(path, error);
  ShardOptions options;
  options.schema = "kernelmill.source_file.v1";
  options.level = 1;
  KM_ASSIGN(ShardWriter writer, ShardWriter::Create(path, options));
  KM_RETURN_IF_ERROR(run.ForEachOutput("read", [&](std::string_view key, std::string_view body) {
    return writer.Append(key, body);
  }));
  KM_RETURN_IF_ERROR(writer.Finish());
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

Run::Propose OutputsOf(const Run& run, std::string_view step) {
  return [&run, step](const Run::Emit& emit) {
    return run.ForEachOutput(step, [&](std::string_view key, std::string_view body) {
      return emit(std::string(key), std::string(body));
    });
  };
}

}  // namespace

Derivation MinedBy(const Run& run, const std::vector<std::string_view>& steps) {
  Derivation derivation;
  derivation.step = "mine";
  Json::Object parameters;
  for (const auto& [plan, counts] : run.finished()) {
    if (std::find(steps.begin(), steps.end(), plan.step) == steps.end()) continue;
    derivation.version = std::max(derivation.version, plan.version);
    parameters[plan.step] = plan.parameters;
  }
  derivation.parameters = DigestOf(Json(std::move(parameters)).Dump());
  return derivation;
}

Status Mine(Run& run, const std::vector<ResolvedSource>& sources, const MiningOptions& options) {
  const SourceFolders folders = FoldersOf(sources);
  const Run::Propose propose_sources = [&](const Run::Emit& emit) {
    for (Input& input : SourceInputs(sources)) {
      KM_RETURN_IF_ERROR(emit(std::move(input.key), std::move(input.body)));
    }
    return Status::Ok();
  };
  WalkStep walk(folders, options);
  KM_RETURN_IF_ERROR(run.Do(walk, propose_sources).status());
  ReadStep read(folders, options);
  KM_RETURN_IF_ERROR(run.Do(read, OutputsOf(run, walk.Name())).status());
  KM_ASSIGN(const std::shared_ptr<const ShardReader> files, GatherFiles(run));
  const auto indices = std::make_shared<IndexCache>(FilesFrom(files), run.options().jobs);
  IndexStep index(indices);
  KM_RETURN_IF_ERROR(run.Do(index, propose_sources).status());
  SliceStep slice(indices, options);
  KM_RETURN_IF_ERROR(run.Do(slice, OutputsOf(run, index.Name())).status());
  if (!options.kernels) return Status::Ok();
  KernelIndexStep index_kernels(indices);
  KM_RETURN_IF_ERROR(run.Do(index_kernels, propose_sources).status());
  KernelSliceStep slice_kernels(indices, options,
                                MinedBy(run, {walk.Name(), read.Name(), index_kernels.Name()}));
  return run.Do(slice_kernels, OutputsOf(run, index_kernels.Name())).status();
}

}  // namespace kernelmill
