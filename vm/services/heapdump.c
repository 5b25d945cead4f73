// The contents of a heap dump. Identifiers are addresses: of objects, of a class's mirror for the class, of symbols for
// names.
//
// The heap is walked once. Before the first object, everything is written that the walk does not visit: names, classes,
// stack traces. A word of a stack may look like a reference to an object that is dead, or to memory that is free, so
// a root is written only when the walk reaches its object. All of this runs on the collector thread with the world
// stopped; Dump holds addresses of objects in malloc memory only meanwhile.
//
// The format has statics of classes, but no fields of class objects. References in a mirror that the format has no place
// for are written as statics with names like <reflectionData>. Without them, objects that only mirrors keep alive would
// be unreachable in the dump. Mirrors of primitive types are instances of java.lang.Class, as in HotSpot's dumps.
#include "vm/services/heapdump.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/hash.h"
#include "gc/heap.h"
#include "vm/api/stackwalk.h"
#include "vm/loading/loader.h"
#include "vm/model/vm.h"
#include "vm/objects/layout.h"
#include "vm/services/hooks.h"
#include "vm/services/threadlocks.h"

enum {
    NO_TRACE = 1,  // serial number of the empty stack trace; that of a thread is the thread's plus 1
    NO_FRAME = -1,
    NATIVE_LINE = -3,
    ARRAY_HEAD = 2 * HPROF_ID + 8,     // of a part: array, stack trace, length, class or element type
    INSTANCE_HEAD = 2 * HPROF_ID + 8,  // object, stack trace, class, length
};

typedef struct Root {
    const Object *object;
    uint32_t next;  // another root of this object: its number plus 1
    HprofPart part;
    uint32_t thread;  // its serial number
    int32_t frame;    // number in the stack trace; of a thread: the trace's serial number
    const void *handle;
} Root;

typedef struct FrameNumber {
    const void *frame;  // Frame, or frame pointer of compiled code
    int32_t number;     // of the innermost method in it
} FrameNumber;

typedef struct Dump {
    Hprof file;
    bool begun;
    HashTable symbols;  // written ones
    const Class **classes;
    size_t class_count, class_capacity;
    HashTable serials;  // a class's index in `classes` plus 1
    Root *roots;
    size_t root_count, root_capacity;
    HashTable roots_of;  // an object's first root
    uint64_t frames;     // written for all threads
    // The thread that is being written.
    uint32_t thread;
    FrameNumber *numbers;
    size_t number_count, number_capacity, number_last;
    // The class of the last instance, and the bytes of its fields.
    const Class *last_class;
    uint32_t last_bytes;
} Dump;

static void fail_memory(Dump *d) { hprof_fail(&d->file, "out of memory"); }

// ---- names -------------------------------------------------------------------------------------

static void write_name(Dump *d, const Symbol *s) {
    if (!s || hash_find(&d->symbols, &hash_by_address, NULL, hash_pointer(s), s)) return;
    if (!hash_add(&d->symbols, &hash_by_address, NULL, hash_pointer(s), (uintptr_t)s)) fail_memory(d);
    hprof_record(&d->file, HPROF_UTF8, HPROF_ID + (uint32_t)s->length);
    hprof_id(&d->file, s);
    hprof_bytes(&d->file, s->text, s->length);
}

// ---- fields ------------------------------------------------------------------------------------

static bool is_reference(char type) { return type == 'L' || type == '['; }

static uint8_t type_code(char type) {
    switch (type) {
        case 'Z': return 4;
        case 'C': return 5;
        case 'F': return 6;
        case 'D': return 7;
        case 'B': return 8;
        case 'S': return 9;
        case 'I': return 10;
        case 'J': return 11;
        default: return 2;
    }
}

static uint32_t type_bytes(char type) { return is_reference(type) ? HPROF_ID : 1u << layout_shift(type); }

static void write_value(Hprof *h, char type, const void *at) {
    switch (type) {
        case 'Z':
        case 'B': hprof_u1(h, *(const uint8_t *)at); break;
        case 'C':
        case 'S': hprof_u2(h, *(const uint16_t *)at); break;
        case 'I':
        case 'F': hprof_u4(h, *(const uint32_t *)at); break;
        default: hprof_u8(h, *(const uint64_t *)at); break;
    }
}

static uint32_t field_end(const Class *c) { return c->field_count + c->injected_count; }

