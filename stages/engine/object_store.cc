#include "stages/engine/object_store.h"

#include <algorithm>
#include <charconv>
#include <random>
#include <utility>

#include "stages/engine/interrupt.h"
#include "stages/engine/progress.h"
#include "stages/engine/retry_wait.h"

namespace kernelmill {
namespace {

// A server that asks to wait longer is not waited for.
constexpr std::chrono::milliseconds kLongestWait = std::chrono::minutes(10);
// Waits that are worth a line.
constexpr std::chrono::milliseconds kLongWait = std::chrono::seconds(5);
// How much of a reply that is no object is read, and of that, in which an error is looked for.
constexpr std::size_t kMostReplyBytes = 1 << 20, kErrorBytes = 8192;

// Holds the bytes in memory.
class MemorySink : public ObjectSink {
 public:
  MemorySink(std::string name, std::size_t most) : name_(std::move(name)), most_(most) {}

  Status Begin() override {
    bytes_.clear();
    return Status::Ok();
  }
  Status Take(std::string_view bytes) override {
    if (bytes_.size() + bytes.size() > most_) {
      return Status(ErrorCode::kCorrupt, name_ + ": it has more than " + std::to_string(most_) +
                                             " bytes, so it is not what kernelmill keeps there");
    }
    bytes_.append(bytes);
    return Status::Ok();
  }
  std::string Bytes() && { return std::move(bytes_); }

