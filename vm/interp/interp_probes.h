// Selects the operations that report events, and reports the events of an operation before the interpreter executes it.
// Private to the interpreter. Functions run on the current thread, whose frame has pc and sp stored.
#ifndef CABERNET_VM_INTERP_INTERP_PROBES_H
#define CABERNET_VM_INTERP_INTERP_PROBES_H

#include "vm/api/events.h"
#include "vm/interp/interp.h"

// The class of an operation in insn.def; for a fused operation, that of its last part.
// clang-format off
typedef enum PlaceKind {
    PLACE_NONE, PLACE_CALL, PLACE_BRANCH, PLACE_ACCESS, PLACE_ARRAY, PLACE_LEAVE, PLACE_SELECT, PLACE_NEW, PLACE_RESULT,
    PLACE_INSTRUCTION,  // the operation's handler reports the event `instruction`
    PLACE_KINDS
} PlaceKind;
// clang-format on
extern const uint8_t probes_place[INSN_COUNT];
// Operations for which the event `instruction` is not reported: those marked in insn.def, and entries.
extern const bool probes_no_instruction[INSN_COUNT];
// Whether the operation's handler (op_NAME_probed) reports it, because it resolves and executes in one step.
bool probes_reports_itself(unsigned op);

// The direction of a branch.
typedef struct BranchOutcome {
    int32_t edge;  // as in the branch event; -1: there is no alternative
    bool back;     // to itself or to an earlier instruction
} BranchOutcome;
BranchOutcome probes_outcome(const Insn *pc, const Slot *sp);

// The events of a kind of place.
EventSet probes_events(PlaceKind kind);

// Report the events that the method wants from the operation at frame->pc: a branch with its outcome, an access to a
// field or an element, a return, a selection of a target. The operands are those before the operation.
void probes_branch(Thread *self, Frame *frame, BranchOutcome outcome);
void probes_access(Thread *self, Frame *frame);
void probes_array(Thread *self, Frame *frame);
void probes_leave(Thread *self, Frame *frame);
void probes_select(Thread *self, Frame *frame);
// Any instruction; it is resolved.
void probes_instruction(Thread *self, const Frame *frame);

// The method is left by an exception, or by a return without an instruction (native methods, intrinsics).
void probes_exit(Thread *self, const Method *m, bool thrown);
// The pending exception is thrown at the frame's pc. `handler` catches it; NULL: it leaves the frame.
void probes_throw(Thread *self, Frame *frame, const Insn *handler);

// The allocation events of an object that the operation at frame->pc has made; for multianewarray, of all its arrays.
void probes_new(Thread *self, const Frame *frame, const Object *o);
// The frame's method begins. It is watched, or its arguments are wanted.
void probes_begin(Thread *self, const Frame *frame);
// The operation at frame->pc is about to compute that value.
void probes_result(Thread *self, const Frame *frame, const Slot *value);
// The frame's monitorenter has taken its monitor.
void probes_monitor(Thread *self, const Frame *frame);
// The synchronized method is about to begin and has taken its monitor.
void probes_locked(Thread *self, const Method *m);

#endif
