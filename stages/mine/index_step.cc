#include "stages/mine/index_step.h"

#include <set>

#include "stages/mine/mined_items.h"

namespace kernelmill {

Result<Outcome> IndexStep::Process(const Input& input, Lane&) {
  KM_ASSIGN(const MinedRepository mined, MinedRepository::FromText(input.body));
  KM_ASSIGN(const std::shared_ptr<const RepositoryIndex> index, indices_->Get(input.key));
  Outcome outcome;
  std::int64_t classes = 0;
  for (std::size_t file = 0; file < index->files().size(); ++file) {
    std::set<std::string> seen;
    for (const PythonStatement& statement : index->files()[file].python.statements) {
      if (statement.kind != PythonStatementKind::kClass || statement.bindings.empty()) continue;
      const std::string& name = statement.bindings[0].name;
      if (!seen.insert(name).second) continue;
      ++classes;
      if (!index->IsModule(static_cast<int>(file), name)) continue;
      const MinedClass entry{{input.key, mined.url, mined.commit, index->files()[file].path}, name};
      outcome.outputs.push_back({entry.Key(), entry.ToJson().Dump()});
    }
  }
  outcome.counters = {{"classes", classes},
                      {"modules", static_cast<std::int64_t>(outcome.outputs.size())}};
  return outcome;
}

}  // namespace kernelmill
