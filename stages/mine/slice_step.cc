#include "stages/mine/slice_step.h"

#include "manifests/json_fields.h"
#include "stages/mine/arguments_operation.h"
#include "stages/mine/slicer.h"
#include "stages/publishable/redaction.h"
#include "stages/untrusted/untrusted_lane.h"

namespace kernelmill {
namespace {

// The last class statement of that name; nullptr when there is none.
const PythonStatement* ClassNamed(const RepositoryIndex& index, int file,
                                  const std::string& symbol) {
  const PythonStatement* found = nullptr;
  for (int s : index.StatementsOf(file, symbol)) {
    const PythonStatement& statement = index.python(file).statements[s];
    if (statement.kind == PythonStatementKind::kClass) found = &statement;
  }
  return found;
}

Origin OriginOf(const MinedClass& entry, const RepositoryIndex& index, int file) {
  Origin origin{entry.url, entry.commit, index.files()[file].blob, entry.path, entry.symbol};
  if (const PythonStatement* statement = ClassNamed(index, file, entry.symbol)) {
    origin.first_line = statement->first_line;
    origin.last_line = statement->last_line;
  }
  return origin;
}

std::string OriginalText(const RepositoryIndex& index, int file, const std::string& symbol) {
  const PythonStatement* statement = ClassNamed(index, file, symbol);
  if (statement == nullptr) return "";
  return index.python(file).source.substr(statement->first, statement->last - statement->first);
}

}  // namespace

SliceStep::SliceStep(std::shared_ptr<IndexCache> indices, MiningOptions options)
    : indices_(std::move(indices)), options_(std::move(options)) {}

Json SliceStep::Parameters() const {
  return Json::Object{{"slice_lines", options_.slice.lines},
                      {"slice_files", options_.slice.files},
                      {"licences", ToJson(options_.licences)}};
}

Result<std::unique_ptr<Lane>> SliceStep::OpenLane() {
  return std::unique_ptr<Lane>(std::make_unique<UntrustedLane>(options_.child_program));
}

Result<Outcome> SliceStep::Process(const Input& input, Lane& lane) {
  KM_ASSIGN(const MinedClass entry, MinedClass::FromText(input.body));
  KM_ASSIGN(const std::shared_ptr<const RepositoryIndex> index,
            indices_->Get(entry.repository_key));
  const int at = index->FileAt(entry.path);
  if (at < 0) {
    return Status(ErrorCode::kInternal, "class " + input.key + " is in no file that was read");
  }
  const Origin origin = OriginOf(entry, *index, at);
  const auto reject = [&](std::string reason, std::string detail) {
    Outcome outcome = Outcome::Reject(std::move(reason), std::move(detail),
                                      QuarantinedText(OriginalText(*index, at, entry.symbol)));
    outcome.origins.push_back(origin);
    return outcome;
  };
  if (!index->HasMethod(at, entry.symbol, "forward")) return reject("no_forward", "");
  SliceResult cut = CutSlice(*index, at, entry.symbol, options_.slice);
  if (!cut.reason.empty()) return reject(cut.reason, cut.detail);
  std::vector<LicenceEvidence> licences;
  for (int file : cut.slice.files) {
    const LicenceEvidence evidence = index->LicenceOf(file);
    std::optional<LicenceEvidence> allowed = AllowedEvidence(evidence, options_.licences);
    if (!allowed) {
      return reject("licence", evidence.spdx + " for " + index->files()[file].path);
    }
    licences.push_back(*std::move(allowed));
  }
  KM_ASSIGN(UntrustedReply reply,
            AskForArguments(static_cast<UntrustedLane&>(lane).child, cut.slice.code,
                            index->CallsOf(at, entry.symbol)));
  if (!reply.reason.empty()) return reject(reply.reason, reply.detail);
  KM_ASSIGN(ArgumentGuess guess, DecodeGuess(reply.body));
  if (guess.sets.empty()) return reject("unknown_arguments", guess.detail);
  MinedModule module;
  module.name = entry.symbol;
  module.code = std::move(guess.code);
  module.arguments = std::move(guess.sets);
  module.origins.push_back(origin);
  Unite(&module.licences, licences);
  const std::string key = DigestOf(module.code).Hex();
  Outcome outcome = Outcome::Keep({{key, module.ToJson().Dump()}});
  if (guess.redacted > 0) outcome.counters.emplace_back("redacted", guess.redacted);
  return outcome;
}

}  // namespace kernelmill
