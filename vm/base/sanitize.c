// The sanitizers' defaults in builds made with SANITIZE=1, and all that is kept from them, with the
// reason. Linked into the library's tests and the launcher; empty in other builds.
//
// Options (AddressSanitizer reads them before main; ASAN_OPTIONS overrides each of them):
//   detect_leaks=0      Classes, decoded code and symbols live as long as the process and are not torn
//                       down at exit; Java objects are the collector's business.
//   handle_segv=0 ...   The VM's own handlers (base/signals.def) turn faults into a crash report, and
//                       a fault at a guard page into what the program should see.
//   detect_stack_use_after_return=0
//                       Stacks are scanned conservatively. With this check on, locals lie in heap
//                       blocks that the collector does not scan, and references in them get lost.
//   use_sigaltstack=0   Threads get an alternate signal stack of the VM's.
//   allocator_may_return_null=1
//                       malloc fails as it does without sanitizers; the VM's error paths are under
//                       test as well.
//
// Not instrumented: the collector library (libgc, which reads stacks and registers of others) and the JDK's libraries,
// because they come compiled. No function of ours is exempt.
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif

#ifdef ADDRESS_SANITIZER
// The runtime looks both up by name.
const char *__asan_default_options(void);
__attribute__((visibility("default"), used)) const char *__asan_default_options(void) {
    return "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0:"
           "detect_stack_use_after_return=0:use_sigaltstack=0:allocator_may_return_null=1";
}

const char *__ubsan_default_options(void);
__attribute__((visibility("default"), used)) const char *__ubsan_default_options(void) {
    return "print_stacktrace=1";
}
#else
typedef int sanitize_off;  // a translation unit may not be empty
#endif
