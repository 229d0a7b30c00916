#include "corpora/reject.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kLengthBytes = 4;

}  // namespace

std::string Reject::Encode() const {
  Json::Array from;
  for (const Origin& origin : origins) from.push_back(origin.ToJson());
  const std::string head = Json(Json::Object{{"v", kVersion},
                                             {"stage", stage},
                                             {"reason", reason},
                                             {"detail", detail},
                                             {"origins", std::move(from)}})
                               .Dump();
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(head.size() >> shift & 255));
  }
  return bytes + head + original;
}

Result<Reject> Reject::Decode(std::string_view bytes) {
  const Status cut(ErrorCode::kCorrupt, "reject: shorter than it says");
  if (bytes.size() < kLengthBytes) return cut;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  }
  if (bytes.size() - kLengthBytes < length) return cut;
  KM_ASSIGN(const Json json, Json::Parse(bytes.substr(kLengthBytes, length)));
  Reject reject;
  JsonFields fields(json, "reject");
  fields.Version(kVersion);
  fields.Read("stage", &reject.stage);
  fields.Read("reason", &reject.reason);
  fields.Read("detail", &reject.detail);
  fields.ReadArray("origins", &reject.origins, Origin::FromJson);
  KM_RETURN_IF_ERROR(fields.Finish());
  reject.original = bytes.substr(kLengthBytes + length);
  return reject;
}

}  // namespace kernelmill
