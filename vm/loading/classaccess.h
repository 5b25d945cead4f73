// Access control of classes (JVMS 5.4.4), and the names of classes with module and loader in messages.
#ifndef CABERNET_VM_LOADING_CLASSACCESS_H
#define CABERNET_VM_LOADING_CLASSACCESS_H

#include "vm/model/class.h"

// May code of `from` refer to `to`? Pure.
bool class_can_access(const Class *from, const Class *to);
// The same; throws IllegalAccessError if not.
bool class_check_access(Thread *self, Class *from, Class *to);

// For messages, malloc'd. "A is in unnamed module of loader 'app'" (`use_are`: "are"), with ", parent loader 'x'" if
// requested and the loader is not built in.
char *class_description(const Class *a, bool use_are, bool with_parent);
// "A and B are in module java.base of loader 'bootstrap'", if in one module; else "A is in ...; B is in ...".
char *class_pair_description(const Class *a, const Class *b);
// Why the module system forbids `from` to use `to`; NULL if that is not the reason.
char *class_access_text(Thread *self, const Class *from, const Class *to);

#endif
