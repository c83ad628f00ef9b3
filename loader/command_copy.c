#include "command_copy.h"
#include "write_command.h"

#define GROUPS                                                                                     \
	(TRANSFER_GROUP_ROWS | TRANSFER_GROUP_ORIGIN | TRANSFER_GROUP_COPY | TRANSFER_GROUP_WRITE |    \
	 TRANSFER_GROUP_TARGET | TRANSFER_GROUP_TRIALS)

static const char usage[] =
	"Usage: transferbench copy [OPTIONS]\n"
	"\n"
	"Writes rows into a table natively: by COPY FROM STDIN, or by INSERT, each batch in a\n"
	"transaction of its own. Without a source the rows are reference rows; without --table the\n"
	"table is made for the run and dropped at its end.\n"
	"\n"
	"Exit status: 0 all well; 1 usage or set-up; 2 incomplete, or rows lost, doubled or in\n"
	"doubt; 3 complete, but values changed.\n";

int
command_copy(int argc, char **argv)
{
	TransferOptions options;

	transfer_options_init(&options);
	switch (transfer_options_read(&options, GROUPS, usage, argc, argv))
	{
		case OPTIONS_HELP:
			transfer_options_free(&options);
			return EXIT_ALL_WELL;
		case OPTIONS_REFUSED:
			transfer_options_free(&options);
			return EXIT_USAGE;
		case OPTIONS_OK:
			break;
	}
	return write_command_run("copy",
							 options.method == 1        ? &write_path_insert
							 : options.copy_format == 1 ? &write_path_copy_binary
														: &write_path_copy_text,
							 &options);
}
