#include "stages/audit/audit.h"

#include "tools/cli/command.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string folder;
  std::string root;
  bool json = false;
};

std::string TextOf(const std::string& folder, const AuditReport& report) {
  std::string text;
  for (const AuditFinding& finding : report.findings) {
    text += finding.file + (finding.record.empty() ? "" : ", " + finding.record) + ": " +
            finding.what + "\n";
  }
  text += folder + ": " + std::string(AuditVerdictName(report.verdict)) + "; " +
          std::to_string(report.files) + " files, " + std::to_string(report.bytes) + " bytes, " +
          std::to_string(report.records) + " records, " + std::to_string(report.rows) +
          " rows, Merkle root " + report.merkle_root.Hex() + "\n";
  if (report.verdict == AuditVerdict::kConsistent) {
    text += "Consistent with itself. To know that it is the dataset that was published, give the "
            "root you kept: --root " +
            report.merkle_root.Hex() + "\n";
  }
  return text;
}

Status RunAudit(const Arguments& arguments) {
  AuditOptions options;
  if (!arguments.root.empty()) {
    Result<Digest> root = Digest::FromHex(arguments.root);
    if (!root.ok()) return Status(ErrorCode::kUsage, "--root: " + root.status().message());
    options.root = *root;
  }
  KM_ASSIGN(const AuditReport report, Audit(arguments.folder, options));
  KM_RETURN_IF_ERROR(Print(arguments.json ? report.ToJson().Pretty()
                                          : TextOf(arguments.folder, report)));
  if (report.verdict != AuditVerdict::kDamaged) return Status::Ok();
  return Status(ErrorCode::kCorrupt, arguments.folder + ": the audit found " +
                                         std::to_string(report.findings.size()) + " faults");
}

}  // namespace

void AddAuditCommand(CLI::App& app, Action* action) {
  CLI::App* command =
      app.add_subcommand("audit", "Prove a dataset, or list what is wrong with it");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("dataset", arguments->folder, "The folder of a dataset")->required();
  command->add_option("--root", arguments->root, "The Merkle root that it must have, 64 hex digits");
  command->add_flag("--json", arguments->json, "One JSON document");
  command->callback([=] { *action = [=] { return RunAudit(*arguments); }; });
}

}  // namespace kernelmill
