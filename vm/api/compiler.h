// Where the VM and the compiler meet: what the compiler may ask about the running program, and what
// compiled code looks like to the VM. The VM's side is vm/code/; jit/ is a shared object of its
// own that the VM opens when the first method is to be compiled.
//
// Compiled code
//   A method is a `swiftcc` function: ret f(ptr nest method, args..., ptr swiftself thread). So the
//   Method is in r10 (only the stubs that enter the interpreter look at it), the Thread in r13. An
//   argument is i32 (Z B C S I), i64, float, double or ptr; the receiver comes first. Frame pointers
//   are kept. A call goes through Method.entry, which always is callable: compiled code, an
//   adapter (vm/template/adapters.h), or the stub that runs the method in the interpreter. So replacing code is one store.
//   An on-stack replacement is i64 f(ptr nest method, ptr locals, ptr monitor, ptr swiftself thread):
//   it goes on at the loop header for which it was made, with empty operand stack; `locals` are the
//   interpreter's slots, read before anything else; `monitor` what a synchronized method has
//   locked, else NULL. The result is the raw slot.
//
//   Exceptions: after whatever may throw, Thread.exception is tested. A function that leaves with an
//   exception pending returns anything.
//
//   Stack maps. Every call that may reach a safepoint, throw or walk the stack carries a "deopt" operand
//   bundle: the number of its stack map (i32) and the objects that the frames there have locked. LLVM keeps
//   the bundle as a stack map record of the return address. CodeStackMap and CodePosition, which are made from
//   it, tell for a return address which methods are being executed and where, inlined ones included.
//
//   Deoptimisation. Compiled code continues in the interpreter by an exit as the last thing the function does: a call of
//   CompilerLayout.exit, with the thread as its argument and a stack map that says in which registers and slots the values
//   of a DeoptPoint are (CodeStackMap.exit). The VM builds the interpreter frames that the point describes and runs them
//   until the compiled method (not only an inlined one) has returned; the result is the function's. So no compiled frame
//   is ever rewritten. Code
//   made for a loop (osr_bci) returns to the interpreter that entered it, which continues with those frames.
//   When an assumption breaks, Thread.deopt_pending is set in the threads that have such code on their stack.
//   Code tests it wherever it tests for an exception; if rt_deopt_pending then says that this very code is
//   invalid, it deoptimises. If not, the next return into such code sets the word again (vm/code/deopt.c).
//   Where code polls, the VM makes both tests and answers with a YieldAnswer.
//
//   A site is an instruction of a method: (method, bytecode index). What stands behind a return address is a
//   stack map, which names a position, that is a site and the sites of the callers that it is inlined into.
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

// Why a method stays interpreted, and why compiled code continues in the interpreter.
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

// What code does after rt_poll, rt_stack_guard and rt_sample: it continues, leaves with the pending exception, or deoptimises, in the
// last case because a sample begins.
enum YieldAnswer { YIELD_GO_ON, YIELD_UNWIND, YIELD_DEOPTIMISE, YIELD_SAMPLE };

// ---- what the compiler asks: all without side effects, on any thread ----------------------------

