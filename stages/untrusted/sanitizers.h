// Tells whether this program was built with a sanitizer: sanitizers reserve terabytes of addresses
// and make system calls that a confined process cannot make, so such a build does not confine the
// child or limit its memory.
#pragma once

namespace kernelmill {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace kernelmill
