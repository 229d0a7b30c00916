// The formats of files with model samples, one row each, and how a line of one becomes samples. All
// commands that read answers of models read them through this table. Nothing here opens a file.
//
//   plain        JSON lines of ours: {"task", "code" or "message", …} (plain_samples.h)
//   openai       the output of OpenAI's batch API, and of servers with the same envelope
//   vllm         the output of `vllm run-batch`
//   sglang       replies of SGLang's /generate and /v1/chat/completions
//   kernelbench  a folder with one file a sample, level_L_problem_P_sample_S_kernel.py
//
// `plain` can hold everything of a ModelSample. The servers' formats do not name the sampling
// parameters, but for `openai` in lines that `sample` has written, nor code without a message.
// `kernelbench` has the code alone.
//
// To add a format, add a row to sample_format.cc and a file with its parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/json.h"
#include "parsers/samples/model_sample.h"

namespace kernelmill {

// An answer that a file should hold and does not. It goes to the quarantine with the bytes of its
// line. The other fields are as much of its identity as can be read.
struct SampleProblem {
  std::string reason;  // A name from manifests/reason.h.
  std::string detail;  // One line: the field, what it is, and what it should be.
  std::string task;
  std::string id;
  std::optional<std::int64_t> attempt;
};

// What one line (or one file of `kernelbench`) holds. A line with n choices has n samples and
// problems together; a line of which nothing can be read has one problem.
struct ParsedSamples {
  std::vector<ModelSample> samples;
  std::vector<SampleProblem> problems;
};

struct SampleFormat {
  std::string_view name;
  std::string_view explanation;
  // Whether a sample is a file of a folder, not a line of a file.
  bool one_file_each = false;
  // Whether a line of JSON is of this format. Null where one_file_each.
  bool (*recognises)(const Json& line) = nullptr;
  // `line` is a JSON object. Null where one_file_each.
  ParsedSamples (*parse_line)(const Json& line) = nullptr;
  // `name` is the name of a file, without its folder. Null but where one_file_each.
  ParsedSamples (*parse_file)(std::string_view name, std::string_view text) = nullptr;
};

// In the order in which they are tried on a line.
const std::vector<SampleFormat>& AllSampleFormats();
// kConfig for an unknown name; the message lists the formats and "auto".
Result<const SampleFormat*> FindSampleFormat(std::string_view name);

// The longest line, in bytes, that is read: log-probs of many choices make long lines.
inline constexpr std::size_t kMostSampleBytes = std::size_t{256} << 20;

// Whether a line holds nothing. Such lines are no samples and are not counted.
bool IsBlankLine(std::string_view line);

// For `format: auto`: the format of this line, or null if it is of none of them. The format of a
// file is that of its first line that has one; a folder is of `kernelbench`.
const SampleFormat* RecogniseSampleFormat(std::string_view line);

// The samples of a line without its line break, which may begin with a byte order mark. For
// `kernelbench`, `line` is the text of the file `file_name`.
ParsedSamples ParseSamples(const SampleFormat& format, std::string_view line,
                           std::string_view file_name = "");

}  // namespace kernelmill
