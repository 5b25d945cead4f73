// One compilation, as it moves through the passes (listed in jit/driver.c). Belongs to one compile thread.
#ifndef CABERNET_JIT_BACKEND_UNIT_H
#define CABERNET_JIT_BACKEND_UNIT_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "base/hash.h"
#include "vm/api/compiler.h"

struct Plan;

// A symbol the object refers to, and its address in this process.
typedef struct UnitSymbol {
    char *name;  // stable
    void *address;
} UnitSymbol;

typedef struct Unit {
    const CompileTask *task;
    const CompilerOptions *options;
    struct Plan *plan;
    LLVMContextRef context;  // the thread's
    LLVMModuleRef module;
    LLVMTargetMachineRef target;
    const char *function_name;  // UNIT_FUNCTION
    bool has_strip_mining;      // some counted loop is strip-mined (jit/emit/emit_loop.c), so the loop passes pay off
    // Filled by emit; positions, deoptimisation points and their frames become part of Code. Growing arrays.
    CodePosition *positions;
    uint32_t position_count, position_room;
    DeoptPoint *deopt_points;
    uint32_t deopt_point_count, deopt_point_room;
    DeoptFrame *deopt_frames;
    uint32_t deopt_frame_count, deopt_frame_room;
    struct UnitStackMap {  // meaning of a deopt bundle, by its number
        uint32_t position;
        uint32_t value_count;
        uint16_t node;  // CodeStackMap.node
        bool entering, passes_memory;
        bool exit;  // the values are those of deoptimisation point `point`
        uint32_t point;
        bool invokes;      // the call is of a method
        uint8_t sampling;  // DeoptSampling
        uint8_t *levels;   // by value: frame level of a locked object; for an exit: size in bytes
    } * stack_maps;
    uint32_t stack_map_count, stack_map_room;
    uint32_t buffer_words;  // Code.buffer_words
    uint8_t *runs;          // Code.runs
    uint32_t run_bytes;
    // Events that are counted (jit/backend/counters.h), in the order of emission.
    struct UnitMark {
        LLVMBasicBlockRef block;
        LLVMValueRef after;  // the instruction before the event; NULL: it is at the block's start
        CodeMark mark;       // its node is set later
    } * marks;
    uint32_t mark_count, mark_room;
    uint32_t *mark_words;
    uint32_t mark_word_count, mark_word_room;
    CodeCountEdge *count_edges;
    uint32_t count_edge_count, count_edge_room;
    CodePathCounters *path_counters;
    uint32_t path_counters_count, path_counters_room, path_words;
    CodeSelectedCalls *selected_calls;
    uint32_t selected_calls_count, selected_calls_room, selected_words;
    uint32_t allocation_words;  // counters of allocations (CodeMark.counter)
    uint32_t calls;             // calls that have inline caches
    // Allocations that may be removed (jit/escape/escape.h), in the order of emission.
    struct UnitAllocation {
        const Class *cls;
        uint32_t length;              // of an array
        uint32_t map;                 // a stack map without monitors, at the allocation
        LLVMValueRef vtable, symbol;  // of the class
        LLVMValueRef cache;           // of a box: the static field with the boxes that valueOf caches, or NULL
        int32_t least;                // the value of the first cached box
        uint32_t mark;                // 1 + the number of its mark, if allocations are counted; else 0
        const char *outcome;          // why it is kept, or that it is removed; NULL: the place no longer exists
    } * allocations;
    uint32_t allocation_count, allocation_room;
    bool has_escape_ops;
    LLVMValueRef exit;  // the callee of calls that are exits, or NULL: there are none
    LLVMValueRef materialize, materialize_often, materialize_box;  // the runtime calls' functions
    uint32_t vanished;                                             // removed allocations
    uint32_t count_nodes, count_exit, counters, counter_offset;
    UnitSymbol *symbols;
    uint32_t symbol_count, symbol_room;
    HashTable symbol_index;     // private: index + 1, by name
    struct UnitMemory *memory;  // private: the arrays of deoptimisation frames and stack maps
    // Filled by the code generator, or by objectcache_find, which makes the driver skip optimisation and code
    // generation.
    LLVMMemoryBufferRef object;
    uint8_t key[32];           // of the object, if objects are kept (jit/backend/objectcache.h)
    LLVMMemoryBufferRef kept;  // the object that was found, if it is only compared with `object`
    enum CompileCached cached;
    uint64_t hash;
    Code *code;
    int bailout;  // vm/api/bailouts.def; 0: no bailout yet
    char detail[256];
    char place[24];  // the last label that the disassembler requested
} Unit;

// Exits are calls of llvm.experimental.patchpoint. Their first argument is EXIT_ID plus the number of their stack map.
// LLVM leaves EXIT_BYTES for the call itself, which backend_link.c writes.
#define EXIT_ID (UINT64_C(1) << 32)
#define EXIT_BYTES 5

#define UNIT_FUNCTION "cabernet_code"

// Makes a new unit; `task` and `options` must outlive it. `module` is empty, with its name and target set. Uses the
// thread's context (backend_context), so a thread has at most one unit at a time.
void unit_init(Unit *u, const CompileTask *task, const CompilerOptions *options);

// These functions grow arrays and copy their arguments (levels, frames and their slots). All abort the process with a
// message when memory runs out.
uint32_t unit_add_position(Unit *u, Method *m, int32_t bci, uint32_t parent);
uint32_t unit_add_stack_map(Unit *u, uint32_t position, uint8_t sampling, const uint8_t *levels, uint32_t value_count);
uint32_t unit_add_deopt_point(Unit *u, DeoptPoint point, const DeoptFrame *frames, uint32_t count);
// Adds a counted event after the block's current last instruction. `words`: CodeMark.
// NULL: an event that has no place in the control flow (COUNT_NO_NODE). Returns its number.
uint32_t unit_add_mark(Unit *u, LLVMBasicBlockRef block, uint16_t event, const uint32_t *words, uint32_t count);
// The number of the mark's allocation counter (CodeMark.counter), a new one if it has none yet. These counters follow
// those of selected calls.
uint32_t unit_allocation_counter(Unit *u, uint32_t mark);
// The first of the counters of the method's paths. They follow those of the edges. UINT32_MAX: the code has too many.
uint32_t unit_path_counters(Unit *u, uint32_t method, uint32_t count);
// The first of the counters of a call that selects among `count` methods. They follow those of the paths.
uint32_t unit_selected_calls(Unit *u, uint64_t site, const struct Selector *selector, uint32_t count);
// Adds an allocation that may be removed. Returns its number.
uint32_t unit_add_allocation(Unit *u, struct UnitAllocation allocation);
// The name is copied; a name that is added twice is one symbol.
void unit_add_symbol(Unit *u, const char *name, void *address);
// NULL: no such symbol.
const UnitSymbol *unit_symbol(const Unit *u, const char *name);
// Records why the unit failed (vm/api/bailouts.def by name: BAILOUT_backend). Returns false, for `return`.
bool unit_bail_out(Unit *u, int bailout, const char *format, ...) __attribute__((format(printf, 3, 4)));
void unit_free(Unit *u);  // frees all but code, plan and context
#endif
