// Audits one shard of a dataset's records against its .digests file, which lists the digest and
// content_id of each record. Called by Audit() (audit.h) for shard after shard, after the files
// were compared (`files`). Shard `number` (from 0) is read; its records are handed to `records` and
// what is wrong is added to `findings`.
#pragma once

#include <string>
#include <vector>

#include "stages/audit/file_audit.h"
#include "stages/audit/record_audit.h"

namespace kernelmill {

// Adds the records of shard `number` to `records` in order. Returns false if damage prevents that;
// the damaged records are then among the findings.
bool AuditShard(const std::string& folder, std::size_t number, const FileAudit& files,
                RecordAudit* records, std::vector<AuditFinding>* findings);

}  // namespace kernelmill
