// Stands in for a step of a run: its outputs are what a test gives it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "stages/engine/run.h"
#include "stages/engine/step.h"

namespace kernelmill {

class GivenStep : public Step {
 public:
  explicit GivenStep(std::string name) : name_(std::move(name)) {}
  std::string_view Name() const override { return name_; }
  int Version() const override { return 1; }
  Json Parameters() const override { return Json::Object{{"secret", "hidden"}}; }
  Result<Outcome> Process(const Input& input, Lane&) override {
    return Outcome::Keep({{input.key, input.body}});
  }

 private:
  std::string name_;
};

// Runs the step `name`, whose outputs are these pairs of key and body.
inline void Give(Run& run, const std::string& name,
                 const std::vector<std::pair<std::string, std::string>>& outputs) {
  GivenStep step(name);
  EXPECT_TRUE(run.Do(step,
                     [&](const Run::Emit& emit) -> Status {
                       for (const auto& [key, body] : outputs) {
                         KM_RETURN_IF_ERROR(emit(key, body));
                       }
                       return Status::Ok();
                     })
                  .ok());
}

// The key and the body of the output that is a record.
inline std::pair<std::string, std::string> EncodedRecord(const Record& record) {
  return {std::string(record.ContentId().AsKey()), record.Encode()};
}

}  // namespace kernelmill
