// Facts about the running program for the compiler (vm/api/compiler.h): the state of instructions as the interpreter
// has left them, the class hierarchy, layouts. The queries only read, without locks, on threads that are not
// attached. Memory that is unloaded meanwhile is freed later (vm/boot/unload.h). Each fact is one word that only
// changes from unknown to known, or is checked again when code is installed.
#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "vm/instrument/sampling.h"
#include "vm/linking/classinit.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/objects/symbol.h"
#include "vm/model/wellknown.h"
#include "vm/code/code.h"
#include "vm/code/entry.h"
#include "vm/interp/interp.h"
#include "vm/interp/quicken.h"
#include "vm/natives/intrinsics.h"
#include "vm/natives/methodhandle.h"
#include "vm/instrument/fieldid.h"
#include "vm/instrument/hooks.h"
#include "vm/instrument/pathprofile.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/scope.h"
#include "vm/instrument/selectors.h"
#include "vm/threads/monitor.h"
#include "vm/threads/thread.h"

// Compiled code reads and writes these as four-byte words.
#define FOUR_BYTES(type, member) static_assert(sizeof(((type *)0)->member) == 4, #type "." #member)
FOUR_BYTES(Thread, deopt_pending);
FOUR_BYTES(Thread, poll);
FOUR_BYTES(Thread, thin_lock);
FOUR_BYTES(Thread, lock_timer);
FOUR_BYTES(Thread, timed_locks);
FOUR_BYTES(Thread, sample.budget);
FOUR_BYTES(Thread, sample.granted);
FOUR_BYTES(Object, lock);
FOUR_BYTES(Object, length);
FOUR_BYTES(Class, state);
FOUR_BYTES(Class, cflags);
FOUR_BYTES(Method, hotness);
static_assert(sizeof(((Thread *)0)->sample.remaining) == 8, "as eight bytes");
static_assert(sizeof(((Class *)0)->prim) == 1, "as one byte");

uint8_t *compiler_cards(void) { return barrier.cards; }
uint64_t *compiler_barrier_counts(void) { return barrier.counts; }

const CompilerLayout *compiler_layout(void) {
    static const CompilerLayout layout = {
        .thread_exception = offsetof(Thread, exception),
        .thread_deopt_pending = offsetof(Thread, deopt_pending),
        .thread_poll = offsetof(Thread, poll),
        .thread_stack_guard = offsetof(Thread, stack_guard),
        .thread_free_lists = offsetof(Thread, heap) + offsetof(HeapCache, list),
        .free_list_kinds_stride = HEAP_CLASSES * sizeof(void *),
        .free_list_typed = HEAP_TYPED,
        .free_list_refs = HEAP_REFS,
        .free_list_prims = HEAP_PRIMS,
        .granule = HEAP_GRANULE,
        .small_max = HEAP_SMALL_MAX,
        .poll_mask = ~(uint32_t)(POLL_FENCE | POLL_DELAY),
        .object_vtable = offsetof(Object, vt),
        .object_lock = offsetof(Object, lock),
        .array_length = offsetof(Object, length),
        .array_base = ARRAY_BASE,
        .vtable_class = offsetof(VTable, cls),
        .vtable_methods = offsetof(VTable, methods),
        .vtable_imt = offsetof(VTable, imt),
        .call_imethod = offsetof(InterfaceCall, imethod),
        .call_target = offsetof(InterfaceCall, target),
        .class_state = offsetof(Class, state),
        .class_display = offsetof(Class, display),
        .class_cached_super = offsetof(Class, cached_super),
        .class_interface_bits = offsetof(Class, interface_bits),
        .class_initialized = CLASS_INITIALIZED,
        .class_component = offsetof(Class, component),
        .class_cflags = offsetof(Class, cflags),
        .cflag_finalizer = CF_FINALIZER,
        .class_prim = offsetof(Class, prim),
        .method_entry = offsetof(Method, entry),
        .method_intrinsic = offsetof(Method, intrinsic),
        .exit = (void *)compiled_exit,
        .method_id = offsetof(Method, id),
        .method_selected = offsetof(Method, selected),
        .selected_uncounted = SELECTED_UNCOUNTED,
        .thread_prof = offsetof(Thread, prof),
        .prof_counters = offsetof(EventThread, counters),
        .thread_call_site = offsetof(Thread, call_site),
        .thread_stamper = offsetof(Thread, stamper),
        .thread_ring = offsetof(Thread, places.ring),
        .thread_context = offsetof(Thread, places.context),
        .class_id = offsetof(Class, id),
        .thread_budget = offsetof(Thread, sample.budget),
        .thread_sample_remaining = offsetof(Thread, sample.remaining),
        .thread_sample_granted = offsetof(Thread, sample.granted),
        .sample_most_granted = SAMPLE_MOST_GRANTED,
        .thread_java_thread = offsetof(Thread, java_thread),
        .thread_thin_lock = offsetof(Thread, thin_lock),
        .thread_lock_timer = offsetof(Thread, lock_timer),
        .thread_timed_locks = offsetof(Thread, timed_locks),
        .lockword_none = LOCKWORD_TAG_MASK,
        .lockword_tags = LOCKWORD_TAG_MASK,
        .lockword_hash = LOCKWORD_SHIFT,
    };
    return &layout;
}

