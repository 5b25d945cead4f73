// Class initialisation: the procedure of JVMS 5.5, with its step numbers.
//
// One VM lock guards the states of all classes; it is never held while Java code runs. A waiting thread is at a
// safepoint.
#include "vm/linking/classinit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/runtime/exception.h"
#include "vm/runtime/invoke.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/linking/link_internal.h"
#include "vm/threads/lock.h"
#include "vm/linking/resolve.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"
#include "vm/threads/threadevents.h"
#include "vm/model/vm.h"

// Step 6: static fields with a ConstantValue.
static bool set_constant(Thread *self, Class *cls, Field *f) {
    int index = f->info->constant_value_index;
    char *at = field_static_addr(f);
    switch (f->type) {
        case 'Z':
        case 'B': *(int8_t *)at = (int8_t)cp_int(cls, index); break;
        case 'C':
        case 'S': *(int16_t *)at = (int16_t)cp_int(cls, index); break;
        case 'I': *(int32_t *)at = cp_int(cls, index); break;
        case 'F': *(float *)at = cp_float(cls, index); break;
        case 'J': *(int64_t *)at = cp_long(cls, index); break;
        case 'D': *(double *)at = cp_double(cls, index); break;
        default: {
            Object **slot = resolve_ref_slot(self, cls, index);
            if (!slot) return false;
            *(Object **)at = *slot;
            barrier_stored(BARRIER_static_constant, at);
        }
    }
    return true;
}

// Step 7, superinterfaces that declare default methods, in the order of JVMS 5.5.
static bool initialize_interfaces(Thread *self, Class *cls) {
    for (uint32_t i = 0; i < cls->interface_count; i++) {
        Class *iface = cls->interfaces[i];
        if (!initialize_interfaces(self, iface)) return false;
        if ((iface->cflags & CF_HAS_DEFAULTS) && !class_initialize(self, iface)) return false;
    }
    return true;
}

static void set_state(Thread *self, Class *cls, int state) {
    lock_enter(self, &linking.initialization);
    ASSERT(cls->init_thread == self && cls->state == CLASS_INITIALIZING, "class %s in state %d is done",
           cls->name->text, (int)cls->state);
    ASSERT(state == CLASS_INITIALIZED || state == CLASS_ERROR, "class %s goes to state %d", cls->name->text, state);
    THREAD_REPORT(sync_release, self, NULL, cls);
    THREAD_REPORT(class_init, self, cls, 1);
    cls->init_thread = NULL;
    atomic_store_explicit(&cls->state, state, memory_order_release);
    lock_notify(self, &linking.initialization, true);
    lock_exit(self, &linking.initialization);
}

// The cause for later attempts: a record of the exception with the same trace, not the exception itself, which may keep
// much memory alive and whose class they may not see. NULL on failure.
static Object *record_error(Thread *self, Object *thrown) {
    static const char get[] = "getStackTrace", desc[] = "()[Ljava/lang/StackTraceElement;";
    Method *m = class_find_method(WK(java_lang_Throwable), symbol_of(get), symbol_of(desc));
    Symbol *name_of_record = symbol_of("java/lang/ExceptionInInitializerError");
    Class *cls = loader_load(self, vm.boot_loader, name_of_record);
    if (!m || !cls) return NULL;
    Object *name_object = self->java_thread ? get_ref(self->java_thread, WK_OFF(java_lang_Thread, name)) : NULL;
    char *text = exception_message(thrown), *name = string_to_utf8(name_object);
    Object *record = exception_new(self, cls, NULL, "Exception %s%s%s [in thread \"%s\"]",
                                   class_external_name(object_class(thrown)), text ? ": " : "", text ? text : "",
                                   name ? name : "main");
    free(text);
    free(name);
    if (!record) return NULL;
    Slot args[1] = {{.o = thrown}}, trace = {.o = NULL};
    if (!invoke_virtual(self, m, args, &trace, ENTRY_VM)) return NULL;
    set_ref(record, WK_OFF(java_lang_Throwable, stackTrace), trace.o);
    set_ref(record, WK_OFF(java_lang_Throwable, backtrace), NULL);
    return record;
}

// Steps 10 and 11. The state is set last, so that other threads find the error that they report.
static bool fail(Thread *self, Class *cls) {
    Object *thrown = exception_take(self);
    ASSERT(thrown, "the initialisation of %s failed without an exception", cls->name->text);
    Object *record = record_error(self, thrown);
    exception_clear(self);
    set_ref(cls->mirror, WK_OFF(java_lang_Class, initError), record);
    set_state(self, cls, CLASS_ERROR);
    if (class_is_subtype(object_class(thrown), WK(java_lang_Error))) throw_object(self, thrown);
    else throw_wk_cause(self, "java/lang/ExceptionInInitializerError", thrown, NULL);
    return false;
}

typedef enum Claim { CLAIM_RUN, CLAIM_DONE, CLAIM_FAILED } Claim;

// Steps 1 to 6.
static Claim claim(Thread *self, Class *cls) {
    Claim result = CLAIM_DONE;
    lock_enter(self, &linking.initialization);
    while (atomic_load(&cls->state) == CLASS_INITIALIZING && cls->init_thread != self)
        lock_wait(self, &linking.initialization, THREAD_FOREVER, false);
    int state = atomic_load(&cls->state);
    ASSERT(state >= CLASS_LINKED, "class %s in state %d is initialised", cls->name->text, state);
    if (state == CLASS_ERROR) {
        result = CLAIM_FAILED;
    } else if (state == CLASS_LINKED) {
        result = CLAIM_RUN;
        cls->init_thread = self;
        atomic_store_explicit(&cls->state, CLASS_INITIALIZING, memory_order_release);
    }
    lock_exit(self, &linking.initialization);
    if (result == CLAIM_RUN) THREAD_REPORT(class_init, self, cls, 0);
    else THREAD_REPORT(sync_acquire, self, NULL, cls);
    return result;
}

bool class_initialize(Thread *self, Class *cls) {
    if (class_is_initialized(cls)) return true;
    if (!class_link(self, cls)) return false;
    switch (claim(self, cls)) {
        case CLAIM_DONE: return true;
        case CLAIM_FAILED: {
            Object *cause = get_ref(cls->mirror, WK_OFF(java_lang_Class, initError));
            throw_new_cause(self, WK(java_lang_NoClassDefFoundError), cause, "Could not initialize class %s",
                            class_external_name(cls));
            return false;
        }
        case CLAIM_RUN: break;
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < cls->field_count; i++) {
        Field *f = &cls->fields[i];
        bool constant = f->info && f->info->constant_value_index && (f->flags & ACC_STATIC);
        ok = !constant || set_constant(self, cls, f);
    }
    if (!class_is_interface(cls))
        ok = ok && (!cls->super || class_ensure_initialized(self, cls->super)) && initialize_interfaces(self, cls);
    if (cls->clinit) ok = ok && invoke_method(self, cls->clinit, NULL, NULL, ENTRY_CLINIT);
    if (!ok) return fail(self, cls);
    ASSERT(!self->exception, "%s was initialised with an exception pending", cls->name->text);
    set_state(self, cls, CLASS_INITIALIZED);
    return true;
}

// ---- fork (vm/boot/subsystems.def) --------------------------------------------------

void classinit_after_fork_child(void) {
    if (!threads.shadow) linking.initialization = (Lock){0};
}