// Byte offsets for addresses that code computes. Constant.
typedef struct CompilerLayout {
    uint32_t thread_exception, thread_deopt_pending, thread_poll, thread_stack_guard;
    uint32_t thread_free_lists;   // void *[kind][class] (gc/heap.h)
    uint32_t free_list_kinds_stride;  // bytes from one kind to the next
    uint32_t free_list_typed, free_list_refs, free_list_prims;  // kind numbers
    uint32_t granule, small_max;  // size classes: (bytes + granule - 1) / granule
    uint32_t poll_mask;           // bits of thread_poll that ask for rt_poll
    uint32_t object_vtable, object_lock, array_length, array_base;
    uint32_t vtable_class, vtable_methods;
    uint32_t vtable_imt;          // InterfaceCall *[compiler_imt_slot()] (vm/linking/interfacecall.h)
    uint32_t call_imethod, call_target;  // of InterfaceCall
    uint32_t class_state, class_display, class_cached_super, class_interface_bits, class_initialized;  // the last one: value of state (int)
    uint32_t class_component, class_cflags, cflag_finalizer, class_prim;
    uint32_t method_entry, method_id, method_intrinsic;
    void *exit;                   // what exits call: the method's result; throws
    uint32_t method_selected;     // uint32: CodeSelectedCalls
    uint32_t selected_uncounted;  // that of methods whose calls nobody counts
    uint32_t thread_prof, prof_counters;  // EventThread *, which may be NULL, and in it int64_t[EVENT_COUNTERS]
    uint32_t thread_call_site;    // uint64: CALL_SITED
    uint32_t thread_stamper;      // EventThread *, whose Stamps and stamp code compares
    uint32_t thread_ring;         // uint64_t *: where the thread's next event goes (ProfilerInterface.has_ring)
    uint32_t thread_context;      // ContextPosition (vm/api/calltree.h)
    uint32_t class_id;            // uint32
    uint32_t thread_java_thread;  // java.lang.Thread
    uint32_t thread_budget;       // int32: sampling checks that still pass (vm/instrument/sampling.h): below 0 after one: rt_check
    uint32_t thread_sample_remaining;  // int64: checks from there to the next sample, which code may move to the budget
    uint32_t thread_sample_granted;    // uint32: what the budget was at first; goes up with it
    uint32_t sample_most_granted;      // code adds nothing to a budget that was more
    uint32_t thread_thin_lock;    // uint32: word of an object locked once (vm/threads/monitor.h)
    uint32_t thread_lock_timer;   // int32: entries of monitors until the VM wants to see one
    uint32_t thread_timed_locks;  // uint32: not 0: the VM wants to see exits
    uint32_t lockword_none;       // no object's lock word is this
    uint32_t lockword_tags, lockword_hash;  // a word that is not 0 and has none of the bits `tags`: the hash code, so many bits up
} CompilerLayout;
const CompilerLayout *compiler_layout(void);
// Byte offsets that lead from a MethodHandle, which is not null, to the Method that invokeBasic calls.
enum { HANDLE_STEPS = 4 };
void compiler_handle_path(uint32_t offsets[HANDLE_STEPS]);
// Byte offset of the Class * in a java.lang.Class.
uint32_t compiler_mirror_class(void);
// Where in vtable_imt the pairs of an interface method are.
uint32_t compiler_imt_slot(const Method *imethod);

// What the instruction at a bytecode index stands for, as far as the interpreter has found out.
typedef enum SiteKind {
    SITE_UNRESOLVED,      // not executed yet: compiled as a deoptimisation point
    SITE_FIELD,           // getfield, putfield: field
    SITE_STATIC,          // getstatic, putstatic: field; field->cls may need initialisation
    SITE_CALL_DIRECT,     // method; receiver, if any, must not be null. invokestatic: as SITE_STATIC
    SITE_CALL_VTABLE,     // method resolved, index in its vtable
    SITE_CALL_INTERFACE,  // method resolved; receiver and target: what was called last, or NULL
    SITE_CALL_LINKED,     // adapter in method; slot: its last argument, or NULL; null_check
    SITE_CALL_BASIC,      // MethodHandle.invokeBasic
    SITE_CALL_LINK_TO,    // MethodHandle.linkTo*: method->sigpoly says which
    SITE_OBJECT_INIT,     // Object.<init>: nothing, unless the object has a finalizer
    SITE_CLASS,           // new, checkcast, instanceof: cls; newarray, anewarray, multianewarray: the array class
    SITE_CONST_REF,       // ldc of an object: slot holds it, never changes
    SITE_CONST_PRIM,      // ldc of a resolved dynamic constant of primitive type: bits, type
    SITE_NONE,            // the instruction has nothing to resolve
} SiteKind;

typedef struct Site {
    SiteKind kind;
    char type;            // type character of a field or constant
    uint8_t null_check;   // SITE_CALL_LINKED: argument slots down to a receiver that must not be null
    bool initialized;     // class of the field, method or `new`: no barrier is needed
    int32_t index;        // vtable index; multianewarray: dimensions
    Method *method;
    Field *field;
    Class *cls;
    Class *receiver;      // SITE_CALL_INTERFACE
    Method *target;
    Object **slot;
    int64_t bits;
} Site;

// `m` has bytecode. False: no instruction there.
bool compiler_site(Method *m, uint32_t bci, Site *out);

// Decodes the method for the interpreter if that was not done: positions and deoptimisation points need it.
void compiler_prepare(Method *m);

