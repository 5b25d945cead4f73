// Start, stop and fork by the table of subsystems (vm/boot/subsystems.h).
//
// Of the threads of a process, a fork's child has only the caller. The world is therefore stopped around a fork: then
// no running thread is in the middle of an operation, and locks that only such threads take are free (the rule of
// vm/threads/lock.h). Threads that a stop does not reach remain; the rows take their locks.
#include "vm/boot/subsystems.h"

#include <errno.h>
#include <unistd.h>

#include "vm/api/process.h"
#include "vm/threads/thread.h"

jint subsystems_start(Start *s) {
    for (size_t i = 0; i < subsystem_count; i++) {
        jint result = subsystems[i].start ? subsystems[i].start(s) : JNI_OK;
        if (result != JNI_OK) return result;
    }
    return JNI_OK;
}

void subsystems_stop(void) {
    for (size_t i = subsystem_count; i-- > 0;)
        if (subsystems[i].stop) subsystems[i].stop();
}

// ---- fork ---------------------------------------------------------------------------------------

static void before_fork(void) {
    for (size_t i = subsystem_count; i-- > 0;)
        if (subsystems[i].before_fork) subsystems[i].before_fork();
}

static void after_fork(bool child) {
    for (size_t i = 0; i < subsystem_count; i++) {
        void (*after)(void) = child ? subsystems[i].after_fork_child : subsystems[i].after_fork_parent;
        if (after) after();
    }
}

int process_fork_shadow(void (*begin)(void)) {
    before_fork();
    int pid = fork(), saved = errno;
    if (pid == 0) {
        threads.shadow = true;
        begin();
    }
    after_fork(pid == 0);
    errno = saved;
    return pid;
}

int process_fork(void) {
    Thread *self = thread_current();
    bool native = !thread_is_running(self);
    if (native) thread_native_to_vm(self);
    safepoint_stop(self, "fork");
    before_fork();
    int pid = fork();
    after_fork(pid == 0);
    safepoint_resume(self);
    if (native) thread_vm_to_native(self);
    return pid;
}
