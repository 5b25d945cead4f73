// Names shared by the writer and the reader of JFR files (JDK Flight Recorder, version 2).
#ifndef CABERNET_PROFILER_TOOL_IMPORT_PROF_JFR_TYPES_H
#define CABERNET_PROFILER_TOOL_IMPORT_PROF_JFR_TYPES_H

#define JFR_MAGIC "FLR"  // followed by a zero
// The header of a chunk, all big-endian: magic (4), version (2 * u16), length, positions of the last checkpoint and of
// the metadata, start and duration in ns, start in ticks, ticks per second (u64), three bytes, flags.
enum {
    JFR_CHUNK_SIZE = 8,
    JFR_CHECKPOINT_AT = 16,
    JFR_METADATA_AT = 24,
    JFR_START_NS = 32,
    JFR_DURATION_NS = 40,
    JFR_START_TICKS = 48,
    JFR_TICKS_IN_SECOND = 56,
    JFR_FLAGS = 67,
    JFR_HEADER = 68
};
enum { JFR_COMPRESSED = 1 };                    // flags: variable-length numbers
enum { JFR_METADATA = 0, JFR_CHECKPOINT = 1 };  // event types that every chunk has
enum { JFR_NULL = 0, JFR_EMPTY = 1, JFR_CONSTANT = 2, JFR_UTF8 = 3, JFR_CHARACTERS = 4, JFR_LATIN1 = 5 };  // of strings

// Events of an exported profile: one for each stack of the call tree; a header line; the data of a method, of a field,
// of a class's bytes, and of an analysis. The last one holds the number of the event type of the analysis's rows.
#define JFR_STACK_EVENT "cabernet.CallTree"
#define JFR_META_EVENT "cabernet.Meta"
#define JFR_METHOD_EVENT "cabernet.Method"
#define JFR_FIELD_EVENT "cabernet.Field"
#define JFR_CLASS_EVENT "cabernet.ClassFile"
#define JFR_ANALYSIS_EVENT "cabernet.Analysis"

// Frame types in stacks: called by the frame below; or by the pseudo-caller whose name follows.
#define JFR_FRAME "Counted"
#define JFR_CALLED_BY "Counted, called by "

#endif
