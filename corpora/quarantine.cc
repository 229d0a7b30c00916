#include "corpora/quarantine.h"

#include "manifests/commit_file.h"
#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

constexpr int kVersion = 1;
constexpr std::string_view kSchema = "kernelmill.quarantine.v1";
constexpr char kRejectPrefix = 'r';
constexpr char kOriginalPrefix = 'o';

std::string KeyOf(char prefix, const Digest& digest) {
  return prefix + std::string(digest.AsKey());
}

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

// Everything except the original bytes, which are referred to by their digest.
std::string EncodeHeader(const Reject& reject, const Digest& original) {
  Json::Array origins;
  for (Origin origin : reject.origins) {
    for (std::string* field : {&origin.url, &origin.path, &origin.symbol}) *field = AsUtf8(*field);
    origins.push_back(origin.ToJson());
  }
  return Json(Json::Object{{"v", kVersion},
                           {"step", AsUtf8(reject.step)},
                           {"reason", AsUtf8(reject.reason)},
                           {"detail", AsUtf8(reject.detail)},
                           {"key", AsUtf8(reject.key)},
                           {"origins", std::move(origins)},
                           {"original", original.Hex()}})
      .Dump();
}

Result<Reject> DecodeHeader(std::string_view header, Digest* original) {
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

Status WrongBytes(const Digest& original) {
  return Status(ErrorCode::kCorrupt, "the original bytes " + original.Hex() + " are damaged");
}

}  // namespace

// A line with the header, then the bytes. Canonical JSON contains no line break.
std::string Reject::Encode() const {
  return EncodeHeader(*this, DigestOf(original)) + '\n' + original;
}

Result<Reject> Reject::Decode(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) {
    return Status(ErrorCode::kCorrupt, "reject: its header does not end");
  }
  Digest digest;
  KM_ASSIGN(Reject reject, DecodeHeader(bytes.substr(0, end), &digest));
  reject.original = bytes.substr(end + 1);
  if (DigestOf(reject.original) != digest) return WrongBytes(digest);
  return reject;
}

Result<QuarantineWriter> QuarantineWriter::Create(const std::string& path) {
  KM_ASSIGN(ShardWriter shard, ShardWriter::Create(path, {.schema = std::string(kSchema)}));
  KM_ASSIGN(ShardSorter sorter, ShardSorter::Create(FolderOf(path)));
  return QuarantineWriter(std::move(shard), std::move(sorter));
}

Status QuarantineWriter::Add(const Reject& reject) {
  const Digest original = DigestOf(reject.original);
  const std::string header = EncodeHeader(reject, original);
  KM_RETURN_IF_ERROR(sorter_.Put(KeyOf(kOriginalPrefix, original), reject.original));
  return sorter_.Put(KeyOf(kRejectPrefix, DigestOf(header)), header);
}

Status QuarantineWriter::Finish() {
  KM_RETURN_IF_ERROR(sorter_.ForEach([&](std::string_view key, std::string_view value, bool*) {
    return shard_.Append(key, value);
  }));
  return shard_.Finish();
}

Result<QuarantineReader> QuarantineReader::Open(const std::string& path) {
  KM_ASSIGN(ShardReader shard, ShardReader::Open(path));
  if (shard.schema() != kSchema) {
    return Status(ErrorCode::kCorrupt, path + " holds '" + shard.schema() + "', not rejects");
  }
  return QuarantineReader(std::move(shard));
}

Status QuarantineReader::ForEach(const std::function<Status(const Reject&)>& visit) const {
  return shard_.ForEach(std::string(1, kRejectPrefix),
                        [&](std::string_view, std::string_view header, bool*) -> Status {
                          Digest digest;
                          Result<Reject> reject = DecodeHeader(header, &digest);
                          if (!reject.ok()) return reject.status().Within(shard_.path());
                          KM_ASSIGN(std::optional<std::string> original,
                                    shard_.Get(KeyOf(kOriginalPrefix, digest)));
                          if (!original || DigestOf(*original) != digest) {
                            return WrongBytes(digest).Within(shard_.path());
                          }
                          reject->original = std::move(*original);
                          return visit(*reject);
                        });
}

}  // namespace kernelmill
