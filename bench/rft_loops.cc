// The loop that bench/rft.py times:
//   rft_loops SAMPLES.jsonl ROUNDS   what a run of `rft` does with each sample beside judging it
// Prints one JSON object: how many samples the file holds, and the seconds of processor time by
// part, the least of ROUNDS. Every sample with code counts as correct, which is the most work.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "manifests/json.h"
#include "parsers/fingerprints/answer_fingerprint.h"
#include "parsers/samples/sample_format.h"
#include "stages/select/selection.h"

namespace kernelmill {
namespace {

// Adds the processor time of `work` to `part`.
template <typename Work>
void Timed(const char* part, std::map<std::string, double>* seconds, Work work) {
  const std::clock_t start = std::clock();
  work();
  (*seconds)[part] += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::vector<std::string> LinesOf(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// One round; returns the number of samples.
std::size_t Round(const std::vector<std::string>& lines, std::map<std::string, double>* seconds) {
  std::vector<ModelSample> samples;
  Timed("parse", seconds, [&] {
    for (const std::string& line : lines) {
      const SampleFormat* const format = RecogniseSampleFormat(line);
      if (format == nullptr) continue;
      for (ModelSample& sample : ParseSamples(*format, line).samples) {
        samples.push_back(std::move(sample));
      }
    }
  });
  std::vector<JudgedSample> judged;
  Timed("fingerprint", seconds, [&] {
    for (const ModelSample& sample : samples) {
      JudgedSample& one = judged.emplace_back();
      one.id = DigestOf(sample.message);
      one.task = sample.task;
      one.backend = "cuda";
      const std::optional<std::string> code = sample.Code();
      one.judged = one.correct = code.has_value();
      if (code) one.cluster = ReadAnswerFingerprint(*code).Cluster();
    }
  });
  Timed("select", seconds, [&] { SelectSamples(judged, {}); });
  return samples.size();
}

}  // namespace
}  // namespace kernelmill

int main(int argc, char** argv) {
  using namespace kernelmill;
  if (argc != 3) return 2;
  const std::vector<std::string> lines = LinesOf(argv[1]);
  std::map<std::string, double> least;
  std::size_t samples = 0;
  for (int round = 0; round < std::atoi(argv[2]); ++round) {
    std::map<std::string, double> seconds;
    samples = Round(lines, &seconds);
    for (const auto& [part, used] : seconds) {
      const auto [at, is_new] = least.emplace(part, used);
      if (!is_new) at->second = std::min(at->second, used);
    }
  }
  std::printf("%s\n", Json(Json::Object{{"samples", static_cast<std::int64_t>(samples)},
                                        {"seconds", Json::Object(least.begin(), least.end())}})
                          .Dump()
                          .c_str());
  return 0;
}
