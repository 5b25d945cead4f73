// The interface between the VM and the compiler: queries by the compiler about the running program, and the
// representation of compiled code in the VM. The VM's side is vm/code/; jit/ is a separate shared object that the VM
// opens when the first method is to be compiled.
//
// Compiled code
//   A method is a `swiftcc` function: ret f(ptr nest method, args..., ptr swiftself thread). So the Method is in r10
//   (read only by the stubs that enter the interpreter), the Thread in r13. An argument is i32 (Z B C S I), i64,
//   float, double or ptr; the receiver comes first. Frame pointers are kept. A call goes through Method.entry, which
//   can always be called: it is compiled code, an adapter (vm/template/adapters.h), or the stub that runs the method in
//   the interpreter. So replacing code is one store.
//   An on-stack replacement is i64 f(ptr nest method, ptr locals, ptr monitor, ptr swiftself thread): it continues at
//   the loop header for which it was made, with an empty operand stack. `locals` are the interpreter's slots, read
//   before anything else; `monitor` is the object that a synchronized method has locked, else NULL. The result is the
//   raw slot.
//
//   Exceptions: code tests Thread.exception after every operation that may throw. A function that returns with a
//   pending exception has an undefined result.
//
//   Stack maps. Every call that may reach a safepoint, throw or walk the stack carries a "deopt" operand bundle: the
//   number of its stack map (i32) and the objects that the frames there have locked. LLVM keeps the bundle as a stack
//   map record of the return address. CodeStackMap and CodePosition are made from it. For a return address they give
//   the methods being executed and their positions, including inlined ones.
//
//   Deoptimisation. Compiled code continues in the interpreter through a call of CompilerLayout.exit as the last
//   action of the function, with the thread as its argument and a stack map that gives the registers and slots of the
//   values of a DeoptPoint (CodeStackMap.exit). The VM builds the interpreter frames that the point describes and
//   runs them until the compiled method (not only an inlined one) has returned; the result is the function's. So no
//   compiled frame is ever rewritten. Code made for a loop (osr_bci) returns to the interpreter that entered it, which
//   continues with those frames.
//   When an assumption breaks, Thread.deopt_pending is set in the threads that have such code on their stack. Code
//   tests it wherever it tests for an exception; if rt_deopt_pending then says that this very code is invalid, it
//   deoptimises. If not, the next return into such code sets the word again (vm/code/deopt.c). Where code polls, the
//   VM makes both tests and answers with a YieldAnswer.
//
//   A site is an instruction of a method: (method, bytecode index). A return address has a stack map, which names a
//   position: a site and the sites of the callers that it is inlined into.
#ifndef CABERNET_VM_API_COMPILER_H
#define CABERNET_VM_API_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytecode/classfile/pattern.h"
#include "vm/api/events.h"
#include "vm/api/methodcounts.h"
#include "vm/api/sampling.h"
#include "vm/api/snapshot.h"
#include "vm/model/class.h"

#pragma GCC visibility push(default)

// Reasons why a method stays interpreted, and why compiled code deoptimises.
enum BailoutReason {
#define BAILOUT(id, text) BAILOUT_##id,
#include "vm/api/bailouts.def"
    BAILOUTS
};
enum DeoptReason {
#define DEOPT_REASON(id, text) DEOPT_##id,
#include "vm/api/deopt_reasons.def"
    DEOPT_REASONS
};

// Actions of code after rt_poll, rt_stack_guard and rt_sample: it continues, returns with the pending exception, or
// deoptimises. DEOPTIMISE and SAMPLE both deoptimise, the latter because a sample begins.
enum YieldAnswer { YIELD_GO_ON, YIELD_UNWIND, YIELD_DEOPTIMISE, YIELD_SAMPLE };

// ---- queries by the compiler: all without side effects, on any thread ----------------------------