void compiler_handle_path(uint32_t offsets[HANDLE_STEPS]) {
    offsets[0] = (uint32_t)WK_OFF(java_lang_invoke_MethodHandle, form);
    offsets[1] = (uint32_t)WK_OFF(java_lang_invoke_LambdaForm, vmentry);
    offsets[2] = (uint32_t)WK_OFF(java_lang_invoke_MemberName, method);
    offsets[3] = (uint32_t)WK_OFF(java_lang_invoke_ResolvedMethodName, vmtarget);
}

uint32_t compiler_mirror_class(void) { return (uint32_t)WK_OFF(java_lang_Class, vmClass); }

uint32_t compiler_imt_slot(const Method *imethod) { return interfacecall_slot(imethod); }

void compiler_prepare(Method *m) { interp_decode(m); }

// ---- instructions -------------------------------------------------------------------------------

typedef struct At {
    Method *m;
    Class *cls;
    const uint8_t *bytes;  // of the instruction
    const Insn *insn;
    unsigned opcode;
} At;

static void *payload(const At *at, int i) { return __atomic_load_n(&at->insn[i].p, __ATOMIC_ACQUIRE); }

static int cp_index(const At *at) { return opcodes_cp_index(at->bytes, 0); }

static void field_site(const At *at, Site *out) {
    bool is_static = at->opcode == OPC_getstatic || at->opcode == OPC_putstatic;
    bool is_put = at->opcode == OPC_putfield || at->opcode == OPC_putstatic;
    // A put of a final field counts as resolved only after its first execution.
    int i = cp_index(at);
    if (!cp_is_resolved(at->cls, i)) return;
    Field *f = at->cls->cp[i].field;
    if (!(f->flags & ACC_STATIC) != !is_static) return;
    // Puts to final fields are legal in few places, and the interpreter checks them.
    bool executed = at->insn->op != INSN_putfield && at->insn->op != INSN_putstatic;
    if (is_put && (f->flags & ACC_FINAL) && (f->cls != at->cls || !executed)) return;
    out->kind = is_static ? SITE_STATIC : SITE_FIELD;
    out->field = f;
    out->type = f->type;
    out->initialized = class_is_initialized(f->cls);
}

static void direct_site(const At *at, Method *m, Site *out) {
    (void)at;
    out->method = m;
    out->initialized = class_is_initialized(m->cls);
    out->kind = m->sigpoly == MH_INVOKE_BASIC ? SITE_CALL_BASIC
        : m->sigpoly > MH_INVOKE_BASIC        ? SITE_CALL_LINK_TO
                                              : SITE_CALL_DIRECT;
}

