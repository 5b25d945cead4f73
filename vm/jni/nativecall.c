// Native calls (vm/jni/nativecall.h).
//
// The frame lies right above the arguments, so that walkers see it and upcalls from the native code
// push theirs above it. Argument references need no handles of their own: their slots on the
// Java stack are the handles. While the native code runs, the thread is at a safepoint: what callers
// hold in registers is in the frame of thread_run_native.
#include "vm/jni/nativecall.h"

#include <ffi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "arch_mark.h"
#include "bytecode/classfile/descriptor.h"
#include "vm/runtime/exception.h"
#include "vm/jni/greennatives.h"
#include "vm/jni/handles.h"
#include "vm/threads/monitor.h"
#include "vm/jni/nativelib.h"
#include "vm/shadow/shadow.h"
#include "vm/threads/thread.h"

enum { HIDDEN_ARGS = 2 /* environment, and receiver or class */, MAX_ARGS = 257 };

// Shape "ILJD" + return; types[] and the interface go with it.
struct NativeCall {
    NativeCall *next;
    ffi_cif cif;
    uint32_t params;  // without the hidden ones
    char *shape;      // params characters, then the return type
    ffi_type *types[];
};

static struct NativeCalls {
    // All prepared interfaces; a few dozen. Pushed under the lock, read without.
    _Atomic(NativeCall *) prepared;
    pthread_mutex_t lock;
} native_calls = {.lock = PTHREAD_MUTEX_INITIALIZER};

static ffi_type *ffi_type_of(char kind) {
    switch (kind) {
        case 'Z': return &ffi_type_uint8;
        case 'B': return &ffi_type_sint8;
        case 'C': return &ffi_type_uint16;
        case 'S': return &ffi_type_sint16;
        case 'I': return &ffi_type_sint32;
        case 'J': return &ffi_type_sint64;
        case 'F': return &ffi_type_float;
        case 'D': return &ffi_type_double;
        case 'V': return &ffi_type_void;
        default: return &ffi_type_pointer;
    }
}

static NativeCall *find_shape(const char *shape) {
    NativeCall *c = atomic_load_explicit(&native_calls.prepared, memory_order_acquire);
    while (c && strcmp(c->shape, shape) != 0) c = c->next;
    return c;
}

// `length` is parameters + 1.
static NativeCall *new_shape(const char *shape, size_t length) {
    size_t types = length - 1 + HIDDEN_ARGS;
    NativeCall *c = malloc(sizeof *c + types * sizeof c->types[0]);
    char *text = strdup(shape);
    if (!c || !text) goto fail;
    ASSERT(length >= 1 && length <= MAX_ARGS, "a shape of %zu", length);
    c->shape = text;
    c->params = (uint32_t)(length - 1);
    c->types[0] = c->types[1] = &ffi_type_pointer;
    for (size_t i = 0; i + 1 < length; i++) c->types[HIDDEN_ARGS + i] = ffi_type_of(shape[i]);
    if (ffi_prep_cif(&c->cif, FFI_DEFAULT_ABI, (unsigned)types, ffi_type_of(shape[length - 1]),
                     c->types) != FFI_OK)
        goto fail;
    c->next = atomic_load_explicit(&native_calls.prepared, memory_order_relaxed);
    atomic_store_explicit(&native_calls.prepared, c, memory_order_release);
    return c;
fail:
    free(c);
    free(text);
    return NULL;
}

const NativeCall *native_prepare(Thread *self, Method *m) {
    char shape[MAX_ARGS + 1];
    size_t length =
        descriptor_shape((const uint8_t *)m->desc->text, m->desc->length, shape, sizeof shape);
    NativeCall *c = find_shape(shape);
    if (!c) {
        pthread_mutex_lock(&native_calls.lock);
        c = find_shape(shape);
        if (!c) c = new_shape(shape, length);
        pthread_mutex_unlock(&native_calls.lock);
    }
    if (!c) {
        throw_oom(self, "native call interface");
        return NULL;
    }
    __atomic_store_n(&m->native_call, c, __ATOMIC_RELEASE);
    return c;
}

// A reference argument is passed as the address of its slot, NULL as NULL.
static void *slot_handle(Slot *s) { return s->o ? (void *)s : NULL; }

// Fills the argument pointers; `refs` holds the values of the references.
static void gather(const NativeCall *c, const Method *m, Slot *args, void **values, void **refs) {
    size_t slot = 0;
    if (method_is_static(m)) {
        refs[1] = &m->cls->mirror;
    } else {
        refs[1] = slot_handle(&args[slot++]);
    }
    for (uint32_t i = 0; i < c->params; i++) {
        char kind = c->shape[i];
        if (kind == 'L') {
            refs[HIDDEN_ARGS + i] = slot_handle(&args[slot]);
            values[HIDDEN_ARGS + i] = &refs[HIDDEN_ARGS + i];
        } else {
            values[HIDDEN_ARGS + i] = &args[slot];  // little-endian: also right for sub-ints
        }
        slot += descriptor_slots(kind);
    }
}

typedef union NativeResult {
    ffi_arg word;
    int64_t j;
    float f;
    double d;
    void *handle;
} NativeResult;

