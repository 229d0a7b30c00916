// Finds and hashes the files of model samples that the configuration key `samples` names, and reads
// them line by line. The steps "recall" and "join" read the same files: the first to learn which
// tasks have samples, the second for the samples.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/config.h"
#include "parsers/samples/sample_format.h"

namespace kernelmill {

struct SampleSource {
  std::string path;    // On this machine.
  std::string name;    // The name to record: never a path of this machine.
  std::string sha256;  // Of the file, or over the names and hashes of a folder's files.
  const SampleFormat* format = nullptr;
  std::string model;    // For samples that name no model; "" if the configuration names none.
  std::string licence;  // The SPDX expression that the user declares for the samples.

  // An entry of `samples` in the published configuration.
  Json ToJson() const;
};

inline constexpr char kSamplesKey[] = "samples";
ConfigKey SamplesConfigKey();

// The sources that `samples` names, in its order. kConfig, with the entry, for a file that does not
// exist, is empty or has another hash, an unknown format, or the same file twice.
Result<std::vector<SampleSource>> ResolveSamples(const Config& config);

// A file with lines of samples, in the format of its first line that has one. kConfig when there is
// none.
Result<SampleSource> SampleFileAt(const std::string& path);

// One line of a file, or one file of a folder, with what it holds.
struct SampleLine {
  std::int64_t number = 1;  // From 1. For a folder, of the file in the order of the names.
  std::string name;         // Names the line for people: "samples.jsonl:17", or the file.
  std::string bytes;
  ParsedSamples parsed;
};
// Visits the lines of a source that are not blank.
Status ForEachSampleLine(const SampleSource& source,
                         const std::function<Status(SampleLine line)>& visit);

}  // namespace kernelmill
