#include "stages/generate/generate_step.h"

#include <gtest/gtest.h>

#include <map>

#include "corpora/records/task.h"
#include "generators/graphs/generated_task.h"
#include "stages/worker/sandbox.h"

namespace kernelmill {
namespace {

Result<GenerateOptions> OptionsOf(const std::string& yaml) {
  Result<Config> config = Config::Parse(GenerateKeys(), yaml, "test", {});
  if (!config.ok()) return config.status();
  return GenerateOptions::Of(*config);
}

std::map<std::string, std::string> Inputs(const GenerateStep& step,
                                          const OriginFilter& wanted = nullptr) {
  std::map<std::string, std::string> inputs;
  const Status status = step.Inputs(wanted)([&](std::string key, std::string body) {
    EXPECT_TRUE(inputs.emplace(key, body).second) << key;
    return Status::Ok();
  });
  EXPECT_TRUE(status.ok()) << status.message();
  return inputs;
}

TEST(Generate, KeysAreChecked) {
  EXPECT_EQ(OptionsOf("{}")->count, 0);
  EXPECT_EQ(OptionsOf("generate: {count: 3, levels: [2, 4]}")->sampler.levels,
            (std::vector<int>{2, 4}));
  for (const auto& [yaml, words] : std::map<std::string, std::string>{
           {"generate: {count: -1}", "generate.count"},
           {"generate: {seed: -1}", "generate.seed"},
           {"generate: {levels: []}", "generate.levels: name at least one"},
           {"generate: {levels: [1, 5]}", "generate.levels: there is no level 5"},
           {"generate: {levels: [one]}", "generate.levels: 'one'"},
           {"generate: {targets: [flops=1]}", "generate.targets: cannot read 'flops=1'"}}) {
    const Result<GenerateOptions> options = OptionsOf(yaml);
    ASSERT_FALSE(options.ok()) << yaml;
    EXPECT_EQ(options.status().code(), ErrorCode::kConfig) << yaml;
    EXPECT_NE(options.status().message().find(words), std::string::npos)
        << options.status().message();
  }
}

TEST(Generate, ALargerCountOnlyAdds) {
  const GenerateStep some(*OptionsOf("generate: {count: 30, seed: 2}"));
  const GenerateStep more(*OptionsOf("generate: {count: 60, seed: 2}"));
  const auto first = Inputs(some), all = Inputs(more);
  ASSERT_EQ(first.size(), 30u);
  ASSERT_EQ(all.size(), 60u);
  for (const auto& [key, body] : first) EXPECT_EQ(all.at(key), body);
}

TEST(Generate, ATaskIsAFunctionOfItsIndex) {
  GenerateStep step(*OptionsOf("generate: {count: 25, seed: 4}"));
  const auto inputs = Inputs(step);
  const std::unique_ptr<Lane> lane = step.OpenLane().value(), other = step.OpenLane().value();
  std::map<std::string, std::string> forwards, backwards;
  for (auto input = inputs.begin(); input != inputs.end(); ++input) {
    forwards[input->first] = step.Process({input->first, input->second}, *lane)->outputs[0].body;
  }
  for (auto input = inputs.rbegin(); input != inputs.rend(); ++input) {
    backwards[input->first] = step.Process({input->first, input->second}, *other)->outputs[0].body;
  }
  EXPECT_EQ(forwards, backwards);

  std::map<std::string, std::string> graphs;
  for (const auto& [key, body] : forwards) {
    const Record record = Record::Decode(body).value();
    ASSERT_EQ(record.origins.size(), 1u);
    EXPECT_EQ(std::to_string(record.origins[0].index), key);
    EXPECT_EQ(record.origins[0].seed, 4);
    EXPECT_TRUE(graphs.emplace(record.attributes.at("graph").as_string(), key).second) << key;
    const Task task = Task::FromJson(record.payload).value();
    for (const InputSpec& input : task.inputs) {
      EXPECT_NE(task.code.find("def forward(self, "), std::string::npos);
      EXPECT_FALSE(input.name.empty());
      EXPECT_NE(task.code.find(input.name), std::string::npos) << task.code;
    }
    // If one origin is requested, exactly it is generated.
    const auto wanted = [&](const std::vector<Origin>& origins) {
      return origins == record.origins;
    };
    EXPECT_EQ(Inputs(step, wanted), (std::map<std::string, std::string>{{key, key}}));
  }
}

TEST(Generate, NamesTheLicenceByItsText) {
  const std::string command = "git hash-object '" + (CheckoutRoot() / "LICENSE").string() + "'";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char digits[41] = {};
  EXPECT_EQ(fread(digits, 1, 40, pipe), 40u);
  pclose(pipe);
  EXPECT_EQ(kOwnLicenceBlob, digits);
}

}  // namespace
}  // namespace kernelmill
