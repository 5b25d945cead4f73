// Bodies of natives of java.lang and related packages that the VM binds directly (intrinsics.def): natives that no
// library exports, and natives whose JNI call would cost more than their work.
//
// The convention for arguments, frames and exceptions is in intrinsics.h. LEAF rows push a frame before they throw, so
// that traces show the native method.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "arch_pause.h"
#include "base/clock.h"
#include "vm/api/stackwalk.h"
#include "vm/linking/classinit.h"
#include "vm/natives/hooks.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/backtrace.h"
#include "vm/runtime/exception.h"
#include "vm/model/frame.h"
#include "vm/natives/intrinsics.h"
#include "vm/natives/intrinsics_impl.h"
#include "vm/runtime/invoke.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/threads/monitor.h"
#include "vm/natives/reflect.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"

// ---- java.lang.Object ----------------------------------------------------------------------------

OPERATION(object_hashCode, args[0].i = (int32_t)monitor_hash(self, args[0].o))
OPERATION(object_getClass, args[0].o = object_class(args[0].o)->mirror)

void object_clone_native(Thread *self, Slot *args) {
    Object *o = args[0].o;
    Class *cls = object_class(o);
    if (!class_is_array(cls) && !(cls->cflags & CF_CLONEABLE)) {
        throw_wk(self, "java/lang/CloneNotSupportedException", "%s", class_external_name(cls));
        return;
    }
    args[0].o = object_clone(self, o);
}

OPERATION(object_wait, monitor_wait(self, args[0].o, args[1].l, 0))
OPERATION(object_notify, monitor_notify(self, args[0].o, false))
OPERATION(object_notifyAll, monitor_notify(self, args[0].o, true))

// ---- java.lang.Class -----------------------------------------------------------------------------

bool class_cast(Thread *self, Slot *args) {
    (void)self;
    if (args[1].o && !object_is_instance(args[1].o, class_from_mirror(args[0].o))) return false;
    args[0].o = args[1].o;
    return true;
}

OPERATION(class_isInstance, args[0].i = args[1].o && object_is_instance(args[1].o, class_from_mirror(args[0].o)))

void class_isAssignableFrom(Thread *self, Slot *args) {
    if (!args[1].o) {
        Method *m = class_find_declared_method(WK(java_lang_Class), symbol_of("isAssignableFrom"),
                                               symbol_of("(Ljava/lang/Class;)Z"));
        Frame *saved = intrinsic_push_frame(self, m, args);
        throw_npe(self);
        self->frame = saved;
        return;
    }
    Class *super = class_from_mirror(args[0].o), *sub = class_from_mirror(args[1].o);
    bool primitive = class_is_primitive(super) || class_is_primitive(sub);
    args[0].i = primitive ? super == sub : class_is_subtype(sub, super);
}

#define CLASS_QUERY(name, value)                         \
    void name(Thread *self, Slot *args) {                \
        (void)self;                                      \
        const Class *cls = class_from_mirror(args[0].o); \
        args[0].i = (value);                             \
    }
CLASS_QUERY(class_isInterface, class_is_interface(cls))
CLASS_QUERY(class_isArray, class_is_array(cls))
CLASS_QUERY(class_isPrimitive, class_is_primitive(cls))
CLASS_QUERY(class_isHidden, (cls->cflags & CF_HIDDEN) != 0)
CLASS_QUERY(class_getModifiers, reflect_class_modifiers(cls))
CLASS_QUERY(reflect_getClassAccessFlags, reflect_access_flags(cls))

void class_getSuperclass(Thread *self, Slot *args) {
    (void)self;
    Class *cls = class_from_mirror(args[0].o);
    Class *super = class_is_interface(cls) || class_is_primitive(cls) ? NULL : cls->super;
    args[0].o = !super ? NULL : super->mirror;
}

// ---- java.lang.System, Thread --------------------------------------------------------------------

enum { SHORT_COPY = 1 << 18 };  // bytes copied without polling

