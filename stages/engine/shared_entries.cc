#include "stages/engine/shared_entries.h"

#include <cstdlib>
#include <utility>

#include "manifests/digest.h"
#include "stages/engine/progress.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostEntryBytes = std::size_t{256} << 20;

}  // namespace

Result<std::shared_ptr<const SharedEntries>> SharedEntries::OfEnvironment(std::string_view part) {
  const char* const text = std::getenv(kVariable);
  if (text == nullptr || *text == '\0') return std::shared_ptr<const SharedEntries>();
  const Result<ObjectAddress> address = ObjectAddress::Parse(text);
  if (!address.ok()) return address.status().Within(std::string("the variable ") + kVariable);
  KM_ASSIGN(auto store, ObjectStore::Open());
  return std::make_shared<const SharedEntries>(address->Below(part), std::move(store));
}

Result<std::optional<std::string>> SharedEntries::Find(const std::string& name) const {
  return store_->Read(address_.Below(name), kMostEntryBytes);
}

Result<std::string> SharedEntries::Keep(const std::string& name, const std::string& bytes) const {
  const ObjectAddress address = address_.Below(name);
  KM_ASSIGN(const bool created, store_->Create(address, bytes));
  if (created) return bytes;
  KM_ASSIGN(std::optional<std::string> there, Find(name));
  if (there) return *std::move(there);
  return Status(ErrorCode::kUnreachable,
                address.Text() +
                    ": the object store refuses to make it, because it is there, and does not find "
                    "it; run the same command again");
}

void SharedEntries::Complain(const std::string& name, std::string_view what) const {
  const std::lock_guard lock(mutex_);
  if (!complained_.insert(name).second) return;
  Warn(TextOf(name) + ": " + std::string(what));
}

std::string SharedEntries::Mark() const {
  constexpr std::size_t kDigits = 12;
  return DigestOf(address_.Text()).Hex().substr(0, kDigits);
}

}  // namespace kernelmill
