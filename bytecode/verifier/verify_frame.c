/*
 * Frames of the verifier: assignability of types, the current frame and its operations, and the
 * frames of a StackMapTable (JVMS 4.7.4, 4.10.1.2 to 4.10.1.4).
 *
 * Frames of the table store only the locals they mention, and share them with the previous frame
 * when unchanged. A hostile table could still need gigabytes, so a method's arena is bounded.
 */
#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/bytes.h"
#include "bytecode/verifier/verify_internal.h"

#define ARENA_CHUNK 8192
#define ARENA_MAX ((size_t)256 << 20)

/* Memory. */

struct VerifyArena {
    VerifyArena *next;
    size_t used, size;
};

void *verify_frame_alloc(Verifier *v, size_t size) {
    size = (size + 7) & ~(size_t)7;
    VerifyArena *a = v->arena;
    if (!a || a->size - a->used < size) {
        size_t chunk = size > ARENA_CHUNK ? size : ARENA_CHUNK;
        v->arena_used += chunk;
        a = v->arena_used > ARENA_MAX ? NULL : malloc(sizeof *a + chunk);
        if (!a) verify_fail_status(v, VERIFY_NO_MEMORY);
        a->next = v->arena;
        a->size = chunk;
        a->used = 0;
        v->arena = a;
    }
    char *mem = (char *)(a + 1) + a->used;
    a->used += size;
    return mem;
}

void verify_frame_free_arena(Verifier *v) {
    while (v->arena) {
        VerifyArena *next = v->arena->next;
        free(v->arena);
        v->arena = next;
    }
    v->arena_used = 0;
}

/* Types. */

VType verify_frame_ref(Verifier *v, VerifyName name) {
    uint32_t n = verify_types_enter(&v->names, name);
    if (n == UINT32_MAX) verify_fail_status(v, VERIFY_NO_MEMORY);
    return vtype_make(VT_REF, n);
}

VType verify_frame_class_type(Verifier *v, uint16_t cp_index) {
    return verify_frame_ref(v, verify_types_of_class(classfile_name_of(v->cf, cp_index)));
}

VType verify_frame_named(Verifier *v, const char *name) {
    return verify_frame_ref(v, (VerifyName){(const uint8_t *)name, (uint16_t)strlen(name), 0, 'L'});
}

unsigned verify_frame_words(Verifier *v, const DescriptorType *t, VType out[2]) {
    switch (t->kind) {
        case 'J':
            out[0] = VT_LONG;
            out[1] = VT_LONG2;
            return 2;
        case 'D':
            out[0] = VT_DOUBLE;
            out[1] = VT_DOUBLE2;
            return 2;
        case 'F': out[0] = VT_FLOAT; return 1;
        case 'L':
        case '[': out[0] = verify_frame_ref(v, verify_types_of_descriptor(t)); return 1;
        default: out[0] = VT_INT; return 1;
    }
}

static bool name_is(const VerifyName *n, const char *s) {
    return n->dims == 0 && n->len == strlen(s) && memcmp(n->ptr, s, n->len) == 0;
}

static bool ask_assignable(Verifier *v, const VerifyName *from, const VerifyName *to) {
    ClassFileUtf8 f = {from->ptr, from->len}, t = {to->ptr, to->len};
    switch (v->cb->is_assignable(v->cb->ctx, f, t)) {
        case VERIFY_YES: return true;
        case VERIFY_NO: return false;
        case VERIFY_THROWN: break;
    }
    verify_fail_status(v, VERIFY_PENDING);
}

/*
 * Reference to reference, with different names. Arrays are compared after stripping the dimensions
 * that both have. If one side is still an array, it only fits the supertypes of all arrays.
 */
static bool ref_assignable(Verifier *v, VerifyName from, VerifyName to) {
    if (name_is(&to, "java/lang/Object")) return true;
    unsigned common = from.dims < to.dims ? from.dims : to.dims;
    from.dims = (uint8_t)(from.dims - common);
    to.dims = (uint8_t)(to.dims - common);
    if (to.dims != 0) return false;
    if (to.element != 'L') return from.dims == 0 && from.element == to.element;
    if (from.dims != 0 || from.element != 'L')
        return (from.dims != 0 &&
                (name_is(&to, "java/lang/Object") || name_is(&to, "java/lang/Cloneable") ||
                 name_is(&to, "java/io/Serializable")));
    if (name_is(&to, "java/lang/Object") || (from.len == to.len && memcmp(from.ptr, to.ptr, to.len) == 0)) return true;
    return ask_assignable(v, &from, &to);
}

