#include "stages/audit/audit.h"

#include <filesystem>
#include <memory>
#include <optional>

#include "corpora/objects/object_address.h"
#include "manifests/passing_folder.h"
#include "stages/audit/attestation_audit.h"
#include "stages/audit/rederive.h"
#include "stages/engine/interrupt.h"
#include "stages/transfer/dataset_download.h"
#include "stages/transfer/file_transfers.h"
#include "stages/worker/sandbox.h"
#include "tools/cli/command.h"
#include "tools/cli/option_values.h"
#include "tools/cli/output.h"

namespace kernelmill {
namespace {

struct Arguments {
  std::string dataset;  // A folder, or s3://….
  std::string root;
  std::string attestation, key;
  std::int64_t rederive = 0;
  std::vector<std::string> sources;
  int jobs = 0;
  bool json = false;
};

std::string TextOf(const std::string& folder, const AuditReport& report) {
  std::string text;
  for (const AuditFinding& finding : report.findings) {
    text += finding.file + (finding.record.empty() ? "" : ", " + finding.record) + ": " +
            finding.what + "\n";
  }
  text += folder + ": " + std::string(AuditResultName(report.result)) + "; " +
          std::to_string(report.files) + " files, " + std::to_string(report.bytes) + " bytes, " +
          std::to_string(report.records) + " records, " + std::to_string(report.rows) +
          " rows, digest " + report.manifest_digest.Hex() + ", Merkle root " +
          report.merkle_root.Hex() + "\n";
  if (!report.signed_by.empty()) {
    text += "Its provenance is signed by the key " + report.signed_by + ".\n";
  }
  if (report.result == AuditResult::kConsistent) {
    text +=
        "Consistent with itself. To know that it is the dataset that was published, give the "
        "digest you kept: --root " +
        report.manifest_digest.Hex() + "\n";
  }
  if (report.result == AuditResult::kSameRecords) {
    text +=
        "The records are those with this Merkle root. The digest of the manifest, if you kept it, "
        "also covers what does not follow from them, such as counts of rejected inputs.\n";
  }
  return text;
}

std::string TextOf(const std::string& folder, const RederiveReport& report) {
  std::string text;
  for (const AuditFinding& finding : report.findings) {
    text += finding.file + ", " + finding.record + ": " + finding.what + "\n";
  }
  text += folder + ": " + std::to_string(report.identical) +
          " records built again from their sources, every verdict judged again, identical; " +
          std::to_string(report.findings.size()) + " different\n";
  if (report.retry == kRetryIdentical) {
    text += folder + "/retry: every file is built again from all samples and identical\n";
  } else if (report.retry == kRetryNotBuilt) {
    text += folder +
            "/retry: only such records of it were built again, because its files follow from all "
            "samples; --rederive with the number of all records builds everything\n";
  }
  if (!report.other_tool.empty()) {
    text += "It was made by another tool (" + report.other_tool +
            "), so a difference need not be tampering.\n";
  }
  return text;
}

// A copy of a dataset in an object store, as it is.
Result<PassingFolder> Copied(const std::string& dataset) {
  KM_ASSIGN(const ObjectAddress address, ObjectAddress::Parse(dataset));
  KM_ASSIGN(const auto store, ObjectStore::Open());
  KM_ASSIGN(PassingFolder copy,
            PassingFolder::Create(std::filesystem::temp_directory_path(), "kernelmill-audit"));
  KM_RETURN_IF_ERROR(CopyForAudit(address, copy.path(), *store, kUsualTransfers));
  return copy;
}

Status RunAudit(const Arguments& arguments) {
  if (arguments.attestation.empty() != arguments.key.empty()) {
    return Status(
        ErrorCode::kUsage,
        arguments.key.empty()
            ? "--attestation needs --key: the public key that the signature is checked with"
            : "--key needs --attestation: the provenance.dsse.json whose signature is "
              "checked (kernelmill export --format standards --key writes it)");
  }
  AuditOptions options;
  if (!arguments.root.empty()) {
    Result<Digest> root = Digest::FromHex(arguments.root);
    if (!root.ok()) return Status(ErrorCode::kUsage, "--root: " + root.status().message());
    options.root = *root;
  }
  std::optional<PassingFolder> copy;
  if (IsObjectAddress(arguments.dataset)) {
    KM_ASSIGN(PassingFolder copied, Copied(arguments.dataset));
    copy.emplace(std::move(copied));
  }
  const std::string& folder = copy ? copy->path() : arguments.dataset;
  KM_ASSIGN(AuditReport report, Audit(folder, options));
  if (!arguments.key.empty()) {
    KM_RETURN_IF_ERROR(AuditAttestation(folder, arguments.attestation, arguments.key, &report));
  }
  Json json = report.ToJson();
  std::string text = TextOf(arguments.dataset, report);
  std::size_t faults = report.findings.size();
  if (arguments.rederive > 0 && report.findings.empty()) {
    RederiveOptions rederive;
    rederive.records = arguments.rederive;
    rederive.jobs = arguments.jobs;
    rederive.cache = CheckoutRoot() / ".cache" / "repositories";
    KM_ASSIGN(rederive.sources, SourcesOf(arguments.sources));
    KM_ASSIGN(const RederiveReport derived, Rederive(folder, rederive));
    json["rederived"] = derived.ToJson();
    text += TextOf(arguments.dataset, derived);
    faults += derived.findings.size();
  }
  KM_RETURN_IF_ERROR(arguments.json ? PrintJson(std::move(json)) : Print(text));
  if (faults == 0) return Status::Ok();
  return Status(ErrorCode::kCorrupt, arguments.dataset + ": the audit found " +
                                         std::to_string(faults) +
                                         (faults == 1 ? " fault" : " faults"));
}

}  // namespace

Command AuditCommand() {
  return {
      .name = "audit",
      .group = CommandGroup::kRead,
      .summary = "Prove a dataset, or list what is wrong with it",
      .description =
          "It reads every byte of the dataset and checks sizes, hashes, counts, "
          "licences, the lineage of every record and the Merkle root. It makes the list of files, "
          "the exports, weights, card and report again from the records. With --root and "
          "the manifest_digest of manifest.json, which covers every file, the verdict is "
          "\"authentic\"; with the Merkle root it is \"same_records\"; without --root a dataset "
          "can only be \"consistent\" with itself. With --attestation and --key it is "
          "\"authentic\" if "
          "the signature of its provenance is right, every file has the digest that is signed, and "
          "the dataset makes the same statement again. With --rederive it also builds records "
          "again from "
          "their sources and compares the bytes; of an RFT dataset as many records in retry/ too, "
          "and "
          "where these are all records, the files of retry/.",
      .examples = {{"audit out/demo", "Check every byte, count, licence and record."},
                   {"audit s3://bucket/datasets/demo", "The same in an object store."},
                   {"audit out/demo --attestation docs/provenance.dsse.json --key public.pem",
                    "Also check who signed it."},
                   {"audit out/demo --rederive 100",
                    "Also build 100 records again from their sources."}},
      .declare = [](CLI::App& app) -> Action {
        constexpr char kRederiving[] = "Build records again";
        const auto arguments = std::make_shared<Arguments>();
        app.add_option("dataset", arguments->dataset,
                       "The folder of a dataset, or s3://BUCKET/NAME of one that was uploaded, "
                       "which is copied to the folder for temporary files (TMPDIR) first")
            ->type_name(kFolder)
            ->required();
        app.add_option("--root", arguments->root,
                       "The digest that was kept of the dataset, 64 hexadecimal digits")
            ->type_name("HEX");
        app.add_option("--attestation", arguments->attestation,
                       "The signed provenance: provenance.dsse.json of an export in the format "
                       "standards, with the files that were exported beside it")
            ->type_name(kFile);
        app.add_option("--key", arguments->key,
                       "The PEM file of the public Ed25519 key that must have signed it")
            ->type_name(kFile);
        app.add_option("--rederive", arguments->rederive,
                       "Build this many records again from their sources and compare them")
            ->type_name(kNumber)
            ->check(WholeNumber(1))
            ->group(kRederiving);
        app.add_option("--source", arguments->sources,
                       "Take the source with this origin from a path, because it cannot be fetched")
            ->type_name("ORIGIN=PATH")
            ->type_size(1)
            ->allow_extra_args(false)
            ->group(kRederiving);
        AddJobsOption(app, &arguments->jobs);
        AddJsonOption(app, &arguments->json);
        return [arguments] { return WithoutResuming(RunAudit(*arguments)); };
      },
  };
}

}  // namespace kernelmill
