/*
 * postgres.h - the little of the server's headers that extension/host_rules.c, http_url.c,
 * http_header.c, http_headers.c and credentials.c call, so that they can be fuzzed outside of a server. Only for test/fuzz.
 *
 * An error jumps back to server_stub_try; all memory is in one context, which is emptied then. The
 * other headers of this directory are empty: what they would declare is here.
 */
#ifndef TRANSFERBENCH_SERVER_STUB_POSTGRES_H
#define TRANSFERBENCH_SERVER_STUB_POSTGRES_H

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef uint32_t uint32;
typedef int64_t int64;

#define INT64_FORMAT         "%" PRId64
#define lengthof(array)      ((int) (sizeof(array) / sizeof((array)[0])))
#define IS_HIGHBIT_SET(byte) (((unsigned char) (byte) &0x80) != 0)
/* of ASCII both go by ASCII; this program has the C locale */
#define pg_strcasecmp          strcasecmp
#define pg_strncasecmp         strncasecmp
#define pg_ascii_tolower(byte) ((unsigned char) tolower(byte))
#define Max(a, b)              ((a) > (b) ? (a) : (b))
#define Min(a, b)              ((a) < (b) ? (a) : (b))

/* --- errors: elog.h ---------------------------------------------------------------------- */

#define ERROR                              21
#define ERRCODE_INVALID_PARAMETER_VALUE    22023
#define ERRCODE_EXTERNAL_ROUTINE_EXCEPTION 38000
#define ERRCODE_INSUFFICIENT_PRIVILEGE     42501
#define ERRCODE_CONFIG_FILE_ERROR          1
#define ERRCODE_OUT_OF_MEMORY              53200
#define ereport(level, ...)                                                                        \
	do                                                                                             \
	{                                                                                              \
		(void) (level);                                                                            \
		(void) (__VA_ARGS__);                                                                      \
		server_stub_throw();                                                                       \
	} while (0)

extern int errcode(int sqlstate);
extern int errmsg(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern int errdetail(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern int errhint(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern void server_stub_throw(void) __attribute__((noreturn));

/* --- memory: palloc.h, memutils.h -------------------------------------------------------- */

typedef struct MemoryContextData *MemoryContext;

typedef struct MemoryContextCallback
{
	void (*func)(void *arg);
	void *arg;
	struct MemoryContextCallback *next;
} MemoryContextCallback;

extern MemoryContext CurrentMemoryContext;
extern void *palloc(size_t size);
extern void *palloc0(size_t size);
extern void *MemoryContextAllocZero(MemoryContext context, size_t size);
extern void MemoryContextRegisterResetCallback(MemoryContext context,
											   MemoryContextCallback *callback);
extern char *pstrdup(const char *text);
extern char *pnstrdup(const char *text, size_t length);
extern char *psprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- stringinfo.h ------------------------------------------------------------------------ */

typedef struct StringInfoData
{
	char *data;
	int len;
} StringInfoData;

typedef StringInfoData *StringInfo;

extern void initStringInfo(StringInfo string);
extern void appendStringInfo(StringInfo string, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
extern void appendStringInfoString(StringInfo string, const char *text);
extern void appendStringInfoChar(StringInfo string, char byte);
extern void appendBinaryStringInfo(StringInfo string, const char *bytes, int length);

/* --- pg_list.h: a List of one kind -------------------------------------------------------- */

typedef struct List
{
	void *cell;
	struct List *next;
} List;

typedef List ListCell;

#define NIL                 ((List *) NULL)
#define lfirst(list_cell)   ((list_cell)->cell)
#define foreach(cell, list) for ((cell) = (list); (cell) != NULL; (cell) = (cell)->next)
extern List *lappend(List *list, void *cell);
extern List *list_copy(const List *list);

/* --- jsonb.h, numeric.h: an object of one member, whose value is a string ------------------ */

typedef enum JsonbIteratorToken
{
	WJB_DONE,
	WJB_KEY,
	WJB_VALUE,
} JsonbIteratorToken;

typedef struct JsonbValue
{
	enum
	{
		jbvString,
		jbvNumeric
	} type;
	struct
	{
		struct
		{
			int len;
			char *val;
		} string;
		void *numeric;
	} val;
} JsonbValue;

typedef struct JsonbContainer
{
	JsonbValue key, value;
} JsonbContainer;

typedef struct Jsonb
{
	JsonbContainer root;
} Jsonb;

typedef struct JsonbIterator
{
	JsonbContainer *container;
	int taken;
} JsonbIterator;

#define JB_ROOT_IS_OBJECT(jsonb) ((jsonb) != NULL)
extern JsonbIterator *JsonbIteratorInit(JsonbContainer *container);
extern JsonbIteratorToken JsonbIteratorNext(JsonbIterator **iterator, JsonbValue *value,
											bool skip_nested);

typedef void *Datum;
#define numeric_out                        NULL
#define NumericGetDatum(numeric)           (numeric)
#define DirectFunctionCall1(function, arg) (arg)
#define DatumGetCString(datum)             ((char *) (datum))

/* --- pg_wchar.h: the server is one of UTF-8 ------------------------------------------------ */

#define PG_UTF8                                  6
#define pg_server_to_any(text, length, encoding) (text)

/* --- fd.h, miscadmin.h, acl.h: one file, of which the path does not matter ------------------ */

#define CHECK_FOR_INTERRUPTS()        ((void) 0)
#define GetUserId()                   0
#define ROLE_PG_READ_ALL_SETTINGS     0
#define has_privs_of_role(user, role) true
extern int OpenTransientFile(const char *path, int flags);
extern int CloseTransientFile(int file);

/* --- for the targets ----------------------------------------------------------------------- */

/* What was raised last; "" and 0 when nothing was. */
typedef struct ServerStubError
{
	int sqlstate;
	char *message, *detail, *hint;
} ServerStubError;

/* Calls; false when an error was raised, which is then in *error, until the next reset. */
extern bool server_stub_try(void (*call)(void *argument), void *argument, ServerStubError *error);
/* Runs the callbacks, newest first, and frees all memory. */
extern void server_stub_reset(void);
/* What the one file holds: settings_credentials_file names it until the next reset. */
extern void server_stub_set_file(const void *bytes, size_t length);

#endif
