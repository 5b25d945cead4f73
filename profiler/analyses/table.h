// Rows of counts under keys: the form in which every analysis hands over its data, and in which threads are added up.
// Not thread-safe; malloc only.
#ifndef CABERNET_PROFILER_ANALYSES_TABLE_H
#define CABERNET_PROFILER_ANALYSES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TABLE_KEYS = 7 };

typedef struct TableRow {
    uint64_t key[TABLE_KEYS];  // unused ones are 0
    uint64_t count;
} TableRow;

typedef struct Table {
    TableRow *rows;
    size_t count, capacity;
    bool failed;      // out of memory: a row could not be added
    bool keep_empty;  // keep rows with count 0
} Table;

// Adds a row; equal keys are allowed until table_combine. Records a failure in t->failed.
void table_add(Table *t, const TableRow *row);
void table_add_all(Table *t, const Table *other);
// Makes room for exactly `count` rows. A table that grows row by row may have twice the room that it needs. False: a
// failure, which is recorded.
bool table_reserve(Table *t, size_t count);
// The counting function (profiler/analyses/analysis.h) of events with this payload, for rows that have its columns.
void table_count(Table *out, uint32_t method, int32_t bci, uint32_t what, uint64_t times);
// Sorts by keys and merges rows with equal keys. Removes rows that add up to 0, because counts were taken back, unless
// keep_empty. Releases unused room.
void table_combine(Table *t);
// Adds the rows of one combined table to another. Existing keys cost one lookup each. `to` must have room for all rows
// of both (table_reserve); then only an allocation in table_combine can fail.
void table_merge(Table *to, const Table *from);
uint64_t table_total(const Table *t);
void table_free(Table *t);  // leaves an empty table

#endif
