// Reporting the events of an operation before the interpreter executes it, and the choice of the operations that do so.
// Private to the interpreter. On the current thread, whose frame has pc and sp stored.
#ifndef CABERNET_VM_INTERP_PROBES_H
#define CABERNET_VM_INTERP_PROBES_H

#include "vm/api/events.h"
#include "vm/interp/interp.h"

// The class of an operation in insn.def; of a fused one, that of its last part.
typedef enum PlaceKind {
    PLACE_NONE, PLACE_CALL, PLACE_BRANCH, PLACE_ACCESS, PLACE_ARRAY, PLACE_LEAVE, PLACE_SELECT, PLACE_NEW, PLACE_RESULT,
    PLACE_INSTRUCTION,  // reports the event `instruction` by itself
    PLACE_KINDS
} PlaceKind;
extern const uint8_t probes_place[INSN_COUNT];
// Operations of which the event `instruction` is not reported: those marked in insn.def, and entries.
extern const bool probes_no_instruction[INSN_COUNT];
// Does the operation's own handler (op_NAME_probed) report it, because it resolves and works in one go?
bool probes_reports_itself(unsigned op);

// Where a branch goes.
typedef struct BranchOutcome {
    int32_t edge;  // as in the branch event, -1: it has no choice
    bool back;     // to itself or an earlier instruction
} BranchOutcome;
BranchOutcome probes_outcome(const Insn *pc, const Slot *sp);

// The events of a kind of place.
EventSet probes_events(PlaceKind kind);

// Report what the method wants of the operation at frame->pc: a branch with its turn, an access to a field or to an
// element, a return, a selection of a method. The operands are as before it.
void probes_branch(Thread *self, Frame *frame, BranchOutcome outcome);
void probes_access(Thread *self, Frame *frame);
void probes_array(Thread *self, Frame *frame);
void probes_leave(Thread *self, Frame *frame);
void probes_select(Thread *self, Frame *frame);
// Any instruction, which is resolved.
void probes_instruction(Thread *self, const Frame *frame);

// The method is left by an exception or by a return that has no operation of its own (native methods,
// intrinsics).
void probes_exit(Thread *self, const Method *m, bool thrown);
// The pending exception is thrown at the frame's pc and goes on at `handler`, or leaves the frame if that is NULL.
void probes_throw(Thread *self, Frame *frame, const Insn *handler);

// The allocation events of an object that the operation at frame->pc has made, of all arrays in it if it is
// multianewarray.
void probes_new(Thread *self, const Frame *frame, const Object *o);
// The frame's method, which is watched or whose arguments are wanted, begins.
void probes_begin(Thread *self, const Frame *frame);
// The operation at frame->pc is about to compute that value.
void probes_result(Thread *self, const Frame *frame, const Slot *value);
// The frame's monitorenter has its monitor.
void probes_monitor(Thread *self, const Frame *frame);
// The synchronized method is about to begin and has its monitor.
void probes_locked(Thread *self, const Method *m);

#endif
