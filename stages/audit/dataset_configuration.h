// Reads the configuration that a dataset publishes, and finds its sources on this machine, so that
// an audit can build records again.
#pragma once

#include <functional>
#include <string>

#include "manifests/config.h"
#include "stages/audit/rederive.h"

namespace kernelmill {

// The configuration key of the sources of an SFT dataset.
inline constexpr char kSourcesKey[] = "sources";

// kUsage if the output of a command that builds `dataset` again is its own folder.
Status CheckOtherFolder(const std::string& dataset, const std::string& output);

struct DatasetConfiguration {
  Config config;
  bool sampled = false;  // Of the recipe "rft"; otherwise of "sft".
};

// The configuration of the dataset in `folder`, with its sources as it names them. kCorrupt, with
// the file, when it is not in the form in which a run publishes it, or does not set every key.
Result<DatasetConfiguration> PublishedConfiguration(const std::string& folder);

// Leaves keys to their defaults again, which a published configuration writes as numbers of another
// kind (6) than it reads them (6.0).
void RemoveDefaults(bool sampled, Json* configuration);
// Adds to `options` where the run of the dataset in `folder` found its sources, as far as that is
// known here and `options` does not say it.
void AddPlaces(const std::string& folder, RederiveOptions* options);

// Changes a published configuration before its sources are looked for.
using ConfigurationEdit = std::function<Status(Json* configuration)>;

// The configuration of the dataset in `folder`, with a path on this machine for each source: the
// one that `options` gives, or else where the run found it. kNotFound names a source that is not
// known here, and the option that says where it lies.
Result<DatasetConfiguration> ReadConfiguration(const std::string& folder,
                                               const RederiveOptions& options,
                                               const ConfigurationEdit& edit = nullptr);

}  // namespace kernelmill
