#include "stages/queue/worker_name.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <string>

#include "stages/engine/host_name.h"

namespace kernelmill {
namespace {

TEST(WorkerName, OfThisProcessHasItsHostAndItsNumber) {
  const std::optional<WorkerName> name = WorkerName::Parse(WorkerName::OfThisProcess());
  ASSERT_TRUE(name);
  EXPECT_EQ(name->host, HostName());
  EXPECT_EQ(name->pid, getpid());
}

TEST(WorkerName, AHostMayHaveASlash) {
  const std::optional<WorkerName> name = WorkerName::Parse("rack/3/17/1700000000");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->host, "rack/3");
  EXPECT_EQ(name->pid, 17);
}

TEST(WorkerName, NamesOfOtherClientsAreNotTakenApart) {
  for (const char* name : {"", "/", "//", "host", "host/17", "/17/2", "host//2", "host/x/2",
                           "host/17x/2", "host/ 17/2", "host/99999999999999999999/2"}) {
    EXPECT_FALSE(WorkerName::Parse(name)) << name;
  }
}

}  // namespace
}  // namespace kernelmill
