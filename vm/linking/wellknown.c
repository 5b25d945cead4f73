// Filling vm.wk from wellknown.def: see vm/model/wellknown.h. Runs once, on the main thread, before any Java code;
// nothing here needs a mirror or a String.
#include "vm/model/wellknown.h"

#include <stdio.h>

#include "gc/heap.h"
#include "vm/loading/arrayclass.h"
#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/loading/mirror.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

static bool lacks(const char *what, const char *cls, const char *name, const char *desc) {
    fprintf(stderr, "cabernet: this class library lacks the %s %s%s%s%s%s that the VM needs\n", what, cls,
            name ? "." : "", name ? name : "", desc ? " " : "", desc ? desc : "");
    return false;
}

static bool find_field(const Class *cls, const char *name, const char *desc, bool is_static, int64_t *at) {
    const Field *f = class_find_declared_field(cls, symbol_of(name), symbol_of(desc));
    if (!f || !(f->flags & ACC_STATIC) != !is_static)
        return lacks(is_static ? "static field" : "field", cls->name->text, name, desc);
    *at = f->offset;
    return true;
}

static bool find_injected(const Class *cls, const char *name, int64_t *at) {
    for (uint32_t i = 0; i < cls->injected_count; i++) {
        const Field *f = &cls->fields[cls->field_count + i];
        if (symbol_is(f->name, name)) *at = f->offset;
    }
    return *at || lacks("injected field", cls->name->text, name, NULL);
}

bool wellknown_load(Thread *self) {
#define WK_CLASS(id, name) \
    if (!(vm.wk.id = loader_find_boot(self, symbol_of(name)))) return lacks("class", name, NULL, NULL);
#include "vm/model/wellknown.def"
    bool ok = true;
#define WK_FIELD(cls, name, desc) ok &= find_field(WK(cls), #name, desc, false, &vm.wk.cls##__##name);
#define WK_INJECT(cls, name, type) ok &= find_injected(WK(cls), #name, &vm.wk.cls##__##name);
#define WK_METHOD(id, cls, method, desc)                                                    \
    vm.wk.m_##id = class_find_declared_method(WK(cls), symbol_of(method), symbol_of(desc)); \
    ok = (vm.wk.m_##id || lacks("method", WK(cls)->name->text, method, desc)) && ok;
#include "vm/model/wellknown.def"
    if (!ok) return false;
    // Mirrors need java.lang.Class linked, and arrays Object. Statics only have an offset relative to their class's
    // mirror.
    ok = class_link(self, WK(java_lang_Object)) && class_link(self, WK(java_lang_Class)) && mirror_fixup_all(self) &&
        class_link(self, WK(java_lang_String)) && class_array_of(self, class_primitive('B')) &&
        class_array_of(self, WK(java_lang_Object));
    if (ok) {
#define WK_STATIC(cls, name, desc) ok &= find_field(WK(cls), #name, desc, true, &vm.wk.cls##__##name);
#include "vm/model/wellknown.def"
    }
    if (!ok) {
        if (self->exception) exception_print_native(self);
        return false;
    }
    HeapReferenceLayout layout = {
        .referent = (size_t)WK_OFF(java_lang_ref_Reference, referent),
        .next = (size_t)WK_OFF(java_lang_ref_Reference, next),
        .discovered = (size_t)WK_OFF(java_lang_ref_Reference, discovered),
        .soft_timestamp = (size_t)WK_OFF(java_lang_ref_SoftReference, timestamp),
        .soft_clock = (int64_t *)((char *)WK(java_lang_ref_SoftReference)->mirror +
                                  WK_OFF(java_lang_ref_SoftReference, clock)),
    };
    heap_set_reference_layout(&layout);
    return true;
}
