// The table of subsystems (vm/boot/subsystems.def) and the functions that walk it. There is one order: a row may use
// the rows above it. The start goes down the table, the stop up. The locks for a fork are acquired upwards and released
// downwards.
#ifndef CABERNET_VM_BOOT_SUBSYSTEMS_H
#define CABERNET_VM_BOOT_SUBSYSTEMS_H

#include <stddef.h>

#include "vm/jni/jni.h"
#include "vm/model/object.h"

// State passed between start steps.
typedef struct Start {
    JavaVMInitArgs *args;
    Thread *self;  // the main thread, valid from the row that attaches it
} Start;

// A row. NULL: nothing to do.
typedef struct Subsystem {
    const char *name;
    jint (*start)(Start *s);  // JNI_OK, or a JNI error with a message on stderr
    void (*stop)(void);       // before the process ends; the thread may not be attached
    // Around a fork, by the running thread that has stopped the world. before_fork acquires the locks of pthreads that
    // do not stop: compile threads, the collector, the green scheduler and its helpers.
    void (*before_fork)(void);
    void (*after_fork_parent)(void);
    void (*after_fork_child)(void);
} Subsystem;

extern const Subsystem subsystems[];  // vm/boot/boot.c
extern const size_t subsystem_count;

// A fork by a pthread that is not a VM thread and has stopped the world: for shadows (vm/shadow/hooks.h).
int process_fork_shadow(void (*begin)(void));

// Starts all subsystems, until one fails.
jint subsystems_start(Start *s);
// Stops all subsystems, last first. The caller ensures that it is called once.
void subsystems_stop(void);

#endif