 private:
  const std::string name_;
  const std::size_t most_;
  std::string bytes_;
};

}  // namespace

Result<std::unique_ptr<const ObjectStore>> ObjectStore::Open(const ObjectPatience& patience) {
  KM_ASSIGN(ObjectAccess access, ObjectAccess::FromEnvironment());
  return std::unique_ptr<const ObjectStore>(new ObjectStore(std::move(access), patience));
}

Result<bool> ObjectStore::Create(const ObjectAddress& address, std::string bytes) const {
  ObjectRequest request{.kind = ObjectRequest::Kind::kCreate, .address = address};
  request.sha256 = DigestOf(bytes);
  request.bytes = std::move(bytes);
  KM_ASSIGN(const Reply reply, Perform(request, nullptr));
  return reply.outcome == ObjectOutcome::kDone;
}

Result<bool> ObjectStore::CreateOfFile(const ObjectAddress& address, const std::string& file,
                                       const Digest& sha256) const {
  KM_ASSIGN(const Reply reply, Perform({.kind = ObjectRequest::Kind::kCreate,
                                        .address = address,
                                        .file = file,
                                        .sha256 = sha256},
                                       nullptr));
  return reply.outcome == ObjectOutcome::kDone;
}

Result<bool> ObjectStore::Read(const ObjectAddress& address, ObjectSink* sink) const {
  KM_ASSIGN(const Reply reply, Perform({.address = address}, sink));
  return reply.outcome == ObjectOutcome::kDone;
}

Result<std::optional<std::string>> ObjectStore::Read(const ObjectAddress& address,
                                                     std::size_t most) const {
  MemorySink sink(address.Text(), most);
  KM_ASSIGN(const bool there, Read(address, &sink));
  if (!there) return std::optional<std::string>();
  return std::optional<std::string>(std::move(sink).Bytes());
}

Result<std::optional<ObjectStore::Facts>> ObjectStore::Look(const ObjectAddress& address) const {
  KM_ASSIGN(const Reply reply,
            Perform({.kind = ObjectRequest::Kind::kLook, .address = address}, nullptr));
  if (reply.outcome == ObjectOutcome::kAbsent) return std::optional<Facts>();
  Facts facts;
  const std::string size = reply.reply.Header("content-length");
  std::int64_t bytes = 0;
  if (std::from_chars(size.data(), size.data() + size.size(), bytes).ec == std::errc()) {
    facts.size = bytes;
  }
  facts.sha256 = ToldDigest(reply.reply);
  return std::optional<Facts>(facts);
}

Result<std::vector<ListedObject>> ObjectStore::List(const ObjectAddress& address) const {
  constexpr std::size_t kMostPageBytes = 16 << 20;
  std::vector<ListedObject> objects;
  std::string page;
  do {
    MemorySink sink(address.Text(), kMostPageBytes);
    KM_RETURN_IF_ERROR(
        Perform({.kind = ObjectRequest::Kind::kList, .address = address, .page = page}, &sink)
            .status());
    KM_ASSIGN(ObjectPage read, ObjectPage::Parse(std::move(sink).Bytes(), address));
    objects.insert(objects.end(), read.objects.begin(), read.objects.end());
    if (!read.next.empty() && read.next == page) {
      return Status(ErrorCode::kCorrupt, address.Text() + ": the list of objects has no end");
    }
    page = std::move(read.next);
  } while (!page.empty());
  std::sort(objects.begin(), objects.end());
  return objects;
}

Result<ObjectStore::Reply> ObjectStore::Perform(const ObjectRequest& request,
                                                ObjectSink* sink) const {
  RetryWait wait(patience_.first_wait, std::random_device()());
  for (int failures = 1;; ++failures) {
    if (Interrupted()) return InterruptedStatus();
    std::string beginning;
    KM_ASSIGN(HttpReply reply, SendOnce(request, sink, &beginning));
    ObjectAnswer answer = JudgeReply(request, reply, beginning);
    if (answer.outcome == ObjectOutcome::kRefused) return answer.refusal;
    if (answer.outcome != ObjectOutcome::kTryAgain) return Reply{answer.outcome, std::move(reply)};
    const std::chrono::milliseconds asked =
        reply.retry_after.value_or(std::chrono::milliseconds(0));
    if (failures == patience_.tries || asked > kLongestWait) {
      return Status(ErrorCode::kUnreachable, request.address.Text() +
                                                 ": the object store fails: " + answer.problem +
                                                 ", after " + std::to_string(failures) +
                                                 (failures == 1 ? " try" : " tries") +
                                                 "; the same command goes on when it answers");
    }
    if (asked >= kLongWait) {
      Say("the object store asks to wait " + std::to_string(asked.count() / 1'000) + " s (" +
          answer.problem + ")");
    }
    if (Pause(std::max(asked, wait.After(failures))) == Waited::kInterrupted) {
      return InterruptedStatus();
    }
  }
}

Result<HttpClient> ObjectStore::TakeClient() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      HttpClient client = std::move(idle_.back());
      idle_.pop_back();
      return client;
    }
  }
  return HttpClient::Create(patience_.silence);
}

Result<HttpReply> ObjectStore::SendOnce(const ObjectRequest& request, ObjectSink* sink,
                                        std::string* beginning) const {
  // A signal is noticed after so long.
  constexpr std::chrono::milliseconds kLook(200);
  constexpr int kNoDescriptor = -1, kSuccess = 2;
  HttpTransfer transfer = TransferOf(access_, request);
  Status taken;
  std::size_t skipped = 0;
  if (sink != nullptr) KM_RETURN_IF_ERROR(sink->Begin());
  transfer.read = [&](int status, std::string_view bytes) {
    beginning->append(bytes.substr(0, kErrorBytes - std::min(kErrorBytes, beginning->size())));
    if (status / 100 != kSuccess || sink == nullptr) {
      skipped += bytes.size();
      return skipped <= kMostReplyBytes;
    }
    taken = sink->Take(bytes);
    return taken.ok();
  };
  KM_ASSIGN(HttpClient client, TakeClient());
  KM_RETURN_IF_ERROR(client.Start(std::move(transfer)));
  std::vector<HttpReply> ended;
  while (ended.empty()) {
    if (Interrupted()) return InterruptedStatus();
    KM_ASSIGN(ended, client.Wait(kLook, kNoDescriptor));
  }
  KM_RETURN_IF_ERROR(taken);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(client));
  return std::move(ended.front());
}

}  // namespace kernelmill
