#include "stages/pack/jsonl_export.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "manifests/commit_file.h"
#include "manifests/file_writer.h"
#include "stages/pack/dataset_layout.h"

namespace kernelmill {
namespace {

std::string FileOf(const std::string& split) {
  return std::string(kDataFolder) + "/" + split + ".jsonl";
}

std::string LineOf(const Row& row) { return row.ToJson().Dump() + '\n'; }

class JsonlExport : public Export {
 public:
  explicit JsonlExport(std::string dataset) : dataset_(std::move(dataset)) {}

  Status Add(const Row& row) override {
    auto file = files_.find(row.split);
    if (file == files_.end()) {
      KM_ASSIGN(FileWriter writer, FileWriter::Create(dataset_ + "/" + FileOf(row.split)));
      file = files_.emplace(row.split, std::move(writer)).first;
    }
    return file->second.Append(LineOf(row));
  }

  Status Finish() override {
    for (auto& [split, file] : files_) KM_RETURN_IF_ERROR(file.Finish());
    return Status::Ok();
  }

 private:
  std::string dataset_;
  std::map<std::string, FileWriter> files_;
};

// Rows are compared by position, not by line, so that a damaged line break does not shift the rest.
class JsonlCheck : public ExportCheck {
 public:
  JsonlCheck(std::string dataset, Report report)
      : dataset_(std::move(dataset)), report_(std::move(report)) {}

  void Add(const Row& row) override {
    File& file = Open(row.split);
    const std::int64_t number = file.rows++;
    if (file.differences > kMaxDifferences) return;
    const std::string expected = LineOf(row);
    std::string found(expected.size(), '\0');
    file.stream.read(found.data(), static_cast<std::streamsize>(found.size()));
    found.resize(static_cast<std::size_t>(file.stream.gcount()));
    if (found == expected) return;
    ++file.differences;
    report_(FileOf(row.split), number,
            "it is not what the shards say of training record " + row.content_id.Hex());
  }

  void Finish() override {
    for (const std::string& split : AllSplits()) {
      File& file = Open(split);
      if (file.stream.is_open() && file.stream.peek() != std::ifstream::traits_type::eof()) {
        report_(FileOf(split), file.rows, "the shards have no such row");
      }
    }
  }

 private:
  // Once a file is shifted every row differs: enough to see it.
  static constexpr int kMaxDifferences = 20;

  struct File {
    std::ifstream stream;
    std::int64_t rows = 0;
    int differences = 0;
  };

  File& Open(const std::string& split) {
    const auto [file, is_new] = files_.try_emplace(split);
    if (is_new) file->second.stream.open(dataset_ + "/" + FileOf(split), std::ios::binary);
    return file->second;
  }

  std::string dataset_;
  Report report_;
  std::map<std::string, File> files_;
};

}  // namespace

Result<std::unique_ptr<Export>> OpenJsonlExport(const std::string& dataset) {
  KM_RETURN_IF_ERROR(MakeFolders(dataset + "/" + std::string(kDataFolder)));
  return std::unique_ptr<Export>(std::make_unique<JsonlExport>(dataset));
}

std::unique_ptr<ExportCheck> CheckJsonlExport(const std::string& dataset,
                                              const std::vector<std::string>& files,
                                              const ExportCheck::Report& report) {
  for (const std::string& split : AllSplits()) {
    if (std::find(files.begin(), files.end(), FileOf(split)) != files.end()) {
      return std::make_unique<JsonlCheck>(dataset, report);
    }
  }
  return nullptr;
}

}  // namespace kernelmill