// Copies that only need range checks: equal types, or references into an array of a supertype.
static bool copy_fast(Object *src, int32_t sp, Object *dst, int32_t dp, int32_t n) {
    const Class *s = object_class(src), *d = object_class(dst);
    if (!class_is_array(s)) return false;
    if (s != d &&
        (class_is_primitive(s->component) || !class_is_array(d) || class_is_primitive(d->component) ||
         !class_is_subtype(s->component, d->component)))
        return false;
    if ((sp | dp | n) < 0 || (uint32_t)sp + (uint32_t)n > (uint32_t)src->length ||
        (uint32_t)dp + (uint32_t)n > (uint32_t)dst->length)
        return false;
    unsigned shift = s->elem_shift;
    size_t bytes = (size_t)n << shift;
    if (bytes > SHORT_COPY) return false;
    char *to = ARRAY_DATA(dst, char) + ((size_t)dp << shift);
    memmove(to, ARRAY_DATA(src, char) + ((size_t)sp << shift), bytes);
    if (!class_is_primitive(d->component)) barrier_stored_range(BARRIER_arraycopy_short, to, bytes);
    return true;
}

void system_arraycopy(Thread *self, Slot *args) {
    Object *src = args[0].o, *dst = args[2].o;
    if (src && dst && copy_fast(src, args[1].i, dst, args[3].i, args[4].i)) return;
    static const char desc[] = "(Ljava/lang/Object;ILjava/lang/Object;II)V";
    Method *m = class_find_declared_method(WK(java_lang_System), symbol_of("arraycopy"), symbol_of(desc));
    Frame *saved = intrinsic_push_frame(self, m, args);
    object_arraycopy(self, src, args[1].i, dst, args[3].i, args[4].i);
    self->frame = saved;
}

OPERATION(system_identityHashCode, args[0].i = !args[0].o ? 0 : (int32_t)monitor_hash(self, args[0].o))
OPERATION(system_nanoTime, args[0].l = clock_monotonic_ns())
OPERATION(system_currentTimeMillis, args[0].l = clock_wall_ms())
OPERATION(thread_currentThread, args[0].o = self->java_thread)

void thread_onSpinWait(Thread *self, Slot *args) {
    (void)args;
    THREAD_REPORT(gave_way, self, 1);
    arch_pause();
}

// ---- java.lang.ref, java.lang.Throwable ----------------------------------------------------------

#define REFERENT ((size_t)WK_OFF(java_lang_ref_Reference, referent))

OPERATION(reference_get, args[0].o = get_ref(args[0].o, REFERENT))
OPERATION(reference_refersTo0, args[0].i = get_ref(args[0].o, REFERENT) == args[1].o)
OPERATION(reference_clear0, set_ref(args[0].o, REFERENT, NULL))

// Like the Java method, which uses a JNI call, except when stack traces are disabled for the object (both fields null):
// then it does nothing. Allocates.
bool throwable_fillInStackTrace(Thread *self, Slot *args) {
    Object *t = args[0].o;
    if (get_ref(t, (size_t)WK_OFF(java_lang_Throwable, stackTrace)) ||
        get_ref(t, (size_t)WK_OFF(java_lang_Throwable, backtrace)))
        backtrace_fill(self, t);
    args[0].o = t;
    return true;
}

// ---- java.lang.reflect.Array, java.lang.String ---------------------------------------------------

void array_newArray(Thread *self, Slot *args) {
    if (!args[0].o) {
        throw_npe(self);
        return;
    }
    args[0].o = reflect_new_array(self, class_from_mirror(args[0].o), args[1].i);
}

void array_getLength(Thread *self, Slot *args) {
    if (!args[0].o) throw_npe(self);
    else if (!class_is_array(object_class(args[0].o)))
        throw_wk(self, "java/lang/IllegalArgumentException", "Argument is not an array");
    else args[0].i = args[0].o->length;
}

OPERATION(string_internNative, args[0].o = string_intern(self, args[0].o))

// ---- jdk.internal.reflect ------------------------------------------------------------------------

void reflect_getCallerClass(Thread *self, Slot *args) {
    Class *cls = reflect_caller_class(self);
    args[0].o = !cls ? NULL : cls->mirror;
}

OPERATION(reflect_invoke0, args[0].o = reflect_invoke(self, args[0].o, args[1].o, args[2].o))
OPERATION(reflect_newInstance0, args[0].o = reflect_new_instance(self, args[0].o, args[1].o))

// ---- jdk.internal.perf.Perf: private counters, and the files of other VMs -------------------------

