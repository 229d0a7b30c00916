#include "corpora/row_attributes.h"

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
  KM_RETURN_IF_ERROR(fields.Finish().Within("training record " + record.ContentId().Hex()));
  if (attributes.prompt_tokens < 0 || attributes.answer_tokens < 0 || attributes.weight < 0) {
    return Status(ErrorCode::kCorrupt, "training record " + record.ContentId().Hex() +
                                           ": a negative number of tokens, or weight");
  }
  return attributes;
}

Json::Object RowAttributes::ToJson() const {
  return {{"split", split},
          {"prompt_tokens", prompt_tokens},
          {"answer_tokens", answer_tokens},
          {"tokenizer", tokenizer},
          {"weight", weight}};
}

}  // namespace kernelmill