// Whether the function is part of this library (a JVM_ function that the class library has bound
// directly). Other code may keep thread-local state while it is active: a green thread then stays
// on its pthread.
static bool is_own(const void *fn) {
    extern const char __ehdr_start[] __attribute__((visibility("hidden")));
    extern const char etext[] __attribute__((visibility("hidden")));
    return (const char *)fn >= __ehdr_start && (const char *)fn < etext;
}

typedef struct ForeignCall {
    Thread *self;
    ffi_cif *cif;
    void (*fn)(void);
    NativeResult *result;
    void **values;
    uint32_t foreign;
} ForeignCall;

static void call_foreign(void *call) {
    const ForeignCall *c = call;
    ffi_call(c->cif, c->fn, c->result, c->values);
    c->self->native_depth -= c->foreign;  // before a green thread comes back to running
}

static void run_foreign(Thread *self, ForeignCall *call) { thread_run_native(self, call_foreign, call); }

// waits: the call may last for long.
static void call_native(Thread *self, const NativeCall *c, const Method *m, void *fn, Slot *args,
                        bool waits, NativeResult *result) {
    void *values[c->params + HIDDEN_ARGS], *refs[c->params + HIDDEN_ARGS];
    gather(c, m, args, values, refs);
    refs[0] = (void *)&self->jni;
    values[0] = &refs[0];
    values[1] = &refs[1];
    ASSERT(fn && thread_is_running(self), "%s.%s is called in state %u", m->cls->name->text, m->name->text,
           atomic_load(&self->state));
    uint32_t foreign = !is_own(fn);
    self->native_depth += foreign;
    if (__builtin_expect(waits, 0)) thread_set_long(self, true);
    // All references are in handles from here on: a collection need not look at the frames of these functions.
    ForeignCall call = {self, (ffi_cif *)&c->cif, FFI_FN(fn), result, values, foreign};
    arch_call_leaving(&self->c_marks, (ArchMarkedFn *)run_foreign, self, &call, NULL, NULL);
    if (__builtin_expect(waits, 0)) thread_set_long(self, false);
}

// The result as a slot, with what native code may leave in the upper bits cleaned up.
static Slot result_slot(char kind, const NativeResult *r) {
    Slot s = {.l = 0};
    switch (kind) {
        case 'V': break;
        case 'Z': s.i = (uint8_t)r->word != 0; break;
        case 'B': s.i = (int8_t)r->word; break;
        case 'C': s.i = (uint16_t)r->word; break;
        case 'S': s.i = (int16_t)r->word; break;
        case 'I': s.i = (int32_t)r->word; break;
        case 'J': s.l = r->j; break;
        case 'F': s.f = r->f; break;
        case 'D': s.d = r->d; break;
        default: s.o = handle_get((jobject)r->handle); break;
    }
    return s;
}

static Frame *push_frame(Thread *self, Method *m, Slot *args) {
    Frame *f = (Frame *)(args + m->nargs);
    if ((void *)(f + 1) > (void *)self->stack_limit) {
        throw_stack_overflow(self);
        return NULL;
    }
    *f = (Frame){
        .prev = self->frame,
        .method = m,
        .pc = m->code,
        .sp = frame_stack(f),
        .locals = args,
        .kind = FRAME_NATIVE,
    };
    self->frame = f;
    return f;
}

static bool lock_method(Thread *self, Method *m, Frame *f) {
    Object *target = method_is_static(m) ? m->cls->mirror : f->locals[0].o;
    if (!monitor_enter(self, target)) return false;
    f->monitor = target;
    return true;
}

// Unlocks what the native left locked of its own; an exception of the native's goes before one of this.
static void unlock_method(Thread *self, Frame *f) {
    Object *pending = self->exception;
    self->exception = NULL;
    monitor_exit(self, f->monitor);
    f->monitor = NULL;
    if (pending) self->exception = pending;
}

static bool call_in_frame(Thread *self, Method *m, Frame *f, Slot *result) {
    const NativeCall *c = __atomic_load_n(&m->native_call, __ATOMIC_ACQUIRE);
    if (!c && !(c = native_prepare(self, m))) return false;
    void *fn = __atomic_load_n(&m->native_fn, __ATOMIC_ACQUIRE);
    if (!fn && !(fn = native_lookup(self, m))) return false;
    if ((m->flags & ACC_SYNCHRONIZED) && !lock_method(self, m, f)) return false;
    if (__builtin_expect(shadow_is_here(), 0)) shadow_check_native(m, fn);
    bool waits = (m->mflags & MF_LONG) && !greennatives_await(self, m, f->locals);
    HandleMark mark;
    NativeResult native = {.j = 0};
    handles_push(self, &mark);
    f->native = &mark;
    call_native(self, c, m, fn, f->locals, waits, &native);
    if (!self->exception) *result = result_slot(m->ret, &native);
    handles_pop(self, &mark);
    if (f->monitor) unlock_method(self, f);
    return !self->exception;
}

bool native_call(Thread *self, Method *m, Slot *args) {
    Slot result = {.l = 0};
    Frame *f = push_frame(self, m, args);
    if (!f) return false;
    bool ok = call_in_frame(self, m, f, &result);
    self->frame = f->prev;
    if (ok && m->ret != 'V') args[0] = result;
    return ok;
}
