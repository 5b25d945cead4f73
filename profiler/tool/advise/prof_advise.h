// `cabernet-prof advise`: a profile as an advice file (docs/FORMATS.md, "Advice").
#ifndef CABERNET_PROFILER_TOOL_ADVISE_PROF_ADVISE_H
#define CABERNET_PROFILER_TOOL_ADVISE_PROF_ADVISE_H

#include "profiler/tool/view/prof_view.h"

// Exit code 1, with a message, when the profile holds nothing that makes advice.
int prof_advise(const ProfFile *f, const ProfOptions *o, FILE *out);

#endif
