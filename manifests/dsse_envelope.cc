#include "manifests/dsse_envelope.h"

#include <algorithm>
#include <array>

#include "manifests/json.h"

namespace kernelmill {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string ToBase64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t given = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (j < given ? static_cast<std::uint8_t>(bytes[i + j]) : 0);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += j <= given ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

// Both alphabets, as DSSE asks of readers. One text of bytes has one encoding in each: `what` names
// the text in the error otherwise.
Result<std::string> FromBase64(std::string_view text, std::string_view what) {
  std::string standard(text), bytes;
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : standard) {
    const std::size_t digit = kDigits.find(c);
    if (digit == kDigits.npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 255);
  }
  if (ToBase64(bytes) == standard) return bytes;
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
        Json::Object{{"keyid", signature.key_id}, {"sig", ToBase64(signature.bytes)}});
  }
  return Json(Json::Object{{"payload", ToBase64(payload)},
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
