#include "stages/pack/row.h"

#include <algorithm>
#include <set>

#include "manifests/json_fields.h"

namespace kernelmill {

const std::vector<std::string>& AllSplits() {
  static const std::vector<std::string> kSplits = {"train", "validation"};
  return kSplits;
}

Result<Row> Row::Of(const Record& record) {
  Row row;
  row.content_id = record.ContentId();
  KM_ASSIGN(row.training, TrainingRecord::FromJson(record.payload));
  const auto split = record.attributes.find(kSplitAttribute);
  const auto& splits = AllSplits();
  if (split == record.attributes.end() || !split->second.is_string() ||
      std::find(splits.begin(), splits.end(), split->second.as_string()) == splits.end()) {
    return Status(ErrorCode::kCorrupt, "training record " + row.content_id.Hex() +
                                           ": the attribute 'split' names no split");
  }
  row.split = split->second.as_string();
  for (const Origin& origin : record.origins) row.origins.push_back(origin.Swhid());
  std::set<std::string> licences;
  for (const LicenceEvidence& evidence : record.licences) licences.insert(evidence.spdx);
  row.licences.assign(licences.begin(), licences.end());
  return row;
}

Json Row::ToJson() const {
  Json::Array messages;
  for (const Message& message : training.messages) messages.push_back(message.ToJson());
  return Json::Object{{"content_id", content_id.Hex()},
                      {"split", split},
                      {"family", FamilyName(training.family)},
                      {"backend", training.backend},
                      {"prompt_template", training.prompt_template},
                      {"subject", training.subject.Hex()},
                      {"messages", std::move(messages)},
                      {"origins", kernelmill::ToJson(origins)},
                      {"licences", kernelmill::ToJson(licences)}};
}

}  // namespace kernelmill
