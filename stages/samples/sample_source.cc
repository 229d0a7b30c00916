#include "stages/samples/sample_source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "manifests/commit_file.h"
#include "manifests/local_name.h"
#include "manifests/printable.h"
#include "parsers/samples/kernelbench_sample.h"
#include "stages/publishable/licence_map.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

// The names of the samples in a folder of KernelBench, sorted. kConfig when something that is no
// regular file has such a name: a pipe would be waited for, and a device has no end.
Result<std::vector<std::string>> SampleFilesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename();
    if (!KernelBenchSampleName::IsFile(name)) continue;
    std::error_code unknown;
    if (!entry->is_regular_file(unknown)) {
      return Status(
          ErrorCode::kConfig,
          folder + "/" + name + " has the name of a sample and is no regular file; remove it");
    }
    names.push_back(std::move(name));
  }
  if (error) return Status(ErrorCode::kIo, "cannot list " + folder + ": " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

// The format of the first line that has one; `plain` if none has.
Result<const SampleFormat*> FormatOfFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", path);
  for (std::string line; std::getline(file, line);) {
    if (const SampleFormat* format = RecogniseSampleFormat(line)) return format;
  }
  return FindSampleFormat("plain");
}

Result<std::string> DigestOfSamples(const SampleSource& source) {
  if (!source.format->one_file_each) {
    KM_ASSIGN(const Digest digest, DigestOfFile(source.path));
    return digest.Hex();
  }
  KM_ASSIGN(const std::vector<std::string> names, SampleFilesIn(source.path));
  if (names.empty()) {
    return Status(ErrorCode::kConfig,
                  source.path + " holds no level_L_problem_P_sample_S_kernel.py");
  }
  Sha256 hash;
  for (const std::string& name : names) {
    KM_ASSIGN(const Digest digest, DigestOfFile(source.path + "/" + name));
    hash.Field(name).Field(digest.AsKey());
  }
  return hash.Finish().Hex();
}

Result<SampleSource> ResolveItem(const Config& config, const Json& item) {
  const auto text = [&](const char* key) { return item.Find(key)->as_string(); };
  if (text("file").empty()) return Status(ErrorCode::kConfig, "needs file: FILE or FOLDER");
  SampleSource source;
  std::error_code error;
  source.path = fs::absolute(config.Path(kSamplesKey, text("file")), error).lexically_normal();
  source.name = Printable(text("name").empty() ? LocalName(source.path) : text("name"));
  source.model = text("model");
  source.licence = text("licence");
  if (!IsLicenceExpression(source.licence)) {
    return Status(ErrorCode::kConfig, "licence: '" + Printable(source.licence) +
                                          "' is no SPDX expression, such as Apache-2.0; without "
                                          "the key it is NOASSERTION");
  }
  const bool folder = fs::is_directory(source.path, error);
  if (!folder && !fs::is_regular_file(source.path, error)) {
    return Status(ErrorCode::kConfig, "there is no file or folder " + text("file"));
  }
  const std::string format = text("format");
  if (format == "auto") {
    KM_ASSIGN(source.format, folder ? FindSampleFormat("kernelbench") : FormatOfFile(source.path));
  } else {
    KM_ASSIGN(source.format, FindSampleFormat(format));
  }
  if (source.format->one_file_each != folder) {
    return Status(ErrorCode::kConfig, "the format " + std::string(source.format->name) +
                                          " is for " + (folder ? "files, " : "folders, ") +
                                          text("file") + " is a " + (folder ? "folder" : "file"));
  }
  KM_ASSIGN(source.sha256, DigestOfSamples(source));
  if (const std::string wanted = text("sha256"); !wanted.empty() && wanted != source.sha256) {
    return Status(ErrorCode::kConfig, text("file") + " has the SHA-256 " + source.sha256 +
                                          ", not " + wanted +
                                          ": it is another file, or it was changed");
  }
  return source;
}

}  // namespace

Json SampleSource::ToJson() const {
  return Json::Object{{"file", name},   {"name", name},       {"sha256", sha256},
                      {"model", model}, {"licence", licence}, {"format", format->name}};
}

ConfigKey SamplesConfigKey() {
  return {
      kSamplesKey,
      ConfigType::kItems,
      Json::Array(),
      "",
      "The files with samples of models, for `rft`.",
      {},
      {{"file", ConfigType::kString, "", "",
        "JSON lines, or a run folder of KernelBench. Relative paths are relative to this file. A "
        "prompt in a line is used where it is a question: user and assistant in turns after an "
        "optional system message, with a last message of the user that has text. Rows of other "
        "samples have a prompt of ours; the step join counts them as unusable_prompts."},
       {"format", ConfigType::kString, "auto", "",
        "plain, openai, vllm, sglang or kernelbench; auto: that of the first line which has "
        "one."},
       {"name", ConfigType::kString, "", "",
        "The name of the file in verdicts. Default: its name on this machine."},
       {"model", ConfigType::kString, "", "", "The model of samples that name none."},
       {"licence", ConfigType::kString, "NOASSERTION", "",
        "The SPDX expression for what the model wrote."},
       {"sha256", ConfigType::kString, "", "", "The SHA-256 that the file must have."}}};
}

Result<std::vector<SampleSource>> ResolveSamples(const Config& config) {
  std::vector<SampleSource> sources;
  std::set<std::string> hashes;
  const Json::Array& items = config.Value(kSamplesKey).as_array();
  if (items.empty()) {
    return Status(ErrorCode::kConfig, "samples: name at least one file with samples of a model");
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string key = "samples[" + std::to_string(i) + "]";
    Result<SampleSource> source = ResolveItem(config, items[i]);
    if (!source.ok()) return source.status().Within(key);
    if (!hashes.insert(source->sha256).second) {
      return Status(ErrorCode::kConfig, key + ": an entry before it names the same file");
    }
    sources.push_back(std::move(source).value());
  }
  return sources;
}

Result<SampleSource> SampleFileAt(const std::string& path) {
  SampleSource source;
  std::error_code error;
  source.path = fs::absolute(path, error).lexically_normal();
  source.name = Printable(LocalName(source.path));
  if (!fs::is_regular_file(source.path, error)) {
    return Status(ErrorCode::kConfig, "there is no file " + path);
  }
  KM_ASSIGN(source.format, FormatOfFile(source.path));
  KM_ASSIGN(source.sha256, DigestOfSamples(source));
  return source;
}

Status ForEachSampleLine(const SampleSource& source,
                         const std::function<Status(SampleLine line)>& visit) {
  SampleLine line;
  line.number = 0;
  if (source.format->one_file_each) {
    KM_ASSIGN(const std::vector<std::string> names, SampleFilesIn(source.path));
    for (const std::string& name : names) {
      ++line.number;
      line.name = source.name + "/" + name;
      KM_ASSIGN(line.bytes, ReadFile(source.path + "/" + name));
      line.parsed = ParseSamples(*source.format, line.bytes, name);
      KM_RETURN_IF_ERROR(visit(line));
    }
    return Status::Ok();
  }
  std::ifstream file(source.path, std::ios::binary);
  if (!file) return Status::FromErrno("cannot open", source.path);
  while (std::getline(file, line.bytes)) {
    ++line.number;
    if (IsBlankLine(line.bytes)) continue;
    line.name = source.name + ":" + std::to_string(line.number);
    line.parsed = ParseSamples(*source.format, line.bytes);
    KM_RETURN_IF_ERROR(visit(line));
  }
  return file.bad() ? Status::FromErrno("cannot read", source.path) : Status::Ok();
}

}  // namespace kernelmill
