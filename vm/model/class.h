// Classes, methods and fields of the running program: made from the reader's ClassFile.
//
// All of it is allocated from the arena of the class's metaspace (vm/model/classloader.h) and lives as long. The only
// references to Java objects are `mirror`, which lives as long too, and those in the mirror's injected fields. A Class
// is published when its loader's dictionary holds it; after that only the fields marked [init] or [atomic] change,
// under the class's init lock or atomically.
#ifndef CABERNET_VM_MODEL_CLASS_H
#define CABERNET_VM_MODEL_CLASS_H

#include "bytecode/classfile/classfile.h"
#include "vm/model/object.h"

struct Symbol {
    Symbol *next;
    uint32_t hash;
    uint32_t serial;  // order of creation, in which reflection lists methods
    uint16_t length;
    char text[];  // modified UTF-8, NUL-terminated
};

typedef enum ClassState {
    CLASS_LOADED,        // supers known, not linked
    CLASS_LINKED,        // verified, prepared, vtable and layout final
    CLASS_INITIALIZING,  // init_thread runs <clinit>
    CLASS_INITIALIZED,
    CLASS_ERROR,  // initialisation failed: NoClassDefFoundError from now on
} ClassState;

typedef enum ReferenceKind {
    REF_NONE,
    REF_SOFT,
    REF_WEAK,
    REF_FINAL,
    REF_PHANTOM,
} ReferenceKind;

// clang-format off
enum ClassFlags {
    CF_ARRAY = 1, CF_PRIMITIVE = 2, CF_HIDDEN = 4, CF_FINALIZER = 8 /* has a non-empty finalize */,
    CF_CLONEABLE = 16, CF_TRUSTED = 32 /* boot or platform loader: VM annotations honoured */,
    CF_HAS_DEFAULTS = 64 /* interface declares non-abstract instance methods */,
    CF_REFLECTION_ACCESSOR = 128 /* MagicAccessorImpl subclass: neither access checks nor verified */,
    CF_STRONG_HIDDEN = 256, CF_RECORD = 512, CF_LOADER_CLASS = 1024, CF_THREAD_CLASS = 2048,
    CF_HIDDEN_NESTMATE = 4096 /* nest host is `host`'s */,
    CF_SPLIT_SLOTS = 8192 /* some method name has several vtable slots (package-private ones) */,
};
// clang-format on

enum { CLASS_DISPLAY = 8 };  // depth of the superclass display for constant-time subtype checks

struct Field {
    Class *cls;
    Symbol *name;
    Symbol *desc;
    uint16_t flags;      // ACC_*
    uint16_t slot;       // index in cls->fields: reflection's slot, stable
    char type;           // Z B C S I J F D L [
    bool trusted_final;  // static final, or final in a hidden class or record
    // Instance: byte offset from the object. Static: byte offset from the class's mirror to the static's storage.
    // Objects never move, so mirror + offset is an address, and Unsafe's (base, offset) pairs work the same for both.
    int64_t offset;
    const ClassFileField *info;  // reader's view; NULL: injected
    uint32_t id;                 // dense, assigned at the first use in a profile (vm/instrument/fieldid.h); 0: none yet
};
static inline void *field_static_addr(const Field *f);

// Method.sigpoly.
enum MhIntrinsic {
    MH_NONE,
    MH_GENERIC,       // MethodHandle.invoke, invokeExact, VarHandle access modes: linked by mh_link_method
    MH_INVOKE_BASIC,  // jumps to args[0].form.vmentry
    // The linkTo* family pops its trailing MemberName and jumps to the method that it names.
    MH_LINK_TO_STATIC,
    MH_LINK_TO_SPECIAL,
    MH_LINK_TO_VIRTUAL,
    MH_LINK_TO_INTERFACE,
    MH_LINK_TO_NATIVE,  // jdk.incubator.foreign only: UnsupportedOperationException
};

enum MethodFlags {
    MF_HIDDEN = 1,  // @Hidden or in a hidden class: not in traces
    MF_CALLER_SENSITIVE = 2,
    MF_LAMBDAFORM_COMPILED = 4,
    MF_FORCE_INLINE = 8,
    MF_INTRINSIC = 16,  // has a row in intrinsics.def: `intrinsic` is set
    MF_SIGPOLY = 32,    // signature-polymorphic native of MethodHandle/VarHandle
    MF_INIT = 64,       // <init>
    MF_CLINIT = 128,
    MF_OVERPASS = 256,      // made by the VM (conflict stub), not in the class file
    MF_OBJECT_INIT = 1024,  // java.lang.Object.<init>: its return registers finalizers
    MF_IGNORED_IN_WALK = 2048,
    MF_LONG = 4096,             // native whose calls wait; only set with green threads
    MF_TEMPLATE_FAILED = 8192,  // translation to template code failed; set under that tier's lock
    MF_CHECKED_LOCKS = 16384,   // its monitorexits are not proven to match its monitorenters; set before it is decoded
    MF_LEAF = 32768,            // has neither loops nor calls (bytecode/analysis/leafcode.h); set when it is decoded
    MF_WAIT_SHIFT = 24,         // with MF_LONG: the kind of wait, from this bit on (vm/jni/greennatives.h)
};

