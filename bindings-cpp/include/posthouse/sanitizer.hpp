/// @file
/// For programs that are run under a thread sanitizer, which cannot see what the library synchronises: every
/// call into it and every callback out of it counts as an exchange. Nothing at all otherwise.
#ifndef POSTHOUSE_SANITIZER_HPP
#define POSTHOUSE_SANITIZER_HPP

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define POSTHOUSE_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define POSTHOUSE_THREAD_SANITIZER
#endif

#ifdef POSTHOUSE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace posthouse::detail {

#ifdef POSTHOUSE_THREAD_SANITIZER
inline char exchange;
inline void give() noexcept { __tsan_release(&exchange); }
inline void get() noexcept { __tsan_acquire(&exchange); }
#else
inline void give() noexcept {}
inline void get() noexcept {}
#endif

/// A call into the library.
struct Into {
    Into() noexcept { give(); }
    Into(const Into &) = delete;
    Into &operator=(const Into &) = delete;
    ~Into() { get(); }
};

/// A callback out of it.
struct OutOf {
    OutOf() noexcept { get(); }
    OutOf(const OutOf &) = delete;
    OutOf &operator=(const OutOf &) = delete;
    ~OutOf() { give(); }
};

} // namespace posthouse::detail

#endif
