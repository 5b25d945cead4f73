// The raw data of a campaign: records, JSON objects, one a line in records.jsonl of its directory, each written at once.
//
// Kinds of records: "campaign" (description and machine; one for each start of the harness), "expected" (checksum of a
// program's output), "heap" (least heap of a program on a configuration), "plan" (one recorded file of plans of a program), "job" (what one
// invocation of a program gave).
// Every kind but the first has "seconds", which it took. A line that a kill cut off is not a record.
#ifndef CABERNET_BENCHMARKS_RECORDS_H
#define CABERNET_BENCHMARKS_RECORDS_H

#include <jansson.h>
#include <stdbool.h>

#include "benchmarks/harness/campaign.h"

typedef struct Records {
    json_t *list;          // array of all records
    json_t *description;   // of the campaign, or NULL; belongs to the list
    int fd;                // where new ones go; -1: nowhere
} Records;

// Opens DIR/records.jsonl, made if there is none, takes off an unfinished last line, and reads it. Ends the process when
// another one has it open or it is of another campaign than `description`.
Records records_open(const char *dir, json_t *description);
// Appends the record, of which it becomes the owner, to file and list.
void records_add(Records *r, json_t *record);
void records_close(Records *r);

// Results to report: a directory, a records.jsonl, or a JSON file with "records". Several are put together; all must be of
// the same configurations and programs. Ends the process when they cannot be read.
Records records_load(char *const *paths, int n);
// Writes {"version", "description", "records", "summary"} as one JSON file by a temporary one. Takes the summary.
void records_save(const Records *r, const char *path, json_t *summary);

#endif
