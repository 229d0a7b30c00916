#include "stages/engine/object_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <thread>

#include "manifests/commit_file.h"
#include "stages/engine/entry_store.h"
#include "stages/engine/shared_entries.h"
#include "tests/stages/engine/lying_object_server.h"
#include "tests/stages/engine/square_step.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

constexpr ObjectPatience kHaste = {.tries = 8, .first_wait = std::chrono::milliseconds(1)};
constexpr char kKey[] = "abcdef", kSuffix[] = ".json";

// What requests meet in passing.
const std::vector<ServerFault>& PassingFaults() {
  static const std::vector<ServerFault> faults = {
      {.status = 503, .code = "SlowDown", .header = "retry-after-ms: 1\r\n"},
      {.status = 500, .code = "InternalError"},
      {.status = 429, .code = "TooManyRequests"},
      {.status = 400, .code = "RequestTimeout"},
      {.cut_before = true},
      {.cut_after = true},
      {.cut_within = true}};
  return faults;
}

std::unique_ptr<const ObjectStore> Opened() { return ObjectStore::Open(kHaste).value(); }

ObjectAddress AddressOf(const std::string& name) { return {"bucket", name}; }

TEST(ObjectStoreTest, NamesWhatTheEnvironmentLacks) {
  for (const char* const name : {"AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
                                 "AWS_REGION", "AWS_DEFAULT_REGION"}) {
    unsetenv(name);
  }
  setenv("AWS_SECRET_ACCESS_KEY", "very secret", 1);
  Status status = ObjectStore::Open().status();
  EXPECT_EQ(status.code(), ErrorCode::kUsage);
  EXPECT_NE(status.message().find("set AWS_ACCESS_KEY_ID, AWS_REGION (and"), std::string::npos);
  setenv("AWS_ACCESS_KEY_ID", "key", 1);
  setenv("AWS_REGION", "here", 1);
  status = ObjectStore::Open().status();  // A key has no space.
  EXPECT_NE(status.message().find("AWS_SECRET_ACCESS_KEY"), std::string::npos);
  EXPECT_EQ(status.message().find("very secret"), std::string::npos);
  unsetenv("AWS_REGION");
}

