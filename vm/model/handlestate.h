// A thread's state for its JNI local handles (vm/jni/handles.h).
#ifndef CABERNET_VM_MODEL_HANDLESTATE_H
#define CABERNET_VM_MODEL_HANDLESTATE_H

#include "vm/model/object.h"

typedef struct HandleBlock HandleBlock;

// Member `handles` of Thread. Zeroed is a valid start. Accessed only by the owner, or by the collector while the world
// is stopped.
typedef struct HandleState {
    Object **top, **limit;  // next free slot, end of the current block
    Object **free;          // deleted slots of the current frame, linked; or NULL
    HandleBlock *block;     // current block
    Object **frame;         // innermost PushLocalFrame record, or NULL
} HandleState;

#endif
