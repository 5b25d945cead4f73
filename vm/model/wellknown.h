// The table of well-known names (wellknown.def) as a structure. Filled during boot, constant afterwards.
#ifndef CABERNET_VM_MODEL_WELLKNOWN_H
#define CABERNET_VM_MODEL_WELLKNOWN_H

#include "vm/model/class.h"

typedef struct WellKnown {
#define WK_CLASS(id, name) Class *id;
#include "vm/model/wellknown.def"
#define WK_FIELD(cls, name, desc) int64_t cls##__##name;
#define WK_STATIC(cls, name, desc) int64_t cls##__##name;
#define WK_INJECT(cls, name, type) int64_t cls##__##name;
#include "vm/model/wellknown.def"
#define WK_METHOD(id, cls, name, desc) Method *m_##id;
#include "vm/model/wellknown.def"
} WellKnown;

// Loads (does not initialise) all well-known classes in table order through the boot loader and fills vm.wk. False with
// a message on stderr that names what this JDK lacks.
bool wellknown_load(Thread *self);

#endif
