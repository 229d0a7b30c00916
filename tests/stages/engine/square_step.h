// A step for tests of the engine, and the fixture that runs it.
#pragma once

#include <gmock/gmock.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "manifests/digest.h"
#include "stages/engine/run.h"

namespace kernelmill {

// Squares numbers. Drops multiples of 5 and rejects multiples of 7.
class SquareStep : public Step {
 public:
  explicit SquareStep(int factor = 1, int delay_us = 0) : factor_(factor), delay_us_(delay_us) {}
  std::string_view Name() const override { return "square"; }
  int Version() const override { return 1; }
  Json Parameters() const override { return Json::Object{{"factor", factor_}}; }
  Result<Outcome> Process(const Input& input, Lane&) override {
    ++processed;
    if (delay_us_ > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_us_));
    const int number = std::stoi(input.body);
    if (number == fail_at) return Status(ErrorCode::kWorker, "told to fail");
    if (number % 5 == 0) return Outcome::Drop("source_cap");
    if (number % 7 == 0) return Outcome::Reject("parse_error", "a seven", input.body);
    Outcome outcome = Outcome::Keep({{input.key, std::to_string(number * number * factor_)}});
    outcome.counters = {{"digits", static_cast<std::int64_t>(input.body.size())}};
    return outcome;
  }
  std::atomic<int> processed = 0;
  int fail_at = -1;

 private:
  int factor_;
  int delay_us_;
};

inline Run::Propose Numbers(int count) {
  return [count](const Run::Emit& emit) -> Status {
    for (int i = count; i-- > 0;) {
      KM_RETURN_IF_ERROR(emit(DigestOf(std::to_string(i)).Hex(), std::to_string(i)));
    }
    return Status::Ok();
  };
}

class EngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() / "km-engine-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  RunOptions Options(const std::string& name) const {
    RunOptions options;
    options.output = folder_ + "/" + name;
    options.jobs = 2;
    options.partitions = 7;
    return options;
  }
  // All outputs of a finished step as one text: records sorted by key, and the rejects' bytes.
  static std::string Left(const kernelmill::Run& run) {
    std::map<std::string, std::string> outputs;
    const Status read =
        run.ForEachOutput("square", [&](std::string_view key, std::string_view body) {
          EXPECT_TRUE(outputs.emplace(key, body).second);
          return Status::Ok();
        });
    EXPECT_TRUE(read.ok()) << read.message();
    std::multiset<std::string> rejects;
    const Status read_rejects =
        run.ForEachReject("square", [&](std::string_view, std::string_view value) {
          rejects.insert(std::string(value));
          return Status::Ok();
        });
    EXPECT_TRUE(read_rejects.ok()) << read_rejects.message();
    std::string all;
    for (const auto& [key, body] : outputs) all += key + "=" + body + "\n";
    for (const std::string& reject : rejects) all += reject + "\n";
    return all;
  }
  static std::string RunWhole(const RunOptions& options, int count) {
    auto run = kernelmill::Run::Open(options);
    EXPECT_TRUE(run.ok()) << run.status().message();
    SquareStep step;
    const auto counts = run->Do(step, Numbers(count));
    EXPECT_TRUE(counts.ok()) << counts.status().message();
    return Left(*run);
  }

  std::string folder_;
};

}  // namespace kernelmill