static void call_site(const At *at, Site *out) {
    switch (at->insn->op) {
        case INSN_invoke_vtable:
        case INSN_invoke_vtable_far:
            out->kind = SITE_CALL_VTABLE;
            out->method = payload(at, 1);
            out->index = out->method->vtable_index;
            break;
        case INSN_invoke_special:
        case INSN_invoke_static: direct_site(at, payload(at, 1), out); break;
        case INSN_invoke_interface:
        case INSN_invoke_interface_many: {
            const InterfaceCall *cache = payload(at, 1);
            out->kind = SITE_CALL_INTERFACE;
            out->method = cache->imethod;
            if (at->insn->op != INSN_invoke_interface || !cache->vt) break;
            out->receiver = cache->vt->cls;
            out->target = cache->target;
            break;
        }
        case INSN_invoke_linked: {
            const LinkedCall *call = payload(at, 1);
            out->kind = SITE_CALL_LINKED;
            out->method = call->method;
            out->slot = call->appendix;
            out->null_check = (uint8_t)at->insn->a;
            out->initialized = class_is_initialized(call->method->cls);
            break;
        }
        case INSN_invoke_object_init:
            out->kind = SITE_OBJECT_INIT;
            out->method = payload(at, 1);
            break;
        case INSN_invokestatic: {
            // Not executed yet, but another instruction has resolved it.
            int i = cp_index(at);
            Method *m = cp_is_resolved(at->cls, i) ? at->cls->cp[i].method : NULL;
            if (m && method_is_static(m) && !m->sigpoly && class_is_linked(m->cls)) direct_site(at, m, out);
            break;
        }
        default: break;
    }
}

static void class_site(const At *at, Site *out) {
    Class *c = NULL;
    int i;
    switch (at->insn->op) {
        case INSN_new_fast: c = ((VTable *)payload(at, 1))->cls; break;
        case INSN_new_object:
        case INSN_newarray_q:
        case INSN_anewarray_q:
        case INSN_multianewarray_q:
        case INSN_checkcast_q:
        case INSN_instanceof_q: c = payload(at, 1); break;
        case INSN_checkcast:
        case INSN_instanceof:
            i = cp_index(at);
            c = cp_is_resolved(at->cls, i) ? at->cls->cp[i].cls : NULL;
            break;
        case INSN_newarray: c = atomic_load(&class_primitive("ZCFDBSIJ"[(at->bytes[1] - 4) & 7])->array_class); break;
        default: break;
    }
    if (!c) return;
    out->kind = SITE_CLASS;
    out->cls = c;
    out->initialized = class_is_array(c) || class_is_initialized(c);
    if (at->opcode == OPC_multianewarray) out->index = at->bytes[3];
}

static void constant_site(const At *at, Site *out) {
    int i = cp_index(at);
    uint8_t tag = cp_tag(at->cls, i);
    if (tag == CP_INTEGER || tag == CP_FLOAT || tag == CP_LONG || tag == CP_DOUBLE) {
        out->kind = SITE_NONE;
    } else if (at->insn->op == INSN_ldc_ref) {
        out->kind = SITE_CONST_REF;
        out->slot = payload(at, 1);
    } else if (tag == CP_DYNAMIC && at->insn->op != INSN_ldc && at->insn->op != INSN_ldc2) {
        out->kind = SITE_CONST_PRIM;
        out->type = cp_ref_desc(at->cls, i)->text[0];
        out->bits = interp_slots(out->type) == 2 ? at->insn[1].l : (uint32_t)at->insn->b;
    }
}

// The operation in the word may be a fused one that begins here. Only loads and constants begin fused operations.
bool compiler_site(Method *m, uint32_t bci, Site *out) {
    *out = (Site){.kind = SITE_NONE};
    const Insn *insn = method_pc_at(m, (int)bci);
    if (!insn) return false;
    Insn header = {.word = __atomic_load_n(&insn->word, __ATOMIC_ACQUIRE)};
    Insn copy[4] = {header};
    At at = {.m = m, .cls = m->cls, .bytes = m->info->code->code + bci, .insn = copy};
    at.opcode = at.bytes[0];
    for (int i = 1; i < 3 && insn + i < m->code + m->code_words; i++)
        copy[i].p = __atomic_load_n(&insn[i].p, __ATOMIC_ACQUIRE);
    out->kind = SITE_UNRESOLVED;
    switch (at.opcode) {
        case OPC_getfield:
        case OPC_putfield:
        case OPC_getstatic:
        case OPC_putstatic: field_site(&at, out); break;
        case OPC_invokevirtual:
        case OPC_invokespecial:
        case OPC_invokestatic:
        case OPC_invokeinterface:
        case OPC_invokedynamic: call_site(&at, out); break;
        case OPC_new:
        case OPC_newarray:
        case OPC_anewarray:
        case OPC_multianewarray:
        case OPC_checkcast:
        case OPC_instanceof: class_site(&at, out); break;
        case OPC_ldc:
        case OPC_ldc_w:
        case OPC_ldc2_w: constant_site(&at, out); break;
        default: out->kind = SITE_NONE; break;
    }
    return true;
}