// Byte offsets for addresses that code computes. Constant.
typedef struct CompilerLayout {
    uint32_t thread_exception, thread_deopt_pending, thread_poll, thread_stack_guard;
    uint32_t thread_free_lists;                                 // void *[kind][class] (gc/heap.h)
    uint32_t free_list_kinds_stride;                            // bytes from one kind to the next
    uint32_t free_list_typed, free_list_refs, free_list_prims;  // kind numbers
    uint32_t granule, small_max;                                // size classes: (bytes + granule - 1) / granule
    uint32_t poll_mask;                                         // bits of thread_poll that request rt_poll
    uint32_t object_vtable, object_lock, array_length, array_base;
    uint32_t vtable_class, vtable_methods;
    uint32_t vtable_imt;                 // InterfaceCall *[compiler_imt_slot()] (vm/linking/interfacecall.h)
    uint32_t call_imethod, call_target;  // of InterfaceCall
    // class_initialized: value of the state (int).
    uint32_t class_state, class_display, class_cached_super, class_interface_bits, class_initialized;
    uint32_t class_component, class_cflags, cflag_finalizer, class_prim;
    uint32_t method_entry, method_id, method_intrinsic;
    void *exit;                           // called at deoptimisation points: the method's result; throws
    uint32_t method_selected;             // uint32: CodeSelectedCalls
    uint32_t selected_uncounted;          // the value for methods whose calls are not counted
    uint32_t thread_prof, prof_counters;  // EventThread *, which may be NULL, and in it int64_t[EVENT_COUNTERS]
    uint32_t thread_call_site;            // uint64: CALL_SITED
    uint32_t thread_stamper;              // EventThread *, whose Stamps and stamp code compares
    uint32_t thread_ring;                 // uint64_t *: position of the thread's next event (EVENTS_RING)
    uint32_t thread_context;              // ContextPosition (vm/api/calltree.h)
    uint32_t class_id;                    // uint32
    uint32_t thread_java_thread;          // java.lang.Thread
    uint32_t thread_budget;  // int32: sampling checks left; negative: call rt_check (vm/instrument/sampling.h)
    uint32_t thread_sample_remaining;  // int64: checks from there to the next sample; code may move them to the budget
    uint32_t thread_sample_granted;    // uint32: the budget's initial value; increases with it
    uint32_t sample_most_granted;      // code adds nothing to a budget with a larger initial value
    uint32_t thread_thin_lock;         // uint32: word of an object locked once (vm/threads/monitor.h)
    uint32_t thread_lock_timer;        // int32: monitor entries until one must call the VM
    uint32_t thread_timed_locks;       // uint32: nonzero: monitor exits must call the VM
    uint32_t lockword_none;            // a value that no lock word has
    uint32_t lockword_tags, lockword_hash;  // nonzero word without the bits `tags`: hash code << lockword_hash
} CompilerLayout;
const CompilerLayout *compiler_layout(void);
// BarrierState's members (vm/model/barrier.h).
uint8_t *compiler_cards(void);
uint64_t *compiler_barrier_counts(void);
// Byte offsets that lead from a non-null MethodHandle to the Method that invokeBasic calls.
enum { HANDLE_STEPS = 4 };
void compiler_handle_path(uint32_t offsets[HANDLE_STEPS]);
// Byte offset of the Class * in a java.lang.Class.
uint32_t compiler_mirror_class(void);
// Index in vtable_imt of an interface method's pairs.
uint32_t compiler_imt_slot(const Method *imethod);

// The meaning of the instruction at a bytecode index, as far as the interpreter has resolved it.
typedef enum SiteKind {
    SITE_UNRESOLVED,      // not executed yet: compiled as a deoptimisation point
    SITE_FIELD,           // getfield, putfield: field
    SITE_STATIC,          // getstatic, putstatic: field; field->cls may need initialisation
    SITE_CALL_DIRECT,     // method; receiver, if any, must not be null. invokestatic: as SITE_STATIC
    SITE_CALL_VTABLE,     // method resolved, index in its vtable
    SITE_CALL_INTERFACE,  // method resolved; receiver and target of the last call, or NULL
    SITE_CALL_LINKED,     // adapter in method; slot: its last argument, or NULL; null_check
    SITE_CALL_BASIC,      // MethodHandle.invokeBasic
    SITE_CALL_LINK_TO,    // MethodHandle.linkTo*: method->sigpoly says which
    SITE_OBJECT_INIT,     // Object.<init>: no-op, unless the object has a finalizer
    SITE_CLASS,           // new, checkcast, instanceof: cls; newarray, anewarray, multianewarray: the array class
    SITE_CONST_REF,       // ldc of an object: slot holds it and never changes
    SITE_CONST_PRIM,      // ldc of a resolved dynamic constant of primitive type: bits, type
    SITE_NONE,            // the instruction has nothing to resolve
} SiteKind;

