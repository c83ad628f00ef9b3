#include "command_post.h"
#include "message.h"
#include "write_command.h"

#define GROUPS                                                                                     \
	(TRANSFER_GROUP_ROWS | TRANSFER_GROUP_ORIGIN | TRANSFER_GROUP_WRITE | TRANSFER_GROUP_POST |    \
	 TRANSFER_GROUP_HTTP | TRANSFER_GROUP_TARGET | TRANSFER_GROUP_TRIALS | TRANSFER_GROUP_FORMAT)

static const char usage[] =
	"Usage: transferbench post --url BASE [OPTIONS]\n"
	"\n"
	"Writes rows into a table as JSON, by POST to an API that stands before the database: one\n"
	"request per batch. The database connection makes the table (without --append) and counts\n"
	"what arrived in it.\n"
	"\n"
	"Exit status: 0 all well; 1 usage or set-up; 2 incomplete, or rows lost, doubled or in\n"
	"doubt; 3 complete, but values changed.\n";

int
command_post(int argc, char **argv)
{
	TransferOptions options;
	OptionsResult read;

	transfer_options_init(&options);
	read = transfer_options_read(&options, GROUPS, usage, argc, argv);
	if (read == OPTIONS_OK && options.url == NULL && options.target.post_url == NULL)
	{
		message_error(
			"--url or --post-url is missing: \"transferbench serve\" is an API to start with");
		read = OPTIONS_REFUSED;
	}
	if (read == OPTIONS_OK)
		return write_command_run("post", &write_path_http_json, &options);
	transfer_options_free(&options);
	return read == OPTIONS_HELP ? EXIT_ALL_WELL : EXIT_USAGE;
}
