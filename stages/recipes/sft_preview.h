// A dry run: what a run of the recipe "sft" would do, without fetching, running or writing
// anything.
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
    // Of tasks the SHA-256. Empty where the repository would be fetched first, so that nothing
    // below is known, and where it would be rejected.
    std::string commit;
    // Entries of its tree, or rows; how many of them would be read; the bytes of those.
    std::int64_t entries = 0, files = 0, bytes = 0;
    std::string refusal;  // Why the repository would be rejected; usually empty.
  };
  struct Step {
    std::string name;
    std::string what;  // What it would do, with numbers where they are known.
    std::string off;   // Why the run leaves it out; empty where it runs.
  };

  std::string output;
  std::string state;  // What is in the output folder, and what that means.
  std::vector<Source> sources;
  std::vector<Step> steps;

  std::string Text() const;
  Json ToJson() const;
};

// Fails as the run would where that can be known before it: sources that are missing, values that
// are wrong.
Result<SftPreview> PreviewSft(const Config& config, const SftOptions& options);

}  // namespace kernelmill