// Is it a reference in a mirror that the format has no place for? A vtable is no object.
static bool is_extra(const Field *f) {
    return !(f->flags & ACC_STATIC) && is_reference(f->type) && f->offset != WK_OFF(java_lang_Class, vmTable) &&
        f->offset != WK_OFF(java_lang_Class, classLoader) && f->offset != WK_OFF(java_lang_Class, signers) &&
        f->offset != WK_OFF(java_lang_Class, protectionDomain);
}

// ---- classes -----------------------------------------------------------------------------------

static uint32_t serial_of(const Dump *d, const Class *c) {
    HashRecords owner = {d->classes, sizeof *d->classes};
    return (uint32_t)hash_find(&d->serials, &hash_by_pointer, &owner, hash_pointer(c), c);
}

static void write_load(void *dump, Class *c) {
    Dump *d = dump;
    if (!c->mirror || class_is_primitive(c)) return;
    if (!GROW(d->classes, d->class_capacity, d->class_count + 1)) {
        fail_memory(d);
        return;
    }
    d->classes[d->class_count++] = c;
    HashRecords owner = {d->classes, sizeof *d->classes};
    if (!hash_add(&d->serials, &hash_by_pointer, &owner, hash_pointer(c), d->class_count)) fail_memory(d);
    write_name(d, c->name);
    for (uint32_t i = 0; i < field_end(c); i++) write_name(d, c->fields[i].name);
    hprof_record(&d->file, HPROF_LOAD_CLASS, 8 + 2 * HPROF_ID);
    hprof_u4(&d->file, (uint32_t)d->class_count);
    hprof_id(&d->file, c->mirror);
    hprof_u4(&d->file, NO_TRACE);
    hprof_id(&d->file, c->name);
}

// Names of statics that stand for fields of mirrors; the field's address is the identifier.
static void write_extra_names(Dump *d) {
    const Class *of = WK(java_lang_Class);
    for (uint32_t i = 0; i < field_end(of); i++) {
        const Field *f = &of->fields[i];
        if (!is_extra(f)) continue;
        hprof_record(&d->file, HPROF_UTF8, HPROF_ID + (uint32_t)f->name->length + 2);
        hprof_id(&d->file, f);
        hprof_u1(&d->file, '<');
        hprof_bytes(&d->file, f->name->text, f->name->length);
        hprof_u1(&d->file, '>');
    }
}

typedef struct ClassSizes {
    uint32_t statics, extras, instance;  // numbers of fields
    uint32_t bytes;                      // of statics and extras
} ClassSizes;

static ClassSizes class_sizes(const Class *c) {
    ClassSizes n = {0};
    const Class *of = WK(java_lang_Class);
    for (uint32_t i = 0; i < field_end(c); i++) {
        bool is_static = c->fields[i].flags & ACC_STATIC;
        n.statics += is_static;
        n.instance += !is_static;
        if (is_static) n.bytes += HPROF_ID + 1 + type_bytes(c->fields[i].type);
    }
    for (uint32_t i = 0; i < field_end(of); i++)
        n.extras += is_extra(&of->fields[i]) && get_ref(c->mirror, (size_t)of->fields[i].offset);
    if (n.statics + n.extras > UINT16_MAX) n.extras = 0;
    n.bytes += n.extras * (HPROF_ID + 1 + HPROF_ID);
    return n;
}