// Whatever happens in passing, an object is made once, by one of its writers, and read whole.
TEST(ObjectStoreTest, KeepsTheFirstWriterWhateverHappens) {
  LyingObjectServer server;
  const auto store = Opened();
  std::mt19937_64 random(7);
  std::vector<ServerFault> faults = PassingFaults();
  faults.push_back({.status = 409, .code = "ConditionalRequestConflict"});
  for (int round = 0; round < 30; ++round) {
    const ObjectAddress address = AddressOf("a b/+ü" + std::to_string(round));
    for (int i = 0; i < 4; ++i) server.Fail(faults[random() % faults.size()]);
    Result<bool> made[2] = {false, false};
    const std::string bytes[2] = {std::string(random() % 9'000, 'a'), "b"};
    {
      std::jthread other([&] { made[0] = store->Create(address, bytes[0]); });
      made[1] = store->Create(address, bytes[1]);
    }
    ASSERT_TRUE(made[0].ok() && made[1].ok()) << made[0].status().message();
    EXPECT_FALSE(*made[0] && *made[1]);
    server.Fail(PassingFaults()[round % PassingFaults().size()]);
    const auto read = store->Read(address, 10'000);
    ASSERT_TRUE(read.ok()) << read.status().message();
    ASSERT_TRUE(*read);
    EXPECT_TRUE(**read == bytes[0] || **read == bytes[1]);
    EXPECT_TRUE(!*made[0] || **read == bytes[0]);
    EXPECT_TRUE(!*made[1] || **read == bytes[1]);
    const auto facts = store->Look(address);
    ASSERT_TRUE(facts.ok() && *facts);
    EXPECT_EQ((*facts)->size, static_cast<std::int64_t>((*read)->size()));
  }
  EXPECT_EQ(server.objects().size(), 30U);
  EXPECT_EQ(server.objects().begin()->first, "/bucket/a%20b/%2B%C3%BC0");
}

TEST(ObjectStoreTest, TellsWhatNoRepetitionChanges) {
  LyingObjectServer server;
  const auto store = Opened();
  const auto refusal = [&](const ServerFault& fault) {
    server.Fail(fault);
    const int before = server.requests();
    const Status status = store->Create(AddressOf("x"), "bytes").status();
    EXPECT_EQ(server.requests(), before + 1);
    EXPECT_NE(status.message().find("s3://bucket/x"), std::string::npos) << status.message();
    return status.code();
  };
  EXPECT_EQ(refusal({.status = 403, .code = "AccessDenied"}), ErrorCode::kUsage);
  EXPECT_EQ(refusal({.status = 404, .code = "NoSuchBucket"}), ErrorCode::kNotFound);
  EXPECT_EQ(refusal({.status = 501, .code = "NotImplemented"}), ErrorCode::kEnvironment);
  EXPECT_EQ(refusal({.status = 301, .code = "PermanentRedirect", .header = "Location: /y\r\n"}),
            ErrorCode::kUsage);
  // A bucket that is gone is not an object that is absent.
  server.Fail({.status = 404, .code = "NoSuchBucket"});
  EXPECT_EQ(store->Read(AddressOf("x"), 10).status().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(*store->Read(AddressOf("x"), 10));
  server.Set("/bucket/x", "more than ten bytes");
  EXPECT_EQ(store->Read(AddressOf("x"), 10).status().code(), ErrorCode::kCorrupt);
}

TEST(ObjectStoreTest, GivesUpWhenTheStoreStaysAway) {
  LyingObjectServer server;
  const auto store = Opened();
  server.Fail({.status = 503, .code = "SlowDown"}, 8);
  const Status slow = store->Create(AddressOf("x"), "bytes").status();
  EXPECT_EQ(slow.code(), ErrorCode::kUnreachable);
  EXPECT_NE(slow.message().find("SlowDown"), std::string::npos) << slow.message();
  server.Fail({.status = 503, .code = "SlowDown", .header = "Retry-After: 4000\r\n"});
  EXPECT_EQ(store->Create(AddressOf("x"), "bytes").status().code(), ErrorCode::kUnreachable);
  server.Close();
  EXPECT_EQ(store->Read(AddressOf("x"), 10).status().code(), ErrorCode::kUnreachable);
}

// Machines with a folder each and one object store.
class Sharing : public EngineTest {
 protected:
  EntryStore Machine(const std::string& name) {
    return *EntryStore::Open(folder_ + "/" + name, 1 << 20,
                             std::make_shared<const SharedEntries>(AddressOf("store"), Opened()));
  }
  static std::string Found(const EntryStore& store) {
    const auto found = store.Find(kKey, kSuffix);
    return !found.ok() ? "error " + std::string(ErrorName(found.status().code()))
                       : found->value_or("nothing");
  }

  LyingObjectServer server_;
  const std::string object_ = std::string("/bucket/store/ab/") + kKey + kSuffix;
};

TEST_F(Sharing, OneMachineFindsWhatAnotherOneHasKept) {
  const EntryStore a = Machine("a"), b = Machine("b");
  EXPECT_EQ(Found(a), "nothing");
  for (const ServerFault& fault : PassingFaults()) server_.Fail(fault);
  ASSERT_TRUE(a.Keep(kKey, kSuffix, "first").ok());
  EXPECT_EQ(Found(b), "first");
  EXPECT_EQ(*b.FindHere(kKey, kSuffix), "first");
  // The first one stays for the others, and each machine has its own.
  ASSERT_TRUE(b.Keep(kKey, kSuffix, "second").ok());
  EXPECT_EQ(Found(b), "second");
  EXPECT_EQ(Found(Machine("c")), "first");
  const int before = server_.requests();
  EXPECT_EQ(Found(a), "first");
  EXPECT_EQ(server_.requests(), before);
}

TEST_F(Sharing, SharesWhatWasKeptBefore) {
  ASSERT_TRUE(EntryStore::Open(folder_ + "/a", 1 << 20)->Keep(kKey, kSuffix, "early").ok());
  EXPECT_TRUE(server_.objects().empty());
  EXPECT_EQ(Found(Machine("a")), "early");
  EXPECT_EQ(Found(Machine("b")), "early");
}

TEST_F(Sharing, NoAnswerIsNotTakenForNoEntry) {
  const EntryStore a = Machine("a");
  server_.Fail({.status = 503, .code = "SlowDown"}, 16);
  EXPECT_EQ(Found(a), "error unreachable");
  EXPECT_EQ(a.Keep(kKey, kSuffix, "lost").code(), ErrorCode::kUnreachable);
  // What is not shared is not kept either, or a machine that waits for it would wait for ever.
  EXPECT_FALSE(a.FindHere(kKey, kSuffix));
  EXPECT_EQ(Found(a), "nothing");
}

TEST_F(Sharing, BelievesNoDamage) {
  ASSERT_TRUE(Machine("a").Keep(kKey, kSuffix, "sound").ok());
  const std::string sound = server_.objects().at(object_);
  for (std::size_t i = 0; i < sound.size(); i += 7) {
    std::string damaged = sound;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    server_.Set(object_, damaged);
    EXPECT_EQ(Found(Machine("b")), "nothing") << i;
    server_.Set(object_, sound.substr(0, i));
    EXPECT_EQ(Found(Machine("b")), "nothing") << i;
  }
  const EntryStore c = Machine("c");
  ASSERT_TRUE(c.Keep(kKey, kSuffix, "own").ok());
  EXPECT_EQ(Found(c), "own");
  EXPECT_EQ(Found(Machine("b")), "nothing");
}

TEST_F(Sharing, IsAskedForByTheEnvironment) {
  unsetenv(SharedEntries::kVariable);
  EXPECT_EQ(*SharedEntries::OfEnvironment("verdicts"), nullptr);
  setenv(SharedEntries::kVariable, "s3://bucket/x/", 1);
  EXPECT_EQ((*SharedEntries::OfEnvironment("verdicts"))->TextOf("y"), "s3://bucket/x/verdicts/y");
  for (const char* const wrong : {"bucket/x", "s3://bucket", "s3://Bucket/x", "s3://bucket/x//y",
                                  "s3://bucket/../x", "s3://bucket/x\ny"}) {
    setenv(SharedEntries::kVariable, wrong, 1);
    const Status status = SharedEntries::OfEnvironment("verdicts").status();
    EXPECT_EQ(status.code(), ErrorCode::kUsage) << wrong;
    EXPECT_NE(status.message().find("KERNELMILL_STORE"), std::string::npos);
  }
  unsetenv(SharedEntries::kVariable);
}

}  // namespace
}  // namespace kernelmill
