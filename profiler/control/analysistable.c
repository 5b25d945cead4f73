// The table of all analyses (profiler/analyses/analysis.h). It is here because analyses are in several rooms, which do
// not see each other.
#include "profiler/analyses/analysis.h"

const Analysis *const analysis_table[ANALYSIS_COUNT] = {
#define ANALYSIS(id, name, word, help) &analysis_##id,
#include "profiler/analyses/analyses.def"
};