// ---- hierarchy ----------------------------------------------------------------------------------

enum { HIERARCHY_LIMIT = 256 };

// Target of vtable entry `index` for instances of `c` itself; false: there is none that can be called.
static bool target_in(const Class *c, uint32_t index, Method **target) {
    if (!__atomic_load_n(&c->vtable_final, __ATOMIC_ACQUIRE) || index >= c->vtable_length) return false;
    *target = c->vt->methods[index];
    return !(c->access & ACC_ABSTRACT && method_is_abstract(*target));
}

Method *compiler_unique_target(Method *m) {
    Method *only = NULL, *target;
    const Class *stack[HIERARCHY_LIMIT] = {m->cls};
    uint32_t depth = 1, seen = 0;
    if (m->vtable_index < 0 || class_is_interface(m->cls)) return NULL;
    while (depth > 0) {
        const Class *c = stack[--depth];
        if (target_in(c, (uint32_t)m->vtable_index, &target)) {
            if (only && only != target) return NULL;
            only = target;
        }
        const Class *sub = __atomic_load_n(&c->subclasses, __ATOMIC_ACQUIRE);
        for (; sub; sub = sub->next_sibling) {
            if (++seen > HIERARCHY_LIMIT || depth == HIERARCHY_LIMIT) return NULL;
            stack[depth++] = sub;
        }
    }
    return only && !method_is_abstract(only) && !(only->mflags & MF_OVERPASS) ? only : NULL;
}

Method *compiler_selected(const Class *c, Method *m) {
    Method *target = NULL;
    if (!c->vt || !__atomic_load_n(&c->vtable_final, __ATOMIC_ACQUIRE) || !class_is_subtype(c, m->cls)) return NULL;
    if (class_is_interface(m->cls)) target = m->itable_index >= 0 ? itable_lookup(c->vt, m) : NULL;
    else if (m->vtable_index < 0 || !target_in(c, (uint32_t)m->vtable_index, &target)) return NULL;
    return target && !method_is_abstract(target) && !method_is_static(target) && !(target->mflags & MF_OVERPASS)
        ? target
        : NULL;
}

Metaspace *compiler_owner(const Class *c) { return c->space->collectable ? c->space : NULL; }

bool compiler_is_subtype(const Class *sub, const Class *super) { return class_is_subtype(sub, super); }

// ---- signatures ---------------------------------------------------------------------------------

static char kind_of(char type) {
    switch (type) {
        case 'J':
        case 'F':
        case 'D':
        case 'V': return type;
        case 'L':
        case '[': return 'L';
        default: return 'I';
    }
}

char compiler_shape_of(const char *desc, bool is_static, char *buf) {
    if (!is_static) *buf++ = 'L';
    const char *d = desc + 1;
    for (; *d != ')'; d++) {
        *buf++ = kind_of(*d);
        while (*d == '[') d++;
        if (*d == 'L') d = strchr(d, ';');
    }
    *buf = '\0';
    return kind_of(d[1]);
}

// There are few shapes, so their texts are interned and kept with the methods.
const char *compiler_shape(Method *m) {
    const char *known = __atomic_load_n(&m->shape, __ATOMIC_ACQUIRE);
    if (known) return known;
    char buf[258];
    compiler_shape_of(m->desc->text, method_is_static(m), buf);
    const char *text = symbol_of(buf)->text;
    __atomic_store_n(&m->shape, text, __ATOMIC_RELEASE);
    return text;
}

char compiler_return_kind(const Method *m) { return kind_of(m->ret); }

// ---- the rest -----------------------------------------------------------------------------------

