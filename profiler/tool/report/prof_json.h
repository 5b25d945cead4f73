// Parts of a profile as JSON, shared by reports and pages. Returned objects are new and owned by the caller. Out of
// memory ends the program.
#ifndef CABERNET_PROFILER_TOOL_REPORT_PROF_JSON_H
#define CABERNET_PROFILER_TOOL_REPORT_PROF_JSON_H

#include <jansson.h>

#include "profiler/tool/view/prof_view.h"

// Invalid UTF-8 (a damaged file) becomes "?" instead of failing the whole output.
json_t *prof_json_text(const char *text);
json_t *prof_json_count(uint64_t n);
// Both take ownership of `value`.
void prof_json_put(json_t *object, const char *key, json_t *value);
void prof_json_push(json_t *array, json_t *value);

json_t *prof_json_header(const ProfFile *f);
json_t *prof_json_thread(const ProfThread *t);
// A section with its first `most` rows; 0: all.
json_t *prof_json_section(const ProfSection *s, size_t most);

#endif
