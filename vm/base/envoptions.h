// Options of the VM that come from the environment.
#ifndef CABERNET_VM_ENVOPTIONS_H
#define CABERNET_VM_ENVOPTIONS_H

#include <stdbool.h>

// A list of options; each was malloc'd with `extras` alongside, NULL where there is none.
typedef struct OptionList {
    char **strings;
    void **extras;
    int count, capacity, extra_capacity;
} OptionList;

// Appends the words of environment variable `name`, and says on stderr that it did. Words end at
// white space; quotes of either kind keep it and are dropped. Ignored for a program that runs with
// more rights than its user has. False with a message when a quote is not closed or memory is out.
bool envoptions_append(OptionList *list, const char *name);

// Appends the words of a file, cut in the same way. False with a message when it cannot be read.
bool envoptions_append_file(OptionList *list, const char *path);

// Appends one option; the string is borrowed. False when memory is out.
bool envoptions_add(OptionList *list, char *string, void *extra);

#endif