bool verify_frame_assignable(Verifier *v, VType from, VType to) {
    if (from == to) return true;
    unsigned kind = vtype_kind(from);
    switch (vtype_kind(to)) {
        case VT_TOP: return true;
        case VT_ANY_REF: return kind == VT_REF || kind == VT_NULL || kind == VT_UNINIT || kind == VT_UNINIT_THIS;
        case VT_CAT1: return kind != VT_TOP && !vtype_is_wide(from) && !vtype_is_second(from);
        case VT_CAT2: return vtype_is_wide(from);
        case VT_CAT2_2ND: return vtype_is_second(from);
        case VT_BOOLEAN:
        case VT_BYTE:
        case VT_CHAR:
        case VT_SHORT: return from == VT_INT;
        case VT_REF: break;
        default: return false;
    }
    if (from == VT_NULL) return true;
    if (kind != VT_REF) return false;
    return ref_assignable(v, v->names.list[vtype_payload(from)], v->names.list[vtype_payload(to)]);
}

/* The current frame. */

VerifyOrigin verify_frame_popped(const Verifier *v) {
    return (VerifyOrigin){ORIGIN_STACK, v->now.stack[v->now.stack_count], v->now.stack_count};
}

void verify_frame_push(Verifier *v, VType t) {
    if (v->now.stack_count >= v->code->max_stack)
        verify_fail_reason(v, v->now.bci, "Exceeded max stack size.", &v->now, NULL, "Operand stack overflow");
    v->now.stack[v->now.stack_count++] = t;
}

static _Noreturn void underflow(Verifier *v) {
    verify_fail_reason(v, v->now.bci, "Attempt to pop empty stack.", &v->now, NULL, "Operand stack underflow");
}

VType verify_frame_pop(Verifier *v, VType wanted) {
    if (v->now.stack_count == 0) underflow(v);
    VType t = v->now.stack[--v->now.stack_count];
    if (!verify_frame_assignable(v, t, wanted))
        verify_fail_type(v, v->now.bci, verify_frame_popped(v), verify_implied(wanted), &v->now, NULL,
                         "Bad type on operand stack");
    return t;
}

void verify_frame_pop_wide(Verifier *v, VType second, VType first) {
    if (v->now.stack_count < 2) underflow(v);
    verify_frame_pop(v, second);
    verify_frame_pop(v, first);
}

static _Noreturn void bad_index(Verifier *v, uint32_t index, const char *msg) {
    char reason[64] = "Local index ";
    char *p = reason + strlen(reason), digits[12];
    int n = 0;
    do {
        digits[n++] = (char)('0' + index % 10);
        index /= 10;
    } while (index != 0);
    while (n > 0) *p++ = digits[--n];
    strcpy(p, " is invalid");
    verify_fail_reason(v, v->now.bci, reason, NULL, NULL, "%s", msg);
}

static VType local_at(const Verifier *v, uint32_t index) {
    return index < v->now.local_count ? v->now.locals[index] : VT_TOP;
}

/* Makes the locals up to index explicit in the frame. */
static void extend_locals(Verifier *v, uint32_t count) {
    while (v->now.local_count < count) v->now.locals[v->now.local_count++] = VT_TOP;
}

static void need_local(Verifier *v, uint32_t index, VType wanted) {
    if (!verify_frame_assignable(v, local_at(v, index), wanted)) {
        extend_locals(v, index + 1);
        verify_fail_type(v, v->now.bci, (VerifyOrigin){ORIGIN_LOCAL, local_at(v, index), index}, verify_implied(wanted),
                         &v->now, NULL, "Bad local variable type");
    }
}

VType verify_frame_get_local(Verifier *v, uint32_t index, VType wanted) {
    if (index >= v->code->max_locals) bad_index(v, index, "Local variable table overflow");
    need_local(v, index, wanted);
    return local_at(v, index);
}