typedef struct Site {
    SiteKind kind;
    char type;           // type character of a field or constant
    uint8_t null_check;  // SITE_CALL_LINKED: argument slots down to a receiver that must not be null
    bool initialized;    // class of the field, method or `new`: needs no barrier
    int32_t index;       // vtable index; multianewarray: dimensions
    Method *method;
    Field *field;
    Class *cls;
    Class *receiver;  // SITE_CALL_INTERFACE
    Method *target;
    Object **slot;
    int64_t bits;
} Site;

// `m` has bytecode. False: no instruction starts there.
bool compiler_site(Method *m, uint32_t bci, Site *out);

// Decodes the method for the interpreter if necessary: positions and deoptimisation points need it.
void compiler_prepare(Method *m);

// ---- constants: values that the program can no longer replace ---------------------------------------

// A value that is the same at every execution of an instruction: an int, or an object reached through a constant of the
// class file, a linked call site or a final field. The object is not kept alive: everything needed from it must be
// queried before the next collection begins.
typedef enum ConstantKind { CONSTANT_NONE, CONSTANT_OBJECT, CONSTANT_INT } ConstantKind;
typedef struct Constant {
    ConstantKind kind;
    bool stable;  // an array whose elements never change once non-null (@Stable)
    union {
        Object *object;  // not null
        int32_t number;
    };
} Constant;

// The number of collections, which is the epoch for constant queries. Once another collection has begun, the functions
// below return nothing (NULL, CONSTANT_NONE); earlier results stay correct. Any thread; they read the heap and take no
// locks. compiler_epoch waits for the end of a running collection.
uint64_t compiler_epoch(void);
bool compiler_epoch_is(uint64_t epoch);
// The object in a slot of the class (Site.slot).
Constant compiler_constant_slot(const Class *owner, Object *const *slot, uint64_t epoch);
// A static final field of an initialised class; an instance field of `holder` that is final in java.lang.invoke, a
// record or a hidden class, or @Stable in the class library. None for null, too.
Constant compiler_constant_static(const Field *f, uint64_t epoch);
Constant compiler_constant_field(const Object *holder, const Field *f, uint64_t epoch);
// An element of a stable array, if it is not null.
Constant compiler_constant_element(const Object *array, int32_t index, uint64_t epoch);
// The Method that invokeBasic calls for a MethodHandle, that a MemberName stands for, and that an instance of this
// class runs.
Method *compiler_constant_handle(const Object *handle, uint64_t epoch);
Method *compiler_constant_member(const Object *member, uint64_t epoch);
Method *compiler_constant_target(const Object *receiver, Method *resolved, uint64_t epoch);
// The class that a java.lang.Class stands for, if it is initialised, Unsafe.allocateInstance can make instances of it,
// and they are small objects without a reference that the collector treats specially.
Class *compiler_constant_instance(const Object *mirror, uint64_t epoch);
// The class of arrays with elements of the primitive type that a java.lang.Class stands for.
Class *compiler_constant_array(const Object *mirror, uint64_t epoch);

// The only method that a virtual call of `m` can reach in the present class hierarchy, or NULL. Valid as long as a
// dependency on (m) holds.
Method *compiler_unique_target(Method *m);

// The method that instances of `c` have for `m`, which is in vtables or of an interface; NULL: none that can be called.
Method *compiler_selected(const Class *c, Method *m);
bool compiler_is_subtype(const Class *sub, const Class *super);

// The owner of the class's lifetime if the class may be unloaded while the program runs; else NULL. For Code.owners.
Metaspace *compiler_owner(const Class *c);

// Argument kinds of a method, including the receiver: one of I J F D L each; NUL-terminated, static.
const char *compiler_shape(Method *m);
// The same from a descriptor, for call sites of signature-polymorphic methods; stored in buf, which has 256 bytes.
// Returns the kind of the result: I J F D L V.
char compiler_shape_of(const char *desc, bool is_static, char *buf);
char compiler_return_kind(const Method *m);

