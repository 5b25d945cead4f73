// The virtual machine: the only process-wide structure. JNI allows one VM per process and several exported entry points
// have no JNIEnv, so it is a global and not a parameter.
#ifndef CABERNET_VM_MODEL_VM_H
#define CABERNET_VM_MODEL_VM_H

#include "vm/base/options.h"
#include "vm/model/class.h"
#include "vm/model/wellknown.h"

#define VM_PRIMITIVES "ZBCSIJFDV"

typedef struct VM {
    Options options;  // vm/base/options.h, constant after start
    WellKnown wk;     // classes, field offsets and methods that the VM uses itself
    Loader *boot_loader;
    const char *java_home;
    uint64_t start_ns;                          // CLOCK_MONOTONIC of JNI_CreateJavaVM
    _Atomic int init_level;                     // as jdk.internal.misc.VM: 0, 1 (phase 1), 2 (modules), 4 (booted)
    _Atomic bool exiting;                       // set once, when exit or DestroyJavaVM has begun to halt
    bool mirrors_ready;                         // every new class gets its java.lang.Class object at once
    Object *spare_oom;                          // root: thrown when there is no memory for an OutOfMemoryError
    Class *prims[sizeof VM_PRIMITIVES];         // in the order of VM_PRIMITIVES
    const struct JNIInvokeInterface_ *java_vm;  // JavaVM * is &vm.java_vm
    _Atomic int create_state;                   // progress of JNI_CreateJavaVM and DestroyJavaVM (vm/boot/jni_invoke.c)
    bool collected;                             // since the last stop; not every stop of the heap is for a collection
} VM;
extern VM vm;

#define WK(name) (vm.wk.name)                      // Class *: WK(java_lang_String)
#define WK_OFF(cls, field) (vm.wk.cls##__##field)  // offset: WK_OFF(java_lang_String, value)
#define WK_M(name) (vm.wk.m_##name)                // Method *: WK_M(Thread_run)

#endif