// ---- constants: what the program cannot replace any more -------------------------------------------

// A value that an instruction always meets: an object that a constant of the class file, a linked call site or a final
// field leads to, or an int. The object is not kept alive: what is known of it must have been asked for before the next
// collection began.
typedef enum ConstantKind { CONSTANT_NONE, CONSTANT_OBJECT, CONSTANT_INT } ConstantKind;
typedef struct Constant {
    ConstantKind kind;
    bool stable;         // an array whose elements stay once they are not null (@Stable)
    union {
        Object *object;  // not null
        int32_t number;
    };
} Constant;

// The number of collections: the epoch in which constants are asked for. The functions below give nothing (NULL,
// CONSTANT_NONE) as soon as another collection has begun; what they have given then stays right. Any thread; they read the
// heap and take no locks. compiler_epoch waits for the end of a collection that is running.
uint64_t compiler_epoch(void);
bool compiler_epoch_is(uint64_t epoch);
// The object that a slot of the class holds (Site.slot).
Constant compiler_constant_slot(const Class *owner, Object *const *slot, uint64_t epoch);
// A static final field of an initialised class; an instance field of `holder` that java.lang.invoke, a record or a hidden
// class has declared final, or the class library @Stable. None: also null.
Constant compiler_constant_static(const Field *f, uint64_t epoch);
Constant compiler_constant_field(const Object *holder, const Field *f, uint64_t epoch);
// An element of a stable array, if it is not null.
Constant compiler_constant_element(const Object *array, int32_t index, uint64_t epoch);
// The Method that invokeBasic calls for a MethodHandle, that a MemberName stands for, and that an instance of this class runs.
Method *compiler_constant_handle(const Object *handle, uint64_t epoch);
Method *compiler_constant_member(const Object *member, uint64_t epoch);
Method *compiler_constant_target(const Object *receiver, Method *resolved, uint64_t epoch);
// The class that a java.lang.Class stands for, if it is initialised, Unsafe.allocateInstance can make instances of it, and
// they are small objects without a reference that the collector treats in a way of its own.
Class *compiler_constant_instance(const Object *mirror, uint64_t epoch);
// The class of arrays with elements of the primitive type that a java.lang.Class stands for.
Class *compiler_constant_array(const Object *mirror, uint64_t epoch);

// The one method that a virtual call of `m` can reach in the present class hierarchy, or NULL.
// Holds as long as a dependency on (m) holds.
Method *compiler_unique_target(Method *m);

// Is `sub` a subtype of `super`, now and for ever?
// The method that instances of `c` have for `m`, which is in vtables or of an interface; NULL: none that can be called.
Method *compiler_selected(const Class *c, Method *m);
bool compiler_is_subtype(const Class *sub, const Class *super);

// What the class lives and dies with, if that may be unloaded while the program runs; else NULL. For Code.owners.
Metaspace *compiler_owner(const Class *c);

// Argument kinds of a method, receiver included, one of I J F D L each; NUL-terminated, static.
const char *compiler_shape(Method *m);
// The same from a descriptor, for call sites of signature-polymorphic methods; into buf, which has 256.
// Returns the kind of the result: I J F D L V.
char compiler_shape_of(const char *desc, bool is_static, char *buf);
char compiler_return_kind(const Method *m);

// Intrinsics (vm/natives/intrinsics.h) as the compiler sees them.
typedef enum CompilerIntrinsic {
    COMPILER_NO_INTRINSIC,
    COMPILER_LEAF,   // rt_intrinsic instead of a call
    COMPILER_FRAME,  // called like any method (through the interpreter's stub)
    COMPILER_TRY,    // the method's code begins with rt_intrinsic_try
} CompilerIntrinsic;
CompilerIntrinsic compiler_intrinsic(const Method *m);
// Of a LEAF or TRY: its function, Method.intrinsic, neither throws nor reaches a safepoint, so it is called as it is.
bool compiler_intrinsic_is_quiet(const Method *m);

// Why a method must not be compiled for reasons that the VM knows: an identifier of
// vm/api/bailouts.def, or -1.
int compiler_bailout(const Method *m);

