// The sanitizers' defaults in builds with SANITIZE=1, and everything that is exempt from them, with the reasons. Linked
// into the library's tests and the launcher; empty in other builds.
//
// Options (AddressSanitizer reads them before main; ASAN_OPTIONS overrides each of them):
//   detect_leaks=0      Classes, decoded code and symbols live as long as the process and are not torn
//                       down at exit; the collector owns Java objects.
//   handle_segv=0 ...   The VM's own handlers (base/signals.def) turn faults into a crash report, and
//                       a fault at a guard page into the exception that the program expects.
//   detect_stack_use_after_return=0
//                       Stacks are scanned conservatively. With this check on, locals are in heap
//                       blocks that the collector does not scan, and their references get lost.
//   use_sigaltstack=0   Threads get an alternate signal stack from the VM.
//   allocator_may_return_null=1
//                       malloc fails like without sanitizers, because the VM's error paths are
//                       tested too.
//
// Not instrumented: the collector library (libgc, which reads the stacks and registers of other threads) and the JDK's
// libraries, because they are precompiled. None of our functions is exempt.
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif

#ifdef ADDRESS_SANITIZER
// The runtime finds both by name.
const char *__asan_default_options(void);
__attribute__((visibility("default"), used)) const char *__asan_default_options(void) {
    return "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0:"
           "detect_stack_use_after_return=0:use_sigaltstack=0:allocator_may_return_null=1";
}

const char *__ubsan_default_options(void);
__attribute__((visibility("default"), used)) const char *__ubsan_default_options(void) { return "print_stacktrace=1"; }
#else
typedef int sanitize_off;  // an empty translation unit is not allowed
#endif