// The compiler's view of intrinsics (vm/natives/intrinsics.h).
typedef enum CompilerIntrinsic {
    COMPILER_NO_INTRINSIC,
    COMPILER_LEAF,   // rt_intrinsic instead of a call
    COMPILER_FRAME,  // called like any method (through the interpreter's stub)
    COMPILER_TRY,    // the method's code begins with rt_intrinsic_try
} CompilerIntrinsic;
CompilerIntrinsic compiler_intrinsic(const Method *m);
// For a LEAF or TRY: whether its function, Method.intrinsic, neither throws nor reaches a safepoint, so that code may
// call it directly.
bool compiler_intrinsic_is_quiet(const Method *m);

// Why the VM forbids compiling a method: an identifier of vm/api/bailouts.def, or -1.
int compiler_bailout(const Method *m);

// The events that the places of `m` report in compiled code (vm/instrument/scope.h); 0 without a profile.
EventSet compiler_events(const Method *m);
// Those of them that the instruction at `bci` reports: all of them unless EVENTS_PLACED is in the set.
EventSet compiler_events_at(const Method *m, uint32_t bci);
// Whether the thread's counters decide if an event at `bci` is wanted, EVENT_NO_BCI at the entry (vm/api/places.h).
bool compiler_guard_at(const Method *m, int32_t bci, enum EventId event, PlaceGuard *guard);
// The locals that a value assigned there is compared with (event scalar_pair).
unsigned compiler_partners_at(const Method *m, int32_t bci, uint16_t locals[SCALAR_LOCALS]);
// Events that exact code counts instead of reporting them (CodeMark).
EventSet compiler_counted(void);
// Whether a profile wants to know the position of each instruction of code (Code.runs). Any thread.
bool compiler_wants_lines(void);
// The number of an event in a ring (ProfilerInterface.site). Any thread.
uint32_t compiler_event_site(enum EventId event, uint32_t dynamic, const uint32_t *words);
// How events are written into a ring (EVENTS_RING). Any thread.
RingForm compiler_ring(void);
// Allocates `count` counters of 8 bytes: returns their offset from every Thread, or 0 when none are left. Any thread.
uint32_t compiler_counters_take(uint32_t count);
// Frees counters that no code has used. Any thread.
void compiler_counters_give(uint32_t offset, uint32_t count);
// The numbers of the method's paths (vm/instrument/pathprofile.h); NULL: it has none. Any thread.
const struct Paths *compiler_paths(const Method *m);
// The class of arrays of the primitive type (a letter of descriptors). NULL: none exists yet, or it is no such type.
// Any thread.
const Class *compiler_primitive_array(char type);
// A field's id in events (vm/instrument/fieldid.h).
uint32_t compiler_field_id(Field *f);
// Whether only samples of events are reported, and how code is duplicated for that.
typedef struct CompilerSampling {
    bool on;         // false: every event is reported
    uint8_t dup;     // DUP_
    uint8_t checks;  // CHECKS_
    bool exits;      // code deoptimises when a sample begins: COPIES_EXITS
} CompilerSampling;
CompilerSampling compiler_sampling(void);
// The likely number of methods that a selecting call of `m` meets, a bound for the code's counters; and the counters'
// names (CodeSelectedCalls). Take a lock briefly.
enum { MOST_TARGETS = 64 };
uint32_t compiler_call_targets(const Method *m);
const struct Selector *compiler_selector(const Method *m);
// Whether calls by `m` count as its own (those of hidden frames count for the visible frame below).
bool compiler_event_visible(const Method *m);

// ---- the profile --------------------------------------------------------------------------------

// The snapshot of the profile for a new plan (vm/adaptive/snapshots.h): a new one or an earlier one. The caller becomes
// a user and releases it (snapshot_release) before the compilation ends. NULL: no profile runs, or -Xjit:snapshot was
// not given. Any compile thread; holds locks while the counts are copied.
ProfileSnapshot *compiler_snapshot(void);
// The method of a snapshot's row; NULL: a pseudo-caller, or there is no such method. Any thread, no lock.
Method *compiler_method_by_id(uint32_t id);
// The class of a row of receivers; NULL: there is no such class. Any thread, no lock.
Class *compiler_class_by_id(uint32_t id);