CompilerIntrinsic compiler_intrinsic(const Method *m) {
    if (!(m->mflags & MF_INTRINSIC)) return COMPILER_NO_INTRINSIC;
    switch (intrinsic_kind(m)) {
        case INTRINSIC_LEAF: return COMPILER_LEAF;
        case INTRINSIC_TRY: return COMPILER_TRY;
        case INTRINSIC_FRAME: break;
    }
    return COMPILER_FRAME;
}

bool compiler_intrinsic_is_quiet(const Method *m) {
    return m->mflags & MF_INTRINSIC && intrinsic_find(m->cls->name, m->name, m->desc)->quiet;
}

int compiler_bailout(const Method *m) {
    if (!m->info || !m->info->code) return BAILOUT_no_code;
    // AccessController.getStackAccessControlContext and the closing of memory scopes inspect the locals of frames.
    bool locals_are_read = m->info->annotation_mask & CFA_SCOPED ||
        (symbol_is(m->name, "executePrivileged") && symbol_is(m->cls->name, "java/security/AccessController"));
    return locals_are_read ? BAILOUT_locals_are_read : -1;
}

// Whether the compilation on this pthread is for shadows.
static _Thread_local bool for_shadows;

void code_compile_for_shadows(bool on) { for_shadows = on; }

EventSet compiler_events(const Method *m) { return for_shadows ? profile_shadow_events(m) : profile_events(m); }
EventSet compiler_events_at(const Method *m, uint32_t bci) {
    return instrument_events_at(m, compiler_events(m), (int32_t)bci);
}

bool compiler_guard_at(const Method *m, int32_t bci, enum EventId event, PlaceGuard *guard) {
    return instrument_guard_at(m, bci, event, guard);
}

unsigned compiler_partners_at(const Method *m, int32_t bci, uint16_t locals[SCALAR_LOCALS]) {
    return instrument_hooks.profiler->partners_at(m->id, bci, locals);
}

// Threads have no counters if the profile has started while the program runs.
EventSet compiler_counted(void) {
    if (!for_shadows) return profile_counts();
    return threads.counters ? profile_shadow_counts() : 0;
}

bool compiler_wants_lines(void) { return profile_samples_time(); }

uint32_t compiler_event_site(enum EventId event, uint32_t dynamic, const uint32_t *words) {
    return instrument_hooks.profiler->site(event, dynamic, words);
}

RingForm compiler_ring(void) { return profile_ring(); }

const struct Paths *compiler_paths(const Method *m) { return paths_of(m); }
const Class *compiler_primitive_array(char type) {
    return type == 'L' ? NULL : atomic_load_explicit(&class_primitive(type)->array_class, memory_order_acquire);
}

uint32_t compiler_field_id(Field *f) { return fieldid_of(f); }

CompilerSampling compiler_sampling(void) {
    SamplingRequest asked;
    bool paused;
    if (for_shadows) asked = profile_shadow_sampling();
    else if (!sampling_is_on()) return (CompilerSampling){.on = false};
    else sampling_config(&asked, &paused);
    if (asked.mode == SAMPLING_OFF) return (CompilerSampling){.on = false};
    return (CompilerSampling){true, asked.dup, asked.checks, sampling_leaves_code(&asked)};
}

// Leaves room for methods that are called for the first time after the code was made: they get numbers too.
uint32_t compiler_call_targets(const Method *m) {
    enum { FEWEST = 4 };
    const Selector *s = selectors_of(m);
    uint32_t count = s ? selectors_count(s) : 0, wanted = count + count / 4 + 1;
    return wanted < FEWEST ? FEWEST : wanted > MOST_TARGETS ? MOST_TARGETS : wanted;
}
const Selector *compiler_selector(const Method *m) { return selectors_of(m); }

bool compiler_event_visible(const Method *m) { return scope_visible(m); }

Method *compiler_method_by_id(uint32_t id) { return method_by_id(id); }
Class *compiler_class_by_id(uint32_t id) { return class_by_id(id); }

void compiler_log(const char *line) { fprintf(stderr, "%s\n", line); }

bool compiler_has_code(const Method *m, int32_t osr_bci) {
    return osr_bci < 0 ? method_code(m) != NULL : code_osr(m, osr_bci) != NULL;
}
