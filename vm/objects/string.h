// Java strings in C: creating, reading, interning. Compact strings exactly like java.lang.String: `value` is a byte[],
// coder 0 Latin-1 or 1 UTF-16 (native byte order), and a string that fits Latin-1 is always Latin-1.
//
// Functions that take `self` allocate (may collect) and return NULL with OutOfMemoryError pending. The others neither
// allocate in the Java heap nor block. All require java.lang.String to be linked.
#ifndef CABERNET_VM_OBJECTS_STRING_H
#define CABERNET_VM_OBJECTS_STRING_H

#include "vm/model/class.h"

Object *string_from_utf8(Thread *self, const char *utf8);  // malformed bytes become U+FFFD
Object *string_from_mutf8(Thread *self, const char *mutf8, size_t len);
Object *string_from_utf16(Thread *self, const uint16_t *chars, size_t len);
Object *string_from_latin1(Thread *self, const uint8_t *bytes, size_t len);
Object *string_from_symbol(Thread *self, const Symbol *sym);         // a new string
Object *string_from_symbol_dotted(Thread *self, const Symbol *sym);  // '/' becomes '.'

// The canonical string equal to `s` (String.intern). The table is weak.
Object *string_intern(Thread *self, Object *s);
Object *string_intern_symbol(Thread *self, const Symbol *sym);
Object *string_intern_mutf8(Thread *self, const char *mutf8, size_t len);
Object *string_intern_utf8(Thread *self, const char *utf8);
// Heap callback, world stopped: drops interned strings that are not marked.
void string_clear_weak(void);

// malloc'd, NUL-terminated; the caller frees. NUL chars become C0 80 in mutf8 and are dropped in utf8. NULL for NULL.
char *string_to_utf8(const Object *s);
char *string_to_mutf8(const Object *s);
size_t string_mutf8_length(const Object *s);
// Symbol with the string's text; NULL: longer than 65535 bytes.
Symbol *string_to_symbol(const Object *s, bool dots_to_slashes);
// The same without creating it: NULL if no such symbol exists.
Symbol *string_find_symbol(const Object *s, bool dots_to_slashes);

int32_t string_length(const Object *s);  // in chars
uint16_t string_char_at(const Object *s, int32_t i);
bool string_is_latin1(const Object *s);
void string_get_chars(const Object *s, int32_t from, int32_t count, uint16_t *out);
bool string_equals(const Object *a, const Object *b);
int32_t string_hash(const Object *s);  // String.hashCode

#endif
