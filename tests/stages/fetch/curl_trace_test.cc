#include "stages/fetch/curl_trace.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace kernelmill {
namespace {

constexpr char kReceived[] = "15:24:45.310997 http.c:684              <= Recv header: ";

TEST(CurlTrace, ReadsTheLastResponse) {
  CurlTrace trace;
  EXPECT_TRUE(trace.Take("15:24:45.310165 http.c:684              => Send header: Accept: */*"));
  EXPECT_EQ(trace.status(), 0);
  EXPECT_TRUE(trace.Take(std::string(kReceived) + "HTTP/1.1 429 Too Many Requests"));
  EXPECT_TRUE(trace.Take(std::string(kReceived) + "Retry-After:  7\r"));
  EXPECT_EQ(trace.status(), 429);
  EXPECT_EQ(trace.retry_after(), std::chrono::seconds(7));
  EXPECT_TRUE(trace.Take(std::string(kReceived) + "HTTP/2 200"));
  EXPECT_EQ(trace.status(), 200);
  EXPECT_EQ(trace.retry_after(), std::nullopt);
}

TEST(CurlTrace, ReadsADate) {
  CurlTrace trace;
  const std::time_t later = std::time(nullptr) + 100;
  char text[64];
  std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", std::gmtime(&later));
  trace.Take(std::string(kReceived) + "retry-after: " + text);
  ASSERT_TRUE(trace.retry_after().has_value());
  EXPECT_NEAR(static_cast<double>(trace.retry_after()->count()), 100, 5);
  trace.Take(std::string(kReceived) + "retry-after: Fri, 31 Dec 1999 23:59:59 GMT");
  EXPECT_EQ(trace.retry_after(), std::chrono::seconds(0));
  for (const char* wrong : {"soon", "-1", "1 s", ""}) {
    trace.Take(std::string(kReceived) + "retry-after: " + wrong);
    EXPECT_EQ(trace.retry_after().value_or(std::chrono::seconds(0)).count(), 0) << wrong;
  }
}

// A remote's messages stand behind "remote: ", so that it cannot write a line of the trace.
TEST(CurlTrace, MessagesAreNone) {
  CurlTrace trace;
  for (const std::string& line :
       {std::string(), std::string("fatal: HTTP/1.1 500"), "remote: " + std::string(kReceived)}) {
    EXPECT_FALSE(trace.Take(line + "HTTP/1.1 500"));
  }
  EXPECT_TRUE(trace.Take(std::string(kReceived) + "HTTP/"));
  EXPECT_TRUE(trace.Take(std::string(kReceived)));
  EXPECT_EQ(trace.status(), 0);
}

}  // namespace
}  // namespace kernelmill
