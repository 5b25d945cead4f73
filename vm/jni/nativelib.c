// Native method lookup (vm/jni/nativelib.h; JNI specification, chapter 2).
#include "vm/jni/nativelib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "bytecode/classfile/mutf8.h"
#include "vm/base/log.h"
#include "vm/jni/hooks.h"
#include "vm/linking/classinit.h"
#include "vm/loading/jdklibrary.h"
#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"
#include "vm/runtime/invoke.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/objects/string.h"
#include "vm/jni/greennatives.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

// ---- mangling ----------------------------------------------------------------------------------

// Returns the bytes of the character at p, its value in *c. The input is valid modified UTF-8.
static size_t next_char(const uint8_t *p, size_t left, uint16_t *c) {
    if (p[0] >= 0xe0 && left >= 3) {
        *c = (uint16_t)((p[0] & 0x0f) << 12 | (p[1] & 0x3f) << 6 | (p[2] & 0x3f));
        return 3;
    }
    if (p[0] >= 0xc0 && left >= 2) {
        *c = (uint16_t)((p[0] & 0x1f) << 6 | (p[1] & 0x3f));
        return 2;
    }
    *c = p[0];
    return 1;
}

void native_mangle(Text *t, const char *s, size_t len) {
    const uint8_t *p = (const uint8_t *)s;
    for (size_t i = 0; i < len;) {
        uint16_t c;
        i += next_char(p + i, len - i, &c);
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
            text_put_char(t, (char)c);
        } else if (c == '/') {
            text_put_char(t, '_');
        } else if (c == '_') {
            text_put_string(t, "_1");
        } else if (c == ';') {
            text_put_string(t, "_2");
        } else if (c == '[') {
            text_put_string(t, "_3");
        } else {
            char code[8];
            snprintf(code, sizeof code, "_0%04x", c);
            text_put_string(t, code);
        }
    }
}

// A part of a name that begins with a digit 0 to 3 would look like an escape.
static bool ambiguous_part(const char *s, const char *end) {
    for (char before = '/'; s < end; before = *s++)
        if (before == '/' && *s >= '0' && *s <= '3') return true;
    return false;
}

// ---- lookup ----------------------------------------------------------------------------------

// ClassLoader.findNative(loader, name).
static void *find_through_loader(Thread *self, Loader *loader, const char *name) {
    // With a module path, natives of libnio are needed before any other code has used ClassLoader.
    if (!class_ensure_initialized(self, WK(java_lang_ClassLoader))) return NULL;
    Object *string = string_from_utf8(self, name);
    if (!string) return NULL;
    Slot args[2] = {{.o = loader->java_loader}, {.o = string}};
    Slot result = {.l = 0};
    if (!invoke_method(self, WK_M(ClassLoader_findNative), args, &result, ENTRY_VM)) return NULL;
    return (void *)(uintptr_t)result.l;
}

static void *find_symbol(Thread *self, const Method *m, bool with_signature) {
    Text t = {0};
    text_put_string(&t, "Java_");
    native_mangle(&t, m->cls->name->text, m->cls->name->length);
    text_put_char(&t, '_');
    native_mangle(&t, m->name->text, m->name->length);
    if (with_signature) {
        const char *args = m->desc->text + 1;
        text_put_string(&t, "__");
        native_mangle(&t, args, (size_t)(strchr(args, ')') - args));
    }
    char *name = t.at;
    void *fn = NULL;
    if (!name) {
        throw_oom(self, "native method name");
        return NULL;
    }
    if (!m->cls->loader->java_loader) fn = jdklibrary_symbol(name);
    if (!fn && vm.init_level > 0) fn = find_through_loader(self, m->cls->loader, name);
    free(name);
    return fn;
}

void native_bind(Method *m, void *fn) { __atomic_store_n(&m->native_fn, fn, __ATOMIC_RELEASE); }

void *native_lookup(Thread *self, Method *m) {
    void *fn = __atomic_load_n(&m->native_fn, __ATOMIC_ACQUIRE);
    if (fn) return fn;
    if (thread_is_green()) {
        fn = greennatives_replacement(m);
        m->mflags |= greennatives_flags(m);
    }
    if (!fn) fn = jni_hooks.own_native(m);
    if (!fn && !ambiguous_part(m->cls->name->text, m->cls->name->text + m->cls->name->length) &&
        !ambiguous_part(m->name->text, m->name->text + m->name->length)) {
        fn = find_symbol(self, m, false);
        if (!fn && !self->exception) fn = find_symbol(self, m, true);
    }
    if (self->exception) return NULL;
    if (!fn) {
        char *text = method_external_name(m);
        throw_wk(self, "java/lang/UnsatisfiedLinkError", "'%s'", text ? text : m->name->text);
        free(text);
        return NULL;
    }
    native_bind(m, fn);
    if (log_is(LOG_JNI_RESOLVE, LOG_DEBUG))
        log_write(LOG_JNI_RESOLVE, LOG_DEBUG, "[Dynamic-linking native method %s.%s ... JNI]",
                  class_external_name(m->cls), m->name->text);
    return fn;
}