// A direct buffer over memory that is never freed: the class library creates only a few.
static Object *direct_buffer(Thread *self, void *memory, int32_t size) {
    Class *cls = loader_find_boot(self, symbol_of("java/nio/DirectByteBuffer"));
    if (!cls || !class_ensure_initialized(self, cls)) return NULL;
    Method *init = class_find_declared_method(cls, SYMS(object_initializer), symbol_of("(JI)V"));
    Object *buffer = object_new(self, cls);
    if (!init || !buffer) return NULL;
    Slot args[] = {{.o = buffer}, {.l = (int64_t)(uintptr_t)memory}, {.l = 0}, {.i = size}};
    return invoke_method(self, init, args, NULL, ENTRY_VM) ? buffer : NULL;
}

void perf_createLong(Thread *self, Slot *args) {
    int64_t *counter = malloc(sizeof *counter);
    if (!counter) {
        throw_oom(self, "Perf.createLong");
        return;
    }
    *counter = args[4].l;
    args[0].o = direct_buffer(self, counter, sizeof *counter);
}

void perf_createByteArray(Thread *self, Slot *args) {
    Object *value = args[4].o;
    int32_t size = args[5].i;
    if (!args[1].o || !value) {
        throw_npe(self);
        return;
    }
    if (size < value->length) size = value->length;
    char *memory = calloc(1, (size_t)size + 1);
    if (!memory) {
        throw_oom(self, "Perf.createByteArray");
        return;
    }
    memcpy(memory, ARRAY_DATA(value, char), (size_t)value->length);
    args[0].o = direct_buffer(self, memory, size);
}

// attach(user or null, pid, mode); the file is always mapped for reading, whatever the mode.
void perf_attach(Thread *self, Slot *args) {
    const char *error;
    size_t size = 0;
    char *user = string_to_utf8(args[1].o);
    void *memory = natives_hooks.map_perfdata(user, args[2].i, &size, &error);
    free(user);
    args[0].o = memory ? direct_buffer(self, memory, (int32_t)size) : NULL;
    if (!memory) throw_wk(self, "java/lang/IllegalArgumentException", "%s", error);
}

void perf_detach(Thread *self, Slot *args) {
    const Object *buffer = args[1].o;
    if (!buffer) {
        throw_npe(self);
        return;
    }
    void *memory = (void *)(uintptr_t)get_long(buffer, (size_t)WK_OFF(java_nio_Buffer, address));
    munmap(memory, (size_t)get_int(buffer, (size_t)WK_OFF(java_nio_Buffer, capacity)));
}

OPERATION(perf_highResCounter, args[0].l = clock_monotonic_ns() - (int64_t)vm.start_ns)
OPERATION(perf_highResFrequency, args[0].l = 1000000000)

// ---- incubating modules --------------------------------------------------------------------------

typedef struct ScopeSearch {
    const Object *scope;
    bool in_use;
} ScopeSearch;

// Searches a thread for a frame of a @Scoped method (an accessor of scoped memory) that has the scope in a local
// variable.
static bool search_thread(Thread *t, void *arg) {
    ScopeSearch *search = arg;
    StackWalk w;
    stackwalk_begin(&w, t);
    while (!search->in_use && stackwalk_next(&w)) {
        const Method *m = w.method;
        // Such methods are never compiled (compiler_bailout): without locals, it is none of them.
        if (!m->info || !(m->info->annotation_mask & CFA_SCOPED) || !w.locals) continue;
        for (int i = 0; i < m->max_locals; i++) search->in_use |= w.locals[i].o == search->scope;
    }
    return !search->in_use;
}

// A shared scope may be closed when no thread is inside an access to its memory, which is checked with all threads
// stopped. False otherwise; the caller then throws.
void scoped_closeScope0(Thread *self, Slot *args) {
    ScopeSearch search = {.scope = args[1].o};
    safepoint_stop(self, "close scope");
    thread_each(self, search_thread, &search);
    safepoint_resume(self);
    args[0].i = !search.in_use;
}

// No vector support: the class library then uses its scalar fallback.
OPERATION(vector_registerNatives, args[0].i = 0)
OPERATION(vector_getMaxLaneCount, args[0].i = -1)
OPERATION(foreign_refused,
          throw_wk(self, "java/lang/UnsupportedOperationException", "NativeEntryPoint.vmStorageToVMReg"))
