#include "corpora/objects/object_request.h"

#include <algorithm>

#include "manifests/base64.h"
#include "manifests/is_one_of.h"
#include "manifests/printable.h"

namespace kernelmill {
namespace {

constexpr char kChecksum[] = "x-amz-checksum-sha256";

// The body of a request that has none.
std::string HexOfNothing() { return DigestOf("").Hex(); }

ObjectAnswer TryAgain(std::string problem) {
  return {.outcome = ObjectOutcome::kTryAgain, .problem = std::move(problem)};
}

ObjectAnswer Refused(ErrorCode code, std::string message) {
  return {.outcome = ObjectOutcome::kRefused, .refusal = Status(code, std::move(message))};
}

ObjectAnswer JudgeRefusal(const ObjectRequest& request, const HttpReply& reply,
                          const std::string& code) {
  constexpr int kLeadsOn = 3, kNotImplemented = 501, kUnauthorized = 401, kForbidden = 403;
  const std::string where = request.address.Text() + ": ";
  const std::string said = "the object store answers with status " + std::to_string(reply.status) +
                           (code.empty() ? "" : " (" + code + ")");
  if (reply.status / 100 == kLeadsOn) {
    const std::string region = PrintableLine(reply.Header("x-amz-bucket-region"));
    return Refused(ErrorCode::kUsage,
                   where + said + ": the bucket is elsewhere" +
                       (region.empty() ? "; set AWS_REGION and AWS_ENDPOINT_URL to where it is"
                                       : ", in the region " + region + "; set AWS_REGION to it"));
  }
  if (reply.status == kUnauthorized || reply.status == kForbidden) {
    return Refused(ErrorCode::kUsage,
                   where + said +
                       ": check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and "
                       "AWS_REGION, what this key may do there, and the clock of this machine");
  }
  if (code == "NoSuchBucket") {
    return Refused(ErrorCode::kNotFound, where + "there is no bucket " + request.address.bucket +
                                             "; make it, or correct the address");
  }
  if (reply.status == kNotImplemented) {
    return Refused(
        ErrorCode::kEnvironment,
        where + said +
            ": it does not know what kernelmill needs, such as If-None-Match for objects "
            "that are made; use another store");
  }
  return Refused(ErrorCode::kUsage, where + said + ", which no repetition changes");
}

}  // namespace

HttpTransfer TransferOf(const ObjectAccess& access, const ObjectRequest& request) {
  using Kind = ObjectRequest::Kind;
  HttpTransfer transfer;
  transfer.signature = HttpSignature{
      .region = access.region, .service = "s3", .key_id = access.key_id, .secret = access.secret};
  const std::string bucket = access.UrlOf(request.address.bucket);
  transfer.url = bucket + "/" + ObjectUrlPart(request.address.name);
  std::string hash = HexOfNothing();
  switch (request.kind) {
    case Kind::kRead:
      transfer.method = HttpMethod::kGet;
      break;
    case Kind::kLook:
      transfer.method = HttpMethod::kHead;
      transfer.headers.emplace_back("x-amz-checksum-mode: ENABLED");
      break;
    case Kind::kCreate: {
      transfer.method = HttpMethod::kPut;
      transfer.body = request.bytes;
      transfer.body_file = request.file;
      hash = request.sha256.Hex();
      transfer.headers.emplace_back("if-none-match: *");
      transfer.headers.emplace_back("x-amz-sdk-checksum-algorithm: SHA256");
      transfer.headers.emplace_back(std::string(kChecksum) + ": " +
                                    EncodeBase64(request.sha256.AsKey()));
      break;
    }
    case Kind::kList: {
      transfer.method = HttpMethod::kGet;
      // Sorted and escaped as the signature has it. A slash is escaped in a query.
      const auto escaped = [](std::string_view text) {
        std::string all;
        for (const char letter : text) all += letter == '/' ? "%2F" : ObjectUrlPart({&letter, 1});
        return all;
      };
      transfer.url = bucket + "/?";
      if (!request.page.empty()) {
        transfer.url += "continuation-token=" + escaped(request.page) + "&";
      }
      transfer.url += "encoding-type=url&list-type=2&prefix=" + escaped(request.address.name + "/");
      break;
    }
  }
  transfer.headers.push_back("x-amz-content-sha256: " + hash);
  if (!access.token.empty()) transfer.headers.push_back("x-amz-security-token: " + access.token);
  return transfer;
}

std::string_view ElementText(std::string_view xml, std::string_view name) {
  const std::string begin = "<" + std::string(name) + ">", end = "</" + std::string(name) + ">";
  const std::size_t at = xml.find(begin);
  if (at == xml.npos) return "";
  const std::string_view rest = xml.substr(at + begin.size());
  const std::size_t length = rest.find(end);
  return length == rest.npos ? "" : rest.substr(0, length);
}

ObjectAnswer JudgeReply(const ObjectRequest& request, const HttpReply& reply,
                        std::string_view beginning) {
  using Kind = ObjectRequest::Kind;
  if (reply.end == HttpEnd::kUntrusted || reply.end == HttpEnd::kStopped) {
    const bool is_long = reply.end == HttpEnd::kStopped;
    return Refused(is_long ? ErrorCode::kCorrupt : ErrorCode::kUsage,
                   request.address.Text() + ": " +
                       (is_long ? "the object is longer than it may be" : reply.problem));
  }
  if (reply.end != HttpEnd::kWhole) return TryAgain(reply.problem);
  // Only the code is shown: the rest of an error may repeat what has been signed.
  const std::string code = PrintableLine(ElementText(beginning, "Code"), 60);
  constexpr int kAbsent = 404, kConflict = 409, kThere = 412, kServerErrors = 500, kUnknown = 501;
  constexpr int kPassing[] = {408, 425, 429};
  if (reply.status / 100 == 2) {
    if (request.kind == Kind::kCreate && code == "InternalError") return TryAgain(code);
    return {.outcome = ObjectOutcome::kDone};
  }
  const bool is_create = request.kind == Kind::kCreate;
  if (reply.status == kThere && is_create) return {.outcome = ObjectOutcome::kExists};
  const bool is_conflict = reply.status == kConflict && is_create;
  if ((reply.status >= kServerErrors && reply.status != kUnknown) || is_conflict ||
      IsOneOf(reply.status, kPassing) || code == "RequestTimeout" || code == "SlowDown") {
    return TryAgain("status " + std::to_string(reply.status) +
                    (code.empty() ? "" : " (" + code + ")"));
  }
  const bool is_one = request.kind == Kind::kRead || request.kind == Kind::kLook;
  if (reply.status == kAbsent && is_one && code != "NoSuchBucket") {
    return {.outcome = ObjectOutcome::kAbsent};
  }
  return JudgeRefusal(request, reply, code);
}

std::optional<Digest> ToldDigest(const HttpReply& reply) {
  // A sum of parts ends in "-N" and is another one.
  const std::optional<std::string> raw = DecodeBase64(reply.Header(kChecksum));
  Digest digest;
  if (!raw || raw->size() != digest.bytes.size()) return std::nullopt;
  std::copy(raw->begin(), raw->end(), digest.bytes.begin());
  return digest;
}

}  // namespace kernelmill
