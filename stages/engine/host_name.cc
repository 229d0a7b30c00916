#include "stages/engine/host_name.h"

#include <unistd.h>

namespace kernelmill {

std::string HostName() {
  char name[256] = "";
  (void)gethostname(name, sizeof(name) - 1);
  return name;
}

}  // namespace kernelmill
