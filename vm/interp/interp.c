// The interpreter loop.
//
// One activation runs everything between an ENTRY frame and the return to it; Java calls do not nest C calls. Its state
// is in locals that the compiler keeps in registers:
//   pc      header word of the instruction being executed
//   sp      first free operand slot; sp[-1] is the top of the stack
//   locals  of the current frame
//   frame   the current frame
//   table   dispatch table, a copy of self->dispatch
//   callee  from a call to the callee's first word: the method being called, its arguments at sp[0]
//
// SAVE() must precede any operation that may collect, block, throw or run Java code. It stores pc and sp in the frame,
// with their values at the start of the instruction, so the operands are still there for the collector, and an
// exception has the right bytecode index. `goto unwind` requires SAVE() (a call has done it) and a pending exception.
//
// `table` is never the STOP table while an instruction executes: when that table has been loaded, the next dispatch
// goes to op_stop. First words (enter_*) are dispatched with the table of the call, so they never stop while their
// arguments are in no frame yet.
//
// The upper half of an int or float slot is undefined. Ints are stored as 64 bits anyway, because narrow stores would
// stall the wide loads of dup and similar instructions.
#include "vm/interp/interp.h"

#include <math.h>
#include <string.h>

#include "base/invariant.h"
#include "bytecode/classfile/opcodes.h"
#include "vm/api/eventsets.h"
#include "vm/instrument/pathprofile.h"
#include "vm/instrument/sampling.h"
#include "arch_mark.h"
#include "vm/interp/hooks.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/exception.h"
#include "vm/natives/intrinsics.h"
#include "vm/runtime/invoke.h"
#include "vm/linking/link.h"
#include "vm/natives/methodhandle.h"
#include "vm/threads/monitor.h"
#include "vm/jni/nativecall.h"
#include "vm/jni/nativelib.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/report.h"
#include "vm/instrument/scope.h"
#include "vm/interp/flowcounts.h"
#include "vm/interp/framelocks.h"
#include "vm/interp/interp_probes.h"
#include "vm/interp/quicken.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

// The tables of the loop's handlers, from which interp_instrument makes the tables of a profile.
typedef struct Labels {
    const void *const *plain, *const *probed, *const *checked, *const *counted, *const *unfused;
    const void *leave;        // returns from a frame that is in a sample
    const void *instruction;  // reports the event `instruction` and continues with the operation
} Labels;

// The dispatch tables, made when one is first requested (interp_table), and those of a profile, which change while the
// world is stopped.
static struct Interpreter {
    const void *const *tables[INTERP_TABLES];
    Labels labels;
    InterpProfile profile;
    bool counts_code;                   // events in the middle of methods are counted
    bool counts_all;                    // all events that the profile wants are counted
    bool checks_entries;                // sampling checks are made at method entries, too
    bool by_exits;                      // COPIES_EXITS: methods without loops and calls make no checks
    bool no_templates;                  // template code is no longer entered
    const void *const *template_table;  // of threads that run template code; NULL: not chosen yet
    const void *checking[INSN_COUNT], *sampling[INSN_COUNT], *instrumented[INSN_COUNT];
    const void *unprobed[INSN_COUNT];   // the operation in an instrumented thread, after its events
    const void *behind[2][INSN_COUNT];  // the operation after its event `instruction`; [1]: sampled
} interpreter;

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

// ---- arithmetic that C leaves undefined or rounds differently -----------------------------------

static inline int32_t divide_int(int32_t a, int32_t b) { return b == -1 ? (int32_t)(0 - (uint32_t)a) : a / b; }
static inline int32_t remainder_int(int32_t a, int32_t b) { return b == -1 ? 0 : a % b; }
static inline int64_t divide_long(int64_t a, int64_t b) { return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; }
static inline int64_t remainder_long(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }

static inline int32_t double_to_int(double d) {
    if (LIKELY(d > -2147483649.0 && d < 2147483648.0)) return (int32_t)d;
    return d != d ? 0 : d < 0 ? INT32_MIN : INT32_MAX;
}
static inline int64_t double_to_long(double d) {
    if (LIKELY(d >= -0x1p63 && d < 0x1p63)) return (int64_t)d;
    return d != d ? 0 : d < 0 ? INT64_MIN : INT64_MAX;
}

// -1, 0, 1; `unordered` if an operand is NaN (fcmpl: -1, fcmpg: 1).
static inline int compare(double a, double b, int unordered) { return a < b ? -1 : a > b ? 1 : a == b ? 0 : unordered; }

// ---- fields by type character: for instructions that cannot be quickened yet --------------------

// Loads into sp[0], with the memory order of a volatile field; returns the number of slots.
static int load_field(Slot *sp, const void *address, char type) {
    switch (type) {
        case 'Z':
        case 'B': sp->raw = (uint32_t)__atomic_load_n((const int8_t *)address, __ATOMIC_SEQ_CST); break;
        case 'C': sp->raw = __atomic_load_n((const uint16_t *)address, __ATOMIC_SEQ_CST); break;
        case 'S': sp->raw = (uint32_t)__atomic_load_n((const int16_t *)address, __ATOMIC_SEQ_CST); break;
        case 'I':
        case 'F': sp->raw = __atomic_load_n((const uint32_t *)address, __ATOMIC_SEQ_CST); break;
        default: sp->raw = __atomic_load_n((const uintptr_t *)address, __ATOMIC_SEQ_CST); break;
    }
    return interp_slots(type);
}

// Stores value[0], with the memory order of a volatile field.
static void store_field(void *address, const Slot *value, char type) {
    switch (type) {
        case 'Z': __atomic_store_n((int8_t *)address, (int8_t)(value->i & 1), __ATOMIC_SEQ_CST); break;
        case 'B': __atomic_store_n((int8_t *)address, (int8_t)value->i, __ATOMIC_SEQ_CST); break;
        case 'C':
        case 'S': __atomic_store_n((int16_t *)address, (int16_t)value->i, __ATOMIC_SEQ_CST); break;
        case 'I':
        case 'F': __atomic_store_n((int32_t *)address, value->i, __ATOMIC_SEQ_CST); break;
        default:
            __atomic_store_n((int64_t *)address, value->l, __ATOMIC_SEQ_CST);
            if (type == 'L' || type == '[') barrier_stored(BARRIER_interpreter_ordered_put, address);
    }
}

// Static fields of instructions that are being resolved. Volatile ones order threads.
static int load_static(Thread *self, Slot *sp, const Field *f) {
    int slots = load_field(sp, field_static_addr(f), f->type);
    if (f->flags & ACC_VOLATILE) THREAD_REPORT(sync_acquire, self, NULL, field_static_addr(f));
    return slots;
}

static void store_static(Thread *self, const Field *f, const Slot *value) {
    if (f->flags & ACC_VOLATILE) THREAD_REPORT(sync_release, self, NULL, field_static_addr(f));
    store_field(field_static_addr(f), value, f->type);
}

// ---- cold paths ---------------------------------------------------------------------------------

static Object *new_multi_array(Thread *self, Class *cls, intptr_t dims, const Slot *counts) {
    int32_t lengths[256];
    for (intptr_t i = 0; i < dims; i++) lengths[i] = counts[i].i;
    return object_allocate_multi(self, cls, (int)dims, lengths);
}

// The frame of an intrinsic that has one. NULL: no room. The result may overwrite args[0] while the frame still exists.
static Frame *push_intrinsic_frame(Thread *self, Method *m, Slot *args, Frame *caller) {
    Frame *f = (Frame *)(args + (m->nargs ? m->nargs : 1));
    if ((Slot *)(f + 1) > self->stack_limit) return NULL;
    *f = (Frame){
        .prev = caller, .method = m, .pc = m->code, .sp = frame_stack(f), .locals = args, .kind = FRAME_NATIVE};
    return f;
}

bool interp_reports(const Thread *self) {
    return self->normal_dispatch == interpreter.tables[INTERP_INSTRUMENTED] ||
        self->normal_dispatch == interpreter.tables[INTERP_SAMPLING];
}

// Clears the C stack below the caller's frame: later frames would expose values of earlier calls in slots that they do
// not fill.
static __attribute__((noinline)) void scrub_stack(void) {
    char area[4096];
    memset(area, 0, sizeof area);
    __asm__ volatile("" : : "r"(area) : "memory");
}

// Continues at the handler of the exception that the frame's instruction has thrown or passed on. The functions that
// made the exception and searched for the handler have left references to it on the C stack.
static void catch_in(Thread *self, Frame *frame, const Insn *handler) {
    scrub_stack();
    bool counts = interpreter.counts_code && interp_reports(self);
    if (counts) flow_left(self, frame);
    frame->call = FRAME_CALL_BEFORE;
    frame->pc = handler;
    frame->sp = frame_stack(frame);
    if (counts) flow_entered(self, frame);
}

// The thread continues in the frame, inside or outside a sample.
static void continue_sampling(Thread *self, const Frame *frame) {
    if (self->sample.checking) sampling_set_instrumented(self, frame->kind == FRAME_INTERP && frame->sampled);
}

// Finds the handler of the pending exception and leaves frames on the way. Returns the frame that catches it, with its
// pc at the handler, or the ENTRY frame that bounds this activation.
static Frame *unwind_frames(Thread *self, Frame *frame) {
    for (bool called = false;; frame = frame->prev, called = true) {
        self->frame = frame;
        if (frame->kind == FRAME_ENTRY) return frame;
        continue_sampling(self, frame);
        if (called) frame->call = FRAME_CALL_ENTERED;
        const Method *m = frame->method;
        int row = quicken_find_handler_at(self, m, method_bci(m, frame->pc));
        const Insn *handler = row < 0 ? NULL : m->code + m->handlers[row].word;
        if (UNLIKELY(interp_reports(self))) probes_throw(self, frame, handler);
        if (handler) {
            catch_in(self, frame, handler);
            return frame;
        }
        if (UNLIKELY(m->mflags & MF_CHECKED_LOCKS)) {
            framelocks_abandon(self, frame);
        } else if (frame->monitor) {
            // An exception thrown by leaving the monitor replaces the pending one.
            Object *monitor = frame->monitor, *exception = exception_take(self);
            frame->monitor = NULL;
            if (monitor_exit(self, monitor)) self->exception = exception;
        }
        if (UNLIKELY(interp_reports(self))) {
            if (interpreter.counts_code) flow_left(self, frame);
            probes_exit(self, m, true);
        }
    }
}

// ---- counting (vm/interp/flowcounts.h) ---------------------------------------------------------------------------

// Whether calls made by the frame are counted for its method. A hidden method's calls belong to its caller.
static inline __attribute__((always_inline)) bool counts_calls(const Frame *caller) {
    return caller->kind == FRAME_INTERP && scope_visible(caller->method);
}

// Invocations that do not select their target need no counter.
static inline __attribute__((always_inline)) void count_selected(Thread *self, const Frame *caller,
                                                                 const Method *callee) {
    if (!interp_selects(__atomic_load_n(&caller->pc->op, __ATOMIC_RELAXED))) return;
    FlowCall *call = (FlowCall *)(caller->counts + flow_call_number(caller->pc));
    if (LIKELY(call[0].callee == callee->id)) call[0].count++;
    else if (LIKELY(call[1].callee == callee->id)) call[1].count++;
    else flow_count_call(self, caller, callee);
}

// Reports calls that the caller does not count, or that are not counted at all.
static __attribute__((noinline)) void report_entry(Thread *self, const Method *callee, Frame *caller) {
    if (interpreter.profile.counts_calls) report_entered(self, callee, caller);
    else report_call(self, callee, caller);
}

// A method begins. `caller`: the frame below, with its pc stored.
static inline __attribute__((always_inline)) uint64_t *count_entry(Thread *self, const Method *callee, Frame *caller,
                                                                   int which) {
    uint64_t *counts = flow_counts(self, callee);
    counts[which]++;
    if (LIKELY(interpreter.profile.counts_calls && scope_visible(callee) && counts_calls(caller)))
        count_selected(self, caller, callee);
    else report_entry(self, callee, caller);
    return counts;
}

// The same for compiled code, which counts the entry. Returns the tags of the method's address.
uintptr_t interp_count_compiled(Thread *self, const Method *callee, const Frame *caller) {
    if (!interpreter.profile.counts_calls || !counts_calls(caller)) return 0;
    if (!scope_visible(callee)) {
        self->call_site = (uint64_t)caller->method->id << 32 | (uint32_t)method_bci(caller->method, caller->pc);
        return CALL_SITED;
    }
    count_selected(self, caller, callee);
    return CALL_COUNTED;
}

uint64_t *interp_count_entry(Thread *self, const Method *callee, Frame *caller) {
    return count_entry(self, callee, caller, FLOW_ENTRY);
}

void interp_count_target(Thread *self, const Method *callee, Frame *caller) {
    if (interpreter.profile.counts_calls && counts_calls(caller) && scope_visible(callee))
        report_entered(self, callee, caller);
}

const InterpProfile *interp_profile(void) { return &interpreter.profile; }

void interp_entered(Thread *self, const Method *callee, Frame *caller, int which) {
    if (interpreter.profile.counts) count_entry(self, callee, caller, which);
    else report_call(self, callee, caller);
}

// ---- template code --------------------------------------------------------------------------------------------------