// Whether the method has valid code: from its start (osr_bci -1), or for that loop. Any thread, no lock.
bool compiler_has_code(const Method *m, int32_t osr_bci);

// Whether -Xadaptive is given: template code counts (vm/api/methodcounts.h), and plans use the counts.
bool compiler_adapts(void);
// The counts of a method; NULL: there are none. They live until every compilation that was running when the method was
// unloaded has ended. Any thread; takes a lock.
const MethodCounts *compiler_counts_of(const Method *m);

// ---- stable names -------------------------------------------------------------------------------

// Conversions to and from names that are the same in every run of a deterministic program and contain no blanks
// (format: vm/code/stable_names.c). A hidden class is named by its host and an ordinal. The strings are malloc'd.
// Finding returns NULL when there is none (yet). Any thread.
char *compiler_class_name(const Class *c);
char *compiler_method_name(const Method *m);
char *compiler_field_name(const Field *f);
Class *compiler_find_class(const char *name);
Method *compiler_find_method(const char *name);
Field *compiler_find_field(const char *name);
// Whether the class exists and will never have such a method. False for hidden classes, whose names may belong to
// others in another run.
bool compiler_lacks_method(const char *name);

// ---- compiled code ------------------------------------------------------------------------------

#define CODE_NONE UINT32_MAX

// A position in the inlining tree: method at a bytecode index, called from `parent`.
typedef struct CodePosition {
    Method *method;
    int32_t bci;
    uint32_t parent;  // index of the caller's position, or CODE_NONE
} CodePosition;

// A method that is inlined into code. The array is a walk through the inlining tree, callers first, so an entry's
// callees are among its `descendants`, the entries that follow it. The first entry is the code's own method.
typedef struct CodeInlined {
    const Method *method;
    uint32_t bci;  // of the call in the caller
    uint32_t descendants;
} CodeInlined;

// The entry of `callee` at the call at `bci` of the caller, or NULL: it is not inlined there.
static inline const CodeInlined *code_inlined_at(const CodeInlined *caller, uint32_t bci, const Method *callee) {
    for (const CodeInlined *c = caller + 1, *end = c + caller->descendants; c < end; c += 1 + c->descendants)
        if (c->bci == bci && c->method == callee) return c;
    return NULL;
}

// Location of a value during a call: of an object that is locked there, or, at a deoptimisation point, of a value of an
// interpreter frame.
enum { CODE_LOC_CONSTANT, CODE_LOC_WIDE_CONSTANT, CODE_LOC_FP, CODE_LOC_SP, CODE_LOC_REGISTER };
typedef struct CodeValue {
    uint8_t location;  // CODE_LOC_
    union {
        uint8_t level;  // of a locked object: the frame that has locked it; 0 is the innermost position
        uint8_t bytes;  // of a value at a deoptimisation point: 4 or 8
    };
    int32_t offset;  // from the frame pointer, or the stack pointer at the call; the constant, or its index in
                     // Code.constants; the register's number in instructions
} CodeValue;

// Counters. Code of an exact profile counts the events of which only the number is needed (compiler_counted), in memory
// at a fixed offset from the Thread, so each thread has its own. A node is a part of the code that control passes from
// beginning to end except for calls. It is entered and left over edges, some of which have a counter. The other counts
// are derived: entries and exits of a node are equally frequent, and each activation that has left the code enters it
// again at `count_exit`. A running activation, at a call (CodeStackMap.node), counts as having left from there.
enum { COUNT_DERIVED = 0xffff, COUNT_NODES = 0xffff, COUNT_NO_NODE = 0xffff };
typedef struct CodeCountEdge {
    uint16_t from, to;  // nodes
    uint16_t counter;   // of the code's, or COUNT_DERIVED: none
} CodeCountEdge;
// An event that occurs each time control enters a node.
typedef struct CodeMark {
    uint16_t node, event;  // EventId; COUNT_NO_NODE: no object is made at a node (CodeMark.removed)
    uint32_t first_word;   // of Code.mark_words: the fields of its payload that CountedFn gets
    // Of the event allocation: 1 + the number of one of the code's allocation counters, or 0. `removed`: escape
    // analysis removed the allocation, and the counter has the number of objects that were made elsewhere instead.
    // Otherwise the counter has the sum of the bytes, which are not constant.
    uint32_t counter;
    bool removed;
} CodeMark;

