#include "corpora/git/resolved_source.h"

#include "manifests/digest.h"

namespace kernelmill {

std::string ResolvedSource::Key() const {
  return Sha256().Field(url).Field(commit).Finish().Hex().substr(0, 16);
}

}  // namespace kernelmill