// The events that the places of `m` have to report in compiled code (vm/instrument/scope.h); 0 without a profile.
EventSet compiler_events(const Method *m);
// Of these, the ones that the instruction at `bci` has to report, which are all of them unless EVENTS_PLACED is among them.
EventSet compiler_events_at(const Method *m, uint32_t bci);
// Whether counters of the thread decide that somebody wants an event at `bci`, EVENT_NO_BCI at the entry (vm/api/places.h).
bool compiler_guard_at(const Method *m, int32_t bci, enum EventId event, PlaceGuard *guard);
// The locals that a value assigned there is compared with (event scalar_pair).
unsigned compiler_partners_at(const Method *m, int32_t bci, uint16_t locals[SCALAR_LOCALS]);
// Of these, the ones that exact code counts instead of reporting them (CodeMark).
EventSet compiler_counted(void);
// The number of an event in a ring (ProfilerInterface.site). Any thread.
uint32_t compiler_event_site(enum EventId event, uint32_t dynamic, const uint32_t *words);
// Room for so many counters of 8 bytes each: their distance from every thread, or 0: there is no more. Any thread.
uint32_t compiler_counters_take(uint32_t count);
// They are free again: no code has become of it. Any thread.
void compiler_counters_give(uint32_t offset, uint32_t count);
// The numbers of its paths (vm/instrument/paths.h); NULL: it has none. Any thread.
const struct Paths *compiler_paths(const Method *m);
// A field as events name it (vm/instrument/fieldid.h).
uint32_t compiler_field_id(Field *f);
// Whether it reports samples of them only, and how code is to be duplicated for that.
typedef struct CompilerSampling {
    bool on;              // false: every event
    uint8_t dup;          // DUP_
    uint8_t checks;       // CHECKS_
    bool exits;           // code is left when a sample begins: COPIES_EXITS
} CompilerSampling;
CompilerSampling compiler_sampling(void);
// How many methods a call that selects one like `m` is likely to meet, a bound for the code's counters, and the counters'
// names (CodeSelectedCalls). Take a short lock.
enum { MOST_TARGETS = 64 };
uint32_t compiler_call_targets(const Method *m);
const struct Selector *compiler_selector(const Method *m);
// Whether calls by `m` are its own (those of hidden frames count for the visible one below).
bool compiler_event_visible(const Method *m);

// ---- the profile --------------------------------------------------------------------------------

// The snapshot of the profile for a plan that is about to be made (vm/adaptive/snapshots.h): a new one or an earlier one.
// The caller becomes a user and releases it (snapshot_release) before the compilation ends. NULL: no profile runs, or
// -Xjit:snapshot was not given. Any compile thread; takes locks for as long as the counts are copied.
ProfileSnapshot *compiler_snapshot(void);
// The method of a snapshot's row; NULL: a pseudo-caller, or there is no such method. Any thread, no lock.
Method *compiler_method_by_id(uint32_t id);
// The class of a row of receivers, likewise.
Class *compiler_class_by_id(uint32_t id);

// Whether the method has valid code: from its beginning (osr_bci -1), or from that loop. Any thread, no lock.
bool compiler_has_code(const Method *m, int32_t osr_bci);

// Whether -Xadaptive is given: template code counts (vm/api/methodcounts.h), and plans read that.
bool compiler_adapts(void);
// The counts of a method; NULL: there are none. They live until no compilation that was under way when the method was unloaded is
// any more. Any thread; a lock.
const MethodCounts *compiler_counts_of(const Method *m);

// ---- stable names -------------------------------------------------------------------------------

// Names that are the same in every run of a deterministic program, in both directions; they contain no
// blanks (vm/code/stable_names.c has the form). A class that is hidden is called by its host and an
// ordinal. The strings are malloc'd. Finding gives NULL when there is none (yet). Any thread.
char *compiler_class_name(const Class *c);
char *compiler_method_name(const Method *m);
char *compiler_field_name(const Field *f);
Class *compiler_find_class(const char *name);
Method *compiler_find_method(const char *name);
Field *compiler_find_field(const char *name);
// Is the class there, and without such a method for good? Not said of hidden classes, whose names may be those of others in another run.
bool compiler_lacks_method(const char *name);

// ---- compiled code ------------------------------------------------------------------------------

#define CODE_NONE UINT32_MAX

// A place in the inlining tree: method at a bytecode index, called from `parent`.
typedef struct CodePosition {
    Method *method;
    int32_t bci;
    uint32_t parent;      // index of the caller's position, or CODE_NONE
} CodePosition;

