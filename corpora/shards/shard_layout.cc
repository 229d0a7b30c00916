#include "corpora/shards/shard_layout.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;
constexpr std::string_view kPlainCodec = "zstd";
constexpr std::string_view kDictionaryCodec = "zstd+dictionary";

}  // namespace

std::string ShardMeta::Encode() const {
  return Json(Json::Object{{"v", kVersion},
                           {"schema", schema},
                           {"count", count},
                           {"codec", has_dictionary ? kDictionaryCodec : kPlainCodec}})
      .Dump();
}

Result<ShardMeta> ShardMeta::Decode(std::string_view bytes) {
  KM_ASSIGN(const Json json, Json::Parse(bytes));
  ShardMeta meta;
  std::string codec;
  JsonFields fields(json, std::string(kMetaKey));
  fields.Version(kVersion);
  fields.Read("schema", &meta.schema);
  fields.Read("count", &meta.count);
  fields.Read("codec", &codec);
  KM_RETURN_IF_ERROR(fields.Finish());
  if (codec != kPlainCodec && codec != kDictionaryCodec) {
    return Status(ErrorCode::kCorrupt, "unknown codec '" + codec + "'");
  }
  if (meta.count < 0) return Status(ErrorCode::kCorrupt, "a negative count");
  meta.has_dictionary = codec == kDictionaryCodec;
  return meta;
}

}  // namespace kernelmill
