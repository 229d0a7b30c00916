#include "corpora/objects/object_access.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "corpora/objects/object_address.h"

namespace kernelmill {
namespace {

// The first of the variables that is set and not empty; "" if none is.
std::string ValueOf(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return "";
}

// Whether it can stand in a header or a URL.
bool IsOneWord(std::string_view value) {
  return std::all_of(value.begin(), value.end(),
                     [](char letter) { return letter > ' ' && letter != '\x7f'; });
}

}  // namespace

Result<ObjectAccess> ObjectAccess::FromEnvironment() {
  ObjectAccess access{.key_id = ValueOf({"AWS_ACCESS_KEY_ID"}),
                      .secret = ValueOf({"AWS_SECRET_ACCESS_KEY"}),
                      .token = ValueOf({"AWS_SESSION_TOKEN"}),
                      .region = ValueOf({"AWS_REGION", "AWS_DEFAULT_REGION"}),
                      .endpoint = ValueOf({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"})};
  while (access.endpoint.ends_with('/')) access.endpoint.pop_back();
  if (access.region.empty() && !access.endpoint.empty()) access.region = "us-east-1";
  std::string missing;
  const auto need = [&](const std::string& value, std::string_view name) {
    if (value.empty()) missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
  need(access.key_id, "AWS_ACCESS_KEY_ID");
  need(access.secret, "AWS_SECRET_ACCESS_KEY");
  need(access.region, "AWS_REGION");
  if (!missing.empty()) {
    return Status(ErrorCode::kUsage,
                  "for s3:// the environment has to set " + missing +
                      " (and AWS_ENDPOINT_URL for a store that is not AWS's, AWS_SESSION_TOKEN for "
                      "temporary keys); kernelmill reads no file of another client");
  }
  for (const auto& [value, name] :
       {std::pair(&access.key_id, "AWS_ACCESS_KEY_ID"),
        std::pair(&access.secret, "AWS_SECRET_ACCESS_KEY"),
        std::pair(&access.token, "AWS_SESSION_TOKEN"), std::pair(&access.region, "AWS_REGION"),
        std::pair(&access.endpoint, "AWS_ENDPOINT_URL")}) {
    if (!IsOneWord(*value)) {
      return Status(ErrorCode::kUsage, std::string("the variable ") + name +
                                           " has spaces or control characters, or more than one "
                                           "line; set it to the value alone");
    }
  }
  if (!access.endpoint.empty() && !access.endpoint.starts_with("http://") &&
      !access.endpoint.starts_with("https://")) {
    return Status(ErrorCode::kUsage,
                  "the variable AWS_ENDPOINT_URL has to begin with http:// or https://");
  }
  return access;
}

std::string ObjectAccess::UrlOf(const std::string& bucket) const {
  if (!endpoint.empty()) return endpoint + "/" + bucket;
  const std::string host = "s3." + region + ".amazonaws.com";
  // AWS has no certificate for a name with more dots.
  if (bucket.find('.') != bucket.npos) return "https://" + host + "/" + bucket;
  return "https://" + bucket + "." + host;
}

}  // namespace kernelmill
