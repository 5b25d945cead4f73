#include "profiler/tool/view/prof_collections.h"

ProfCollection *prof_collections(const ProfFile *f, size_t *count) {
    static const struct {
        const char *name;
        SectionKind kind;
    } columns[] = {{"start", SECTION_VARYING},  {"pause", SECTION_NS},     {"number", SECTION_VARYING},
                   {"collector", SECTION_NOTE}, {"kind", SECTION_NOTE},    {"cause", SECTION_NOTE},
                   {"before", SECTION_VARYING}, {"after", SECTION_VARYING}};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    const ProfSection *s = prof_section(f, "collections");
    int at[COLUMNS];
    for (size_t i = 0; i < COLUMNS && s; i++)
        if ((at[i] = prof_section_column(s, columns[i].name, columns[i].kind)) < 0) s = NULL;
    *count = s ? s->rows : 0;
    ProfCollection *list = prof_alloc(*count * sizeof *list);
    for (size_t i = 0; i < *count; i++) {
        const ProfCell *row = &s->cells[i * s->column_count];
        list[i] = (ProfCollection){row[at[0]].number, row[at[1]].number, row[at[2]].number, row[at[3]].text,
                                   row[at[4]].text,   row[at[5]].text,   row[at[6]].number, row[at[7]].number};
    }
    return list;
}
