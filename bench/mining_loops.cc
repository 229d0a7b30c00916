// The loops that bench/mining.py compares. Each command prints one JSON object.
//   mining_loops dump FOLDER REPOSITORY…    writes the blobs that mining parses, one file each
//   mining_loops bare REPOSITORY…           inflates and parses the same blobs, nothing else
//   mining_loops mine JOBS FOLDER REPOSITORY…   mines them into FOLDER
#include <tree_sitter/api.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "corpora/git/git_repository.h"
#include "stages/fetch/source.h"
#include "stages/mine/file_filter.h"
#include "stages/mine/mining_options.h"
#include "stages/recipes/run_steps.h"
#include "stages/recipes/step_table.h"
#include "stages/recipes/untrusted_operations.h"
#include "stages/untrusted/untrusted_child.h"

extern "C" {
const TSLanguage* tree_sitter_python(void);
const TSLanguage* tree_sitter_cuda(void);
}

namespace kernelmill {
namespace {

// Visits the blobs that mining parses.
using VisitBlob = std::function<void(const std::string& path, std::string bytes)>;
Status ForEachBlob(const std::string& folder, const VisitBlob& visit) {
  KM_ASSIGN(const GitRepository repository, GitRepository::Open(folder));
  KM_ASSIGN(const std::string commit, repository.ResolveCommit(""));
  const std::int64_t largest = MiningOptions().largest_file;
  return repository.Walk(commit, WalkLimits(), [&](const TreeEntry& entry, const Status& trouble) {
    if (!trouble.ok() || !WhySkipped(entry, true).empty()) return Status::Ok();
    KM_ASSIGN(const std::int64_t size, repository.BlobSize(entry.id));
    if (size > largest) return Status::Ok();
    KM_ASSIGN(std::string bytes, repository.ReadBlob(entry.id));
    if (WhyNotParsed(entry.path, bytes).reason.empty()) visit(entry.path, std::move(bytes));
    return Status::Ok();
  });
}

void ParseAlone(const std::string& path, const std::string& bytes) {
  static TSParser* const parser = ts_parser_new();
  ts_parser_set_language(parser, path.ends_with(".py") ? tree_sitter_python() : tree_sitter_cuda());
  ts_tree_delete(ts_parser_parse_string(parser, nullptr, bytes.data(),
                                        static_cast<std::uint32_t>(bytes.size())));
}

Status Mine(int jobs, const std::string& output, const std::vector<std::string>& folders) {
  std::vector<ResolvedSource> sources;
  for (const std::string& folder : folders) {
    KM_ASSIGN(ResolvedSource source, Resolve({folder, "", "file://" + folder}));
    sources.push_back(std::move(source));
  }
  RunOptions options;
  options.output = output;
  options.jobs = jobs;
  KM_ASSIGN(Run run, Run::Open(options));
  const std::vector<StepSpec> steps = StepsOf("mine");
  KM_ASSIGN(const Config config, DefaultConfiguration(steps));
  return RunSteps(run, steps, config, {.repositories = sources});
}

Status RunLoop(const std::vector<std::string>& arguments) {
  const std::string& loop = arguments[0];
  std::int64_t files = 0, bytes = 0;
  const auto start = std::chrono::steady_clock::now();
  if (loop == "mine") {
    KM_RETURN_IF_ERROR(Mine(std::atoi(arguments[1].c_str()), arguments[2],
                            {arguments.begin() + 3, arguments.end()}));
  } else {
    const bool dump = loop == "dump";
    for (std::size_t i = dump ? 2 : 1; i < arguments.size(); ++i) {
      KM_RETURN_IF_ERROR(ForEachBlob(arguments[i], [&](const std::string& path, std::string blob) {
        ++files;
        bytes += static_cast<std::int64_t>(blob.size());
        if (dump) {
          std::ofstream(arguments[1] + "/" + std::to_string(files) +
                            std::filesystem::path(path).extension().string(),
                        std::ios::binary)
              << blob;
        } else {
          ParseAlone(path, blob);
        }
      }));
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("{\"seconds\": %.4f, \"files\": %lld, \"bytes\": %lld}\n", elapsed.count(),
              static_cast<long long>(files), static_cast<long long>(bytes));
  return Status::Ok();
}

}  // namespace
}  // namespace kernelmill

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  // Mining starts this program again as its confined child.
  if (arguments.size() == 1 && arguments[0] == kernelmill::kUntrustedChildCommand) {
    return kernelmill::RunUntrustedChild(kernelmill::AllUntrustedOperations());
  }
  if (arguments.size() < 2) return std::fputs("usage: see the head of the source\n", stderr), 2;
  const kernelmill::Status status = kernelmill::RunLoop(arguments);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}
