// Fields of classes of the class library that the VM does not know by name at the boot (vm/model/wellknown.def), because most programs
// never load them: those that intrinsics read. A field that this JDK lacks is never found, and the intrinsic declines.
//
// Any thread; nothing here allocates, blocks or throws.
#ifndef CABERNET_VM_FIELDPLACES_H
#define CABERNET_VM_FIELDPLACES_H

#include "vm/model/object.h"

typedef enum FieldPlace {
#define FIELD_PLACE(id, cls, name, desc) PLACE_##id,
#include "vm/natives/fieldplaces.def"
    PLACE_COUNT
} FieldPlace;

// The field in an object that may have it, for its class or a superclass is the one that declares it; NULL: it has not.
void *fieldplaces_in(const Object *o, FieldPlace place);
// What a field that holds a reference has; NULL also if there is no such field.
Object *fieldplaces_get(const Object *o, FieldPlace place);

#endif