static void write_class(Dump *d, const Class *c) {
    Hprof *h = &d->file;
    const Class *of = WK(java_lang_Class);
    ClassSizes n = class_sizes(c);
    uint32_t fixed = 7 * HPROF_ID + 4 + 4 + 3 * 2;
    hprof_part(h, HPROF_CLASS, fixed + n.bytes + n.instance * (HPROF_ID + 1));
    hprof_id(h, c->mirror);
    hprof_u4(h, NO_TRACE);
    hprof_id(h, c->super ? c->super->mirror : NULL);
    hprof_id(h, get_ref(c->mirror, (size_t)WK_OFF(java_lang_Class, classLoader)));
    hprof_id(h, get_ref(c->mirror, (size_t)WK_OFF(java_lang_Class, signers)));
    hprof_id(h, get_ref(c->mirror, (size_t)WK_OFF(java_lang_Class, protectionDomain)));
    hprof_id(h, NULL);  // reserved
    hprof_id(h, NULL);
    hprof_u4(h, class_is_array(c) ? 0 : c->instance_size);
    hprof_u2(h, 0);  // constants
    hprof_u2(h, (uint16_t)(n.statics + n.extras));
    for (uint32_t i = 0; i < field_end(c); i++) {
        const Field *f = &c->fields[i];
        if (!(f->flags & ACC_STATIC)) continue;
        hprof_id(h, f->name);
        hprof_u1(h, type_code(f->type));
        write_value(h, f->type, field_static_addr(f));
    }
    for (uint32_t i = 0; n.extras && i < field_end(of); i++) {
        const Object *value = is_extra(&of->fields[i]) ? get_ref(c->mirror, (size_t)of->fields[i].offset) : NULL;
        if (!value) continue;
        hprof_id(h, &of->fields[i]);
        hprof_u1(h, type_code('L'));
        hprof_id(h, value);
    }
    hprof_u2(h, (uint16_t)n.instance);
    for (uint32_t i = 0; i < field_end(c); i++) {
        const Field *f = &c->fields[i];
        if (f->flags & ACC_STATIC) continue;
        hprof_id(h, f->name);
        hprof_u1(h, type_code(f->type));
    }
}

// ---- roots -------------------------------------------------------------------------------------

static void add_root(Dump *d, const Root *root) {
    HashRecords owner = {d->roots, sizeof *d->roots};
    uint32_t hash = hash_pointer(root->object);
    uintptr_t first = hash_find(&d->roots_of, &hash_by_pointer, &owner, hash, root->object);
    // The newest is second. A frame often has an object in several words.
    for (uintptr_t i = first, seen = 0; i && seen < 2; i = d->roots[i - 1].next, seen++) {
        const Root *r = &d->roots[i - 1];
        if (r->part == root->part && r->thread == root->thread && r->frame == root->frame && r->handle == root->handle)
            return;
    }
    if (d->root_count == UINT32_MAX || !GROW(d->roots, d->root_capacity, d->root_count + 1)) {
        fail_memory(d);
        return;
    }
    Root *added = &d->roots[d->root_count++];
    *added = *root;
    added->next = first ? d->roots[first - 1].next : 0;
    owner.records = d->roots;
    if (first) d->roots[first - 1].next = (uint32_t)d->root_count;
    else if (!hash_add(&d->roots_of, &hash_by_pointer, &owner, hash, d->root_count)) fail_memory(d);
}

// Frames come in the order of the stack, but each twice: of compiled code, then all.
static int32_t frame_number(Dump *d, const void *frame) {
    for (size_t i = 0; frame && i < d->number_count; i++) {
        size_t at = (d->number_last + i) % d->number_count;
        if (d->numbers[at].frame != frame) continue;
        d->number_last = at;
        return d->numbers[at].number;
    }
    return NO_FRAME;
}

static void add_words(void *dump, RootKind kind, const void *frame, const void *lo, const void *hi) {
    static const HprofPart parts[] = {
        [ROOT_FRAME] = HPROF_ROOT_FRAME,           [ROOT_C_STACK] = HPROF_ROOT_C_STACK,
        [ROOT_JNI_LOCAL] = HPROF_ROOT_JNI_LOCAL,   [ROOT_VM] = HPROF_ROOT_UNKNOWN,
        [ROOT_JNI_GLOBAL] = HPROF_ROOT_JNI_GLOBAL,
    };
    Dump *d = dump;
    Root root = {.part = parts[kind], .thread = d->thread, .frame = NO_FRAME};
    if (kind == ROOT_FRAME && lo < hi) root.frame = frame_number(d, frame);
    for (const Object *const *at = lo; (const void *)at < hi; at++) {
        if (!*at || !heap_is_object(*at)) continue;
        root.object = *at;
        if (kind == ROOT_JNI_GLOBAL) root.handle = at;
        add_root(d, &root);
    }
}

