// Native calls (vm/jni/nativecall.h).
//
// The frame is directly above the arguments, so that stack walkers see it, and upcalls from native code push their
// frames above it. Argument references need no separate handles: their slots on the Java stack are the handles. While
// the native code runs, the thread is at a safepoint, and the frame of thread_run_safe holds the callers' registers.
#include "vm/jni/nativecall.h"

#include <ffi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "arch_call.h"
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

struct NativeCall {
    NativeCall *next;
    uint32_t params;  // without the hidden arguments
    ffi_cif *cif;     // for a shape whose arguments do not all fit into registers; else NULL
    char shape[];     // "ILJD": a type character for each parameter, then that of the result
};

static struct NativeCalls {
    // All prepared shapes; a few dozen. Added under the lock, read without it.
    _Atomic(NativeCall *) prepared;
    pthread_mutex_t lock;
} native_calls = {.lock = PTHREAD_MUTEX_INITIALIZER};

static NativeCall *find_shape(const char *shape) {
    NativeCall *c = atomic_load_explicit(&native_calls.prepared, memory_order_acquire);
    while (c && strcmp(c->shape, shape) != 0) c = c->next;
    return c;
}

static bool is_float(char kind) { return kind == 'F' || kind == 'D'; }

static bool fits_registers(const char *shape, size_t params) {
    size_t floats = 0;
    for (size_t i = 0; i < params; i++) floats += is_float(shape[i]);
    return floats <= ARCH_FLOAT_REGISTERS && params - floats + HIDDEN_ARGS <= ARCH_INT_REGISTERS;
}

// Integers and references are all passed as 64 bits, extended as argument_bits says.
static ffi_type *ffi_type_of(char kind) {
    switch (kind) {
        case 'F': return &ffi_type_float;
        case 'D': return &ffi_type_double;
        case 'V': return &ffi_type_void;
        default: return &ffi_type_uint64;
    }
}

static ffi_cif *new_cif(const char *shape, size_t params) {
    size_t count = params + HIDDEN_ARGS;
    ffi_cif *cif = malloc(sizeof *cif + count * sizeof(ffi_type *));
    if (!cif) return NULL;
    ffi_type **types = (ffi_type **)(cif + 1);
    types[0] = types[1] = &ffi_type_pointer;
    for (size_t i = 0; i < params; i++) types[HIDDEN_ARGS + i] = ffi_type_of(shape[i]);
    if (ffi_prep_cif(cif, FFI_DEFAULT_ABI, (unsigned)count, ffi_type_of(shape[params]), types) == FFI_OK) return cif;
    free(cif);
    return NULL;
}

// `length` is parameters + 1.
static NativeCall *new_shape(const char *shape, size_t length) {
    ASSERT(length >= 1 && length <= MAX_ARGS, "a shape of %zu", length);
    NativeCall *c = malloc(sizeof *c + length + 1);
    ffi_cif *cif = c && !fits_registers(shape, length - 1) ? new_cif(shape, length - 1) : NULL;
    if (!c || (!cif && !fits_registers(shape, length - 1))) {
        free(c);
        return NULL;
    }
    c->params = (uint32_t)(length - 1);
    c->cif = cif;
    memcpy(c->shape, shape, length + 1);
    c->next = atomic_load_explicit(&native_calls.prepared, memory_order_relaxed);
    atomic_store_explicit(&native_calls.prepared, c, memory_order_release);
    return c;
}

