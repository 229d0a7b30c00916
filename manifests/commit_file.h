// Files that are either whole or absent. Bytes go to a temporary file in the same folder, are
// synced, and only then get their name, so neither a crash nor a full disk leaves half a file under
// a name that somebody reads. A leftover "<name>.tmp-<16 hex digits>" belongs to a writer that died
// and may be removed.
#pragma once

#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

// Writes `bytes` to `path`. The first writer wins: kExists when the name is taken, whose file then
// stays as it was.
Status CommitFile(const std::string& path, std::string_view bytes);
// The same, but takes the place of a file that is there.
Status ReplaceFile(const std::string& path, std::string_view bytes);

// The whole file. kNotFound when there is none.
Result<std::string> ReadFile(const std::string& path);

// Makes the folder and those above it. Folders that exist already are fine.
Status MakeFolders(const std::string& path);
// Makes the names in the folder durable.
Status SyncFolder(const std::string& path);

// The two halves of a commit, for writers that fill their file by other means (corpora/shards/shard.h).
// A new name beside `path` that no other writer uses, "<path>.tmp-…".
std::string TemporaryPath(const std::string& path);
bool IsTemporaryPath(std::string_view path);
// Gives the synced file `temporary` the name `path` and makes that durable. kExists when the name
// is taken; `temporary` is then still there.
Status CommitTemporary(const std::string& temporary, const std::string& path);

// The part of `path` before the last '/', "." when it has none.
std::string FolderOf(const std::string& path);

}  // namespace kernelmill
