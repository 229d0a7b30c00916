// The loop that bench/samples.py times:
//   sample_loops FORMAT MODEL PATH   parses a file of model samples, or the files of a run folder
// Prints one JSON object: the format, the seconds of parsing alone, the bytes, how many samples and
// problems there are, the problems by reason, and a digest of all samples that depends neither on
// their order nor on their ids. MODEL is the model of samples that name none.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>

#include "manifests/commit_file.h"
#include "manifests/digest.h"
#include "parsers/samples/sample_format.h"
#include "parsers/samples/sample_numbers.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// A line of a file, or a file of a folder.
struct Text {
  std::string name, bytes;
};

Result<std::vector<Text>> TextsOf(const std::string& path) {
  std::vector<Text> texts;
  if (!fs::is_directory(path)) {
    KM_ASSIGN(const std::string bytes, ReadFile(path));
    std::istringstream lines(bytes);
    for (std::string line; std::getline(lines, line);) {
      if (!IsBlankLine(line)) texts.push_back({"", line});
    }
    return texts;
  }
  for (const auto& entry : fs::directory_iterator(path)) {
    KM_ASSIGN(std::string bytes, ReadFile(entry.path()));
    texts.push_back({entry.path().filename(), std::move(bytes)});
  }
  return texts;
}

std::string OfNumber(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "none";
}

Digest DigestOfSample(const ModelSample& sample) {
  Sha256 hash;
  hash.Field(sample.task)
      .Field(OfNumber(sample.attempt))
      .Field(std::to_string(sample.turn))
      .Field(sample.backend == nullptr ? "" : sample.backend->name)
      .Field(sample.model)
      .Field(sample.message)
      .Field(sample.code_only ? "code" : "message")
      .Field(sample.reasoning)
      .Field(sample.finish_reason)
      .Field(OfNumber(sample.prompt_tokens))
      .Field(OfNumber(sample.completion_tokens))
      .Field(sample.log_prob_problem);
  for (const TokenLogProb& token : sample.log_probs) {
    hash.Field(token.token).Field(OfNumber(token.id)).Field(Json(token.log_prob).Dump());
  }
  return hash.Finish();
}

Result<const SampleFormat*> FormatOf(const std::string& name, const std::vector<Text>& texts) {
  if (name != "auto") return FindSampleFormat(name);
  for (const Text& text : texts) {
    if (!text.name.empty()) return FindSampleFormat("kernelbench");
    if (const SampleFormat* format = RecogniseSampleFormat(text.bytes)) return format;
  }
  return Status(ErrorCode::kConfig, "no line is of a known format");
}

Status Run(const std::string& name, const std::string& model, const std::string& path) {
  KM_ASSIGN(const std::vector<Text> texts, TextsOf(path));
  KM_ASSIGN(const SampleFormat* const format, FormatOf(name, texts));
  std::vector<Digest> digests;
  std::map<std::string, std::int64_t> problems;
  SampleNumbers numbers;
  std::int64_t bytes = 0;
  std::chrono::duration<double> seconds{0};
  for (const Text& text : texts) {
    bytes += static_cast<std::int64_t>(text.bytes.size());
    const auto start = std::chrono::steady_clock::now();
    ParsedSamples parsed = ParseSamples(*format, text.bytes, text.name);
    seconds += std::chrono::steady_clock::now() - start;
    for (const SampleProblem& problem : parsed.problems) ++problems[problem.reason];
    for (ModelSample& sample : parsed.samples) {
      if (const std::optional<SampleProblem> twice = numbers.Add(&sample)) {
        ++problems[twice->reason];
        continue;
      }
      if (sample.model.empty()) sample.model = model;
      digests.push_back(DigestOfSample(sample));
    }
  }
  std::sort(digests.begin(), digests.end());
  Sha256 hash;
  for (const Digest& digest : digests) hash.Field(digest.AsKey());
  const Json::Object result = {{"format", format->name},
                               {"seconds", seconds.count()},
                               {"bytes", bytes},
                               {"samples", static_cast<std::int64_t>(digests.size())},
                               {"problems", Json::Object(problems.begin(), problems.end())},
                               {"digest", hash.Finish().Hex()}};
  std::printf("%s\n", Json(result).Dump().c_str());
  return Status::Ok();
}

}  // namespace
}  // namespace kernelmill

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: sample_loops FORMAT MODEL PATH\n");
    return 1;
  }
  const kernelmill::Status status = kernelmill::Run(arguments[1], arguments[2], arguments[3]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  return kernelmill::ExitCodeOf(status.code());
}
