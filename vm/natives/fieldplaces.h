// Fields of library classes that intrinsics read. The VM does not look them up at boot (vm/model/wellknown.def),
// because most programs never load these classes. A field that this JDK lacks is never found, and the intrinsic
// declines.
//
// Any thread; nothing here allocates, blocks or throws.
#ifndef CABERNET_VM_NATIVES_FIELDPLACES_H
#define CABERNET_VM_NATIVES_FIELDPLACES_H

#include "vm/model/object.h"

typedef enum FieldPlace {
#define FIELD_PLACE(id, cls, name, desc) PLACE_##id,
#include "vm/natives/fieldplaces.def"
    PLACE_COUNT
} FieldPlace;

// The address of the field in an object whose class, or a superclass of it, declares the field; NULL: the object does
// not have it.
void *fieldplaces_in(const Object *o, FieldPlace place);
// The value of a reference field; also NULL if there is no such field.
Object *fieldplaces_get(const Object *o, FieldPlace place);

#endif
