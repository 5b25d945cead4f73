// `cabernet-prof export --perf-script`: the call tree in the format of `perf script`. A sample is a line with program,
// process, time, period and event, then the stack, innermost method first, with an address, a name and a file in
// parentheses for each frame, then an empty line. The period is the count. Times and addresses do not exist and are 0.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/export/prof_export.h"
#include "profiler/tool/view/prof_source.h"
#include "profiler/tool/view/prof_stacks.h"

int prof_export_perf(const ProfFile *f, const ProfOptions *o, FILE *out) {
    ProfStacks s;
    if (!prof_stacks_small(f, o, "--perf-script", &s)) return 1;
    if (prof_stacks_too_many(f, &s, "--perf-script")) {
        prof_stacks_free(&s);
        return 1;
    }
    char **names = prof_names(s.file, ";");
    const char *program = prof_meta(f, "command", "unknown");
    int length = (int)strcspn(program, " ");  // the first word: readers split the line at spaces
    if (!length) program = "unknown", length = (int)strlen(program);
    for (size_t i = 0; i < s.rows && !ferror(out); i++) {
        if (!s.counts[i]) continue;
        fprintf(out, "%.*s %s [000] 0.000000: %llu entries:\n", length, program, prof_meta(f, "process", "0"),
                (unsigned long long)s.counts[i]);
        for (size_t r = i; r != PROF_NO_ROW; r = s.parents[r]) {
            char *path = prof_source_path(&s.file->methods[s.methods[r]]);
            fprintf(out, "\t%16x %s (%s)\n", 0, names[s.methods[r]], path ? path : "[unknown]");
            free(path);
        }
        putc('\n', out);
    }
    prof_names_free(s.file, names);
    prof_stacks_free(&s);
    return 0;
}
