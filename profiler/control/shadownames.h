// Names, lines and paths that shadows have handed over. A shadow's numbers of methods, fields and classes may mean
// others in the program's process, so what it hands over is identified by name, and numbered here.
#ifndef CABERNET_PROFILER_CONTROL_SHADOWNAMES_H
#define CABERNET_PROFILER_CONTROL_SHADOWNAMES_H

#include "vm/api/profiler.h"

typedef enum ShadowNameKind { SHADOW_METHOD, SHADOW_FIELD, SHADOW_CLASS, SHADOW_NAME_KINDS } ShadowNameKind;

typedef struct ShadowName {
    ShadowNameKind kind;
    ProfiledMethod what;  // for a field or class, the members that apply
} ShadowName;

typedef struct ShadowLine {
    uint32_t method;
    int32_t bci, line;
} ShadowLine;

typedef struct ShadowPath {
    uint32_t key[3];  // method, bytecode index, number
    char *text;
} ShadowPath;

// The number of a name; takes ownership of the strings. 0: out of memory.
uint32_t shadownames_add(ShadowName *k);
void shadownames_free_texts(ProfiledMethod *m);
// False: out of memory. add_path takes ownership of the text.
bool shadownames_add_line(const ShadowLine *l);
bool shadownames_add_path(const ShadowPath *p);

// Forgets everything that was added.
void shadownames_end(void);

// Resolves the numbers of everything that was added.
extern const ProfileHost shadownames_host;

#endif
