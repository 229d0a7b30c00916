#include "stages/fetch/fetch_failure.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "stages/fetch/source_spec.h"

namespace kernelmill {
namespace {

bool SaysOneOf(const GitEnd& end, std::initializer_list<std::string_view> all) {
  return std::any_of(all.begin(), all.end(),
                     [&](std::string_view words) { return end.Says(words); });
}

// The error when the failure is this machine's and not the remote's; otherwise ok.
Status LocalProblem(const GitEnd& end, const std::string& url) {
  const std::string message = SaidBy(end, url);
  if (SaysOneOf(end, {"No space left on device", "Disk quota exceeded"})) {
    return Status(ErrorCode::kDiskFull,
                  message + "; free some room and run the same command again");
  }
  if (end.exit_code < 0 ||
      SaysOneOf(end,
                {"Read-only file system", "Permission denied", "File exists", "Too many open files",
                 "Out of memory", "Cannot allocate memory", "died of signal 9", "cannot create"})) {
    return Status(ErrorCode::kIo, message);
  }
  return Status::Ok();
}

Status Unreachable(const std::string& why) {
  return Status(ErrorCode::kUnreachable,
                why +
                    "; check the address and the network, and run the same command again; fetched "
                    "data is kept");
}

Status Unusable(std::string what) { return Status(ErrorCode::kCorrupt, std::move(what)); }

Status Denied(const GitEnd& end, const std::string& url) {
  return Status(ErrorCode::kNotFound,
                "the server asks for a login or refuses this one: there is no such repository, or "
                "it is private; check the address, or give access by ~/.netrc or an SSH key (" +
                    SaidBy(end, url) + ")");
}

bool IsPublicKeyRefused(const GitEnd& end) { return end.Says("publickey"); }

// What an HTTP status alone tells; ok when it tells nothing.
Status ExplainHttp(const GitEnd& end, const std::string& url) {
  const int status = end.http.status();
  const std::string http = "the server answers with HTTP " + std::to_string(status);
  const bool refuses_rate = status == 403 && end.http.retry_after().has_value();
  if (status == 408 || status == 429 || status >= 500 || refuses_rate) return Unreachable(http);
  if (status == 401 || status == 403 || status == 407) return Denied(end, url);
  if (status >= 300 && status < 400) {
    return Status(ErrorCode::kNotFound, http +
                                            ", a redirection that is not followed; name the "
                                            "address that it leads to (" +
                                            SaidBy(end, url) + ")");
  }
  if (status == 404 || status == 410) {
    return Status(
        ErrorCode::kNotFound,
        http + ": there is no such repository; correct the address (" + SaidBy(end, url) + ")");
  }
  return Status::Ok();
}

Status MissingRevision(const GitEnd& end, const RemoteFetch& fetch) {
  if (fetch.revision.empty()) return Unusable("the HEAD of its remote names no commit");
  if (IsCommitId(fetch.revision)) {
    return Status(ErrorCode::kNotFound,
                  "its remote has no commit " + fetch.revision +
                      ", or lets no commit be fetched by its id; name another revision");
  }
  return Status(ErrorCode::kNotFound, "its remote has no branch or tag '" + fetch.revision +
                                          "'; a commit is named by all its 40 digits (" +
                                          SaidBy(end, fetch.url) + ")");
}

// The failure of the request for references, which needs no objects.
Status ExplainListing(const GitEnd& listed, const std::string& url) {
  if (listed.exit_code == kNoReferences) return Unusable("its remote is empty");
  if (const Status http = ExplainHttp(listed, url); !http.ok()) return http;
  if (listed.Says("protocol error")) return Unusable("its remote does not speak as Git does");
  if (IsPublicKeyRefused(listed)) return Denied(listed, url);
  // A server's own words, which may say that a repository is missing.
  const bool missing = listed.messages.find("not found") != std::string::npos ||
                       listed.messages.find("no such repository") != std::string::npos ||
                       listed.Says("does not appear to be a git repository") ||
                       listed.Says("is this a git repository?");
  if (missing) return Status(ErrorCode::kNotFound, SaidBy(listed, url));
  return Unreachable(listed.late ? "git took too long" : SaidBy(listed, url));
}

}  // namespace

// Git's messages are not conclusive, and a part of them comes from the remote. Whether the remote
// answers another request distinguishes a network problem from a bad repository.
Result<FetchFailure> ExplainFailure(const GitEnd& end, const RemoteFetch& fetch) {
  if (end.late) return FetchFailure{Unreachable("git took too long"), {}};
  const Status ours = LocalProblem(end, fetch.url);
  if (!ours.ok() && !IsPublicKeyRefused(end)) return FetchFailure{ours, {}};
  if (const Status http = ExplainHttp(end, fetch.url); !http.ok()) {
    return FetchFailure{http, end.http.retry_after()};
  }
  KM_ASSIGN(const GitEnd listed, ListReferences(fetch.url));
  if (!listed.ok()) {
    return FetchFailure{ExplainListing(listed, fetch.url), listed.http.retry_after()};
  }
  // "not our ref" is the server's own, but whoever has the commit does not say so.
  const bool unknown_commit =
      end.messages.find("not our ref") != std::string::npos || end.Says("unadvertised object");
  if (end.Says("couldn't find remote ref") || (IsCommitId(fetch.revision) && unknown_commit)) {
    return FetchFailure{MissingRevision(end, fetch), {}};
  }
  if (SaysOneOf(end, {"not support shallow", "not support --shallow"})) {
    return FetchFailure{Unusable("its remote does not serve a part of its history"), {}};
  }
  // The messages of curl, which git uses for HTTP, about broken connections.
  if (SaysOneOf(end, {"curl ", "Could not resolve", "Failed to connect", "Connection reset",
                      "Connection timed out", "Network is unreachable", "No route to host"})) {
    return FetchFailure{Unreachable(SaidBy(end, fetch.url)), {}};
  }
  return FetchFailure{Unusable("its remote sends what Git refuses"), {}};
}

}  // namespace kernelmill
