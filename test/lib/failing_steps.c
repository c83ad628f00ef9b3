/*
 * failing_steps.c - makes one call of one function fail, and counts what is alive.
 *
 * Preloaded into the server (LD_PRELOAD), and told what to do by a file that
 * both sides map or write: FAILING_STEPS_FILE names it, Control is its layout.
 * Only a process that has the extension loaded is ever touched.
 *
 * A step is the name of a function below, and fails without the function
 * having been called. "memory@LIBRARY" is any allocation by code of that
 * library, told by the return address: module (the extension), postgres (the
 * server), libcurl, libjson-c, libz. "cancel@clock" fails nothing: it asks the
 * backend to cancel its statement at a moment at which the extension reads the
 * clock, which its callbacks within libcurl do, too.
 *
 * The types of libcurl, json-c and zlib are pointers and numbers here, so that
 * this needs none of their headers.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum Library
{
	MODULE,
	POSTGRES,
	LIBCURL,
	LIBJSON,
	LIBZ,
	LIBRARIES
};

enum Handle
{
	EASY,
	MULTI,
	URL,
	INFLATE,
	TOKENER,
	HANDLES
};

typedef struct Control
{
	char step[64];
	int64_t countdown; /* 1: the next call of the step fails; 0: none does */
	int64_t failed;    /* calls that failed */
	int64_t handles[HANDLES];
	int64_t blocks[LIBRARIES]; /* of memory; not counted for POSTGRES */
} Control;

typedef struct Range
{
	uintptr_t start, end; /* of the code */
} Range;

static const char *const library_names[LIBRARIES] = {"pg_transferbench.so", NULL, "libcurl.so",
													 "libjson-c.so", "libz.so"};
static const char *const memory_steps[LIBRARIES] = {
	"memory@module", "memory@postgres", "memory@libcurl", "memory@libjson-c", "memory@libz"};

static Control *control;
static Range ranges[LIBRARIES];

static int
take_range(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *name = strrchr(info->dlpi_name, '/');

	(void) size;
	(void) context;
	name = name != NULL ? name + 1 : info->dlpi_name;
	for (int i = 0; i < LIBRARIES; i++)
	{
		const char *wanted = library_names[i];

		if (wanted == NULL ? *name != '\0' : strncmp(name, wanted, strlen(wanted)) != 0)
			continue;
		for (int j = 0; j < info->dlpi_phnum; j++)
		{
			const ElfW(Phdr) *header = &info->dlpi_phdr[j];

			if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0)
				ranges[i] = (Range){info->dlpi_addr + header->p_vaddr,
									info->dlpi_addr + header->p_vaddr + header->p_memsz};
		}
	}
	return 0;
}