void verify_frame_get_wide_local(Verifier *v, uint32_t index, VType first, VType second) {
    if (index + 1 >= v->now.local_count) bad_index(v, index, "get long/double overflows locals");
    need_local(v, index, first);
    need_local(v, index + 1, second);
}

/* Overwriting one word of a long or double destroys the pair. */
static void break_pairs(Verifier *v, uint32_t index, uint32_t words) {
    if (index > 0 && vtype_is_second(local_at(v, index))) v->now.locals[index - 1] = VT_TOP;
    if (vtype_is_wide(local_at(v, index + words - 1))) v->now.locals[index + words] = VT_TOP;
}

void verify_frame_set_local(Verifier *v, uint32_t index, VType t) {
    if (index >= v->code->max_locals) bad_index(v, index, "Local variable table overflow");
    break_pairs(v, index, 1);
    extend_locals(v, index + 1);
    v->now.locals[index] = t;
}

void verify_frame_set_wide_local(Verifier *v, uint32_t index, VType first, VType second) {
    if (index + 1 >= v->code->max_locals) bad_index(v, index + 1, "Local variable table overflow");
    break_pairs(v, index, 2);
    extend_locals(v, index + 2);
    v->now.locals[index] = first;
    v->now.locals[index + 1] = second;
}

void verify_frame_replace(Verifier *v, VType old, VType with) {
    for (uint32_t i = 0; i < v->now.local_count; i++) {
        if (v->now.locals[i] == old) v->now.locals[i] = with;
    }
    for (uint32_t i = 0; i < v->now.stack_count; i++) {
        if (v->now.stack[i] == old) v->now.stack[i] = with;
    }
}

/* Matching. */

/* Index of the first entry of `to` that `from` does not fit; to_count if all do. */
static uint32_t first_misfit(Verifier *v, const VType *from, uint32_t from_count, const VType *to, uint32_t to_count) {
    if (from_count >= to_count && (to_count == 0 || memcmp(from, to, to_count * sizeof *from) == 0)) return to_count;
    for (uint32_t i = 0; i < to_count; i++) {
        if (!verify_frame_assignable(v, i < from_count ? from[i] : VT_TOP, to[i])) return i;
    }
    return to_count;
}

void verify_frame_match(Verifier *v, const VerifyFrame *from, const VerifyFrame *map, const char *fmt) {
    if (from->stack_count != map->stack_count)
        verify_fail_reason(v, from->bci, "Current frame's stack size doesn't match stackmap.", from, map, fmt,
                           map->bci);
    uint32_t i = first_misfit(v, from->locals, from->local_count, map->locals, map->local_count);
    if (i < map->local_count) {
        VType is = i < from->local_count ? from->locals[i] : VT_TOP;
        verify_fail_type(v, map->bci, (VerifyOrigin){ORIGIN_LOCAL, is, i},
                         (VerifyOrigin){ORIGIN_MAP_LOCAL, map->locals[i], i}, from, map, fmt, map->bci);
    }
    i = first_misfit(v, from->stack, from->stack_count, map->stack, map->stack_count);
    if (i < map->stack_count)
        verify_fail_type(v, map->bci, (VerifyOrigin){ORIGIN_STACK, from->stack[i], i},
                         (VerifyOrigin){ORIGIN_MAP_STACK, map->stack[i], i}, from, map, fmt, map->bci);
    if (from->this_uninit && !map->this_uninit)
        verify_fail_reason(v, map->bci, "Current frame's flags are not assignable to stack map frame's.", from, map,
                           fmt, map->bci);
}

const VerifyFrame *verify_frame_at(const Verifier *v, uint32_t bci) {
    uint32_t low = 0, high = v->frame_count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (v->frames[mid].bci < bci) low = mid + 1;
        else high = mid;
    }
    return low < v->frame_count && v->frames[low].bci == bci ? &v->frames[low] : NULL;
}

/* Entry. */

static VType return_type_of(Verifier *v, const DescriptorType *t) {
    VType words[2];
    switch (t->kind) {
        case 'V': return VT_TOP;
        case 'Z': return VT_BOOLEAN;
        case 'B': return VT_BYTE;
        case 'C': return VT_CHAR;
        case 'S': return VT_SHORT;
        default: verify_frame_words(v, t, words); return words[0];
    }
}

