// Strings: see vm/objects/string.h.
//
// The intern table is a hash table of object pointers in malloc memory, which the collector does not scan, so it is
// weak. That is safe because only a running mutator takes strings out of it (a stop waits for it), and
// string_clear_weak drops dead ones while the world is stopped. One lock, never held over an allocation in the Java
// heap, so a stopped thread never holds it.
#include "vm/objects/string.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/hash.h"
#include "bytecode/classfile/mutf8.h"
#include "gc/heap.h"
#include "vm/base/arena.h"
#include "vm/objects/hooks.h"
#include "vm/objects/objects.h"
#include "vm/objects/symbol.h"
#include "vm/model/vm.h"

enum { LATIN1, UTF16 };

static Object *value_of(const Object *s) { return get_ref(s, WK_OFF(java_lang_String, value)); }

bool string_is_latin1(const Object *s) { return FIELD_AT(s, WK_OFF(java_lang_String, coder), int8_t) == LATIN1; }

int32_t string_length(const Object *s) {
    int32_t bytes = value_of(s)->length;
    return string_is_latin1(s) ? bytes : bytes >> 1;
}

uint16_t string_char_at(const Object *s, int32_t i) {
    return string_is_latin1(s) ? ARRAY_DATA(value_of(s), uint8_t)[i] : ARRAY_DATA(value_of(s), uint16_t)[i];
}

void string_get_chars(const Object *s, int32_t from, int32_t count, uint16_t *out) {
    ASSERT(from >= 0 && count >= 0 && from + count <= string_length(s), "%d characters from %d of %d", count, from,
           string_length(s));
    if (string_is_latin1(s)) {
        const uint8_t *p = ARRAY_DATA(value_of(s), uint8_t) + from;
        for (int32_t i = 0; i < count; i++) out[i] = p[i];
    } else {
        memcpy(out, ARRAY_DATA(value_of(s), uint16_t) + from, (size_t)count * 2);
    }
}

// ---- creating --------------------------------------------------------------------------------

// A string with room for `length` chars of the given coder; *data points to the chars.
static Object *make(Thread *self, size_t length, int coder, void *data_out) {
    size_t bytes = length << coder;
    ASSERT(coder == LATIN1 || coder == UTF16, "coder %d", coder);
    if (bytes > INT32_MAX) {
        object_hooks.throw_oom(self, "Requested string size exceeds VM limit");
        return NULL;
    }
    Object *value = object_new_prim_array(self, 'B', (int32_t)bytes);
    if (!value) return NULL;
    Object *s = object_new(self, WK(java_lang_String));
    if (!s) return NULL;
    FIELD_AT(s, WK_OFF(java_lang_String, coder), int8_t) = (int8_t)coder;
    set_ref(s, WK_OFF(java_lang_String, value), value);
    *(void **)data_out = ARRAY_DATA(value, void);
    return s;
}

// Publishes the result of make() (or NULL) once its characters are written: a string is immutable, so a thread that
// sees it must see them.
static Object *filled(Object *s) {
    object_publishable();
    return s;
}

Object *string_from_latin1(Thread *self, const uint8_t *bytes, size_t len) {
    uint8_t *data;
    Object *s = make(self, len, LATIN1, &data);
    if (s && len) memcpy(data, bytes, len);
    return filled(s);
}

Object *string_from_utf16(Thread *self, const uint16_t *chars, size_t len) {
    unsigned all = 0;
    for (size_t i = 0; i < len; i++) all |= chars[i];
    if (all < 256) {
        uint8_t *data;
        Object *s = make(self, len, LATIN1, &data);
        if (s)
            for (size_t i = 0; i < len; i++) data[i] = (uint8_t)chars[i];
        return filled(s);
    }
    uint16_t *data;
    Object *s = make(self, len, UTF16, &data);
    if (s) memcpy(data, chars, len * 2);
    return filled(s);
}

