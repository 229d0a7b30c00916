#include "stages/transfer/hashed_object.h"

namespace kernelmill {

Status HashedObject::Begin() {
  size_ = 0;
  hash_.emplace();
  if (path_.empty()) return Status::Ok();
  file_.reset();
  KM_ASSIGN(file_, FileWriter::Create(path_));
  return Status::Ok();
}

Status HashedObject::Take(std::string_view bytes) {
  size_ += static_cast<std::int64_t>(bytes.size());
  if (size_ > most_) {
    return Status(ErrorCode::kCorrupt, name_ + ": it has more than the " + std::to_string(most_) +
                                           " bytes of its entry");
  }
  hash_->Update(bytes);
  return file_ ? file_->Append(bytes) : Status::Ok();
}

}  // namespace kernelmill
