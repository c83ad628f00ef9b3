#include "measure/report.h"
#include "measure/report_formats.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct FormatEntry
{
	const char *name;
	bool (*write)(const Run *run, FILE *out);
} FormatEntry;

static const FormatEntry formats[] = {
	[REPORT_TABLE] = {"table", report_table_write},
	[REPORT_JSON] = {"json", report_json_write},
	[REPORT_CSV] = {"csv", report_csv_write},
	[REPORT_MARKDOWN] = {"markdown", report_markdown_write},
};

bool
report_format_find(const char *name, ReportFormat *format)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
	{
		if (strcmp(name, formats[i].name) == 0)
		{
			*format = (ReportFormat) i;
			return true;
		}
	}
	return false;
}

/* `name` is what the stream is called in a message. */
static bool
write_stream(const Run *run, ReportFormat format, FILE *out, const char *name)
{
	if (!formats[format].write(run, out))
	{
		message_error("cannot write the report to %s: out of memory", name);
		return false;
	}
	if (fflush(out) == 0 && !ferror(out))
		return true;
	message_error("cannot write the report to %s: %m", name);
	return false;
}

static bool
close_stream(FILE *out, bool is_written, const char *name)
{
	if (fclose(out) == 0 || !is_written)
		return is_written;
	message_error("cannot write the report to %s: %m", name);
	return false;
}

/* A device or a pipe: there is nothing to be replaced. */
static bool
write_special(const Run *run, ReportFormat format, const char *path)
{
	FILE *out = fopen(path, "we");

	if (out == NULL)
	{
		message_error("cannot open \"%s\" for the report: %m", path);
		return false;
	}
	return close_stream(out, write_stream(run, format, out, path), path);
}

/* A new file with the rights that others get here, or those of the file it is to replace. */
static FILE *
create_beside(const char *temporary, const struct stat *replaced)
{
	int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *out = NULL;

	if (file >= 0 && (replaced == NULL || fchmod(file, replaced->st_mode & 07777) == 0))
		out = fdopen(file, "w");
	if (out == NULL && file >= 0)
	{
		int saved_errno = errno;

		close(file);
		unlink(temporary);
		errno = saved_errno;
	}
	return out;
}

/* `path` is no symbolic link: the file itself is replaced. */
static bool
write_beside(const Run *run, ReportFormat format, const char *path, const struct stat *replaced)
{
	char temporary[PATH_MAX + 32];
	FILE *out;
	bool is_written;

	snprintf(temporary, sizeof(temporary), "%s.%s.tmp", path, run->id);
	out = create_beside(temporary, replaced);
	if (out == NULL)
	{
		message_error("cannot make \"%s\" for the report: %m", temporary);
		return false;
	}
	is_written = write_stream(run, format, out, path);
	is_written = close_stream(out, is_written, path);
	if (is_written && rename(temporary, path) != 0)
	{
		message_error("cannot rename \"%s\" to \"%s\": %m", temporary, path);
		is_written = false;
	}
	if (!is_written)
		unlink(temporary);
	return is_written;
}

bool
report_write(const Run *run, ReportFormat format, const char *path)
{
	struct stat status;
	char resolved[PATH_MAX];

	if (path == NULL)
		return write_stream(run, format, stdout, "standard output");
	if (strlen(path) >= PATH_MAX)
	{
		message_error("cannot write the report: the name of the file has %zu bytes", strlen(path));
		return false;
	}
	if (stat(path, &status) != 0)
		return write_beside(run, format, path, NULL);
	if (!S_ISREG(status.st_mode))
		return write_special(run, format, path);
	if (realpath(path, resolved) == NULL)
	{
		message_error("cannot find \"%s\" for the report: %m", path);
		return false;
	}
	return write_beside(run, format, resolved, &status);
}