// Where a value is while a call is under way: an object that is locked there, or, at an exit, what an interpreter's
// frame gets.
enum { CODE_LOC_CONSTANT, CODE_LOC_WIDE_CONSTANT, CODE_LOC_FP, CODE_LOC_SP, CODE_LOC_REGISTER };
typedef struct CodeValue {
    uint8_t location;     // CODE_LOC_
    union {
        uint8_t level;    // of a locked object: the frame that has locked it; 0 is the innermost position
        uint8_t bytes;    // of an exit's value: 4 or 8
    };
    int32_t offset;       // from the frame pointer, or the stack pointer at the call; the constant, or its index in
                          // Code.constants; the register's number in instructions
} CodeValue;

// Counters. Code of an exact profile counts the events whose number is all that is asked for (compiler_counted), in
// memory at a fixed distance from the thread: each thread has its own. A node is a part of the code in which
// control stays from beginning to end but for its calls; what comes in goes out over edges, some of which have a
// counter. The others follow: what comes into a node is as much as what leaves it, and what has left the code comes
// in again at `count_exit`. An invocation that is still under way, at a call (CodeStackMap.node), counts as one that
// has left from there.
enum { COUNT_DERIVED = 0xffff, COUNT_NODES = 0xffff };
typedef struct CodeCountEdge {
    uint16_t from, to;    // nodes
    uint16_t counter;     // of the code's, or COUNT_DERIVED: none
} CodeCountEdge;
// An event that happens as often as control comes into a node.
typedef struct CodeMark {
    uint16_t node, event; // EventId
    uint32_t first_word;  // of Code.mark_words: the constant fields of its payload, as sinks get them
} CodeMark;

// Counters of a method's complete paths (event path), one for each number.
typedef struct CodePathCounters {
    uint32_t method;      // Method.id
    uint32_t first, count;  // first: behind those of the edges
} CodePathCounters;

// Calls in code that counts call edges. The caller counts the edge and passes the address of the Method with CALL_COUNTED
// added, and the callee does not report it. If the target is selected by the receiver, the call has a counter for each of
// the first methods of that name and descriptor, found by their number (CodeSelectedCalls). If it is found in another way,
// or the caller is a hidden method, the call has an inline cache with an entry for each of the first targets that it meets.
// If it may be a hidden method, whose calls count for the frame below, the caller leaves its site in the thread and adds
// CALL_SITED; a hidden method's entries are for sites and targets.
enum { CALL_COUNTED = 1, CALL_SITED = 2, CALL_TAGS = CALL_COUNTED | CALL_SITED };
enum { CALL_ENTRIES = 3 };
typedef struct CodeCallEntry {
    uint32_t method;      // Method.id; 0: free
    uint32_t unwanted;    // nobody asks for edges to it (it is hidden, or out of scope)
    uint64_t site;        // Method.id of the caller << 32 | bytecode index
    uint64_t count;
} CodeCallEntry;

// Counters of the methods that a call selects: of those with the numbers 1 to `count` (vm/instrument/selectors.h).
typedef struct CodeSelectedCalls {
    uint64_t site;        // as in CodeCallEntry
    const struct Selector *selector;
    uint32_t first, count;  // first: behind the counters of edges and paths
} CodeSelectedCalls;

// What the stack looks like at a call: what code_stack_map (vm/code/code.h) finds for a return address.
typedef struct CodeStackMap {
    uint32_t return_offset;  // of the return address, from Code.start
    uint32_t position;       // innermost; at an exit: the number of its deoptimisation point
    uint32_t first_value, value_count;  // of Code.values: what is locked, or an exit's
    uint16_t node;           // of the invocations that are at this call, in code with counters
    uint8_t sampling;        // DeoptSampling of the code around it
    bool entering;           // the entry of the method itself is still to be counted
    bool passes_memory;      // the call reads memory of the frame whose address it is passed
    bool exit;               // an exit: nothing is locked, the values are those of the interpreter's frames
} CodeStackMap;

