// Audits one shard against its .digests file.
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
