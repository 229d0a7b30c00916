// A dry run of the recipe "sft", for `sft --dry-run`: reports what a run would do, without
// fetching, running or writing anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "stages/recipes/sft_pipeline.h"

namespace kernelmill {

struct SftPreview {
  struct Source {
    std::string name;  // The origin to record.
    // The commit of a repository, or the SHA-256 of a file of tasks. Empty for a repository that a
    // run would fetch first (nothing below is known then) or would reject.
    std::string commit;
    // Entries of the repository's tree, or rows; how many of them would be read; and their bytes.
    std::int64_t entries = 0, files = 0, bytes = 0;
    std::string reject_reason;  // Why the repository would be rejected; usually empty.
  };
  struct Step {
    std::string name;
    std::string what;  // What it would do, with the numbers that are known.
    std::string off;   // Why the run skips it; empty if it runs.
  };

  std::string output;
  std::string state;  // What the output folder holds, and what a run would do about it.
  std::vector<Source> sources;
  std::vector<Step> steps;

  std::string Text() const;
  Json ToJson() const;
};

// Fails as the run would, if that is known before it starts: sources that are missing, values that
// are wrong.
Result<SftPreview> PreviewSft(const Config& config, const BuildOptions& options);

}  // namespace kernelmill
