// The work of each thread, by time: the data by which the page's views are filtered (profiler/page/src/filter.js).
#ifndef CABERNET_PROFILER_TOOL_PROF_CELLS_H
#define CABERNET_PROFILER_TOOL_PROF_CELLS_H

#include <jansson.h>

#include "profiler/tool/read/prof_file.h"

// The counts of a tree by thread, slot of time and node of the page, at most `most` of them, and the samples by thread
// and slot for a heat map. `places` has the place of each row in the page's tree (ContextTree.places). Slots are as
// short as `most` allows; the threads with the smallest counts are one, whose index is -1. null: the file has nothing
// by thread. {slotNs: 0 without times, threads: [[index, [slot, place, count, place, count...]...]...], heatNs, heat:
// [[index, slot, count, slot, count...]...]}, where slots and places are differences to the ones before, and a place is
// twice the node's index plus 2, 0 for none, and 1 more if the count belongs to nodes below that the page lacks.
json_t *prof_cells_json(const ProfFile *f, const ProfAnalysis *tree, const uint32_t *places, size_t most);

// The counts of chosen rows of a table by thread: [[index, row, count, row, count...]...], where `rows` has the rows'
// ascending indexes in the sum, and a row is its place in `rows`. null: at most one thread has rows.
json_t *prof_cells_of_rows(const ProfFile *f, const ProfAnalysis *a, const size_t *rows, size_t count);

#endif
