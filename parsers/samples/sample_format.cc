#include "parsers/samples/sample_format.h"

#include <algorithm>

#include "parsers/byte_order_mark.h"
#include "parsers/samples/batch_samples.h"
#include "parsers/samples/kernelbench_sample.h"
#include "parsers/samples/plain_samples.h"
#include "parsers/samples/sglang_samples.h"

namespace kernelmill {
namespace {

// Python's json writes NaN, Infinity and -Infinity, which JSON does not have, for log-probs. The
// text with null in their place, if it has any outside of strings.
std::optional<std::string> WithoutNonFinite(std::string_view text) {
  static constexpr std::string_view kNames[] = {"-Infinity", "Infinity", "NaN"};
  std::string result;
  bool found = false, in_string = false;
  for (std::size_t at = 0; at < text.size();) {
    if (!in_string) {
      const auto name = std::find_if(std::begin(kNames), std::end(kNames), [&](std::string_view n) {
        return text.substr(at).starts_with(n);
      });
      if (name != std::end(kNames)) {
        result += "null";
        at += name->size();
        found = true;
        continue;
      }
    } else if (text[at] == '\\' && at + 1 < text.size()) {
      result += text[at++];
      result += text[at++];
      continue;
    }
    if (text[at] == '"') in_string = !in_string;
    result += text[at++];
  }
  return found ? std::optional(std::move(result)) : std::nullopt;
}

Result<Json> ParseLine(std::string_view line) {
  line = WithoutByteOrderMark(line);
  Result<Json> json = Json::Parse(line);
  if (json.ok()) return json;
  if (const std::optional<std::string> repaired = WithoutNonFinite(line)) {
    if (Result<Json> again = Json::Parse(*repaired); again.ok()) return again;
  }
  return json;
}

ParsedSamples Refused(std::string reason, std::string detail) {
  return {{}, {{.reason = std::move(reason), .detail = std::move(detail)}}};
}

}  // namespace

const std::vector<SampleFormat>& AllSampleFormats() {
  static const std::vector<SampleFormat> kFormats = {
      {.name = "plain",
       .explanation = "JSON lines with \"task\", and \"code\" or \"message\"",
       .recognises = IsPlainSample,
       .parse_line = ParsePlainSample},
      {.name = "vllm",
       .explanation = "the output of `vllm run-batch`",
       .recognises = IsVllmBatchLine,
       .parse_line = ParseBatchLine},
      {.name = "openai",
       .explanation = "the output of OpenAI's batch API, or of a server with the same envelope",
       .recognises = IsOpenaiBatchLine,
       .parse_line = ParseBatchLine},
      {.name = "sglang",
       .explanation = "replies of SGLang's /generate or /v1/chat/completions",
       .recognises = IsSglangReply,
       .parse_line = ParseSglangReply},
      {.name = "kernelbench",
       .explanation = "a run folder of KernelBench, with level_L_problem_P_sample_S_kernel.py",
       .one_file_each = true,
       .parse_file = ParseKernelBenchFile},
  };
  return kFormats;
}

Result<const SampleFormat*> FindSampleFormat(std::string_view name) {
  std::string known = "auto";
  for (const SampleFormat& format : AllSampleFormats()) {
    if (format.name == name) return &format;
    known += ", " + std::string(format.name);
  }
  return Status(ErrorCode::kConfig,
                "unknown sample format '" + std::string(name) + "'; the formats are: " + known);
}

bool IsBlankLine(std::string_view line) {
  return WithoutByteOrderMark(line).find_first_not_of(" \t\r\n") == line.npos;
}

const SampleFormat* RecogniseSampleFormat(std::string_view line) {
  if (line.size() > kMostSampleBytes) return nullptr;
  const Result<Json> json = ParseLine(line);
  if (!json.ok() || !json->is_object()) return nullptr;
  for (const SampleFormat& format : AllSampleFormats()) {
    if (!format.one_file_each && format.recognises(*json)) return &format;
  }
  return nullptr;
}

ParsedSamples ParseSamples(const SampleFormat& format, std::string_view line,
                           std::string_view file_name) {
  if (line.size() > kMostSampleBytes) {
    return Refused("too_large", "it has more than " + std::to_string(kMostSampleBytes) + " bytes");
  }
  if (format.one_file_each) return format.parse_file(file_name, line);
  const Result<Json> json = ParseLine(line);
  if (!json.ok()) {
    return Refused(IsUtf8(line) ? "bad_sample" : "not_utf8", json.status().message());
  }
  if (!json->is_object()) return Refused("bad_sample", "it is not a JSON object");
  return format.parse_line(*json);
}

}  // namespace kernelmill