// One interpreter frame that a deoptimisation builds. Its values lie one after the other, among
// those of the exit: [lock object of a synchronized method][Frame.path][value of slot slots[0]]...
typedef struct DeoptFrame {
    Method *method;
    int32_t bci;             // instruction to execute; for callers, the invocation being executed
    uint16_t stack_depth;    // operand slots (arguments of the invocation already taken)
    uint16_t lock_count;     // by monitorenter
    bool has_monitor;
    bool has_path;           // code that reports paths: one more value, behind the lock object
    uint16_t value_count;
    uint16_t *slots;         // local index, or max_locals + stack slot
} DeoptFrame;

typedef enum DeoptKind {
    DEOPT_RESUME,   // the instruction at bci is executed
    DEOPT_RETHROW,  // the pending exception is thrown at bci
} DeoptKind;

// Whether the interpreter continues with a sample.
typedef enum DeoptSampling {
    DEOPT_NOT_SAMPLED,     // no: it comes from checking code
    DEOPT_SAMPLED,         // yes: it comes from duplicated code, which records events
    DEOPT_MAKES_CHECK,     // it comes from code that no check answers for: a check is made and decides
    DEOPT_KEEPS_SAMPLING,  // as the thread does: the code was made without sampling, which may be on by now, or has only
                           // just replaced the interpreter's frame
} DeoptSampling;

// A place where compiled code continues in the interpreter.
typedef struct DeoptPoint {
    uint16_t reason;         // vm/api/deopt_reasons.def
    uint8_t kind;            // DeoptKind
    uint8_t sampling;        // DeoptSampling
    uint32_t position;       // innermost, as CodeStackMap.position
    uint32_t first_frame, frame_count;  // of Code.deopt_frames, outermost first
} DeoptPoint;

// A dependency: compiler_unique_target(method) == method held when the plan was made.
typedef struct Code {
    Method *method;
    int32_t osr_bci;         // -1: the method from its beginning
    _Atomic uint8_t state;   // vm/code/code.h
    char *start;             // executable bytes
    size_t size;
    void *entry;
    CodeStackMap *stack_maps;         // sorted by return_offset
    uint32_t stack_map_count;
    CodePosition *positions;
    uint32_t position_count;
    CodeValue *values;
    uint32_t value_count;
    uint64_t *constants;     // that do not fit into CodeValue.offset
    uint32_t constant_count;
    DeoptPoint *deopt_points;
    uint32_t deopt_point_count;
    DeoptFrame *deopt_frames;
    uint32_t deopt_frame_count;
    uint32_t buffer_words;   // of the memory in its frame whose address it passes (CodeStackMap.passes_memory)
    CodeCountEdge *count_edges;
    CodeMark *marks;
    uint32_t *mark_words;
    uint32_t count_edge_count, mark_count;
    CodePathCounters *path_counters;
    uint32_t path_counters_count, edge_counters;
    CodeSelectedCalls *selected_calls;
    uint32_t selected_calls_count, path_words;  // path_words: counters of paths
    uint32_t call_count;     // each has CALL_ENTRIES behind all other counters
    uint32_t counter_count, counter_offset;  // compiler_counters_take; all, in words
    uint16_t count_nodes, count_exit;
    Method **dependencies;
    uint32_t dependency_count;
    Metaspace **owners;      // compiler_owner of the classes that the code relies on: it goes when one of them does
    uint32_t owner_count;
    uint64_t hash;           // of the object before relocation
    uint32_t id;             // dense, in order of compilation
    size_t metadata_bytes;
    void *jit;               // what CompilerInterface.release needs
    // The VM's.
    struct Code *next_in_table;
    uint32_t deopt_count;
    bool on_stack;
    struct FrameLiveness *liveness;  // malloc'd by the collector thread; NULL: not looked at yet (vm/code/codestack.c)
} Code;

// ---- the compiler as the VM drives it -------------------------------------------------------------

// What is to be compiled.
typedef struct CompileTask {
    Method *method;
    int32_t osr_bci;         // -1: from the beginning
    bool deopt_stress;       // deoptimises also where nothing asks for it
    bool careful;            // the method was compiled again several times because its code was left
    bool replaces;           // the method has code, whose plan read counts that have changed since
    bool for_shadows;        // what it reports is what a shadow wants: no thread of this process enters it (code_prepare)
    uint32_t hotness;        // what the counters said when it was queued; for the record (-Xreplay)
} CompileTask;

