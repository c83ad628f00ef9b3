/* server_stub.c - see the postgres.h of this directory. */
#include "postgres.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "settings.h"

/* A block of memory, each of its own, so that a byte beyond it is noticed. */
typedef struct Block
{
	struct Block *next;
	void *bytes;
} Block;

struct MemoryContextData
{
	Block *blocks;
	MemoryContextCallback *callbacks;
};

static struct MemoryContextData the_context;
MemoryContext CurrentMemoryContext = &the_context;

static jmp_buf catcher;
static ServerStubError raised;

char *settings_allowed_hosts = "";
char *settings_credentials_file = "";

static const void *file_bytes;
static size_t file_length;

/* --- memory ---------------------------------------------------------------------------------- */

static void *
keep(void *bytes)
{
	Block *block = fuzz_allocate(sizeof(Block));

	*block = (Block){.next = the_context.blocks, .bytes = bytes};
	the_context.blocks = block;
	return bytes;
}

void *
palloc(size_t size)
{
	return keep(fuzz_allocate(size));
}

void *
palloc0(size_t size)
{
	return memset(palloc(size), 0, size);
}

void *
MemoryContextAllocZero(MemoryContext context, size_t size)
{
	(void) context;
	return palloc0(size);
}

void
MemoryContextRegisterResetCallback(MemoryContext context, MemoryContextCallback *callback)
{
	callback->next = context->callbacks;
	context->callbacks = callback;
}

void
server_stub_reset(void)
{
	while (the_context.callbacks != NULL)
	{
		MemoryContextCallback *callback = the_context.callbacks;

		the_context.callbacks = callback->next;
		callback->func(callback->arg);
	}
	settings_credentials_file = "";
	while (the_context.blocks != NULL)
	{
		Block *block = the_context.blocks;

		the_context.blocks = block->next;
		free(block->bytes);
		free(block);
	}
}

char *
pnstrdup(const char *text, size_t length)
{
	return keep(fuzz_text(text, strnlen(text, length)));
}

char *
pstrdup(const char *text)
{
	return pnstrdup(text, strlen(text));
}

static char *
print(const char *format, va_list arguments)
{
	char *text = NULL;

	fuzz_require(vasprintf(&text, format, arguments) >= 0, "vasprintf failed");
	return keep(text);
}

char *
psprintf(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = print(format, arguments);
	va_end(arguments);
	return text;
}

/* --- strings --------------------------------------------------------------------------------- */

void
initStringInfo(StringInfo string)
{
	string->data = pstrdup("");
	string->len = 0;
}

void
appendBinaryStringInfo(StringInfo string, const char *bytes, int length)
{
	char *longer = palloc((size_t) string->len + (size_t) length + 1);

	memcpy(longer, string->data, (size_t) string->len);
	memcpy(longer + string->len, bytes, (size_t) length);
	string->data = longer;
	string->len += length;
	longer[string->len] = '\0';
}

void
appendStringInfoString(StringInfo string, const char *text)
{
	appendBinaryStringInfo(string, text, (int) strlen(text));
}

void
appendStringInfoChar(StringInfo string, char byte)
{
	appendBinaryStringInfo(string, &byte, 1);
}

void
appendStringInfo(StringInfo string, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	appendStringInfoString(string, print(format, arguments));
	va_end(arguments);
}

/* --- lists and jsonb ------------------------------------------------------------------------- */

List *
lappend(List *list, void *cell)
{
	List *last = palloc0(sizeof(List));
	List *at = list;

	last->cell = cell;
	if (list == NIL)
		return last;
	while (at->next != NULL)
		at = at->next;
	at->next = last;
	return list;
}

List *
list_copy(const List *list)
{
	List *copy = NIL;

	for (; list != NIL; list = list->next)
		copy = lappend(copy, list->cell);
	return copy;
}

JsonbIterator *
JsonbIteratorInit(JsonbContainer *container)
{
	JsonbIterator *iterator = palloc0(sizeof(JsonbIterator));

	iterator->container = container;
	return iterator;
}

JsonbIteratorToken
JsonbIteratorNext(JsonbIterator **iterator, JsonbValue *value, bool skip_nested)
{
	(void) skip_nested;
	switch ((*iterator)->taken++)
	{
		case 0:
			*value = (*iterator)->container->key;
			return WJB_KEY;
		case 1:
			*value = (*iterator)->container->value;
			return WJB_VALUE;
		default:
			return WJB_DONE;
	}
}

/* --- the file -------------------------------------------------------------------------------- */

void
server_stub_set_file(const void *bytes, size_t length)
{
	file_bytes = bytes;
	file_length = length;
	settings_credentials_file = "the file";
}

int
OpenTransientFile(const char *path, int flags)
{
	int file = memfd_create(path, 0);

	(void) flags;
	fuzz_require(file >= 0 && fchmod(file, S_IRUSR | S_IWUSR) == 0 &&
					 write(file, file_bytes, file_length) == (ssize_t) file_length &&
					 lseek(file, 0, SEEK_SET) == 0,
				 "no file in memory");
	return file;
}

int
CloseTransientFile(int file)
{
	return close(file);
}

/* --- errors ---------------------------------------------------------------------------------- */

int
errcode(int sqlstate)
{
	raised.sqlstate = sqlstate;
	return 0;
}

#define SET_TEXT(member)                                                                           \
	do                                                                                             \
	{                                                                                              \
		va_list arguments;                                                                         \
		va_start(arguments, format);                                                               \
		raised.member = print(format, arguments);                                                  \
		va_end(arguments);                                                                         \
	} while (0)

int
errmsg(const char *format, ...)
{
	SET_TEXT(message);
	return 0;
}

int
errdetail(const char *format, ...)
{
	SET_TEXT(detail);
	return 0;
}

int
errhint(const char *format, ...)
{
	SET_TEXT(hint);
	return 0;
}

void
server_stub_throw(void)
{
	longjmp(catcher, 1);
}

bool
server_stub_try(void (*call)(void *argument), void *argument, ServerStubError *error)
{
	raised = (ServerStubError){.message = "", .detail = "", .hint = ""};
	if (setjmp(catcher) == 0)
	{
		call(argument);
		*error = raised;
		return true;
	}
	fuzz_require(raised.sqlstate != 0, "an error without an SQLSTATE: %s", raised.message);
	*error = raised;
	return false;
}
