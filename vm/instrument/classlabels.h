// The labels of classes in a profile, including unloaded ones. A label is the class's name. Where several classes
// share a name, the loader follows: "demo/Plugin@URLClassLoader#2". The number distinguishes loaders of one name;
// they are numbered in the order in which they defined their first such class. Classes of the boot loader have only
// their names.
//
// Names of hidden classes contain a number that differs from run to run. Their labels contain the place that made
// them instead (vm/jvm/hiddenplace.h), "Main$$Lambda+main:12". Where the place alone does not identify the class, a
// hash of the class follows: "LambdaForm$MH+5b1c07d2". Classes that still share name and loader are numbered in the
// order of definition, from the second on: "Plug+make:7-0fe52a91~2".
#ifndef CABERNET_VM_INSTRUMENT_CLASSLABELS_H
#define CABERNET_VM_INSTRUMENT_CLASSLABELS_H

#include "vm/model/class.h"

// The facts from which a class's label is made, also after the class has been unloaded.
typedef struct LabelledClass {
    uint32_t id;       // in the order of definition
    const char *name;  // in internal form; of hidden classes classlabels_base
    uint32_t loader;   // its serial; 0: labels do not name this loader
    const char *loader_label;
    bool hidden;  // hidden, or an array: it comes from no file
} LabelledClass;

// The name from which a class's label is made, malloc'd; NULL: the class's own name, or there is no memory. Reads
// only the class.
char *classlabels_base(const Class *c);
// The facts of a loaded class; `base` is the result of classlabels_base and must live as long as they do.
LabelledClass classlabels_facts(const Class *c, const char *base);

// Makes the labels: finds names that several classes share. Threads are stopped, or this is the copy of a crashed
// process; malloc only. Without memory, every label is the class's name.
void classlabels_make(void);

// A label by class id: internal form, modified UTF-8, valid until the next classlabels_make. A class defined since
// the last one has its name, which is `name`.
const char *classlabels_of(uint32_t id, const char *name);
// The id of the class with this label; 0: none, or it comes from no file. As of the last classlabels_make.
uint32_t classlabels_find(const char *label);

#endif
