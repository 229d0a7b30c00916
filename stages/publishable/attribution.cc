#include "stages/publishable/attribution.h"

#include <algorithm>

#include "corpora/dataset/dataset_layout.h"
#include "manifests/git_id.h"
#include "manifests/printable.h"
#include "parsers/copyright_lines.h"

namespace kernelmill {
namespace {

std::string HowStated(LicenceLevel level, const std::set<std::string>& paths) {
  const std::string first = PrintableLine(*paths.begin());
  const std::string more =
      paths.size() == 1 ? "" : " and " + std::to_string(paths.size() - 1) + " more files";
  switch (level) {
    case LicenceLevel::kFileHeader:
      return "stated in the head of " + first + more;
    case LicenceLevel::kNearestFile:
      return "stated by " + first + more;
    case LicenceLevel::kPackageMetadata:
      return "stated by the package metadata " + first + more;
    case LicenceLevel::kGenerator:
      return "the licence of kernelmill, which drew the tasks";
    case LicenceLevel::kDeclared:
      return "declared for " + first + more;
    case LicenceLevel::kNone:
      return "stated by no file";
  }
  return "";
}

std::string Named(const Attribution::Source& source) {
  return PrintableLine(source.first, 1000) + " (" + PrintableLine(source.second) + ")";
}

}  // namespace

Status Attribution::Add(const Record& record) {
  std::vector<Source> sources;
  for (const Origin& origin : record.origins) {
    if (!origin.sampled()) sources.push_back(origin.Source());
  }
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  std::map<Statement, Stated>& statements = sources_[sources];
  for (const LicenceEvidence& evidence : record.licences) {
    const std::string blob = evidence.TextBlob();
    if (!blob.empty()) {
      if (!IsGitId(blob)) {
        return Status(ErrorCode::kCorrupt, "the evidence for its licence names the text " +
                                               PrintableLine(blob) + ", which is no Git id");
      }
      texts_[blob].insert(sources.begin(), sources.end());
    }
    Stated& stated = statements[{evidence.spdx, evidence.chosen, blob, evidence.level}];
    stated.paths.insert(evidence.path);
    stated.copyright.insert(evidence.copyright.begin(), evidence.copyright.end());
  }
  return Status::Ok();
}

std::vector<std::string> Attribution::TextBlobs() const {
  std::vector<std::string> blobs;
  for (const auto& [blob, sources] : texts_) blobs.push_back(blob);
  return blobs;
}

std::string Attribution::Notice(const std::map<std::string, std::string>& texts) const {
  std::string notice =
      "NOTICE\n\n"
      "The sources of the records of this dataset, their licences, and what they say of "
      "copyright.\n"
      "The texts of the licences are in " +
      std::string(kLicenceFolder) +
      "/, byte for byte, under their Git ids. In lines from the heads\n"
      "of files, e-mail addresses are replaced.\n";
  for (const auto& [sources, statements] : sources_) {
    notice += "\n";
    for (const Source& source : sources) notice += Named(source) + "\n";
    if (sources.size() > 1) notice += "  (the same code in each of them)\n";
    for (const auto& [statement, stated] : statements) {
      notice += "  " + PrintableLine(statement.spdx);
      if (!statement.chosen.empty()) notice += ", used under " + PrintableLine(statement.chosen);
      notice += ": " + HowStated(statement.level, stated.paths) + "\n";
      std::set<std::string> lines = stated.copyright;
      if (const auto text = texts.find(statement.text_blob); text != texts.end()) {
        notice += "    text: " + LicenceTextPath(statement.text_blob) + "\n";
        for (std::string& line : CopyrightLines(text->second)) lines.insert(std::move(line));
      } else if (statement.level != LicenceLevel::kDeclared) {
        notice += "    the source holds no text of it\n";
      }
      for (const std::string& line : lines) notice += "    " + PrintableLine(line) + "\n";
    }
  }
  return notice;
}

}  // namespace kernelmill