void verify_frame_enter(Verifier *v) {
    ClassFileUtf8 desc = classfile_utf8(v->cf, v->m->desc_index);
    uint32_t locals = v->code->max_locals;
    DescriptorIter it;
    DescriptorType t;
    v->now = (VerifyFrame){0};
    /* One more, so that the word after the last may be written when a pair is destroyed. */
    v->now.locals = verify_frame_alloc(v, (locals + 1) * sizeof(VType));
    v->now.stack = verify_frame_alloc(v, ((size_t)v->code->max_stack + 1) * sizeof(VType));
    v->mark = 0;
    if (v->m->arg_slots > locals) verify_fail_format(v, true, "Arguments can't fit into locals");
    if ((v->m->access_flags & ACC_STATIC) == 0) {
        bool object = classfile_utf8_is(classfile_this_name(v->cf), "java/lang/Object");
        v->now.this_uninit = v->is_init && !object;
        v->now.locals[v->now.local_count++] = v->now.this_uninit ? VT_UNINIT_THIS : v->this_type;
    }
    for (descriptor_begin(&it, desc.ptr, desc.len); descriptor_next(&it, &t);)
        v->now.local_count += verify_frame_words(v, &t, v->now.locals + v->now.local_count);
    if (!descriptor_return(&it, &t)) verify_fail_format(v, true, "Illegal method descriptor");
    v->return_type = return_type_of(v, &t);
}

/* StackMapTable. */

typedef struct MapReader {
    Verifier *v;
    const uint8_t *pos, *end;
    VType *buffer; /* room for the types of one frame while their number is unknown */
} MapReader;

static const uint8_t *take(MapReader *r, size_t n) {
    if ((size_t)(r->end - r->pos) < n)
        verify_fail_format(r->v, false, "StackMapTable format error: access beyond the end of attribute");
    const uint8_t *at = r->pos;
    r->pos += n;
    return at;
}

static uint16_t take_u2(MapReader *r) { return bytes_u2(take(r, 2)); }

/* A verification_type_info (JVMS 4.7.4). Returns the words written: 1 or 2. */
static unsigned read_type(MapReader *r, VType *out, bool *this_uninit) {
    switch (*take(r, 1)) {
        case 0: out[0] = VT_TOP; return 1;
        case 1: out[0] = VT_INT; return 1;
        case 2: out[0] = VT_FLOAT; return 1;
        case 3:
            out[0] = VT_DOUBLE;
            out[1] = VT_DOUBLE2;
            return 2;
        case 4:
            out[0] = VT_LONG;
            out[1] = VT_LONG2;
            return 2;
        case 5: out[0] = VT_NULL; return 1;
        case 6:
            *this_uninit = true;
            out[0] = VT_UNINIT_THIS;
            return 1;
        case 7: {
            uint16_t index = take_u2(r);
            if (index == 0 || index >= r->v->cf->cp_count || r->v->cf->cp[index].tag != CP_CLASS)
                verify_fail_format(r->v, false, "StackMapTable format error: bad class index");
            out[0] = verify_frame_class_type(r->v, index);
            return 1;
        }
        case 8: {
            uint16_t bci = take_u2(r);
            if (bci >= r->v->code->code_len || r->v->starts[bci] != START_NEW)
                verify_fail_format(r->v, true, "StackMapTable format error: bad offset for Uninitialized");
            out[0] = vtype_make(VT_UNINIT, bci);
            return 1;
        }
        default: verify_fail_format(r->v, false, "StackMapTable format error: bad verification type");
    }
}

static _Noreturn void bad_size(MapReader *r) {
    verify_fail_format(r->v, true, "StackMapTable format error: bad type array size");
}

/*
 * Reads `count` types after those in buffer[0..used). Returns the new number of words. Excess types
 * are still read, since errors in them are reported first.
 */
