// Symbols: the unique copy of every name and descriptor, so that equality is pointer equality. Global table, never
// shrinks. Lookups of existing symbols take no lock; insertion takes one briefly. Any thread, any state; no function
// here touches the Java heap or throws.
#ifndef CABERNET_VM_OBJECTS_SYMBOL_H
#define CABERNET_VM_OBJECTS_SYMBOL_H

#include <pthread.h>

#include "vm/base/arena.h"
#include "vm/model/class.h"

// The symbol for `len` bytes of modified UTF-8 (at most 65535), created if necessary.
Symbol *symbol_intern(const char *utf8, size_t len);
Symbol *symbol_of(const char *cstr);
static inline Symbol *symbol_from_utf8(ClassFileUtf8 u) { return symbol_intern((const char *)u.ptr, u.len); }
// A symbol outside the table, which no lookup finds and which is freed with the arena: for synthetic names.
Symbol *symbol_new_private(Arena *arena, const char *utf8, size_t len);
// The symbol if it exists, else NULL.
Symbol *symbol_find(const char *utf8, size_t len);
static inline bool symbol_is(const Symbol *s, const char *cstr) {
    return __builtin_strlen(cstr) == s->length && !__builtin_memcmp(s->text, cstr, s->length);
}
// The package part of a class name; "" for none. Not for arrays.
Symbol *symbol_package(const Symbol *class_name);
bool symbol_has_prefix(const Symbol *s, const char *prefix);

// Well-known symbols (symbols.def): SYMS(object_initializer). Valid after symbol_init().
typedef struct KnownSymbols {
#define SYM(id, text) Symbol *id;
#include "vm/objects/symbols.def"
#undef SYM
} KnownSymbols;

// The state of symbol.c; others read `known`.
typedef struct SymbolTable {
    KnownSymbols known;  // constant after symbol_init
    _Atomic(struct SymbolBuckets *) current;
    uint32_t count;
    Arena arena;
    pthread_mutex_t lock;
    pthread_once_t once;
} SymbolTable;
extern SymbolTable symbol_table;
#define SYMS(id) (symbol_table.known.id)
void symbol_init(void);  // once, before any class is loaded

// Around a fork, in parent and child: the caller holds the table's locks.
void symbol_before_fork(void);
void symbol_after_fork(void);

#endif
