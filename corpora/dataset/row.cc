#include "corpora/dataset/row.h"

#include <algorithm>
#include <set>

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

// The messages in [begin, end).
Json::Array MessageArray(const std::vector<Message>& messages, std::size_t begin, std::size_t end) {
  Json::Array array;
  for (std::size_t i = begin; i < end; ++i) array.push_back(messages[i].ToJson());
  return array;
}

}  // namespace

const std::vector<std::string>& AllSplits() {
  static const std::vector<std::string> kSplits = {"train", "validation"};
  return kSplits;
}

Result<Row> Row::Of(const Record& record) {
  Row row;
  row.content_id = record.ContentId();
  KM_ASSIGN(row.training, TrainingRecord::FromJson(record.payload));
  KM_ASSIGN(row.attributes, RowAttributes::Of(record));
  const auto& splits = AllSplits();
  if (std::find(splits.begin(), splits.end(), row.attributes.split) == splits.end()) {
    return Status(ErrorCode::kCorrupt, "training record " + row.content_id.Hex() +
                                           ": the attribute 'split' names no split");
  }
  const std::vector<Message>& messages = row.training.messages;
  if (messages.size() < 2 || messages.back().role != "assistant") {
    return Status(ErrorCode::kCorrupt,
                  "training record " + row.content_id.Hex() + ": it does not end with an answer");
  }
  for (const Origin& origin : record.origins) row.origins.push_back(origin.Identifier());
  std::set<std::string> licences;
  for (const LicenceEvidence& evidence : record.licences) licences.insert(evidence.spdx);
  row.licences.assign(licences.begin(), licences.end());
  return row;
}

Json Row::ToJson() const {
  Json json = training.ToJson();
  json.as_object().erase("v");
  json.as_object().merge(attributes.ToJson());
  const std::vector<Message>& messages = training.messages;
  const std::size_t trained = messages.size() - 1;
  json["prompt"] = MessageArray(messages, 0, trained);
  json["completion"] = MessageArray(messages, trained, messages.size());
  Json::Array& marked = json["messages"].as_array();
  for (std::size_t i = 0; i < marked.size(); ++i) marked[i]["loss"] = i == trained;
  json["content_id"] = content_id.Hex();
  json["origins"] = kernelmill::ToJson(origins);
  json["licences"] = kernelmill::ToJson(licences);
  return json;
}

}  // namespace kernelmill
