#include "corpora/records/row_attributes.h"

#include "manifests/json_fields.h"

namespace kernelmill {

Result<RowAttributes> RowAttributes::Of(const Record& record) {
  const Json json(record.attributes);
  RowAttributes attributes;
  JsonFields fields(json, "attributes");
  fields.Read("split", &attributes.split);
  fields.Read("prompt_tokens", &attributes.prompt_tokens);
  fields.Read("answer_tokens", &attributes.answer_tokens);
  fields.Read("tokenizer", &attributes.tokenizer);
  fields.Read("weight", &attributes.weight);
  if (fields.Has("near_equal_to")) fields.Read("near_equal_to", &attributes.near_equal_to);
  fields.Read("difficulty_static", &attributes.difficulty_static);
  fields.Read("curriculum_stage", &attributes.curriculum_stage);
  if (fields.Has("pool_id")) {
    fields.Read("pool_id", &attributes.pool_id);
    fields.Read("cluster_id", &attributes.cluster_id);
  }
  if (fields.Has("contaminated")) fields.Read("contaminated", &attributes.contaminated);
  KM_RETURN_IF_ERROR(fields.Finish().Within("training record " + record.ContentId().Hex()));
  if (attributes.prompt_tokens < 0 || attributes.answer_tokens < 0 || attributes.weight < 0) {
    return Status(ErrorCode::kCorrupt, "training record " + record.ContentId().Hex() +
                                           ": a negative number of tokens, or weight");
  }
  if (attributes.difficulty_static < 0 || attributes.difficulty_static > 1 ||
      attributes.curriculum_stage < 1 || attributes.curriculum_stage > 3) {
    return Status(ErrorCode::kCorrupt,
                  "training record " + record.ContentId().Hex() +
                      ": its difficulty is not within 0 and 1, or its curriculum "
                      "stage not within 1 and 3");
  }
  return attributes;
}

Json::Object RowAttributes::ToJson() const {
  Json::Object json = {{"split", split},
                       {"prompt_tokens", prompt_tokens},
                       {"answer_tokens", answer_tokens},
                       {"tokenizer", tokenizer},
                       {"weight", weight},
                       {"difficulty_static", difficulty_static},
                       {"curriculum_stage", curriculum_stage}};
  if (!near_equal_to.empty()) json["near_equal_to"] = near_equal_to;
  if (!pool_id.empty()) {
    json["pool_id"] = pool_id;
    json["cluster_id"] = cluster_id;
  }
  if (contaminated) json["contaminated"] = true;
  return json;
}

}  // namespace kernelmill