TemplateMode interp_template_mode(const Thread *self) {
    const void *const *table = self->normal_dispatch;
    if (table == interpreter.tables[INTERP_SAMPLING]) table = interpreter.tables[INTERP_CHECKING];
    TemplateMode mode = TEMPLATES_NONE;
    if (table == interpreter.tables[INTERP_PLAIN]) mode = TEMPLATES_PLAIN;
    // In other modes, there are checks where template code makes none.
    else if (table == interpreter.tables[INTERP_CHECKING] && interpreter.by_exits)
        mode = interpreter.checks_entries ? TEMPLATES_CHECKING : TEMPLATES_CHECKING_LOOPS;
    else if (table == interpreter.tables[INTERP_INSTRUMENTED])
        mode = interpreter.counts_all ? TEMPLATES_COUNTING : TEMPLATES_REPORTING;
    if (mode == TEMPLATES_NONE || interpreter.no_templates) return TEMPLATES_NONE;
    const void *const *chosen = __atomic_load_n(&interpreter.template_table, __ATOMIC_ACQUIRE);
    if (!chosen &&
        __atomic_compare_exchange_n(&interpreter.template_table, &chosen, table, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        chosen = table;
    return table == chosen ? mode : TEMPLATES_NONE;
}

const void *const *const *interp_template_table(void) { return &interpreter.template_table; }

void interp_stop_templates(bool for_good) {
    interpreter.template_table = NULL;
    interpreter.no_templates |= for_good;
}

// ---- events and checks (vm/instrument/sampling.h) ----------------------------------------------------------

static __attribute__((noinline)) bool sampling_decide(Thread *self) {
    bool sample = self->sample.budget < 0 && sampling_next(self);
    sampling_set_instrumented(self, sample);
    return sample;
}

// A sample begins after the branch at pc, which takes that edge (-1: it is a jump).
static __attribute__((noinline)) void begin_path(Frame *frame, const Insn *pc, int32_t edge) {
    paths_begin(frame, method_bci(frame->method, pc), edge < 0 ? 0 : edge);
}

// Whether the frame belongs to an activation of optimised code, which was left (Frame.inlined).
static inline bool has_left_code(const Thread *self, const Frame *frame) {
    return self->sample.checking && frame->kind == FRAME_INTERP && frame->inlined;
}

// The callee's place in the activation of the caller, or NULL: it makes its own checks.
static const CodeInlined *inlined_at(const Thread *self, const Frame *caller, const Method *callee) {
    if (!has_left_code(self, caller)) return NULL;
    return code_inlined_at(caller->inlined, (uint32_t)method_bci(caller->method, caller->pc), callee);
}

// At the entry of `callee`, whose frame has been made: true if it is part of its caller's activation, and so of its
// sample, because the code that was left makes no check there either. The caller is resumed by the interpreter.
static __attribute__((noinline)) bool continue_activation(const Thread *self, Frame *frame, const Method *callee) {
    Frame *caller = frame->prev;
    if (caller->kind != FRAME_INTERP || !(caller->sampled || caller->inlined)) return false;
    caller->resume = interp_hooks.sampled_return((unsigned)interp_slots(callee->ret));
    frame->inlined = inlined_at(self, caller, callee);
    if (!frame->inlined) return false;
    frame->sampled = caller->sampled;
    return true;
}

// A check at the entry of the frame's method that is due. Compiled code, which would make it otherwise, is not entered.
static __attribute__((noinline)) bool sampling_decide_entry(Thread *self, Frame *frame) {
    const Code *code = __atomic_load_n((Code *const *)&frame->method->compiled, __ATOMIC_ACQUIRE);
    frame->inlined = code ? code->inlined : NULL;
    return sampling_decide(self);
}

// ---- macros of the loop -------------------------------------------------------------------------

#define OP(name) op_##name:
#define DISPATCH() goto *table[__atomic_load_n(&pc->op, __ATOMIC_ACQUIRE)]
#define NEXT(words)    \
    do {               \
        pc += (words); \
        DISPATCH();    \
    } while (0)
#define RELOAD() (table = thread_dispatch(self))
#define SAVE() (frame->pc = pc, frame->sp = sp, self->frame = frame)
#define SET_INT(slot, value) ((slot).raw = (uint32_t)(value))

// Follow an operation during which other threads may have run. The thread may have begun or stopped counting, and must
// from here on count as its frames expect. Any other request waits for the next reload.
#define UNSETTLED() (interpreter.profile.counts && table != self->normal_dispatch)
#define SETTLE() (UNLIKELY(interpreter.profile.counts) ? (void)(table = self->normal_dispatch) : (void)0)

// Counts one more of m's invocations and backedges. True: time to ask the compiler.
#define COUNT(m) \
    UNLIKELY(    \
        (__atomic_store_n(&(m)->hotness, (m)->hotness + 1, __ATOMIC_RELAXED), ((m)->hotness & METHOD_HOT_MASK) == 0))

// Before an event: its sinks may have requested a wait (vm/api/eventwait.h). After SAVE.
#define WAIT_FOR_SINKS()                                                                     \
    do {                                                                                     \
        if (UNLIKELY(atomic_load_explicit(&self->poll, memory_order_relaxed) & POLL_SINK)) { \
            CALL_LEAVING(thread_safepoint, self, NULL, NULL, NULL);                          \
            if (self->exception) goto unwind;                                                \
        }                                                                                    \
    } while (0)

// Calls a function that may run Java code or wait for long. A collection skips the loop's C frame during the call: its
// registers and spill slots expose objects that the program no longer uses. The loop needs none of them after the call,
// because everything that it continues with is on the Java stack. enter_loop makes the other mark.
#define CALL_LEAVING(fn, a, b, c, d) \
    arch_call_leaving(&self->c_marks, (ArchMarkedFn *)(fn), (void *)(a), (void *)(b), (void *)(c), (void *)(d))

// These may wait for a collection or for the owner of the monitor.
#define ALLOCATE(cls) ((Object *)CALL_LEAVING(object_allocate, self, cls, NULL, NULL))
#define ALLOCATE_ARRAY(cls, length) ((Object *)CALL_LEAVING(object_allocate_array, self, cls, (intptr_t)(length), NULL))
#define ALLOCATE_MULTI(cls, dims, counts) ((Object *)CALL_LEAVING(new_multi_array, self, cls, (intptr_t)(dims), counts))
#define ENTER_MONITOR(object)                                                                                     \
    (UNLIKELY(thread_listener()) ? (bool)(uint8_t)CALL_LEAVING(monitor_enter_reporting, self, object, NULL, NULL) \
                                 : LIKELY(monitor_enter_fast(self, object)) ||                                    \
             (bool)(uint8_t)CALL_LEAVING(monitor_enter_slow, self, object, NULL, NULL))

// A taken branch.
#define BRANCH(offset)                                                         \
    do {                                                                       \
        int32_t offset_ = (offset);                                            \
        pc += offset_;                                                         \
        if (offset_ < 0) {                                                     \
            if (COUNT(frame->method)) goto hot_loop;                           \
            if (UNLIKELY(has_left_code(self, frame))) goto hot_loop;           \
            if (UNLIKELY(frame->method->template_code)) goto back_to_template; \
        }                                                                      \
        RELOAD();                                                              \
        DISPATCH();                                                            \
    } while (0)
// Counts an invocation, before anything is done for the callee.
#define COUNT_CALL()                                                             \
    do {                                                                         \
        if (COUNT(callee)) {                                                     \
            self->frame = frame;                                                 \
            if (interp_hooks.hot_method(self, callee) || UNSETTLED()) goto call; \
        }                                                                        \
    } while (0)
#define BRANCH_IF(condition)          \
    do {                              \
        if (condition) BRANCH(pc->b); \
        NEXT(1);                      \
    } while (0)
// The same where branches are counted. `number`: offset from the instruction's first counter.
#define COUNT_BRANCH(number, offset)       \
    do {                                   \
        frame->counts[pc->a + (number)]++; \
        BRANCH(offset);                    \
    } while (0)
#define COUNT_BRANCH_IF(condition)             \
    do {                                       \
        if (condition) COUNT_BRANCH(0, pc->b); \
        NEXT(1);                               \
    } while (0)
// A conditional branch, preceded by `before`.
#define OP_IF(name, before, condition) \
    OP(name) {                         \
        before;                        \
        BRANCH_IF(condition);          \
    }                                  \
    OP(name##_counted) {               \
        before;                        \
        COUNT_BRANCH_IF(condition);    \
    }

// A payload word stored before the header that DISPATCH has loaded, and one that may have been replaced since.
#define PAYLOAD(type, i) ((type)__atomic_load_n(&pc[i].p, __ATOMIC_RELAXED))
#define PAYLOAD_REPLACED(type, i) ((type)__atomic_load_n(&pc[i].p, __ATOMIC_ACQUIRE))

// Dispatches to the first word of `method`, whose arguments are the top `slots` slots.
#define CALL(method, slots)                                    \
    do {                                                       \
        frame->pc = pc;                                        \
        frame->sp = sp;                                        \
        sp -= (slots);                                         \
        callee = (method);                                     \
        pc = __atomic_load_n(&callee->code, __ATOMIC_ACQUIRE); \
        DISPATCH();                                            \
    } while (0)

// Continues after the caller's invocation, with `slots` slots of result at sp.
#define CONTINUE_CALLER(slots)                                           \
    do {                                                                 \
        sp += (slots);                                                   \
        if (UNLIKELY(frame->resume)) {                                   \
            template_state.result = (slots) ? sp[-(slots)].raw : 0;      \
            goto resume_template;                                        \
        }                                                                \
        RELOAD();                                                        \
        if (UNLIKELY(table != self->normal_dispatch)) goto stop_at_call; \
        pc = frame->pc + INSN_INVOKE_WORDS;                              \
        DISPATCH();                                                      \
    } while (0)

// Samples of time (vm/timing/tickwalk.h) read the thread's frame at any moment: it is complete when they see it, and not
// overwritten before they see its caller.
#define SHOW_FRAME()                                             \
    do {                                                         \
        __atomic_store_n(&self->frame, frame, __ATOMIC_RELEASE); \
        atomic_signal_fence(memory_order_seq_cst);               \
    } while (0)

// Leaves the frame and stores the result where the arguments were. The frame itself may begin there, so it is read
// first.
#define RETURN(slots, type, value) \
    do {                           \
        type result_ = (value);    \
        sp = locals;               \
        frame = frame->prev;       \
        SHOW_FRAME();              \
        locals = frame->locals;    \
        *(type *)sp = result_;     \
        CONTINUE_CALLER(slots);    \
    } while (0)

// Makes the callee's frame. `pc` is its enter word; the caller's pc and sp are stored.
#define PUSH_FRAME()                                                       \
    do {                                                                   \
        Frame *new_ = (Frame *)(sp + pc->a);                               \
        if (UNLIKELY(sp + pc->b > self->stack_limit)) goto stack_overflow; \
        new_->prev = frame;                                                \
        new_->method = callee;                                             \
        new_->resume = NULL;                                               \
        new_->locals = sp;                                                 \
        new_->monitor = NULL;                                              \
        new_->kind = FRAME_INTERP;                                         \
        new_->reason = 0;                                                  \
        new_->not_begun = false;                                           \
        new_->sampled = false;                                             \
        new_->call = FRAME_CALL_BEFORE;                                    \
        new_->inlined = NULL;                                              \
        new_->lock_count = 0;                                              \
        locals = sp;                                                       \
        sp = frame_stack(new_);                                            \
        frame = new_;                                                      \
        SHOW_FRAME();                                                      \
        pc++;                                                              \
    } while (0)

// A method begins, and its frame is complete: reports that if it is watched or its arguments are wanted.
#define BEGIN()                                           \
    do {                                                  \
        if (UNLIKELY(callee->events & EVENTS_AT_BEGIN)) { \
            SAVE();                                       \
            probes_begin(self, frame);                    \
        }                                                 \
    } while (0)

// Takes the monitor of a synchronized method whose frame has just been made.
#define LOCK_METHOD()                                                                         \
    do {                                                                                      \
        Object *target_ = method_is_static(callee) ? callee->cls->mirror : locals[0].o;       \
        SAVE();                                                                               \
        if (UNLIKELY(!ENTER_MONITOR(target_))) {                                              \
            frame = frame->prev;                                                              \
            goto unwind;                                                                      \
        }                                                                                     \
        frame->monitor = target_;                                                             \
        if (UNLIKELY(thread_listener()) && interp_reports(self)) probes_locked(self, callee); \
    } while (0)

#define COUNT_ENTRY(caller) count_entry(self, callee, caller, FLOW_ENTRY)

// A sampling check (vm/instrument/sampling.h): whether it begins a sample. May change the thread's table.
#define CHECK() \
    (frame->sampled = --self->sample.budget >= 0 && LIKELY(!self->sample.instrumented) ? false : sampling_decide(self))
// The same at an entry whose frame has been made. A method without loops and calls is part of its caller's sample.
#define CHECK_ENTRY()                                                                                        \
    (callee->mflags & MF_LEAF && LIKELY(interpreter.by_exits) ? (frame->sampled = self->sample.instrumented) \
         : UNLIKELY(self->sample.instrumented || has_left_code(self, frame->prev)) &&                        \
             continue_activation(self, frame, callee)                                                        \
         ? frame->sampled                                                                                    \
         : (frame->sampled = --self->sample.budget >= 0 && LIKELY(!self->sample.instrumented)                \
                ? false                                                                                      \
                : sampling_decide_entry(self, frame)))

#define CHECK_NULL(object)                          \
    do {                                            \
        if (UNLIKELY(!(object))) goto null_pointer; \
    } while (0)

// Checks the array operand `array_` and the index `index_`.
#define CHECK_ELEMENT(array_slot, index_slot)           \
    Object *array_ = (array_slot).o;                    \
    uint32_t index_ = (index_slot).u;                   \
    CHECK_NULL(array_);                                 \
    if (UNLIKELY(index_ >= (uint32_t)array_->length)) { \
        bad_index = (int32_t)index_;                    \
        bad_length = array_->length;                    \
        goto out_of_bounds;                             \
    }

#define ARRAY_LOAD(name, type, slots, conversion)                  \
    OP(name) {                                                     \
        CHECK_ELEMENT(sp[-2], sp[-1])                              \
        sp[-2].raw = (conversion)ARRAY_DATA(array_, type)[index_]; \
        sp += (slots)-2;                                           \
        NEXT(1);                                                   \
    }                                                              \
    OP(name##_al) {                                                \
        pc += 2;                                                   \
        CHECK_ELEMENT(locals[pc[-2].a], locals[pc[-1].a])          \
        sp[0].raw = (conversion)ARRAY_DATA(array_, type)[index_];  \
        sp += (slots);                                             \
        NEXT(1);                                                   \
    }                                                              \
    OP(name##_l) {                                                 \
        pc += 1;                                                   \
        CHECK_ELEMENT(sp[-1], locals[pc[-1].a])                    \
        sp[-1].raw = (conversion)ARRAY_DATA(array_, type)[index_]; \
        sp += (slots)-1;                                           \
        NEXT(1);                                                   \
    }
#define ARRAY_STORE(name, type, slots, value)             \
    OP(name) {                                            \
        CHECK_ELEMENT(sp[-2 - (slots)], sp[-1 - (slots)]) \
        ARRAY_DATA(array_, type)[index_] = (type)(value); \
        sp -= (slots) + 2;                                \
        NEXT(1);                                          \
    }

// Reports the value that an operation is about to compute, then executes it. `work` stores the value in `result`.
#define RESULT_OP(name, work)                \
    OP(name##_probed) {                      \
        Slot result;                         \
        work;                                \
        SAVE();                              \
        WAIT_FOR_SINKS();                    \
        probes_result(self, frame, &result); \
        goto op_##name;                      \
    }

#define INT_OP(name, expression)                                                               \
    RESULT_OP(name, uint32_t a = sp[-2].u; uint32_t b = sp[-1].u; SET_INT(result, expression)) \
    OP(name) {                                                                                 \
        uint32_t a = sp[-2].u, b = sp[-1].u;                                                   \
        SET_INT(sp[-2], expression);                                                           \
        sp -= 1;                                                                               \
        NEXT(1);                                                                               \
    }                                                                                          \
    OP(name##_ll) {                                                                            \
        uint32_t a = locals[pc[0].a].u, b = locals[pc[1].a].u;                                 \
        SET_INT(sp[0], expression);                                                            \
        sp += 1;                                                                               \
        NEXT(3);                                                                               \
    }                                                                                          \
    OP(name##_lc) {                                                                            \
        uint32_t a = locals[pc[0].a].u, b = (uint32_t)pc[1].b;                                 \
        SET_INT(sp[0], expression);                                                            \
        sp += 1;                                                                               \
        NEXT(3);                                                                               \
    }                                                                                          \
    OP(name##_l) {                                                                             \
        uint32_t a = sp[-1].u, b = locals[pc[0].a].u;                                          \
        SET_INT(sp[-1], expression);                                                           \
        NEXT(2);                                                                               \
    }                                                                                          \
    OP(name##_c) {                                                                             \
        uint32_t a = sp[-1].u, b = (uint32_t)pc[0].b;                                          \
        SET_INT(sp[-1], expression);                                                           \
        NEXT(2);                                                                               \
    }
#define LONG_OP(name, expression)                                                     \
    RESULT_OP(name, uint64_t a = (uint64_t)sp[-4].l; uint64_t b = (uint64_t)sp[-2].l; \
              result.l = (int64_t)(expression))                                       \
    OP(name) {                                                                        \
        uint64_t a = (uint64_t)sp[-4].l, b = (uint64_t)sp[-2].l;                      \
        sp[-4].l = (int64_t)(expression);                                             \
        sp -= 2;                                                                      \
        NEXT(1);                                                                      \
    }                                                                                 \
    OP(name##_dd) {                                                                   \
        uint64_t a = locals[pc[0].a].raw, b = locals[pc[1].a].raw;                    \
        sp[0].l = (int64_t)(expression);                                              \
        sp += 2;                                                                      \
        NEXT(3);                                                                      \
    }                                                                                 \
    OP(name##_d) {                                                                    \
        uint64_t a = (uint64_t)sp[-2].l, b = locals[pc[0].a].raw;                     \
        sp[-2].l = (int64_t)(expression);                                             \
        NEXT(2);                                                                      \
    }
#define LONG_SHIFT(name, expression)                                                                               \
    RESULT_OP(name, uint64_t a = (uint64_t)sp[-3].l; uint32_t b = sp[-1].u & 63; result.l = (int64_t)(expression)) \
    OP(name) {                                                                                                     \
        uint64_t a = (uint64_t)sp[-3].l;                                                                           \
        uint32_t b = sp[-1].u & 63;                                                                                \
        sp[-3].l = (int64_t)(expression);                                                                          \
        sp -= 1;                                                                                                   \
        NEXT(1);                                                                                                   \
    }
#define FLOAT_OP(name, expression)                                                   \
    RESULT_OP(name, float a = sp[-2].f; float b = sp[-1].f; result.f = (expression)) \
    OP(name) {                                                                       \
        float a = sp[-2].f, b = sp[-1].f;                                            \
        sp[-2].f = (expression);                                                     \
        sp -= 1;                                                                     \
        NEXT(1);                                                                     \
    }
#define DOUBLE_OP(name, expression)                                                    \
    RESULT_OP(name, double a = sp[-4].d; double b = sp[-2].d; result.d = (expression)) \
    OP(name) {                                                                         \
        double a = sp[-4].d, b = sp[-2].d;                                             \
        sp[-4].d = (expression);                                                       \
        sp -= 2;                                                                       \
        NEXT(1);                                                                       \
    }                                                                                  \
    OP(name##_dd) {                                                                    \
        double a = locals[pc[0].a].d, b = locals[pc[1].a].d;                           \
        sp[0].d = (expression);                                                        \
        sp += 2;                                                                       \
        NEXT(3);                                                                       \
    }                                                                                  \
    OP(name##_d) {                                                                     \
        double a = sp[-2].d, b = locals[pc[0].a].d;                                    \
        sp[-2].d = (expression);                                                       \
        NEXT(2);                                                                       \
    }
#define INT_DIVIDE(name, function)                                                                                   \
    RESULT_OP(name, if (UNLIKELY(sp[-1].i == 0)) goto divide_by_zero; SET_INT(result, function(sp[-2].i, sp[-1].i))) \
    OP(name) {                                                                                                       \
        int32_t a = sp[-2].i, b = sp[-1].i;                                                                          \
        if (UNLIKELY(b == 0)) goto divide_by_zero;                                                                   \
        SET_INT(sp[-2], function(a, b));                                                                             \
        sp -= 1;                                                                                                     \
        NEXT(1);                                                                                                     \
    }
#define LONG_DIVIDE(name, function)                                                                            \
    RESULT_OP(name, if (UNLIKELY(sp[-2].l == 0)) goto divide_by_zero; result.l = function(sp[-4].l, sp[-2].l)) \
    OP(name) {                                                                                                 \
        int64_t a = sp[-4].l, b = sp[-2].l;                                                                    \
        if (UNLIKELY(b == 0)) goto divide_by_zero;                                                             \
        sp[-4].l = function(a, b);                                                                             \
        sp -= 2;                                                                                               \
        NEXT(1);                                                                                               \
    }
// Converts a value of `from` slots to one of `to` slots.
#define CONVERT(name, from, to, statement)                              \
    RESULT_OP(name, Slot *v = &result; result = sp[-(from)]; statement) \
    OP(name) {                                                          \
        Slot *v = sp - (from);                                          \
        statement;                                                      \
        sp += (to) - (from);                                            \
        NEXT(1);                                                        \
    }
#define COMPARE(name, slots, member, unordered)                                                        \
    RESULT_OP(name, SET_INT(result, compare(sp[-2 * (slots)].member, sp[-(slots)].member, unordered))) \
    OP(name) {                                                                                         \
        SET_INT(sp[-2 * (slots)], compare(sp[-2 * (slots)].member, sp[-(slots)].member, unordered));   \
        sp -= 2 * (slots)-1;                                                                           \
        NEXT(1);                                                                                       \
    }

#define IF_ZERO(name, member, condition) OP_IF(name, sp -= 1, sp[0].member condition)
#define IF_ZERO_LOCAL(name, suffix, member, condition) \
    IF_ZERO(name, member, condition)                   \
    OP_IF(name##_##suffix, pc += 1, locals[pc[-1].a].member condition)
#define IF_INTS(name, comparison)                                               \
    IF_PAIR(name, i, comparison)                                                \
    OP_IF(name##_ll, pc += 2, locals[pc[-2].a].i comparison locals[pc[-1].a].i) \
    OP_IF(name##_lc, pc += 2, locals[pc[-2].a].i comparison pc[-1].b)           \
    OP_IF(name##_l, pc += 1; sp -= 1, sp[0].i comparison locals[pc[-1].a].i)    \
    OP_IF(name##_c, pc += 1; sp -= 1, sp[0].i comparison pc[-1].b)
// A three-way comparison of 2-slot values and the branch that tests it.
#define COMPARE_IF(name, condition)                                                  \
    OP_IF(lcmp_##name, pc += 1; sp -= 4, sp[0].l condition sp[2].l)                  \
    OP_IF(dcmpl_##name, pc += 1; sp -= 4, compare(sp[0].d, sp[2].d, -1) condition 0) \
    OP_IF(dcmpg_##name, pc += 1; sp -= 4, compare(sp[0].d, sp[2].d, 1) condition 0)
#define IF_PAIR(name, member, comparison) OP_IF(name, sp -= 2, sp[0].member comparison sp[1].member)

// Loads of plain and of volatile fields (JLS 17.4). They are the same on a processor that does not reorder loads.
#define LOAD_PLAIN(address) (*(address))
#define LOAD_VOLATILE(address)                                            \
    ({                                                                    \
        __typeof__(address) at_ = (address);                              \
        __typeof__(*at_) value_ = __atomic_load_n(at_, __ATOMIC_SEQ_CST); \
        THREAD_REPORT(sync_acquire, self, NULL, at_);                     \
        value_;                                                           \
    })

#define GET_STATIC(name, type, slots, conversion)            \
    GET_STATIC_BY(LOAD_PLAIN, name, type, slots, conversion) \
    GET_STATIC_BY(LOAD_VOLATILE, name##_v, type, slots, conversion)
#define GET_STATIC_BY(LOAD, name, type, slots, conversion)      \
    OP(getstatic_##name) {                                      \
        sp[0].raw = (conversion)LOAD(PAYLOAD(const type *, 1)); \
        sp += (slots);                                          \
        NEXT(2);                                                \
    }
// The barrier of a store, if the type of the operation is a reference.
#define STORED(site, name, place) \
    if ((#name)[0] == 'a') barrier_stored(BARRIER_##site, place)
#define PUT_STATIC(name, type, slots, value)                     \
    OP(putstatic_##name) {                                       \
        *PAYLOAD(type *, 1) = (type)(value);                     \
        STORED(interpreter_putstatic, name, PAYLOAD(type *, 1)); \
        sp -= (slots);                                           \
        NEXT(2);                                                 \
    }
#define GET_FIELD(name, type, slots, conversion)            \
    GET_FIELD_BY(LOAD_PLAIN, name, type, slots, conversion) \
    GET_FIELD_BY(LOAD_VOLATILE, name##_v, type, slots, conversion)
#define GET_FIELD_BY(LOAD, name, type, slots, conversion)               \
    OP(getfield_##name) {                                               \
        const Object *o = sp[-1].o;                                     \
        CHECK_NULL(o);                                                  \
        sp[-1].raw = (conversion)LOAD(&FIELD_AT(o, pc->b, const type)); \
        sp += (slots)-1;                                                \
        NEXT(1);                                                        \
    }                                                                   \
    OP(getfield_##name##_a) {                                           \
        const Object *o = locals[pc->a].o;                              \
        pc += 1;                                                        \
        CHECK_NULL(o);                                                  \
        sp[0].raw = (conversion)LOAD(&FIELD_AT(o, pc->b, const type));  \
        sp += (slots);                                                  \
        NEXT(1);                                                        \
    }
#define PUT_FIELD(name, type, slots, value)                            \
    OP(putfield_##name) {                                              \
        Object *o = sp[-1 - (slots)].o;                                \
        CHECK_NULL(o);                                                 \
        FIELD_AT(o, pc->b, type) = (type)(value);                      \
        STORED(interpreter_putfield, name, &FIELD_AT(o, pc->b, type)); \
        sp -= 1 + (slots);                                             \
        NEXT(1);                                                       \
    }

// The first execution of an instruction: it is resolved by `resolves` and then executed again.
#define RESOLVE(name, resolves)       \
    OP(name) {                        \
        SAVE();                       \
        if (!(resolves)) goto unwind; \
        SETTLE();                     \
        DISPATCH();                   \
    }

// ---- the loop -----------------------------------------------------------------------------------

typedef enum Outcome { RETURNED, THREW, AGAIN } Outcome;
typedef enum Start {
    CALL_METHOD,  // runs `callee` from its ENTRY frame
    CATCH,        // continues in `frame`, at its pc, with the pending exception as operand; requested by AGAIN
    CONTINUE,     // continues in `frame`, at its pc, with its operands
    THROW,        // throws the pending exception in `frame`
    LEFT,         // continues after template code that has left for the interpreter
} Start;

// Without a thread, only publishes the tables. `given`: the Method for CALL_METHOD, the TemplateState for LEFT.
// In a separate section, so that a sample of time is known to have interrupted it (interp_is_loop).
static __attribute__((noinline, section("cabernet_loop"))) Outcome run(Thread *self, Start start, void *given,
                                                                       Frame *frame) {
    static const void *const plain[INSN_COUNT] = {
#define INSN(name, words) [INSN_##name] = &&op_##name,
#define FUSED(name, first) [INSN_##name] = &&op_##name,
#include "vm/interp/insn.def"
    };
    // The handlers of operations that report events; `checked` and `counted` are those that make checks and count.
    static const void *const probed[INSN_COUNT] = {
#define PROBED(name, words, place) [INSN_##name] = &&op_##name##_probed,
#define ACCESS(name, words) [INSN_##name] = &&op_access_probed,
#define ARRAY(name, words) [INSN_##name] = &&op_array_probed,
#define LEAVE(name, words) [INSN_##name] = &&op_leave_probed,
#define SELECT(name, words) [INSN_##name] = &&op_select_probed,
#define BRANCH_OP(name, words) [INSN_##name] = &&op_branch_probed,
#define FUSED(name, first) [INSN_##name] = &&op_##first,
#include "vm/interp/insn.def"
    };
    static const void *const checked[INSN_COUNT] = {
#define ENTRY(name, words) [INSN_##name] = &&op_##name##_checked,
#define BRANCH_OP(name, words) [INSN_##name] = &&op_branch_checked,
#define BRANCH_OP2(name, first, second) [INSN_##name] = &&op_branch2_checked,
#define BRANCH_OP3(name, first, second, third) [INSN_##name] = &&op_branch3_checked,
#include "vm/interp/insn.def"
        [INSN_enter_compiled] = &&op_enter_compiled_checked,
    };
    static const void *const counted[INSN_COUNT] = {
#define COUNTED(name, words) [INSN_##name] = &&op_##name##_counted,
#define ENTRY(name, words) COUNTED(name, words)
#define BRANCH_OP(name, words) COUNTED(name, words)
#define BRANCH_OP2(name, first, second) COUNTED(name, 0)
#define BRANCH_OP3(name, first, second, third) COUNTED(name, 0)
#include "vm/interp/insn.def"
        [INSN_invoke_object_init] = &&op_invoke_object_init_counted,
    };
    // The first parts of fused instructions, to execute the parts one by one.
    static const void *const unfused[INSN_COUNT] = {
#define INSN(name, words) [INSN_##name] = &&op_##name,
#define FUSED(name, first) [INSN_##name] = &&op_##first,
#include "vm/interp/insn.def"
    };
    static const void *const stop[INSN_COUNT] = {
#define INSN(name, words) [INSN_##name] = &&op_stop,
#define FUSED(name, first) [INSN_##name] = &&op_stop,
#include "vm/interp/insn.def"
    };
    if (!self) {
        interpreter.labels = (Labels){plain, probed, checked, counted, unfused, &&op_leave_sampled, &&op_instruction};
        interpreter.tables[INTERP_PLAIN] = plain;
        __atomic_store_n(&interpreter.tables[INTERP_STOP], stop, __ATOMIC_RELEASE);
        return RETURNED;
    }

    register Slot *sp = frame_stack(frame);
    register Slot *locals = sp;
    register const Insn *pc;
    register const void *const *table;
    Method *callee = given;
    int32_t bad_index, bad_length;
    TemplateState template_state;
    TemplateExitKind template_exit;
    switch (start) {
        case CALL_METHOD: break;
        case CATCH: goto resume;
        case CONTINUE:
            locals = frame->locals;
            pc = frame->pc;
            sp = frame->sp;
            if (UNLIKELY(self->code_sample == CODE_SAMPLE_ENTERS)) goto begin_sample;
            RELOAD();
            DISPATCH();
        case THROW: goto unwind;
        case LEFT:
            template_state = *(const TemplateState *)given;
            template_exit = template_state.exit;
            table = self->normal_dispatch;
            goto left_template;
    }
    pc = __atomic_load_n(&callee->code, __ATOMIC_ACQUIRE);

    // The first word must not be dispatched with the STOP table.
    if (UNLIKELY((table = thread_dispatch(self)) == stop)) {
        CALL_LEAVING(thread_safepoint, self, NULL, NULL, NULL);
        table = self->normal_dispatch;
    }
    if (UNLIKELY(self->exception)) goto unwind;
    DISPATCH();

    // ---- method entry and exit ----

    OP(halt) {
        self->frame = frame;
        return RETURNED;
    }
    OP(enter_cold) {
        interp_decode(callee);
        self->frame = frame;
        interp_hooks.first_call(self, callee, sp);
        goto call;
    }
    // Compiled frames are not on the Java stack; frames of their callees follow this boundary.
    OP(enter_compiled) {
        Frame *f = (Frame *)(sp + (callee->nargs ? callee->nargs : 1));
        if (UNLIKELY((Slot *)(f + 1) > self->stack_limit)) goto stack_overflow;
        *f = (Frame){.prev = frame, .method = callee, .sp = frame_stack(f), .locals = sp, .kind = FRAME_COMPILED};
        self->frame = f;
        bool checking = self->sample.checking, instrumented = self->sample.instrumented;
        CALL_LEAVING(interp_hooks.call_code, self, callee, 0, sp);
        self->frame = frame;
        // The caller is not affected by a sample that began in the callee.
        if (UNLIKELY(self->sample.instrumented != instrumented) && checking)
            sampling_set_instrumented(self, instrumented);
        if (UNLIKELY(self->exception)) goto unwind_called;
        CONTINUE_CALLER(interp_slots(callee->ret));
    }
    // A check that is due is made here, because compiled code would make it and be left immediately. Methods that make
    // no check are part of their caller's sample.
    OP(enter_compiled_checked) {
        bool leaf = callee->mflags & MF_LEAF;
        if (LIKELY(!interpreter.by_exits || (leaf ? !self->sample.instrumented : self->sample.budget > 0)) &&
            LIKELY(!inlined_at(self, frame, callee)))
            goto op_enter_compiled;
        if (callee->mflags & MF_INTRINSIC) {
            if (self->sample.instrumented) goto op_enter_try_probed;
            goto op_enter_try;
        }
        if (callee->flags & ACC_SYNCHRONIZED) goto op_enter_sync_checked;
        goto op_enter_checked;
    }
    OP(enter_compiled_counted) {
        Frame *f = (Frame *)(sp + (callee->nargs ? callee->nargs : 1));
        if (UNLIKELY((Slot *)(f + 1) > self->stack_limit)) goto stack_overflow;
        *f = (Frame){.prev = frame, .method = callee, .sp = frame_stack(f), .locals = sp, .kind = FRAME_COMPILED};
        self->frame = f;
        CALL_LEAVING(interp_hooks.call_code, self, callee, interp_count_compiled(self, callee, frame), sp);
        self->frame = frame;
        if (UNLIKELY(self->exception)) goto unwind_called;
        CONTINUE_CALLER(interp_slots(callee->ret));
    }
    // Template code makes the frame, and runs until it needs the interpreter.
    OP(enter_template) {
        // A thread that has waited for a monitor may not know yet that it must report events.
        if (UNLIKELY(table != interpreter.template_table || table != self->normal_dispatch)) {
            if (callee->flags & ACC_SYNCHRONIZED) goto op_enter_sync;
            goto op_enter;
        }
        if (UNLIKELY(sp + pc->b > self->stack_limit)) goto stack_overflow;
        template_state.args = sp;
        template_state.callee = callee;
        template_exit = interp_hooks.enter_template(self, frame, interp_hooks.template_begin(callee, false),
                                                    &template_state);
        goto left_template;
    }
    OP(enter_template_probed) {
        if (LIKELY(table == interpreter.template_table && table == self->normal_dispatch)) goto op_enter_template;
        if (callee->flags & ACC_SYNCHRONIZED) goto op_enter_sync_probed;
        goto op_enter_probed;
    }
    OP(enter_template_counted) {
        if (LIKELY(table == interpreter.template_table && table == self->normal_dispatch)) goto op_enter_template;
        if (callee->flags & ACC_SYNCHRONIZED) goto op_enter_sync_counted;
        goto op_enter_counted;
    }
    OP(enter_template_checked) {
        if (LIKELY(table == interpreter.template_table && table == self->normal_dispatch) &&
            LIKELY(!inlined_at(self, frame, callee)))
            goto op_enter_template;
        if (callee->flags & ACC_SYNCHRONIZED) goto op_enter_sync_checked;
        goto op_enter_checked;
    }
    OP(enter) {
        COUNT_CALL();
        PUSH_FRAME();
        RELOAD();
        DISPATCH();
    }
    OP(enter_probed) {
        COUNT_CALL();
        PUSH_FRAME();
        frame->path = 0;
        SAVE();
        WAIT_FOR_SINKS();
        report_call(self, callee, frame->prev);
        BEGIN();
        RELOAD();
        DISPATCH();
    }
    OP(enter_counted) {
        COUNT_CALL();
        PUSH_FRAME();
        frame->path = 0;
        frame->counts = COUNT_ENTRY(frame->prev);
        BEGIN();
        RELOAD();
        DISPATCH();
    }
    OP(enter_checked) {
        COUNT_CALL();
    enter_check:
        PUSH_FRAME();
        frame->path = 0;
        if (UNLIKELY(CHECK_ENTRY()) && interpreter.profile.reports_calls) {
            SAVE();
            report_call(self, callee, frame->prev);
            BEGIN();
        }
        RELOAD();
        DISPATCH();
    }
    OP(enter_sync) {
        COUNT_CALL();
        PUSH_FRAME();
        LOCK_METHOD();
        RELOAD();
        DISPATCH();
    }
    OP(enter_sync_probed) {
        COUNT_CALL();
        PUSH_FRAME();
        frame->path = 0;
        LOCK_METHOD();
        WAIT_FOR_SINKS();
        report_call(self, callee, frame->prev);
        BEGIN();
        RELOAD();
        DISPATCH();
    }
    OP(enter_sync_counted) {
        COUNT_CALL();
        PUSH_FRAME();
        frame->path = 0;
        frame->call = FRAME_CALL_LOCKS;
        LOCK_METHOD();
        frame->call = FRAME_CALL_BEFORE;
        frame->counts = COUNT_ENTRY(frame->prev);
        BEGIN();
        RELOAD();
        DISPATCH();
    }
    OP(enter_sync_checked) {
        COUNT_CALL();
    enter_sync_check:
        PUSH_FRAME();
        frame->path = 0;
        LOCK_METHOD();
        if (CHECK_ENTRY() && interpreter.profile.reports_calls) {
            report_call(self, callee, frame->prev);
            BEGIN();
        }
        RELOAD();
        DISPATCH();
    }
    OP(enter_native) {
        int slots = pc->a;
        self->frame = frame;
        if (!(bool)(uint8_t)CALL_LEAVING(native_call, self, callee, sp, NULL)) goto unwind_called;
        CONTINUE_CALLER(slots);
    }
    OP(enter_native_probed) {
        int slots = pc->a;
        self->frame = frame;
        if (!native_lookup(self, callee)) goto unwind;
        if (push_intrinsic_frame(self, callee, sp, frame)) report_call(self, callee, frame);
        bool done = (uint8_t)CALL_LEAVING(native_call, self, callee, sp, NULL);
        probes_exit(self, callee, !done);
        if (!done) goto unwind;
        CONTINUE_CALLER(slots);
    }
    OP(enter_native_counted) {
        int slots = pc->a;
        self->frame = frame;
        if (!native_lookup(self, callee)) goto unwind;
        if (push_intrinsic_frame(self, callee, sp, frame)) {
            COUNT_ENTRY(frame);
            frame->call = FRAME_CALL_ENTERED;
        }
        bool done = (uint8_t)CALL_LEAVING(native_call, self, callee, sp, NULL);
        probes_exit(self, callee, !done);
        if (!done) goto unwind;
        frame->call = FRAME_CALL_BEFORE;
        CONTINUE_CALLER(slots);
    }
    OP(enter_native_checked) {
        if (CHECK() && interpreter.profile.reports_calls) goto op_enter_native_probed;
        goto op_enter_native;
    }
    OP(enter_leaf) {
        int slots = pc->a;
        self->frame = frame;
        callee->intrinsic(self, sp);
        if (UNLIKELY(self->exception)) goto unwind;
        CONTINUE_CALLER(slots);
    }
    OP(enter_leaf_probed) {
        int slots = pc->a;
        self->frame = frame;
        report_call(self, callee, frame);
        callee->intrinsic(self, sp);
        probes_exit(self, callee, self->exception != NULL);
        if (UNLIKELY(self->exception)) goto unwind;
        CONTINUE_CALLER(slots);
    }
    OP(enter_leaf_counted) {
        int slots = pc->a;
        self->frame = frame;
        COUNT_ENTRY(frame);
        frame->call = FRAME_CALL_ENTERED;
        callee->intrinsic(self, sp);
        probes_exit(self, callee, self->exception != NULL);
        if (UNLIKELY(self->exception)) goto unwind;
        frame->call = FRAME_CALL_BEFORE;
        CONTINUE_CALLER(slots);
    }
    OP(enter_leaf_checked) {
        if (CHECK() && interpreter.profile.reports_calls) goto op_enter_leaf_probed;
        goto op_enter_leaf;
    }
    OP(enter_intrinsic) {
        int slots = pc->a;
        Frame *f = push_intrinsic_frame(self, callee, sp, frame);
        if (UNLIKELY(!f)) goto stack_overflow;
        self->frame = f;
        CALL_LEAVING(callee->intrinsic, self, sp, NULL, NULL);
        self->frame = frame;
        if (UNLIKELY(self->exception)) goto unwind_called;
        CONTINUE_CALLER(slots);
    }
    OP(enter_intrinsic_probed) {
        int slots = pc->a;
        self->frame = frame;
        Frame *f = push_intrinsic_frame(self, callee, sp, frame);
        if (UNLIKELY(!f)) goto stack_overflow;
        report_call(self, callee, frame);
        self->frame = f;
        CALL_LEAVING(callee->intrinsic, self, sp, NULL, NULL);
        self->frame = frame;
        probes_exit(self, callee, self->exception != NULL);
        if (UNLIKELY(self->exception)) goto unwind;
        CONTINUE_CALLER(slots);
    }
    OP(enter_intrinsic_counted) {
        int slots = pc->a;
        self->frame = frame;
        Frame *f = push_intrinsic_frame(self, callee, sp, frame);
        if (UNLIKELY(!f)) goto stack_overflow;
        COUNT_ENTRY(frame);
        self->frame = f;
        CALL_LEAVING(callee->intrinsic, self, sp, NULL, NULL);
        self->frame = frame;
        probes_exit(self, callee, self->exception != NULL);
        if (UNLIKELY(self->exception)) goto unwind_called;
        CONTINUE_CALLER(slots);
    }
    OP(enter_intrinsic_checked) {
        if (CHECK() && interpreter.profile.reports_calls) goto op_enter_intrinsic_probed;
        goto op_enter_intrinsic;
    }
    OP(enter_try) {
        self->frame = frame;
        if (!((IntrinsicTryFn)(void (*)(void))callee->intrinsic)(self, sp)) {
            SETTLE();
            NEXT(1);
        }
        if (UNLIKELY(self->exception)) goto unwind;
        CONTINUE_CALLER(pc->a);
    }
    OP(enter_try_probed) {
        self->frame = frame;
        if (!((IntrinsicTryFn)(void (*)(void))callee->intrinsic)(self, sp)) NEXT(1);
        report_call(self, callee, frame);
        probes_exit(self, callee, self->exception != NULL);
        if (UNLIKELY(self->exception)) goto unwind;
        CONTINUE_CALLER(pc->a);
    }
    OP(enter_try_counted) {
        self->frame = frame;
        if (!((IntrinsicTryFn)(void (*)(void))callee->intrinsic)(self, sp)) NEXT(1);
        count_entry(self, callee, frame, FLOW_DONE);
        probes_exit(self, callee, self->exception != NULL);
        if (UNLIKELY(self->exception)) goto unwind_called;
        CONTINUE_CALLER(pc->a);
    }
    // One check for each entry: if the intrinsic declines, the enter word that follows makes it.
    OP(enter_try_checked) {
        self->frame = frame;
        if (!((IntrinsicTryFn)(void (*)(void))callee->intrinsic)(self, sp)) NEXT(1);
        if (CHECK() && interpreter.profile.reports_calls) {
            report_call(self, callee, frame);
            probes_exit(self, callee, self->exception != NULL);
        }
        if (UNLIKELY(self->exception)) goto unwind;
        CONTINUE_CALLER(pc->a);
    }
    OP(enter_unlinked) {
        self->frame = frame;
        quicken_throw_unlinked(self, callee, sp);
        goto unwind;
    }
    // Instructions that replace themselves by their target, after `find`. The counted version reports calls between
    // visible methods, because no other code reports those made in this way.
#define OP_TARGET(name, find)                                                                 \
    OP(name) {                                                                                \
        find;                                                                                 \
        pc = __atomic_load_n(&callee->code, __ATOMIC_ACQUIRE);                                \
        DISPATCH();                                                                           \
    }                                                                                         \
    OP(name##_counted) {                                                                      \
        find;                                                                                 \
        if (interpreter.profile.counts_calls && counts_calls(frame) && scope_visible(callee)) \
            report_entered(self, callee, frame);                                              \
        pc = __atomic_load_n(&callee->code, __ATOMIC_ACQUIRE);                                \
        DISPATCH();                                                                           \
    }
    OP_TARGET(enter_basic, {
        const Object *handle = sp[0].o;
        if (UNLIKELY(!handle)) goto null_callee;
        callee = mh_basic_target(handle);
    })
    OP_TARGET(enter_link, {
        self->frame = frame;
        callee = mh_link_target(self, callee->sigpoly, sp, callee->nargs);
        if (UNLIKELY(!callee)) goto unwind;
    })
    OP(unlock) {
        Object *monitor = frame->monitor;
        SAVE();
        frame->monitor = NULL;
        if (UNLIKELY(!monitor_exit(self, monitor))) goto unwind;
        SETTLE();
        NEXT(1);
    }
    OP(unlock_checked) {
        SAVE();
        if (UNLIKELY(!framelocks_return(self, frame))) goto unwind;
        SETTLE();
        NEXT(1);
    }
    OP(finalizer) {
        Object *o = locals[0].o;
        if (UNLIKELY(object_class(o)->cflags & CF_FINALIZER)) {
            SAVE();
            if (!invoke_void(self, WK_M(Finalizer_register), ENTRY_VM, 1, o)) goto unwind;
            SETTLE();
        }
        NEXT(1);
    }
    OP(ireturn) RETURN(1, uintptr_t, sp[-1].u);
    OP(ireturn_z) RETURN(1, uintptr_t, sp[-1].u & 1);
    OP(ireturn_b) RETURN(1, uintptr_t, (uint32_t)(int8_t)sp[-1].i);
    OP(ireturn_c) RETURN(1, uintptr_t, (uint16_t)sp[-1].i);
    OP(ireturn_s) RETURN(1, uintptr_t, (uint32_t)(int16_t)sp[-1].i);
    OP(lreturn) RETURN(2, int64_t, sp[-2].l);
    OP(areturn) RETURN(1, Object *, sp[-1].o);
    OP(load_ireturn) RETURN(1, uintptr_t, locals[pc->a].u);
    OP(iconst_ireturn) RETURN(1, uintptr_t, (uint32_t)pc->b);
    OP(iconst_ireturn_z) RETURN(1, uintptr_t, (uint32_t)pc->b & 1);
    OP(aload_areturn) RETURN(1, Object *, locals[pc->a].o);
    // clang-format off
    OP(return) {
        // clang-format on
        object_publishable();  // the end of a constructor: its class may have final fields
        sp = locals;
        frame = frame->prev;
        SHOW_FRAME();
        locals = frame->locals;
        CONTINUE_CALLER(0);
    }

    // ---- constants and local variables ----

    OP(nop) NEXT(1);
    OP(aconst_null) {
        sp[0].o = NULL;
        sp += 1;
        NEXT(1);
    }
    OP(iconst) {
        SET_INT(sp[0], pc->b);
        sp += 1;
        NEXT(1);
    }
    OP(lconst) {
        sp[0].l = pc[1].l;
        sp += 2;
        NEXT(2);
    }
    RESOLVE(ldc, quicken_ldc(self, (Insn *)pc))
    RESOLVE(ldc2, quicken_ldc(self, (Insn *)pc))
    OP(ldc_ref) {
        sp[0].o = *PAYLOAD(Object **, 1);
        sp += 1;
        NEXT(2);
    }
    OP(load) {
        SET_INT(sp[0], locals[pc->a].u);
        sp += 1;
        NEXT(1);
    }
    OP(aload) {
        sp[0].raw = locals[pc->a].raw;
        sp += 1;
        NEXT(1);
    }
    OP(load2) {
        sp[0].raw = locals[pc->a].raw;
        sp += 2;
        NEXT(1);
    }
    OP(store) {
        sp -= 1;
        SET_INT(locals[pc->a], sp[0].u);
        NEXT(1);
    }
    OP(astore) {
        sp -= 1;
        locals[pc->a].raw = sp[0].raw;
        NEXT(1);
    }
    OP(store2) {
        sp -= 2;
        locals[pc->a].raw = sp[0].raw;
        NEXT(1);
    }
    OP(iinc) {
        SET_INT(locals[pc->a], locals[pc->a].u + (uint32_t)pc->b);
        NEXT(1);
    }

    OP(load_load) {
        SET_INT(sp[0], locals[pc[0].a].u);
        SET_INT(sp[1], locals[pc[1].a].u);
        sp += 2;
        NEXT(2);
    }
    OP(aload_load) {
        sp[0].raw = locals[pc[0].a].raw;
        SET_INT(sp[1], locals[pc[1].a].u);
        sp += 2;
        NEXT(2);
    }
    OP(aload_aload) {
        sp[0].raw = locals[pc[0].a].raw;
        sp[1].raw = locals[pc[1].a].raw;
        sp += 2;
        NEXT(2);
    }
    OP(load2_load2) {
        sp[0].raw = locals[pc[0].a].raw;
        sp[2].raw = locals[pc[1].a].raw;
        sp += 4;
        NEXT(2);
    }
    OP(store_load) {
        SET_INT(locals[pc[0].a], sp[-1].u);
        SET_INT(sp[-1], locals[pc[1].a].u);
        NEXT(2);
    }
    OP(astore_aload) {
        locals[pc[0].a].raw = sp[-1].raw;
        sp[-1].raw = locals[pc[1].a].raw;
        NEXT(2);
    }
    OP(iinc_goto) {
        SET_INT(locals[pc->a], locals[pc->a].u + (uint32_t)pc->b);
        pc += 1;
        BRANCH(pc->b);
    }
    OP(iinc_goto_counted) {
        SET_INT(locals[pc->a], locals[pc->a].u + (uint32_t)pc->b);
        pc += 1;
        COUNT_BRANCH(0, pc->b);
    }
    OP(store_goto) {
        sp -= 1;
        SET_INT(locals[pc->a], sp[0].u);
        pc += 1;
        BRANCH(pc->b);
    }
    OP(store_goto_counted) {
        sp -= 1;
        SET_INT(locals[pc->a], sp[0].u);
        pc += 1;
        COUNT_BRANCH(0, pc->b);
    }

    // ---- arrays ----

    ARRAY_LOAD(iaload, uint32_t, 1, uint32_t)
    ARRAY_LOAD(laload, uint64_t, 2, uint64_t)
    ARRAY_LOAD(aaload, uintptr_t, 1, uintptr_t)
    ARRAY_LOAD(baload, int8_t, 1, uint32_t)
    ARRAY_LOAD(caload, uint16_t, 1, uint32_t)
    ARRAY_LOAD(saload, int16_t, 1, uint32_t)
    ARRAY_STORE(iastore, uint32_t, 1, sp[-1].u)
    ARRAY_STORE(lastore, int64_t, 2, sp[-2].l)
    ARRAY_STORE(castore, uint16_t, 1, sp[-1].u)
    OP(bastore) {
        CHECK_ELEMENT(sp[-3], sp[-2])
        int32_t mask = object_class(array_)->component->prim == 'Z' ? 1 : 0xff;
        ARRAY_DATA(array_, int8_t)[index_] = (int8_t)(sp[-1].i & mask);
        sp -= 3;
        NEXT(1);
    }
    OP(aastore) {
        CHECK_ELEMENT(sp[-3], sp[-2])
        Object *value = sp[-1].o;
        const Class *element = object_class(array_)->component;
        if (value && UNLIKELY(!class_is_subtype(object_class(value), element))) goto bad_store;
        ARRAY_DATA(array_, Object *)[index_] = value;
        barrier_stored(BARRIER_interpreter_aastore, &ARRAY_DATA(array_, Object *)[index_]);
        sp -= 3;
        NEXT(1);
    }
    RESULT_OP(arraylength, CHECK_NULL(sp[-1].o); SET_INT(result, sp[-1].o->length))
    OP(arraylength) {
        const Object *array = sp[-1].o;
        CHECK_NULL(array);
        SET_INT(sp[-1], array->length);
        NEXT(1);
    }

    // ---- operand stack ----

    OP(pop) {
        sp -= 1;
        NEXT(1);
    }
    OP(pop2) {
        sp -= 2;
        NEXT(1);
    }
    OP(dup) {
        sp[0].raw = sp[-1].raw;
        sp += 1;
        NEXT(1);
    }
    OP(dup_x1) {
        uintptr_t a = sp[-1].raw, b = sp[-2].raw;
        sp[-2].raw = a, sp[-1].raw = b, sp[0].raw = a;
        sp += 1;
        NEXT(1);
    }
    OP(dup_x2) {
        uintptr_t a = sp[-1].raw, b = sp[-2].raw, c = sp[-3].raw;
        sp[-3].raw = a, sp[-2].raw = c, sp[-1].raw = b, sp[0].raw = a;
        sp += 1;
        NEXT(1);
    }
    OP(dup2) {
        sp[0].raw = sp[-2].raw, sp[1].raw = sp[-1].raw;
        sp += 2;
        NEXT(1);
    }
    OP(dup2_x1) {
        uintptr_t a = sp[-1].raw, b = sp[-2].raw, c = sp[-3].raw;
        sp[-3].raw = b, sp[-2].raw = a, sp[-1].raw = c, sp[0].raw = b, sp[1].raw = a;
        sp += 2;
        NEXT(1);
    }
    OP(dup2_x2) {
        uintptr_t a = sp[-1].raw, b = sp[-2].raw, c = sp[-3].raw, d = sp[-4].raw;
        sp[-4].raw = b, sp[-3].raw = a, sp[-2].raw = d;
        sp[-1].raw = c, sp[0].raw = b, sp[1].raw = a;
        sp += 2;
        NEXT(1);
    }
    OP(swap) {
        uintptr_t a = sp[-1].raw, b = sp[-2].raw;
        sp[-2].raw = a, sp[-1].raw = b;
        NEXT(1);
    }

    // ---- arithmetic ----

    INT_OP(iadd, a + b)
    INT_OP(isub, a - b)
    INT_OP(imul, a * b)
    INT_OP(iand, a & b)
    INT_OP(ior, a | b)
    INT_OP(ixor, a ^ b)
    INT_OP(ishl, a << (b & 31))
    INT_OP(ishr, (int32_t)a >> (b & 31))
    INT_OP(iushr, a >> (b & 31))
    LONG_OP(ladd, a + b)
    LONG_OP(lsub, a - b)
    LONG_OP(lmul, a * b)
    LONG_OP(land, a & b)
    LONG_OP(lor, a | b)
    LONG_OP(lxor, a ^ b)
    LONG_SHIFT(lshl, a << b)
    LONG_SHIFT(lshr, (int64_t)a >> b)
    LONG_SHIFT(lushr, a >> b)
    FLOAT_OP(fadd, a + b)
    FLOAT_OP(fsub, a - b)
    FLOAT_OP(fmul, a * b)
    FLOAT_OP(fdiv, a / b)
    FLOAT_OP(frem, fmodf(a, b))
    DOUBLE_OP(dadd, a + b)
    DOUBLE_OP(dsub, a - b)
    DOUBLE_OP(dmul, a * b)
    DOUBLE_OP(ddiv, a / b)
    RESULT_OP(drem, result.d = fmod(sp[-4].d, sp[-2].d))
    OP(drem) {
        sp[-4].d = fmod(sp[-4].d, sp[-2].d);
        sp -= 2;
        NEXT(1);
    }
    INT_DIVIDE(idiv, divide_int)
    INT_DIVIDE(irem, remainder_int)
    LONG_DIVIDE(ldiv, divide_long)
    LONG_DIVIDE(lrem, remainder_long)
    CONVERT(ineg, 1, 1, SET_INT(*v, -v->u))
    CONVERT(lneg, 2, 2, v->l = (int64_t)(0 - (uint64_t)v->l))
    CONVERT(fneg, 1, 1, v->f = -v->f)
    CONVERT(dneg, 2, 2, v->d = -v->d)
    CONVERT(i2l, 1, 2, v->l = v->i)
    CONVERT(i2f, 1, 1, v->f = (float)v->i)
    CONVERT(i2d, 1, 2, v->d = v->i)
    CONVERT(l2i, 2, 1, SET_INT(*v, v->l))
    CONVERT(l2f, 2, 1, v->f = (float)v->l)
    CONVERT(l2d, 2, 2, v->d = (double)v->l)
    CONVERT(f2i, 1, 1, SET_INT(*v, double_to_int(v->f)))
    CONVERT(f2l, 1, 2, v->l = double_to_long(v->f))
    CONVERT(f2d, 1, 2, v->d = v->f)
    CONVERT(d2i, 2, 1, SET_INT(*v, double_to_int(v->d)))
    CONVERT(d2l, 2, 2, v->l = double_to_long(v->d))
    CONVERT(d2f, 2, 1, v->f = (float)v->d)
    CONVERT(i2b, 1, 1, SET_INT(*v, (int8_t)v->i))
    CONVERT(i2c, 1, 1, SET_INT(*v, (uint16_t)v->i))
    CONVERT(i2s, 1, 1, SET_INT(*v, (int16_t)v->i))
    RESULT_OP(lcmp, SET_INT(result, (sp[-4].l > sp[-2].l) - (sp[-4].l < sp[-2].l)))
    OP(lcmp) {
        int64_t a = sp[-4].l, b = sp[-2].l;
        SET_INT(sp[-4], (a > b) - (a < b));
        sp -= 3;
        NEXT(1);
    }
    COMPARE(fcmpl, 1, f, -1)
    COMPARE(fcmpg, 1, f, 1)
    COMPARE(dcmpl, 2, d, -1)
    COMPARE(dcmpg, 2, d, 1)

    // ---- control ----

    IF_ZERO_LOCAL(ifeq, l, i, == 0)
    COMPARE_IF(ifeq, ==)
    IF_ZERO_LOCAL(ifne, l, i, != 0)
    COMPARE_IF(ifne, !=)
    IF_ZERO_LOCAL(iflt, l, i, < 0)
    COMPARE_IF(iflt, <)
    IF_ZERO_LOCAL(ifge, l, i, >= 0)
    COMPARE_IF(ifge, >=)
    IF_ZERO_LOCAL(ifgt, l, i, > 0)
    COMPARE_IF(ifgt, >)
    IF_ZERO_LOCAL(ifle, l, i, <= 0)
    COMPARE_IF(ifle, <=)
    IF_ZERO_LOCAL(ifnull, a, o, == NULL)
    IF_ZERO_LOCAL(ifnonnull, a, o, != NULL)
    IF_INTS(if_icmpeq, ==)
    IF_INTS(if_icmpne, !=)
    IF_INTS(if_icmplt, <)
    IF_INTS(if_icmpge, >=)
    IF_INTS(if_icmpgt, >)
    IF_INTS(if_icmple, <=)
    IF_PAIR(if_acmpeq, o, ==)
    IF_PAIR(if_acmpne, o, !=)
    OP(goto) BRANCH(pc->b);
    OP(goto_counted) COUNT_BRANCH(0, pc->b);
    // A return address is the number of the word after the jsr.
    OP(jsr) {
        sp[0].raw = (uintptr_t)(pc + 1 - frame->method->code);
        sp += 1;
        BRANCH(pc->b);
    }
    OP(jsr_counted) {
        sp[0].raw = (uintptr_t)(pc + 1 - frame->method->code);
        sp += 1;
        COUNT_BRANCH(0, pc->b);
    }
    OP(ret) {
        pc = frame->method->code + locals[pc->a].raw;
        RELOAD();
        DISPATCH();
    }
    // The jsr has the counter.
    OP(ret_counted) {
        pc = frame->method->code + locals[pc->a].raw;
        frame->counts[pc[-1].a + 1]++;
        RELOAD();
        DISPATCH();
    }
    OP(tableswitch) {
        const int32_t *payload = (const int32_t *)(pc + 1);
        sp -= 1;
        uint32_t i = sp[0].u - (uint32_t)payload[0];
        BRANCH(i < (uint32_t)payload[1] ? payload[2 + i] : pc->b);
    }
    OP(tableswitch_counted) {
        const int32_t *payload = (const int32_t *)(pc + 1);
        sp -= 1;
        uint32_t i = sp[0].u - (uint32_t)payload[0];
        if (i < (uint32_t)payload[1]) COUNT_BRANCH(i, payload[2 + i]);
        COUNT_BRANCH(payload[1], pc->b);
    }
    OP(lookupswitch) {
        const int32_t *payload = (const int32_t *)(pc + 1);
        sp -= 1;
        int32_t key = sp[0].i;
        int32_t low = 0, high = payload[0] - 1;
        while (low <= high) {
            int32_t mid = (low + high) >> 1;
            if (payload[2 + 2 * mid] == key) BRANCH(payload[3 + 2 * mid]);
            if (payload[2 + 2 * mid] < key) low = mid + 1;
            else high = mid - 1;
        }
        BRANCH(pc->b);
    }
    OP(lookupswitch_counted) {
        const int32_t *payload = (const int32_t *)(pc + 1);
        sp -= 1;
        int32_t key = sp[0].i;
        int32_t low = 0, high = payload[0] - 1;
        while (low <= high) {
            int32_t mid = (low + high) >> 1;
            if (payload[2 + 2 * mid] == key) COUNT_BRANCH(mid, payload[3 + 2 * mid]);
            if (payload[2 + 2 * mid] < key) low = mid + 1;
            else high = mid - 1;
        }
        COUNT_BRANCH(payload[0], pc->b);
    }
    // Instructions that may branch backwards, before they do. Fused instructions are handled whole only if they always
    // branch; the parts of others are executed one by one.
    OP(branch_checked) {
        if (LIKELY(pc->b > 0) && pc->op != INSN_tableswitch && pc->op != INSN_lookupswitch) goto *plain[pc->op];
        BranchOutcome outcome = probes_outcome(pc, sp);
        if (outcome.back && UNLIKELY(CHECK())) begin_path(frame, pc, outcome.edge);
        goto *plain[pc->op];
    }
    OP(branch2_checked) {
        if (LIKELY(pc[1].b > 0)) goto *plain[pc->op];
        if (pc[1].op != INSN_goto) goto *unfused[pc->op];
        if (UNLIKELY(CHECK())) begin_path(frame, pc + 1, -1);
        goto *plain[pc->op];
    }
    OP(branch3_checked) {
        if (LIKELY(pc[2].b > 0)) goto *plain[pc->op];
        goto *unfused[pc->op];
    }
    OP(branch_probed) {
        BranchOutcome outcome = probes_outcome(pc, sp);
        if (outcome.edge >= 0 || interpreter.profile.reports_jumps) {
            SAVE();
            WAIT_FOR_SINKS();
            probes_branch(self, frame, outcome);
        }
        if (outcome.back && self->sample.checking) CHECK();
        goto *interpreter.unprobed[pc->op];
    }
    OP(athrow) {
        Object *exception = sp[-1].o;
        CHECK_NULL(exception);
        SAVE();
        self->exception = exception;
        goto unwind;
    }

    // ---- fields ----

    OP(getstatic) {
        SAVE();
        const Field *f = quicken_static(self, (Insn *)pc, false);
        if (!f) goto unwind;
        SETTLE();
        sp += load_static(self, sp, f);
        NEXT(2);
    }
    OP(putstatic) {
        SAVE();
        const Field *f = quicken_static(self, (Insn *)pc, true);
        if (!f) goto unwind;
        SETTLE();
        sp -= interp_slots(f->type);
        store_static(self, f, sp);
        NEXT(2);
    }
    OP(getstatic_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        Field *f = quicken_static(self, (Insn *)pc, false);
        if (!f) goto unwind;
        SETTLE();
        probes_instruction(self, frame);
        probes_access(self, frame);
        sp += load_static(self, sp, f);
        NEXT(2);
    }
    OP(putstatic_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        Field *f = quicken_static(self, (Insn *)pc, true);
        if (!f) goto unwind;
        SETTLE();
        probes_instruction(self, frame);
        probes_access(self, frame);
        sp -= interp_slots(f->type);
        store_static(self, f, sp);
        NEXT(2);
    }
    OP(access_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        probes_access(self, frame);
        goto *plain[pc->op];
    }
    OP(select_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        probes_select(self, frame);
        goto *plain[pc->op];
    }
    OP(array_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        probes_array(self, frame);
        goto *plain[pc->op];
    }
    OP(leave_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        probes_leave(self, frame);
        goto *plain[pc->op];
    }
    OP(leave_sampled) {
        SAVE();
        WAIT_FOR_SINKS();
        probes_leave(self, frame);
        continue_sampling(self, frame->prev);
        goto *plain[pc->op];
    }
    // Every operation, in addition to its other events.
    OP(instruction) {
        if (UNLIKELY(frame->method->events & EVENTS_NEVER_EVERYWHERE)) {
            SAVE();
            WAIT_FOR_SINKS();
            probes_instruction(self, frame);
        }
        goto *interpreter.behind[self->sample.checking][pc->op];
    }
    GET_STATIC(b, int8_t, 1, uint32_t)
    GET_STATIC(c, uint16_t, 1, uint32_t)
    GET_STATIC(s, int16_t, 1, uint32_t)
    GET_STATIC(i, uint32_t, 1, uint32_t)
    GET_STATIC(l, uint64_t, 2, uint64_t)
    GET_STATIC(a, uintptr_t, 1, uintptr_t)
    PUT_STATIC(z, int8_t, 1, sp[-1].i & 1)
    PUT_STATIC(b, int8_t, 1, sp[-1].i)
    PUT_STATIC(s, int16_t, 1, sp[-1].i)
    PUT_STATIC(i, int32_t, 1, sp[-1].i)
    PUT_STATIC(l, int64_t, 2, sp[-2].l)
    PUT_STATIC(a, uintptr_t, 1, sp[-1].raw)
    OP(putstatic_v) {
        sp -= interp_slots((char)pc->a);
        THREAD_REPORT(sync_release, self, NULL, PAYLOAD(void *, 1));
        store_field(PAYLOAD(void *, 1), sp, (char)pc->a);
        NEXT(2);
    }
    RESOLVE(getfield, quicken_field(self, (Insn *)pc, false))
    RESOLVE(putfield, quicken_field(self, (Insn *)pc, true))
    GET_FIELD(b, int8_t, 1, uint32_t)
    GET_FIELD(c, uint16_t, 1, uint32_t)
    GET_FIELD(s, int16_t, 1, uint32_t)
    GET_FIELD(i, uint32_t, 1, uint32_t)
    GET_FIELD(l, uint64_t, 2, uint64_t)
    GET_FIELD(a, uintptr_t, 1, uintptr_t)
    PUT_FIELD(z, int8_t, 1, sp[-1].i & 1)
    PUT_FIELD(b, int8_t, 1, sp[-1].i)
    PUT_FIELD(s, int16_t, 1, sp[-1].i)
    PUT_FIELD(i, int32_t, 1, sp[-1].i)
    PUT_FIELD(l, int64_t, 2, sp[-2].l)
    PUT_FIELD(a, uintptr_t, 1, sp[-1].raw)
    OP(putfield_v) {
        int slots = interp_slots((char)pc->a);
        Object *o = sp[-1 - slots].o;
        CHECK_NULL(o);
        THREAD_REPORT(sync_release, self, o, (char *)o + pc->b);
        store_field((char *)o + pc->b, sp - slots, (char)pc->a);
        sp -= 1 + slots;
        NEXT(1);
    }

    // ---- calls ----

    RESOLVE(invokevirtual, quicken_invoke(self, (Insn *)pc, OPC_invokevirtual))
    RESOLVE(invokespecial, quicken_invoke(self, (Insn *)pc, OPC_invokespecial))
    RESOLVE(invokeinterface, quicken_invoke(self, (Insn *)pc, OPC_invokeinterface))
    RESOLVE(invokedynamic, quicken_invoke(self, (Insn *)pc, OPC_invokedynamic))
    OP(invokestatic) {
        SAVE();
        Method *m = quicken_invokestatic(self, (Insn *)pc);
        if (!m) goto unwind;
        SETTLE();
        CALL(m, m->nargs);
    }
    OP(invokestatic_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        Method *m = quicken_invokestatic(self, (Insn *)pc);
        if (!m) goto unwind;
        SETTLE();
        probes_instruction(self, frame);
        CALL(m, m->nargs);
    }
    OP(invoke_vtable) {
        const Object *o = sp[-(int)pc->a].o;
        CHECK_NULL(o);
        CALL(o->vt->methods[(uint16_t)pc->b], pc->a);
    }
    OP(invoke_vtable_far) {
        const Object *o = sp[-(int)pc->a].o;
        CHECK_NULL(o);
        CALL(o->vt->methods[PAYLOAD(const Method *, 1)->vtable_index], pc->a);
    }
    OP(invoke_special) {
        CHECK_NULL(sp[-(int)pc->a].o);
        CALL(PAYLOAD(Method *, 1), pc->a);
    }
    OP(invoke_static) CALL(PAYLOAD(Method *, 1), pc->a);
    OP(invoke_interface) {
        const Object *o = sp[-(int)pc->a].o;
        CHECK_NULL(o);
        const InterfaceCall *cache = PAYLOAD_REPLACED(const InterfaceCall *, 1);
        if (UNLIKELY(cache->vt != o->vt)) goto interface_miss;
        CALL(cache->target, pc->a);
    }
    OP(invoke_interface_many) {
        const Object *o = sp[-(int)pc->a].o;
        CHECK_NULL(o);
        const InterfaceCall *call = interfacecall_find(o->vt, PAYLOAD_REPLACED(const InterfaceCall *, 1)->imethod);
        if (UNLIKELY(!call)) goto interface_miss;
        CALL(call->target, pc->a);
    }
    OP(invoke_linked) {
        if (pc->a) CHECK_NULL(sp[-(int)pc->a].o);
        const LinkedCall *call = PAYLOAD(const LinkedCall *, 1);
        Object *appendix = call->appendix ? *call->appendix : NULL;
        frame->pc = pc;
        frame->sp = sp;
        if (appendix) {
            sp[0].o = appendix;
            sp += 1;
        }
        callee = call->method;
        sp -= callee->nargs;
        pc = __atomic_load_n(&callee->code, __ATOMIC_ACQUIRE);
        DISPATCH();
    }
    // Object.<init> does nothing, unless there is a finalizer to register.
    OP(invoke_object_init) {
        const Object *o = sp[-1].o;
        CHECK_NULL(o);
        if (UNLIKELY(object_class(o)->cflags & CF_FINALIZER)) CALL(PAYLOAD(Method *, 1), 1);
        frame->resume = NULL;  // set if template code left for this invocation, which has no return
        sp -= 1;
        NEXT(INSN_INVOKE_WORDS);
    }
    OP(invoke_object_init_probed) {
        const Object *o = sp[-1].o;
        CHECK_NULL(o);
        if (UNLIKELY(object_class(o)->cflags & CF_FINALIZER)) CALL(PAYLOAD(Method *, 1), 1);
        SAVE();
        WAIT_FOR_SINKS();
        report_call(self, PAYLOAD(Method *, 1), frame);
        probes_exit(self, PAYLOAD(Method *, 1), false);
        frame->resume = NULL;
        sp -= 1;
        NEXT(INSN_INVOKE_WORDS);
    }

    OP(invoke_object_init_counted) {
        const Object *o = sp[-1].o;
        CHECK_NULL(o);
        callee = PAYLOAD(Method *, 1);
        if (UNLIKELY(object_class(o)->cflags & CF_FINALIZER)) CALL(callee, 1);
        SAVE();
        COUNT_ENTRY(frame);
        probes_exit(self, callee, false);
        frame->resume = NULL;
        sp -= 1;
        NEXT(INSN_INVOKE_WORDS);
    }

    // ---- objects ----

    OP(new) {
        SAVE();
        Class *c = quicken_new(self, (Insn *)pc);
        if (!c) goto unwind;
        Object *o = ALLOCATE(c);
        if (!o) goto unwind;
        SETTLE();
        sp[0].o = o;
        sp += 1;
        NEXT(2);
    }
    OP(new_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        Class *c = quicken_new(self, (Insn *)pc);
        if (!c) goto unwind;
        probes_instruction(self, frame);
        Object *o = ALLOCATE(c);
        if (!o) goto unwind;
        SETTLE();
        probes_new(self, frame, o);
        sp[0].o = o;
        sp += 1;
        NEXT(2);
    }
    OP(new_fast_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        Object *o = ALLOCATE(PAYLOAD(VTable *, 1)->cls);
        if (!o) goto unwind;
        SETTLE();
        probes_new(self, frame, o);
        sp[0].o = o;
        sp += 1;
        NEXT(2);
    }
    OP(new_object_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        Object *o = ALLOCATE(PAYLOAD(Class *, 1));
        if (!o) goto unwind;
        SETTLE();
        probes_new(self, frame, o);
        sp[0].o = o;
        sp += 1;
        NEXT(2);
    }
    OP(newarray_q_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        Object *array = ALLOCATE_ARRAY(PAYLOAD(Class *, 1), sp[-1].i);
        if (!array) goto unwind;
        SETTLE();
        probes_new(self, frame, array);
        sp[-1].o = array;
        NEXT(2);
    }
    OP(anewarray_q_probed) { goto op_newarray_q_probed; }
    OP(multianewarray_q_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        Object *array = ALLOCATE_MULTI(PAYLOAD(Class *, 1), pc->a, sp - pc->a);
        if (!array) goto unwind;
        SETTLE();
        probes_new(self, frame, array);
        sp -= pc->a;
        sp[0].o = array;
        sp += 1;
        NEXT(2);
    }
    OP(new_fast) {
        void **list = &self->heap.list[HEAP_TYPED][pc->a];
        VTable *vt = PAYLOAD(VTable *, 1);
        Object *o = *list;
        if (LIKELY(o)) {
            *list = *(void **)o;
            o->vt = vt;
            object_publishable();
        } else {
            SAVE();
            o = ALLOCATE(vt->cls);
            if (!o) goto unwind;
            SETTLE();
        }
        sp[0].o = o;
        sp += 1;
        NEXT(2);
    }
    OP(new_object) {
        SAVE();
        Object *o = ALLOCATE(PAYLOAD(Class *, 1));
        if (!o) goto unwind;
        SETTLE();
        sp[0].o = o;
        sp += 1;
        NEXT(2);
    }
    RESOLVE(newarray, quicken_array(self, (Insn *)pc))
    RESOLVE(anewarray, quicken_array(self, (Insn *)pc))
    RESOLVE(multianewarray, quicken_array(self, (Insn *)pc))
    OP(newarray_q) {
        SAVE();
        Object *array = ALLOCATE_ARRAY(PAYLOAD(Class *, 1), sp[-1].i);
        if (!array) goto unwind;
        SETTLE();
        sp[-1].o = array;
        NEXT(2);
    }
    OP(anewarray_q) {
        SAVE();
        Object *array = ALLOCATE_ARRAY(PAYLOAD(Class *, 1), sp[-1].i);
        if (!array) goto unwind;
        SETTLE();
        sp[-1].o = array;
        NEXT(2);
    }
    OP(multianewarray_q) {
        SAVE();
        Object *array = ALLOCATE_MULTI(PAYLOAD(Class *, 1), pc->a, sp - pc->a);
        if (!array) goto unwind;
        SETTLE();
        sp -= pc->a;
        sp[0].o = array;
        sp += 1;
        NEXT(2);
    }
    // null passes without resolving the class.
    OP(checkcast) {
        if (!sp[-1].o) NEXT(3);
        SAVE();
        if (!quicken_type(self, (Insn *)pc)) goto unwind;
        SETTLE();
        DISPATCH();
    }
    OP(checkcast_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        if (!sp[-1].o) probes_instruction(self, frame);
        goto op_checkcast;
    }
    OP(checkcast_q) {
        const Object *o = sp[-1].o;
        if (o) {
            Class *c = object_class(o);
            if (c != PAYLOAD(Class *, 2)) {
                if (UNLIKELY(!class_is_subtype(c, PAYLOAD(Class *, 1)))) goto bad_cast;
                __atomic_store_n((void **)&pc[2].p, c, __ATOMIC_RELAXED);
            }
        }
        NEXT(3);
    }
    OP(instanceof) {
        if (!sp[-1].o) {
            SET_INT(sp[-1], 0);
            NEXT(3);
        }
        SAVE();
        if (!quicken_type(self, (Insn *)pc)) goto unwind;
        SETTLE();
        DISPATCH();
    }
    OP(instanceof_probed) {
        SAVE();
        WAIT_FOR_SINKS();
        if (!sp[-1].o) probes_instruction(self, frame);
        goto op_instanceof;
    }
    OP(instanceof_q) {
        const Object *o = sp[-1].o;
        bool is = false;
        if (o) {
            Class *c = object_class(o);
            is = c == PAYLOAD(Class *, 2);
            if (!is && class_is_subtype(c, PAYLOAD(Class *, 1))) {
                is = true;
                __atomic_store_n((void **)&pc[2].p, c, __ATOMIC_RELAXED);
            }
        }
        SET_INT(sp[-1], is);
        NEXT(3);
    }
    OP(monitorenter) {
        Object *o = sp[-1].o;
        CHECK_NULL(o);
        SAVE();
        if (UNLIKELY(!ENTER_MONITOR(o))) goto unwind;
        table = self->normal_dispatch;  // the wait may have been long: events are reported from the next instruction on
        frame->lock_count++;
        if (UNLIKELY(thread_listener()) && interp_reports(self)) probes_monitor(self, frame);
        sp -= 1;
        NEXT(1);
    }
    OP(monitorexit) {
        Object *o = sp[-1].o;
        CHECK_NULL(o);
        SAVE();
        if (UNLIKELY(!monitor_exit(self, o))) goto unwind;
        SETTLE();
        frame->lock_count--;
        sp -= 1;
        NEXT(1);
    }
    OP(monitorenter_checked) {
        Object *o = sp[-1].o;
        CHECK_NULL(o);
        SAVE();
        if (UNLIKELY(!ENTER_MONITOR(o)) || UNLIKELY(!framelocks_entered(self, frame, o))) goto unwind;
        SETTLE();
        if (UNLIKELY(thread_listener()) && interp_reports(self)) probes_monitor(self, frame);
        sp -= 1;
        NEXT(1);
    }
    OP(monitorexit_checked) {
        Object *o = sp[-1].o;
        CHECK_NULL(o);
        SAVE();
        if (UNLIKELY(!framelocks_exit(self, frame, o))) goto unwind;
        SETTLE();
        sp -= 1;
        NEXT(1);
    }

    // ---- shared endings ----

call:
    SETTLE();
    pc = __atomic_load_n(&callee->code, __ATOMIC_ACQUIRE);
    DISPATCH();
hot_loop : {
    SAVE();
    bool left = self->left_inner_loop;
    self->left_inner_loop = false;
    const Code *code = sp == frame_stack(frame) && !(frame->sampled && interpreter.by_exits) &&
            thread_c_stack_half_free(self)
        ? interp_hooks.hot_loop(self, frame->method, method_bci(frame->method, pc), left)
        : NULL;
    if (code) goto replace;
    if (frame->method->template_code) {
        // The activation continues in template code, and what it calls makes its own checks.
        if (!frame->sampled && has_left_code(self, frame)) frame->inlined = NULL;
        goto back_to_template;
    }
    RELOAD();
    DISPATCH();
replace:
    // On-stack replacement: the frame becomes the boundary of compiled code, which finishes the method or gives the
    // frame back.
    callee = frame->method;
    if (interpreter.counts_code && interp_reports(self)) flow_left(self, frame);
    Object *monitor = frame->monitor;
    *frame = (Frame){.prev = frame->prev, .method = callee, .sp = sp, .locals = locals, .kind = FRAME_COMPILED};
    scrub_stack();  // the code may run for ever, in a C frame that exposes earlier values
    Slot result = {.raw = CALL_LEAVING(interp_hooks.replace_frame, self, code, locals, monitor)};
    if (frame->kind == FRAME_INTERP) goto given_back;
    self->frame = frame = frame->prev;
    continue_sampling(self, frame);
    if (UNLIKELY(self->exception)) goto unwind_called;
    sp = locals;
    locals = frame->locals;
    if (callee->ret != 'V') sp[0] = result;
    CONTINUE_CALLER(interp_slots(callee->ret));
}
    // Enters template code at pc, a basic block, with the current operands.
back_to_template : {
    const void *target = self->normal_dispatch == interpreter.template_table && !has_left_code(self, frame)
        ? interp_hooks.template_at(frame->method, pc)
        : NULL;
    if (!target) {
        RELOAD();
        DISPATCH();
    }
    template_exit = interp_hooks.enter_template(self, frame, target, &template_state);
    goto left_template;
}
resume_template:
    // Not for a frame that has left code for a sample, nor for a thread that may no longer run template code.
    if (UNLIKELY(frame->sampled || has_left_code(self, frame) || self->normal_dispatch != interpreter.template_table)) {
        frame->resume = NULL;
        if (frame->sampled) continue_sampling(self, frame);
        CONTINUE_CALLER(0);
    }
    template_exit = interp_hooks.enter_template(self, frame, frame->resume, &template_state);
left_template:
    frame = template_state.frame;
    locals = frame->locals;
    self->frame = frame;
    switch (template_exit) {
        case TEMPLATE_RESOLVES:
            interp_hooks.left_template(frame);
            frame->resume = NULL;
            break;
        case TEMPLATE_CONTINUES: frame->resume = NULL; break;
        case TEMPLATE_RESOLVES_CALL: interp_hooks.left_template(frame); break;
        case TEMPLATE_INVOKES: break;
        case TEMPLATE_LOOPS: frame->resume = NULL; goto left_loop;
        case TEMPLATE_POLLS:
            frame->resume = NULL;
            CALL_LEAVING(thread_safepoint, self, NULL, NULL, NULL);
            if (UNLIKELY(self->exception)) goto unwind;
            pc = frame->pc;
            sp = frame->sp;
            goto back_to_template;
        case TEMPLATE_CHECKS:
            frame->resume = NULL;
            pc = frame->pc;
            sp = frame->sp;
            self->sample.budget++;  // the check is made here
            if (CHECK()) paths_begin(frame, method_bci(frame->method, pc), -1);
            if (COUNT(frame->method)) goto hot_loop;
            goto back_to_template;
        case TEMPLATE_CALLS_CHECKED:
            self->sample.budget++;
            callee = template_state.callee;
            sp = template_state.args;
            table = self->normal_dispatch;
            pc = callee->code;
            if (callee->mflags & MF_INTRINSIC) pc++;  // was tried before the template code was entered
            if (UNLIKELY(pc->op != INSN_enter_template)) goto call;
            if (callee->flags & ACC_SYNCHRONIZED) goto enter_sync_check;
            goto enter_check;
        case TEMPLATE_CALLS_POLLED:
            // The arguments are the caller's operands.
            CALL_LEAVING(thread_safepoint, self, NULL, NULL, NULL);
            if (UNLIKELY(self->exception)) goto unwind;
            goto begin_template;
        case TEMPLATE_CALLS_SAMPLED:
            CALL_LEAVING(thread_safepoint, self, NULL, NULL, NULL);
            if (UNLIKELY(self->exception)) goto unwind;
            callee = template_state.callee;
            sp = template_state.args;
            table = self->normal_dispatch;
            if (table != interpreter.template_table || !interp_hooks.sample_call(self, callee)) goto call;
            template_exit = interp_hooks.enter_template(self, frame, interp_hooks.template_begin(callee, true),
                                                        &template_state);
            goto left_template;
        case TEMPLATE_CALLS_HOT: interp_hooks.hot_method(self, template_state.callee); goto begin_template;
        case TEMPLATE_CALLS:
            callee = template_state.callee;
            sp = template_state.args;
            table = self->normal_dispatch;
            goto call;
        case TEMPLATE_RETURNS:
            sp = template_state.args;
            sp[0].raw = template_state.result;
            CONTINUE_CALLER((int)template_state.slots);
        case TEMPLATE_THROWS: goto unwind;
        default: ASSERT(false, "template code is left in way %d", template_exit);
    }
    pc = frame->pc;
    sp = frame->sp;
    RELOAD();
    DISPATCH();
    // Enters a method's template code after its checks, which were made before it left.
begin_template:
    callee = template_state.callee;
    sp = template_state.args;
    table = self->normal_dispatch;
    if (callee->code->op != INSN_enter_template || table != interpreter.template_table) goto call;
    template_exit = interp_hooks.enter_template(self, frame, interp_hooks.template_begin(callee, true),
                                                &template_state);
    goto left_template;
given_back:
    frame = self->frame;
    if (UNLIKELY(self->exception)) goto unwind;
    locals = frame->locals;
    pc = frame->pc;
    sp = frame->sp;
    if (UNLIKELY(self->code_sample == CODE_SAMPLE_ENTERS)) goto begin_sample;
    if (self->left_inner_loop) goto left_loop;
    RELOAD();
    DISPATCH();
    // Code has been left on a backedge, on which it has not polled.
left_loop:
    if (UNLIKELY(atomic_load_explicit(&self->poll, memory_order_relaxed) & ~(uint32_t)POLL_ALWAYS)) {
        CALL_LEAVING(thread_safepoint, self, NULL, NULL, NULL);
        if (UNLIKELY(self->exception)) {
            self->left_inner_loop = false;
            goto unwind;
        }
    }
    pc = frame->pc;
    sp = frame->sp;
    goto hot_loop;
begin_sample:
    self->code_sample = CODE_SAMPLE_RUNS;
    goto back_to_template;
op_stop:
    SAVE();
    CALL_LEAVING(thread_safepoint, self, NULL, NULL, NULL);
    if (UNLIKELY(self->exception)) goto unwind;
    table = self->normal_dispatch;  // another request waits for the next reload
    DISPATCH();
stop_at_call:
    // The call has returned, but an exception raised by the safepoint is thrown at the call, so that a `try` around the
    // call catches it.
    frame->sp = sp;
    self->frame = frame;
    frame->call = FRAME_CALL_ENTERED;
    CALL_LEAVING(thread_safepoint, self, NULL, NULL, NULL);
    if (UNLIKELY(self->exception)) goto unwind;
    frame->call = FRAME_CALL_BEFORE;
    table = self->normal_dispatch;
    pc = frame->pc + INSN_INVOKE_WORDS;
    DISPATCH();
interface_miss : {
    SAVE();
    Method *m = quicken_interface_miss(self, (Insn *)pc, sp[-(int)pc->a].o->vt);
    if (!m) goto unwind;
    CALL(m, pc->a);
}
null_pointer:
    SAVE();
null_callee:
    self->frame = frame;
    throw_npe(self);
    goto unwind;
out_of_bounds:
    SAVE();
    quicken_throw_bounds(self, bad_index, bad_length);
    goto unwind;
divide_by_zero:
    SAVE();
    quicken_throw_divide(self);
    goto unwind;
bad_store:
    SAVE();
    quicken_throw_store(self, sp[-1].o);
    goto unwind;
bad_cast:
    SAVE();
    quicken_throw_cast(self, sp[-1].o, PAYLOAD(Class *, 1));
    goto unwind;
stack_overflow:
    self->frame = frame;
    throw_stack_overflow(self);
    goto unwind;
unwind_called:
    frame->call = FRAME_CALL_ENTERED;
unwind:
    ASSERT(self->exception, "thrown without an exception");
    frame = unwind_frames(self, frame);
    if (frame->kind == FRAME_ENTRY) return THREW;
    if (UNLIKELY(exception_is(self, WK(java_lang_OutOfMemoryError)))) {
        self->frame = frame;
        return AGAIN;
    }
resume:
    frame->resume = NULL;
    locals = frame->locals;
    pc = frame->pc;
    sp = frame_stack(frame);
    sp[0].o = exception_take(self);
    sp += 1;
    if (frame->method->template_code) goto back_to_template;
    RELOAD();
    DISPATCH();
}

// The linker's names for the section's borders.
extern const char loop_begin[] __asm__("__start_cabernet_loop") __attribute__((visibility("hidden")));
extern const char loop_end[] __asm__("__stop_cabernet_loop") __attribute__((visibility("hidden")));

bool interp_is_loop(uintptr_t pc) { return pc >= (uintptr_t)loop_begin && pc < (uintptr_t)loop_end; }

// Runs the loop in a new activation. An OutOfMemoryError is caught in another one (AGAIN), because the C frame of the
// old activation, which a collection scans, may still expose the objects that filled the heap.
static Outcome enter_loop(Thread *self, Start start, void *given, Frame *frame) {
    return (Outcome)arch_call_entering(&self->c_marks, (ArchMarkedFn *)run, self, (void *)(uintptr_t)start, given,
                                       frame);
}

static bool run_on(Thread *self, Start start, void *given, Frame *frame) {
    Outcome outcome = enter_loop(self, start, given, frame);
    while (UNLIKELY(outcome == AGAIN)) {
        scrub_stack();
        outcome = enter_loop(self, CATCH, NULL, self->frame);
    }
    return outcome == RETURNED;
}

bool interp_run(Thread *self, Method *m, Frame *entry) {
    ASSERT(entry == self->frame && entry->kind == FRAME_ENTRY, "%s.%s is entered from a frame of kind %u",
           m->cls->name->text, m->name->text, entry->kind);
    bool instrumented = self->sample.instrumented, ok = run_on(self, CALL_METHOD, m, entry);
    if (UNLIKELY(self->sample.instrumented != instrumented)) sampling_set_instrumented(self, instrumented);
    return ok;
}

// For compiled code, which continues after the call and is in no sample.
static bool run_for_code(Thread *self, Start start, void *given, Frame *frame) {
    bool ok = run_on(self, start, given, frame);
    if (UNLIKELY(self->sample.instrumented)) sampling_set_instrumented(self, false);
    return ok;
}

bool interp_resume(Thread *self, Frame *entry, bool throwing) {
    (void)entry;
    ASSERT(self->frame != entry && self->frame->kind == FRAME_INTERP, "nothing goes on above the boundary");
    ASSERT(throwing == (self->exception != NULL), "it goes on %s",
           throwing ? "without the exception" : "with an exception");
    return run_for_code(self, throwing ? THROW : CONTINUE, NULL, self->frame);
}

bool interp_continue(Thread *self, Frame *entry, const TemplateState *state) {
    ASSERT(entry->kind == FRAME_ENTRY && !entry->resume, "template code continues above a frame of kind %u",
           entry->kind);
    return run_for_code(self, LEFT, (void *)(uintptr_t)state, entry);
}

const void *const *interp_table(InterpTable which) {
    if (UNLIKELY(!__atomic_load_n(&interpreter.tables[INTERP_STOP], __ATOMIC_ACQUIRE)))
        run(NULL, CALL_METHOD, NULL, NULL);
    return interpreter.tables[which];
}

// ---- tables of a profile ------------------------------------------------------------------------

// With the event `instruction`, an operation reports it and then continues with its previous handler; of a fused
// operation, only the first part is executed.
static void add_instructions(void) {
    for (unsigned op = 0; op < INSN_COUNT; op++) {
        if (probes_no_instruction[op]) continue;
        bool fused = interpreter.labels.unfused[op] != interpreter.labels.plain[op];
        const void **tables[] = {&interpreter.instrumented[op], &interpreter.sampling[op]};
        for (int i = 0; i < 2; i++) {
            interpreter.behind[i][op] = fused ? interpreter.labels.unfused[op] : *tables[i];
            *tables[i] = probes_reports_itself(op) ? interpreter.labels.probed[op] : interpreter.labels.instruction;
        }
    }
}

void interp_instrument(EventSet events, EventSet counted, bool entry_checks, bool by_exits) {
    interp_table(INTERP_PLAIN);
    counted = flow_configure(events, counted);
    EventSet calls = probes_events(PLACE_CALL);
    interpreter.counts_all = counted && !(events & (~counted | EVENTS_NEVER_EVERYWHERE));
    interpreter.checks_entries = entry_checks;
    interpreter.by_exits = by_exits;
    interpreter.profile.counts_calls = counted & calls;
    interpreter.counts_code = flow_counts_code();
    interpreter.profile.counts = counted != 0;
    interpreter.profile.reports_jumps = events & ~counted & events_made_by(OPF_BRANCH);
    interpreter.profile.reports_calls = events & calls;
    for (unsigned op = 0; op < INSN_COUNT; op++) {
        const void *plain = interpreter.labels.plain[op], *check = interpreter.labels.checked[op];
        const void *work = counted && interpreter.labels.counted[op] ? interpreter.labels.counted[op] : plain;
        bool entry = probes_place[op] == PLACE_CALL;
        // Entries of methods that the interpreter does not execute. They are part of the caller's sample, as in
        // optimised code, which may have expanded them.
        bool of_caller = op == INSN_enter_native || op == INSN_enter_leaf || op == INSN_enter_intrinsic ||
            op == INSN_enter_try;
        if (!check || (entry && !entry_checks) || (by_exits && of_caller)) check = plain;
        bool reports = events & ~counted & probes_events(probes_place[op]) && !(entry && counted);
        const void *probe = reports ? interpreter.labels.probed[op] : work;
        interpreter.checking[op] = check;
        interpreter.instrumented[op] = probe;
        interpreter.unprobed[op] = work;
        // The check of an entry also decides about its event; other probes make the check themselves.
        interpreter.sampling[op] = probe == plain || (entry && check != plain) ? check : probe;
        // A return leaves the sample, whatever its events: the frame below is in another sample or in none.
        bool fused = interpreter.labels.unfused[op] != plain;
        if (probes_place[op] == PLACE_LEAVE)
            interpreter.sampling[op] = fused ? interpreter.labels.unfused[op] : interpreter.labels.leave;
    }
    if (events & EVENTS_NEVER_EVERYWHERE) add_instructions();
    interpreter.tables[INTERP_CHECKING] = interpreter.checking;
    interpreter.tables[INTERP_SAMPLING] = interpreter.sampling;
    interpreter.tables[INTERP_INSTRUMENTED] = interpreter.instrumented;
}
