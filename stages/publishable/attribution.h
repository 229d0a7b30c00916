// Whom the content of a dataset is owed to: collects, over all records, their sources, licences and
// notices of copyright, and writes the file NOTICE. The build of a dataset publishes it with the
// texts of the licences (stages/recipes/licence_files.h); an audit makes both again from the
// records.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpora/records/record.h"

namespace kernelmill {

class Attribution {
 public:
  using Source = std::pair<std::string, std::string>;  // Origin::Source().

  // kCorrupt when the evidence for a licence names its text by something else than a Git id.
  Status Add(const Record& record);

  // The Git ids of all licence texts that records refer to, with the sources of these records.
  const std::map<std::string, std::set<Source>>& texts() const { return texts_; }
  // The same, without the sources; sorted.
  std::vector<std::string> TextBlobs() const;

  // The file NOTICE. `texts`: the bytes of the licence texts, by Git id.
  std::string Notice(const std::map<std::string, std::string>& texts) const;

 private:
  // Evidence that differs only in the file that states the licence.
  struct Statement {
    std::string spdx, chosen, text_blob;
    LicenceLevel level = LicenceLevel::kNone;

    friend auto operator<=>(const Statement&, const Statement&) = default;
  };
  struct Stated {
    std::set<std::string> paths;      // Of the files that state it.
    std::set<std::string> copyright;  // Of the heads of files.
  };

  // By the sources of a record, of which it has several if they have equal code. Models that
  // sampled it are not among them.
  std::map<std::vector<Source>, std::map<Statement, Stated>> sources_;
  std::map<std::string, std::set<Source>> texts_;
};

}  // namespace kernelmill