// An instruction word of decoded code (vm/interp/interp.h).
union Insn {
    struct {
        uint16_t op;  // InsnOp
        uint16_t a;
        int32_t b;
    };
    uint64_t word;  // the header as stored and replaced
    int64_t l;
    double d;
    void *p;
    const void *cp;
};
static_assert(sizeof(Insn) == 8, "words are machine words");

typedef void (*IntrinsicFn)(Thread *self, Slot *args);  // result in args[0]; may leave an exception

// Code that counts a method's hotness calls the tiering policy when these bits become zero (vm/adaptive/tiering.h).
enum { METHOD_HOT_MASK = 127 };

struct Method {
    // Members needed for a call, first.
    Insn *code;  // [atomic] starts with an ENTER_* instruction; NULL until the class is linked
    Class *cls;
    uint16_t nargs;  // argument slots, receiver included
    uint16_t max_locals;
    uint16_t max_stack;
    uint16_t flags;                  // ACC_*
    uint32_t mflags;                 // MethodFlags
    char ret;                        // return type: V Z B C S I J F D L [
    uint8_t sigpoly;                 // MH intrinsic id for invokeBasic/linkTo*/invoke (vm/natives/methodhandle.h)
    int32_t vtable_index;            // -1: not in a vtable (private, static, init); interfaces: itable_index
    int32_t itable_index;            // position in the interface's method table, or -1
    uint32_t id;                     // dense, in order of linking; the profiler's key
    uint32_t hotness;                // invocations and backedges (racy increments are fine)
    void *entry;                     // [atomic] entry point for calls by compiled code (vm/api/compiler.h)
    void *template_entry;            // [atomic] address that template code jumps to for a call (vm/template/template.h)
    struct Template *template_code;  // [atomic] its template code, or NULL
    uint32_t selected;  // [atomic] number among targets of selecting calls, 0: none yet (vm/instrument/selectors.h)
    // Other members.
    uint64_t events;  // EventSet reported at its places (vm/instrument/scope.h)
    Symbol *name;
    Symbol *desc;
    uint16_t slot;                // index in cls->methods: reflection's slot, stable
    const ClassFileMethod *info;  // reader's view; NULL for VM-made methods
    uint16_t *bci;                // bci[k] of instruction word code[k], once pre-decoded
    uint32_t code_words;
    uint32_t flow_counts;      // counters that a thread needs for it (vm/interp/flowcounts.h); 0: one
    struct Handler *handlers;  // decoded exception table, in search order (vm/interp/interp.h)
    uint32_t handler_count;
    IntrinsicFn intrinsic;
    void *native_fn;                 // [atomic] JNI entry point once bound
    struct NativeCall *native_call;  // argument passing (vm/jni/nativecall.h)
    const struct Paths *paths;       // [atomic] numbers of its paths, made on request (vm/instrument/pathprofile.h)
    struct Code *compiled;           // [atomic] installed code, or NULL (vm/code/code.h)
    struct Code *osr_code;           // [atomic] on-stack replacements of its loops
    int32_t outer_backedges;         // code for an inner loop counts those of outer ones down, is left when negative
    const char *shape;               // [atomic] argument kinds, made on request (compiler_shape)
    _Atomic uint8_t compile_state;   // vm/adaptive/tiering.c
    // MF_OVERPASS only: the exception that a call throws (method_throw_unlinked, vm/linking/link.h).
    const char *conflict;
    const char *conflict_class;  // internal name of the exception class
};

// One runtime constant-pool slot; its meaning depends on the tag of the entry and on its state in cp_tags
// (vm/objects/constpool.h). References are elements of the mirror's resolvedRefs array, so that the collector sees
// them.
typedef union CPSlot {
    Symbol *sym;
    Class *cls;
    Field *field;
    Method *method;
    int64_t l;
    void *p;
} CPSlot;

// A method that the VM has made for a class; calling it fails (MF_OVERPASS).
typedef struct Overpass {
    struct Overpass *next;
    Method method;
} Overpass;