static uint32_t read_types(MapReader *r, uint32_t used, unsigned count, uint32_t max, bool *this_uninit) {
    VType ignored[2];
    for (unsigned i = 0; i < count; i++) {
        if (used > max) read_type(r, ignored, this_uninit);
        else used += read_type(r, r->buffer + used, this_uninit);
    }
    if (used > max) bad_size(r);
    return used;
}

static VType *keep(MapReader *r, uint32_t count) {
    VType *types = verify_frame_alloc(r->v, count * sizeof *types);
    memcpy(types, r->buffer, count * sizeof *types);
    return types;
}

static void read_stack(MapReader *r, VerifyFrame *f, unsigned count) {
    bool ignored = false;
    f->stack_count = read_types(r, 0, count, r->v->code->max_stack, &ignored);
    f->stack = keep(r, f->stack_count);
}

static void chop(MapReader *r, VerifyFrame *f, unsigned chops) {
    uint32_t n = f->local_count;
    for (; chops > 0; chops--) {
        if (n > 1 && vtype_is_second(f->locals[n - 1])) n--;
        if (n == 0) bad_size(r);
        n--;
    }
    f->local_count = n;
    f->this_uninit = false;
    for (uint32_t i = 0; i < n; i++) f->this_uninit |= f->locals[i] == VT_UNINIT_THIS;
}

/* One stack_map_frame; initially f is the previous frame with an empty stack. */
static uint32_t read_frame(MapReader *r, VerifyFrame *f) {
    unsigned type = *take(r, 1);
    if (type < 64) return type;
    if (type < 128) {
        read_stack(r, f, 1);
        return type - 64;
    }
    uint32_t delta = take_u2(r);
    if (type < 247) verify_fail_format(r->v, false, "StackMapTable format error: reserved frame type");
    if (type == 247) read_stack(r, f, 1);
    else if (type < 251) chop(r, f, 251 - type);
    else if (type > 251 && type < 255) {
        memcpy(r->buffer, f->locals, f->local_count * sizeof *f->locals);
        f->local_count = read_types(r, f->local_count, type - 251, r->v->code->max_locals, &f->this_uninit);
        f->locals = keep(r, f->local_count);
    } else if (type == 255) {
        f->this_uninit = false;
        unsigned count = take_u2(r);
        f->local_count = read_types(r, 0, count, r->v->code->max_locals, &f->this_uninit);
        f->locals = keep(r, f->local_count);
        count = take_u2(r);
        read_stack(r, f, count);
    }
    return delta;
}

static void read_frames(MapReader *r, uint16_t count) {
    Verifier *v = r->v;
    VerifyFrame initial = v->now;
    initial.locals = verify_frame_alloc(v, initial.local_count * sizeof(VType));
    memcpy(initial.locals, v->now.locals, initial.local_count * sizeof(VType));
    for (unsigned i = 0; i < count; i++) {
        VerifyFrame *f = &v->frames[i];
        const VerifyFrame *before = i == 0 ? &initial : f - 1;
        *f = *before;
        f->stack_count = 0;
        uint32_t delta = read_frame(r, f);
        f->bci = i == 0 ? delta : before->bci + delta + 1;
        if (f->bci >= v->code->code_len || v->starts[f->bci] == START_NONE)
            verify_fail_reason(v, 0, "Invalid stackmap specification.", f, NULL, "StackMapTable error: bad offset");
    }
    v->frame_count = count;
}

void verify_frame_read_map(Verifier *v) {
    v->frame_count = 0;
    if (!v->code->has_stack_map) return;
    ClassFileBytes map = v->code->stack_map;
    MapReader r = {.v = v, .pos = map.ptr, .end = map.ptr + map.len};
    uint32_t most = v->code->max_locals > v->code->max_stack ? v->code->max_locals : v->code->max_stack;
    r.buffer = verify_frame_alloc(v, (most + 4) * sizeof(VType));
    uint16_t count = take_u2(&r);
    /* Every frame takes at least a byte, so a wrong count cannot cause a large allocation. */
    if (count > r.end - r.pos)
        verify_fail_format(v, false, "StackMapTable format error: access beyond the end of attribute");
    v->frames = verify_frame_alloc(v, count * sizeof *v->frames);
    read_frames(&r, count);
    if (r.pos != r.end) verify_fail_format(v, false, "StackMapTable format error: wrong attribute size");
}
