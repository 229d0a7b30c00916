// A base for test suites that share one torch worker, because a worker takes seconds to start.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "stages/worker/torch_worker.h"

namespace kernelmill {

// `Base` is testing::Test or testing::TestWithParam<…>.
template <typename Base = testing::Test>
class WorkerSuite : public Base {
 protected:
  static void SetUpTestSuite() {
    Result<TorchWorker> started = TorchWorker::Start();
    ASSERT_TRUE(started.ok()) << started.status().message();
    worker_ = new TorchWorker(std::move(started).value());
  }
  static void TearDownTestSuite() {
    delete worker_;
    worker_ = nullptr;
  }

  // The reply to a request of `kind` about `code`; {"end": "none"} when there is none.
  static Json Ask(const char* kind, const std::string& code, const WorkerLimits& limits = {}) {
    const Result<Json> reply = worker_->Call(
        Json::Object{{"kind", kind}, {"code", code}, {"seed", 7}, {"limits", limits.ToJson()}});
    EXPECT_TRUE(reply.ok()) << reply.status().message();
    return reply.ok() ? *reply : Json(Json::Object{{"end", "none"}});
  }
  static Json Admit(const std::string& code, const WorkerLimits& limits = {}) {
    return Ask("admit", code, limits);
  }

  inline static TorchWorker* worker_ = nullptr;
};

}  // namespace kernelmill
