// Natives of the class library with green threads: which of them wait (longnatives.def), and
// sun.nio.ch.NativeThread. libnio takes a pthread for a thread: current answers
// pthread_self(), and closing a channel signals that pthread, to get it out of a blocking call.
// Green threads move between pthreads, so here they are known by Thread.serial, and the signal
// goes to the pthread that the thread is inside a native call on. One that is not is not disturbed: its
// next call finds the descriptor closed.
#include "vm/jvm/greennatives.h"

#include <signal.h>
#include <string.h>

#include "vm/classes/loader.h"
#include "vm/jni/jni_impl.h"

static jlong current(JNIEnv *env, jclass cls) {
    (void)cls;
    return (jlong)thread_serial(thread_from_env(env));
}

static void signal_thread(JNIEnv *env, jclass cls, jlong serial) {
    (void)cls;
    VM_ENTER(env);
    thread_signal_native(self, (uint64_t)serial, SIGRTMAX - 2);  // libnio's own number
    VM_LEAVE();
}

void *greennatives_replacement(const Method *m) {
    static const char cls[] = "sun/nio/ch/NativeThread";
    if (m->cls->loader->java_loader || strcmp(m->cls->name->text, cls) != 0) return NULL;
    if (strcmp(m->name->text, "current") == 0) return (void *)(uintptr_t)current;
    if (strcmp(m->name->text, "signal") == 0) return (void *)(uintptr_t)signal_thread;
    return NULL;
}

typedef struct LongNative {
    const char *cls, *name;
} LongNative;

static const LongNative long_natives[] = {
#define LONG(cls, name) {cls, name},
#include "vm/jvm/longnatives.def"
};

bool greennatives_is_long(const Method *m) {
    if (m->cls->loader->java_loader) return false;
    for (size_t i = 0; i < sizeof long_natives / sizeof *long_natives; i++)
        if (strcmp(m->cls->name->text, long_natives[i].cls) == 0
            && strcmp(m->name->text, long_natives[i].name) == 0)
            return true;
    return false;
}
