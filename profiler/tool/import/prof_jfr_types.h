// Names that the writer and the reader of JFR files (JDK Flight Recorder, version 2) share.
#ifndef CABERNET_PROFILER_PROF_JFR_TYPES_H
#define CABERNET_PROFILER_PROF_JFR_TYPES_H

#define JFR_MAGIC "FLR"  // and a zero
// The header of a chunk: magic (4), version (2 * u16), length, positions of the last checkpoint and of the metadata, start and
// duration in ns, start in ticks, ticks in a second (u64), three bytes, flags: all big-endian.
enum {
    JFR_CHUNK_SIZE = 8, JFR_CHECKPOINT_AT = 16, JFR_METADATA_AT = 24, JFR_START_NS = 32, JFR_DURATION_NS = 40, JFR_START_TICKS = 48,
    JFR_TICKS_IN_SECOND = 56, JFR_FLAGS = 67, JFR_HEADER = 68
};
enum { JFR_COMPRESSED = 1 };                 // flags: numbers have variable lengths
enum { JFR_METADATA = 0, JFR_CHECKPOINT = 1 };  // types of events that every chunk has
enum { JFR_NULL = 0, JFR_EMPTY = 1, JFR_CONSTANT = 2, JFR_UTF8 = 3, JFR_CHARACTERS = 4, JFR_LATIN1 = 5 };  // codings of strings

// Events of an exported profile: one for each stack of the call tree; a line of the header; what is known of a method, of a field, of
// the bytes of a class, and of an analysis. The rows of an analysis are events of the type whose number the last one has.
#define JFR_STACK_EVENT "cabernet.CallTree"
#define JFR_META_EVENT "cabernet.Meta"
#define JFR_METHOD_EVENT "cabernet.Method"
#define JFR_FIELD_EVENT "cabernet.Field"
#define JFR_CLASS_EVENT "cabernet.ClassFile"
#define JFR_ANALYSIS_EVENT "cabernet.Analysis"

// Types of frames in stacks: called by the frame below it, or with a pseudo-caller's name behind it, by that.
#define JFR_FRAME "Counted"
#define JFR_CALLED_BY "Counted, called by "

#endif
