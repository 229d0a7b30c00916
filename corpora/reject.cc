#include "corpora/reject.h"

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;

std::string AsUtf8(const std::string& text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  if (IsUtf8(text)) return text;
  std::string escaped;
  for (unsigned char c : text) {
    if (c < 0x80) {
      escaped += static_cast<char>(c);
    } else {
      escaped += {'\\', 'x', kDigits[c >> 4], kDigits[c & 15]};
    }
  }
  return escaped;
}

}  // namespace

std::string Reject::EncodeHeader(const Digest& digest) const {
  Json::Array where;
  for (Origin origin : origins) {
    for (std::string* field : {&origin.url, &origin.path, &origin.symbol}) *field = AsUtf8(*field);
    where.push_back(origin.ToJson());
  }
  return Json(Json::Object{{"v", kVersion},
                           {"step", AsUtf8(step)},
                           {"reason", AsUtf8(reason)},
                           {"detail", AsUtf8(detail)},
                           {"key", AsUtf8(key)},
                           {"origins", std::move(where)},
                           {"original", digest.Hex()}})
      .Dump();
}

Result<Reject> Reject::DecodeHeader(std::string_view header, Digest* original) {
  KM_ASSIGN(const Json json, Json::Parse(header));
  Reject reject;
  JsonFields fields(json, "reject");
  fields.Version(kVersion);
  fields.Read("step", &reject.step);
  fields.Read("reason", &reject.reason);
  fields.Read("detail", &reject.detail);
  fields.Read("key", &reject.key);
  fields.ReadArray("origins", &reject.origins, Origin::FromJson);
  fields.Read("original", original);
  KM_RETURN_IF_ERROR(fields.Finish());
  return reject;
}

Status DamagedOriginal(const Digest& original) {
  return Status(ErrorCode::kCorrupt, "the original bytes " + original.Hex() + " are damaged");
}

// A line with the header, then the bytes. Canonical JSON contains no line break.
std::string Reject::Encode() const { return EncodeHeader(DigestOf(original)) + '\n' + original; }

Result<Reject> Reject::Decode(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) {
    return Status(ErrorCode::kCorrupt, "reject: its header does not end");
  }
  Digest digest;
  KM_ASSIGN(Reject reject, DecodeHeader(bytes.substr(0, end), &digest));
  reject.original = bytes.substr(end + 1);
  if (DigestOf(reject.original) != digest) return DamagedOriginal(digest);
  return reject;
}

}  // namespace kernelmill
