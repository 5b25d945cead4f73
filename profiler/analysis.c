#include "profiler/analysis.h"

const Analysis *const analysis_table[ANALYSIS_COUNT] = {
#define ANALYSIS(id, name, help) &analysis_##id,
#include "profiler/analyses.def"
};
