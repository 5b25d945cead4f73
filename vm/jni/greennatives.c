// Natives of the class library with green threads: natives that wait (longnatives.def), and sun.nio.ch.NativeThread.
// libnio identifies a thread by its pthread: NativeThread.current returns pthread_self(), and closing a channel signals
// that pthread to interrupt a blocking call. Green threads move between pthreads, so here they are identified by
// Thread.serial, and the signal goes to the pthread on which the thread is inside a native call. A thread that is not
// in a native call is not signalled: its next call finds the descriptor closed.
#include "vm/jni/greennatives.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "vm/loading/loader.h"
#include "vm/jni/jni_impl.h"
#include "vm/threads/green/greenpoll.h"
#include "vm/model/vm.h"

static jlong current(JNIEnv *env, jclass cls) {
    (void)cls;
    return (jlong)thread_serial(thread_from_env(env));
}

static void signal_thread(JNIEnv *env, jclass cls, jlong serial) {
    (void)cls;
    VM_ENTER(env);
    thread_signal_native(self, (uint64_t)serial, SIGRTMAX - 2);  // the signal that libnio uses
    VM_LEAVE();
}

void *greennatives_replacement(const Method *m) {
    static const char cls[] = "sun/nio/ch/NativeThread";
    if (m->cls->loader->java_loader || strcmp(m->cls->name->text, cls) != 0) return NULL;
    if (strcmp(m->name->text, "current") == 0) return (void *)(uintptr_t)current;
    if (strcmp(m->name->text, "signal") == 0) return (void *)(uintptr_t)signal_thread;
    return NULL;
}

typedef enum Wait { ANY, READ, POLL, CONNECT, SELECT } Wait;

typedef struct LongNative {
    const char *cls, *name;
    Wait wait;
} LongNative;

static const LongNative long_natives[] = {
#define LONG(cls, name, wait) {cls, name, wait},
#include "vm/jni/longnatives.def"
};

uint32_t greennatives_flags(const Method *m) {
    if (m->cls->loader->java_loader) return 0;
    for (size_t i = 0; i < sizeof long_natives / sizeof *long_natives; i++)
        if (strcmp(m->cls->name->text, long_natives[i].cls) == 0 && strcmp(m->name->text, long_natives[i].name) == 0)
            return MF_LONG | (uint32_t)long_natives[i].wait << MF_WAIT_SHIFT;
    return 0;
}

// ---- waiting before the call -------------------------------------------------------------------

static int descriptor_of(const Object *o) { return o ? get_int(o, WK_OFF(java_io_FileDescriptor, fd)) : -1; }

static bool is_ready(int fd, uint32_t events) {
    struct pollfd p = {.fd = fd, .events = (short)events};
    return poll(&p, 1, 0) != 0;  // the call handles errors
}

// Waits for events, at most `timeout` milliseconds (negative: no limit). False: the call must wait itself.
static bool await_events(Thread *self, int fd, uint32_t events, int64_t timeout) {
    if (fd < 0 || timeout == 0 || is_ready(fd, events)) return true;
    int64_t deadline = timeout < 0 || timeout > INT64_MAX / 1000000 ? THREAD_FOREVER
                                                                    : thread_deadline(timeout * 1000000);
    return greenpoll_wait(self, fd, events, deadline) != GREENPOLL_CANNOT;
}

bool greennatives_await(Thread *self, const Method *m, Slot *args) {
    bool done = false;
    switch ((Wait)(m->mflags >> MF_WAIT_SHIFT)) {
        case ANY: break;
        case READ: {
            int fd = descriptor_of(args[0].o);
            done = fd < 0 || is_ready(fd, POLLIN);
            if (done) break;
            int flags = fcntl(fd, F_GETFL);
            bool blocks = flags >= 0 && !(flags & O_NONBLOCK);
            done = !blocks || greenpoll_wait(self, fd, POLLIN, THREAD_FOREVER) != GREENPOLL_CANNOT;
            break;
        }
        case POLL:
            done = await_events(self, descriptor_of(args[0].o), (uint32_t)args[1].i, args[2].l);
            if (done) args[2].l = 0;
            break;
        case CONNECT:
            done = await_events(self, descriptor_of(args[0].o), POLLOUT, args[1].l);
            if (done) args[1].l = 0;
            break;
        case SELECT:
            done = await_events(self, args[0].i, POLLIN, args[4].i);
            if (done) args[4].i = 0;
            break;
    }
    return done;
}
