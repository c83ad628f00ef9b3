/*
 * row_format.h - turns rows of PostgreSQL's text values into the bytes of a body.
 *
 * One table of formats, one file per family. A writer is opened for one body,
 * is given its rows, and is finished; the bytes go to a sink as they come, except
 * where the format needs all rows first (writes_late).
 *
 * Values keep every digit: numbers are copied as the server wrote them. What JSON
 * cannot say as a number (NaN, Infinity) becomes a string.
 */
#ifndef TRANSFERBENCH_ROW_FORMAT_H
#define TRANSFERBENCH_ROW_FORMAT_H

#include "json_encode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RowField
{
	const char *text; /* NULL for null; UTF-8, lent, not terminated */
	size_t length;    /* bytes */
} RowField;

typedef enum ValueKind
{
	VALUE_STRING, /* any other type, by its text */
	VALUE_NUMBER,
	VALUE_BOOL, /* t or f */
	VALUE_JSON, /* valid JSON already */
} ValueKind;

/* The kind of a type by its OID, a domain's base type being what the server reports. */
extern ValueKind value_kind_of_type(unsigned type_oid);
extern const char *value_kind_name(ValueKind kind);

typedef struct RowColumnHead
{
	const char *name; /* UTF-8, lent for as long as the writer lives */
	ValueKind kind;
} RowColumnHead;

typedef struct RowWriterOptions
{
	int columns;                /* at least 1 */
	const RowColumnHead *heads; /* [columns], lent for as long as the writer lives */
	JsonEncodeFlush sink;
	void *sink_context;
	int64_t max_spool_bytes; /* for a format that writes late; 0: no limit */
} RowWriterOptions;

typedef struct RowWriter RowWriter;

typedef struct RowFormat
{
	const char *name;
	const char *media_type;
	bool is_json;     /* values are; else they are PostgreSQL's own text */
	bool writes_late; /* the sink sees nothing before finish */
	/* NULL when out of memory */
	RowWriter *(*open)(const RowWriterOptions *options);
	/* false when the sink or the spool failed; fields[columns] */
	bool (*row)(RowWriter *writer, const RowField *fields);
	bool (*finish)(RowWriter *writer);
	/* hands what is written so far to the sink; nothing in a format that writes late */
	bool (*flush)(RowWriter *writer);
	/* "" unless the writer itself failed, rather than the sink */
	const char *(*problem)(const RowWriter *writer);
	/* time spent on temporary files; 0 where there are none */
	int64_t (*spool_ns)(const RowWriter *writer);
	void (*close)(RowWriter *writer); /* NULL is fine */
} RowFormat;

extern const RowFormat row_format_rows;    /* [{"id":1,"x":2},...] */
extern const RowFormat row_format_columns; /* {"id":[1,...],"x":[2,...]} */
extern const RowFormat row_format_ndjson;  /* {"id":1,"x":2} LF */
extern const RowFormat row_format_csv; /* a header, then lines as COPY reads them with CSV HEADER */

/* All of them; ends with NULL. */
extern const RowFormat *const row_formats[];
/* NULL when there is none of this name. */
extern const RowFormat *row_format_find(const char *name, size_t length);

/* One value as JSON; for the JSON formats. */
extern void row_format_put_value(JsonEncoder *encoder, ValueKind kind, const RowField *field);

/* What most formats share: a buffer before the sink. */
#define ROW_WRITER_BUFFER (64 * 1024)
extern const char *row_writer_no_problem(const RowWriter *writer);
extern int64_t row_writer_no_spool(const RowWriter *writer);

#endif
