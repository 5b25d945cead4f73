// `cabernet-prof export --collapsed`: the call tree as folded stacks, the format of flamegraph.pl and many other tools.
// A line has the names from the outermost to the innermost method, separated by semicolons, then a space and the
// entries of the innermost method. Equal stacks from several call sites are separate lines, which readers add up. Names
// may contain spaces; readers take the count after the last one.
#include <stdlib.h>

#include "profiler/tool/export/prof_export.h"
#include "profiler/tool/view/prof_stacks.h"

int prof_export_collapsed(const ProfFile *f, const ProfOptions *o, FILE *out) {
    ProfStacks s;
    if (!prof_stacks_small(f, o, "--collapsed", &s)) return 1;
    if (prof_stacks_too_many(f, &s, "--collapsed")) {
        prof_stacks_free(&s);
        return 1;
    }
    char **names = prof_names(s.file, ";");
    uint32_t *way = prof_alloc((s.deepest + 1u) * sizeof *way);
    for (size_t i = 0; i < s.rows && !ferror(out); i++) {
        way[s.depths[i]] = s.methods[i];
        if (!s.counts[i]) continue;
        for (uint32_t d = 0; d <= s.depths[i]; d++) fprintf(out, "%s%s", d ? ";" : "", names[way[d]]);
        fprintf(out, " %llu\n", (unsigned long long)s.counts[i]);
    }
    free(way);
    prof_names_free(s.file, names);
    prof_stacks_free(&s);
    return 0;
}