static void write_roots(Dump *d, const Object *o) {
    Hprof *h = &d->file;
    HashRecords owner = {d->roots, sizeof *d->roots};
    uintptr_t i = hash_find(&d->roots_of, &hash_by_pointer, &owner, hash_pointer(o), o);
    for (; i; i = d->roots[i - 1].next) {
        const Root *r = &d->roots[i - 1];
        bool in_frame = r->part == HPROF_ROOT_FRAME || r->part == HPROF_ROOT_JNI_LOCAL || r->part == HPROF_ROOT_THREAD;
        bool of_thread = in_frame || r->part == HPROF_ROOT_C_STACK, is_handle = r->part == HPROF_ROOT_JNI_GLOBAL;
        hprof_part(h, r->part, HPROF_ID + 4u * of_thread + 4u * in_frame + HPROF_ID * is_handle);
        hprof_id(h, o);
        if (of_thread) hprof_u4(h, r->thread);
        if (in_frame) hprof_u4(h, (uint32_t)r->frame);
        if (is_handle) hprof_id(h, r->handle);
    }
}

// ---- threads -----------------------------------------------------------------------------------

static void write_frame(Dump *d, const StackWalk *w) {
    const Class *c = w->method->cls;
    int line = stackwalk_line(w);
    write_name(d, w->method->name);
    write_name(d, w->method->desc);
    write_name(d, c->source_file);
    hprof_record(&d->file, HPROF_FRAME, 4 * HPROF_ID + 8);
    hprof_u8(&d->file, ++d->frames);
    hprof_id(&d->file, w->method->name);
    hprof_id(&d->file, w->method->desc);
    hprof_id(&d->file, c->source_file);
    hprof_u4(&d->file, serial_of(d, c));
    hprof_u4(&d->file, (uint32_t)(w->is_native ? NATIVE_LINE : line));
}

static void add_monitors(Dump *d, const Thread *t, const StackWalk *w) {
    Object *locks[THREADLOCKS_MAX];
    int count = threadlocks_of_frame(t, w, true, locks);
    for (int i = 0; i < count; i++) add_root(d, &(Root){.object = locks[i], .part = HPROF_ROOT_MONITOR});
}

static void write_trace(Dump *d, uint32_t trace, uint32_t thread, uint32_t frames) {
    hprof_record(&d->file, HPROF_TRACE, 12 + frames * HPROF_ID);
    hprof_u4(&d->file, trace);
    hprof_u4(&d->file, thread);
    hprof_u4(&d->file, frames);
    for (uint32_t i = 0; i < frames; i++) hprof_u8(&d->file, d->frames - frames + 1 + i);
}

static void write_thread(Dump *d, Thread *t) {
    StackWalk w;
    int32_t frames = 0;
    d->thread++;
    d->number_count = d->number_last = 0;
    stackwalk_begin(&w, t);
    while (stackwalk_next(&w)) {
        if (!w.method) continue;
        write_frame(d, &w);
        add_monitors(d, t, &w);
        if (!GROW(d->numbers, d->number_capacity, d->number_count + 1)) {
            fail_memory(d);
            return;
        }
        d->numbers[d->number_count++] = (FrameNumber){w.code ? (const void *)w.fp : w.frame, frames++};
    }
    uint32_t trace = NO_TRACE + d->thread;
    write_trace(d, trace, d->thread, (uint32_t)frames);
    if (t->java_thread)
        add_root(d, &(Root){t->java_thread, .part = HPROF_ROOT_THREAD, .thread = d->thread, .frame = (int32_t)trace});
    service_hooks.each_thread_root(t, add_words, d);
}

// ---- objects -----------------------------------------------------------------------------------

static void write_instance(Dump *d, const Object *o, const Class *c) {
    Hprof *h = &d->file;
    if (c != d->last_class) {
        d->last_class = c;
        d->last_bytes = 0;
        for (const Class *of = c; of; of = of->super)
            for (uint32_t i = 0; i < field_end(of); i++)
                if (!(of->fields[i].flags & ACC_STATIC)) d->last_bytes += type_bytes(of->fields[i].type);
    }
    hprof_part(h, HPROF_INSTANCE, INSTANCE_HEAD + d->last_bytes);
    hprof_id(h, o);
    hprof_u4(h, NO_TRACE);
    hprof_id(h, c->mirror);
    hprof_u4(h, d->last_bytes);
    for (const Class *of = c; of; of = of->super)
        for (uint32_t i = 0; i < field_end(of); i++) {
            const Field *f = &of->fields[i];
            if (!(f->flags & ACC_STATIC)) write_value(h, f->type, (const char *)o + f->offset);
        }
}