Object *string_from_mutf8(Thread *self, const char *mutf8, size_t len) {
    const uint8_t *in = (const uint8_t *)mutf8;
    bool latin1, ascii;
    size_t n = mutf8_length(in, len, &latin1, &ascii);
    if (latin1) {
        uint8_t *data;
        Object *s = make(self, n, LATIN1, &data);
        if (s) mutf8_to_latin1(in, len, data);
        return filled(s);
    }
    uint16_t *data;
    Object *s = make(self, n, UTF16, &data);
    if (s) mutf8_to_utf16(in, len, data);
    return filled(s);
}

// Decodes one UTF-8 character; U+FFFD for a malformed byte.
static uint32_t next_utf8(const uint8_t **p) {
    const uint8_t *s = *p;
    uint32_t c = s[0];
    unsigned extra = c < 0x80   ? 0
        : c >= 0xC2 && c < 0xE0 ? 1
        : c >= 0xE0 && c < 0xF0 ? 2
        : c >= 0xF0 && c < 0xF5 ? 3
                                : 4;
    *p = s + 1;
    if (extra == 0) return c;
    if (extra == 4) return 0xFFFD;
    c &= 0x3Fu >> extra;
    for (unsigned i = 1; i <= extra; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0xFFFD;
        c = c << 6 | (s[i] & 0x3Fu);
    }
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (c < least[extra] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return 0xFFFD;
    *p = s + 1 + extra;
    return c;
}

Object *string_from_utf8(Thread *self, const char *utf8) {
    size_t len = strlen(utf8);
    bool ascii = true;
    for (size_t i = 0; i < len && ascii; i++) ascii = (signed char)utf8[i] > 0;
    if (ascii) return string_from_latin1(self, (const uint8_t *)utf8, len);
    uint16_t *chars = arena_malloc((len + 1) * 2);
    size_t n = 0;
    for (const uint8_t *p = (const uint8_t *)utf8; *p;) {
        uint32_t c = next_utf8(&p);
        if (c >= 0x10000) {
            chars[n++] = (uint16_t)(0xD800 + ((c - 0x10000) >> 10));
            c = 0xDC00 + (c & 0x3FF);
        }
        chars[n++] = (uint16_t)c;
    }
    Object *s = string_from_utf16(self, chars, n);
    free(chars);
    return filled(s);
}

Object *string_from_symbol(Thread *self, const Symbol *sym) { return string_from_mutf8(self, sym->text, sym->length); }

Object *string_from_symbol_dotted(Thread *self, const Symbol *sym) {
    Object *s = string_from_symbol(self, sym);
    if (!s) return NULL;
    Object *value = value_of(s);
    if (string_is_latin1(s)) {
        uint8_t *p = ARRAY_DATA(value, uint8_t);
        for (int32_t i = 0; i < value->length; i++)
            if (p[i] == '/') p[i] = '.';
    } else {
        uint16_t *p = ARRAY_DATA(value, uint16_t);
        for (int32_t i = 0; i < value->length / 2; i++)
            if (p[i] == '/') p[i] = '.';
    }
    return filled(s);
}

// ---- reading ---------------------------------------------------------------------------------

size_t string_mutf8_length(const Object *s) {
    size_t n = (size_t)string_length(s);
    return string_is_latin1(s) ? mutf8_size_latin1(ARRAY_DATA(value_of(s), uint8_t), n)
                               : mutf8_size_utf16(ARRAY_DATA(value_of(s), uint16_t), n);
}

static void encode_mutf8(const Object *s, uint8_t *out) {
    size_t n = (size_t)string_length(s);
    if (string_is_latin1(s)) mutf8_from_latin1(ARRAY_DATA(value_of(s), uint8_t), n, out);
    else mutf8_from_utf16(ARRAY_DATA(value_of(s), uint16_t), n, out);
}

char *string_to_mutf8(const Object *s) {
    if (!s) return NULL;
    size_t n = string_mutf8_length(s);
    char *out = arena_malloc(n + 1);
    encode_mutf8(s, (uint8_t *)out);
    return out;
}

static char *put_utf8(char *out, uint32_t c) {
    if (c < 0x80) {
        if (c) *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xC0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *out++ = (char)(0xE0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
        *out++ = (char)(0x80 | (c & 0x3F));
    } else {
        *out++ = (char)(0xF0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3F));
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
        *out++ = (char)(0x80 | (c & 0x3F));
    }
    return out;
}

char *string_to_utf8(const Object *s) {
    if (!s) return NULL;
    int32_t n = string_length(s);
    char *result = arena_malloc((size_t)n * 3 + 1), *out = result;
    for (int32_t i = 0; i < n; i++) {
        uint32_t c = string_char_at(s, i);
        if (c >= 0xD800 && c < 0xE000) {
            uint32_t low = c < 0xDC00 && i + 1 < n ? string_char_at(s, i + 1) : 0;
            if (low >= 0xDC00 && low < 0xE000) {
                c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
                i++;
            } else {
                c = '?';
            }
        }
        out = put_utf8(out, c);
    }
    return result;
}

static Symbol *to_symbol(const Object *s, bool dots_to_slashes, bool make_it) {
    size_t n = string_mutf8_length(s);
    if (n > UINT16_MAX) return NULL;
    char small[512];
    char *text = n <= sizeof small ? small : arena_malloc(n);
    encode_mutf8(s, (uint8_t *)text);
    if (dots_to_slashes)
        for (size_t i = 0; i < n; i++)
            if (text[i] == '.') text[i] = '/';
    Symbol *sym = make_it ? symbol_intern(text, n) : symbol_find(text, n);
    if (text != small) free(text);
    return sym;
}

Symbol *string_to_symbol(const Object *s, bool dots_to_slashes) { return to_symbol(s, dots_to_slashes, true); }

Symbol *string_find_symbol(const Object *s, bool dots_to_slashes) { return to_symbol(s, dots_to_slashes, false); }

bool string_equals(const Object *a, const Object *b) {
    if (a == b) return true;
    if (!a || !b || string_is_latin1(a) != string_is_latin1(b)) return false;
    const Object *va = value_of(a), *vb = value_of(b);
    return va->length == vb->length &&
        memcmp(ARRAY_DATA(va, uint8_t), ARRAY_DATA(vb, uint8_t), (size_t)va->length) == 0;
}

int32_t string_hash(const Object *s) {
    int32_t known = get_int(s, WK_OFF(java_lang_String, hash));
    if (known) return known;
    uint32_t h = 0;
    int32_t n = string_length(s);
    const Object *v = value_of(s);
    if (string_is_latin1(s))
        for (int32_t i = 0; i < n; i++) h = h * 31 + ARRAY_DATA(v, uint8_t)[i];
    else
        for (int32_t i = 0; i < n; i++) h = h * 31 + ARRAY_DATA(v, uint16_t)[i];
    return (int32_t)h;
}

// ---- interning -------------------------------------------------------------------------------

static struct {
    HashTable strings;
    pthread_mutex_t lock;
} interned = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t hash_interned(const void *owner, uintptr_t item) {
    (void)owner;
    return (uint32_t)string_hash((Object *)item);
}

static bool same_interned(const void *owner, uintptr_t item, const void *string) {
    (void)owner;
    return string_equals((Object *)item, string);
}

static const HashKind by_content = {hash_interned, same_interned};

Object *string_intern(Thread *self, Object *s) {
    (void)self;
    uint32_t hash = (uint32_t)string_hash(s);
    pthread_mutex_lock(&interned.lock);
    uintptr_t known = hash_find(&interned.strings, &by_content, NULL, hash, s);
    if (!known) hash_add_or_exit(&interned.strings, &by_content, NULL, hash, (uintptr_t)s);
    pthread_mutex_unlock(&interned.lock);
    return known ? (Object *)known : s;
}

Object *string_intern_mutf8(Thread *self, const char *mutf8, size_t len) {
    Object *s = string_from_mutf8(self, mutf8, len);
    return s ? string_intern(self, s) : NULL;
}

Object *string_intern_symbol(Thread *self, const Symbol *sym) {
    return string_intern_mutf8(self, sym->text, sym->length);
}

Object *string_intern_utf8(Thread *self, const char *utf8) {
    Object *s = string_from_utf8(self, utf8);
    return s ? string_intern(self, s) : NULL;
}

static bool is_alive(uintptr_t item) { return heap_is_marked((Object *)item); }

void string_clear_weak(void) { hash_filter(&interned.strings, is_alive); }
