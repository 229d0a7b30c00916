// The audit of one shard against its .digests file.
#pragma once

#include <string>
#include <vector>

#include "stages/audit/file_audit.h"
#include "stages/audit/record_audit.h"

namespace kernelmill {

// Hands the records of shard `number` to `records` in order. False when damage kept it from that;
// the records that the damage hit are named then.
bool AuditShard(const std::string& folder, std::size_t number, const FileAudit& files,
                RecordAudit* records, std::vector<AuditFinding>* findings);

}  // namespace kernelmill