// Counters of a method's complete paths (event path), one for each number.
typedef struct CodePathCounters {
    uint32_t method;        // Method.id
    uint32_t first, count;  // first: after the counters of edges
} CodePathCounters;

// Calls in code that counts call edges. The caller counts the edge and passes the address of the Method with
// CALL_COUNTED added, and the callee does not report it. If the target is selected by the receiver, the call has a
// counter for each of the first methods of that name and descriptor, found by their number (CodeSelectedCalls). If it
// is found in another way, or the caller is a hidden method, the call has an inline cache with an entry for each of the
// first targets that it meets. If it may be a hidden method, whose calls count for the frame below, the caller leaves
// its site in the thread and adds CALL_SITED; a hidden method's entries are for sites and targets.
enum { CALL_COUNTED = 1, CALL_SITED = 2, CALL_TAGS = CALL_COUNTED | CALL_SITED };
enum { CALL_ENTRIES = 3 };
typedef struct CodeCallEntry {
    uint32_t method;    // Method.id; 0: free
    uint32_t unwanted;  // edges to it are not wanted (it is hidden, or out of scope)
    uint64_t site;      // Method.id of the caller << 32 | bytecode index
    uint64_t count;
} CodeCallEntry;

// Counters of the methods that a call selects, with the numbers 1 to `count` (vm/instrument/selectors.h).
typedef struct CodeSelectedCalls {
    uint64_t site;  // as in CodeCallEntry
    const struct Selector *selector;
    uint32_t first, count;  // first: after the counters of edges and paths
} CodeSelectedCalls;

// The state of the stack at a call, found by code_stack_map (vm/code/code.h) for a return address.
typedef struct CodeStackMap {
    uint32_t return_offset;             // of the return address, from Code.start
    uint32_t position;                  // innermost; at a deoptimisation point: its number
    uint32_t first_value, value_count;  // of Code.values: locked objects, or values of interpreter frames
    uint16_t node;                      // of the activations that are at this call, in code with counters
    uint8_t sampling;                   // DeoptSampling of the code around it
    bool entering;                      // the method's entry has not been counted yet
    bool passes_memory;                 // the call passes the address of memory in the frame and reads it
    bool exit;  // a deoptimisation point: nothing is locked, the values are those of interpreter frames
} CodeStackMap;

// One interpreter frame that a deoptimisation builds. Its values are consecutive among those of the deoptimisation
// point: [lock object of a synchronized method][Frame.path][value of slot slots[0]]...
typedef struct DeoptFrame {
    Method *method;
    int32_t bci;           // instruction to execute; for callers, the invocation being executed
    uint16_t stack_depth;  // operand slots (arguments of the invocation already taken)
    uint16_t lock_count;   // by monitorenter
    bool has_monitor;
    bool has_path;  // code that reports paths: one more value, after the lock object
    uint16_t value_count;
    uint16_t *slots;  // local index, or max_locals + stack slot
} DeoptFrame;

typedef enum DeoptKind {
    DEOPT_RESUME,   // the instruction at bci is executed
    DEOPT_RETHROW,  // the pending exception is thrown at bci
} DeoptKind;

// Whether the interpreter continues with a sample.
typedef enum DeoptSampling {
    DEOPT_NOT_SAMPLED,     // no: it comes from checking code
    DEOPT_SAMPLED,         // yes: it comes from duplicated code, which records events
    DEOPT_MAKES_CHECK,     // it comes from code without a check: a check is made and decides
    DEOPT_KEEPS_SAMPLING,  // the thread decides: the code was made without sampling, which may be on by now, or has
                           // just replaced the interpreter's frame
} DeoptSampling;

// A point where compiled code continues in the interpreter.
typedef struct DeoptPoint {
    uint16_t reason;                    // vm/api/deopt_reasons.def
    uint8_t kind;                       // DeoptKind
    uint8_t sampling;                   // DeoptSampling
    uint32_t position;                  // innermost, as CodeStackMap.position
    uint32_t first_frame, frame_count;  // of Code.deopt_frames, outermost first
} DeoptPoint;