// The length of a part is a 32-bit number, so a larger array is cut off, as in HotSpot's dumps.
static uint32_t dumped_length(const Object *array, uint32_t element) {
    uint32_t most = (UINT32_MAX - ARRAY_HEAD - 1) / element;
    return (uint32_t)array->length < most ? (uint32_t)array->length : most;
}

static void write_objects(Hprof *h, const Object *array, const Class *c) {
    uint32_t length = dumped_length(array, HPROF_ID);
    hprof_part(h, HPROF_OBJECTS, ARRAY_HEAD + length * HPROF_ID);
    hprof_id(h, array);
    hprof_u4(h, NO_TRACE);
    hprof_u4(h, length);
    hprof_id(h, c->mirror);
    for (uint32_t i = 0; i < length; i++) hprof_id(h, ARRAY_DATA(array, Object *)[i]);
}

static void write_primitives(Hprof *h, const Object *array, char type) {
    uint32_t bytes = type_bytes(type), length = dumped_length(array, bytes);
    hprof_part(h, HPROF_PRIMITIVES, HPROF_ID + 4 + 4 + 1 + length * bytes);
    hprof_id(h, array);
    hprof_u4(h, NO_TRACE);
    hprof_u4(h, length);
    hprof_u1(h, type_code(type));
    if (bytes == 1) hprof_bytes(h, ARRAY_DATA(array, char), length);
    for (uint32_t i = 0; bytes > 1 && i < length; i++)
        write_value(h, type, ARRAY_DATA(array, char) + (size_t)i * bytes);
}

// ---- the dump ----------------------------------------------------------------------------------

static void begin(Dump *d) {
    d->begun = true;
    write_extra_names(d);
    loader_each_class(write_load, d);
    write_trace(d, NO_TRACE, 0, 0);
    for (Thread *t = threads.first; t; t = t->next) write_thread(d, t);
    d->thread = 0;
    service_hooks.each_global_root(add_words, d);
    for (size_t i = 0; i < d->class_count; i++) {
        const Class *c = d->classes[i];
        write_class(d, c);
        if (c->space->collectable) continue;
        add_root(d, &(Root){c->mirror, .part = HPROF_ROOT_CLASS});
        const Object *loader = c->loader->java_loader;
        if (loader) add_root(d, &(Root){loader, .part = HPROF_ROOT_UNKNOWN});
    }
}

static void write_object(void *dump, void *object, size_t bytes) {
    (void)bytes;
    Dump *d = dump;
    const Object *o = object;
    const Class *c = object_class(o);
    if (!d->begun) begin(d);
    if (hprof_failed(&d->file)) return;
    if (!class_is_array(c)) {
        const Class *mirrored = c == WK(java_lang_Class) ? class_from_mirror(o) : NULL;
        if (!mirrored || !serial_of(d, mirrored)) write_instance(d, o, c);
    } else if (class_is_primitive(c->component)) {
        write_primitives(&d->file, o, c->component->prim);
    } else {
        write_objects(&d->file, o, c);
    }
    write_roots(d, o);
}

static void finish(void *dump) {
    Dump *d = dump;
    if (!d->begun) hprof_fail(&d->file, "the VM has not started");
    hprof_close(&d->file);
}

bool heapdump_write(Thread *self, const HeapDumpFile *file, FILE *out, char error[HPROF_ERROR]) {
    int64_t start = clock_monotonic_ns();
    Dump d = {.begun = false};
    bool created = hprof_open(&d.file, file->path, file->level, file->overwrite);
    if (created) {
        if (out) fprintf(out, "Dumping heap to %s ...\n", file->path);
        heap_walk(&self->heap, write_object, &d);
        thread_run_safe(self, THREAD_BLOCKED, finish, &d);
    } else {
        hprof_close(&d.file);
    }
    free(d.classes);
    free(d.roots);
    free(d.numbers);
    hash_free(&d.symbols);
    hash_free(&d.serials);
    hash_free(&d.roots_of);
    bool ok = !hprof_failed(&d.file);
    memcpy(error, d.file.error, HPROF_ERROR);
    double seconds = (double)(clock_monotonic_ns() - start) / 1e9;
    if (out && ok)
        fprintf(out, "Heap dump file created [%llu bytes in %.3f secs]\n", (unsigned long long)d.file.bytes, seconds);
    else if (out) fprintf(out, "Unable to %s %s: %s\n", created ? "write" : "create", file->path, error);
    return ok;
}
