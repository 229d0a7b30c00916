#include "corpora/git/git_repository.h"

#include <git2.h>
#include <git2/odb_backend.h>
#include <git2/sys/repository.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

#include "corpora/git/git_loose_backend.h"
#include "corpora/git/loose_object.h"
#include "manifests/commit_file.h"

namespace kernelmill {
namespace {

namespace fs = std::filesystem;

template <typename T, void (*FreeFunction)(T*)>
struct Freed {
  void operator()(T* handle) const { FreeFunction(handle); }
};
using ObjectHandle = std::unique_ptr<git_object, Freed<git_object, git_object_free>>;
using CommitHandle = std::unique_ptr<git_commit, Freed<git_commit, git_commit_free>>;
using TreeHandle = std::unique_ptr<git_tree, Freed<git_tree, git_tree_free>>;
using BlobHandle = std::unique_ptr<git_odb_object, Freed<git_odb_object, git_odb_object_free>>;

// Process-wide settings, made once. Verifying object hashes would take two thirds of the reading
// time. It can be left out because a record names its blob by that hash, so an audit finds a wrong
// one later.
void Initialise() {
  static const bool done = [] {
    git_libgit2_init();
    git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
    git_libgit2_opts(GIT_OPT_ENABLE_CACHING, 0);
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    for (int level : {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG,
                      GIT_CONFIG_LEVEL_GLOBAL}) {
      git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
    }
    return true;
  }();
  static_cast<void>(done);
}

// Whether a message of libgit2 ends with an error of the operating system that the machine is to
// blame for. A lack of memory is none: objects that lie about their size bring it about too.
bool NamesRefusal(std::string_view message) {
  for (int error = 1; error <= EDQUOT; ++error) {
    if (IsRefusedByMachine(error) && message.ends_with(std::strerror(error))) return true;
  }
  return false;
}

Status LastError(int code, std::string_view what) {
  const git_error* error = git_error_last();
  const bool refused =
      error != nullptr && error->klass == GIT_ERROR_OS && NamesRefusal(error->message);
  const ErrorCode kind = code == GIT_ENOTFOUND ? ErrorCode::kNotFound
                         : refused             ? ErrorCode::kWorker
                                               : ErrorCode::kCorrupt;
  return Status(kind, std::string(what) + (error == nullptr ? "" : ": ") +
                          (error == nullptr ? "" : error->message));
}

Result<git_oid> ParseId(const std::string& id) {
  git_oid oid;
  if (id.size() != GIT_OID_HEXSZ || git_oid_fromstr(&oid, id.c_str()) != 0) {
    return Status(ErrorCode::kCorrupt, "'" + id + "' is no Git object id");
  }
  return oid;
}

std::string Hex(const git_oid& oid) {
  char text[GIT_OID_HEXSZ];
  git_oid_fmt(text, &oid);
  return std::string(text, GIT_OID_HEXSZ);
}

TreeEntryKind KindOf(const git_tree_entry* entry) {
  switch (git_tree_entry_filemode_raw(entry) & 0170000) {
    case 0040000:
      return TreeEntryKind::kFolder;
    case 0120000:
      return TreeEntryKind::kSymlink;
    case 0160000:
      return TreeEntryKind::kSubmodule;
    default:
      return TreeEntryKind::kFile;
  }
}

// Checks that everything comes from the repository's own folder. A hostile repository could
// otherwise publish files of this machine by naming them as its objects, or learn about them from
// error messages.
Status CheckSelfContained(const fs::path& git_dir) {
  std::error_code error;
  for (const char* name : {"objects", "objects/info", "objects/pack", "refs", "packed-refs"}) {
    if (fs::is_symlink(git_dir / name, error)) {
      return Status(ErrorCode::kUsage, std::string(name) + " is a symbolic link");
    }
  }
  // Old versions of Git made HEAD a symbolic link to the branch.
  const fs::path head = fs::read_symlink(git_dir / "HEAD", error).lexically_normal();
  if (!head.empty() && *head.begin() != "refs") {
    return Status(ErrorCode::kUsage, "HEAD is a symbolic link to elsewhere");
  }
  if (fs::exists(fs::symlink_status(git_dir / "commondir", error))) {
    return Status(ErrorCode::kUsage, "it is a part of another repository (commondir)");
  }
  for (const char* name : {"objects", "refs"}) {
    fs::recursive_directory_iterator file(git_dir / name, error);
    for (; !error && file != fs::recursive_directory_iterator(); file.increment(error)) {
      if (file->is_symlink(error)) {
        return Status(ErrorCode::kUsage,
                      "a file or folder of " + std::string(name) + "/ is a symbolic link");
      }
    }
  }
  const fs::path alternates = git_dir / "objects/info/alternates";
  if (fs::exists(fs::symlink_status(alternates, error)) && fs::file_size(alternates, error) > 0) {
    return Status(ErrorCode::kUsage,
                  "it borrows objects from another repository (objects/info/alternates); "
                  "run 'git repack -a -d' in it and remove that file");
  }
  return Status::Ok();
}

// Packs are read by libgit2 and loose objects by our own backend. Alternates and commit graphs are
// not read.
Status AddObjects(const std::string& folder, git_odb* database) {
  git_odb_backend* packs = nullptr;
  if (const int code = git_odb_backend_pack(&packs, folder.c_str()); code != 0) {
    return LastError(code, "Git cannot open the packs");
  }
  for (git_odb_backend* backend : {packs, MakeLooseBackend(folder)}) {
    if (const int code = git_odb_add_backend(database, backend, 1); code != 0) {
      return LastError(code, "Git cannot open the object store");
    }
  }
  return Status::Ok();
}

// In a repository's folder: the number that MarkOmitted() notes.
constexpr char kOmittedName[] = "kernelmill-omits-from";

std::int64_t ReadOmitted(const std::string& git_dir) {
  const Result<std::string> text = ReadFile(git_dir + "/" + kOmittedName);
  std::int64_t from = 0;
  if (text.ok()) std::from_chars(text->data(), text->data() + text->size(), from);
  return from;
}

struct Folder {
  TreeHandle tree;
  std::size_t next = 0;
  std::string prefix;
};

// The number of entries that a walk from `root` would visit. Each tree is examined once per depth
// at which it occurs, so that trees that name each other many times cost nothing.
std::int64_t CountEntries(git_repository* repository, TreeHandle root, const WalkLimits& limits) {
  using Place = std::pair<std::string, std::size_t>;  // Tree, depth.
  struct Counting {
    TreeHandle tree;
    Place place;
    std::size_t next = 0;
    std::int64_t entries = 0;
  };
  std::map<Place, std::int64_t> known;
  std::vector<Counting> stack;
  stack.push_back({std::move(root), {}});
  for (;;) {
    Counting& top = stack.back();
    const bool full = top.entries > limits.entries;
    if (full || top.next == git_tree_entrycount(top.tree.get())) {
      const std::int64_t entries = top.entries;
      if (stack.size() == 1) return entries;
      known.emplace(std::move(top.place), entries);
      stack.pop_back();
      stack.back().entries += entries;
      continue;
    }
    const git_tree_entry* item = git_tree_entry_byindex(top.tree.get(), top.next++);
    ++top.entries;
    if (KindOf(item) != TreeEntryKind::kFolder) continue;
    if (static_cast<int>(stack.size()) >= limits.depth) continue;
    Place place(Hex(*git_tree_entry_id(item)), stack.size());
    if (const auto found = known.find(place); found != known.end()) {
      top.entries += found->second;
      continue;
    }
    git_tree* tree = nullptr;
    if (git_tree_lookup(&tree, repository, git_tree_entry_id(item)) != 0) continue;
    stack.push_back({TreeHandle(tree), std::move(place)});
  }
}

}  // namespace

void GitRepository::Free::operator()(git_repository* repository) const {
  git_repository_free(repository);
}
void GitRepository::Free::operator()(git_odb* database) const { git_odb_free(database); }

Result<GitRepository> GitRepository::Open(const std::string& git_dir) {
  Initialise();
  KM_RETURN_IF_ERROR(CheckSelfContained(git_dir));
  git_repository* repository = nullptr;
  if (const int code = git_repository_open_bare(&repository, git_dir.c_str()); code != 0) {
    return LastError(code, "Git cannot open the repository");
  }
  GitRepository opened;
  opened.repository_.reset(repository);
  git_odb* database = nullptr;
  if (const int code = git_odb_new(&database); code != 0) {
    return LastError(code, "Git cannot make an object store");
  }
  opened.database_.reset(database);
  KM_RETURN_IF_ERROR(AddObjects(git_dir + "/objects", database));
  if (const int code = git_repository_set_odb(repository, database); code != 0) {
    return LastError(code, "Git cannot use the object store");
  }
  opened.omits_from_ = ReadOmitted(git_dir);
  return opened;
}

Result<std::string> GitRepository::ResolveCommit(const std::string& revision) const {
  const std::string spec = revision.empty() ? "HEAD" : revision;
  git_object* object = nullptr;
  if (const int code = git_revparse_single(&object, repository_.get(), spec.c_str()); code != 0) {
    return LastError(code, "revision '" + spec + "' cannot be resolved");
  }
  const ObjectHandle named(object);
  git_object* peeled = nullptr;
  if (const int code = git_object_peel(&peeled, object, GIT_OBJECT_COMMIT); code != 0) {
    return LastError(code, "revision '" + spec + "' is no commit");
  }
  const ObjectHandle commit(peeled);
  return Hex(*git_object_id(peeled));
}

Result<std::string> GitRepository::LastCommitBefore(const std::string& revision, std::int64_t end,
                                                    bool* there) const {
  KM_ASSIGN(std::string id, ResolveCommit(revision));
  *there = true;
  for (;;) {
    KM_ASSIGN(const git_oid oid, ParseId(id));
    git_commit* found = nullptr;
    const int code = git_commit_lookup(&found, repository_.get(), &oid);
    if (code == GIT_ENOTFOUND) {
      *there = false;
      return id;
    }
    if (code != 0) return LastError(code, "commit " + id);
    const CommitHandle commit(found);
    if (git_commit_time(found) < end) return id;
    if (git_commit_parentcount(found) == 0) {
      return Status(ErrorCode::kNotFound,
                    "its default branch has no commit that is old enough; name a later day");
    }
    id = Hex(*git_commit_parent_id(found, 0));
  }
}

Status GitRepository::Walk(const std::string& commit_id, const WalkLimits& limits,
                           const Visit& visit) const {
  KM_ASSIGN(const git_oid oid, ParseId(commit_id));
  git_commit* commit = nullptr;
  if (const int code = git_commit_lookup(&commit, repository_.get(), &oid); code != 0) {
    return LastError(code, "commit " + commit_id);
  }
  const CommitHandle holder(commit);
  git_tree* root = nullptr;
  if (const int code = git_commit_tree(&root, commit); code != 0) {
    return LastError(code, "the tree of commit " + commit_id);
  }
  std::vector<Folder> stack;
  stack.push_back({TreeHandle(root), 0, ""});
  git_tree* again = nullptr;
  if (const int code = git_tree_dup(&again, root); code != 0) return LastError(code, "its tree");
  if (CountEntries(repository_.get(), TreeHandle(again), limits) > limits.entries) {
    return Status(ErrorCode::kBudget,
                  "it has more than " + std::to_string(limits.entries) + " entries");
  }
  while (!stack.empty()) {
    Folder& folder = stack.back();
    if (folder.next == git_tree_entrycount(folder.tree.get())) {
      stack.pop_back();
      continue;
    }
    const git_tree_entry* item = git_tree_entry_byindex(folder.tree.get(), folder.next++);
    const TreeEntry entry{KindOf(item), folder.prefix + git_tree_entry_name(item),
                          Hex(*git_tree_entry_id(item))};
    if (entry.kind != TreeEntryKind::kFolder) {
      KM_RETURN_IF_ERROR(visit(entry, Status::Ok()));
      continue;
    }
    if (static_cast<int>(stack.size()) >= limits.depth) {
      KM_RETURN_IF_ERROR(visit(entry, Status(ErrorCode::kBudget, "too deep")));
      continue;
    }
    git_tree* tree = nullptr;
    if (const int code = git_tree_lookup(&tree, repository_.get(), git_tree_entry_id(item));
        code != 0) {
      KM_RETURN_IF_ERROR(visit(entry, LastError(code, "folder")));
      continue;
    }
    stack.push_back({TreeHandle(tree), 0, entry.path + "/"});
  }
  return Status::Ok();
}

Result<std::int64_t> GitRepository::BlobSize(const std::string& id) const {
  KM_ASSIGN(const git_oid oid, ParseId(id));
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  if (const int code = git_odb_read_header(&size, &type, database_.get(), &oid); code != 0) {
    return LastError(code, "object " + id);
  }
  if (type != GIT_OBJECT_BLOB) return Status(ErrorCode::kCorrupt, "object " + id + " is no blob");
  return static_cast<std::int64_t>(size);
}

Result<std::string> GitRepository::ReadBlob(const std::string& id) const {
  KM_ASSIGN(const git_oid oid, ParseId(id));
  git_odb_object* object = nullptr;
  if (const int code = git_odb_read(&object, database_.get(), &oid); code != 0) {
    return LastError(code, "object " + id);
  }
  const BlobHandle blob(object);
  if (git_odb_object_type(object) != GIT_OBJECT_BLOB) {
    return Status(ErrorCode::kCorrupt, "object " + id + " is no blob");
  }
  return std::string(static_cast<const char*>(git_odb_object_data(object)),
                     git_odb_object_size(object));
}

Status MarkOmitted(const std::string& git_dir, std::int64_t from) {
  return ReplaceFile(git_dir + "/" + kOmittedName, std::to_string(from) + "\n");
}

}  // namespace kernelmill