// What became of asking for an object that an earlier run has kept (-Xjit:object-cache).
enum CompileCached {
    CACHED_NOT_ASKED,
    CACHED_MISS,             // made now, and kept
    CACHED_HIT,
    CACHED_DIFFERS,          // with object-cache-verify: made now nevertheless, and other than what was found
    CACHED_KINDS,
};

typedef struct CompileResult {
    Code *code;              // malloc'd with its arrays, or NULL:
    int bailout;             // vm/api/bailouts.def
    char detail[256];        // may be empty
    uint64_t compile_ns;     // of the thread's processor time
    uint32_t bytecodes;      // compiled, inlined ones included
    uint32_t allocations, vanished;  // places that could vanish, and that did
    enum CompileCached cached;
} CompileResult;

// -Xjit and its kin, as parsed by vm/adaptive/jitoptions.c.
typedef struct CompilerOptions {
    int opt_level;           // 1...3
    bool inlining;           // false: inline nothing
    uint32_t inline_size, inline_depth, inline_total;  // bytecodes, levels, bytecodes
    const char *dump;        // letters: c (CFG), p (plan), i (IR), o (IR optimised), a (assembly); or NULL
    MethodPattern *dump_filter; // methods to dump; NULL: all
    const char *dump_file;   // NULL: stderr
    bool verify;             // LLVM's verifier after every stage
    bool poll_everywhere;
    bool escape;             // allocations may vanish
    bool strips;             // counted loops are strip-mined
    uint32_t strip_length;   // iterations of the inner loop; 0: by the size of the loop
    const char *replay_record, *replay_file;  // -Xreplay
    const char *cpu;         // NULL: this machine's
    bool explain;            // -Xadaptive:explain
    bool decide;             // -Xadaptive: plans of the optimising tier read what was counted
    MethodPattern *explain_filter; // methods whose plans are explained; NULL: all
    uint32_t layout;         // seed of random room in front of each method's code; 0: none
    const char *object_cache;    // directory of objects that later runs use; NULL: none are kept
    int64_t object_cache_size;   // bytes of it
    bool object_cache_verify;    // what is found is compiled nevertheless, and compared
} CompilerOptions;

typedef struct CompilerInterface {
    // Once, before anything else; on the first compile thread. False with *error (static).
    bool (*start)(const CompilerOptions *options, const char **error);
    // Compiles. Each compile thread calls it for itself; they run side by side. Never touches the
    // Java heap, may take long, and takes no lock of the VM's.
    void (*compile)(const CompileTask *task, CompileResult *result);
    // Frees the code's memory and metadata: no thread executes it or will.
    void (*release)(Code *code);
    // The thread will compile no more.
    void (*thread_end)(void);
    // Before the process ends: closes the files (plans, objects, dumps).
    void (*finish)(void);
    // Replay: whether the method may be compiled now under the plans of -Xreplay:FILE, and how. 0: not in
    // the file; 1: yes, *task is filled; 2: later (its facts do not hold yet).
    int (*replay_ready)(Method *m, uint32_t hotness, CompileTask *task);
    // The next plan whose facts hold now, of what is to be compiled whatever the counts say; *at: 0 at first.
    // False: there is none.
    bool (*replay_next)(uint32_t *at, CompileTask *task);
    // The methods on record by their stable names.
    void (*replay_methods)(void (*fn)(void *arg, const char *method), void *arg);
    size_t (*memory_bytes)(void);  // code and metadata held
    // World stopped: the classes of some methods are unloaded, and the methods about to be freed.
    void (*forget_dead)(bool (*dead)(const Method *m));
} CompilerInterface;

// The one symbol that the VM looks up in libcabernet-jit.so.
#define COMPILER_SYMBOL "cabernet_compiler"
#define COMPILER_LIBRARY "libcabernet-jit.so"
enum { COMPILER_VERSION = 1 };
typedef const CompilerInterface *CompilerEntry(int version);

// Addresses of the runtime calls (vm/api/runtime_calls.def) by number, for the compiler's symbol table.
typedef enum RuntimeKind {
    RUNTIME_CALL,
    RUNTIME_LEAF,            // no stack map needed: never throws, walks, blocks or reaches a safepoint
    RUNTIME_KEEP,            // convention preserve_most
} RuntimeKind;
typedef struct RuntimeCall {
    const char *name;        // "rt_new"
    const char *signature;   // result, then arguments: v i l p f d; T: the thread
    uint8_t kind;            // RuntimeKind
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
