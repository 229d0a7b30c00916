// What a run of the SFT pipeline would do, found out without fetching, running or writing anything.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manifests/json.h"
#include "stages/recipes/sft_pipeline.h"

namespace kernelmill {

struct SftPreview {
  struct Source {
    std::string name;  // The origin that is recorded.
    // Empty when it would be fetched first, then nothing below is known; or when it is refused.
    std::string commit;
    std::int64_t entries = 0, files = 0, bytes = 0;  // In its tree; to be read; of these.
    std::string refusal;  // The reason why the repository would be rejected; usually empty.
  };

  std::string output;
  std::string state;  // What is in the output folder, and what that means.
  std::vector<Source> sources;
  std::vector<std::pair<std::string, std::string>> steps;  // Name, what it would take and do.

  std::string Text() const;
  Json ToJson() const;
};

// Fails as the run would where that can be known: sources that are not there, values that are
// wrong.
Result<SftPreview> PreviewSft(const Config& config, const SftOptions& options);

}  // namespace kernelmill
