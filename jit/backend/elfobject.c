// See jit/backend/elfobject.h. Works on the bytes of unit->object, which belongs to this compile thread. LLVM made the
// object, in this process or in an earlier one that kept it (objectcache.h), so its structure is trusted, not checked.
//
// A symbol becomes local and absolute. RTDyld then uses its value unchanged, through the global offset table that it
// makes, and ORC never sees the symbol. This works only for references through the table, as in position-independent
// code for external symbols. A direct call has 32 bits, which do not reach the VM, and causes a bailout: functions must
// be declared nonlazybind or be called by address.
#include "jit/backend/elfobject.h"

#include <dlfcn.h>
#include <elf.h>
#include <string.h>

#include "base/hash.h"
#include "base/invariant.h"
#include "jit/backend/target.h"

typedef struct Elf {
    Unit *unit;
    char *bytes;
    const Elf64_Shdr *sections;
    unsigned section_count;
    Elf64_Sym *symbols;
    size_t symbol_count;
    char *names;
} Elf;

uint64_t elfobject_hash(const Unit *unit) {
    return hash_words(LLVMGetBufferStart(unit->object), LLVMGetBufferSize(unit->object));
}

static bool open_object(Elf *o, Unit *unit) {
    *o = (Elf){.unit = unit, .bytes = (char *)LLVMGetBufferStart(unit->object)};
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)o->bytes;
    o->sections = (const Elf64_Shdr *)(o->bytes + header->e_shoff);
    o->section_count = header->e_shnum;
    for (unsigned i = 0; i < o->section_count; i++) {
        const Elf64_Shdr *s = &o->sections[i];
        if (s->sh_type != SHT_SYMTAB) continue;
        o->symbols = (Elf64_Sym *)(o->bytes + s->sh_offset);
        o->symbol_count = s->sh_size / sizeof(Elf64_Sym);
        o->names = o->bytes + o->sections[s->sh_link].sh_offset;
        return true;
    }
    return unit_bail_out(unit, BAILOUT_backend, "object without symbols");
}

// Functions that LLVM may call although the code does not.
static void *library_function(const char *name) {
    static const char *const allowed[] = {
        "memcpy", "memmove", "memset", "memcmp", "bcmp",  "fmod",   "fmodf", "floor", "floorf", "ceil",  "ceilf",
        "rint",   "rintf",   "trunc",  "truncf", "round", "roundf", "fma",   "fmaf",  "sqrt",   "sqrtf", "fmin",
        "fminf",  "fmax",    "fmaxf",  "sin",    "cos",   "tan",    "exp",   "log",   "log10",  "pow",   "copysign",
    };
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (strcmp(allowed[i], name) == 0) return dlsym(RTLD_DEFAULT, name);
    return NULL;
}

static bool bind_symbol(Elf *o, Elf64_Sym *s) {
    const char *name = o->names + s->st_name;
    const UnitSymbol *known = unit_symbol(o->unit, name);
    void *address = known ? known->address : library_function(name);
    // Every object with references through the table names _GLOBAL_OFFSET_TABLE_; nothing refers to it.
    if (!address && strcmp(name, "_GLOBAL_OFFSET_TABLE_") != 0)
        return unit_bail_out(o->unit, BAILOUT_backend, "no such symbol: %.200s", name);
    s->st_value = (uintptr_t)address;
    s->st_shndx = SHN_ABS;
    s->st_info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE);
    return true;
}

static bool bind_symbols(Elf *o, const char *name) {
    for (size_t i = 1; i < o->symbol_count; i++) {
        Elf64_Sym *s = &o->symbols[i];
        char *own = o->names + s->st_name;
        if (s->st_shndx == SHN_UNDEF) {
            if (!bind_symbol(o, s)) return false;
        } else if (strcmp(own, UNIT_FUNCTION) == 0) {
            ASSERT(strlen(name) == strlen(UNIT_FUNCTION), "%s does not fit", name);
            memcpy(own, name, strlen(name));
        }
    }
    return true;
}

// Whether the reference is to a small number that fits the instruction. Some instructions are changed for that
// (target_relocation_make_number).
static bool is_number(Elf *o, const Elf64_Shdr *section, const Elf64_Sym *s, Elf64_Rela *r) {
    uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
    if (s->st_shndx != SHN_ABS || s->st_value == 0 || s->st_value > INT32_MAX) return false;
    if (target_relocation_is_number(type)) return true;
    uint8_t *place = (uint8_t *)o->bytes + o->sections[section->sh_info].sh_offset + r->r_offset;
    if (!target_relocation_make_number(place, &type, &r->r_addend)) return false;
    r->r_info = ELF64_R_INFO(ELF64_R_SYM(r->r_info), type);
    return true;
}

static bool check_references(Elf *o, const Elf64_Shdr *section) {
    Elf64_Rela *r = (Elf64_Rela *)(o->bytes + section->sh_offset);
    // Sections with code and data go into the arena. Stack maps do not, and refer to the code by absolute address.
    const Elf64_Shdr *changed = &o->sections[section->sh_info];
    const char *names = o->bytes + o->sections[((const Elf64_Ehdr *)o->bytes)->e_shstrndx].sh_offset;
    bool in_arena = changed->sh_flags & SHF_ALLOC && strcmp(names + changed->sh_name, ".llvm_stackmaps") != 0;
    for (size_t i = 0; i < section->sh_size / sizeof *r; i++) {
        const Elf64_Sym *s = &o->symbols[ELF64_R_SYM(r[i].r_info)];
        uint32_t relocation = (uint32_t)ELF64_R_TYPE(r[i].r_info);
        bool fine = s->st_shndx == SHN_ABS ? target_relocation_reaches(relocation) || is_number(o, section, s, &r[i])
                                           : !in_arena || target_relocation_is_relative(relocation);
        if (!fine)
            return unit_bail_out(o->unit, BAILOUT_backend, "%s reference (%u) to %.200s",
                                 s->st_shndx == SHN_ABS ? "direct" : "absolute", relocation, o->names + s->st_name);
    }
    return true;
}

bool elfobject_bind(Unit *unit, const char *name) {
    Elf o;
    if (!open_object(&o, unit) || !bind_symbols(&o, name)) return false;
    for (unsigned i = 0; i < o.section_count; i++)
        if (o.sections[i].sh_type == SHT_RELA && !check_references(&o, &o.sections[i])) return false;
    return true;
}
