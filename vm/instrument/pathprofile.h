// Paths through methods (bytecode/analysis/paths.h): how the interpreter follows them in Frame.path, and how profiles
// show them.
//
// Frame.path is the sum of the values of the edges taken since the beginning of the path. It is set where a method is
// entered while paths are recorded, and in a sampled profile also where a sample begins at a backedge. In frames that
// existed before, it is PATHS_UNKNOWN or more until the next path begins, and the present path is not reported.
// Compiled code keeps the sum in its own register and hands it over when it is left.
#ifndef CABERNET_VM_INSTRUMENT_PATHPROFILE_H
#define CABERNET_VM_INSTRUMENT_PATHPROFILE_H

#include "vm/api/thread.h"
#include "vm/model/frame.h"

#define PATHS_UNKNOWN (UINT64_C(1) << 32)

// The paths of a method with bytecode, made at the first call; NULL: it has none (subroutines), or there is no
// memory. Any thread; may allocate with malloc. They live as long as the process, even if the class is unloaded.
const struct Paths *paths_of(const Method *m);

// In a sampled profile, a sample begins in the frame. Its branch at the bytecode index is about to take the edge, or,
// with the edge -1, the frame is about to execute the block at that index. Both have just passed a check, so a path
// begins there. No-op where the method's paths are not reported.
void paths_begin(Frame *f, int32_t bci, int32_t edge);

// The frame's branch at the bytecode index takes the edge (0 if the block has one successor, or the method returns);
// the pending exception is thrown in its block, and continues at `handler` (bytecode index) or, if that is -1, leaves
// the method.
void paths_branch(Thread *self, Frame *f, int32_t bci, uint32_t edge);
void paths_throw(Thread *self, Frame *f, int32_t bci, int32_t handler);

// Recording begins or resumes in a stopped thread, so the paths of its frames are unknown.
void paths_forget(Thread *t);

// A path as text, malloc'd: the bytecode indexes of its blocks, separated by >. The last one is followed by a dot
// (the method returns), by >^ and the index at which execution continues (a backedge), or by an exclamation mark (an
// exception). NULL: no memory, or no such path. Any thread, attached or not.
char *paths_text(uint32_t method, int32_t bci, uint32_t path);

#endif
