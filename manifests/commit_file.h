// Atomic writing of files, and reading of whole files, for every module that writes or reads files
// of a run or a dataset. Bytes go to a temporary file in the same folder, which is synced and only
// then gets its name, so neither a crash nor a full disk leaves a partial file under the final
// name. A leftover "<name>.tmp-<16 hex digits>" belongs to a writer that died and may be removed.
// CommitFile() refuses to replace an existing file, ReplaceFile() replaces it.
#pragma once

#include <string>
#include <string_view>

#include "manifests/status.h"

namespace kernelmill {

// Writes `bytes` to `path`. The first writer wins: kExists when the file exists, which then stays as
// it was.
Status CommitFile(const std::string& path, std::string_view bytes);
// The same, but replaces an existing file.
Status ReplaceFile(const std::string& path, std::string_view bytes);

// The content of the file, at most 4 GiB. kNotFound when the file does not exist; kIo for a pipe or a
// device, which may have no end.
Result<std::string> ReadFile(const std::string& path);

// Creates the folder and its parents, unless they exist.
Status MakeFolders(const std::string& path);
// Syncs the folder, which makes the names in it durable.
Status SyncFolder(const std::string& path);

// The two halves of a commit, for writers that fill their file by other means
// (corpora/shards/shard.h). TemporaryPath is a new name beside `path` that no other writer uses.
std::string TemporaryPath(const std::string& path);
bool IsTemporaryPath(std::string_view path);
// Renames the synced file `temporary` to `path` and makes the name durable. kExists when `path`
// exists; `temporary` then stays.
Status CommitTemporary(const std::string& temporary, const std::string& path);
// The same without making the name durable, for files that need not survive a crash.
Status NameTemporary(const std::string& temporary, const std::string& path);

// The part of `path` before the last '/'; "." when `path` has none.
std::string FolderOf(const std::string& path);

}  // namespace kernelmill