__attribute__((constructor)) static void
map_control(void)
{
	const char *path = getenv("FAILING_STEPS_FILE");
	int file = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *mapped;

	if (file < 0)
		return;
	mapped = mmap(NULL, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (mapped != MAP_FAILED)
		control = mapped;
}

static int
is_ours(void)
{
	return control != NULL && ranges[MODULE].end != 0;
}

static int
is_from(enum Library library, const void *address)
{
	return (uintptr_t) address >= ranges[library].start &&
		   (uintptr_t) address < ranges[library].end;
}

static int
fails(const char *step)
{
	if (!is_ours() || control->countdown <= 0 || strcmp(control->step, step) != 0 ||
		--control->countdown > 0)
		return 0;
	control->failed++;
	return 1;
}

/* --- handles ------------------------------------------------------------------------------ */

#define MOST_HANDLES 64 /* that are alive at once */

static struct
{
	const void *made;
	enum Handle handle;
} alive[MOST_HANDLES];

static void
count_made(const void *made, enum Handle handle)
{
	if (made == NULL || handle == HANDLES || control == NULL)
		return;
	control->handles[handle]++;
	for (int i = 0; i < MOST_HANDLES; i++)
	{
		if (alive[i].made != NULL)
			continue;
		alive[i].made = made;
		alive[i].handle = handle;
		return;
	}
}

/* What was not counted is none of ours: libcurl unmakes some that it made by itself. */
static void
count_unmade(const void *made)
{
	for (int i = 0; made != NULL && i < MOST_HANDLES; i++)
	{
		if (alive[i].made != made)
			continue;
		alive[i].made = NULL;
		control->handles[alive[i].handle]--;
	}
}

/* --- memory ---------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

#define TABLE_SIZE (1 << 16) /* far more than are ever alive */

typedef struct Block
{
	void *address; /* NULL: free, and so is all after it; REMOVED: free */
	enum Library library;
} Block;

#define REMOVED ((void *) &removed)

static char removed;
static Block blocks[TABLE_SIZE];
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t
place_of(const void *address)
{
	return ((uintptr_t) address >> 4) * 2654435761u % TABLE_SIZE;
}

static void
remember(void *address, enum Library library)
{
	size_t i = place_of(address);

	pthread_mutex_lock(&blocks_lock);
	while (blocks[i].address != NULL && blocks[i].address != REMOVED)
		i = (i + 1) % TABLE_SIZE;
	blocks[i] = (Block){address, library};
	control->blocks[library]++;
	pthread_mutex_unlock(&blocks_lock);
}

static void
forget(const void *address)
{
	size_t i = place_of(address);

	pthread_mutex_lock(&blocks_lock);
	while (blocks[i].address != NULL && blocks[i].address != address)
		i = (i + 1) % TABLE_SIZE;
	if (blocks[i].address != NULL)
	{
		blocks[i].address = REMOVED;
		control->blocks[blocks[i].library]--;
	}
	pthread_mutex_unlock(&blocks_lock);
}

/* Who asks for memory, or LIBRARIES when it is nobody of interest. */
static enum Library
asker(const void *caller)
{
	int library = LIBRARIES;

	if (is_ours())
	{
		for (library = 0; library < LIBRARIES && !is_from(library, caller);)
			library++;
	}
	return library;
}

static int
is_refused(enum Library library)
{
	if (library == LIBRARIES || !fails(memory_steps[library]))
		return 0;
	errno = ENOMEM;
	return 1;
}

static void *
hand_out(void *block, enum Library library)
{
	if (block != NULL && library != LIBRARIES && library != POSTGRES)
		remember(block, library);
	return block;
}

void *
malloc(size_t size)
{
	enum Library library = asker(__builtin_return_address(0));

	return is_refused(library) ? NULL : hand_out(__libc_malloc(size), library);
}

void *
calloc(size_t number, size_t size)
{
	enum Library library = asker(__builtin_return_address(0));

	return is_refused(library) ? NULL : hand_out(__libc_calloc(number, size), library);
}

void *
realloc(void *block, size_t size)
{
	enum Library library = asker(__builtin_return_address(0));
	void *grown;

	if (is_refused(library))
		return NULL;
	grown = __libc_realloc(block, size);
	if (block != NULL && (grown != NULL || size == 0) && is_ours())
		forget(block);
	return hand_out(grown, library);
}

char *
strdup(const char *text)
{
	enum Library library = asker(__builtin_return_address(0));
	size_t size = strlen(text) + 1;
	char *copy = NULL;

	/* json-c 0.16 copies keys by it without a look at what it returned */
	if (library == LIBJSON || !is_refused(library))
		copy = hand_out(__libc_malloc(size), library);
	return copy != NULL ? memcpy(copy, text, size) : NULL;
}

void
free(void *block)
{
	if (block != NULL && is_ours())
		forget(block);
	__libc_free(block);
}

/* --- functions that fail as they are called ------------------------------------------------ */

#define NEXT(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))

/* A function that makes a handle, or NULL; libcurl calls some of its own, which are not ours. */
#define MAKER(name, handle, parameters, arguments)                                                 \
	void *name parameters                                                                          \
	{                                                                                              \
		int is_own = is_from(MODULE, __builtin_return_address(0));                                 \
		void *made = is_own && fails(#name) ? NULL : NEXT(name) arguments;                         \
		count_made(is_own ? made : NULL, handle);                                                  \
		return made;                                                                               \
	}

/* A function that returns a code. */
#define CODER(name, code, parameters, arguments)                                                   \
	int name parameters                                                                            \
	{                                                                                              \
		if (is_from(MODULE, __builtin_return_address(0)) && fails(#name))                          \
			return code;                                                                           \
		return NEXT(name) arguments;                                                               \
	}

#define UNMAKER(type, name)                                                                        \
	type name(void *made)                                                                          \
	{                                                                                              \
		count_unmade(made);                                                                        \
		return NEXT(name)(made);                                                                   \
	}

#define CURLE_FAILED_INIT    2
#define CURLE_OUT_OF_MEMORY  27
#define CURLM_OUT_OF_MEMORY  3
#define CURLUE_OUT_OF_MEMORY 7
#define Z_MEM_ERROR          (-4)

MAKER(curl_easy_init, EASY, (void), ())
MAKER(curl_multi_init, MULTI, (void), ())
UNMAKER(void, curl_easy_cleanup)
UNMAKER(int, curl_multi_cleanup)
MAKER(curl_url, URL, (void), ())
UNMAKER(void, curl_url_cleanup)
MAKER(curl_slist_append, HANDLES, (void *list, const char *text), (list, text))
MAKER(json_tokener_new_ex, TOKENER, (int depth), (depth))
UNMAKER(void, json_tokener_free)
MAKER(json_tokener_parse_ex, HANDLES, (void *tokener, const char *text, int length),
	  (tokener, text, length))
CODER(curl_multi_add_handle, CURLM_OUT_OF_MEMORY, (void *multi, void *easy), (multi, easy))
CODER(curl_multi_remove_handle, CURLM_OUT_OF_MEMORY, (void *multi, void *easy), (multi, easy))
CODER(curl_multi_perform, CURLM_OUT_OF_MEMORY, (void *multi, int *running), (multi, running))
CODER(curl_multi_poll, CURLM_OUT_OF_MEMORY,
	  (void *multi, void *extra, unsigned count, int timeout_ms, int *ready),
	  (multi, extra, count, timeout_ms, ready))
CODER(curl_easy_pause, CURLE_OUT_OF_MEMORY, (void *easy, int mask), (easy, mask))
CODER(curl_url_set, CURLUE_OUT_OF_MEMORY, (void *url, int part, const char *text, unsigned flags),
	  (url, part, text, flags))
CODER(curl_url_get, CURLUE_OUT_OF_MEMORY, (void *url, int part, char **text, unsigned flags),
	  (url, part, text, flags))
CODER(inflate, Z_MEM_ERROR, (void *stream, int flush), (stream, flush))

/* Once per process, and before all else: the module is loaded by then. */
int
curl_global_init(long flags)
{
	dl_iterate_phdr(take_range, NULL);
	return fails("curl_global_init") ? CURLE_FAILED_INIT : NEXT(curl_global_init)(flags);
}

int
curl_easy_setopt(void *easy, int option, ...)
{
	va_list arguments;
	void *value; /* a pointer or a long: passed alike where this is tested */

	va_start(arguments, option);
	value = va_arg(arguments, void *);
	va_end(arguments);
	if (fails("curl_easy_setopt"))
		return CURLE_OUT_OF_MEMORY;
	return ((int (*)(void *, int, ...)) dlsym(RTLD_NEXT, "curl_easy_setopt"))(easy, option, value);
}

int
inflateInit2_(void *stream, int window_bits, const char *version, int stream_size)
{
	int code = fails("inflateInit2_")
				   ? Z_MEM_ERROR
				   : NEXT(inflateInit2_)(stream, window_bits, version, stream_size);

	count_made(code == 0 ? stream : NULL, INFLATE);
	return code;
}

int
inflateEnd(void *stream)
{
	count_unmade(stream);
	return NEXT(inflateEnd)(stream);
}

/* --- the system, as the libraries see it ------------------------------------------------ */

static int
system_fails(const char *step, enum Library library, const void *caller, int error)
{
	if (!is_ours() || !is_from(library, caller) || !fails(step))
		return 0;
	errno = error;
	return 1;
}

#define SYSTEM_CALL(type, name, library, error, parameters, arguments)                             \
	type name parameters                                                                           \
	{                                                                                              \
		if (system_fails(#name, library, __builtin_return_address(0), error))                      \
			return -1;                                                                             \
		return NEXT(name) arguments;                                                               \
	}

struct pollfd;

SYSTEM_CALL(ssize_t, recv, LIBCURL, ECONNRESET, (int socket, void *bytes, size_t length, int flags),
			(socket, bytes, length, flags))
SYSTEM_CALL(ssize_t, send, LIBCURL, ECONNRESET,
			(int socket, const void *bytes, size_t length, int flags),
			(socket, bytes, length, flags))
SYSTEM_CALL(int, poll, LIBCURL, EINVAL, (struct pollfd * sockets, unsigned long count, int timeout),
			(sockets, count, timeout))
SYSTEM_CALL(ssize_t, pwrite, POSTGRES, ENOSPC,
			(int file, const void *bytes, size_t length, off_t offset),
			(file, bytes, length, offset))

int
clock_gettime(clockid_t clock, struct timespec *now)
{
	if (is_ours() && is_from(MODULE, __builtin_return_address(0)) && fails("cancel@clock"))
		raise(SIGINT);
	return NEXT(clock_gettime)(clock, now);
}

/* whoever calls: our callback may do so by a jump */
int
socket(int family, int type, int protocol)
{
	if (family != AF_UNIX && fails("socket"))
	{
		errno = EMFILE;
		return -1;
	}
	return NEXT(socket)(family, type, protocol);
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
			   void *argument)
{
	if (is_ours() && is_from(LIBCURL, __builtin_return_address(0)) && fails("pthread_create"))
		return EAGAIN;
	return NEXT(pthread_create)(thread, attributes, start, argument);
}