// Compiled code. A dependency is a method for which compiler_unique_target(method) == method held when the plan was
// made.
typedef struct Code {
    Method *method;
    int32_t osr_bci;        // -1: the method from its start
    _Atomic uint8_t state;  // vm/code/code.h
    char *start;            // executable bytes
    size_t size;
    void *entry;
    CodeStackMap *stack_maps;  // sorted by return_offset
    uint32_t stack_map_count;
    CodePosition *positions;
    uint32_t position_count;
    // The positions of all instructions: a pair of variable-length integers for each run of instructions that have the
    // same position, by address. The distance in bytes from the start of the previous run, then the position + 1. NULL:
    // not made.
    uint8_t *runs;
    uint32_t run_bytes;
    CodeValue *values;
    uint32_t value_count;
    uint64_t *constants;  // those that do not fit into CodeValue.offset
    uint32_t constant_count;
    DeoptPoint *deopt_points;
    uint32_t deopt_point_count;
    DeoptFrame *deopt_frames;
    uint32_t deopt_frame_count;
    uint32_t buffer_words;  // size of the memory in its frame that it passes (CodeStackMap.passes_memory)
    CodeCountEdge *count_edges;
    CodeMark *marks;
    uint32_t *mark_words;
    uint32_t count_edge_count, mark_count;
    CodePathCounters *path_counters;
    uint32_t path_counters_count, edge_counters;
    CodeSelectedCalls *selected_calls;
    uint32_t selected_calls_count, path_words;  // path_words: counters of paths
    uint32_t selected_words, allocation_words;  // counters of selected calls, and of allocations (CodeMark.counter)
    uint32_t call_count;                        // each has CALL_ENTRIES after all other counters
    uint32_t counter_count, counter_offset;     // compiler_counters_take; all, in words
    bool counters_over;                         // they belong to a profile that has ended
    uint16_t count_nodes, count_exit;
    CodeInlined *inlined;  // code that is left for samples of whole activations: what is part of its activation
    uint32_t inlined_count;
    Method **dependencies;
    uint32_t dependency_count;
    Metaspace **owners;  // owners of the classes it relies on: freed with any of them
    uint32_t owner_count;
    uint64_t hash;  // of the object before relocation
    uint32_t id;    // dense, in order of compilation
    size_t metadata_bytes;
    void *jit;  // for CompilerInterface.release
    // For the VM.
    struct Code *next_in_table;
    uint32_t deopt_count;
    bool on_stack;
    struct FrameLiveness *liveness;  // malloc'd by the collector thread; NULL: not computed yet (vm/code/codestack.c)
} Code;

// ---- the compiler's interface for the VM ----------------------------------------------------------

// A request to compile.
typedef struct CompileTask {
    Method *method;
    int32_t osr_bci;    // -1: from the start
    bool deopt_stress;  // deoptimises also without need
    bool careful;       // the method was recompiled several times because its code deoptimised
    bool replaces;      // the method has code, and the counts that its plan read have changed
    bool for_shadows;   // it reports what a shadow wants: no thread of this process enters it (CODE_PREPARED)
    uint32_t hotness;   // the counters when it was queued; for the record (-Xreplay)
} CompileTask;

// Result of looking up an object that an earlier run has kept (-Xjit:object-cache).
enum CompileCached {
    CACHED_NOT_ASKED,
    CACHED_MISS,  // compiled, and kept
    CACHED_HIT,
    CACHED_DIFFERS,  // with object-cache-verify: compiled nevertheless, and different from the cached object
    CACHED_KINDS,
};

typedef struct CompileResult {
    Code *code;                      // malloc'd with its arrays, or NULL:
    int bailout;                     // vm/api/bailouts.def
    char detail[256];                // may be empty
    uint64_t compile_ns;             // of the thread's processor time
    uint32_t bytecodes;              // compiled, inlined ones included
    uint32_t allocations, vanished;  // eligible allocation sites, and those removed
    enum CompileCached cached;
} CompileResult;

