// Starting and stopping the VM (in the initPhase1..3 order of JDK 17).
#ifndef CABERNET_VM_BOOT_BOOT_H
#define CABERNET_VM_BOOT_BOOT_H

#include <stdbool.h>

#include "vm/jni/jni.h"
#include "vm/model/object.h"

// Implements JNI_CreateJavaVM: parses the options, creates the heap, makes the calling thread the main thread, and runs
// the library's three phases. JNI_OK, or a JNI error with a message on stderr.
jint vm_boot(JavaVMInitArgs *args);

// Chooses the thread backend according to -Xthreads:TEXT (NULL: native); once, before thread_system_init. False: *error
// is static text.
bool boot_choose_threads(const char *text, char *error, size_t error_size);

// Implements DestroyJavaVM: waits until the caller is the last non-daemon thread, runs java.lang.Shutdown.shutdown(),
// and ends profiling. The process may then exit.
void vm_destroy(Thread *self);

#endif
