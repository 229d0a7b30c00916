#include "manifests/dsse_envelope.h"

#include <algorithm>
#include <array>

#include "manifests/base64.h"
#include "manifests/json.h"

namespace kernelmill {
namespace {

// Both alphabets, as DSSE asks of readers. `what` names the text in the error.
Result<std::string> FromBase64(std::string_view text, std::string_view what) {
  std::string standard(text);
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  std::optional<std::string> bytes = DecodeBase64(standard);
  if (bytes) return *std::move(bytes);
  return Status(ErrorCode::kCorrupt, "'" + std::string(what) + "' is not base64");
}

// The text at `key` of an object.
Result<std::string> TextOf(const Json& json, std::string_view key) {
  const Json* const value = json.Find(key);
  if (value != nullptr && value->is_string()) return value->as_string();
  return Status(ErrorCode::kCorrupt, "there is no text '" + std::string(key) + "'");
}

}  // namespace

std::string DsseEnvelope::SignedBytes() const {
  return "DSSEv1 " + std::to_string(payload_type.size()) + " " + payload_type + " " +
         std::to_string(payload.size()) + " " + payload;
}

Status DsseEnvelope::Sign(const SigningKey& key) {
  KM_ASSIGN(std::string signature, key.Sign(SignedBytes()));
  signatures.push_back({key.Id(), std::move(signature)});
  return Status::Ok();
}

bool DsseEnvelope::IsSignedBy(const SigningKey& key) const {
  const std::string bytes = SignedBytes();
  return std::any_of(signatures.begin(), signatures.end(), [&](const Signature& signature) {
    return key.Verifies(bytes, signature.bytes);
  });
}

std::string DsseEnvelope::Encode() const {
  Json::Array array;
  for (const Signature& signature : signatures) {
    array.emplace_back(
        Json::Object{{"keyid", signature.key_id}, {"sig", EncodeBase64(signature.bytes)}});
  }
  return Json(Json::Object{{"payload", EncodeBase64(payload)},
                           {"payloadType", payload_type},
                           {"signatures", std::move(array)}})
             .Dump() +
         "\n";
}

Result<DsseEnvelope> DsseEnvelope::Decode(std::string_view text) {
  KM_ASSIGN(const Json json, Json::Parse(text));
  DsseEnvelope envelope;
  KM_ASSIGN(envelope.payload_type, TextOf(json, "payloadType"));
  KM_ASSIGN(const std::string payload, TextOf(json, "payload"));
  KM_ASSIGN(envelope.payload, FromBase64(payload, "payload"));
  const Json* const signatures = json.Find("signatures");
  if (signatures == nullptr || !signatures->is_array() || signatures->as_array().empty()) {
    return Status(ErrorCode::kCorrupt, "it has no signature ('signatures')");
  }
  for (const Json& item : signatures->as_array()) {
    KM_ASSIGN(const std::string bytes, TextOf(item, "sig"));
    KM_ASSIGN(std::string signature, FromBase64(bytes, "sig"));
    envelope.signatures.push_back({item.TextAt("keyid"), std::move(signature)});
  }
  return envelope;
}

}  // namespace kernelmill