// -Xjit and related options, as parsed by vm/adaptive/jitoptions.c.
typedef struct CompilerOptions {
    int opt_level;                                     // 1...3
    bool inlining;                                     // false: inline nothing
    uint32_t inline_size, inline_depth, inline_total;  // bytecodes, levels, bytecodes
    const char *dump;            // letters: c (CFG), p (plan), i (IR), o (IR optimised), a (assembly); or NULL
    MethodPattern *dump_filter;  // methods to dump; NULL: all
    const char *dump_file;       // NULL: stderr
    bool verify;                 // LLVM's verifier after every stage
    bool poll_everywhere;
    bool escape;                              // allocations may be removed
    bool lines;                               // Code.runs are made, whether a profile wants them or not
    bool strips;                              // counted loops are strip-mined
    uint32_t strip_length;                    // iterations of the inner loop; 0: by the size of the loop
    const char *replay_record, *replay_file;  // -Xreplay
    const char *cpu;                          // NULL: this machine's
    bool explain;                             // -Xadaptive:explain
    bool decide;                              // -Xadaptive: plans of the optimising tier use the counts
    MethodPattern *explain_filter;            // methods whose plans are explained; NULL: all
    uint32_t layout;                          // seed of random padding before each method's code; 0: none
    const char *object_cache;                 // directory of objects that later runs use; NULL: none are kept
    int64_t object_cache_size;                // its limit in bytes
    bool object_cache_verify;                 // cached objects are compiled nevertheless, and compared
} CompilerOptions;

typedef struct CompilerInterface {
    // Once, before anything else; on the first compile thread. False with *error (static).
    bool (*start)(const CompilerOptions *options, const char **error);
    // Compiles. Each compile thread calls it for itself; they run in parallel. Never accesses the Java heap, may take
    // long, and takes no lock of the VM.
    void (*compile)(const CompileTask *task, CompileResult *result);
    // Frees the code's memory and metadata: no thread executes it or will.
    void (*release)(Code *code);
    // The thread will not compile any more.
    void (*thread_end)(void);
    // Before the process ends: closes the files (plans, objects, dumps).
    void (*finish)(void);
    // Replay: whether the method may be compiled now under the plans of -Xreplay:FILE, and how. 0: not in the file; 1:
    // yes, *task is filled; 2: later (its facts do not hold yet).
    int (*replay_ready)(Method *m, uint32_t hotness, CompileTask *task);
    // The next plan whose facts hold now, for methods to be compiled whatever their counts; *at: 0 at first. False:
    // there is none.
    bool (*replay_next)(uint32_t *at, CompileTask *task);
    // Visits the recorded methods by their stable names.
    void (*replay_methods)(void (*fn)(void *arg, const char *method), void *arg);
    size_t (*memory_bytes)(void);  // code and metadata held
    // World stopped: the classes of some methods are unloaded, and the methods about to be freed.
    void (*forget_dead)(bool (*dead)(const Method *m));
} CompilerInterface;

// The only symbol that the VM looks up in libcabernet-jit.so.
#define COMPILER_SYMBOL "cabernet_compiler"
#define COMPILER_LIBRARY "libcabernet-jit.so"
enum { COMPILER_VERSION = 1 };
typedef const CompilerInterface *CompilerEntry(int version);

// Addresses of the runtime calls (vm/api/runtime_calls.def) by number; the compiler enters them into its symbol table.
typedef enum RuntimeKind {
    RUNTIME_CALL,
    RUNTIME_LEAF,  // no stack map needed: never throws, walks, blocks or reaches a safepoint
    RUNTIME_KEEP,  // convention preserve_most
} RuntimeKind;
typedef struct RuntimeCall {
    const char *name;       // "rt_new"
    const char *signature;  // result, then arguments: v i l p f d; T: the thread
    uint8_t kind;           // RuntimeKind
    void *address;
} RuntimeCall;
enum RuntimeCallId {
#define RUNTIME(name, signature, kind, text) RT_##name,
#include "vm/api/runtime_calls.def"
    RUNTIME_CALLS
};
extern const RuntimeCall compiler_runtime_calls[RUNTIME_CALLS];

// Messages of the compiler, one line without newline, to stderr.
void compiler_log(const char *line);

#pragma GCC visibility pop

#endif
