#include "tools/cli/command.h"
#include "tools/cli/configuration.h"

namespace kernelmill {

void AddConfigCommand(CLI::App& app, Action* action) {
  CLI::App* command =
      app.add_subcommand("config", "Print every configuration key with its default");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON document instead of YAML");
  command->callback([=] {
    *action = [=] {
      return Print(*json ? DescribeKeysJson(ConfigurationKeys()).Pretty()
                         : DescribeKeys(ConfigurationKeys()));
    };
  });
}

}  // namespace kernelmill
