#include "stages/pack/jsonl_export.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "corpora/dataset/dataset_layout.h"
#include "corpora/shards/zstd_file.h"
#include "manifests/commit_file.h"
#include "manifests/file_writer.h"

namespace kernelmill {
namespace {

class PlainReader {
 public:
  static Result<PlainReader> Open(const std::string& path) {
    PlainReader reader;
    reader.stream_.open(path, std::ios::binary);
    if (!reader.stream_.is_open()) return Status::FromErrno("cannot open", path);
    return reader;
  }
  // The next `count` bytes, or fewer at the end.
  Result<std::string> Read(std::size_t count) {
    std::string bytes(count, '\0');
    stream_.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(stream_.gcount()));
    return bytes;
  }

 private:
  std::ifstream stream_;
};

struct Plain {
  static constexpr std::string_view kExtension = ".jsonl";
  using Writer = FileWriter;
  using Reader = PlainReader;
};

struct Compressed {
  static constexpr std::string_view kExtension = ".jsonl.zst";
  using Writer = ZstdFileWriter;
  using Reader = ZstdFileReader;
};

template <typename Encoding>
std::string FileOf(const std::string& split) {
  return std::string(kDataFolder) + "/" + split + std::string(Encoding::kExtension);
}

std::string LineOf(const Row& row) { return row.ToJson().Dump() + '\n'; }

template <typename Encoding>
class JsonlExport : public Export {
 public:
  explicit JsonlExport(std::string dataset) : dataset_(std::move(dataset)) {}

  Status Add(const Row& row) override {
    auto file = files_.find(row.attributes.split);
    if (file == files_.end()) {
      KM_ASSIGN(Writer writer,
                Writer::Create(dataset_ + "/" + FileOf<Encoding>(row.attributes.split)));
      file = files_.emplace(row.attributes.split, std::move(writer)).first;
    }
    return file->second.Append(LineOf(row));
  }

  Status Finish() override {
    for (auto& [split, file] : files_) KM_RETURN_IF_ERROR(file.Finish());
    return Status::Ok();
  }

 private:
  using Writer = typename Encoding::Writer;

  std::string dataset_;
  std::map<std::string, Writer> files_;
};

// Rows are compared by position, not by line, so that a damaged line break does not shift the rest.
template <typename Encoding>
class JsonlCheck : public ExportCheck {
 public:
  JsonlCheck(std::string dataset, Report report)
      : dataset_(std::move(dataset)), report_(std::move(report)) {}

  void Add(const Row& row) override {
    File& file = Open(row.attributes.split);
    const std::int64_t number = file.rows++;
    if (!file.reader || file.differences > kMaxDifferences) return;
    const std::string expected = LineOf(row);
    const std::optional<std::string> found =
        Read(row.attributes.split, file, number, expected.size());
    if (!found || *found == expected) return;
    ++file.differences;
    report_(FileOf<Encoding>(row.attributes.split), number,
            "it is not what the shards say of training record " + row.content_id.Hex());
  }

  void Finish() override {
    for (const std::string& split : AllSplits()) {
      std::error_code ignored;
      const std::string path = dataset_ + "/" + FileOf<Encoding>(split);
      if (!files_.contains(split) && !std::filesystem::exists(path, ignored)) continue;
      File& file = Open(split);
      if (!file.reader) continue;
      const std::optional<std::string> more = Read(split, file, file.rows, 1);
      if (more && !more->empty()) {
        report_(FileOf<Encoding>(split), file.rows, "the shards have no such row");
      }
    }
  }

 private:
  // If a row is missing, all following rows differ; this many findings are enough.
  static constexpr int kMaxDifferences = 20;

  struct File {
    std::optional<typename Encoding::Reader> reader;  // Absent after an error.
    std::int64_t rows = 0;
    int differences = 0;
  };

  File& Open(const std::string& split) {
    const auto [file, is_new] = files_.try_emplace(split);
    if (is_new) {
      auto opened = Encoding::Reader::Open(dataset_ + "/" + FileOf<Encoding>(split));
      if (opened.ok()) {
        file->second.reader = std::move(opened).value();
      } else {
        report_(FileOf<Encoding>(split), -1, opened.status().message());
      }
    }
    return file->second;
  }

  std::optional<std::string> Read(const std::string& split, File& file, std::int64_t row,
                                  std::size_t count) {
    Result<std::string> bytes = file.reader->Read(count);
    if (bytes.ok()) return std::move(bytes).value();
    report_(FileOf<Encoding>(split), row,
            "it and what follows cannot be read: " + bytes.status().message());
    file.reader.reset();
    return std::nullopt;
  }

  std::string dataset_;
  Report report_;
  std::map<std::string, File> files_;
};

template <typename Encoding>
Result<std::unique_ptr<Export>> OpenExport(const std::string& dataset) {
  KM_RETURN_IF_ERROR(MakeFolders(dataset + "/" + std::string(kDataFolder)));
  return std::unique_ptr<Export>(std::make_unique<JsonlExport<Encoding>>(dataset));
}

template <typename Encoding>
std::unique_ptr<ExportCheck> Check(const std::string& dataset,
                                   const std::vector<std::string>& files,
                                   const ExportCheck::Report& report) {
  for (const std::string& split : AllSplits()) {
    if (std::find(files.begin(), files.end(), FileOf<Encoding>(split)) != files.end()) {
      return std::make_unique<JsonlCheck<Encoding>>(dataset, report);
    }
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<Export>> OpenJsonlExport(const std::string& dataset, const PackOptions&) {
  return OpenExport<Plain>(dataset);
}

std::unique_ptr<ExportCheck> CheckJsonlExport(const std::string& dataset,
                                              const std::vector<std::string>& files,
                                              const ExportCheck::Report& report) {
  return Check<Plain>(dataset, files, report);
}

Result<std::unique_ptr<Export>> OpenJsonlZstExport(const std::string& dataset, const PackOptions&) {
  return OpenExport<Compressed>(dataset);
}

std::unique_ptr<ExportCheck> CheckJsonlZstExport(const std::string& dataset,
                                                 const std::vector<std::string>& files,
                                                 const ExportCheck::Report& report) {
  return Check<Compressed>(dataset, files, report);
}

}  // namespace kernelmill
