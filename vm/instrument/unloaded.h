// Facts about unloaded classes, their methods and fields for a profile: names (vm/instrument/classlabels.h), and the
// methods' lines. Kept from the unloading on if there is a profile then, which may have counts of them.
#ifndef CABERNET_VM_INSTRUMENT_UNLOADED_H
#define CABERNET_VM_INSTRUMENT_UNLOADED_H

#include "vm/api/profiler.h"
#include "vm/instrument/classlabels.h"
#include "vm/model/class.h"

// Called when the class is unloaded: its methods and fields lose their ids. World stopped, collector thread.
void unloaded_add(Class *cls);

// By id, like the functions of ProfileHost. Any thread; take a short lock.
bool unloaded_method(uint32_t id, ProfiledMethod *out);
int32_t unloaded_line(uint32_t id, int32_t bci);
const struct Paths *unloaded_paths(uint32_t id);  // NULL: none were made
const char *unloaded_class(uint32_t id);
bool unloaded_field(uint32_t id, ProfiledField *out);
bool unloaded_class_file(uint32_t id, ProfiledClassFile *out);
// The same for a loaded class. False: it comes from no file.
bool unloaded_file_of(const Class *c, ProfiledClassFile *out);
// Calls fn for each class, under the lock. The facts stay valid.
void unloaded_each_class(void (*fn)(void *arg, const LabelledClass *c), void *arg);

#endif
