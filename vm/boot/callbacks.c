#include "vm/boot/callbacks.h"

#include "vm/adaptive/tiering.h"
#include "vm/code/code.h"
#include "vm/code/codecounters.h"
#include "vm/code/hooks.h"
#include "vm/instrument/profile.h"
#include "vm/interp/flowcounts.h"
#include "vm/interp/interp.h"
#include "vm/jni/handles.h"
#include "vm/loading/loader.h"
#include "vm/model/vm.h"
#include "vm/natives/intrinsics.h"
#include "vm/runtime/invoke.h"
#include "vm/template/template.h"

void callback_thread_started(Thread *self) {
    tiering_thread_start(self);
    profile_thread_start(self);
}

void callback_thread_ending(Thread *self) {
    handles_leave_monitors(self);
    profile_thread_end(self);
    handles_free(self);
}

void callback_polled(Thread *self) {
    const CodeStress *stress = code_stress();
    if (stress) stress->polled(self);
}

void callback_read_counters(Thread *t, CountersState state, CountedFn *fn, void *arg) {
    counters_read(t, state, fn, arg);
    flow_read(t, state, fn, arg);
}

void callback_hand_in_counters(Thread *self) {
    counters_hand_in(self);
    flow_hand_in(self);
}

static bool forget_flow(Thread *t, void *arg) {
    (void)arg;
    flow_forget(t);
    return true;
}

void callback_forget_counters(void) {
    counters_forget();
    thread_each(thread_current(), forget_flow, NULL);
}

void callback_leave_all_code(Thread *self) {
    code_invalidate_all_stopped(self);
    template_leave_all_stopped(self);
}

bool callback_register_finalizer(Thread *self, Object *o) {
    Slot args[1] = {{.o = o}}, result;
    return invoke_method(self, WK_M(Finalizer_register), args, &result, ENTRY_FINALIZER);
}

Class *callback_boot_class(Thread *self, Symbol *name) { return loader_load(self, vm.boot_loader, name); }

// code_find takes a return address, which follows its call; pc is the address of the instruction itself.
bool callback_may_fault(uintptr_t pc) { return unsafe_is_access(pc) || code_find((const char *)pc + 1); }
