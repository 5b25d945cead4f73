// Bringing the VM up and taking it down (facts: JDK 17's initPhase1..3 order).
#ifndef CABERNET_VM_BOOT_H
#define CABERNET_VM_BOOT_H

#include <stdbool.h>

#include "vm/jni/jni.h"
#include "vm/model/object.h"

// The body of JNI_CreateJavaVM: parses the options, makes the heap, the calling thread the main
// thread, and runs the library's three phases. JNI_OK, or a JNI error with a message on stderr.
jint vm_boot(JavaVMInitArgs *args);

// Chooses the backend of threads as -Xthreads:TEXT says (NULL: native); once, before thread_system_init. False: *error
// is static text.
bool boot_choose_threads(const char *text, char *error, size_t error_size);

// The body of DestroyJavaVM: waits until the caller is the last non-daemon thread, runs
// java.lang.Shutdown.shutdown(), ends profiling. The process may then exit.
void vm_destroy(Thread *self);

#endif
