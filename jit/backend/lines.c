// DWARF's line table, version 4 (section 6.2 of the standard): a program for a machine with an address and a line, whose
// instructions append rows. LLVM writes one sequence of rows for each function; its first address is a relocation.
#include "jit/backend/lines.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytebuffer.h"
#include "base/grow.h"

typedef struct Row {
    uint32_t offset, line;  // line 0: unknown from here on
} Row;

typedef struct Lines {
    const uint8_t *begin, *at, *end;
    const Elf64_Rela *relocations;
    size_t relocation_count;
    Row *rows;
    uint32_t count, room;
    uint64_t address;
    uint32_t line;
    bool broken;
} Lines;

// ---- reading ---------------------------------------------------------------------------------------

static uint64_t fixed(Lines *l, size_t bytes) {
    uint64_t v = 0;
    if ((size_t)(l->end - l->at) < bytes) {
        l->broken = true;
        return 0;
    }
    memcpy(&v, l->at, bytes);
    l->at += bytes;
    return v;
}

static uint64_t variable(Lines *l, bool is_signed) {
    uint64_t v = 0, byte;
    unsigned shift = 0;
    do {
        byte = fixed(l, 1);
        v |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && shift < 64 && !l->broken);
    if (is_signed && byte & 0x40 && shift < 64) v |= ~UINT64_C(0) << shift;
    return v;
}

static void add_row(Lines *l, uint32_t line) {
    GROW_OR_EXIT(l->rows, l->room, l->count + 1);
    l->rows[l->count++] = (Row){(uint32_t)l->address, line};
}

// An address in the code is the addend of the relocation at its place.
static void set_address(Lines *l) {
    uint64_t place = (uint64_t)(l->at - l->begin);
    l->address = fixed(l, sizeof(uint64_t));
    for (size_t i = 0; i < l->relocation_count; i++)
        if (l->relocations[i].r_offset == place) l->address = (uint64_t)l->relocations[i].r_addend;
}

static void extended(Lines *l) {
    enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };
    uint64_t size = variable(l, false);
    const uint8_t *next = l->at + size;
    if (size > (uint64_t)(l->end - l->at) || !size) {
        l->broken = true;
        return;
    }
    uint64_t op = fixed(l, 1);
    if (op == SET_ADDRESS) set_address(l);
    if (op == END_SEQUENCE) {
        add_row(l, 0);
        l->address = 0;
        l->line = 1;
    }
    l->at = next;
}

// The fields of the header that instructions depend on.
typedef struct Machine {
    uint32_t least, range, first_special;
    int32_t base;
    uint8_t operands[256];  // of standard instructions
} Machine;

static void standard(Lines *l, const Machine *m, unsigned op) {
    enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC };
    switch (op) {
        case COPY: add_row(l, l->line); break;
        case ADVANCE_PC: l->address += variable(l, false) * m->least; break;
        case ADVANCE_LINE: l->line += (uint32_t)variable(l, true); break;
        case CONST_ADD_PC: l->address += (255 - m->first_special) / m->range * m->least; break;
        case FIXED_ADVANCE_PC: l->address += fixed(l, 2); break;
        default:
            for (unsigned i = 0; i < m->operands[op]; i++) variable(l, false);
    }
}

static void run(Lines *l, const Machine *m) {
    while (l->at < l->end && !l->broken) {
        unsigned op = (unsigned)fixed(l, 1);
        if (op >= m->first_special) {
            l->address += (op - m->first_special) / m->range * m->least;
            l->line += (uint32_t)(m->base + (int32_t)((op - m->first_special) % m->range));
            add_row(l, l->line);
        } else if (op == 0) {
            extended(l);
        } else {
            standard(l, m, op);
        }
    }
}

static void read_program(Lines *l) {
    Machine m = {0};
    uint64_t size = fixed(l, 4);
    if (size > (uint64_t)(l->end - l->at) || fixed(l, 2) != 4) {
        l->broken = true;
        return;
    }
    uint64_t header = fixed(l, 4);
    const uint8_t *program = l->at + header;
    m.least = (uint32_t)fixed(l, 1);
    fixed(l, 2);  // operations in an instruction of the processor; whether a row begins a statement
    m.base = (int8_t)fixed(l, 1);
    m.range = (uint32_t)fixed(l, 1);
    m.first_special = (uint32_t)fixed(l, 1);
    for (unsigned i = 1; i < m.first_special; i++) m.operands[i] = (uint8_t)fixed(l, 1);
    l->broken |= !m.range || !m.first_special || header > size;
    if (l->broken) return;
    l->at = program;
    l->line = 1;
    run(l, &m);
}

// ---- writing ---------------------------------------------------------------------------------------

static int by_offset(const void *a, const void *b) {
    const Row *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return (x > y) - (x < y);
}

// Of several rows at one address, the last one counts. Unknown lines continue the run before them.
static void write_runs(Unit *unit, const Lines *l) {
    Bytes out = {0};
    uint32_t offset = 0, line = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const Row *r = &l->rows[i];
        bool replaced = i + 1 < l->count && r[1].offset == r->offset;
        if (replaced || !r->line || r->line == line || r->line > unit->position_count) continue;
        bytes_varint(&out, r->offset - offset);
        bytes_varint(&out, r->line);
        offset = r->offset;
        line = r->line;
    }
    if (out.failed) return;
    unit->runs = out.data;
    unit->run_bytes = (uint32_t)out.size;
}

void lines_read(Unit *unit) {
    const char *object = LLVMGetBufferStart(unit->object);
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)object;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(object + header->e_shoff), *table = NULL;
    const char *names = object + sections[header->e_shstrndx].sh_offset;
    Lines l = {0};
    for (unsigned i = 0; i < header->e_shnum; i++)
        if (strcmp(names + sections[i].sh_name, ".debug_line") == 0) table = &sections[i];
    if (!table) return;
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_RELA || &sections[sections[i].sh_info] != table) continue;
        l.relocations = (const Elf64_Rela *)(object + sections[i].sh_offset);
        l.relocation_count = sections[i].sh_size / sizeof *l.relocations;
    }
    l.begin = l.at = (const uint8_t *)object + table->sh_offset;
    l.end = l.begin + table->sh_size;
    read_program(&l);
    if (l.count) qsort(l.rows, l.count, sizeof *l.rows, by_offset);
    if (!l.broken) write_runs(unit, &l);
    free(l.rows);
}
