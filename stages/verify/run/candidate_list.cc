#include "stages/verify/run/candidate_list.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "corpora/dataset/dataset_reader.h"
#include "corpora/kernel_backend.h"
#include "manifests/digest.h"
#include "parsers/samples/sample_format.h"
#include "parsers/samples/sample_numbers.h"
#include "stages/verify/run/listed_task.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// The line of a file that starts at `offset`.
Result<std::string> RowAt(const std::string& path, std::int64_t offset) {
  std::ifstream file(path, std::ios::binary);
  std::string row;
  if (file.seekg(offset) && std::getline(file, row)) return row;
  return Status(ErrorCode::kCorrupt, path + ": the file has changed while it was read");
}

// The code of a sample, by its position among those of the line at `offset`.
Result<std::optional<std::string>> CodeAt(const std::string& path, const SampleFormat& format,
                                          std::int64_t offset, std::size_t position) {
  KM_ASSIGN(const std::string row, RowAt(path, offset));
  const ParsedSamples parsed = ParseSamples(format, row);
  if (position < parsed.samples.size()) return parsed.samples[position].Code();
  return Status(ErrorCode::kCorrupt, path + ": the file has changed while it was read");
}

// The format of the first line that has one; `plain` if none has.
Result<const SampleFormat*> FormatOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  for (std::string row; std::getline(file, row);) {
    if (const SampleFormat* format = RecogniseSampleFormat(row)) return format;
  }
  return FindSampleFormat("plain");
}

// The digest of the first `size` bytes of a file.
Result<std::string> DigestOfStart(const std::string& path, std::int64_t size) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  Sha256 hash;
  std::string chunk(std::size_t{1} << 20, '\0');
  for (std::int64_t left = size; left > 0;) {
    file.read(chunk.data(), std::min<std::int64_t>(left, static_cast<std::int64_t>(chunk.size())));
    const std::int64_t got = file.gcount();
    if (got == 0) break;
    hash.Field(std::string_view(chunk).substr(0, static_cast<std::size_t>(got)));
    left -= got;
  }
  return hash.Finish().Hex();
}

}  // namespace

Result<std::vector<VerifyItem>> ReadCandidates(const std::string& dataset,
                                               const std::string& path) {
  KM_ASSIGN(DatasetReader reader, DatasetReader::Open(dataset));
  if (fs::is_directory(path)) return Status(ErrorCode::kUsage, path + " is a folder, not a list");
  KM_ASSIGN(const SampleFormat* const format, FormatOf(path));
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  std::map<std::string, ListedTask> tasks;  // By the name that the list has for it.
  std::vector<VerifyItem> items;
  SampleNumbers numbers;
  std::set<std::string> keys;
  std::string first_problem;
  std::size_t rejected = 0;
  std::int64_t number = 0, at = 0;
  const auto reject = [&](const SampleProblem& problem, const std::string& suffix) {
    VerifyItem item{.key = "line " + std::to_string(number) + suffix,
                    .id = problem.id,
                    .task = problem.task,
                    .attempt = problem.attempt};
    item.read_code = [path, at]() -> Result<std::optional<std::string>> {
      KM_ASSIGN(std::string bytes, RowAt(path, at));
      return std::optional(std::move(bytes));
    };
    item.reason = problem.reason;
    item.problem = path + ":" + std::to_string(number) + ": " + problem.detail;
    if (rejected++ == 0) first_problem = item.problem;
    items.push_back(std::move(item));
  };
  // Appends the item of a sample; what is wrong with it otherwise.
  const auto add = [&](ModelSample* sample, const std::string& suffix,
                       std::size_t position) -> std::optional<SampleProblem> {
    const auto problem = [&](std::string reason, std::string detail) {
      return SampleProblem{std::move(reason), std::move(detail), sample->task, sample->id,
                           sample->attempt};
    };
    if (std::optional<SampleProblem> twice = numbers.Add(sample)) return twice;
    ListedTask& task = tasks[sample->task];
    if (task.reference == nullptr) {
      Result<ListedTask> found = FindListedTask(&reader, sample->task, dataset);
      if (!found.ok()) return problem("unknown_task", found.status().message());
      task = std::move(found).value();
    }
    VerifyItem item{.key = sample->id.empty() ? std::to_string(number) + suffix : sample->id,
                    .id = sample->id,
                    .task = sample->task,
                    .attempt = sample->attempt,
                    .turn = sample->turn};
    if (!keys.insert(item.key).second) {
      return problem("duplicate_sample", "the id " + item.key + " occurs twice");
    }
    item.reference = task.reference;
    item.contract = task.contract;
    item.backend = sample->backend;
    item.read_code = [path, format, at, position]() {
      return CodeAt(path, *format, at, position);
    };
    items.push_back(std::move(item));
    return std::nullopt;
  };
  for (std::string row; std::getline(file, row); at += static_cast<std::int64_t>(row.size()) + 1) {
    ++number;
    if (IsBlankLine(row)) continue;
    ParsedSamples parsed = ParseSamples(*format, row);
    const bool several = parsed.samples.size() + parsed.problems.size() > 1;
    for (std::size_t position = 0; position < parsed.samples.size(); ++position) {
      const std::string suffix = several ? '#' + std::to_string(position) : "";
      const auto problem = add(&parsed.samples[position], suffix, position);
      if (problem) reject(*problem, suffix);
    }
    for (std::size_t position = 0; position < parsed.problems.size(); ++position) {
      reject(parsed.problems[position],
             several ? " problem " + std::to_string(position + 1) : "");
    }
  }
  if (rejected == items.size() && rejected > 0) {
    return Status(ErrorCode::kCorrupt, first_problem + "; none of its lines is an answer");
  }
  return items;
}

Result<Json> IdentityOfList(const std::string& path) {
  std::error_code error;
  const auto size = static_cast<std::int64_t>(fs::file_size(path, error));
  if (error) return Status(ErrorCode::kIo, path + ": " + error.message());
  KM_ASSIGN(const std::string digest, DigestOfStart(path, size));
  return Json(Json::Object{{"bytes", size}, {"sha256", digest}});
}

bool ContinuesList(const Json& before, const std::string& path) {
  std::error_code error;
  const auto size = static_cast<std::int64_t>(fs::file_size(path, error));
  const std::int64_t size_before = before.IntegerAt("bytes");
  if (error || size < size_before) return false;
  const Result<std::string> start = DigestOfStart(path, size_before);
  return start.ok() && *start == before.TextAt("sha256");
}

}  // namespace kernelmill
