#include "stages/verify/run/verify_item.h"

namespace kernelmill {

Json::Object VerifyItem::Identity() const {
  return {{"key", key},
          {"id", id.empty() ? Json() : Json(id)},
          {"task", task.empty() ? Json() : Json(task)},
          {"attempt", attempt ? Json(*attempt) : Json()},
          {"turn", turn}};
}

}  // namespace kernelmill
