// The file judging.json of an RFT dataset: what the inputs of its candidates followed from. It is
// published when the run has ended: until then, who writes samples must not know the secret.
#pragma once

#include <string>

#include "manifests/config.h"

namespace kernelmill {

// The file of a run with this configuration. `secret`: that of the run, or "" where the
// configuration names a seed (JudgesInSecret()).
Result<std::string> JudgingText(const Config& config, const std::string& secret);

// The secret that the dataset in `folder` publishes; "" if it was judged without one. kCorrupt,
// with the file, unless a run with this configuration publishes these bytes for some secret.
Result<std::string> PublishedSecret(const std::string& folder, const Config& config);

}  // namespace kernelmill
