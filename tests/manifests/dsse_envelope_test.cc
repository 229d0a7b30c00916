#include "manifests/dsse_envelope.h"

#include <gtest/gtest.h>

#include <random>

#include "manifests/commit_file.h"
#include "manifests/json.h"

namespace kernelmill {
namespace {

// RFC 8032, section 7.1, test 2.
constexpr char kPrivate[] =
    "-----BEGIN PRIVATE "
    "KEY-----\nMC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7\n"
    "-----END PRIVATE KEY-----\n";
constexpr char kPublic[] =
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n"
    "-----END PUBLIC KEY-----\n";
constexpr std::uint8_t kSignature[] = {
    0x92, 0xa0, 0x09, 0xa9, 0xf0, 0xd4, 0xca, 0xb8, 0x72, 0x0e, 0x82, 0x0b, 0x5f, 0x64, 0x25, 0x40,
    0xa2, 0xb2, 0x7b, 0x54, 0x16, 0x50, 0x3f, 0x8f, 0xb3, 0x76, 0x22, 0x23, 0xeb, 0xdb, 0x69, 0xda,
    0x08, 0x5a, 0xc1, 0xe4, 0x3e, 0x15, 0x99, 0x6e, 0x45, 0x8f, 0x36, 0x13, 0xd0, 0xf1, 0x1d, 0x8c,
    0x38, 0x7b, 0x2e, 0xae, 0xb4, 0x30, 0x2a, 0xee, 0xb0, 0x0d, 0x29, 0x16, 0x12, 0xbb, 0x0c, 0x00};

std::string FileWith(const char* name, std::string_view text) {
  const std::string path = testing::TempDir() + "/dsse_envelope_test." + name;
  EXPECT_TRUE(ReplaceFile(path, text).ok());
  return path;
}
const SigningKey& Private() {
  static const SigningKey key = SigningKey::ReadPrivate(FileWith("private", kPrivate)).value();
  return key;
}
const SigningKey& Public() {
  static const SigningKey key = SigningKey::ReadPublic(FileWith("public", kPublic)).value();
  return key;
}

DsseEnvelope Signed(std::string payload) {
  DsseEnvelope envelope{"text/plain", std::move(payload), {}};
  EXPECT_TRUE(envelope.Sign(Private()).ok());
  return envelope;
}

TEST(SigningKey, SignsAsTheStandardSays) {
  const std::string expected(std::begin(kSignature), std::end(kSignature));
  EXPECT_EQ(Private().Sign("\x72").value(), expected);
  EXPECT_TRUE(Public().Verifies("\x72", expected));
  EXPECT_FALSE(Public().Verifies("\x73", expected));
  EXPECT_FALSE(Public().Verifies("\x72", ""));
  EXPECT_EQ(Private().Id(), Public().Id());
  EXPECT_EQ(Public().Id().size(), 64u);
}

TEST(SigningKey, SaysWhyAFileHoldsNoKey) {
  const auto message = [](const Result<SigningKey>& key) {
    EXPECT_EQ(key.status().code(), ErrorCode::kUsage);
    return key.status().message();
  };
  const std::string secret = FileWith("private", kPrivate), open = FileWith("public", kPublic);
  EXPECT_EQ(message(SigningKey::ReadPrivate(open)),
            open + " holds a public key, which cannot sign; give the private one");
  EXPECT_NE(message(SigningKey::ReadPublic(secret)).find("give the public one"), std::string::npos);
  EXPECT_NE(message(SigningKey::ReadPublic(FileWith("none", "none"))).find("no public key in PEM"),
            std::string::npos);
  EXPECT_EQ(SigningKey::ReadPublic(testing::TempDir() + "/missing.pem").status().code(),
            ErrorCode::kNotFound);
}

TEST(DsseEnvelope, SignsWhatTheStandardSays) {
  const DsseEnvelope envelope{"http://example.com/HelloWorld", "hello world", {}};
  EXPECT_EQ(envelope.SignedBytes(), "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
}

TEST(DsseEnvelope, IsReadAsItWasWritten) {
  std::mt19937 random(7);
  std::string payload;
  for (int size = 0; size < 70; ++size) {
    const DsseEnvelope envelope = Signed(payload);
    const Result<DsseEnvelope> again = DsseEnvelope::Decode(envelope.Encode());
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(again->payload, payload);
    EXPECT_TRUE(again->IsSignedBy(Public()));
    EXPECT_EQ(again->Encode(), envelope.Encode());
    payload += static_cast<char>(random());
  }
}

// Whatever is changed in what is signed, the envelope is malformed or its signature wrong.
TEST(DsseEnvelope, EveryChangeIsFound) {
  const std::string text = Signed("a payload of some bytes").Encode();
  const Json json = Json::Parse(text).value();
  for (const char* const key : {"payload", "payloadType"}) {
    const std::string value = json.TextAt(key);
    for (std::size_t i = 0; i < value.size(); ++i) {
      for (const char c : {'A', 'B', '/', '-', '=', ' '}) {
        if (value[i] == c) continue;
        Json changed = json;
        std::string other = value;
        other[i] = c;
        changed[key] = other;
        const Result<DsseEnvelope> envelope = DsseEnvelope::Decode(changed.Dump());
        EXPECT_FALSE(envelope.ok() && envelope->IsSignedBy(Public())) << other;
      }
    }
  }
}

TEST(DsseEnvelope, SaysWhatIsMalformed) {
  const auto why = [](std::string_view text) {
    const Result<DsseEnvelope> envelope = DsseEnvelope::Decode(text);
    return envelope.ok() ? "" : envelope.status().message();
  };
  EXPECT_EQ(why("[]"), "there is no text 'payloadType'");
  EXPECT_EQ(why(R"({"payloadType": "a", "payload": 1})"), "there is no text 'payload'");
  EXPECT_EQ(why(R"({"payloadType": "a", "payload": "YQ="})"), "'payload' is not base64");
  EXPECT_EQ(why(R"({"payloadType": "a", "payload": "YR=="})"), "'payload' is not base64");
  EXPECT_EQ(why(R"({"payloadType": "a", "payload": "YQ==", "signatures": []})"),
            "it has no signature ('signatures')");
  EXPECT_EQ(why(R"({"payloadType": "a", "payload": "YQ==", "signatures": [{}]})"),
            "there is no text 'sig'");
  EXPECT_EQ(why(R"({"payloadType": "a", "payload": "YQ==", "signatures": [{"sig": ""}], "x": 1})"),
            "");
}

}  // namespace
}  // namespace kernelmill