const NativeCall *native_prepare(Thread *self, Method *m) {
    char shape[MAX_ARGS + 1];
    size_t length = descriptor_shape((const uint8_t *)m->desc->text, m->desc->length, shape, sizeof shape);
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
static uint64_t slot_handle(Slot *s) { return s->o ? (uint64_t)(uintptr_t)s : 0; }

// Converts an argument to its type in C. Java code may have passed an int that is out of the type's range.
static uint64_t argument_bits(char kind, Slot *s) {
    switch (kind) {
        case 'Z': return (uint8_t)s->i;
        case 'B': return (uint64_t)(int8_t)s->i;
        case 'C': return (uint16_t)s->i;
        case 'S': return (uint64_t)(int16_t)s->i;
        case 'I': return (uint64_t)s->i;
        case 'F': return s->u;
        case 'L': return slot_handle(s);
        default: return s->raw;
    }
}

// Fills the registers with the environment, the receiver or class, and the arguments.
static void gather(ArchRegisters *r, const NativeCall *c, const Thread *self, const Method *m, Slot *args) {
    int ints = 0, floats = 0;
    // The words stay on the stack while the native method runs, so none may hold a stale value from an earlier call.
    memset(r->ints, 0, sizeof r->ints);
    memset(r->floats, 0, sizeof r->floats);
    r->stack_count = 0;
    r->ints[ints++] = (uint64_t)(uintptr_t)&self->jni;
    r->ints[ints++] = method_is_static(m) ? (uint64_t)(uintptr_t)&m->cls->mirror : slot_handle(args++);
    for (const char *kind = c->shape, *end = kind + c->params; kind < end; kind++) {
        uint64_t bits = argument_bits(*kind, args);
        if (is_float(*kind)) r->floats[floats++] = bits;
        else r->ints[ints++] = bits;
        args += descriptor_slots(*kind);
    }
}

// The same in an array, for libffi.
static void gather_all(uint64_t *bits, void **values, const NativeCall *c, const Thread *self, const Method *m,
                       Slot *args) {
    bits[0] = (uint64_t)(uintptr_t)&self->jni;
    bits[1] = method_is_static(m) ? (uint64_t)(uintptr_t)&m->cls->mirror : slot_handle(args++);
    for (uint32_t i = 0; i < c->params; i++) {
        bits[HIDDEN_ARGS + i] = argument_bits(c->shape[i], args);
        args += descriptor_slots(c->shape[i]);
    }
    for (uint32_t i = 0; i < c->params + HIDDEN_ARGS; i++) values[i] = &bits[i];
}

typedef union NativeResult {
    uint64_t word;
    float f;
    double d;
} NativeResult;

typedef struct ForeignCall {
    Thread *self;
    const ArchRegisters *registers;
    ffi_cif *cif;  // NULL: all arguments are in the registers
    void **values;
    void (*fn)(void);
    NativeResult result;
    bool returns_float;
    uint32_t foreign;
} ForeignCall;

static void call_foreign(void *call) {
    ForeignCall *c = call;
    if (c->cif) ffi_call(c->cif, c->fn, &c->result, c->values);
    else if (c->returns_float) c->result.d = arch_call_float(c->fn, c->registers);
    else c->result.word = arch_call(c->fn, c->registers);
    c->self->native_depth -= c->foreign;  // before a green thread returns to the running state
}

// A thread that waits for input may be continued here in a shadow, and does not keep the processor that it got for it.
static void call_foreign_again(void *call) {
    ForeignCall *c = call;
    if (c->self->again.input) {
        c->self->again.input = false;
        thread_hand_off(c->self);
    }
    call_foreign(call);
    shadow_native_is_over(c->self);
}

static void run_foreign(Thread *self, ForeignCall *call) {
    if (__builtin_expect(!shadow_replays_input(), 1)) {
        thread_run_safe(self, THREAD_NATIVE, call_foreign, call);
        return;
    }
    thread_run_again(self, THREAD_NATIVE, call_foreign_again, call);
    self->again.over = false;
}

// waits: the call may block for long.
static NativeResult call_native(Thread *self, const NativeCall *c, const Method *m, void *fn, Slot *args, bool waits) {
    extern const char __ehdr_start[] __attribute__((visibility("hidden")));
    extern const char etext[] __attribute__((visibility("hidden")));
    uint32_t count = c->cif ? c->params + HIDDEN_ARGS : 1;
    uint64_t bits[count];
    void *values[count];
    ArchRegisters registers;
    if (c->cif) gather_all(bits, values, c, self, m, args);
    else gather(&registers, c, self, m, args);
    ASSERT(fn && thread_is_running(self), "%s.%s is called in state %u", m->cls->name->text, m->name->text,
           atomic_load(&self->state));
    // The class library binds JVM_ functions of this library directly. Other code may keep thread-local state while it
    // is active; a green thread then stays on its pthread.
    uint32_t foreign = (const char *)fn < __ehdr_start || (const char *)fn >= etext;
    self->native_depth += foreign;
    if (__builtin_expect(waits, 0)) thread_set_long(self, true);
    // All references are in handles from here on, so a collection need not scan the frames of these functions.
    ForeignCall call = {self, &registers,       c->cif, values, (void (*)(void))(uintptr_t)fn,
                        {0},  is_float(m->ret), foreign};
    arch_call_leaving(&self->c_marks, (ArchMarkedFn *)run_foreign, self, &call, NULL, NULL);
    if (__builtin_expect(waits, 0)) thread_set_long(self, false);
    return call.result;
}

// The result as a slot, with the undefined upper bits cleared.
static Slot result_slot(char kind, const NativeResult *r) {
    Slot s = {.l = 0};
    switch (kind) {
        case 'V': break;
        case 'Z': s.i = (uint8_t)r->word != 0; break;
        case 'B': s.i = (int8_t)r->word; break;
        case 'C': s.i = (uint16_t)r->word; break;
        case 'S': s.i = (int16_t)r->word; break;
        case 'I': s.i = (int32_t)r->word; break;
        case 'J': s.raw = r->word; break;
        case 'F': s.f = r->f; break;
        case 'D': s.d = r->d; break;
        default: s.o = handle_get((jobject)(uintptr_t)r->word); break;
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

static bool call_in_frame(Thread *self, Method *m, Frame *f, Slot *result) {
    const NativeCall *c = __atomic_load_n(&m->native_call, __ATOMIC_ACQUIRE);
    if (!c && !(c = native_prepare(self, m))) return false;
    void *fn = __atomic_load_n(&m->native_fn, __ATOMIC_ACQUIRE);
    if (!fn && !(fn = native_lookup(self, m))) return false;
    if (m->flags & ACC_SYNCHRONIZED) {
        Object *target = method_is_static(m) ? m->cls->mirror : f->locals[0].o;
        if (!monitor_enter(self, target)) return false;
        f->monitor = target;
    }
    if (__builtin_expect(shadow_is_here(), 0)) shadow_check_native(m, fn);
    // In a shadow a descriptor is never ready: the call itself waits for the program.
    bool waits = (m->mflags & MF_LONG) && (shadow_is_here() || !greennatives_await(self, m, f->locals));
    HandleMark mark;
    handles_push(self, &mark);
    f->native = &mark;
    NativeResult native = call_native(self, c, m, fn, f->locals, waits);
    if (!self->exception) *result = result_slot(m->ret, &native);
    handles_pop(self, &mark);
    if (f->monitor) {
        Object *pending = self->exception;
        self->exception = NULL;
        monitor_exit(self, f->monitor);
        f->monitor = NULL;
        if (pending) self->exception = pending;  // takes precedence over an exception of the release
    }
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
