// The samples for the RFT selection at the end of the command `demo`. They are answers that the
// demo's dataset holds, so that no model is needed: right ones of several strategies, copies of
// them that differ only in a comment, and wrong ones with a bug. Each line names kDemoMaker as its
// model.
#pragma once

#include <cstdint>
#include <string>

#include "manifests/status.h"

namespace kernelmill {

// Who made the samples, in the place of a model's name. Every record that comes of them says so.
inline constexpr char kDemoMaker[] = "kernelmill itself, no model";

struct DemoSamples {
  std::int64_t right = 0, copies = 0, wrong = 0;
  std::string text;  // Lines of the format "plain" (parsers/samples/plain_samples.h).
};

// Of the CUDA answers in the dataset in the folder `dataset`. kNotFound if none is right.
Result<DemoSamples> DemoSamplesOf(const std::string& dataset);

}  // namespace kernelmill