struct Class {
    Symbol *name;                   // internal form: java/lang/String, [I, [Ljava/lang/Object;
    VTable *vt;                     // of instances
    Object *mirror;                 // java.lang.Class object
    Class *super;                   // Object's is NULL; interfaces have Object
    Class *display[CLASS_DISPLAY];  // display[d] = ancestor at depth d
    uint32_t depth;
    uint32_t cflags;  // ClassFlags
    uint16_t access;  // ACC_* from the class file (getModifiers uses InnerClasses)
    uint16_t interface_count;
    Class **interfaces;      // direct
    Class **all_interfaces;  // transitive closure, no duplicates
    uint32_t all_interface_count;
    uint64_t interface_bits;     // class_interface_bit of each: a quick negative test for most classes
    _Atomic int state;           // ClassState [init]
    Thread *init_thread;         // [init]
    Thread *link_thread;         // the thread that links it; under the linker's lock
    Loader *loader;              // never NULL; the boot loader's Loader has java_loader == NULL
    Metaspace *space;            // never NULL; the loader's, or a separate one
    struct ModuleEntry *module;  // vm/loading/module.h; NULL only before java.base is defined
    struct PackageEntry *package;

    uint32_t instance_size;  // bytes
    uint32_t vtable_length;
    ReferenceKind ref_kind;  // subclasses of java.lang.ref.Reference

    Field *fields;         // declared, class-file order, then injected
    uint32_t field_count;  // declared ones only
    uint32_t injected_count;
    Method *methods;  // declared, class-file order
    uint32_t method_count;
    _Atomic(Overpass *) overpasses;  // not visible to reflection
    Method *clinit;                  // or NULL
    Method *finalize;                // non-empty finalize(), own or inherited, or NULL

    const ClassFile *file;  // NULL for arrays and primitives
    uint8_t *cp_tags;       // [atomic]
    CPSlot *cp;             // [atomic]
    uint16_t cp_count;

    // Arrays and primitives.
    Class *component;              // int[][] -> int[]
    Class *element;                // int[][] -> int
    _Atomic(Class *) array_class;  // [this, made on demand
    char prim;                     // Z B C S I J F D V for primitives, else 0
    uint8_t elem_shift;            // arrays: log2 of the element size
    uint8_t dims;

    // Statics: primitives in malloc memory, references in the mirror's staticRefs array.
    char *static_prims;
    uint32_t static_ref_count;

    Class *nest_host;  // [atomic] resolved lazily; NULL until then
    Symbol *source_file;
    Class *subclasses, *next_sibling;  // class hierarchy, for the compiler's assumptions
    Class *next_in_space;
    uint32_t id;  // dense, load order
    // Private to the owner of classes and linking.
    // Hash of name and descriptor -> index in methods + 1, open addressing, made once. Two bytes a slot, in the class's
    // memory, read without a lock: a HashTable (base/hash.h) would take four times as much.
    uint16_t *method_index;
    uint32_t method_index_mask;
    struct LayoutEnd *layout_end;  // where subclasses may put fields (vm/objects/layout.h)
    _Atomic(const char *) external_name;
    Class *host;         // hidden classes: the lookup class
    const char *source;  // where it was loaded from; may be NULL. Never freed
    const char *place;   // hidden classes: name in profiles (vm/instrument/classlabels.h); NULL: its name
    _Atomic(const Class *) cached_super;     // last positive and negative results of
    _Atomic(const Class *) cached_no_super;  // class_is_subtype_slow
    uint32_t ref_slots_used;                 // in the newest chunk of the mirror's resolvedRefs
    bool verified;                           // verified, or exempt
    bool vtable_final;                       // [atomic] the vtable is complete, and code relying on it was checked
    struct CodeDependent *dependents;  // compiled code that assumes its methods are not overridden (vm/code/code.c)
};

static inline void *field_static_addr(const Field *f) { return (char *)f->cls->mirror + f->offset; }
static inline bool class_is_interface(const Class *c) { return c->access & ACC_INTERFACE; }
// The bit of an interface. It depends only on the name, because compiled code contains it as a constant.
static inline uint64_t class_interface_bit(const Class *iface) { return UINT64_C(1) << (iface->name->hash >> 7 & 63); }
static inline bool class_is_array(const Class *c) { return c->cflags & CF_ARRAY; }
static inline bool class_is_primitive(const Class *c) { return c->cflags & CF_PRIMITIVE; }
static inline bool class_is_linked(const Class *c) {
    return atomic_load_explicit(&c->state, memory_order_acquire) >= CLASS_LINKED;
}
static inline bool class_is_initialized(const Class *c) {
    return atomic_load_explicit(&c->state, memory_order_acquire) == CLASS_INITIALIZED;
}
static inline bool method_is_static(const Method *m) { return m->flags & ACC_STATIC; }
// Number of locals in its frames: a method without bytecode has only its arguments.
static inline uint32_t method_locals(const Method *m) { return m->max_locals > m->nargs ? m->max_locals : m->nargs; }
static inline bool method_is_native(const Method *m) { return m->flags & ACC_NATIVE; }
static inline bool method_is_abstract(const Method *m) { return m->flags & ACC_ABSTRACT; }

#endif
